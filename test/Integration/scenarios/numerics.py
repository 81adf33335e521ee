"""Values that cancel, overflow or round: each compared with f64 arithmetic on the same inputs, some bit by bit."""

import math
import random

from scenarios.runner import expect, rows_of, scenario
from scenarios.tensors import bf16, f32, normal, tensor

GROUP = "numerics"


ROUNDING = {"f32": 0.0, "bf16": 2**-8, "f16": 2**-11}


def statistics(row, eps, centred=True):
    """mean and rstd in f64."""
    mean = math.fsum(row) / len(row) if centred else 0.0
    return mean, 1.0 / math.sqrt(math.fsum((x - mean) ** 2 for x in row) / len(row) + eps)


def near(what, got, want, relative, scale=None):
    error = abs(got - want) / (scale or abs(want) or 1.0)
    expect(error <= relative, f"expected {what} {want:.9g} within {relative:g}, but got {got:.9g}")


def layer_norm(runner, x, eps=1e-5, relative=6e-5):
    """Runs layer_norm without parameters and compares mean, rstd and every element with f64."""
    rows, hidden = x.shape
    run = runner.run("layer_norm", {"hidden": hidden, "dtype": x.dtype, "weight": "no", "statistics": "yes", "eps": eps},
                     inputs={"x": x}, outputs=("y", "mean", "rstd"))
    for row, y, mean, rstd in zip(x.rows(), run["y"].rows(), run["mean"].values(), run["rstd"].values()):
        want_mean, want_rstd = statistics(row, eps)
        near("mean", mean, want_mean, 1e-6, math.fsum(map(abs, row)) / hidden or 1.0)
        near("rstd", rstd, want_rstd, relative)
        largest = max(abs(value - want_mean) * want_rstd for value in row)
        for got, value in zip(y, row):
            near("y", got, (value - want_mean) * want_rstd, max(relative, ROUNDING[x.dtype]), largest or 1.0)


@scenario(GROUP, "layer_norm of wide rows around 100 with deviation 0.01")
def wide_rows_far_from_zero(runner):
    runner.run("layer_norm", {"hidden": 32768, "dtype": "f32", "statistics": "yes"}, {"rows": 3}, ["x=around:100+0.01"])
    for hidden in (4, 255, 1024):
        layer_norm(runner, normal("f32", (3, hidden), 100.0, 0.01))


@scenario(GROUP, "layer_norm of 1024 wide rows around 100 with deviation 0.01", big=True)
def many_wide_rows_far_from_zero(runner):
    runner.run("layer_norm", {"hidden": 32768, "dtype": "f32", "statistics": "yes"}, {"rows": 1024}, ["x=around:100+0.01"])


def jumping_rows(hidden, scale):
    """Rows that jump in the middle, at their end and from column to column: parts of them have means far apart."""
    numbers = random.Random(hidden)
    near_zero = [numbers.gauss(0.0, 1.0) for _ in range(hidden)]
    for place in (hidden // 2, hidden - 3, 5):
        yield from (value + (scale if column < place else -scale) for column, value in enumerate(near_zero))
    yield from (value + scale * column for column, value in enumerate(near_zero))


@scenario(GROUP, "layer_norm of rows whose parts have means far apart")
def parts_far_apart(runner):
    # Whole warps; warps that hold fewer and none; shifted rows; the CTAs of a cluster.
    for dtype, hidden in (("f32", 1024), ("f32", 1700), ("f32", 1537), ("bf16", 8192), ("bf16", 3336), ("bf16", 4097),
                          ("f16", 4200), ("bf16", 16384), ("bf16", 20008)):
        layer_norm(runner, tensor(dtype, (4, hidden), jumping_rows(hidden, 500.0 if dtype != "f16" else 10.0)))


@scenario(GROUP, "layer_norm of four elements around 2000")
def few_elements_far_from_zero(runner):
    layer_norm(runner, normal("f32", (5, 4), 2000.0, 1.0))


@scenario(GROUP, "layer_norm of three elements that hardly differ")
def nearly_constant_rows(runner):
    layer_norm(runner, normal("f32", (64, 3), -11.0, 2e-6))


@scenario(GROUP, "layer_norm of constant rows is zero")
def constant_rows(runner):
    constants = (11.1, -0.1, 1e-30, 33333.33, -6e4, 0.0)
    for dtype, hidden in (("f32", 1), ("f32", 3), ("f32", 17), ("f32", 1000), ("f32", 4097), ("bf16", 3), ("bf16", 1000),
                          ("bf16", 20000), ("f16", 999), ("f16", 4096)):
        x = tensor(dtype, (len(constants), hidden), (c for c in constants for _ in range(hidden)))
        run = runner.run("layer_norm", {"hidden": hidden, "dtype": dtype, "weight": "no", "statistics": "yes", "eps": 1e-5},
                         inputs={"x": x}, outputs=("y", "mean", "rstd"))
        zeros(run, "y")
        expect(run["mean"].values() == x.values()[::hidden], f"another mean of {dtype} at hidden {hidden}")
        for rstd in run["rstd"].values():
            near("rstd", rstd, 1.0 / math.sqrt(1e-5), 1e-6)


@scenario(GROUP, "rms_norm of f16 activations whose squares leave f16")
def squares_past_f16(runner):
    x = normal("f16", (8, 4096), 0.0, 300.0).values()
    for row in range(8):
        x[row * 4096 + 513 * row] = 60000.0
    given = tensor("f16", (8, 4096), x)
    run = runner.run("rms_norm", {"hidden": 4096, "dtype": "f16", "weight": "no", "statistics": "yes", "eps": 1e-6},
                     inputs={"x": given}, outputs=("y", "rstd"))
    for row, rstd in zip(given.rows(), run["rstd"].values()):
        near("rstd", rstd, statistics(row, 1e-6, centred=False)[1], 2**-18)
    # Rows whose f16 sum does not overflow, but whose squares do.
    runner.run("residual_rms_norm", {"hidden": 4096, "dtype": "f16"}, {"rows": 8}, ["x=around:0+1000", "residual=around:900+1"])


def zeros(run, *names):
    for name in names:
        values = set(run[name].values())
        expect(values == {0.0}, f"expected {name} of zeros, but got {sorted(values)[:3]}")


def rows_past_f32(hidden):
    """Rows whose sum of squares, less their mean or not, is past f32; neither their elements nor the sum of those are."""
    numbers = random.Random(hidden)
    for magnitude in (2 * 1.8e19 / math.sqrt(hidden), 2e19, 1e25, 1e30):
        yield from (magnitude * (-1) ** column for column in range(hidden))
    for magnitude in (1e21, 1e30, 3e33):
        yield from (numbers.gauss(magnitude, magnitude / 10) for _ in range(hidden))


@scenario(GROUP, "rows whose squares leave f32 become zeros, fused and apart and in every schedule")
def squares_past_f32(runner):
    for hidden in (64, 1024, 16384, 65537):
        settings = {"hidden": hidden, "dtype": "f32", "weight": "no", "statistics": "yes"}
        below = 1.8e19 / math.sqrt(hidden) / 4
        x = tensor("f32", (7, hidden), rows_past_f32(hidden))
        for graph in ("rms_norm", "layer_norm"):
            runner.run(graph, settings, {"rows": 2}, [f"x=around:0+{below:g}"])
            zeros(runner.run(graph, settings, inputs={"x": x}, outputs=("y", "rstd"), check=False), "y", "rstd")
    settings = {"hidden": 1024, "dtype": "f32", "statistics": "yes"}
    for fuse in ("always", "never"):
        run = runner.run("residual_rms_norm", settings, {"rows": 2}, ["x=around:1e30+1e29", "residual=around:1e30+1e29"],
                         outputs=("y", "rstd"), flags=["--fuse=" + fuse], check=False)
        zeros(run, "y", "rstd")


@scenario(GROUP, "rms_norm of small bf16 rows uses the eps that is written")
def eps_is_explicit(runner):
    x = normal("bf16", (8, 32), 0.0, 0.058)
    for eps in (1e-6, 1e-5, 0.0078125):
        run = runner.run("rms_norm", {"hidden": 32, "weight": "no", "statistics": "yes", "eps": eps}, inputs={"x": x},
                         outputs=("y", "rstd"))
        for row, rstd in zip(x.rows(), run["rstd"].values()):
            near("rstd", rstd, statistics(row, eps, centred=False)[1], 2**-18)
    runner.refused("requires attribute 'eps'", "func.func @norm(%x: tensor<8x32xbf16>) -> tensor<8x32xbf16> {\n"
                   "  %y = fastnorm.rms_norm %x : tensor<8x32xbf16> -> tensor<8x32xbf16>\n"
                   "  return %y : tensor<8x32xbf16>\n}\n")


def bits_of_norm(x, weight, rstd, offset, rounds):
    """rms_norm from its rstd, in f32 with every rounding written out."""
    scales = [f32(w + offset) for w in weight]
    for row, factor in zip(x, rstd):
        for value, scale in zip(row, scales):
            xhat = f32(value * factor)
            yield bf16(f32((bf16(xhat) if rounds else xhat) * scale))


def norm_bits(runner, x, weight, offset=0, rounds=False):
    """Runs rms_norm of bf16 and compares every bit of the result with f32 arithmetic on the rstd it wrote."""
    settings = {"hidden": x.shape[1], "statistics": "yes", "weight_offset": offset, "eps": 1e-5,
                "round_xhat": "yes" if rounds else "no"}
    run = runner.run("rms_norm", settings, inputs={"x": x, "weight": weight}, outputs=("y", "rstd"))
    want = tensor("bf16", x.shape, bits_of_norm(x.rows(), weight.values(), run["rstd"].values(), offset, rounds))
    expect(run["y"].data == want.data, f"other bits than f32 arithmetic gives with weight_offset {offset}, round_xhat {rounds}")
    return want.data


@scenario(GROUP, "rms_norm rounds xhat to bf16 before the weight where round_xhat says so, and only there")
def rounding_of_xhat(runner):
    for hidden in (96, 4096):
        x, weight = normal("bf16", (4, hidden)), normal("bf16", (hidden,), 1.0, 0.3, seed=2)
        kept, rounded = (norm_bits(runner, x, weight, rounds=rounds) for rounds in (False, True))
        expect(kept != rounded, "expected both modes to differ somewhere")


@scenario(GROUP, "a weight stored around zero gets its 1 added in f32")
def weight_offset_in_f32(runner):
    for hidden in (40, 3072):
        norm_bits(runner, normal("bf16", (4, hidden)), tensor("bf16", (hidden,), [15.8125] * hidden), offset=1)
        norm_bits(runner, normal("bf16", (4, hidden)), normal("bf16", (hidden,), 0.0, 0.2, seed=3), offset=1, rounds=True)


@scenario(GROUP, "NaN and Inf stay in their row")
def not_a_number(runner):
    for hidden in (17, 1024, 16384):
        for graph in ("rms_norm", "layer_norm"):
            settings = {"hidden": hidden, "dtype": "f32", "weight": "no"}
            x = normal("f32", (5, hidden))
            plain = runner.run(graph, settings, inputs={"x": x}, outputs=("y",))["y"].rows()
            values = x.values()
            values[hidden + hidden // 2], values[3 * hidden] = math.nan, -math.inf
            got = runner.run(graph, settings, inputs={"x": tensor("f32", x.shape, values)}, outputs=("y",), check=False)["y"].rows()
            expect([got[row] for row in (0, 2, 4)] == [plain[row] for row in (0, 2, 4)], f"{graph}: another row changed")
            expect(all(map(math.isnan, got[1])), f"{graph}: expected NaN in all of a row with NaN")
            expect(math.isnan(got[3][0]), f"{graph}: expected NaN for Inf times a rstd of 0")
            # The statistics of such rows are those of the reference in kind: Inf, and NaN for NaN.
            for value in ("nan", "inf"):
                statistics = {**settings, "statistics": "yes"}
                runner.run(graph, statistics, {"rows": 2}, [f"x=constant:{value}"])
            finite = set(map(str, map(abs, got[3][1:])))
            expect(finite == ({"0.0"} if graph == "rms_norm" else {"nan"}), f"{graph}: a row with Inf gives {sorted(finite)[:3]}")


@scenario(GROUP, "rows of subnormal and tiny elements")
def tiny_elements(runner):
    for graph in ("rms_norm", "layer_norm"):
        for deviation in ("1e-12", "1e-20", "1e-39"):
            settings = {"hidden": 768, "dtype": "f32", "statistics": "yes", "eps": 1e-6}
            runner.run(graph, settings, rows_of(graph, 3), [f"x=around:0+{deviation}"])
        settings = {"hidden": 768, "dtype": "f32", "eps": 0}
        runner.run(graph, settings, rows_of(graph, 3), ["x=around:0+1e-15"])
