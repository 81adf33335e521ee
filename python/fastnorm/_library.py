"""libfastnorm as ctypes sees it: the structs and functions of fastnorm-c/fastnorm.h."""

import ctypes
import ctypes.util
import pathlib

MAX_RANK = 4
WORKSPACE_ALIGNMENT = 256
# The numbers of fastnorm_dtype.
DTYPES = ("f32", "bf16", "f16", "f8E4M3FN", "i8", "i32", "i64")
ITEM_BYTES = {"f32": 4, "bf16": 2, "f16": 2, "f8E4M3FN": 1, "i8": 1, "i32": 4, "i64": 8}


class Error(RuntimeError):
    """A call that failed: the library's sentence, and its code in `status` ("FASTNORM_ERROR_TENSOR")."""

    def __init__(self, message, status="FASTNORM_ERROR_ARGUMENT"):
        super().__init__(message)
        self.status = status


class CTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("dtype", ctypes.c_int),
        ("rank", ctypes.c_int32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
    ]


class CPlanInfo(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("function", ctypes.c_char_p),
        ("producer", ctypes.c_char_p),
        ("target", ctypes.c_char_p),
        ("chip", ctypes.c_char_p),
        ("content_hash", ctypes.c_char_p),
        ("symbol_count", ctypes.c_size_t),
        ("argument_count", ctypes.c_size_t),
        ("result_count", ctypes.c_size_t),
    ]


class CTensorInfo(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("dtype", ctypes.c_int),
        ("rank", ctypes.c_int32),
        ("shape", ctypes.c_int64 * MAX_RANK),
        ("shape_symbols", ctypes.c_int32 * MAX_RANK),
        ("is_dense", ctypes.c_int32),
        ("strides", ctypes.c_int64 * MAX_RANK),
        ("stride_symbols", ctypes.c_int32 * MAX_RANK),
        ("alignment", ctypes.c_int64),
        ("tied_result", ctypes.c_int32),
    ]


_PLAN = ctypes.c_void_p
_OUT = ctypes.POINTER
_FUNCTIONS = {
    "fastnorm_version": (ctypes.c_char_p, []),
    "fastnorm_status_name": (ctypes.c_char_p, [ctypes.c_int]),
    "fastnorm_last_error": (ctypes.c_char_p, []),
    "fastnorm_plan_load_file": (ctypes.c_int, [ctypes.c_char_p, _OUT(_PLAN)]),
    "fastnorm_plan_load_memory": (ctypes.c_int, [ctypes.c_char_p, ctypes.c_size_t, _OUT(_PLAN)]),
    "fastnorm_plan_destroy": (None, [_PLAN]),
    "fastnorm_plan_describe": (ctypes.c_int, [_PLAN, _OUT(CPlanInfo)]),
    "fastnorm_plan_symbol": (ctypes.c_int, [_PLAN, ctypes.c_size_t, _OUT(ctypes.c_char_p)]),
    "fastnorm_plan_argument": (ctypes.c_int, [_PLAN, ctypes.c_size_t, _OUT(CTensorInfo)]),
    "fastnorm_plan_result": (ctypes.c_int, [_PLAN, ctypes.c_size_t, _OUT(CTensorInfo)]),
    "fastnorm_plan_prepare": (ctypes.c_int, [_PLAN, ctypes.c_int32]),
    "fastnorm_plan_workspace_size": (
        ctypes.c_int,
        [_PLAN, _OUT(ctypes.c_int64), ctypes.c_size_t, _OUT(ctypes.c_size_t)],
    ),
    "fastnorm_plan_set_sm_limit": (ctypes.c_int, [_PLAN, ctypes.c_int32]),
    "fastnorm_plan_run": (
        ctypes.c_int,
        [
            _PLAN,
            _OUT(CTensor),
            ctypes.c_size_t,
            _OUT(CTensor),
            ctypes.c_size_t,
            ctypes.c_void_p,
            ctypes.c_size_t,
            ctypes.c_void_p,
        ],
    ),
}

_library = None


def _places():
    """Where the library may be: beside this package as it is packaged, then in a source tree's build folder."""
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    for folder in (root / "lib", root / "build" / "lib", root.parent / "build" / "lib"):
        yield folder / "libfastnorm.so"


def use_library(path):
    """Loads libfastnorm from a path, instead of from where it is looked for."""
    global _library
    try:
        loaded = ctypes.CDLL(str(path))
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(loaded, name)
            function.restype = result
            function.argtypes = arguments
    except (OSError, AttributeError) as error:
        raise Error(f"expected libfastnorm at '{path}', but it can't be loaded: {error}", "FASTNORM_ERROR_FILE")
    _library = loaded
    return loaded


def library():
    """The library, loaded at the first use."""
    if _library:
        return _library
    for place in _places():
        if place.exists():
            return use_library(place)
    found = ctypes.util.find_library("fastnorm")
    if found:
        return use_library(found)
    places = ", ".join(str(place) for place in _places())
    raise Error(
        f"expected libfastnorm.so in one of {places}, but none is there; build it, or call fastnorm.use_library",
        "FASTNORM_ERROR_FILE",
    )


def check(status):
    """Raises what a status says."""
    if status != 0:
        loaded = library()
        sentence = loaded.fastnorm_last_error().decode("utf-8", "replace")
        raise Error(sentence, loaded.fastnorm_status_name(status).decode())


def version():
    """The version of the library, "0.1.0"."""
    return library().fastnorm_version().decode()
