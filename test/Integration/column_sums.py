"""How sums over rows may be kept and meet: pinned schedules of kernels that have them, and graphs that are worked on so.

usage: column_sums.py FOLDER, which writes a graph worked on in tiles, and one that keeps its sums in registers and in shared memory
"""

import os
import sys

from persistent import backward, scheduled, shape

ATOMIC = ", accumulate = atomic"

# hidden, threads, groups, vectors, CTAs of a row, of the grid, stages
ATOMIC_SHAPES = (
    (2048, 64, 3, 4, 1, 2, 3),
    (2048, 256, 1, 1, 1, 3, 0),
    # A cluster, whose last CTA has less.
    (1984, 64, 2, 1, 4, 8, 3),
    # Vectors past the row.
    (2056, 96, 2, 3, 1, 2, 0),
)

ATOMIC_OTHERS = (
    (2040, "kind = per_row, scope = grid, vector_width = 8, threads_per_row = 32, ctas_per_row = 8, rows_per_cta = 2, "
           "vectors_per_thread = 1, persistent_ctas = 8" + ATOMIC),
    (248, "kind = per_row, scope = lanes, vector_width = 8, threads_per_row = 32, rows_per_cta = 3, vectors_per_thread = 1, "
          "persistent_ctas = 2" + ATOMIC),
    # Vectors of an element and of two are added as they are.
    (63, "kind = per_row, scope = cta, vector_width = 1, threads_per_row = 64, vectors_per_thread = 1, persistent_ctas = 3" +
         ATOMIC),
    (66, "kind = per_row, scope = cta, vector_width = 2, threads_per_row = 64, vectors_per_thread = 1, persistent_ctas = 3" +
         ATOMIC),
)

# A gradient alone, none at all of a weight, old sums, a residual's gradient, f32 rows.
MASKS = (
    {"grad_dtype": "f32"},
    {"grad_dtype": "f32", "accumulate": "yes", "residual": "yes"},
    {"grad_dtype": "f32", "grad_input": "no", "weight": "no", "grad_weight": "yes"},
    {"dtype": "f32", "weight_dtype": "f32", "grad_bias": "no"},
)


def tile(threads, rows, vectors, ctas, persistent, extra="", width=8):
    scope = f"scope = cluster, ctas_per_row = {ctas}" if ctas > 1 else "scope = cta"
    return (f"kind = two_pass, {scope}, threads_per_row = {threads}, rows_per_cta = {rows}, vector_width = {width}, "
            f"vectors_per_thread = {vectors}, persistent_ctas = {persistent}{extra}")


SHARED = ", accumulators = shared"

SHARED_SHAPES = (
    # hidden, threads, groups, vectors, CTAs of a row, of the grid, stages, others
    (2048, 256, 1, 1, 1, 3, 2, ""),
    (2048, 128, 3, 2, 1, 2, 2, ", invariants = late"),
    (2048, 128, 3, 2, 1, 2, 0, ", vectors_in_flight = 2"),
    (2048, 64, 2, 4, 1, 2, 3, ", copies = by_thread"),
    # Vectors past the row; clusters, whose last CTA has less.
    (2056, 96, 2, 3, 1, 2, 3, ""),
    (1984, 64, 1, 1, 4, 8, 3, ""),
    (2048, 32, 3, 2, 4, 8, 2, ", finalize_width = 8"),
)

SHARED_OTHERS = (
    (2040, "kind = per_row, scope = grid, vector_width = 8, threads_per_row = 32, ctas_per_row = 8, rows_per_cta = 2, "
           "vectors_per_thread = 1, persistent_ctas = 8"),
    (248, "kind = per_row, scope = lanes, vector_width = 8, threads_per_row = 32, rows_per_cta = 3, vectors_per_thread = 1, "
          "persistent_ctas = 2"),
    # Pieces of an element and of two.
    (63, "kind = per_row, scope = cta, vector_width = 1, threads_per_row = 64, vectors_per_thread = 1, persistent_ctas = 3"),
    (66, "kind = per_row, scope = cta, vector_width = 2, threads_per_row = 32, rows_per_cta = 2, vectors_per_thread = 2, "
         "persistent_ctas = 3"),
)

TILES = (
    # hidden, threads, rows of a tile, vectors, CTAs of a row, of the grid
    # Warps with rows to themselves, two rows each; one chunk.
    (1024, 128, 8, 1, 1, 3),
    # Warps that share a row: 2, 3 and 4 of them. Chunks that end past the row.
    (2040, 128, 2, 1, 1, 3),
    (2040, 96, 1, 2, 1, 2),
    (520, 128, 1, 1, 1, 2),
    # Clusters: parts of two chunks, the last with one; warps that share rows, too.
    (1272, 64, 3, 1, 2, 4),
    (2040, 64, 1, 1, 4, 8),
    (1024, 32, 64, 1, 4, 4),
)

TILE_OPTIONS = (
    "",
    SHARED,
    ", invariants = late, stores = cached",
)


def gradients(op, hidden, mask):
    """Only layer_norm has a gradient of its bias."""
    return backward(op, hidden, **{**mask, **({"grad_bias": "no"} if op == "rms_norm_backward" else {})})


def atomic():
    """CTAs that add their sums to the results: with vector reductions and, on other chips, without."""
    for target in ("h200", "a100"):
        for hidden, *numbers in ATOMIC_SHAPES:
            if target == "a100" and (numbers[3] > 1 or numbers[5]):
                continue
            schedule = shape(*numbers, extra=ATOMIC)
            for op in ("rms_norm_backward", "layer_norm_backward"):
                for mask in MASKS if op == "layer_norm_backward" else MASKS[:2]:
                    graph = scheduled(gradients(op, hidden, mask), schedule, target)
                    for rows in (0, 2, 40) if target == "h200" else (1, 40):
                        yield f"{op} {mask}, {schedule}, {target}, {rows} rows", graph, rows, ("--emulator-seed=3",)
    for hidden, schedule in ATOMIC_OTHERS:
        graph = scheduled(backward("layer_norm_backward", hidden, grad_dtype="f32", accumulate="yes"), schedule)
        for rows in (0, 1, 7, 40):
            yield f"{schedule}, {rows} rows", graph, rows, ("--emulator-seed=3",)
    # At any address, in elements.
    graph = scheduled(backward("layer_norm_backward", 2048, grad_dtype="f32"), shape(*ATOMIC_SHAPES[1][1:], extra=ATOMIC, width=1)
                      .replace("vectors_per_thread = 1", "vectors_per_thread = 8"))
    yield "any address", graph, 7, ("--alignment=any", "--offset=grad_weight=1", "--offset=x=1")


def shared():
    """Rows whose values are added to sums in shared memory, one by one."""
    for hidden, *numbers, extra in SHARED_SHAPES:
        schedule = shape(*numbers, extra=SHARED + extra)
        for op in ("rms_norm_backward", "layer_norm_backward"):
            graph = scheduled(backward(op, hidden, residual="yes", accumulate="yes"), schedule)
            for rows in (0, 1, 7, 40):
                yield f"{op} of {hidden}, {schedule}, {rows} rows", graph, rows, ("--emulator-seed=3",)
    for hidden, schedule in SHARED_OTHERS:
        graph = scheduled(backward("layer_norm_backward", hidden), schedule + SHARED)
        for rows in (0, 1, 7, 40):
            yield f"{schedule + SHARED}, {rows} rows", graph, rows, ("--emulator-seed=3",)
    for schedule in (shape(64, 3, 4, 1, 2, 2, SHARED), shape(128, 1, 1, 2, 4, 2, SHARED)):
        for settings in MASKS:
            graph = gradients("layer_norm_backward", 2048, settings)
            yield f"{settings}, {schedule}", scheduled(graph, schedule), 23, ()
            yield f"atomic {settings}, {schedule}", scheduled(graph, schedule + ATOMIC), 23, ("--emulator-seed=3",)
        heads = backward("layer_norm_backward", 2048, heads=2, head_weights="yes")
        yield f"heads, {schedule}", scheduled(heads, schedule), 23, ()


def tiles():
    """Tiles of rows that are read again: with sums in registers and in shared memory, added up or atomic."""
    for hidden, *numbers in TILES:
        for op in ("rms_norm_backward", "layer_norm_backward"):
            for option in TILE_OPTIONS if op == "layer_norm_backward" else (SHARED,):
                schedule = tile(*numbers, extra=option)
                graph = scheduled(backward(op, hidden, residual="yes", accumulate="yes"), schedule)
                for rows in (0, 1, 7, 40):
                    yield f"{op} of {hidden}, {schedule}, {rows} rows", graph, rows, ("--emulator-seed=3",)
    several = tile(64, 3, 2, 2, 4, ", vectors_in_flight = 2")
    for schedule in (tile(128, 2, 1, 1, 3), tile(128, 8, 2, 1, 3, SHARED), several, several + SHARED):
        for settings in (
            {"residual": "yes", "residual_dtype": "f32", "weight_dtype": "f32", "grad_dtype": "f32"},
            {"dtype": "f32", "weight": "no", "grad_weight": "yes"},
            {"dtype": "f16", "grad_input": "no"},
            {"grad_weight": "no"},
            {"heads": "3", "head_weights": "no"},
        ):
            for rows in (1, 23):
                yield f"{settings}, {schedule}", scheduled(gradients("layer_norm_backward", 2048, settings), schedule), rows, ()
        # Nothing is left to sum over rows.
        plain = schedule.replace(SHARED, "")
        yield f"rows only, {plain}", scheduled(backward("layer_norm_backward", 2048, grad_weight="no", grad_bias="no"), plain), 23, ()
        for mask in MASKS:
            graph = scheduled(gradients("layer_norm_backward", 2048, mask), schedule + ATOMIC)
            yield f"atomic {mask}, {schedule}", graph, 23, ("--emulator-seed=3",)
    # The gradient lies over what it is computed from.
    tied = backward("layer_norm_backward", 2048).replace("%x: tensor<?x2048xbf16>", "%x: tensor<?x2048xbf16> {fastnorm.result = 0 : i64}")
    for schedule in (tile(128, 2, 1, 1, 3), several):
        yield f"tied, {schedule}", scheduled(tied, schedule), 23, ("--emulator-seed=3",)


def tiled_norms(graphs):
    """Norms by tiles: no sums over rows, three phases, gathered rows; rows that begin anywhere."""
    for hidden, *numbers in TILES:
        for name, graph in graphs(hidden):
            yield f"{name} of {hidden}, {tile(*numbers)}", scheduled(graph, tile(*numbers)), 23, ("--emulator-seed=3",)
    for name, graph in graphs(2041):
        yield f"odd {name}, {tile(128, 2, 1, 1, 3)}", scheduled(graph, tile(128, 2, 1, 1, 3)), 23, ("--emulator-seed=3",)


if __name__ == "__main__":
    kept = shape(64, 3, 2, 1, 8, 2)
    for name, schedule in {"tiles": tile(64, 3, 1, 2, 8), "registers": kept, "shared": kept + SHARED}.items():
        with open(os.path.join(sys.argv[1], name + ".mlir"), "w") as file:
            file.write(scheduled(backward("layer_norm_backward", 1024), schedule))
