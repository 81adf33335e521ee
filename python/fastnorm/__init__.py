"""Run compiled fastnorm plans from Python: ctypes over libfastnorm, nothing to build.

    import fastnorm
    plan = fastnorm.load("norm.json")
    y = plan.run(x=x, weight=weight)      # torch, cupy or numpy arrays, or anything that shows its memory

A plan is what `fastnorm-run GRAPH.mlir --emit=plan -o norm.json` writes; fastnorm.compile calls that program.
"""

from ._compile import compile
from ._library import Error, use_library, version
from ._plan import EMULATOR, Plan, TensorSpec, load

__all__ = ["EMULATOR", "Error", "Plan", "TensorSpec", "compile", "load", "use_library", "version"]
