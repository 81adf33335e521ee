"""Tensors as .npy files, written and read without numpy, and values rounded as the dtypes round them."""

import array
import math
import random
import re
import struct

DESCRIPTIONS = {"f32": "<f4", "bf16": "<V2", "f16": "<f2", "i32": "<i4", "i64": "<i8"}
WIDTHS = {"f32": 4, "bf16": 2, "f16": 2, "i32": 4, "i64": 8}
CODES = {"f32": "f", "f16": "e", "i32": "i", "i64": "q"}


class Tensor:
    """Rows side by side: a dtype, a shape and the bytes of the elements."""

    def __init__(self, dtype, shape, data):
        assert len(data) == math.prod(shape) * WIDTHS[dtype], (dtype, shape, len(data))
        self.dtype, self.shape, self.data = dtype, tuple(shape), data

    def values(self):
        if self.dtype == "bf16":
            wide = array.array("I", (bits << 16 for bits in array.array("H", self.data)))
            return list(struct.unpack(f"<{len(wide)}f", wide.tobytes()))
        count = len(self.data) // WIDTHS[self.dtype]
        return list(struct.unpack(f"<{count}{CODES[self.dtype]}", self.data))

    def rows(self):
        """The values row by row, leading dimensions folded."""
        values, hidden = self.values(), self.shape[-1]
        return [values[first : first + hidden] for first in range(0, len(values), hidden)]

    def part(self, first, last):
        """Rows from `first` to before `last`."""
        pitch = len(self.data) // self.shape[0]
        return Tensor(self.dtype, (last - first,) + self.shape[1:], self.data[first * pitch : last * pitch])


def f32(value):
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def bf16_bits(value):
    bits = struct.unpack("<I", struct.pack("<f", f32(value)))[0]
    if bits & 0x7FFFFFFF > 0x7F800000:
        return 0x7FFF
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def bf16(value):
    return struct.unpack("<f", struct.pack("<I", bf16_bits(value) << 16))[0]


def tensor(dtype, shape, values):
    values = list(values)
    if dtype == "bf16":
        return Tensor(dtype, shape, array.array("H", map(bf16_bits, values)).tobytes())
    if dtype == "f32":
        values = map(f32, values)
    return Tensor(dtype, shape, struct.pack(f"<{math.prod(shape)}{CODES[dtype]}", *values))


def normal(dtype, shape, mean=0.0, deviation=1.0, seed=1):
    numbers = random.Random(seed)
    return tensor(dtype, shape, (numbers.gauss(mean, deviation) for _ in range(math.prod(shape))))


def write(path, written):
    shape = "(" + "".join(f"{extent}, " for extent in written.shape) + ")"
    header = f"{{'descr': '{DESCRIPTIONS[written.dtype]}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + written.data)


def read(path):
    with open(path, "rb") as file:
        content = file.read()
    length = struct.unpack("<H", content[8:10])[0]
    header = content[10 : 10 + length].decode()
    description = re.search(r"'descr': '([^']*)'", header)[1]
    shape = [int(extent) for extent in re.findall(r"\d+", re.search(r"'shape': \(([^)]*)\)", header)[1])]
    dtype = next(name for name, text in DESCRIPTIONS.items() if text[1:] == description[1:])
    return Tensor(dtype, shape, content[10 + length :])
