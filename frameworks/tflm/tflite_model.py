"""Reads of a TensorFlow Lite file what its application must know: operators with versions, and the inputs and outputs.

A flatbuffer's table begins with the distance back to its vtable, which holds the offset of each field; what is absent has its
default. Python's own library alone. The interpreter takes more operators than our generator does, so this is not its importer.
"""

import struct

from refusal import Refusal

CUSTOM = 32
# TensorType → C type, bytes of an element.
TYPES = {0: ("float", 4), 2: ("int32_t", 4), 3: ("uint8_t", 1), 4: ("int64_t", 8), 7: ("int16_t", 2), 9: ("int8_t", 1)}
# Fields, by their position in the schema.
MODEL_CODES, MODEL_SUBGRAPHS = 1, 2
CODE_OLD, CODE_CUSTOM, CODE_VERSION, CODE = 0, 1, 2, 3
GRAPH_TENSORS, GRAPH_INPUTS, GRAPH_OUTPUTS, GRAPH_OPERATORS = 0, 1, 2, 3
TENSOR_SHAPE, TENSOR_TYPE, TENSOR_NAME, TENSOR_IS_VARIABLE = 0, 1, 3, 5
OPERATOR_CODE = 0


class File:
    def __init__(self, data):
        self.data = data

    def number(self, form, at):
        if at < 0:
            raise struct.error("a reference leads before the file")
        return struct.unpack_from("<" + form, self.data, at)[0]

    def target(self, at):
        return at + self.number("I", at)

    def field(self, table, index):
        vtable = table - self.number("i", table)
        if 4 + 2 * index >= self.number("H", vtable):
            return None
        offset = self.number("H", vtable + 4 + 2 * index)
        return table + offset if offset else None

    def scalar(self, table, index, form, default=0):
        at = self.field(table, index)
        return default if at is None else self.number(form, at)

    def vector(self, table, index, element_bytes):
        """(where its first element lies, how many)."""
        at = self.field(table, index)
        if at is None:
            return 0, 0
        start = self.target(at)
        count = self.number("I", start)
        if start + 4 + count * element_bytes > len(self.data):
            raise struct.error("a vector leads behind the file")
        return start + 4, count

    def tables(self, table, index):
        start, count = self.vector(table, index, 4)
        return [self.target(start + 4 * i) for i in range(count)]

    def integers(self, table, index):
        start, count = self.vector(table, index, 4)
        return [self.number("i", start + 4 * i) for i in range(count)]

    def text(self, table, index):
        start, count = self.vector(table, index, 1)
        return bytes(self.data[start:start + count]).decode("utf-8", "replace")


class Tensor:
    def __init__(self, file, table, what):
        self.name = file.text(table, TENSOR_NAME)
        code = file.scalar(table, TENSOR_TYPE, "b")
        if code not in TYPES:
            raise Refusal(f"{what} '{self.name}' is of type {code}, which no parameter in C can be")
        self.c_type, self.element_bytes = TYPES[code]
        self.elements = 1
        for size in file.integers(table, TENSOR_SHAPE):
            self.elements *= size
        self.bytes = self.elements * self.element_bytes
        if self.elements <= 0:
            raise Refusal(f"{what} '{self.name}' has no fixed size")


class Model:
    def __init__(self, data):
        if len(data) < 16 or data[4:8] != b"TFL3":
            raise Refusal("this is no TensorFlow Lite file: it does not begin with TFL3")
        try:
            self._read(File(data))
        except (struct.error, IndexError):
            raise Refusal("the file is damaged: a reference leads out of it") from None
        self.data = data

    def _read(self, file):
        root = file.target(0)
        graphs = file.tables(root, MODEL_SUBGRAPHS)
        if len(graphs) != 1:
            raise Refusal(f"the model has {len(graphs)} subgraphs; the interpreter runs one")
        codes = file.tables(root, MODEL_CODES)
        tensors = file.tables(graphs[0], GRAPH_TENSORS)
        for table in tensors:
            if file.scalar(table, TENSOR_IS_VARIABLE, "B"):
                raise Refusal(f"tensor '{file.text(table, TENSOR_NAME)}' keeps its value from one inference to the next; the "
                              "interpreter is made anew for each")
        self.steps = [self._operator(file, codes[file.scalar(table, OPERATOR_CODE, "I")])
                      for table in file.tables(graphs[0], GRAPH_OPERATORS)]
        self.operators = sorted(set(self.steps))  # (code, version)
        self.inputs = self._ends(file, tensors, file.integers(graphs[0], GRAPH_INPUTS), "input")
        self.outputs = self._ends(file, tensors, file.integers(graphs[0], GRAPH_OUTPUTS), "output")

    @staticmethod
    def _operator(file, table):
        code = max(file.scalar(table, CODE_OLD, "b"), file.scalar(table, CODE, "i"))
        if code == CUSTOM:
            raise Refusal(f"custom operator '{file.text(table, CODE_CUSTOM)}': the source tree has no kernel of that name")
        return code, file.scalar(table, CODE_VERSION, "i", 1)

    @staticmethod
    def _ends(file, tensors, indices, what):
        if not indices:
            raise Refusal(f"the model has no {what}")
        if min(indices) < 0:
            raise Refusal(f"an {what} of the model is no tensor")
        return [Tensor(file, tensors[index], what) for index in indices]
