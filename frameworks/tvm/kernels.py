"""TIR functions → C functions on plain pointers, by TVM's own C code generator.

TVM 0.27 gives a kernel to the outside only as a packed function, with hundreds of lines of argument checks. Here the lowered
body is put behind plain pointers before the code generator sees it: pointer parameters are bound to the kernel's
buffers, and temporaries above a few bytes become pointer parameters, too, so that the caller plans their memory.
Three things are then put right in the text: prototypes get extents and const, the generator's `TVM_DLL` and headers go,
and constants, which it prints with 7 digits, get the digits that they need.
"""

import dataclasses
import re

import numpy
import tvm
import tvm_ffi
from tvm import s_tir, tirx
from tvm.ir import PointerType, PrimType

import schedule
from onnx_model import C_TYPES
from refusal import Refusal

LOCAL_BYTES_MAX = 64  # temporaries up to this size stay on the stack


@dataclasses.dataclass
class Parameter:
    name: str
    dtype: str
    elements: int
    written: bool

    @property
    def c_type(self):
        return C_TYPES[self.dtype][0]

    @property
    def bytes(self):
        return self.elements * C_TYPES[self.dtype][1]


@dataclasses.dataclass
class Kernel:
    """`parameters` are the tensors of the call in TIR's order; `temporaries` come after them."""
    name: str
    parameters: list
    temporaries: list
    prototype: str
    body: str      # from "{" to "}"
    is_copy: bool  # whether it copies its first parameter to its second, element by element


def compile_kernels(functions, prefix, target, compacted=True):
    """TIR name → Kernel."""
    lowered = {name: _Lowered(name, schedule.compact(function) if compacted else function, prefix)
               for name, function in sorted(functions.items())}
    target = target.with_host(target)
    module = tvm.IRModule({kernel.name: kernel.plain_function(target) for kernel in lowered.values()})
    module = tirx.transform.LowerIntrin()(module)
    exact = {var.name_hint: _float_constants(function.body) for var, function in module.functions.items()}
    source = tvm.get_global_func("target.build.c")(module, target).inspect_source()
    bodies = _split(source)
    return {name: kernel.finish(bodies[kernel.name], exact[kernel.name]) for name, kernel in lowered.items()}


def _lowering():
    """TVM's passes for kernels of one thread, up to where it would make a packed function of them."""
    s, t = s_tir.transform, tirx.transform
    return tvm.ir.transform.Sequential([
        s.CanonicalizeLoop(), s.LowerInitBlock(), s.PlanAndUpdateBufferAllocationLocation(), s.ConvertBlocksToOpaque(),
        s.CompactBufferAllocation(), s.LowerMatchBuffer(), s.StmtSimplify(), s.LowerOpaqueBlock(), t.FlattenBuffer(),
        t.NarrowDataType(32), s.LoopPartition(), t.VectorizeLoop(False), t.StorageRewrite(), s.HoistIfThenElse(),
        t.UnrollLoop(), s.RenormalizeSplitPattern(), t.StmtSimplify(), t.RemoveNoOp(), s.RewriteUnsafeSelect(),
        t.CommonSubexprElim(), t.SkipAssert()])


class _Lowered:
    def __init__(self, name, function, prefix):
        self.name = f"{prefix}_{name.removeprefix('fused_')}"
        function = _lowering()(tvm.IRModule({"main": function}))["main"]
        _check(function.body, name)
        self._buffers = list(function.params)
        self._temporaries = []
        self._body = self._lift_temporaries(function.body)
        self._written = _written_buffers(self._body, name)

    def plain_function(self, target):
        """The body behind one pointer a buffer. The pointers bear the buffers' places in their names: those are unique."""
        pointers, statements = [], []
        for place, buffer in enumerate(self._buffers + self._temporaries):
            pointer = tirx.Var(f"mm_p{place}", PointerType(PrimType(str(buffer.dtype))))
            pointers.append(pointer)
            statements.append(tirx.DeclBuffer(buffer, data=pointer))
        function = tirx.PrimFunc(pointers, tirx.SeqStmt(statements + [self._body]), ret_type=PrimType("void"))
        for key, value in (("global_symbol", self.name), ("target", target), ("tirx.noalias", True),
                           ("tirx.is_global_func", True)):
            function = function.with_attr(key, value)
        return function

    def finish(self, body, constants):
        names = _unique_names([buffer.name for buffer in self._buffers + self._temporaries], body)
        parameters = []
        for place, buffer in enumerate(self._buffers + self._temporaries):
            elements = int(numpy.prod([int(extent) for extent in buffer.shape], dtype=numpy.int64))
            parameters.append(Parameter(names[place], str(buffer.dtype), elements, buffer in self._written))
        body = re.sub(r"\bmm_p(\d+)\b", lambda match: names[int(match.group(1))], body)
        body = _with_exact_floats(body, constants, self.name)
        prototype = f"void {self.name}(" + ", ".join(_declaration(each) for each in parameters) + ")"
        count = len(self._buffers)
        return Kernel(self.name, parameters[:count], parameters[count:], prototype, body, self._copies())

    def _lift_temporaries(self, statement):
        """The statement without its large allocations, which become temporaries."""
        kind = type(statement).__name__
        if kind == "SeqStmt":
            parts = [self._lift_temporaries(part) for part in statement.seq]
            return tirx.SeqStmt([part for part in parts if part is not None])
        if kind == "AllocBuffer":
            elements = int(numpy.prod([int(extent) for extent in statement.buffer.shape], dtype=numpy.int64))
            if elements * C_TYPES[str(statement.buffer.dtype)][1] <= LOCAL_BYTES_MAX:
                return statement
            self._temporaries.append(statement.buffer)
            return None
        if kind == "For":
            return tirx.For(statement.loop_var, statement.min, statement.extent, statement.kind,
                            self._lift_temporaries(statement.body), statement.thread_binding, statement.annotations,
                            statement.step)
        return statement

    def _copies(self):
        """Whether all that the kernel does is output[i] = input[i] for every i in one loop nest."""
        if len(self._buffers) != 2 or self._temporaries:
            return False
        statement, source, target, loops = self._body, {self._buffers[0]}, {self._buffers[1]}, 0
        for part in statement.seq if isinstance(statement, tirx.SeqStmt) else [statement]:
            if isinstance(part, tirx.DeclBuffer):
                of = part.data.args[0]
                (source if of in source else target).add(part.buffer)
            else:
                statement, loops = part, loops + 1
        indices = []
        while isinstance(statement, (tirx.For, tirx.SeqStmt)):
            if isinstance(statement, tirx.SeqStmt):
                if len(statement.seq) != 2 or type(statement.seq[0]).__name__ != "Bind":
                    return False
                statement = statement.seq[1]
            else:
                indices.append(int(statement.extent))
                statement = statement.body
        if loops != 1 or type(statement).__name__ != "BufferStore":
            return False
        value = statement.value
        elements = int(numpy.prod(indices, dtype=numpy.int64))
        shapes = [int(numpy.prod([int(extent) for extent in buffer.shape], dtype=numpy.int64)) for buffer in self._buffers]
        return (type(value).__name__ == "TensorLoad" and value.source in source and statement.buffer in target
                and str(value.source.dtype) == str(statement.buffer.dtype) and shapes == [elements, elements]
                and len(value.indices) == len(statement.indices)
                and all(tvm_ffi.structural_equal(a, b) for a, b in zip(value.indices, statement.indices)))


def _declaration(parameter):
    const = "" if parameter.written else "const "
    return f"{const}{parameter.c_type} {parameter.name}[restrict static {max(parameter.elements, 1)}]"


def _unique_names(names, body):
    """C names for the parameters, none of which is used in the body: `lv12` → `lv12`, `T_add_intermediate` → `T_add`."""
    taken = set(re.findall(r"[A-Za-z_]\w*", body))
    unique = []
    for name in names:
        name = re.sub(r"\W", "_", name).removesuffix("_intermediate")
        name = name if re.match(r"[A-Za-z]", name) else f"tensor_{name}"
        candidate, number = name, 1
        while candidate in taken:
            candidate, number = f"{name}_{number}", number + 1
        taken.add(candidate)
        unique.append(candidate)
    return unique


def _nodes(node):
    """The node and all below it, in the order of their fields."""
    kind = type(node)
    if kind.__name__ in ("Array", "List"):
        for each in node:
            yield from _nodes(each)
        return
    if not hasattr(kind, "__tvm_ffi_type_info__") or kind.__name__ in ("Op", "Map", "Dict", "Var"):
        if kind.__name__ == "Var":
            yield node
        return
    yield node
    names, info = [], kind.__tvm_ffi_type_info__
    while info is not None:
        names = [field.name for field in info.fields] + names
        info = info.parent_type_info
    for name in names:
        if name not in ("ty", "span", "ty_args", "attrs", "annotations"):
            yield from _nodes(getattr(node, name))


def _check(body, name):
    """Refuses what plain C cannot do."""
    for node in _nodes(body):
        kind = type(node).__name__
        if kind == "Call" and isinstance(node.op, tvm.ir.Op) and "packed" in node.op.name:
            called = node.args[0].value if hasattr(node.args[0], "value") else "?"
            raise Refusal(f"the kernel '{name}' calls TVM's own library function '{called}', which has no plain C",
                          "sorting and other library functions are not possible: do that part outside the network")
        if kind in ("BufferStore", "AllocBuffer") and str(node.buffer.dtype) not in C_TYPES:
            raise Refusal(f"the kernel '{name}' computes with {node.buffer.dtype}, which plain C does not have",
                          "export the model with float32 or an integer type")
        if kind == "AllocBuffer" and not all(isinstance(extent, (int, tirx.IntImm)) for extent in node.buffer.shape):
            raise Refusal(f"the kernel '{name}' has a temporary whose size is known only at run time",
                          "fix the inputs' shapes with the option input-shape")


def _written_buffers(body, name):
    """The buffers that the body stores to, by whatever name."""
    storage, written = {}, set()
    for node in _nodes(body):
        kind = type(node).__name__
        if kind == "DeclBuffer":
            of = node.data.args[0] if type(node.data).__name__ == "Call" else node.data
            storage[node.buffer] = storage.get(of, of)
        elif kind == "BufferStore":
            written.add(node.buffer)
        elif kind == "Call" and isinstance(node.op, tvm.ir.Op) and "address" in node.op.name:
            raise Refusal(f"the kernel '{name}' takes an address ('{node.op.name}'), which the exporter does not follow")
    return {storage.get(buffer, buffer) for buffer in written}


def _float_constants(body):
    """(value, element type) of the constants, in the order in which they stand in the tree."""
    return [(node.value, str(node.ty.dtype)) for node in _nodes(body) if type(node).__name__ == "FloatImm"]


def _literal(value, dtype):
    """The shortest digits that give the value back."""
    number = numpy.float32(value) if dtype == "float32" else numpy.float64(value)
    return numpy.format_float_scientific(number, trim="0", exp_digits=2) + ("f" if dtype == "float32" else "")


def _with_exact_floats(body, constants, name):
    exact = {}
    for value, dtype in constants:
        if numpy.isfinite(value):
            exact.setdefault(f"{abs(value):e}" + ("f" if dtype == "float32" else ""), set()).add(_literal(abs(value), dtype))

    def replace(match):
        choices = exact.get(match.group(0))
        if choices is None:
            return match.group(0)
        if len(choices) > 1:
            raise Refusal(f"the kernel '{name}' has constants that TVM's C code cannot tell apart: "
                          + ", ".join(sorted(choices)), "this is a limit of the exporter: report the model")
        return next(iter(choices))

    return re.sub(r"(?<![\w.])\d\.\d{6}e[+-]\d\d+f?", replace, body)


def _split(source):
    """Kernel name → body, of what TVM's code generator wrote."""
    bodies = {}
    for match in re.finditer(r"^TVM_DLL void (\w+)\([^)]*\) (\{\n.*?^\}\n)", source, re.MULTILINE | re.DOTALL):
        bodies[match.group(1)] = match.group(2)
    return bodies
