#!/usr/bin/env python3
"""Writes input files for examples/combine_norm.mlir: 4 tokens, top 8, hidden 3072. Needs nothing but Python.

usage: make_data.py FOLDER

The same files every time. The row index is a permutation of the expert rows, except that one slot is dropped (-1).
NumPy has no bf16, so bf16 stands in the .npy files as '<V2': two opaque bytes an element.
"""

import array
import os
import random
import struct
import sys

ROWS = 4
TOP_K = 8
HIDDEN = 3072
EXPERT_ROWS = ROWS * TOP_K
DROPPED = (2, 5)


def bf16_bits(value):
    """The bf16 nearest to a value, ties to even; the value is finite."""
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


def little_endian(code, values):
    data = array.array(code, values)
    if sys.byteorder == "big":
        data.byteswap()
    return data.tobytes()


def write_npy(folder, name, descr, shape, data):
    """Writes format version 1.0: the magic, the header padded to a multiple of 64 bytes, the elements."""
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape!r}, }}"
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    header = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode("ascii")
    # Renamed when complete, so that no half file is ever read.
    path = os.path.join(folder, name + ".npy")
    with open(path + ".part", "wb") as file:
        file.write(header + data)
    os.replace(path + ".part", path)


def write_bf16(folder, name, shape, values):
    write_npy(folder, name, "<V2", shape, little_endian("H", (bf16_bits(value) for value in values)))


def write_f32(folder, name, shape, values):
    write_npy(folder, name, "<f4", shape, little_endian("f", values))


def write_i64(folder, name, shape, values):
    write_npy(folder, name, "<i8", shape, little_endian("q", values))


def make_row_index(source):
    index = list(range(EXPERT_ROWS))
    source.shuffle(index)
    token, slot = DROPPED
    index[token * TOP_K + slot] = -1
    return index


def make_gate(source):
    """Positive factors; those of a token sum to 1."""
    gate = []
    for _ in range(ROWS):
        factors = [source.uniform(0.1, 1.0) for _ in range(TOP_K)]
        gate += [factor / sum(factors) for factor in factors]
    return gate


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    folder = arguments[0]
    os.makedirs(folder, exist_ok=True)
    source = random.Random(1)

    def normal(count, deviation=1.0):
        return (source.gauss(0.0, deviation) for _ in range(count))

    write_bf16(folder, "expert_rows", (EXPERT_ROWS, HIDDEN), normal(EXPERT_ROWS * HIDDEN))
    write_i64(folder, "row_index", (ROWS, TOP_K), make_row_index(source))
    write_f32(folder, "gate", (ROWS, TOP_K), make_gate(source))
    write_bf16(folder, "residual", (ROWS, HIDDEN), normal(ROWS * HIDDEN))
    # Stored around zero: the graph adds weight_offset = 1.
    write_f32(folder, "weight", (HIDDEN,), normal(HIDDEN, deviation=0.1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
