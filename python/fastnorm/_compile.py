"""Compiling from Python: a call of fastnorm-run."""

import pathlib
import shutil
import subprocess
import tempfile

from ._library import Error
from ._plan import Plan


def _program():
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    for place in (root / "fastnorm-run", root / "build" / "bin" / "fastnorm-run"):
        if place.exists():
            return str(place)
    found = shutil.which("fastnorm-run")
    if found is None:
        raise Error("expected the program fastnorm-run on the PATH, but it is not there", "FASTNORM_ERROR_FILE")
    return found


def compile(graph, *flags):
    """Compiles a graph: the path of a .mlir file, or its text (what holds a line break). Flags are fastnorm-run's, such
    as "--target=h200"; without one the graph is compiled for the device that is found."""
    with tempfile.TemporaryDirectory() as folder:
        source = str(graph)
        if "\n" in source:
            source = str(pathlib.Path(folder) / "graph.mlir")
            pathlib.Path(source).write_text(str(graph))
        output = pathlib.Path(folder) / "plan.json"
        command = [_program(), source, "--emit=plan", "-o", str(output), *flags]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            raise Error(run.stderr.strip() or f"fastnorm-run failed with status {run.returncode}", "FASTNORM_ERROR_PLAN")
        return Plan(output.read_bytes())
