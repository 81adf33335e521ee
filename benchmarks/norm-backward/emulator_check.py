"""Checks the plans on the emulator against f64 arithmetic in plain Python: no GPU, no torch, no timing."""

import array
import random
import struct

from plans import EPS, STATISTICS

# One rounding to bf16 is at most 2^-9 of a value; doubled.
LIMIT = 2.0**-8


def _to_bf16(values):
    """bf16 bits, rounded to nearest even."""
    bits = (struct.unpack("<I", struct.pack("<f", value))[0] for value in values)
    return array.array("H", ((word + 0x7FFF + (word >> 16 & 1)) >> 16 for word in bits))


def _from_bf16(words):
    return [struct.unpack("<f", struct.pack("<I", word << 16))[0] for word in words]


def _matrix(words, rows, hidden):
    return memoryview(words).cast("B").cast("H", (rows, hidden))


def _dot(left, right):
    return sum(a * b for a, b in zip(left, right))


def _reference(norm, x, grad_output, weight, bias, rows, hidden):
    """Flat lists of y, grad_input, grad_weight and grad_bias in f64."""
    y, grad_input, grad_weight, grad_bias = [], [], [0.0] * hidden, [0.0] * hidden
    for row in range(rows):
        part = slice(row * hidden, (row + 1) * hidden)
        mean = sum(x[part]) / hidden if norm == "layer_norm" else 0.0
        centered = [value - mean for value in x[part]]
        rstd = (_dot(centered, centered) / hidden + EPS) ** -0.5
        xhat = [value * rstd for value in centered]
        wdy = [a * b for a, b in zip(weight, grad_output[part])]
        mean_wdy = sum(wdy) / hidden if norm == "layer_norm" else 0.0
        mean_xhat_wdy = _dot(xhat, wdy) / hidden
        y += [a * b + c for a, b, c in zip(xhat, weight, bias)]
        grad_input += [rstd * (a - mean_wdy - b * mean_xhat_wdy) for a, b in zip(wdy, xhat)]
        grad_weight = [a + b * c for a, b, c in zip(grad_weight, grad_output[part], xhat)]
        grad_bias = [a + b for a, b in zip(grad_bias, grad_output[part])]
    return {"y": y, "grad_input": grad_input, "grad_weight": grad_weight, "grad_bias": grad_bias}


def _error(got, expected):
    """The largest difference in parts of its value and of the root mean square of all."""
    scale = (_dot(expected, expected) / len(expected)) ** 0.5
    if not all(value == value for value in got):
        return float("inf")
    return max(abs(a - b) / (abs(b) + scale) for a, b in zip(got, expected))


def errors(plans, rows, hidden):
    """{"y": largest error, "grad_input": …} of forward and backward on random rows."""
    draw = random.Random(1)
    x, grad_output = (_to_bf16(draw.gauss(0, 1) for _ in range(rows * hidden)) for _ in range(2))
    weight, bias = (_to_bf16(draw.gauss(mean, 0.1) for _ in range(hidden)) for mean in (1, 0))
    if plans.norm == "rms_norm":
        bias = array.array("H", bytes(2 * hidden))
    arrays = {"x": _matrix(x, rows, hidden), "grad_output": _matrix(grad_output, rows, hidden)}
    arrays.update(weight=weight, bias=bias)
    matrices = {name: array.array("H", bytes(2 * rows * hidden)) for name in ("y", "grad_input")}
    vectors = {name: array.array("H", bytes(2 * hidden)) for name in ("grad_weight", "grad_bias")}
    arrays.update({name: _matrix(words, rows, hidden) for name, words in matrices.items()}, **vectors)
    arrays.update({name: array.array("f", bytes(4 * rows)) for name in STATISTICS[plans.norm]})
    plans.forward(arrays)
    plans.backward(arrays)
    inputs = [_from_bf16(words) for words in (x, grad_output, weight, bias)]
    expected = _reference(plans.norm, *inputs, rows, hidden)
    if plans.norm == "rms_norm":
        del vectors["grad_bias"]
    return {name: _error(_from_bf16(words), expected[name]) for name, words in {**matrices, **vectors}.items()}
