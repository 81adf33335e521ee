"""Runs plans from Python without any other library; prints a line for each thing that holds.

usage: arrays.py LIBRARY NORM.json TIED.json
"""

import array
import ctypes
import json
import pathlib
import sys

sys.path.insert(0, sys.argv.pop(1))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "Inputs"))
import fastnorm
import rehash

library, norm_path, tied_path = sys.argv[1:]
fastnorm.use_library(library)
ROWS, HIDDEN = 3, 40


def matrix(rows, columns, value):
    return ((ctypes.c_float * columns) * rows)(*[(ctypes.c_float * columns)(*([value] * columns)) for _ in range(rows)])


class Interface:
    """What shows memory as NumPy does, with strides."""

    def __init__(self, buffer, shape, strides, typestr="<f4", read_only=False):
        self.buffer = buffer
        address = ctypes.addressof(buffer)
        self.__array_interface__ = {
            "data": (address, read_only),
            "shape": shape,
            "strides": strides,
            "typestr": typestr,
            "version": 3,
        }


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    ]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Exporter:
    """What shows memory by DLPack, old or versioned."""

    def __init__(self, buffer, shape, versioned, code=2, bits=32, device=1):
        self.buffer = buffer
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        tensor = DLTensor(
            ctypes.addressof(buffer), (device, 0), len(shape), code, bits, 1, self.shape, None, 0
        )
        self.managed = Versioned(1, 0, None, None, 0, tensor) if versioned else Managed(tensor, None, None)
        self.name = b"dltensor_versioned" if versioned else b"dltensor"
        if versioned:
            self.__dlpack__ = lambda max_version=None: self._capsule()
        else:
            self.__dlpack__ = lambda: self._capsule()

    def _capsule(self):
        return new_capsule(ctypes.addressof(self.managed), self.name, None)


def with_tie(path):
    """The plan with its first argument in the buffer of its first result, and the hash that goes with it."""
    document = json.loads(pathlib.Path(path).read_text())
    document["arguments"][0]["result"] = 0
    return rehash.with_hash(document).encode()


def failure(call):
    try:
        call()
    except fastnorm.Error as error:
        return f"{error.status}: {error}"
    return "no error"


plan = fastnorm.load(norm_path)
print(f"{plan.function}: {plan.arguments} -> {plan.results}")
weight = (ctypes.c_float * HIDDEN)(*([2.0] * HIDDEN))
x = matrix(ROWS, HIDDEN, 3.0)
y = matrix(ROWS, HIDDEN, 0.0)
result = plan.run(x=x, weight=weight, y=y)
print("buffer protocol:", result is y, all(abs(value - 2.0) < 1e-5 for row in y for value in row))

y = matrix(ROWS, HIDDEN, 0.0)
plan.run({"x": x, "weight": array.array("f", [4.0] * HIDDEN)}, y=y)
print("array.array:", all(abs(value - 4.0) < 1e-5 for row in y for value in row))

wide = matrix(ROWS, HIDDEN + 8, 5.0)
y = matrix(ROWS, HIDDEN, 0.0)
plan.run(x=Interface(wide, (ROWS, HIDDEN), (4 * (HIDDEN + 8), 4)), weight=weight, y=y)
print("array interface with strides:", all(abs(value - 2.0) < 1e-5 for row in y for value in row))

for versioned in (False, True):
    y = matrix(ROWS, HIDDEN, 0.0)
    plan.run(x=Exporter(x, (ROWS, HIDDEN), versioned), weight=weight, y=y)
    print("DLPack:", all(abs(value - 2.0) < 1e-5 for row in y for value in row))

tied = fastnorm.Plan(with_tie(tied_path))
residual = matrix(ROWS, HIDDEN, 1.0)
y = matrix(ROWS, HIDDEN, 0.0)
outputs = tied.run(residual=residual, x=x, y=y)
print("tied:", outputs[0] is residual, residual[2][39])

plan.sm_limit = 4
print("sm_limit:", plan.sm_limit, failure(lambda: setattr(plan, "sm_limit", -1)), plan.sm_limit)
print("missing:", failure(lambda: plan.run(x=x, y=y)))
print("unknown:", failure(lambda: plan.run(x=x, weight=weight, z=y)))
print("no output:", failure(lambda: plan.run(x=x, weight=weight)))
print("shape:", failure(lambda: plan.run(x=matrix(ROWS, HIDDEN + 1, 1.0), weight=weight, y=y)))
print("dtype:", failure(lambda: plan.run(x=Exporter(x, (ROWS, HIDDEN), True, code=4, bits=16), weight=weight, y=y)))
print("unknown dtype:", failure(lambda: plan.run(x=Exporter(x, (ROWS, HIDDEN), True, code=5, bits=64), weight=weight, y=y)))
print("no array:", failure(lambda: plan.run(x=7, weight=weight, y=y)))
print("read-only:", failure(lambda: plan.run(x=x, weight=weight, y=bytes(4))))
print("other device:", failure(lambda: plan.run(x=Exporter(x, (ROWS, HIDDEN), False, device=2), weight=weight, y=y)))
print("no file:", failure(lambda: fastnorm.load(norm_path + ".missing")))
print("no plan:", failure(lambda: fastnorm.Plan(b"{}")))
print("no library:", failure(lambda: fastnorm.use_library("/nowhere/libfastnorm.so")))
