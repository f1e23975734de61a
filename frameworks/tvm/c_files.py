"""The files of an export: what was planned, as C11 that includes nothing but standard headers."""

import json
import re
import textwrap

import numpy

import memory_plan
from onnx_model import C_TYPES

WIDTH = 118


class CFiles:
    """`files()` gives name → text. banner: lines of a comment that starts each file."""

    def __init__(self, prefix, network, plan, kernels, banner):
        self._prefix, self._network, self._plan, self._banner = prefix, network, plan, banner
        used = {step.kernel.name for step in plan.steps if step.kernel}
        self._kernels = [kernel for kernel in sorted(kernels.values(), key=lambda each: each.name) if kernel.name in used]
        self._constants = self._used_constants()
        names = _Names({"workspace", "memcpy"})
        self._parameters = {}
        for kind, tensors in (("input", network.inputs), ("output", network.outputs)):
            for tensor in tensors:
                name = kind if len(tensors) == 1 else f"{kind}_{_identifier(tensor.name)}"
                self._parameters[id(tensor)] = names.unique(name)

    def files(self):
        prefix = self._prefix
        files = {f"{prefix}.h": self._header(), f"{prefix}.c": self._entry(),
                 f"{prefix}_kernels.h": self._kernels_header(), f"{prefix}_kernels.c": self._kernels_source(),
                 f"{prefix}.json": self._description()}
        if self._constants:
            files[f"{prefix}_constants.h"] = self._constants_header()
            files[f"{prefix}_constants.c"] = self._constants_source()
        return files

    def _used_constants(self):
        used = []
        for step in self._plan.steps:
            for tensor in step.reads:
                owner, _ = self._plan.place(tensor)
                if owner.of == "constant" and owner not in used:
                    used.append(owner)
        return {id(tensor): (tensor, f"{self._prefix}_constant_{i:02d}") for i, tensor in enumerate(used)}

    def _prototype(self):
        tensors = [("const ", tensor) for tensor in self._network.inputs] + [("", tensor) for tensor in self._network.outputs]
        parameters = [f"{const}{C_TYPES[tensor.dtype][0]} {self._parameters[id(tensor)]}[static {max(tensor.elements, 1)}]"
                      for const, tensor in tensors]
        parameters.append(f"uint8_t workspace[static {self._plan.bytes}]")
        return _wrapped(f"void {self._prefix}_run(", parameters, ")")

    def _header(self):
        lines = [_guard(f"{self._prefix}_H"), "", "#include <stdbool.h>", "#include <stdint.h>", ""]
        upper = self._prefix.upper()
        for tensor in self._network.inputs + self._network.outputs:
            name = self._parameters[id(tensor)]
            lines += [f"// {name}: {_shape(tensor)}, '{tensor.name}' of the model",
                      f"#define {upper}_{name.upper()}_BYTES {tensor.bytes}"]
        lines += ["", "// Memory for what passes between kernels and for their temporaries; at least "
                  f"{self._plan.alive_bytes} bytes are alive at once.", f"#define {upper}_WORKSPACE_BYTES {self._plan.bytes}",
                  f"#define {upper}_WORKSPACE_ALIGNMENT {memory_plan.ALIGNMENT}", "",
                  "// One inference. The caller owns all memory, and no parameter may overlap another; nothing is kept "
                  "between", f"// calls. The workspace is aligned to {upper}_WORKSPACE_ALIGNMENT; its contents before the "
                  "call do not matter.", self._prototype() + ";", "", "#endif"]
        return self._file(lines)

    def _entry(self):
        lines = [f'#include "{self._prefix}.h"', ""]
        if self._constants:
            lines += [f'#include "{self._prefix}_constants.h"']
        lines += [f'#include "{self._prefix}_kernels.h"', "", self._prototype() + " {"]
        if any(step.kernel is None for step in self._plan.steps):
            lines.insert(1, "\n#include <string.h>")
        if not self._plan.offsets:
            lines.append("    (void)workspace;")
        for step in self._plan.steps:
            lines.append(self._call(step))
        return self._file(lines + ["}"])

    def _call(self, step):
        if step.kernel is None:
            target, source = step.writes[0], step.reads[0]
            return f"    memcpy({self._argument(target, False)}, {self._argument(source, True)}, {source.bytes});"
        tensors = step.reads + step.writes
        arguments = [self._argument(tensor, not parameter.written)
                     for tensor, parameter in zip(tensors, step.kernel.parameters)]
        for temporary, parameter in zip(step.temporaries, step.kernel.temporaries):
            arguments.append(_cast(parameter.dtype, self._plan.offsets[id(temporary)], False))
        return _wrapped(f"    {step.kernel.name}(", arguments, ");")

    def _argument(self, tensor, const):
        owner, offset = self._plan.place(tensor)
        if id(owner) in self._constants:
            return self._constants[id(owner)][1]
        if id(owner) in self._parameters:
            return self._parameters[id(owner)]
        return _cast(tensor.dtype, offset, const)

    def _kernels_header(self):
        lines = [_guard(f"{self._prefix}_kernels_H"), "", "#include <stdbool.h>", "#include <stdint.h>", "",
                 f"// The kernels, as TVM compiled them. {self._prefix}_run calls them in order; none keeps anything "
                 "between calls."]
        return self._file(lines + [_rewrapped(kernel.prototype) + ";" for kernel in self._kernels] + ["", "#endif"])

    def _kernels_source(self):
        lines = [f'#include "{self._prefix}_kernels.h"', "", "#include <math.h>", "#include <string.h>"]
        for kernel in self._kernels:
            lines += ["", _rewrapped(kernel.prototype) + " " + kernel.body.rstrip("\n")]
        return self._file(lines)

    def _constants_header(self):
        lines = [_guard(f"{self._prefix}_constants_H"), "", "#include <stdbool.h>", "#include <stdint.h>", "",
                 "// Weights and other constants, where TVM's folding left them."]
        for tensor, name in self._constants.values():
            lines.append(f"extern const {C_TYPES[tensor.dtype][0]} {name}[{max(tensor.elements, 1)}];  // {_shape(tensor)}")
        return self._file(lines + ["", "#endif"])

    def _constants_source(self):
        lines = [f'#include "{self._prefix}_constants.h"']
        if any(not numpy.all(numpy.isfinite(tensor.value)) for tensor, _ in self._constants.values()
               if tensor.dtype.startswith("float")):
            lines += ["", "#include <math.h>"]
        for tensor, name in self._constants.values():
            text = ", ".join(_element(value, tensor.dtype) for value in tensor.value.reshape(-1)) or "0"
            lines += ["", f"const {C_TYPES[tensor.dtype][0]} {name}[{max(tensor.elements, 1)}] = {{",
                      textwrap.fill(text, WIDTH, initial_indent="    ", subsequent_indent="    "), "};"]
        return self._file(lines)

    def _description(self):
        def tensor(each):
            return {"name": each.name, "parameter": self._parameters[id(each)], "type": each.dtype,
                    "shape": list(each.shape), "bytes": each.bytes}

        steps = [{"call": step.kernel.name if step.kernel else "memcpy",
                  "output_bytes": sum(each.bytes for each in step.writes),
                  "temporary_bytes": sum(each.bytes for each in step.temporaries)} for step in self._plan.steps]
        return json.dumps({
            "entry": f"{self._prefix}_run", "header": f"{self._prefix}.h",
            "sources": sorted([f"{self._prefix}.c", f"{self._prefix}_kernels.c"]
                              + ([f"{self._prefix}_constants.c"] if self._constants else [])),
            "inputs": [tensor(each) for each in self._network.inputs],
            "outputs": [tensor(each) for each in self._network.outputs],
            "workspace": {"parameter": "workspace", "bytes": self._plan.bytes, "alignment": memory_plan.ALIGNMENT,
                          "alive_bytes": self._plan.alive_bytes},
            "constant_bytes": sum(each.bytes for each, _ in self._constants.values()),
            "steps": steps}, indent=2) + "\n"

    def _file(self, lines):
        return "\n".join([f"// {line}" for line in self._banner] + [""] + lines) + "\n"


class _Names:
    def __init__(self, taken):
        self._taken = set(taken)

    def unique(self, name):
        candidate, number = name, 1
        while candidate in self._taken:
            candidate, number = f"{name}_{number}", number + 1
        self._taken.add(candidate)
        return candidate


def _identifier(name):
    return re.sub(r"\W", "_", name)


def _guard(name):
    name = name.upper()
    return f"#ifndef {name}\n#define {name}"


def _shape(tensor):
    return f"{tensor.dtype} [{', '.join(str(dim) for dim in tensor.shape)}]"


def _cast(dtype, offset, const):
    return f"({'const ' if const else ''}{C_TYPES[dtype][0]} *)(workspace + {offset})"


def _wrapped(start, items, end):
    """start, the items with commas, end; broken between items where a line would be too long."""
    lines, line = [], start
    indent = len(start) if len(start) <= WIDTH // 2 else len(start) - len(start.lstrip()) + 8
    for i, item in enumerate(items):
        item += end if i + 1 == len(items) else ","
        if line is not start and len(line) + 1 + len(item) > WIDTH:
            lines.append(line)
            line = " " * indent + item
        else:
            line += item if line is start else " " + item
    return "\n".join(lines + [line])


def _rewrapped(prototype):
    start, rest = prototype.split("(", 1)
    return _wrapped(start + "(", rest.removesuffix(")").split(", "), ")")


def _element(value, dtype):
    if dtype == "bool":
        return "true" if value else "false"
    if not dtype.startswith("float"):
        if dtype == "int64" and int(value) == -(2 ** 63):
            return "INT64_MIN"
        if dtype == "int32" and int(value) == -(2 ** 31):
            return "INT32_MIN"
        return str(int(value)) + ("u" if dtype in ("uint32", "uint64") else "")
    if numpy.isnan(value):
        return "NAN"
    if numpy.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return numpy.format_float_scientific(value, trim="0", exp_digits=2) + ("f" if dtype == "float32" else "")
