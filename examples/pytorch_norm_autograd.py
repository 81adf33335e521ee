#!/usr/bin/env python3
"""Plans of a norm and of its backward as a torch.autograd.Function, compared with torch's own gradients in f32; skips with
a sentence where torch is not installed.

usage: pytorch_norm_autograd.py

Forward saves the statistics that backward reads. Without a GPU, tensors on the CPU run on fastnorm's emulator.
"""

import pathlib
import sys

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "python"))
import fastnorm

try:
    import torch
except ImportError:
    print("skipped: torch is not installed")
    sys.exit(0)

device = "cuda" if torch.cuda.is_available() else "cpu"
rows, hidden = (4096, 4096) if device == "cuda" else (6, 128)
eps = 1e-5
MATRIX, ROW, ROWS = f"tensor<?x{hidden}xf32>", f"tensor<{hidden}xf32>", "tensor<?xf32>"
FORWARD = f"""
func.func @rms_norm(%x: {MATRIX}, %weight: {ROW}) -> ({MATRIX} {{fastnorm.name = "y"}}, {ROWS} {{fastnorm.name = "rstd"}}) {{
  %y, %rstd = fastnorm.rms_norm %x weight(%weight) {{eps = {eps:e} : f32}} : {MATRIX}, {ROW} -> {MATRIX}, {ROWS}
  return %y, %rstd : {MATRIX}, {ROWS}
}}""", f"""
func.func @layer_norm(%x: {MATRIX}, %weight: {ROW}, %bias: {ROW})
    -> ({MATRIX} {{fastnorm.name = "y"}}, {ROWS} {{fastnorm.name = "mean"}}, {ROWS} {{fastnorm.name = "rstd"}}) {{
  %y, %mean, %rstd = fastnorm.layer_norm %x weight(%weight) bias(%bias) {{eps = {eps:e} : f32}}
     : {MATRIX}, {ROW}, {ROW} -> {MATRIX}, {ROWS}, {ROWS}
  return %y, %mean, %rstd : {MATRIX}, {ROWS}, {ROWS}
}}"""
BACKWARD = f"""
func.func @rms_norm_backward(%grad_output: {MATRIX}, %x: {MATRIX}, %rstd: {ROWS}, %weight: {ROW}) -> ({MATRIX}, {ROW}) {{
  %dx, %dw = fastnorm.rms_norm_backward %grad_output, %x rstd(%rstd) weight(%weight)
     : {MATRIX}, {MATRIX}, {ROWS}, {ROW} -> input({MATRIX}) weight({ROW})
  return %dx, %dw : {MATRIX}, {ROW}
}}""", f"""
func.func @layer_norm_backward(%grad_output: {MATRIX}, %x: {MATRIX}, %mean: {ROWS}, %rstd: {ROWS}, %weight: {ROW})
    -> ({MATRIX}, {ROW}, {ROW}) {{
  %dx, %dw, %db = fastnorm.layer_norm_backward %grad_output, %x mean(%mean) rstd(%rstd) weight(%weight)
     : {MATRIX}, {MATRIX}, {ROWS}, {ROWS}, {ROW} -> input({MATRIX}) weight({ROW}) bias({ROW})
  return %dx, %dw, %db : {MATRIX}, {ROW}, {ROW}
}}"""


def norm_function(forward_graph, backward_graph):
    """A differentiable function of x, weight and, as forward has it, bias."""
    flags = [] if device == "cuda" else ["--target=h200"]
    forward_plan, backward_plan = (fastnorm.compile(graph, *flags) for graph in (forward_graph, backward_graph))

    class Norm(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, weight, *bias):
            names = [spec.name for spec in forward_plan.arguments]
            y, *statistics = forward_plan.run(dict(zip(names, (x, weight, *bias))))
            ctx.save_for_backward(x, *statistics, weight)
            return y

        @staticmethod
        def backward(ctx, grad_output):
            names = [spec.name for spec in backward_plan.arguments]
            return backward_plan.run(dict(zip(names, (grad_output.contiguous(), *ctx.saved_tensors))))

    return Norm.apply


def compare(label, ours, torchs, inputs, grad_output):
    def results(function):
        y = function(*inputs)
        return (y.detach(), *torch.autograd.grad(y, inputs, grad_output))

    matches = True
    for name, got, expected in zip(("y", "dx", "dw", "db"), results(ours), results(torchs)):
        error = (got - expected).abs().max().item()
        limit = expected.abs().max().item() * 1e-5  # sums in another order
        print(f"{label} {name}: largest difference {error:.2e}, allowed {limit:.2e}")
        matches &= error <= limit
    return matches


torch.manual_seed(1)
x = torch.randn(rows, hidden, device=device, requires_grad=True)
weight = torch.rand(hidden, device=device, requires_grad=True)
bias = torch.randn(hidden, device=device, requires_grad=True)
grad_output = torch.randn(rows, hidden, device=device)
functional = torch.nn.functional
norms = [norm_function(*graphs) for graphs in zip(FORWARD, BACKWARD)]
matches = compare("rms_norm", norms[0], lambda x, weight: functional.rms_norm(x, (hidden,), weight, eps),
                  (x, weight), grad_output)  # fmt: skip
matches &= compare("layer_norm", norms[1], lambda *args: functional.layer_norm(args[0], (hidden,), *args[1:], eps),
                   (x, weight, bias), grad_output)  # fmt: skip
sys.exit(0 if matches else 1)
