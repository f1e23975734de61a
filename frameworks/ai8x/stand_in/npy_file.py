"""NumPy files of 64-bit integers, without NumPy: (shape, flat list of numbers), the last dimension fastest."""

import ast
import pathlib
import struct

MAGIC = b"\x93NUMPY"


class NpyError(Exception):
    """This is no NumPy file of 64-bit integers."""


def read(path):
    data = pathlib.Path(path).read_bytes()
    if data[:6] != MAGIC or len(data) < 12:
        raise NpyError(f"{path} is no NumPy file")
    begin, form = (10, "<H") if data[6] == 1 else (12, "<I")
    length = struct.unpack_from(form, data, 8)[0]
    head = ast.literal_eval(data[begin:begin + length].decode("latin-1"))
    count = 1
    for size in head["shape"]:
        count *= size
    if head["descr"] != "<i8" or head["fortran_order"] or len(data) != begin + length + 8 * count:
        raise NpyError(f"{path} does not hold 64-bit integers, the last dimension fastest")
    return tuple(head["shape"]), list(struct.unpack_from(f"<{count}q", data, begin + length))


def write(path, shape, values):
    head = repr({"descr": "<i8", "fortran_order": False, "shape": tuple(shape)})
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    pathlib.Path(path).write_bytes(MAGIC + b"\x01\x00" + struct.pack("<H", len(head)) + head.encode("latin-1") +
                                   struct.pack(f"<{len(values)}q", *values))
