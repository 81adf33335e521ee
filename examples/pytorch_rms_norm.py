#!/usr/bin/env python3
"""A fastnorm plan as a PyTorch operator, compared with torch; skips with a sentence where torch is not installed.

usage: pytorch_rms_norm.py [PLAN.json]   (without a plan, compiles examples/rms_norm.mlir)

The operator has a fake implementation, so torch.compile sees through it, and it may be captured into a CUDA graph: a run
neither allocates nor waits. Without a GPU, tensors on the CPU run on fastnorm's emulator.
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
if len(sys.argv) > 1:
    plan = fastnorm.load(sys.argv[1])
else:
    flags = [] if device == "cuda" else ["--target=h200"]
    plan = fastnorm.compile(root / "examples" / "rms_norm.mlir", *flags)


@torch.library.custom_op("fastnorm::rms_norm", mutates_args=())
def rms_norm(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return plan.run(x=x, weight=weight)


@rms_norm.register_fake
def _(x, weight):
    return torch.empty_like(x)


def compare(label, y, x, weight):
    expected = torch.nn.functional.rms_norm(x.float(), (x.shape[-1],), weight.float(), eps=1e-5)
    error = (y.float() - expected).abs().max().item()
    limit = expected.abs().max().item() * 2**-7  # one rounding to bf16, doubled
    print(f"{label}: largest difference {error:.2e}, allowed {limit:.2e}")
    return error <= limit


torch.manual_seed(1)
rows = 4096 if device == "cuda" else 4
x = torch.randn(rows, 4096, device=device).bfloat16()
weight = torch.rand(4096, device=device).bfloat16()
matches = compare("eager", rms_norm(x, weight), x, weight)

if device == "cuda":
    compiled = torch.compile(lambda x, weight: rms_norm(x, weight) * 1.0, fullgraph=True)
    matches &= compare("torch.compile", compiled(x, weight), x, weight)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = rms_norm(x, weight)
    x.copy_(torch.randn_like(x))
    graph.replay()
    torch.cuda.synchronize()
    matches &= compare("CUDA graph", y, x, weight)

sys.exit(0 if matches else 1)
