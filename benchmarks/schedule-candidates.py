#!/usr/bin/env python3
"""Writes graphs with pinned schedules for the questions that docs/Schedules.md leaves open, and a script that times them.

usage: schedule-candidates.py FOLDER

FOLDER gets a graph per candidate and run.sh, which prints a line for each: `sh FOLDER/run.sh`, with fastnorm-run on the
PATH and a GPU. The first candidate of every question is what the cost model chooses.
"""

import os
import re
import subprocess
import sys


def rms_norm(hidden, storage="bf16"):
    x, w = f"tensor<?x{hidden}x{storage}>", f"tensor<{hidden}x{storage}>"
    return f"""func.func @norm(%x: {x}, %weight: {w}) -> {x} {{
  %y = fastnorm.rms_norm %x weight(%weight) {{eps = 1.0e-5 : f32}} : {x}, {w} -> {x}
  return %y : {x}
}}
"""


def per_row(scope, threads, vectors, ctas=1, width=8, **more):
    fields = {"kind": "per_row", "scope": scope, "threads_per_row": threads, "rows_per_cta": more.pop("rows", 1),
              "ctas_per_row": ctas, "vector_width": width, "vectors_per_thread": vectors,
              "vectors_in_flight": more.pop("in_flight", vectors), **more}
    return ", ".join(f"{name} = {value}" for name, value in fields.items())


# Question, graph, rows, schedules.
QUESTIONS = [
    ("wide65536", rms_norm(65536), 512, [
        per_row("cluster", 512, 4, 4, invariants="late", min_ctas=2),
        per_row("cluster", 512, 8, 2, invariants="late", min_ctas=2),
        per_row("cluster", 512, 2, 8, min_ctas=3),
        per_row("cluster", 256, 8, 4, invariants="late", min_ctas=4),
        per_row("cluster", 256, 4, 8, invariants="late", min_ctas=4),
        per_row("cluster", 1024, 4, 2, invariants="late"),
    ]),
    ("wide53248", rms_norm(53248), 630, [
        per_row("cluster", 416, 4, 4, invariants="late", min_ctas=3),
        per_row("cluster", 416, 8, 2, invariants="late", min_ctas=2),
        per_row("cluster", 416, 2, 8, min_ctas=3),
    ]),
    ("f32_16384", rms_norm(16384, "f32"), 1024, [
        per_row("cta", 512, 8, width=4, invariants="late", min_ctas=2),
        per_row("cta", 512, 8, width=4, invariants="late", min_ctas=2, in_flight=4),
        per_row("cta", 1024, 4, width=4, invariants="late"),
        per_row("cluster", 512, 4, 2, width=4, invariants="late", min_ctas=2),
        per_row("cluster", 256, 8, 2, width=4, invariants="late", min_ctas=4),
    ]),
    ("f32_8192", rms_norm(8192, "f32"), 2048, [
        per_row("cta", 512, 4, width=4, invariants="late", min_ctas=2),
        per_row("cta", 256, 8, width=4, invariants="late", min_ctas=4),
    ]),
    ("short128", rms_norm(128), 524288, [
        per_row("lanes", 16, 1, rows=8, min_ctas=12),
        per_row("lanes", 16, 1, rows=16, min_ctas=8),
        per_row("lanes", 16, 1, rows=32, min_ctas=4),
        per_row("lanes", 8, 2, rows=16, min_ctas=12),
        per_row("lanes", 8, 2, rows=32, min_ctas=6),
    ]),
    ("h5120", rms_norm(5120), 6553, [
        per_row("cta", 320, 2, min_ctas=4),
        per_row("cta", 224, 3, min_ctas=6),
        per_row("cta", 160, 4, min_ctas=8),
    ]),
    ("h7168", rms_norm(7168), 4681, [
        per_row("cta", 448, 2, min_ctas=3),
        per_row("cta", 320, 3, min_ctas=4),
        per_row("cta", 224, 4, min_ctas=5),
    ]),
    ("h2880", rms_norm(2880), 11650, [
        per_row("cta", 192, 2, min_ctas=8),
        per_row("cta", 128, 3, min_ctas=12),
        per_row("cta", 96, 4, min_ctas=12),
        per_row("lanes", 32, 12, rows=4, min_ctas=5, invariants="late"),
    ]),
] + [(f"few16384x{rows}", rms_norm(16384), rows, [
    per_row("cluster", 256, 2, 4, min_ctas=6) if rows <= 66 else per_row("cta", 512, 4, invariants="late", min_ctas=2),
    per_row("cta", 512, 4, invariants="late", min_ctas=2),
    per_row("cluster", 512, 1, 4),
    per_row("cluster", 512, 2, 2),
    per_row("cluster", 256, 1, 8),
    per_row("grid", 256, 2, 4, dependent_launch="true"),
    per_row("grid", 256, 2, 4),
]) for rows in (1, 8, 32, 128)] + [(f"few8192x{rows}", rms_norm(8192), rows, [
    per_row("cta", 512, 2, min_ctas=3),
    per_row("cluster", 256, 2, 2),
    per_row("cluster", 256, 1, 4),
]) for rows in (1, 8, 32)] + [(f"few65536x{rows}", rms_norm(65536), rows, [
    per_row("cluster", 512, 2, 8, min_ctas=3),
    per_row("cluster", 512, 4, 4, min_ctas=2, invariants="late"),
    per_row("cluster", 512, 1, 16),
]) for rows in (1, 8, 32)]


def pinned(graph, schedule):
    lowered = subprocess.run(["fastnorm-opt", "--fastnorm-pipeline=until=schedule row-invariant"], input=graph,
                             capture_output=True, text=True, check=True).stdout
    return re.sub(r"#fastnorm\.schedule<[^>]*>", f"#fastnorm.schedule<{schedule}>", lowered)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    lines = ["cd $(dirname $0)"]
    for question, graph, rows, schedules in QUESTIONS:
        for number, schedule in enumerate(schedules):
            name = f"{question}-{number}.mlir"
            with open(os.path.join(folder, name), "w") as file:
                file.write(pinned(graph, schedule))
            lines.append(f"echo '{question} {number}: {schedule}'")
            lines.append(f"fastnorm-run {name} --device=cuda --dim rows={rows} --fill=seed:1 --check=reference --bench "
                         "2>&1 | grep -E '^graph|match|error'")
    with open(os.path.join(folder, "run.sh"), "w") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
