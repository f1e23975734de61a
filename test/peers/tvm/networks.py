"""Small ONNX networks made to order, with weights from a fixed seed: `networks.py NAME FILE` writes one.

  residual    convolutional, 32×32×3, 12 layers, 5.5 million multiply-accumulates: batch normalisation, residual sums,
              strides, maximum and global average pooling
  branches    two inputs and four outputs: float, int8 and bool; concatenation, split, transposition, reshapes, a result that is
              an input, one that is used twice
  open_shape  a convolution whose batch is known only at run time
  largest     TopK, which TVM does by a function of its own library
  text        an input of strings
"""

import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET, IR_VERSION = 13, 7


class Builder:
    def __init__(self, seed):
        self._random = numpy.random.default_rng(seed)
        self.nodes, self.initializers, self._count = [], [], 0

    def constant(self, array):
        self._count += 1
        self.initializers.append(numpy_helper.from_array(array, f"constant_{self._count}"))
        return self.initializers[-1].name

    def weights(self, *shape, scale=None):
        scale = scale or (2.0 / max(1, int(numpy.prod(shape[1:])))) ** 0.5
        return self.constant((self._random.standard_normal(shape) * scale).astype(numpy.float32))

    def node(self, operator, *inputs, outputs=1, **attributes):
        self._count += 1
        names = [f"{operator.lower()}_{self._count}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(operator, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def convolution(self, x, channels_in, channels, kernel=3, stride=1, relu=True):
        pad = kernel // 2
        x = self.node("Conv", x, self.weights(channels, channels_in, kernel, kernel), kernel_shape=[kernel, kernel],
                      strides=[stride, stride], pads=[pad] * 4)
        statistics = [self.weights(channels, scale=0.1) for _ in range(3)]
        variance = self.constant((self._random.random(channels) + 0.5).astype(numpy.float32))
        x = self.node("BatchNormalization", x, *statistics[:2], statistics[2], variance)
        return self.node("Relu", x) if relu else x

    def model(self, inputs, outputs):
        for value, source in outputs:
            self.nodes.append(helper.make_node("Identity", [source], [value.name]))
        graph = helper.make_graph(self.nodes, "network", inputs, [value for value, _ in outputs], self.initializers)
        return helper.make_model(graph, ir_version=IR_VERSION, opset_imports=[helper.make_opsetid("", OPSET)])


def _value(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


def residual():
    b = Builder(1)
    x = b.convolution("image", 3, 16)
    channels = 16
    for wider in (16, 32, 48):
        stride = 1 if wider == channels else 2
        y = b.convolution(x, channels, wider, stride=stride)
        y = b.convolution(y, wider, wider, relu=False)
        if stride == 2:
            x = b.convolution(x, channels, wider, kernel=1, stride=2, relu=False)
        x = b.node("Relu", b.node("Add", x, y))
        channels = wider
    x = b.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = b.node("Flatten", b.node("GlobalAveragePool", x), axis=1)
    x = b.node("Gemm", x, b.weights(10, channels), b.weights(10, scale=0.1), transB=1)
    return b.model([_value("image", TensorProto.FLOAT, [1, 3, 32, 32])],
                   [(_value("sums", TensorProto.FLOAT, [1, 10]), x),
                    (_value("probabilities", TensorProto.FLOAT, [1, 10]), b.node("Softmax", x, axis=1))])


def branches():
    b = Builder(2)
    scale, zero = b.constant(numpy.float32(0.05)), b.constant(numpy.int8(3))
    real = b.node("DequantizeLinear", "steps", scale, zero)
    left = b.node("Sigmoid", b.convolution("image", 2, 4))
    both = b.node("Concat", left, real, axis=1)
    first, second = b.node("Split", both, b.constant(numpy.array([3, 3], numpy.int64)), outputs=2, axis=1)
    mixed = b.node("Mul", b.node("Tanh", first), second)
    turned = b.node("Transpose", mixed, perm=[0, 2, 3, 1])
    flat = b.node("Reshape", turned, b.constant(numpy.array([1, -1], numpy.int64)))
    coded = b.node("QuantizeLinear", flat, scale, zero)
    above = b.node("Greater", flat, b.constant(numpy.float32(0.1)))
    return b.model([_value("image", TensorProto.FLOAT, [1, 2, 6, 5]), _value("steps", TensorProto.INT8, [1, 2, 6, 5])],
                   [(_value("flat", TensorProto.FLOAT, [1, 90]), flat), (_value("coded", TensorProto.INT8, [1, 90]), coded),
                    (_value("above", TensorProto.BOOL, [1, 90]), above), (_value("as_given", TensorProto.INT8, [1, 2, 6, 5]), "steps")])


def open_shape():
    b = Builder(3)
    return b.model([_value("image", TensorProto.FLOAT, ["batch", 1, 8, 8])],
                   [(_value("sums", TensorProto.FLOAT, ["batch", 2, 8, 8]), b.convolution("image", 1, 2))])


def largest():
    b = Builder(4)
    values, _ = b.node("TopK", "scores", b.constant(numpy.array([3], numpy.int64)), outputs=2)
    return b.model([_value("scores", TensorProto.FLOAT, [1, 10])], [(_value("best", TensorProto.FLOAT, [1, 3]), values)])


def text():
    b = Builder(5)
    return b.model([_value("words", TensorProto.STRING, [1, 4])],
                   [(_value("same", TensorProto.STRING, [1, 4]), b.node("Identity", "words"))])


NETWORKS = {each.__name__: each for each in (residual, branches, open_shape, largest, text)}

if __name__ == "__main__":
    model = NETWORKS[sys.argv[1]]()
    onnx.checker.check_model(model)
    with open(sys.argv[2], "wb") as file:
        file.write(model.SerializeToString(deterministic=True))
