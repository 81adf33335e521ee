"""What arrays of any library are in memory. None of those libraries is imported here: one is known by what its arrays
show, or by being imported already."""

import ctypes
import sys

from . import _dlpack
from ._library import ITEM_BYTES

# Endings of a typestr: a kind and a number of bytes. NumPy has neither bf16 nor f8: they travel as opaque or raw bytes.
_TYPES = {
    "f4": "f32",
    "f2": "f16",
    "i1": "i8",
    "i4": "i32",
    "i8": "i64",
    "V2": "bf16",
    "u2": "bf16",
    "V1": "f8E4M3FN",
    "u1": "f8E4M3FN",
}
# Codes of the struct module: the same for the buffer protocol.
_FORMATS = {"f": "f4", "e": "f2", "b": "i1", "i": "i4", "l": "i8", "q": "i8", "H": "u2", "B": "u1"}
_TORCH_TYPES = {
    "torch.float32": "f32",
    "torch.bfloat16": "bf16",
    "torch.float16": "f16",
    "torch.float8_e4m3fn": "f8E4M3FN",
    "torch.int8": "i8",
    "torch.int32": "i32",
    "torch.int64": "i64",
}
HOST = -1  # in place of the number of a CUDA device


class Array:
    """An array's memory: strides in elements or None for dense, device a CUDA number or HOST. `owner` keeps it alive."""

    __slots__ = ("address", "dtype", "shape", "strides", "device", "read_only", "owner")

    def __init__(self, address, dtype, shape, strides, device, read_only, owner):
        self.address = address
        self.dtype = dtype
        self.shape = tuple(shape)
        self.strides = None if strides is None else tuple(strides)
        self.device = device
        self.read_only = read_only
        self.owner = owner


class _Buffer(ctypes.Structure):
    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)),
        ("internal", ctypes.c_void_p),
    ]


_PYBUF_STRIDES_AND_FORMAT = 0x0018 | 0x0004
_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [ctypes.py_object, ctypes.POINTER(_Buffer), ctypes.c_int]
_get_buffer.restype = ctypes.c_int
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = [ctypes.POINTER(_Buffer)]
_release_buffer.restype = None


def _dtype_of(typestr):
    dtype = _TYPES.get(typestr[-2:])
    if dtype is None or typestr[0] == ">":
        raise TypeError(f"expected f32, bf16, f16, f8E4M3FN, i8, i32 or i64, but got elements of type '{typestr}'")
    return dtype


def _elements(byte_strides, dtype):
    """Strides in elements."""
    if byte_strides is None:
        return None
    for stride in byte_strides:
        if stride % ITEM_BYTES[dtype] != 0:
            raise TypeError(f"expected strides of whole elements of {ITEM_BYTES[dtype]} bytes, but got {stride} bytes")
    return [stride // ITEM_BYTES[dtype] for stride in byte_strides]


def _from_torch(tensor):
    dtype = _TORCH_TYPES.get(str(tensor.dtype))
    if dtype is None:
        raise TypeError(f"expected f32, bf16, f16, f8E4M3FN, i8, i32 or i64, but got elements of type {tensor.dtype}")
    if tensor.device.type not in ("cpu", "cuda"):
        raise TypeError(f"expected a tensor on cuda, or on cpu for the emulator, but got one on {tensor.device}")
    device = tensor.device.index if tensor.device.type == "cuda" else HOST
    return Array(tensor.data_ptr(), dtype, tensor.shape, tensor.stride(), device, False, tensor)


def _from_interface(interface, device, owner):
    address, read_only = interface["data"]
    dtype = _dtype_of(interface["typestr"])
    strides = _elements(interface.get("strides"), dtype)
    return Array(address or 0, dtype, interface["shape"], strides, device, read_only, owner)


def _cuda_device_of(array):
    """The number of the device of an array with __cuda_array_interface__, which does not say it."""
    if hasattr(array, "__dlpack_device__"):
        return int(array.__dlpack_device__()[1])
    device = getattr(array, "device", 0)
    return int(getattr(device, "id", device))


def _from_dlpack(array):
    address, dtype, shape, strides, kind, number, read_only, owner = _dlpack.read(array)
    if kind in (_dlpack.CUDA, _dlpack.CUDA_MANAGED):
        return Array(address, dtype, shape, strides, number, read_only, owner)
    if kind == _dlpack.CPU:
        return Array(address, dtype, shape, strides, HOST, read_only, owner)
    raise TypeError(f"expected an array in CUDA or host memory, but its DLPack device type is {kind}")


def _from_buffer(array):
    buffer = _Buffer()
    _get_buffer(array, ctypes.byref(buffer), _PYBUF_STRIDES_AND_FORMAT)
    try:
        code = (buffer.format or b"B").decode().lstrip("<=@")
        typestr = _FORMATS.get(code)
        if typestr is None:
            raise TypeError(f"expected f32, bf16, f16, f8E4M3FN, i8, i32 or i64, but got elements of format '{code}'")
        dtype = _dtype_of(typestr)
        shape = [buffer.shape[index] for index in range(buffer.ndim)]
        # ctypes arrays show none: they are dense.
        byte_strides = [buffer.strides[index] for index in range(buffer.ndim)] if buffer.strides else None
        strides = _elements(byte_strides, dtype)
        return Array(buffer.buf or 0, dtype, shape, strides, HOST, bool(buffer.readonly), array)
    finally:
        _release_buffer(ctypes.byref(buffer))


def is_torch(array):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def describe(array):
    """The Array of an object that shows its memory; a TypeError for any other."""
    if is_torch(array):
        return _from_torch(array)
    if hasattr(array, "__cuda_array_interface__"):
        return _from_interface(array.__cuda_array_interface__, _cuda_device_of(array), array)
    if hasattr(array, "__array_interface__"):
        return _from_interface(array.__array_interface__, HOST, array)
    if hasattr(array, "__dlpack__"):
        return _from_dlpack(array)
    try:
        memoryview(array).release()
    except TypeError:
        raise TypeError(
            f"expected an array with __cuda_array_interface__, __array_interface__, __dlpack__ or the buffer protocol, "
            f"but got {type(array).__name__}"
        ) from None
    return _from_buffer(array)
