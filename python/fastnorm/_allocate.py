"""Results and workspaces, made by the library that the caller's arrays are from."""

import ctypes
import sys

from . import _arrays
from ._library import WORKSPACE_ALIGNMENT

_TORCH_NAMES = {
    "f32": "float32",
    "bf16": "bfloat16",
    "f16": "float16",
    "f8E4M3FN": "float8_e4m3fn",
    "i8": "int8",
    "i32": "int32",
    "i64": "int64",
}
_NUMPY_NAMES = {"f32": "f4", "bf16": "V2", "f16": "f2", "f8E4M3FN": "V1", "i8": "i1", "i32": "i4", "i64": "i8"}


def _module_of(like):
    """torch, or the module that made an array: numpy, cupy; None for others."""
    if _arrays.is_torch(like):
        return sys.modules["torch"]
    module = sys.modules.get(type(like).__module__.split(".")[0])
    return module if module is not None and module.__name__ in ("numpy", "cupy") else None


def current_stream(like, device):
    """The stream that the library of an array works on now, as a number; 0, the default stream, where there is none."""
    if device == _arrays.HOST:
        return 0
    module = _module_of(like)
    if module is not None and module.__name__ == "cupy":
        return module.cuda.get_current_stream().ptr
    torch = sys.modules.get("torch")
    return torch.cuda.current_stream(device).cuda_stream if torch is not None else 0


def empty(like, shape, dtype):
    """An array as `like` is one, not initialized; None where its library is not known, or has no such dtype."""
    module = _module_of(like)
    if module is None:
        return None
    if module.__name__ == "torch":
        return module.empty(shape, dtype=getattr(module, _TORCH_NAMES[dtype]), device=like.device)
    extension = sys.modules.get("ml_dtypes")
    if dtype in ("bf16", "f8E4M3FN") and extension is not None and module.__name__ == "numpy":
        return module.empty(shape, dtype=getattr(extension, _TORCH_NAMES[dtype]))
    return module.empty(shape, dtype=_NUMPY_NAMES[dtype])


def workspace(like, device, byte_count, stream):
    """(address, owner) of a workspace; None where nothing is there to make one."""
    if device == _arrays.HOST:
        owner = ctypes.create_string_buffer(byte_count + WORKSPACE_ALIGNMENT)
        address = ctypes.addressof(owner)
        return address + -address % WORKSPACE_ALIGNMENT, owner
    module = _module_of(like)
    if module is not None and module.__name__ == "cupy":
        work = module.cuda.ExternalStream(stream) if stream else module.cuda.Stream.null
        with module.cuda.Device(device), work:
            owner = module.empty(byte_count, dtype="u1")
        return owner.data.ptr, owner
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    # On the run's stream, so that the allocator gives the memory away only behind the run.
    work = torch.cuda.ExternalStream(stream, device=device) if stream else torch.cuda.default_stream(device)
    with torch.cuda.stream(work):
        owner = torch.empty(byte_count, dtype=torch.uint8, device=f"cuda:{device}")
    return owner.data_ptr(), owner
