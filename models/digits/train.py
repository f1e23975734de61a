#!/usr/bin/env python3
"""Trains the digits network and writes every file that this folder commits. See README.md.

    python train.py [FOLDER]    FOLDER: where the files go; default: next to this script
"""

import argparse
import hashlib
import json
import pathlib

import network
from accuracy import all_correct
from heldout_images import load_split, write_heldout
from onnx_files import float_onnx, qdq_onnx
from tflite_layers import quantise, read_layers

HELDOUT = "digits_heldout.bin"
LAYERS = {"conv": "CONV_2D", "depthwise": "DEPTHWISE_CONV_2D", "pointwise": "CONV_2D", "pool": "AVERAGE_POOL_2D",
          "flatten": "RESHAPE", "dense": "FULLY_CONNECTED", "softmax": "SOFTMAX"}


def main():
    folder = parse_arguments().folder
    network.make_deterministic()
    (train_images, train_labels), (heldout_images, heldout_labels) = load_split()
    trained = network.train_network(train_images, train_labels)
    files = convert(trained, train_images)
    layers = name_layers(files["digits_int8.tflite"])
    quantised_images = quantise(heldout_images, layers["conv"].inputs[0])

    for name, data in files.items():
        (folder / name).write_bytes(data)
    write_heldout(folder / HELDOUT, quantised_images, heldout_labels)
    correct = all_correct(files, quantised_images, heldout_labels)
    write_accuracy(folder, files, correct, len(heldout_labels))
    print_layers(layers)
    print(f"input scale {layers['conv'].inputs[0].scale[0]:.9g} zero point {layers['conv'].inputs[0].zero_point[0]}")
    print(f"TensorFlow, float, unquantised images: "
          f"{network.float_correct(trained, heldout_images, heldout_labels)} of {len(heldout_labels)}")
    print((folder / "accuracy.json").read_text(), end="")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    return parser.parse_args()


def convert(trained, train_images):
    """File name → bytes of the network in its five forms."""
    quantised = network.convert_to_int8(trained, train_images, softmax=True)
    logits = network.convert_to_int8(trained, train_images, softmax=False)
    assert_same_layers(read_layers(quantised), read_layers(logits))
    return {"digits_int8.tflite": quantised, "digits_int8_logits.tflite": logits,
            "digits_float.onnx": float_onnx(float_weights(trained)), "digits_qdq.onnx": qdq_onnx(name_layers(quantised)),
            "digits_qdq_logits.onnx": qdq_onnx(name_layers(logits))}


def float_weights(trained):
    """Layer → (weights in TensorFlow Lite's order: output channels first, bias), float32."""
    def turned(layer):
        weights, bias = trained.get_layer(layer).get_weights()
        return (weights.T if weights.ndim == 2 else weights.transpose(3, 0, 1, 2)), bias
    return {layer: turned(layer) for layer in ("conv", "depthwise", "pointwise", "dense")}


def name_layers(data):
    """Name → Layer of a .tflite that has exactly the operators of LAYERS, with or without the last."""
    layers = read_layers(data)
    operators = [layer.operator for layer in layers]
    assert operators in (list(LAYERS.values()), list(LAYERS.values())[:-1]), f"the converter made {operators}"
    return dict(zip(LAYERS, layers))


def assert_same_layers(quantised, logits):
    """The file that ends in logits is the other one without its last layer, bit for bit."""
    assert len(logits) == len(quantised) - 1
    for a, b in zip(quantised, logits):
        assert a.operator == b.operator
        for s, t in zip(a.inputs + a.outputs, b.inputs + b.outputs, strict=True):
            assert (s.value is None) == (t.value is None) and (s.value is None or (s.value == t.value).all())
            assert (s.scale == t.scale).all() and (s.zero_point == t.zero_point).all()


def write_accuracy(folder, files, correct, count):
    """accuracy.json, which check.py compares with what it finds."""
    networks = {name: {"correct": correct[name], "sha256": hashlib.sha256(data).hexdigest()}
                for name, data in files.items()}
    (folder / "accuracy.json").write_text(json.dumps({"images": count, "networks": networks}, indent=2) + "\n")


def print_layers(layers):
    """One line a layer: operator, version, shapes, scale and zero point of the output."""
    for name, layer in layers.items():
        shapes = " ".join(str(list(tensor.shape)) for tensor in layer.inputs)
        output = layer.outputs[0]
        print(f"{name:10} {layer.operator:18} v{layer.version} {shapes} -> {list(output.shape)} "
              f"scale {output.scale[0]:.9g} zero point {output.zero_point[0]}")


if __name__ == "__main__":
    main()
