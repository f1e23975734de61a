"""The C of an export against TVM's own virtual machine and ONNX Runtime, on the same inputs.

compare.py MODEL EXPORT LIBRARY [--images DIGITS_HELDOUT]: MODEL as ONNX, EXPORT the folder that export.py wrote, LIBRARY its
C as a shared library. Inputs: the held-out digits, or eight random ones. Prints JSON: for each output the greatest
difference to either, in its own units; for digits also how many images each gets right.
"""

import argparse
import ctypes
import json
import pathlib
import sys

import numpy
import onnx
import onnxruntime
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "models" / "digits"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("export")
    parser.add_argument("library")
    parser.add_argument("--images")
    arguments = parser.parse_args()
    description = json.loads(next(pathlib.Path(arguments.export).glob("*.json")).read_text())

    session = onnxruntime.InferenceSession(arguments.model, _plain_options(), providers=["CPUExecutionProvider"])
    machine = _virtual_machine(arguments.model)
    labels = None
    if arguments.images:
        from heldout_images import read_heldout

        images, labels = read_heldout(pathlib.Path(arguments.images))
        inputs = [[((image.astype(numpy.float32) + 128) * numpy.float32(0.00392156886)).reshape(1, 1, 8, 8)]
                  for image in images]
    else:
        random = numpy.random.default_rng(7)
        inputs = [[_random_input(random, each) for each in description["inputs"]] for _ in range(8)]

    names = [each["name"] for each in description["outputs"]]
    report = {"inferences": len(inputs), "to_tvm": dict.fromkeys(names, 0.0), "to_onnxruntime": dict.fromkeys(names, 0.0)}
    right = dict.fromkeys(("c", "tvm", "onnxruntime"), 0)
    c = _CProgram(arguments.library, description)
    for i, given in enumerate(inputs):
        ours, theirs = c.run(given), machine(given)
        reference = session.run(names, {each["name"]: value for each, value in zip(description["inputs"], given)})
        for name, a, b, r in zip(names, ours, theirs, reference):
            report["to_tvm"][name] = max(report["to_tvm"][name], _difference(a, b))
            report["to_onnxruntime"][name] = max(report["to_onnxruntime"][name], _difference(a, r))
        if labels is not None:
            for key, outputs in (("c", ours), ("tvm", theirs), ("onnxruntime", reference)):
                right[key] += int(numpy.argmax(outputs[0]) == labels[i])
    if labels is not None:
        report["right"] = right
    print(json.dumps(report))


class _CProgram:
    """The entry of a shared library. Memory beyond every buffer is checked, and the workspace is rubbish at first."""

    GUARD = 64

    def __init__(self, library, description):
        self._entry = getattr(ctypes.CDLL(str(pathlib.Path(library).resolve())), description["entry"])
        self._entry.restype = None
        self._description = description

    def run(self, given):
        results = [self._guarded(each["bytes"]) for each in self._description["outputs"]]
        workspace = self._guarded(self._description["workspace"]["bytes"])
        given = [numpy.ascontiguousarray(value) for value in given]
        self._entry(*(ctypes.c_void_p(each.ctypes.data) for each in given + results + [workspace]))
        for each in results + [workspace]:
            assert (each[-self.GUARD:] == 0xA5).all(), "the C wrote beyond the end of a buffer"
        return [result[:each["bytes"]].view(each["type"]).reshape(each["shape"])
                for result, each in zip(results, self._description["outputs"])]

    def _guarded(self, count):
        memory = numpy.full(count + self.GUARD + 16, 0xA5, numpy.uint8)
        start = -memory.ctypes.data % 16
        return memory[start:start + count + self.GUARD]


def _virtual_machine(path):
    executable = tvm.compile(from_onnx(onnx.load(path), keep_params_in_input=False), target="llvm")
    machine = relax.VirtualMachine(executable, tvm.cpu())

    def run(given):
        result = machine["main"](*(tvm.runtime.tensor(value) for value in given))
        return [each.numpy() for each in (result if isinstance(result, (list, tuple)) or hasattr(result, "__len__")
                                          else [result])]
    return run


def _plain_options():
    """Node by node: an optimizer that replaces QDQ pairs by integer kernels would compute something else."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    return options


def _random_input(random, each):
    if each["type"].startswith("float"):
        return random.standard_normal(each["shape"]).astype(each["type"])
    limits = numpy.iinfo(each["type"])
    return random.integers(limits.min, limits.max, each["shape"], each["type"], endpoint=True)


def _difference(a, b):
    assert a.shape == tuple(b.shape) and a.dtype == b.dtype, (a.shape, b.shape, a.dtype, b.dtype)
    return float(numpy.max(numpy.abs(a.astype(numpy.float64) - b.astype(numpy.float64)), initial=0.0))


if __name__ == "__main__":
    main()
