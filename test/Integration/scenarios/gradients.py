"""Gradients of norms: what is summed over all rows, beside what each row has for itself."""

from scenarios.runner import expect, scenario

NORMS = ("rms_norm_backward", "layer_norm_backward")
# lanes of one and of several threads; row groups of 1, 2 and 8 warps; clusters of 2, 4 and 8; rows of odd length.
HIDDEN = (8, 17, 64, 300, 1024, 3072, 4097, 5120, 8192, 16384)
ROWS = (0, 1, 5, 300)


def run(runner, norm, hidden, rows, **settings):
    """All gradients, against the reference."""
    flags = settings.pop("flags", ())
    chosen = {"hidden": hidden, "grad_bias": "yes", **settings}
    return runner.run(norm, chosen, {"rows": rows}, flags=flags)


def add_sizes(norm, hidden):
    @scenario("gradients", f"{norm} of {hidden} elements")
    def body(runner):
        for rows in ROWS if hidden <= 4097 else ROWS[:3] + (40,):
            run(runner, norm, hidden, rows)


for norm in NORMS:
    for hidden in HIDDEN:
        add_sizes(norm, hidden)


@scenario("gradients", "storage types in any mix")
def types(runner):
    for norm in NORMS:
        for settings in ({"dtype": "f32"}, {"dtype": "f16"}, {"weight_dtype": "f32"}, {"grad_dtype": "f32"},
                         {"dtype": "f32", "weight_dtype": "bf16", "grad_dtype": "f16"}):
            for hidden in (72, 2048):
                run(runner, norm, hidden, 37, **settings)


@scenario("gradients", "any mask: the input's alone, the weight's alone, the bias's alone, and none of a weight")
def masks(runner):
    for settings in ({"grad_input": "yes", "grad_weight": "no", "grad_bias": "no"},
                     {"grad_input": "no", "grad_weight": "yes", "grad_bias": "no"},
                     {"grad_input": "no", "grad_weight": "no", "grad_bias": "yes"},
                     {"weight": "no"}):
        for hidden in (64, 1024, 8192):
            run(runner, "layer_norm_backward", hidden, 29, **settings)


@scenario("gradients", "a gradient of the residual is added, and the weight's offset counts")
def residual(runner):
    for hidden in (64, 4096):
        run(runner, "rms_norm_backward", hidden, 70, residual="yes", weight_offset=1)
        run(runner, "layer_norm_backward", hidden, 70, residual="yes", residual_dtype="f32", round_xhat="yes")


@scenario("gradients", "sums are added to old ones of f32 and bf16")
def accumulated(runner):
    for dtype in ("f32", "bf16"):
        for rows in (0, 300):
            run(runner, "layer_norm_backward", 1024, rows, grad_dtype=dtype, accumulate="yes")


@scenario("gradients", "rows of several dimensions, and apart from each other")
def layouts(runner):
    for norm in NORMS:
        run(runner, norm, 128, 23, heads=3)
        run(runner, norm, 128, 23, heads=3, stride=500)
        run(runner, norm, 1024, 23, stride=1032)


@scenario("gradients", "operands that lie anywhere")
def unaligned(runner):
    for norm in NORMS:
        for hidden in (64, 1024):
            run(runner, norm, hidden, 23, flags=["--alignment=any", "--offset", "x=1", "--offset", "grad_output=3"])


@scenario("gradients", "one schedule for all numbers of rows")
def invariant(runner):
    for rows in (1, 300):
        run(runner, "rms_norm_backward", 1024, rows, flags=["--row-invariant"])


@scenario("gradients", "the error of a sum does not grow with the rows")
def many_rows(runner):
    for rows in (1000, 30000):
        result = run(runner, "rms_norm_backward", 16, rows, grad_dtype="f32")
        expect("result 'grad_weight' matches" in result.text, result.text)
