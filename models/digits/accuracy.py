"""How many held-out images each committed network gets right."""

import onnxruntime
import tensorflow as tf

from tflite_layers import dequantise, read_layers


def tflite_correct(data, images, labels):
    """data: bytes of a .tflite; images int8 [count, 8, 8, 1]. Reference kernels: the same bits on every machine."""
    interpreter = tf.lite.Interpreter(
        model_content=data, experimental_op_resolver_type=tf.lite.experimental.OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    (source,), (result,) = interpreter.get_input_details(), interpreter.get_output_details()

    def classify(image):
        interpreter.set_tensor(source["index"], image)
        interpreter.invoke()
        return interpreter.get_tensor(result["index"]).argmax()

    return _count(classify, images, labels)


def onnx_correct(data, images, labels):
    """data: bytes of an .onnx; images float32 [count, 1, 8, 8].

    Node by node: ONNX Runtime's optimizer would replace the QDQ pairs by int8 kernels whose results depend on the
    processor (on one with AVX2 and no VNNI they are up to 43 of 256 steps off).
    """
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    return _count(lambda image: session.run(None, {"image": image})[0].argmax(), images, labels)


def all_correct(files, images, labels):
    """File name → how many are right; files: name → bytes, one .tflite among them; images int8 [count, 8, 8, 1].

    An ONNX network gets the same images, dequantised as the .tflite says.
    """
    quantised = next(data for name, data in files.items() if name.endswith(".tflite"))
    real_images = dequantise(images, read_layers(quantised)[0].inputs[0]).transpose(0, 3, 1, 2)
    return {name: tflite_correct(data, images, labels) if name.endswith(".tflite")
            else onnx_correct(data, real_images, labels) for name, data in files.items()}


def _count(classify, images, labels):
    """How often classify(image [1, ...]) gives the label."""
    return sum(int(classify(images[i:i + 1]) == labels[i]) for i in range(len(labels)))
