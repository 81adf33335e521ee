"""Plans: loaded once, prepared once a device, run on arrays."""

import ctypes
import pathlib

from . import _allocate, _arrays
from ._library import DTYPES, ITEM_BYTES, CPlanInfo, CTensor, CTensorInfo, Error, check, library

EMULATOR = _arrays.HOST


class TensorSpec:
    """What an argument or result must be like. In `shape` and `strides` (None: dense) a number is an extent or stride in
    elements and a string the name of a symbol. `result`: the name of the result that an argument is tied to."""

    def __init__(self, info, symbols):
        self.name = info.name.decode()
        self.dtype = DTYPES[info.dtype]
        dimensions = range(info.rank)
        self.shape = tuple(
            symbols[info.shape_symbols[at]] if info.shape_symbols[at] >= 0 else info.shape[at] for at in dimensions
        )
        self.strides = None
        if not info.is_dense:
            self.strides = tuple(
                symbols[info.stride_symbols[at]] if info.stride_symbols[at] >= 0 else info.strides[at]
                for at in dimensions
            )
        self.alignment = info.alignment
        self.tied_result = info.tied_result

    def __repr__(self):
        return f"{self.name}: {'x'.join(str(extent) for extent in self.shape)}x{self.dtype}"


class _Handle:
    """One load of the plan, prepared on one device."""

    def __init__(self, text, device=None):
        self.pointer = ctypes.c_void_p()
        self.library = library()
        check(self.library.fastnorm_plan_load_memory(text, len(text), ctypes.byref(self.pointer)))
        self.workspaces = {}  # by stream: size, address, owner
        if device is not None:
            check(self.library.fastnorm_plan_prepare(self.pointer, device))

    def __del__(self):
        if getattr(self, "pointer", None):
            self.library.fastnorm_plan_destroy(self.pointer)


class Plan:
    """A compiled graph. `arguments` and `results` say what it takes and gives."""

    def __init__(self, text):
        self._text = text
        self._unprepared = _Handle(text)
        self._handles = {}  # by device
        self._sizes = {}  # workspace bytes by symbol values
        self._sm_limit = 0
        pointer, functions = self._unprepared.pointer, library()
        info = CPlanInfo(struct_size=ctypes.sizeof(CPlanInfo))
        check(functions.fastnorm_plan_describe(pointer, ctypes.byref(info)))
        self.function = info.function.decode()
        self.target = info.target.decode()
        self.chip = info.chip.decode()
        self.content_hash = info.content_hash.decode()
        self.symbols = []
        for index in range(info.symbol_count):
            name = ctypes.c_char_p()
            check(functions.fastnorm_plan_symbol(pointer, index, ctypes.byref(name)))
            self.symbols.append(name.value.decode())
        self.arguments = self._specs(functions.fastnorm_plan_argument, info.argument_count)
        self.results = self._specs(functions.fastnorm_plan_result, info.result_count)

    def _specs(self, function, count):
        specs = []
        for index in range(count):
            info = CTensorInfo(struct_size=ctypes.sizeof(CTensorInfo))
            check(function(self._unprepared.pointer, index, ctypes.byref(info)))
            specs.append(TensorSpec(info, self.symbols))
        return specs

    def prepare(self, device):
        """Loads the code on a CUDA device (its number) or on fastnorm.EMULATOR; the first run on a device does so, too."""
        if device not in self._handles:
            handle = _Handle(self._text, device)
            check(library().fastnorm_plan_set_sm_limit(handle.pointer, self._sm_limit))
            self._handles[device] = handle
        return self._handles[device]

    @property
    def sm_limit(self):
        """The SMs that persistent kernels of later runs fill at most; 0: all of the device's."""
        return self._sm_limit

    @sm_limit.setter
    def sm_limit(self, count):
        for handle in (self._unprepared, *self._handles.values()):
            check(library().fastnorm_plan_set_sm_limit(handle.pointer, count))
        self._sm_limit = count

    def run(self, tensors=None, /, *, stream=None, workspace=None, **named):
        """Runs the plan on arrays by the names of arguments and results: torch, cupy or numpy arrays, or anything with
        __cuda_array_interface__, __dlpack__, __array_interface__ or the buffer protocol. Arrays in host memory run on
        the emulator. A name that clashes goes into the dictionary `tensors`.

        Results that are not given are made as the arrays of the first argument are; a tied result is its argument.
        `stream` is a CUstream as a number; by default the current stream of torch or cupy, or the default stream.
        Returns the result, or a tuple of the results in the plan's order."""
        given = {**(tensors or {}), **named}
        known = {spec.name for spec in self.arguments + self.results}
        for name in given:
            if name not in known:
                raise Error(f"expected one of {', '.join(sorted(known))}, but got '{name}'")
        arguments = [self._describe("argument", spec, given.get(spec.name)) for spec in self.arguments]
        if not arguments and not given:
            raise Error(f"expected arrays for plan '{self.function}', but got none")
        first = given[self.arguments[0].name] if arguments else next(iter(given.values()))
        values = self._symbol_values(arguments)
        outputs = [self._output(index, spec, given, first, values) for index, spec in enumerate(self.results)]
        results = [self._describe("result", spec, output) for spec, output in zip(self.results, outputs)]
        device = self._device_of(arguments + results)
        handle = self.prepare(device)
        if stream is None:
            stream = _allocate.current_stream(first, device)
        size = self._workspace_bytes(values)
        if workspace is not None:
            memory = _arrays.describe(workspace)
            byte_count = memory_bytes(memory)
            address = memory.address
        else:
            address, byte_count = self._workspace(handle, device, stream, size, first)
        keep = []
        status = handle.library.fastnorm_plan_run(
            handle.pointer,
            _c_tensors(arguments, keep),
            len(arguments),
            _c_tensors(results, keep),
            len(results),
            address,
            byte_count,
            stream or None,
        )
        check(status)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _describe(self, role, spec, array):
        if array is None:
            raise Error(f"expected an array for {role} '{spec.name}' of plan '{self.function}', but got none")
        try:
            described = _arrays.describe(array)
        except TypeError as error:
            raise Error(f"{role} '{spec.name}': {error}", "FASTNORM_ERROR_TENSOR") from error
        if role == "result" and described.read_only:
            raise Error(f"expected result '{spec.name}' to be writable, but it is not", "FASTNORM_ERROR_TENSOR")
        return described

    def _device_of(self, arrays):
        names = [spec.name for spec in self.arguments + self.results]
        for name, array in zip(names, arrays):
            if array.device != arrays[0].device:
                raise Error(
                    f"expected all arrays on one device, but '{names[0]}' is on {_device_name(arrays[0].device)} and "
                    f"'{name}' on {_device_name(array.device)}",
                    "FASTNORM_ERROR_MEMORY",
                )
        return arrays[0].device

    def _symbol_values(self, arguments):
        """What the arguments say of the symbols; whether it holds together is the library's to check."""
        values = {}
        for spec, array in zip(self.arguments, arguments):
            for symbol, extent in zip(spec.shape, array.shape):
                if isinstance(symbol, str):
                    values.setdefault(symbol, extent)
            strides = array.strides or _dense_strides(array.shape)
            for symbol, stride in zip(spec.strides or (), strides):
                if isinstance(symbol, str):
                    values.setdefault(symbol, stride)
        return values

    def _output(self, index, spec, given, first, values):
        if spec.name in given:
            return given[spec.name]
        for argument in self.arguments:
            if argument.tied_result == index:
                return given.get(argument.name)
        shape = tuple(values.get(extent) if isinstance(extent, str) else extent for extent in spec.shape)
        output = None
        # A result with strides of its own is a view that only the caller can cut.
        if spec.strides is None and None not in shape:
            output = _allocate.empty(first, shape, spec.dtype)
        if output is None:
            raise Error(f"expected an array for result '{spec.name}', because none can be made here, but got none")
        return output

    def _workspace_bytes(self, values):
        key = tuple(values.get(symbol) for symbol in self.symbols)
        if None in key:
            return 0  # only a result has it; the run says what it needs
        if key not in self._sizes:
            size = ctypes.c_size_t()
            numbers = (ctypes.c_int64 * len(key))(*key)
            pointer = self._unprepared.pointer
            check(library().fastnorm_plan_workspace_size(pointer, numbers, len(key), ctypes.byref(size)))
            self._sizes[key] = size.value
        return self._sizes[key]

    def _workspace(self, handle, device, stream, size, like):
        if size == 0:
            return None, 0
        held = handle.workspaces.get(stream)
        if held is None or held[0] < size:
            made = _allocate.workspace(like, device, size, stream)
            if made is None:
                raise Error(f"expected workspace=, an array of {size} bytes, because no library is here to make one")
            held = handle.workspaces[stream] = (size, *made)
        return held[1], held[0]

    def __repr__(self):
        return f"Plan({self.function}: {self.arguments} -> {self.results})"


def memory_bytes(array):
    """The bytes of a dense array."""
    count = 1
    for extent in array.shape:
        count *= extent
    return count * ITEM_BYTES[array.dtype]


def _dense_strides(shape):
    strides = [1] * len(shape)
    for dimension in range(len(shape) - 2, -1, -1):
        strides[dimension] = strides[dimension + 1] * shape[dimension + 1]
    return strides


def _device_name(device):
    return "the host" if device == EMULATOR else f"cuda:{device}"


def _c_tensors(arrays, keep):
    """An array of structs; what it points to is put into `keep`."""
    tensors = (CTensor * len(arrays))()
    for tensor, array in zip(tensors, arrays):
        rank = len(array.shape)
        shape = (ctypes.c_int64 * rank)(*array.shape)
        tensor.data = array.address or None
        tensor.dtype = DTYPES.index(array.dtype)
        tensor.rank = rank
        tensor.shape = shape
        keep.append(shape)
        if array.strides is not None:
            strides = (ctypes.c_int64 * rank)(*array.strides)
            tensor.strides = strides
            keep.append(strides)
    return tensors


def load(path):
    """The plan in a file that `fastnorm-run GRAPH.mlir --emit=plan -o FILE` wrote."""
    try:
        return Plan(pathlib.Path(path).read_bytes())
    except OSError as error:
        raise Error(f"expected a plan in '{path}', but it can't be read: {error.strerror}", "FASTNORM_ERROR_FILE")
