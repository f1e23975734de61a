"""ONNX → Relax → a flat list of calls of TIR kernels.

Relax legalises every operator to a TIR function, folds what is constant and fuses element-wise operators into what
precedes them. What remains of `main` is a straight sequence of call_tir on tensors and constants, which is all that this
file lets through: control flow, shapes known only at run time and calls into TVM's own library are refused.
"""

import dataclasses
import logging
import math
import warnings

import tvm
from tvm import relax, tirx
from tvm.relax.frontend.onnx import from_onnx

from onnx_model import C_TYPES, dims_text, last_line
from refusal import Refusal


@dataclasses.dataclass
class Tensor:
    """What passes between calls. `of` says what it is: "input", "output", "constant" or "between"."""
    name: str
    shape: tuple
    dtype: str
    of: str = "between"
    value: object = None  # numpy array of a constant

    @property
    def elements(self):
        return math.prod(self.shape)

    @property
    def bytes(self):
        return self.elements * C_TYPES[self.dtype][1]


@dataclasses.dataclass
class Call:
    """One call of a kernel: `kernel` is a key of Network.functions, or None for a plain copy."""
    kernel: str
    reads: list
    writes: list


@dataclasses.dataclass
class Network:
    module: object      # the fused Relax module
    functions: dict     # name → tirx.PrimFunc
    inputs: list        # Tensors, in the model's order
    outputs: list
    calls: list


def build(model, shapes, target):
    """The Network of a model."""
    logging.getLogger("tvm").setLevel(logging.ERROR)
    transform = relax.transform
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = from_onnx(model, shape_dict=shapes, keep_params_in_input=False)
        with target:
            module = tvm.ir.transform.Sequential([
                transform.DecomposeOpsForInference(), transform.CanonicalizeBindings(), transform.FoldConstant(),
                transform.LegalizeOps(), transform.AnnotateTIROpPattern(), transform.FoldConstant(),
                transform.FuseOps(), transform.FuseTIR(), transform.DeadCodeElimination(["main"])])(module)
    except Exception as error:  # TVM raises whatever its C++ part raises
        raise Refusal(f"TVM cannot import the model: {last_line(error)}",
                      "operators that TVM lacks can often be replaced before export (onnxsim, opset 13 to 18)") from None
    return _flatten(module, model)


def _flatten(module, model):
    functions = {var.name_hint: function for var, function in module.functions.items()
                 if isinstance(function, tirx.PrimFunc)}
    main = module["main"]
    values = {}  # relax variable → Tensor, or a list of them
    inputs = [_tensor(var.ty, var.name, f"input '{var.name}'") for var in main.params]
    for var, tensor in zip(main.params, inputs):
        tensor.of = "input"
        values[var] = tensor
    constants, calls = {}, []

    def value_of(expression):
        if isinstance(expression, relax.Tuple):
            return [value_of(field) for field in expression.fields]
        if isinstance(expression, relax.TupleGetItem):
            return value_of(expression.tuple_value)[expression.index]
        if isinstance(expression, tvm.ir.GenericConst):
            array = expression.value.numpy()
            key = (str(array.dtype), array.shape, array.tobytes())
            if key not in constants:
                constants[key] = Tensor(f"{len(constants):02d}", tuple(array.shape), _dtype(array.dtype, "a constant"),
                                        "constant", array)
            return constants[key]
        if expression in values:
            return values[expression]
        raise Refusal(f"TVM leaves the model with '{last_line(expression)}', which is no tensor",
                      "models with sequences, strings or control flow have no plain C")

    for block in main.body.blocks:
        for binding in block.bindings:
            value = binding.value
            if not isinstance(value, relax.Call):
                values[binding.var] = value_of(value)
                continue
            values[binding.var] = _call(value, value_of, functions, calls, binding.var.name)
    results = value_of(main.body.body)
    return Network(module, functions, inputs, _outputs(results, model, calls), calls)


def _call(value, value_of, functions, calls, name):
    operator = value.op.name if isinstance(value.op, tvm.ir.Op) else last_line(value.op)
    if operator != "relax.call_tir" or len(value.args) > 2:
        what = f"'{operator}'"
        if operator.startswith("relax.call_") and len(value.args) and hasattr(value.args[0], "global_symbol"):
            what = f"its own library function '{value.args[0].global_symbol}'"
        raise Refusal(f"the model needs {what} of TVM at run time, which has no plain C",
                      "sorting, random numbers, control flow and shapes that depend on data are not possible: "
                      "do that part outside the network")
    kernel = value.args[0].name_hint
    kinds = value.ty_args[0]
    several = isinstance(kinds, relax.TupleType)
    writes = [_tensor(kind, name, f"the result of {kernel}") for kind in (kinds.fields if several else [kinds])]
    reads = value_of(value.args[1])
    calls.append(Call(kernel, reads if isinstance(reads, list) else [reads], writes))
    return writes if several else writes[0]


def _outputs(results, model, calls):
    """Tensors of the model's outputs; what is no call's own result is copied."""
    outputs = []
    for result, value in zip(results if isinstance(results, list) else [results], model.graph.output):
        if result.of != "between":
            copy = Tensor(value.name, result.shape, result.dtype)
            calls.append(Call(None, [result], [copy]))
            result = copy
        result.of, result.name = "output", value.name
        outputs.append(result)
    return outputs


def _tensor(kind, name, what):
    if not isinstance(kind, relax.TensorType) or kind.shape is None:
        raise Refusal(f"{what} has a shape that is known only at run time",
                      "fix the inputs' shapes with the option input-shape, and export without dynamic axes")
    dims = list(kind.shape.values if hasattr(kind.shape, "values") else kind.shape)
    if not all(isinstance(dim, (int, tirx.IntImm)) for dim in dims):
        raise Refusal(f"{what} has the shape [{dims_text(dims)}], which is known only at run time",
                      "fix the inputs' shapes with the option input-shape, and export without dynamic axes")
    return Tensor(name, tuple(int(dim) for dim in dims), _dtype(kind.dtype, what))


def _dtype(dtype, what):
    dtype = str(dtype)
    if dtype not in C_TYPES:
        raise Refusal(f"{what} has the element type {dtype}, which plain C does not have",
                      "export the model with float32 or an integer type")
    return dtype
