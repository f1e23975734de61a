"""Runs models in TensorFlow Lite Micro's interpreter and prints the hash of chosen tensors.

Standard input: one JSON object a line, {"model": file, "input": file with all inputs' raw bytes, one inference after another,
"inputs": number of inputs, "tensors": [tensor index, ...]}. Standard output: one JSON object for each, {"inferences": [[fnv1a-32, ...], ...]} or
{"error": text}. Each model runs in a process of its own, because the interpreter ends the process where a check fails.
"""

import json
import os
import sys

import numpy as np
from tflite_micro.python.tflite_micro import runtime


ARENA_BYTES = 16 << 20  # the interpreter's own guess is too small where all tensors are preserved


def fnv1a32(data):
    value = 0x811C9DC5
    for byte in data:
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return "%08x" % value


def run(job):
    interpreter = runtime.Interpreter.from_file(
        job["model"],
        intrepreter_config=runtime.InterpreterConfig.kPreserveAllTensors,
        arena_size=ARENA_BYTES,
    )
    with open(job["input"], "rb") as file:
        data = file.read()
    inferences = []
    offset = 0
    while offset < len(data):
        for index in range(job["inputs"]):
            details = interpreter.get_input_details(index)
            count = int(np.prod(details["shape"])) * np.dtype(details["dtype"]).itemsize
            values = np.frombuffer(data[offset : offset + count], dtype=details["dtype"])
            interpreter.set_input(values.reshape(details["shape"]), index)
            offset += count
        interpreter.invoke()
        inferences.append(
            [fnv1a32(interpreter.GetTensor(t, 0)["tensor_data"].tobytes()) for t in job["tensors"]]
        )
    return {"inferences": inferences}


def run_apart(job):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            result = run(job)
        except Exception as error:  # whatever the interpreter refuses is a result here
            result = {"error": repr(error)}
        with os.fdopen(writer, "w") as pipe:
            json.dump(result, pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    return text if text else json.dumps({"error": "the interpreter ended with status %d" % status})


if __name__ == "__main__":
    for line in sys.stdin:
        print(run_apart(json.loads(line)), flush=True)
