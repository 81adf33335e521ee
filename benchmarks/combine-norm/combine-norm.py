#!/usr/bin/env python3
"""Times combine + residual + rms_norm (bf16, gate and weight f32, i64 index) with its kernels grouped in every way, beside
what the cost model says of each, over rows × top_k × hidden. Writes CSV: a line for each grouping at each point.

usage: benchmarks/combine-norm/combine-norm.py --csv FILE [--tool FASTNORM_RUN] [--rows 1,4,…] [--top-k 1,…] [--hidden …]

A grouping's launches over rotating operand sets are one CUDA graph, so that operands come from DRAM and the host costs
nothing; what one of its kernels writes for the next stays where the caches leave it. A sample replays the graphs of a
point in a new order; the figure is the median. "copy" moves as many bytes by cudaMemcpyAsync. Results are compared with
torch in 16 rows at both ends. --torch-compile adds torch.compile of the same graph at the first points, in its given time.

The first line printed for a point is the regret: the time of what the model chose over that of the best forced grouping.
--predict-only writes the model's times alone and needs neither torch nor a GPU.
Exit status: 0 done; 1 a result was wrong, or something failed; 2 bad use.
"""

import argparse
import csv
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "python"))  # behind PYTHONPATH
sys.path.append(str(ROOT / "benchmarks/norm-backward"))
import plans

ROWS = "1,4,16,32,64,128,512,2048,8192,16384"
TOP_K = "1,2,4,8,16"
HIDDEN = "1024,2048,2880,3072,4096,7168,16384"
# Figures of schedules.md and of the report, first.
NAMED = ((3467, 8, 3072), (16384, 8, 2048), (4096, 4, 4096), (8192, 2, 6144), (4096, 8, 7168), (4096, 1, 4096),
         (128, 8, 3072), (64, 8, 7168), (16, 8, 3072))  # fmt: skip
COLUMNS = ("rows", "top_k", "hidden", "grouping", "us", "noise_percent", "model_us", "is_chosen", "bytes", "copy_us")
LIMIT = 2.0**-6


def numbers(text):
    values = [int(word) for word in text.split(",")]
    if min(values) < 1:
        raise ValueError
    return values


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--csv", type=pathlib.Path, required=True, help="the file to write")
    parser.add_argument("--rows", type=numbers, default=numbers(ROWS))
    parser.add_argument("--top-k", type=numbers, default=numbers(TOP_K))
    parser.add_argument("--hidden", type=numbers, default=numbers(HIDDEN))
    parser.add_argument("--named-only", action="store_true", help="only the shapes with figures of their own")
    parser.add_argument("--seconds", type=float, default=420, help="begin no point after so many seconds")
    parser.add_argument("--samples", type=int, default=9, help="at least 2")
    parser.add_argument("--torch-compile", type=float, default=0, metavar="SECONDS")
    parser.add_argument("--tool", default="fastnorm-run", help="the program that compiles plans")
    parser.add_argument("--target", default="h200", help="what plans are compiled for")
    parser.add_argument("--plans", help="a folder: plans that are there are used, others are written there")
    parser.add_argument("--jobs", type=int, help="processes that compile (default: one a core)")
    parser.add_argument("--library", help="libfastnorm.so, if not beside the package")
    parser.add_argument("--predict-only", action="store_true")
    options = parser.parse_args()
    if options.samples < 2:
        parser.error("expected at least 2 samples")
    return options


def points_of(options):
    grid = [(rows, top_k, hidden) for hidden in options.hidden for top_k in options.top_k for rows in options.rows]
    return list(NAMED) if options.named_only else list(dict.fromkeys([*NAMED, *grid]))


class Table:
    """The CSV file, written as it comes."""

    def __init__(self, path, predictions):
        self.file = open(path, "w", newline="", encoding="utf-8")
        self.rows = csv.DictWriter(self.file, COLUMNS, restval="")
        self.rows.writeheader()
        self.predictions = predictions

    def add(self, point, times, byte_count=""):
        model, chosen = self.predictions[point]
        for grouping in [*plans.GROUPINGS, "torch.compile"]:
            if grouping not in times and grouping not in model:
                continue
            line = dict(zip(COLUMNS, (*point, grouping)), bytes=byte_count, is_chosen=int(grouping == chosen))
            if grouping in times:
                line.update(us=f"{times[grouping][0]:.3f}", noise_percent=f"{times[grouping][1]:.2f}")
            if grouping in model:
                line["model_us"] = model[grouping]
            if "copy" in times:
                line["copy_us"] = f"{times['copy'][0]:.3f}"
            self.rows.writerow(line)
        self.file.flush()


class Bench:
    def __init__(self, options, compiled, points):
        import fastnorm
        import graphs
        import operands
        import torch

        if options.library:
            fastnorm.use_library(options.library)
        self.torch, self.graphs, self.operands, self.options = torch, graphs, operands, options
        self.plans = {key: fastnorm.load(path) for key, path in compiled.items()}
        self.stream = torch.cuda.Stream()
        self.deadline = time.monotonic() + options.seconds
        self.compile_seconds = options.torch_compile
        torch.manual_seed(1)
        most = max(rows * hidden * (top_k + 1) for rows, top_k, hidden in points)
        self.pool = operands.Pool(max(most, 2**29), max(rows * hidden for rows, _, hidden in points) * 2)

    def compiled_by_torch(self, operands):
        """A call of torch.compile's kernels that has run; None where no time is left for it."""
        begin = time.monotonic()
        keys = ("expert_rows", "row_index", "gate", "residual", "weight")
        try:
            with self.graphs.limited(min(self.compile_seconds, 60), "torch.compile"), self.torch.cuda.stream(self.stream):
                self.torch._dynamo.reset()
                function = self.torch.compile(self.operands.block, dynamic=False, fullgraph=True)
                calls = [lambda arrays=arrays: function(**{key: arrays[key] for key in keys}) for arrays in operands.sets]
                for call in (calls[0], calls[0]):
                    call()
                return calls
        except TimeoutError:
            return None
        finally:
            self.compile_seconds -= time.monotonic() - begin

    def calls_of(self, operands):
        """{name: a call for each set}, each of which has run once."""
        calls = {}
        for name in plans.GROUPINGS:
            plan = self.plans[operands.top_k, operands.hidden, name]
            calls[name] = [lambda plan=plan, arrays=arrays: plan.run(arrays) for arrays in operands.sets]
        half = operands.byte_count // 4
        # Whole pages where there are many: cudaMemcpyAsync is slow between places that are multiples of 16 bytes only.
        half -= half % 4096 if half > 2**16 else half % 8
        source, target = self.pool.values, self.torch.empty(half, dtype=self.torch.bfloat16, device="cuda")
        step = min(half, max(0, source.numel() - half) // max(1, len(operands.sets)))
        step -= step % 4096 if step > 2**16 else step % 8
        calls["copy"] = [lambda start=index * step: target.copy_(source[start:][:half]) for index in range(len(operands.sets))]
        with self.torch.cuda.stream(self.stream):
            for listed in calls.values():
                listed[0]()
        if self.compile_seconds > 1 and (compiled := self.compiled_by_torch(operands)):
            calls["torch.compile"] = compiled
        return calls

    def wrong_plans(self, operands):
        wrong = {}
        for name in plans.GROUPINGS:
            operands.sets[0]["y"].fill_(float("nan"))
            self.plans[operands.top_k, operands.hidden, name].run(operands.sets[0])
            error = self.operands.error(operands.sets[0], min(16, operands.rows))
            if not error <= LIMIT:
                wrong[name] = error
        return wrong

    def point(self, rows, top_k, hidden):
        """({name: (median, noise)}, bytes, {grouping that is wrong: error})"""
        operands = self.operands.Operands(self.pool, rows, top_k, hidden)
        calls = self.calls_of(operands)
        captured = {name: self.graphs.capture(listed, self.stream) for name, listed in calls.items()}
        times = self.graphs.sample(captured, self.options.samples, len(operands.sets), self.stream)
        return times, operands.byte_count, self.wrong_plans(operands)

    def all(self, points, table):
        right = True
        for index, point in enumerate(points):
            if time.monotonic() > self.deadline:
                print(f"No time was left for {len(points) - index} of {len(points)} points.", flush=True)
                break
            times, byte_count, wrong = self.point(*point)
            table.add(point, times, byte_count)
            describe(point, times, table.predictions[point])
            for name, error in wrong.items():
                print(f"  {name}: expected an error up to {LIMIT:.1e}, but got {error:.1e}", flush=True)
                right = False
        return right


def describe(point, times, prediction):
    model, chosen = prediction
    best = min(plans.FORCED, key=lambda name: times[name][0])
    texts = [f"{name} {times[name][0]:.2f} ({model[name]:.2f})" for name in plans.FORCED]
    regret = times[chosen][0] / times[best][0]
    others = [f"{name} {times[name][0]:.2f}" for name in ("auto", "torch.compile", "copy") if name in times]
    shape = " x ".join(map(str, point))
    print(f"{shape}: {regret:.3f} [{chosen}; best {best}] {'; '.join(texts + others)}", flush=True)


def main():
    options = parse()
    points = points_of(options)
    try:
        predictions = plans.predict_all(options.tool, options.target, points, options.jobs)
        table = Table(options.csv, predictions)
        if options.predict_only:
            for point in points:
                table.add(point, {})
            return 0
        with tempfile.TemporaryDirectory() as folder:
            sizes = sorted({point[1:] for point in points})
            compiled = plans.compile_all(options.tool, options.target, options.plans or folder, sizes, options.jobs)
            return 0 if Bench(options, compiled, points).all(points, table) else 1
    except plans.Failed as error:
        sys.exit(f"combine-norm: error: {error}")


if __name__ == "__main__":
    sys.exit(main())
