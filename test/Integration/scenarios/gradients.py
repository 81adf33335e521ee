"""Gradients of norms: what is summed over all rows, beside what each row has for itself."""

from scenarios.runner import expect, scenario
from scenarios.tensors import normal, tensor

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


@scenario("gradients", "weights of each head have gradients of their own")
def heads(runner):
    for norm in NORMS:
        for hidden, count in ((64, 3), (128, 40), (1024, 2), (4097, 2)):
            for rows in (0, 1, 37):
                run(runner, norm, hidden, rows, heads=count, head_weights="yes", accumulate="yes")
    # More heads than CTAs stay on the chip; one that the limit on multiprocessors leaves.
    run(runner, "rms_norm_backward", 64, 3, heads=200, head_weights="yes")
    run(runner, "rms_norm_backward", 64, 50, heads=3, head_weights="yes", flags=["--dim", "sm_limit=1"])


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


@scenario("gradients", "rows past 32768 of 128 elements, and wide ones of 16384 in f32, with a gradient of the residual", big=True)
def big_sums(runner):
    for norm in NORMS:
        run(runner, norm, 128, 65536)
        run(runner, norm, 8192, 2048, dtype="f32", residual="yes")
        run(runner, norm, 16384, 2048, dtype="f32", residual="yes")
        run(runner, norm, 65536, 300, residual="yes")


@scenario("gradients", "one row of four zeros, ten times")
def zeros(runner):
    given = {"x": tensor("f32", (1, 4), [0] * 4), "grad_output": normal("f32", (1, 4)),
             "rstd": tensor("f32", (1,), [1e5**0.5]), "weight": tensor("f32", (4,), [1] * 4)}
    plan = runner.compile("rms_norm_backward", {"hidden": 4, "dtype": "f32"})
    for _ in range(10):
        sums = runner.run(plan, inputs=given, outputs=("grad_weight",), check=False)["grad_weight"].values()
        expect(sums == [0] * 4, f"expected a grad_weight of zeros, but got {sums}")


def repeated_sums(runner, rows, hidden, times):
    plan = runner.compile("layer_norm_backward", {"hidden": hidden, "grad_bias": "yes", "grad_dtype": "f32"})
    names = ("grad_weight", "grad_bias")
    runs = [runner.run(plan, dims={"rows": rows}, outputs=names, check=False) for _ in range(times)]
    for name in names:
        expect(len({result[name].data for result in runs}) == 1, f"{name} has other bits in one of {times} runs")


@scenario("gradients", "sums over 700 rows have the same bits in three runs")
def same_bits(runner):
    repeated_sums(runner, 700, 192, 3)


@scenario("gradients", "sums over 65536 rows of 1024 have the same bits in 20 runs", big=True)
def same_bits_of_many(runner):
    repeated_sums(runner, 65536, 1024, 20)


@scenario("gradients", "grad_input in the buffer of grad_output")
def in_place(runner):
    for hidden in (64, 1024, 8192):
        rows, row = f"tensor<?x{hidden}xbf16>", f"tensor<{hidden}xbf16>"
        graph = f"""
func.func @in_place(%dy: {rows} {{fastnorm.result = 0 : i64}}, %x: {rows}, %rstd: tensor<?xf32>, %weight: {row}) -> ({rows}, {row}) {{
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : {rows}, {rows}, tensor<?xf32>, {row} -> input({rows}) weight({row})
  return %dx, %dw : {rows}, {row}
}}"""
        for count in (1, 300 if hidden < 8192 else 40):
            runner.run(graph, dims={"rows": count})
