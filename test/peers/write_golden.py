"""write_golden.py MODEL.tflite CASES: prints a golden file, the hash of every operator's output in the reference interpreter.

The same format as the public models' golden files. Inputs: case k has seed k * 0x9E3779B9 mod 2^32; per input byte
x = x * 1664525 + 1013904223 mod 2^32, byte = x >> 24. Run with the Python that reference-python prints:

    $(test/peers/reference-python) test/peers/write_golden.py models/digits/digits_int8.tflite 4 \
        > test/e2e/native/golden/digits_int8.json
"""

import hashlib
import json
import os
import sys

import flatbuffers
import numpy as np
from tflite_micro.python.tflite_micro import runtime

from reference_outputs import fnv1a32


def field(table, slot):
    return table.Offset(4 + 2 * slot)


def operator_outputs(data):
    """The first output tensor of every operator of subgraph 0 (field numbers of the TensorFlow Lite schema)."""
    table_type = flatbuffers.table.Table

    def vector_table(table, slot, index):
        position = table.Vector(field(table, slot)) + 4 * index
        return table_type(table.Bytes, table.Indirect(position))

    model = table_type(data, flatbuffers.encode.Get(flatbuffers.packer.uoffset, data, 0))
    subgraph = vector_table(model, 2, 0)
    outputs = []
    for i in range(subgraph.VectorLen(field(subgraph, 3))):
        operator = vector_table(subgraph, 3, i)
        first = operator.Vector(field(operator, 2))
        outputs.append(operator.Get(flatbuffers.number_types.Int32Flags, first))
    return outputs


def seeded_bytes(seed, count):
    x = seed
    values = bytearray()
    for _ in range(count):
        x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
        values.append(x >> 24)
    return bytes(values)


def main():
    path, cases = sys.argv[1], int(sys.argv[2])
    with open(path, "rb") as file:
        data = file.read()
    tensors = operator_outputs(data)
    interpreter = runtime.Interpreter.from_bytes(
        data, intrepreter_config=runtime.InterpreterConfig.kPreserveAllTensors
    )
    details = interpreter.get_input_details(0)
    size = int(np.prod(details["shape"])) * np.dtype(details["dtype"]).itemsize
    result = {
        "model": os.path.basename(path),
        "sha256": hashlib.sha256(data).hexdigest(),
        "input_bytes": [size],
        "cases": [],
    }
    for k in range(1, cases + 1):
        seed = (k * 0x9E3779B9) & 0xFFFFFFFF
        values = seeded_bytes(seed, size)
        interpreter.set_input(np.frombuffer(values, dtype=details["dtype"]).reshape(details["shape"]), 0)
        interpreter.invoke()
        result["cases"].append(
            {
                "seed": seed,
                "input_fnv1a": fnv1a32(values),
                "output_fnv1a": fnv1a32(interpreter.get_output(0).tobytes()),
                "ops": [
                    {"op": i, "fnv1a": fnv1a32(interpreter.GetTensor(t, 0)["tensor_data"].tobytes())}
                    for i, t in enumerate(tensors)
                ],
            }
        )
    print(json.dumps(result, indent=1))


main()
