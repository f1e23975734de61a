"""The ONNX file: read, and its inputs' shapes fixed, before TVM is asked."""

import onnx
from onnx import TensorProto

from refusal import Refusal

# Name of an element type → its C type, its bytes.
C_TYPES = {
    "float32": ("float", 4), "float64": ("double", 8), "int8": ("int8_t", 1), "uint8": ("uint8_t", 1),
    "int16": ("int16_t", 2), "uint16": ("uint16_t", 2), "int32": ("int32_t", 4), "uint32": ("uint32_t", 4),
    "int64": ("int64_t", 8), "uint64": ("uint64_t", 8), "bool": ("bool", 1),
}


def load(path):
    """The ONNX model of a file."""
    try:
        model = onnx.load(path)
    except FileNotFoundError:
        raise Refusal(f"there is no file '{path}'", model=False) from None
    except Exception as error:  # protobuf's own exceptions have no common base
        raise Refusal(f"'{path}' is not an ONNX model: {last_line(error)}",
                      "the exporter takes ONNX; convert other formats first (tf2onnx, torch.onnx)") from None
    if not model.graph.output:
        raise Refusal(f"'{path}' is not an ONNX model: it has no output")
    return model


def input_shapes(model, given):
    """Input name → shape, all dimensions fixed; `given` (name → list) fixes what the model leaves open."""
    initializers = {tensor.name for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in initializers]
    for name in given:
        if name not in {value.name for value in inputs}:
            raise Refusal(f"the model has no input '{name}'",
                          "its inputs are: " + ", ".join(value.name for value in inputs))
    shapes = {}
    for value in inputs:
        kind = value.type.tensor_type
        dtype = TensorProto.DataType.Name(kind.elem_type).lower() if value.type.HasField("tensor_type") else "no tensor"
        if {"float": "float32", "double": "float64"}.get(dtype, dtype) not in C_TYPES:
            raise Refusal(f"input '{value.name}' has the element type {dtype}, which plain C does not have",
                          "export the model with float32 or an integer type")
        dims = [dim.dim_value if dim.HasField("dim_value") and dim.dim_value > 0 else dim.dim_param or "?"
                for dim in kind.shape.dim]
        wanted = given.get(value.name)
        if wanted is not None:
            fits = len(wanted) == len(dims) and all(isinstance(d, str) or d == w for d, w in zip(dims, wanted))
            if not fits:
                raise Refusal(f"the option input-shape {value.name}={dims_text(wanted)} does not fit the model's [{dims_text(dims)}]")
            dims = list(wanted)
        opened = [dim for dim in dims if isinstance(dim, str)]
        if opened:
            fixed = dims_text([1 if isinstance(dim, str) else dim for dim in dims])
            raise Refusal(f"input '{value.name}' has the shape [{dims_text(dims)}]: '{opened[0]}' is known only at run time",
                          f"fix it with the option input-shape {value.name}={fixed}")
        shapes[value.name] = dims
    return shapes


def dims_text(dims):
    return ",".join(str(dim) for dim in dims)


def last_line(error):
    """What an exception says at its end; TVM's begin with where they were raised."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
