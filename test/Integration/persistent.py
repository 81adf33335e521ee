"""Schedules of CTAs that walk over many rows, and graphs that are worked on so."""

import re
import subprocess

ROWS = (0, 1, 2, 5, 6, 7, 40)


def backward(op, hidden, **settings):
    """A gradient graph of a norm with all its results."""
    keys = {"hidden": hidden, "grad_bias": "yes" if op.startswith("layer") else "no", **settings}
    return subprocess.run(
        ["fastnorm-run", "--graph=" + op, "--set", ",".join(f"{k}={v}" for k, v in keys.items()), "--emit=mlir"],
        capture_output=True, text=True, check=True).stdout


def scheduled(graph, schedule, target="h200"):
    """A graph as one kernel whose schedule stands in the text, for any number of rows."""
    fused = subprocess.run(["fastnorm-opt", f"--fastnorm-pipeline=target={target} until=fuse fuse=always"], input=graph,
                           capture_output=True, text=True, check=True).stdout
    text, kernels = re.subn(r"(fastnorm\.kernel \"\w+\" \([^)]*\)) :",
                            rf"\1 {{schedule = #fastnorm.schedule<{schedule}>}} :", fused)
    assert kernels == 1, fused
    return text


def shape(threads, groups, vectors, ctas, persistent, stages, extra="", width=8):
    scope = f"scope = cluster, ctas_per_row = {ctas}" if ctas > 1 else "scope = cta"
    return (f"kind = per_row, {scope}, threads_per_row = {threads}, rows_per_cta = {groups}, vector_width = {width}, "
            f"vectors_per_thread = {vectors}, persistent_ctas = {persistent}, stages = {stages}{extra}")


SHAPES = (
    # hidden, threads, groups, vectors, CTAs of a row, of the grid, stages
    (2048, 256, 1, 1, 1, 3, 2),
    (2048, 128, 3, 2, 1, 2, 2),
    (2048, 128, 3, 2, 1, 2, 0),
    (2048, 64, 2, 4, 1, 2, 5),
    # Vectors past the row; groups of three and of one warp.
    (2056, 96, 2, 3, 1, 2, 3),
    (2056, 96, 2, 3, 1, 2, 0),
    (248, 32, 4, 1, 1, 2, 8),
    # Clusters, whose last CTA may have less.
    (2048, 64, 2, 2, 2, 4, 2),
    (2048, 32, 3, 1, 8, 16, 2),
    (1984, 64, 2, 1, 4, 8, 3),
    (1984, 64, 1, 1, 4, 4, 0),
)

BY_THREAD = ", copies = by_thread"

# Rows that no bulk copy takes: they begin at multiples of 8 bytes only.
OWN_SHAPES = ((260, 32, 2, 3, 1, 2, 2), (1996, 256, 1, 2, 1, 2, 4))

# Each CTA keeps a part of the columns, a launch for each phase.
GRIDS = (
    "threads_per_row = 64, ctas_per_row = 4, rows_per_cta = 1, vectors_per_thread = 1, persistent_ctas = 12",
    "threads_per_row = 32, ctas_per_row = 3, rows_per_cta = 3, vectors_per_thread = 3, persistent_ctas = 6, vectors_in_flight = 2, "
    "invariants = late",
    "threads_per_row = 32, ctas_per_row = 8, rows_per_cta = 2, vectors_per_thread = 1, persistent_ctas = 8, dependent_launch = true",
)

LANES = (
    "kind = per_row, scope = lanes, threads_per_row = 32, rows_per_cta = 3, vector_width = 8, vectors_per_thread = 1, "
    "persistent_ctas = 2",
    "kind = per_row, scope = lanes, threads_per_row = 8, rows_per_cta = 12, vector_width = 2, vectors_per_thread = 16, "
    "vectors_in_flight = 4, invariants = late, persistent_ctas = 3",
)


def gradients():
    for hidden, *numbers in SHAPES:
        for op in ("rms_norm_backward", "layer_norm_backward"):
            graph = scheduled(backward(op, hidden), shape(*numbers))
            for rows in ROWS:
                yield f"{op} of {hidden}, {shape(*numbers)}, {rows} rows", graph, rows, ("--emulator-seed=3",)
    for hidden, *numbers in SHAPES + OWN_SHAPES:
        if numbers[-1]:
            schedule = shape(*numbers, extra=BY_THREAD, width=4 if hidden % 8 else 8)
            graph = scheduled(backward("layer_norm_backward", hidden), schedule)
            for rows in ROWS:
                yield f"gradients of {hidden}, {schedule}, {rows} rows", graph, rows, ("--emulator-seed=3",)
    for grid in GRIDS:
        schedule = "kind = per_row, scope = grid, vector_width = 8, " + grid
        for op in ("rms_norm_backward", "layer_norm_backward"):
            graph = scheduled(backward(op, 2040, residual="yes", accumulate="yes"), schedule)
            for rows in ROWS:
                yield f"{op}, {schedule}, {rows} rows", graph, rows, ("--emulator-seed=3",)
    for schedule in LANES:
        for rows in ROWS:
            yield f"lanes, {schedule}", scheduled(backward("layer_norm_backward", 248), schedule), rows, ()
    ring, registers = shape(64, 3, 4, 1, 2, 3), shape(64, 3, 4, 1, 2, 0, ", vectors_in_flight = 2, invariants = late")
    cluster = shape(64, 3, 2, 2, 4, 2, ", stores = cached, vectors_in_flight = 2")
    narrow = shape(64, 3, 2, 1, 2, 2, width=16)
    own = shape(64, 3, 4, 1, 2, 3, BY_THREAD)
    for schedule in (ring, registers, cluster, narrow, own):
        for settings in (
            {"residual": "yes", "accumulate": "yes"},
            {"residual": "yes", "residual_dtype": "f32", "weight_dtype": "f32", "grad_dtype": "f32"},
            {"dtype": "f32", "weight": "no"},
            {"dtype": "f16", "grad_input": "no"},
            {"grad_weight": "no", "grad_bias": "no"},
            {"heads": "3"},
        ):
            if settings.get("heads") and "grad_weight" not in settings:
                settings = {**settings, "head_weights": "no"}
            yield f"{settings}, {schedule}", scheduled(backward("layer_norm_backward", 2048, **settings), schedule), 23, ()


def norms(graphs):
    """Forward norms: no sums over rows."""
    for hidden, *numbers in SHAPES:
        for name, graph in graphs(hidden):
            yield f"{name} of {hidden}, {shape(*numbers)}", scheduled(graph, shape(*numbers)), 23, ("--emulator-seed=3",)
    for grid in GRIDS:
        schedule = "kind = per_row, scope = grid, vector_width = 8, " + grid
        for name, graph in graphs(2040):
            yield f"{name}, {schedule}", scheduled(graph, schedule), 23, ("--emulator-seed=3",)
    for schedule in LANES:
        for name, graph in graphs(248):
            yield f"{name}, {schedule}", scheduled(graph, schedule), 23, ()
