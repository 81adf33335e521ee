"""How sums over rows may be kept and meet: pinned schedules of kernels that have them, and graphs that are worked on so."""

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
