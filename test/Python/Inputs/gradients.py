"""Gradients from Python: the workspace that a plan with partials asks for, and the SM limit.

usage: gradients.py PACKAGE LIBRARY PLAN.json
"""

import array
import sys

sys.path.insert(0, sys.argv.pop(1))
import fastnorm

fastnorm.use_library(sys.argv[1])
plan = fastnorm.load(sys.argv[2])
ROWS, HIDDEN = 50, 64


def matrix(value):
    return memoryview(array.array("f", [value] * (ROWS * HIDDEN))).cast("B").cast("f", (ROWS, HIDDEN))


def workspace(byte_count):
    """Memory that begins at a multiple of 256."""
    memory = array.array("B", bytes(byte_count + 256))
    start = -memory.buffer_info()[0] % 256
    return memoryview(memory)[start : start + byte_count]


def run(workspace_bytes):
    """x = 2, dy = 3, rstd = 0.5: each row adds 3 to the gradient of the weight."""
    results = {"grad_input": matrix(0.0), "grad_weight": array.array("f", [0.0] * HIDDEN)}
    try:
        plan.run(x=matrix(2.0), grad_output=matrix(3.0), rstd=array.array("f", [0.5] * ROWS),
                 weight=array.array("f", [1.0] * HIDDEN), workspace=workspace(workspace_bytes), **results)
    except fastnorm.Error as error:
        return f"{error.status}: {error}"
    return set(results["grad_weight"])


print("too small:", run(3327))
print("large enough:", run(3328))
plan.sm_limit = 2
print("of two SMs:", run(3328))
