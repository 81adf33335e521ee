"""DLPack capsules read through ctypes, versioned and not: address, dtype, shape and strides of what another library
made."""

import ctypes

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13

# (type code, bits): dtype. Codes: 0 signed integer, 2 float, 4 bfloat, 10 float8_e4m3fn.
_DTYPES = {
    (2, 32): "f32",
    (2, 16): "f16",
    (4, 16): "bf16",
    (0, 8): "i8",
    (0, 32): "i32",
    (0, 64): "i64",
    (10, 8): "f8E4M3FN",
}


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype = ctypes.c_void_p
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype = ctypes.c_int
_is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _capsule(array):
    # None: the producer need not make its stream wait; the caller orders its streams, as with every other array.
    is_cuda = array.__dlpack_device__()[0] == CUDA if hasattr(array, "__dlpack_device__") else False
    arguments = {"stream": -1} if is_cuda else {}
    try:
        return array.__dlpack__(max_version=(1, 0), **arguments)
    except TypeError:
        return array.__dlpack__(**arguments)


def read(array):
    """(address, dtype, shape, strides or None, device type, device number, read-only, owner) of an array with
    __dlpack__. The memory stays as long as the owner, a capsule that is never consumed, which frees what it holds."""
    capsule = _capsule(array)
    read_only = False
    if _is_valid(capsule, b"dltensor_versioned"):
        managed = _Versioned.from_address(_get_pointer(capsule, b"dltensor_versioned"))
        if managed.major > 1:
            raise TypeError(f"expected DLPack of version 1, but got version {managed.major}")
        tensor = managed.tensor
        read_only = bool(managed.flags & 1)
    elif _is_valid(capsule, b"dltensor"):
        tensor = _Tensor.from_address(_get_pointer(capsule, b"dltensor"))
    else:
        raise TypeError("expected a DLPack capsule that is not used yet, but got another object")
    dtype = _DTYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if dtype is None:
        raise TypeError(
            f"expected f32, bf16, f16, f8E4M3FN, i8, i32 or i64, but got DLPack type code {tensor.code} of "
            f"{tensor.bits} bits and {tensor.lanes} lanes"
        )
    shape = tuple(tensor.shape[index] for index in range(tensor.ndim))
    strides = tuple(tensor.strides[index] for index in range(tensor.ndim)) if tensor.strides else None
    address = (tensor.data or 0) + tensor.byte_offset
    return address, dtype, shape, strides, tensor.device_type, tensor.device_id, read_only, capsule
