#!/usr/bin/env python3
"""Times forward + backward, and backward alone, of rms_norm and layer_norm in bf16 with weight (and bias), for fastnorm,
PyTorch's own kernels, torch.compile and Triton, in one process in turns. Prints Markdown.

usage: benchmarks/norm-backward/norm-backward.py [--tool FASTNORM_RUN] [--shapes 8192x4096,…] [--norms rms_norm] …

Every contestant's launches over rotating operand sets are one CUDA graph, so that operands come from DRAM and the host
costs nobody anything: first the forwards of all sets, then the backwards. (Of tensors below 1 MB, caches may keep some.) A
sample replays all graphs in a new order; the figure is the median. Bandwidth counts x, y of forward and grad_output, x,
grad_input of backward: 5 tensors, or 4 where x is counted once; 3 for backward alone. "copy" copies 2 and 3 tensors'
bytes in two launches, by the faster of cudaMemcpyAsync and a kernel. All results are checked against f64; a contestant
that fails is not first. Compiling is not timed, but limited: a contestant that takes too long is left out.

With --device=emulator, fastnorm alone is checked on small shapes, without a GPU or torch, and nothing is timed.
Exit status: 0 done; 1 fastnorm failed somewhere, or torch or a GPU is missing; 2 bad use.
"""

import argparse
import gc
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "python"))  # behind PYTHONPATH
import emulator_check
import fastnorm
import plans
import report

WIDTHS = (1024, 2048, 4096, 8192, 16384)
SHAPES = ",".join(f"{millions * 2**20 // hidden}x{hidden}" for millions in (32, 16, 8) for hidden in WIDTHS)
# Of a value and the root mean square of all. One rounding to bf16 is at most 2^-9; others may round more than once.
LIMIT = 2.0**-7
CHECKED_ELEMENTS = 2**26


def shapes_of(text):
    shapes = [tuple(int(extent) for extent in shape.split("x")) for shape in text.split(",")]
    if any(len(shape) != 2 or min(shape) < 1 for shape in shapes):
        raise ValueError
    return shapes


def norms_of(text):
    if not set(text.split(",")) <= set(plans.NORMS):
        raise ValueError
    return text.split(",")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", type=shapes_of, help="ROWSxHIDDEN,… (default: 15, of 32, 16 and 8 M elements)")
    parser.add_argument("--norms", type=norms_of, default=plans.NORMS, help="rms_norm,layer_norm")
    parser.add_argument("--seconds", type=float, default=600, help="begin no shape after so many seconds")
    parser.add_argument("--compile-seconds", type=float, help="for torch.compile altogether (default: 40 %% of all)")
    parser.add_argument("--prepare-seconds", type=float, default=40, help="for one contestant at one shape")
    parser.add_argument("--samples", type=int, default=21, help="at least 2")
    parser.add_argument("--device", choices=("cuda", "emulator"), default="cuda")
    parser.add_argument("--tool", default="fastnorm-run", help="the program that compiles plans")
    parser.add_argument("--target", default="h200", help="what plans are compiled for")
    parser.add_argument("--plans", help="a folder: plans that are there are used, others are written there")
    parser.add_argument("--library", help="libfastnorm.so, if not beside the package")
    parser.add_argument("--json", type=pathlib.Path, help="a file for all figures, written after every shape")
    parser.add_argument("--first-cell", type=int, default=0, help="leave out so many; what --json has is kept")
    options = parser.parse_args()
    if options.samples < 2:
        parser.error("expected at least 2 samples")
    options.shapes = options.shapes or shapes_of("6x128" if options.device == "emulator" else SHAPES)
    if options.compile_seconds is None:
        options.compile_seconds = 0.4 * options.seconds
    return options


def check_on_emulator(options, compiled):
    print("| norm | rows × hidden | error of y | of dx | of dw | of db |\n|---|---|---|---|---|---|")
    right = True
    for rows, hidden in options.shapes:
        for norm in options.norms:
            errors = emulator_check.errors(compiled[norm, hidden], rows, hidden)
            texts = [f"{error:.1e}" if error <= emulator_check.LIMIT else f"**{error:.1e}**" for error in errors.values()]
            print(f"| {norm} | {rows} × {hidden} | {' | '.join(texts)} |{' |' * (4 - len(texts))}")
            right = right and max(errors.values()) <= emulator_check.LIMIT
    print(f"\nAllowed are {emulator_check.LIMIT:.1e} of a value and of the root mean square of all.")
    return right


def versions():
    import torch
    import triton

    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        driver = subprocess.run(query, capture_output=True, text=True, timeout=20).stdout.split("\n")[0] or "unknown"
    except (OSError, subprocess.TimeoutExpired):
        driver = "unknown"
    return {
        "device": torch.cuda.get_device_name(),
        "driver": driver,
        "CUDA of torch": torch.version.cuda,
        "torch": torch.__version__,
        "triton": triton.__version__,
        "fastnorm": fastnorm.version(),
    }


class Bench:
    """Times one cell, a norm at a shape, after the other."""

    def __init__(self, options, compiled):
        import contestants
        import graphs
        import torch

        self.torch, self.contestants, self.graphs = torch, contestants, graphs
        self.options, self.compiled = options, compiled
        self.stream = torch.cuda.Stream()
        self.sm_count = torch.cuda.get_device_properties(0).multi_processor_count
        self.deadline = time.monotonic() + options.seconds
        self.compile_seconds = options.compile_seconds
        torch.manual_seed(1)

    def make(self, name, operands):
        """A contestant that has run once."""
        makers = {
            "fastnorm": lambda: self.contestants.fastnorm_of(operands, self.compiled[operands.norm, operands.hidden]),
            "PyTorch": lambda: self.contestants.native_of(operands),
            "torch.compile": lambda: self.contestants.compiled_of(operands),
            "Triton": lambda: self.contestants.triton_of(operands, self.sm_count, self.time_backward),
        }
        seconds = min(self.options.prepare_seconds, self.deadline + 10 - time.monotonic())
        if name == "torch.compile":
            seconds = min(seconds, self.compile_seconds)
        begin = time.monotonic()
        try:
            with self.graphs.limited(seconds, name), self.torch.cuda.stream(self.stream):
                contestant = makers[name]()
                for _ in range(2):
                    contestant.forward(0)
                    contestant.backward(0)
                contestant.forget()
                self.torch.cuda.synchronize()
                return contestant
        finally:
            if name == "torch.compile":
                self.compile_seconds -= time.monotonic() - begin

    def time_backward(self, contestant):
        contestant.backward(0)
        calls = [lambda index=index: contestant.backward(index) for index in range(len(contestant.operands.sets))]
        return self.graphs.time_once(self.graphs.capture(calls, self.stream))

    def capture(self, contestant, is_whole):
        """The graph of a pass, whose results are the contestant's when it is replayed."""
        sets = range(len(contestant.operands.sets))
        forward = [lambda index=index: contestant.forward(index) for index in sets]
        backward = [lambda index=index: contestant.backward(index) for index in sets]
        if is_whole:
            return self.graphs.capture(forward + backward, self.stream)
        with self.torch.cuda.stream(self.stream):
            for call in forward:
                call()
        return self.graphs.capture(backward, self.stream)

    def attempt(self, failures, name, work):
        """The work's result; None, and why in `failures`, where it fails. An error that the device keeps goes on."""
        try:
            return work()
        except Exception as error:
            failures[name] = f"{type(error).__name__}: {error}".strip().split("\n")[0][:300]
            self.torch.cuda.synchronize()
            return None

    def cell(self, norm, rows, hidden):
        tensor_bytes = 2 * rows * hidden
        sets = min(max(2, round(1.2e9 / (3 * tensor_bytes))), 64)
        operands = self.contestants.Operands(norm, rows, hidden, sets, "cuda")
        expected = self.contestants.reference(operands, 0, max(1, CHECKED_ELEMENTS // hidden))
        self.torch.cuda.synchronize()
        failures = {}
        made = {name: self.attempt(failures, name, lambda: self.make(name, operands)) for name in report.CONTESTANTS}
        made = {name: contestant for name, contestant in made.items() if contestant is not None}
        copies = self.contestants.copies_of(operands)
        copies["copy kernel"].forward(0)
        copies["copy kernel"].backward(0)
        for is_whole in (True, False):
            cell = {"norm": norm, "pass": "forward + backward" if is_whole else "backward", "sets": sets}
            cell.update(rows=rows, hidden=hidden, failures=dict(failures))
            keys = [key for key in expected if is_whole or key != "y"]
            self.time_pass(cell, {**made, **copies}, {key: expected[key] for key in keys}, is_whole)
            yield cell

    def time_pass(self, cell, made, expected, is_whole):
        captured = {}
        for name, contestant in made.items():
            contestant.forget()
            captured[name] = self.attempt(cell["failures"], name, lambda: self.capture(contestant, is_whole))
        captured = {name: graph for name, graph in captured.items() if graph is not None}
        cell["times"] = self.graphs.sample(captured, self.options.samples, cell["sets"], self.stream)
        cell["errors"] = {}
        for name in [name for name in captured if name in report.CONTESTANTS]:
            self.contestants.clear(made[name], 0, expected)
            captured[name].replay()
            self.torch.cuda.synchronize()
            cell["errors"][name] = self.contestants.errors(made[name], 0, expected)
        cell["notes"] = {name: contestant.note for name, contestant in made.items() if hasattr(contestant, "note")}
        report.conclude(cell, LIMIT)


def bench(options, compiled):
    """The cells, each printed and written as it comes."""
    timed = Bench(options, compiled)
    result = {"versions": versions(), "cells": []}
    if options.first_cell and options.json and options.json.exists():
        result["cells"] = json.loads(options.json.read_text())["cells"]
    report.begin(result["versions"])
    todo = [(norm, *shape) for shape in options.shapes for norm in options.norms]
    for index in range(options.first_cell, len(todo)):
        if time.monotonic() > timed.deadline:
            print(f"\nNo time was left for {len(todo) - index} of {len(todo)} shapes and norms.", flush=True)
            break
        try:
            for cell in timed.cell(*todo[index]):
                report.add(cell)
                result["cells"].append(cell)
        except Exception as error:
            failed = dict(zip(("norm", "rows", "hidden"), todo[index]), error=f"{type(error).__name__}: {error}")
            report.add_failed(failed)
            result["cells"].append(failed)
        write(options.json, result)
        clean(timed.torch, index + 1, timed.deadline - time.monotonic())
    report.end(result["cells"])
    return all(cell.get("winner") and "fastnorm" not in cell["failures"] for cell in result["cells"])


def write(path, result):
    if path:
        part = path.with_suffix(".part")
        part.write_text(json.dumps(result, indent=1))
        part.replace(path)


def clean(torch, next_cell, seconds):
    """Frees memory; where the device has kept an error, the process is of no use: begins anew with the next cell."""
    try:
        if torch.cuda.memory_allocated() > 2**31:
            gc.collect()
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
    except RuntimeError:
        sys.stdout.flush()
        sys.stderr.flush()
        again = ["--first-cell", str(next_cell), "--seconds", str(max(seconds, 0))]
        os.execv(sys.executable, [sys.executable, *sys.argv, *again])


def main():
    options = parse()
    if options.library:
        fastnorm.use_library(options.library)
    if options.device == "cuda":
        try:
            import torch
            import triton  # noqa: F401
        except ImportError as error:
            sys.exit(f"norm-backward: error: expected torch and triton to be installed, but: {error}")
        if not torch.cuda.is_available():
            sys.exit("norm-backward: error: expected a CUDA device, but torch finds none")
    with tempfile.TemporaryDirectory() as folder:
        hiddens = sorted({hidden for _, hidden in options.shapes})
        folder = options.plans or folder
        compiled = plans.compile_all(options.tool, options.target, folder, options.norms, hiddens)
        failed = [error for error in compiled.values() if isinstance(error, Exception)]
        if failed and options.device == "emulator":
            sys.exit(f"norm-backward: error: {failed[0]}")
        done = check_on_emulator(options, compiled) if options.device == "emulator" else bench(options, compiled)
    return 0 if done else 1


sys.exit(main())
