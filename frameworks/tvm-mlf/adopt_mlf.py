#!/usr/bin/env python3
"""Ahead-of-time C of TVM 0.8 to 0.18 (Model Library Format, an archive or a folder) → the same C with a plain entry.

Writes src/ (TVM's C; blocks of workspace of constant size lie in static memory), include/, PREFIX.h, PREFIX.c with

    void PREFIX_run(const T input[static N], T output[static M], uint8_t workspace[static W])

whose body is one call a kernel, and manifest.json for metamorph. Needs nothing but Python.
"""

import argparse
import json
import pathlib
import re

import aot_source
from mlf_archive import BYTES_OF, Archive
from refusal import Refusal, run

C_TYPES = {"float32": "float", "float64": "double", "bool": "uint8_t"}
TVM_HEADERS = ("c_runtime_api.h", "c_backend_api.h", "crt/module.h", "crt/crt.h", "crt/packed_func.h")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", metavar="ARCHIVE", help="a .tar, or a folder with metadata.json")
    parser.add_argument("--output", required=True, metavar="DIR")
    parser.add_argument("--prefix", required=True, metavar="NAME", help="C identifier that starts every name")
    parser.add_argument("--module", metavar="NAME", help="which module, where the archive has several")
    parser.add_argument("--bytes", action="append", default=[], metavar="TENSOR=N", help="size of an input or output")
    arguments = parser.parse_args()
    sizes = {}
    for text in arguments.bytes:
        name, _, count = text.rpartition("=")
        if not name or not count.isdigit() or int(count) == 0:
            raise Refusal(f"bytes {text} is not TENSOR=N; write it so: input_1=784")
        sizes[name] = int(count)
    files = Adoption(Archive(arguments.archive, arguments.module), arguments.prefix, sizes).files()
    for name, text in files.items():
        path = pathlib.Path(arguments.output) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


class Adoption:
    def __init__(self, archive, prefix, sizes):
        self._archive, self._prefix, self._sizes = archive, prefix, sizes
        self._functions = {}
        for path, text in sorted(archive.sources().items()):
            self._functions.update(aot_source.functions_of(path.removeprefix("codegen/host/"), text))
        name = f"tvmgen_{archive.module}___tvm_main__"
        if name not in self._functions:
            known = [each for each in sorted(self._functions) if each.endswith("__tvm_main__")]
            raise Refusal(f"no source defines {name}" + (f"; there is {known[0]}" if known else
                                                         ": is this ahead-of-time code (--executor=aot)?"))
        self._main = self._functions[name]
        if any(word in self._main.prototype for word in ("arg_type_ids", "TVMValue")):
            raise Refusal(f"{self._main.path}:{self._main.line}: {name} has TVM's packed interface; compile the model with "
                          "--executor-aot-unpacked-api=1 --executor-aot-interface-api=c")
        for path, text in archive.sources().items():
            if "TVMBackendParallelLaunch" in text:
                raise Refusal(f"{path}: kernels run in several threads; compile the model with one")
        self._notes = []
        self._tensors()

    def _tensors(self):
        """Sorts the entry's parameters: _parameters are (C name, role, bytes, C type); _pools are workspaces."""
        names = [name for _, name in self._main.parameters]
        plain = {name: re.sub(r"_buffer_var$", "", name) for name in names}
        inputs, outputs = self._archive.tensors("inputs"), self._archive.tensors("outputs")
        self._pools = [name for name in names if re.fullmatch(r"global_workspace_\d+", plain[name].removesuffix("_var"))]
        self._constants = [name for name in names if re.fullmatch(r"global_const_workspace_\d+", plain[name].removesuffix("_var"))]
        where = f"{self._main.path}:{self._main.line}"
        if len(self._pools) > 1 or len(self._constants) > 1:
            raise Refusal(f"{where}: the entry has several pools of workspace or of constants; compile the model with one")
        if devices := [name for name in names if "device_context" in name]:
            raise Refusal(f"{where}: the entry takes '{devices[0]}': devices beside the processor are not understood")
        tensors = [name for name in names if name not in self._pools + self._constants]
        if inputs and outputs and len(tensors) != len(inputs) + len(outputs):
            raise Refusal(f"{where}: the entry has {len(tensors)} tensors, metadata.json has {len(inputs)} inputs and "
                          f"{len(outputs)} outputs")
        listed = [("input", name) for name in inputs] + [("output", name) for name in outputs]
        if not inputs or not outputs:
            listed = [("output" if plain[name].startswith("output") else "input", plain[name]) for name in tensors]
            if "output" not in [role for role, _ in listed]:
                raise Refusal("metadata.json does not list inputs and outputs, and no parameter of the entry is called output")
        by_name = {tensor: (role, tensor) for role, tensor in listed}
        if all(plain[name] in by_name for name in tensors):
            listed = [by_name[plain[name]] for name in tensors]
        self._parameters = {}
        for name, (role, tensor) in zip(tensors, listed):
            kind = role + "s"
            count = (self._sizes.pop(tensor, None) or self._archive.tensors(kind).get(tensor)
                     or self._archive.bytes_by_header(tensor))
            if not count:
                raise Refusal(f"the size of {role} '{tensor}' is told neither by metadata.json nor by the header; give it with "
                              f"the option bytes: {tensor}=N")
            dtype = self._archive.element_type(kind, tensor)
            c_type = C_TYPES.get(dtype, f"{dtype}_t") if dtype else "uint8_t"
            alone = sum(1 for each, _ in listed if each == role) == 1
            self._parameters[name] = (role if alone else f"{role}_{tensor}", role, count, c_type,
                                      count // BYTES_OF.get(dtype, 1))
        if self._sizes:
            raise Refusal(f"option bytes: there is no tensor '{next(iter(self._sizes))}'; there are: "
                          + ", ".join(tensor for _, tensor in listed))

    def files(self):
        calls, workspace = self._entry()
        files = {"include/c_backend_api.h": _own("c_backend_api.h")}
        for header in TVM_HEADERS:
            files[f"include/tvm/runtime/{header}"] = f'#include "{"../" * (2 + header.count("/"))}c_backend_api.h"\n'
        for path, text in self._archive.headers().items():
            files["include/" + path.removeprefix("codegen/host/include/")] = text
        remaining = False
        for path, text in sorted(self._archive.sources().items()):
            path = path.removeprefix("codegen/host/")
            files[path] = text = self._source(path, text)
            remaining = remaining or ("TVMBackendAllocWorkspace" in aot_source.without_comments(text))
        defines = []
        if remaining:
            files["workspace.c"] = _own("workspace.c")
            defines.append(f"TVM_WORKSPACE_BYTES={max(self._archive.workspace_bytes(), 4096)}")
            self._notes.append("some workspace is taken by TVMBackendAllocWorkspace in sizes known only at run time: a stack in "
                               "static memory serves it")
        header, entry = self._texts(calls, workspace)
        files[f"{self._prefix}.h"] = header
        home = self._home(calls)
        if home:
            files[home] += "\n" + entry
        else:
            files[f"{self._prefix}.c"] = entry
        files["manifest.json"] = json.dumps({
            "entry": f"{self._prefix}_run", "defines": defines, "notes": self._notes,
            "parameters": [{"name": name, "role": role, "bytes": count}
                           for name, role, count, _, _ in self._parameters.values()]
            + [{"name": "workspace", "role": "arena", "bytes": workspace}]}, indent=2) + "\n"
        return files

    def _home(self, calls):
        """The source that the plain entry must stand in, since what it uses is static there; "": a file of its own."""
        homes = {self._functions[name].path for name in _called(calls) if self._functions[name].prototype.startswith("static")}
        if self._constants:
            homes |= {path.removeprefix("codegen/host/") for path, text in self._archive.sources().items()
                      if re.search(r"\}\s*global_const_workspace\b", text)} or {"nowhere"}
        if len(homes) > 1 or "nowhere" in homes:
            raise Refusal(f"{self._main.path}:{self._main.line}: what the entry uses is not in one source: {sorted(homes)}")
        return next(iter(homes), "")

    def _entry(self):
        """(statements of the plain entry, bytes of its workspace)."""
        values = {name: f"(void *){each[0]}" for name, each in self._parameters.items()}
        pools = dict.fromkeys(self._pools, "workspace")
        pools.update(dict.fromkeys(self._constants, "(uint8_t *)&global_const_workspace"))
        values.update({name: f"(void *){pool}" for name, pool in pools.items()})
        scratch = aot_source.Scratch(self._pool_bytes() if self._pools else 0)
        lines = []
        for line, kind, fields in aot_source.statements(self._main):
            where = f"{self._main.path}:{line}"
            if kind == "take":
                values[fields[0]] = f"(void *)(workspace + {scratch.take(*fields)})"
            elif kind == "give back":
                scratch.give_back(fields[0])
            elif kind == "address":
                name, of, offset = fields
                if of not in pools:
                    raise Refusal(f"{where}: '{of}' is no workspace: its address is not understood")
                values[name] = f"(void *)({pools[of]} + {offset})"
            else:
                lines.append(self._call(where, fields, values))
        if not lines:
            raise Refusal(f"{self._main.path}:{self._main.line}: the entry calls nothing")
        return lines, max(scratch.bytes, aot_source.ALIGNMENT)

    def _call(self, where, fields, values):
        name, arguments, checked = fields
        if name not in self._functions:
            raise Refusal(f"{where}: no source defines '{name}', which the entry calls")
        given = []
        for argument in arguments:
            bare = re.sub(r"^\(\w+ ?\*\) ?", "", argument)
            if bare in values:
                given.append(values[bare])
            elif re.fullmatch(r"-?\d+|NULL", bare):
                given.append(bare)
            else:
                raise Refusal(f"{where}: the argument '{argument}' of {name} is not understood")
        text = f"{name}({', '.join(given)})"
        body, _ = self._rewritten(self._functions[name])
        if checked and not aot_source.always_returns_zero(body):
            self._notes.append(f"{name} can fail; the inference then ends without a result")
            return f"    if ({text} != 0) {{\n        return;\n    }}"
        return f"    (void){text};"

    def _rewritten(self, function):
        """(the body with constant blocks of workspace in static memory, bytes of it). A function that calls others keeps the
        run time's stack: theirs would lie in the same place."""
        others = [name for name in self._functions if name != function.name]
        if re.search(r"\b(" + "|".join(map(re.escape, others)) + r")\b", function.body):
            return function.body, 0
        return aot_source.with_static_scratch(function, f"{self._prefix}_scratch")

    def _pool_bytes(self):
        """Size of the pool that the entry's caller passes: static memory of the archive's own, or what metadata says."""
        name = self._pools[0].removesuffix("_var").rsplit("_", 1)[0]
        for text in self._archive.sources().values():
            match = re.search(rf"uint8_t {name}\w*\[(\d+)\]", text)
            if match:
                return int(match.group(1))
        count = self._archive.bytes_by_header("WORKSPACE") or self._archive.workspace_bytes()
        if not count:
            raise Refusal(f"nothing tells how large the entry's pool '{self._pools[0]}' is")
        return count

    def _source(self, path, text):
        """TVM's text without its old entry, with constant blocks of its kernels' workspace in a static array of the file."""
        most, edits = 0, []
        for function in self._functions.values():
            if function.path != path:
                continue
            if function.name in (self._main.name, f"tvmgen_{self._archive.module}_run"):
                edits.append((function.start, function.end, f"// {function.name}: replaced by {self._prefix}_run"))
                continue
            body, count = self._rewritten(function)
            if count:
                most = max(most, count)
                edits.append((function.body_start, function.end - 1, body))
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
        if self._pools:  # the old entry's own pool
            text = re.sub(r"^(?:__attribute__\(\(.*\)\)\s*)?static uint8_t global_workspace\w*\[\d+\];", "", text,
                          flags=re.MULTILINE)
        if most:
            last = [match.end() for match in re.finditer(r"^#include .*\n", text, re.MULTILINE)]
            first = last[-1] if last else 0
            text = (text[:first] + f"\n// For kernels, one at a time.\nstatic _Alignas({aot_source.ALIGNMENT}) uint8_t "
                    f"{self._prefix}_scratch[{most}];\n\n" + text[first:])
        return text

    def _texts(self, calls, workspace):
        upper = self._prefix.upper()
        parameters = [f"{'const ' if role == 'input' else ''}{c_type} {name}[static {elements}]"
                      for name, role, _, c_type, elements in self._parameters.values()]
        parameters.append(f"uint8_t workspace[static {workspace}]")
        indent = " " * len(f"void {self._prefix}_run(")
        prototype = f"void {self._prefix}_run(" + (",\n" + indent).join(parameters) + ")"
        banner = f"// Written by Metamorph from TVM's module '{self._archive.module}'. Do not edit."
        header = "\n".join([banner, f"#ifndef {upper}_H", f"#define {upper}_H", "", "#include <stdint.h>", "",
                            f"#define {upper}_WORKSPACE_BYTES {workspace}",
                            f"#define {upper}_WORKSPACE_ALIGNMENT {aot_source.ALIGNMENT}", "",
                            "// One inference. No parameter may overlap another; the workspace's contents before the call do "
                            "not matter.", prototype + ";", "", "#endif", ""])
        externs = [self._functions[name].prototype + ";" for name in _called(calls)]
        source = "\n".join([banner, f'#include "{self._prefix}.h"', "", '#include "c_backend_api.h"', ""] + externs
                           + ["", prototype + " {"] + (["    (void)workspace;"] if "workspace" not in "".join(calls) else [])
                           + calls + ["}", ""])
        return header, source


def _called(calls):
    """Names of the functions that the plain entry calls, sorted."""
    return sorted({re.search(r"(\w+)\(", re.sub(r"if \(|\(void\)", "", call)).group(1) for call in calls})


def _own(name):
    return (pathlib.Path(__file__).parent / name).read_text(encoding="utf-8")


if __name__ == "__main__":
    run(main)
