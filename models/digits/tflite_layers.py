"""What a .tflite file holds, as plain arrays: enough to check it and to write the same network as ONNX."""

import dataclasses

import numpy
from tensorflow.lite.python import schema_py_generated as schema

OPERATOR_NAMES = {code: name for name, code in vars(schema.BuiltinOperator).items() if isinstance(code, int)}
ARRAY_TYPES = {schema.TensorType.INT8: numpy.int8, schema.TensorType.INT32: numpy.int32}


@dataclasses.dataclass
class Tensor:
    """value is None for activations; scale is float32 [1] or [channels], zero_point of the same length."""

    shape: tuple
    type: type
    value: numpy.ndarray | None
    scale: numpy.ndarray
    zero_point: numpy.ndarray


@dataclasses.dataclass
class Layer:
    """One operator: its name in TensorFlow Lite, its version, its tensors."""

    operator: str
    version: int
    inputs: list[Tensor]
    outputs: list[Tensor]


def read_layers(data):
    """The operators of a file's only subgraph, in order."""
    model = schema.ModelT.InitFromPackedBuf(data, 0)
    (subgraph,) = model.subgraphs
    tensors = [_read_tensor(model, tensor) for tensor in subgraph.tensors]
    return [_read_layer(model, operator, tensors) for operator in subgraph.operators]


def quantise(values, tensor):
    """float32 → int8 of the same shape with the tensor's one scale and zero point."""
    return numpy.clip(numpy.round(values / tensor.scale[0]) + tensor.zero_point[0], -128, 127).astype(numpy.int8)


def dequantise(values, tensor):
    """int8 → float32 of the same shape with the tensor's one scale and zero point."""
    return ((values.astype(numpy.int32) - tensor.zero_point[0]) * tensor.scale[0]).astype(numpy.float32)


def _read_tensor(model, tensor):
    shape, array_type = tuple(map(int, tensor.shape)), ARRAY_TYPES[tensor.type]
    data = model.buffers[tensor.buffer].data
    value = None if data is None else numpy.asarray(data, numpy.uint8).view(array_type).reshape(shape)
    quantisation = tensor.quantization
    is_quantised = quantisation is not None and quantisation.scale is not None
    scale = numpy.asarray(quantisation.scale if is_quantised else [], numpy.float32)
    zero_point = numpy.asarray(quantisation.zeroPoint if is_quantised else [], numpy.int64)
    return Tensor(shape, array_type, value, scale, zero_point)


def _read_layer(model, operator, tensors):
    code = model.operatorCodes[operator.opcodeIndex]
    return Layer(OPERATOR_NAMES[max(code.builtinCode, code.deprecatedBuiltinCode)], code.version,
                 [tensors[i] for i in operator.inputs], [tensors[i] for i in operator.outputs])
