"""The network as ONNX, [1, 1, 8, 8] → probabilities or logits [1, 10], built node by node: no exporter, no Transpose.

TensorFlow keeps images height x width x channels, ONNX channels x height x width. The convolutions' weights are turned
once, here; and so are the columns of the dense weights, because flattening visits the pixels in another order.

Two kinds of graph have the same layers: a float one, and one in QDQ form (a pair QuantizeLinear, DequantizeLinear after
each layer, DequantizeLinear before each weight) with the weights, scales and zero points of the .tflite.
"""

import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 13
IR_VERSION = 7
POOLED_SHAPE = (4, 4, 20)  # height, width, channels before flattening


def float_onnx(weights):
    """The bytes of the float model; weights: layer → (weights in TensorFlow Lite's order, bias), float32."""
    return _FloatGraph(weights).model("digits_float")


def qdq_onnx(layers):
    """The bytes of the QDQ model; layers: name → tflite_layers.Layer of a .tflite, of all layers, or all but softmax."""
    return _QdqGraph(layers).model("digits_qdq" if "softmax" in layers else "digits_qdq_logits")


def _turn_conv(array):
    """[out, height, width, in] → [out, in, height, width]."""
    return array.transpose(0, 3, 1, 2)


def _turn_depthwise(array):
    """[1, height, width, channels] → [channels, 1, height, width]."""
    return array.transpose(3, 0, 1, 2)


def _turn_dense(array):
    """[10, height * width * channels] → [10, channels * height * width]."""
    return array.reshape(-1, *POOLED_SHAPE).transpose(0, 3, 1, 2).reshape(len(array), -1)


class _Graph:
    """The layers; a subclass says what their weights are and what follows their outputs."""

    def __init__(self, result="probabilities"):
        self._result = result
        self._nodes = []
        self._initializers = []

    def weights(self, layer, turn):
        """Adds the weights, turned to ONNX's order, and the bias: gives both names."""
        raise NotImplementedError

    def after(self, layer, name):
        """Adds what follows the layer's output of that name: gives the name that the next layer reads."""
        raise NotImplementedError

    def model(self, name):
        """The bytes of the checked model."""
        self._add_layers()
        self._nodes[-1].output[0] = self._result
        graph = helper.make_graph(self._nodes, name,
                                  [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 1, 8, 8])],
                                  [helper.make_tensor_value_info(self._result, TensorProto.FLOAT, [1, 10])],
                                  self._initializers)
        model = helper.make_model(graph, producer_name="models/digits/train.py", ir_version=IR_VERSION,
                                  opset_imports=[helper.make_opsetid("", OPSET)])
        onnx.checker.check_model(model, full_check=True)
        return model.SerializeToString(deterministic=True)

    def constant(self, name, array):
        """Adds an initializer; gives its name."""
        self._initializers.append(numpy_helper.from_array(array, name))
        return name

    def node(self, operator, inputs, output, **attributes):
        """Adds a node, named after its only output; gives the output's name."""
        self._nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
        return output

    def _add_layers(self):
        x = self.after("image", "image")
        x = self._add_convolution("conv", x, _turn_conv, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        x = self._add_convolution("depthwise", x, _turn_depthwise, kernel_shape=[3, 3], pads=[1, 1, 1, 1], group=16)
        x = self._add_convolution("pointwise", x, _turn_conv, kernel_shape=[1, 1])
        x = self.after("pool", self.node("AveragePool", [x], "pool", kernel_shape=[2, 2], strides=[2, 2]))
        x = self.node("Flatten", [x], "flatten", axis=1)
        x = self.after("dense", self.node("Gemm", [x, *self.weights("dense", _turn_dense)], "dense", transB=1))
        if self._result == "probabilities":
            self.after("softmax", self.node("Softmax", [x], "softmax", axis=1))

    def _add_convolution(self, layer, x, turn, **attributes):
        y = self.node("Conv", [x, *self.weights(layer, turn)], f"{layer}_sum", **attributes)
        return self.after(layer, self.node("Relu", [y], layer))


class _FloatGraph(_Graph):
    def __init__(self, weights):
        super().__init__()
        self._weights = weights

    def weights(self, layer, turn):
        weights, bias = self._weights[layer]
        return self.constant(f"{layer}_weights", turn(weights)), self.constant(f"{layer}_bias", bias)

    def after(self, layer, name):
        return name


class _QdqGraph(_Graph):
    def __init__(self, layers):
        super().__init__("probabilities" if "softmax" in layers else "logits")
        self._layers = layers

    def weights(self, layer, turn):
        _, weights, bias = self._layers[layer].inputs
        return (self._dequantise(f"{layer}_weights", turn(weights.value), weights),
                self._dequantise(f"{layer}_bias", bias.value, bias))

    def after(self, layer, name):
        tensor = self._layers["conv"].inputs[0] if layer == "image" else self._layers[layer].outputs[0]
        parameters = self._add_parameters(name, tensor)
        quantised = self.node("QuantizeLinear", [name, *parameters], f"{name}_int8")
        return self.node("DequantizeLinear", [quantised, *parameters], f"{name}_real")

    def _dequantise(self, name, values, tensor):
        """A DequantizeLinear of constant values; scales per output channel, which is the first axis, or one scale."""
        axis = {"axis": 0} if len(tensor.scale) > 1 else {}
        inputs = [self.constant(f"{name}_{values.dtype}", values), *self._add_parameters(name, tensor)]
        return self.node("DequantizeLinear", inputs, name, **axis)

    def _add_parameters(self, name, tensor):
        """The names of the tensor's scale and zero point: scalars, or vectors if there is one per channel."""
        shape = (-1,) if len(tensor.scale) > 1 else ()
        return (self.constant(f"{name}_scale", tensor.scale.reshape(shape)),
                self.constant(f"{name}_zero_point", tensor.zero_point.astype(tensor.type).reshape(shape)))
