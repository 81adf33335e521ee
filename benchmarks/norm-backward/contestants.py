"""Who is timed: fastnorm, PyTorch's own kernels, torch.compile, and Triton; and the f64 results they are held to.

A contestant enqueues forward(set) and backward(set) on the current stream, and shows results(set)."""

import torch
import triton_norms
from plans import EPS, STATISTICS

NAMES = {"y": "y", "dx": "grad_input", "dw": "grad_weight", "db": "grad_bias"}


class Operands:
    """Rotating sets of x, grad_output, y and grad_input, each set in one allocation `flat` in this order. x and
    grad_output are random; weight is around 1, bias around 0."""

    def __init__(self, norm, rows, hidden, sets, device):
        self.norm, self.rows, self.hidden, self.device = norm, rows, hidden, device
        self.flat = [torch.empty(4 * rows * hidden, dtype=torch.bfloat16, device=device) for _ in range(sets)]
        self.weight = self._leaf(torch.randn(hidden, device=device) * 0.1 + 1)
        self.bias = self._leaf(torch.randn(hidden, device=device) * 0.1) if norm == "layer_norm" else None
        self.sets = []
        for flat in self.flat:
            # .data: a copy that writes the results in `flat` is no change of x.
            x, grad_output, y, grad_input = (part.data.view(rows, hidden) for part in flat.chunk(4))
            x.normal_()
            grad_output.normal_()
            self.sets.append(dict(x=x.requires_grad_(), grad_output=grad_output, y=y, grad_input=grad_input))

    def _leaf(self, values):
        return values.bfloat16().requires_grad_()

    def inputs(self, index):
        return [value for value in (self.sets[index]["x"], self.weight, self.bias) if value is not None]

    def arrays(self, index):
        """The set's arrays with statistics and gradients of weight and bias of their own."""
        arrays = dict(self.sets[index], weight=self.weight, bias=self.bias)
        for name in STATISTICS[self.norm]:
            arrays[name] = torch.empty(self.rows, dtype=torch.float32, device=self.device)
        for name in ("grad_weight", "grad_bias"):
            arrays[name] = torch.empty(self.hidden, dtype=torch.bfloat16, device=self.device)
        return arrays


class Direct:
    """Kernels with functions forward and backward that write into arrays by name."""

    def __init__(self, operands, kernels):
        self.operands = operands
        self.kernels = kernels
        self.arrays = [operands.arrays(index) for index in range(len(operands.sets))]

    def forward(self, index):
        self.kernels.forward(self.arrays[index])

    def backward(self, index):
        self.kernels.backward(self.arrays[index])

    def forget(self):
        pass

    def results(self, index):
        names = [key for key in NAMES if key != "db" or self.operands.bias is not None]
        return {key: self.arrays[index][NAMES[key]] for key in names}


class Autograd:
    """A function of x, weight (and bias) that torch differentiates; results are new tensors, kept until the next call."""

    def __init__(self, operands, function):
        self.operands = operands
        self.function = function
        self.y, self.grads = {}, {}

    def forward(self, index):
        self.y[index] = self.function(*self.operands.inputs(index))

    def backward(self, index):
        grad_output = self.operands.sets[index]["grad_output"]
        inputs = self.operands.inputs(index)
        self.grads[index] = torch.autograd.grad(self.y[index], inputs, grad_output, retain_graph=True)

    def forget(self):
        self.y, self.grads = {}, {}

    def results(self, index):
        return dict(zip(NAMES, (self.y[index].detach(), *self.grads[index])))


class Copy:
    """The same bytes as forward (two tensors) and backward (three) copied, by `copy(source, target)` of flat tensors."""

    def __init__(self, operands, copy):
        self.operands = operands
        self.copy = copy

    def _copy(self, index, half_tensors):
        flat = self.operands.flat[index]
        count = flat.numel() // 8 * half_tensors
        self.copy(flat[:count], flat[flat.numel() // 2 :][:count])

    def forward(self, index):
        self._copy(index, 2)

    def backward(self, index):
        self._copy(index, 3)

    def forget(self):
        pass


def copies_of(operands):
    """By cudaMemcpyAsync, and by a kernel."""
    return {"copy": Copy(operands, lambda source, target: target.copy_(source)),
            "copy kernel": Copy(operands, triton_norms.run_copy)}  # fmt: skip


def torch_norm(norm):
    if norm == "layer_norm":
        return lambda x, weight, bias: torch.nn.functional.layer_norm(x, (x.shape[-1],), weight, bias, EPS)
    return lambda x, weight: torch.nn.functional.rms_norm(x, (x.shape[-1],), weight, EPS)


def fastnorm_of(operands, plans):
    if isinstance(plans, Exception):
        raise plans
    return Direct(operands, plans)


def native_of(operands):
    return Autograd(operands, torch_norm(operands.norm))


def compiled_of(operands):
    import torch._functorch.config

    torch._dynamo.reset()
    # Saved tensors stay for the replays of a captured backward.
    torch._functorch.config.donated_buffer = False
    return Autograd(operands, torch.compile(torch_norm(operands.norm), dynamic=False, fullgraph=True))


def triton_of(operands, sm_count, time_backward):
    """Tuned: `time_backward(contestant)` gives the time of a backward of some sets."""
    kernels = triton_norms.Norm(operands.norm, operands.rows, operands.hidden, EPS, 16 * sm_count)
    contestant = Direct(operands, kernels)
    partials = kernels.make_partials(operands.device)
    for arrays in contestant.arrays:
        arrays["partials"] = partials
    contestant.forward(0)
    times = {}
    for candidate in kernels.candidates(sm_count):
        kernels.warps, kernels.programs = candidate
        times[candidate] = time_backward(contestant)
    kernels.warps, kernels.programs = min(times, key=times.get)
    contestant.note = f"{kernels.warps} warps, {kernels.programs} programs"
    return contestant


def _error(got, expected):
    """The largest difference in parts of its value and of the root mean square of all; inf for NaN."""
    difference = (got.double() - expected).abs_() / (expected.abs() + expected.square().mean().sqrt())
    return difference.max().nan_to_num(nan=float("inf")).item()


def reference(operands, index, rows_at_most):
    """The results in f64 of torch, of all rows or, where there are more, of the first rows without dw and db: those add
    up all rows."""
    rows = min(rows_at_most, operands.rows)
    x, *parameters = [value.detach() for value in operands.inputs(index)]
    inputs = [value.double().requires_grad_() for value in (x[:rows], *parameters)]
    y = torch_norm(operands.norm)(*inputs)
    grads = torch.autograd.grad(y, inputs, operands.sets[index]["grad_output"][:rows].double())
    expected = dict(zip(NAMES, (y.detach(), *grads)))
    return expected if rows == operands.rows else {key: expected[key] for key in ("y", "dx")}


def clear(contestant, index, keys):
    """Fills results with NaN: what the next run does not write shows."""
    for key in keys:
        contestant.results(index)[key].data.fill_(float("nan"))


def errors(contestant, index, expected):
    got = contestant.results(index)
    return {key: _error(got[key][: value.shape[0]], value) for key, value in expected.items()}
