"""prepare.py MODEL PREPARED: a .tflite file as bakenn takes it, with the same meaning; or why that is impossible.

bakenn refuses what converters write every day. What can be said in another way is rewritten here:

  * a shape signature with -1 (a batch of any size): the tensor's own shape, which bakenn is fixed to anyway;
  * a Reshape without options: with options that hold the shape of its output;
  * an operator code in the old field alone: in the new one, too.

A flatbuffer refers forwards only. So a table that needs another field is written anew at the end of the file, with copies of
what it refers to, and the one reference to it is changed; nothing else moves. Needs Python's own library alone.

What cannot be rewritten (an operator that bakenn lacks, float tensors, several inputs) ends with status 3 and a last line
"metamorph: …", before bakenn is started.
"""

import struct
import sys

INT8 = 9
CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, ADD = 3, 4, 9, 0
AVERAGE_POOL_2D, MAX_POOL_2D, RESHAPE, PAD, PADV2 = 1, 17, 22, 34, 60
# Operator → the versions that bakenn 1.x takes. Another version may mean something else, so it is not rewritten.
VERSIONS = {CONV_2D: {3}, DEPTHWISE_CONV_2D: {3}, FULLY_CONNECTED: {4, 6}, ADD: {2}, AVERAGE_POOL_2D: {2},
            MAX_POOL_2D: {2}, RESHAPE: {1}, PAD: {2}, PADV2: {2}}
NAMES = {ADD: "ADD", AVERAGE_POOL_2D: "AVERAGE_POOL_2D", CONV_2D: "CONV_2D", DEPTHWISE_CONV_2D: "DEPTHWISE_CONV_2D",
         FULLY_CONNECTED: "FULLY_CONNECTED", MAX_POOL_2D: "MAX_POOL_2D", RESHAPE: "RESHAPE", PAD: "PAD", PADV2: "PADV2",
         2: "CONCATENATION", 6: "DEQUANTIZE", 14: "LOGISTIC", 18: "MUL", 19: "RELU", 21: "RELU6", 25: "SOFTMAX",
         28: "TANH", 36: "GATHER", 39: "TRANSPOSE", 40: "MEAN", 41: "SUB", 45: "STRIDED_SLICE", 49: "SPLIT", 77: "SHAPE",
         83: "PACK", 114: "QUANTIZE"}
SHAPE_OPTIONS = 17  # BuiltinOptions.ReshapeOptions


class Refused(Exception):
    pass


class File:
    def __init__(self, data):
        self.data = bytearray(data)

    def number(self, form, at):
        if at < 0:
            raise struct.error("a reference leads before the file")
        return struct.unpack_from("<" + form, self.data, at)[0]

    def target(self, at):
        return at + self.number("I", at)

    def field(self, table, index):
        """Where the field lies; None where it has its default."""
        vtable = table - self.number("i", table)
        if 4 + 2 * index >= self.number("H", vtable):
            return None
        offset = self.number("H", vtable + 4 + 2 * index)
        return table + offset if offset else None

    def scalar(self, table, index, form, default=0):
        at = self.field(table, index)
        return default if at is None else self.number(form, at)

    def vector(self, table, index):
        """(where its first element lies, how many); of an absent one (None, 0)."""
        at = self.field(table, index)
        if at is None:
            return None, 0
        start = self.target(at)
        return start + 4, self.number("I", start)

    def tables(self, table, index):
        """(where the reference lies, the table) of each element."""
        start, count = self.vector(table, index)
        return [(start + 4 * i, self.target(start + 4 * i)) for i in range(count)]

    def integers(self, table, index):
        start, count = self.vector(table, index)
        return [self.number("i", start + 4 * i) for i in range(count)]

    def text(self, table, index):
        start, count = self.vector(table, index)
        return bytes(self.data[start:start + count]).decode("utf-8", "replace") if count else ""

    def append_table(self, fields):
        """A new table at the end. fields: index → (form, value), or a list of integers, or fields of a table."""
        while len(self.data) % 4:
            self.data.append(0)
        slots = max(fields) + 1
        vtable = len(self.data)
        offsets = [0] * slots
        size = 4
        for index in fields:  # four bytes each: aligned whatever it is
            offsets[index] = size
            size += 4
        self.data += struct.pack("<HH", 4 + 2 * slots, size) + struct.pack(f"<{slots}H", *offsets)
        while len(self.data) % 4:
            self.data.append(0)
        table = len(self.data)
        self.data += struct.pack("<i", table - vtable) + bytes(size - 4)
        for index, value in fields.items():
            at = table + offsets[index]
            if isinstance(value, tuple):
                struct.pack_into("<" + value[0], self.data, at, value[1])
                continue
            if isinstance(value, dict):
                start = self.append_table(value)
            else:
                start = len(self.data)
                self.data += struct.pack(f"<I{len(value)}i", len(value), *value)
            struct.pack_into("<I", self.data, at, start - at)
        return table


def operator_code(file, code):
    return max(file.scalar(code, 0, "b"), file.scalar(code, 3, "i"))


def check(file, graph, codes):
    for what, index in ("input", 1), ("output", 2):
        count = len(file.integers(graph, index))
        if count != 1:
            raise Refused(f"the network has {count} {what}s, and bakenn takes one")
    tensors = [table for _, table in file.tables(graph, 0)]
    for number, (_, operator) in enumerate(file.tables(graph, 3)):
        code = codes[file.scalar(operator, 0, "I")]
        kind = operator_code(file, code)
        name = NAMES.get(kind, f"number {kind}")
        outputs = file.integers(operator, 2)
        where = f"operator {number} ({name}), which makes '{file.text(tensors[outputs[0]], 3)}'" if outputs else name
        if kind not in VERSIONS:
            advice = "; end the network before it, in logits" if name == "SOFTMAX" else ""
            raise Refused(f"bakenn has no {name}: {where}{advice}")
        version = file.scalar(code, 2, "i", 1)
        if version not in VERSIONS[kind]:
            raise Refused(f"bakenn takes {name} of version {' or '.join(map(str, sorted(VERSIONS[kind])))}, and {where}, "
                          f"has version {version}")
        kind_of = file.scalar(tensors[outputs[0]], 1, "b")
        if kind_of != INT8:
            raise Refused(f"bakenn takes int8 networks, and the output of {where}, is of another type")


def prepare(data):
    file = File(data)
    if data[4:8] != b"TFL3":
        raise Refused("this is no TensorFlow Lite file")
    model = file.target(0)
    codes = [table for _, table in file.tables(model, 1)]
    graphs = file.tables(model, 2)
    if len(graphs) != 1:
        raise Refused(f"the file has {len(graphs)} subgraphs, and bakenn takes one")
    graph = graphs[0][1]
    check(file, graph, codes)
    notes = []

    signatures = {}
    for _, tensor in file.tables(graph, 0):
        start, count = file.vector(tensor, 7)
        shape = file.integers(tensor, 0)
        if count and [file.number("i", start + 4 * i) for i in range(count)] != shape:
            if count != len(shape) or signatures.setdefault(start, shape) != shape:
                raise Refused(f"the shape signature of '{file.text(tensor, 3)}' does not fit its shape")
    for start, shape in signatures.items():
        struct.pack_into(f"<{len(shape)}i", file.data, start, *shape)
    if signatures:
        notes.append(f"{len(signatures)} shape signatures fixed to the tensors' shapes")

    fixed = 0
    for at, code in file.tables(model, 1):
        if file.scalar(code, 3, "i") == 0 and file.scalar(code, 0, "b") != 0:
            kind = file.scalar(code, 0, "b")
            new = file.append_table({0: ("b", kind), 2: ("i", file.scalar(code, 2, "i", 1)), 3: ("i", kind)})
            struct.pack_into("<I", file.data, at, new - at)
            fixed += 1
    if fixed:
        notes.append(f"{fixed} operator codes written in the new field, too")

    reshaped = 0
    tensors = [table for _, table in file.tables(graph, 0)]
    for at, operator in file.tables(graph, 3):
        if operator_code(file, codes[file.scalar(operator, 0, "I")]) != RESHAPE or file.scalar(operator, 3, "B") != 0:
            continue
        outputs = file.integers(operator, 2)
        new = file.append_table({0: ("I", file.scalar(operator, 0, "I")), 1: file.integers(operator, 1), 2: outputs,
                                 3: ("B", SHAPE_OPTIONS), 4: {0: file.integers(tensors[outputs[0]], 0)}})
        struct.pack_into("<I", file.data, at, new - at)
        reshaped += 1
    if reshaped:
        notes.append(f"{reshaped} Reshape operators given the shape of their output as option")
    return bytes(file.data), notes


def main():
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    with open(sys.argv[1], "rb") as model:
        data = model.read()
    try:
        prepared, notes = prepare(data)
    except Refused as refused:
        print(f"metamorph: {refused}")
        return 3
    except (struct.error, IndexError, ValueError, RecursionError) as error:
        print(f"metamorph: this TensorFlow Lite file is damaged: {error}")
        return 3
    with open(sys.argv[2], "wb") as out:
        out.write(prepared)
    for note in notes:
        print(note)
    return 0


if __name__ == "__main__":
    sys.exit(main())
