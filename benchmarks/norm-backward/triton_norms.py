"""Norms in Triton as they are commonly written: forward has a program a row; backward has programs that walk over rows,
each with its own sum for the gradients of weight and bias, and a second launch adds these sums."""

import triton
import triton.language as tl


@triton.jit
def norm_forward(x, weight, bias, y, mean_out, rstd_out, hidden, eps, IS_LAYER_NORM: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    mask = columns < hidden
    value = tl.load(x + row * hidden + columns, mask=mask, other=0.0).to(tl.float32)
    if IS_LAYER_NORM:
        mean = tl.sum(value, axis=0) / hidden
        tl.store(mean_out + row, mean)
        value = tl.where(mask, value - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(value * value, axis=0) / hidden + eps)
    tl.store(rstd_out + row, rstd)
    result = value * rstd * tl.load(weight + columns, mask=mask, other=0.0).to(tl.float32)
    if IS_LAYER_NORM:
        result += tl.load(bias + columns, mask=mask, other=0.0).to(tl.float32)
    tl.store(y + row * hidden + columns, result.to(y.dtype.element_ty), mask=mask)


@triton.jit
def norm_backward(
    grad_output, x, weight, mean_in, rstd_in, grad_input, weight_partials, bias_partials, rows, hidden, rows_per_program,
    IS_LAYER_NORM: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    program = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    mask = columns < hidden
    gain = tl.load(weight + columns, mask=mask, other=0.0).to(tl.float32)
    weight_sum = tl.zeros([BLOCK], dtype=tl.float32)
    bias_sum = tl.zeros([BLOCK], dtype=tl.float32)
    first = program * rows_per_program
    for row in range(first, tl.minimum(first + rows_per_program, rows)):
        at = row * hidden + columns
        dy = tl.load(grad_output + at, mask=mask, other=0.0).to(tl.float32)
        value = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
        rstd = tl.load(rstd_in + row)
        if IS_LAYER_NORM:
            value = tl.where(mask, value - tl.load(mean_in + row), 0.0)
            bias_sum += dy
        xhat = value * rstd
        weight_sum += dy * xhat
        wdy = gain * dy
        result = wdy - xhat * (tl.sum(xhat * wdy, axis=0) / hidden)
        if IS_LAYER_NORM:
            result -= tl.sum(wdy, axis=0) / hidden
        tl.store(grad_input + at, (result * rstd).to(grad_input.dtype.element_ty), mask=mask)
    tl.store(weight_partials + program * hidden + columns, weight_sum, mask=mask)
    if IS_LAYER_NORM:
        tl.store(bias_partials + program * hidden + columns, bias_sum, mask=mask)


@triton.jit
def add_partials(partials, result, num_partials, hidden, BLOCK_ROWS: tl.constexpr, BLOCK: tl.constexpr):
    columns = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = columns < hidden
    total = tl.zeros([BLOCK_ROWS, BLOCK], dtype=tl.float32)
    for first in range(0, num_partials, BLOCK_ROWS):
        rows = first + tl.arange(0, BLOCK_ROWS)
        both = (rows < num_partials)[:, None] & mask[None, :]
        total += tl.load(partials + rows[:, None] * hidden + columns[None, :], mask=both, other=0.0)
    tl.store(result + columns, tl.sum(total, axis=0).to(result.dtype.element_ty), mask=mask)


@triton.jit
def copy(source, target, count, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + at, tl.load(source + at, mask=at < count), mask=at < count)


def run_copy(source, target):
    """Copies a flat tensor of bf16."""
    copy[(triton.cdiv(source.numel(), 8192),)](source, target, source.numel(), BLOCK=8192, num_warps=8)


class Norm:
    """The launches of one norm at one shape. `warps` and `programs` are of the backward kernel, to be tuned."""

    def __init__(self, norm, rows, hidden, eps, programs_at_most):
        import torch

        self.rows, self.hidden, self.eps = rows, hidden, eps
        self.is_layer_norm = norm == "layer_norm"
        self.block = triton.next_power_of_2(hidden)
        self.forward_warps = min(max(self.block // 512, 1), 16)
        self.warps, self.programs = self.forward_warps, programs_at_most
        self.make_partials = lambda device: torch.empty(
            (2 if self.is_layer_norm else 1, programs_at_most, hidden), dtype=torch.float32, device=device
        )

    def candidates(self, sm_count):
        """(warps, programs) that hold 4 to 64 elements of a row per thread."""
        return [
            (warps, min(sm_count * programs_per_sm, self.rows))
            for warps in (1, 2, 4, 8, 16, 32)
            if 4 <= self.block // (32 * warps) <= 64
            for programs_per_sm in (1, 2, 4, 8)
            if warps * programs_per_sm in (16, 32)
        ] or [(self.forward_warps, min(sm_count, self.rows))]

    def forward(self, arrays):
        norm_forward[(self.rows,)](
            arrays["x"], arrays["weight"], arrays.get("bias"), arrays["y"], arrays.get("mean"), arrays["rstd"],
            self.hidden, self.eps, IS_LAYER_NORM=self.is_layer_norm, BLOCK=self.block, num_warps=self.forward_warps
        )  # fmt: skip

    def backward(self, arrays):
        partials = arrays["partials"]
        rows_per_program = triton.cdiv(self.rows, self.programs)
        programs = triton.cdiv(self.rows, rows_per_program)
        bias_partials = partials[1] if self.is_layer_norm else None
        norm_backward[(programs,)](
            arrays["grad_output"], arrays["x"], arrays["weight"], arrays.get("mean"), arrays["rstd"],
            arrays["grad_input"], partials[0], bias_partials, self.rows, self.hidden, rows_per_program,
            IS_LAYER_NORM=self.is_layer_norm, BLOCK=self.block, num_warps=self.warps
        )  # fmt: skip
        names = ("grad_weight", "grad_bias") if self.is_layer_norm else ("grad_weight",)
        for index, name in enumerate(names):
            grid = (triton.cdiv(self.hidden, 64),)
            add_partials[grid](partials[index], arrays[name], programs, self.hidden, BLOCK_ROWS=32, BLOCK=64, num_warps=4)
