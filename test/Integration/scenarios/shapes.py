"""Sizes at which kernels of others broke: hidden sizes off every power of two, wide rows, many rows, huge tensors."""

from scenarios.runner import expect, rows_of, scenario
from scenarios.tensors import normal

GROUP = "shapes"


def check(runner, graph, hidden, rows, **settings):
    runner.run(graph, {"hidden": hidden, **settings}, rows_of(graph, rows))


@scenario(GROUP, "layer_norm of rows that fill no power of two, their mean far from 0")
def padding(runner):
    for hidden in (3, 17, 127, 255):
        for dtype in ("f32", "bf16"):
            runner.run("layer_norm", {"hidden": hidden, "dtype": dtype, "statistics": "yes", "bias": "yes"}, {"rows": 4},
                       ["x=around:5+1"])


@scenario(GROUP, "a tail of one element writes no other row")
def tail_of_one(runner):
    for dtype in ("f16", "bf16", "f32"):
        for graph in ("rms_norm", "residual_rms_norm", "layer_norm", "combine_norm"):
            for hidden in (769, 768):
                check(runner, graph, hidden, 7, dtype=dtype)


@scenario(GROUP, "hidden of seven times a power of two")
def sevens(runner):
    for hidden in (896, 1792, 3584, 7168):
        for dtype in ("bf16", "f16", "f32"):
            check(runner, "residual_rms_norm", hidden, 5, dtype=dtype)


@scenario(GROUP, "rows past 48 KB of shared memory")
def large_shared_memory(runner):
    for hidden in (12288, 16384, 24576, 32768):
        for dtype in ("bf16", "f32"):
            check(runner, "residual_rms_norm", hidden, 2, dtype=dtype)


@scenario(GROUP, "many rows past 48 KB of shared memory", big=True)
def many_rows_of_large_shared_memory(runner):
    for hidden in (12288, 16384, 24576, 32768):
        for dtype in ("bf16", "f32"):
            check(runner, "residual_rms_norm", hidden, 2000, dtype=dtype)


@scenario(GROUP, "rows wider than any CTA")
def wide(runner):
    for hidden in (65536, 65537, 131072, 262144):
        for graph in ("rms_norm", "layer_norm"):
            check(runner, graph, hidden, 2)
    check(runner, "residual_rms_norm", 262144, 1, dtype="f32")


@scenario(GROUP, "many rows wider than any CTA", big=True)
def many_wide(runner):
    for hidden in (65536, 65537, 131072, 262144):
        for graph in ("rms_norm", "layer_norm", "residual_rms_norm"):
            for dtype in ("bf16", "f32"):
                check(runner, graph, hidden, 300, dtype=dtype)


@scenario(GROUP, "rows around 65536")
def rows_at_a_grid_limit(runner):
    for rows in (65535, 65536, 65537):
        check(runner, "layer_norm", 64, rows, dtype="f32")
    check(runner, "rms_norm", 1, 65537)
    check(runner, "combine", 3, 65537, top_k=1)


@scenario(GROUP, "rows past 65536 in every graph", big=True)
def many_rows_in_every_graph(runner):
    for graph in ("rms_norm", "layer_norm", "residual_add", "residual_rms_norm", "gather", "combine", "combine_norm", "softmax",
                  "log_softmax", "l2_norm", "quantize"):
        for rows in (65535, 65536, 65537, 200000):
            check(runner, graph, 64, rows)


@scenario(GROUP, "one static row compiles as sixteen do")
def few_static_rows(runner):
    for graph in ("layer_norm", "rms_norm"):
        for hidden in (32, 64, 4096):
            for rows in (1, 2, 16):
                runner.run(graph, {"hidden": hidden, "rows": rows})


def last_rows(runner, graph, hidden, dtype, rows, **settings):
    text = runner.run(graph, {"hidden": hidden, "dtype": dtype, **settings}, rows_of(graph, rows)).text
    expect(f"of {rows} rows" in text, f"expected a sample of {rows} rows to be compared, but got: {text}")


@scenario(GROUP, "rows past 2^31 elements", big=True)
def past_31_bits(runner):
    last_rows(runner, "rms_norm", 256, "bf16", 8388624)
    last_rows(runner, "layer_norm", 256, "f16", 8388624)


@scenario(GROUP, "rows past 2^32 elements", big=True)
def past_32_bits(runner):
    last_rows(runner, "rms_norm", 256, "f16", 16777232)
    last_rows(runner, "layer_norm", 256, "f16", 16777232)
    last_rows(runner, "residual_rms_norm", 4096, "bf16", 1048592)


@scenario(GROUP, "a table of rows past 2^32 elements", big=True)
def table_past_32_bits(runner):
    for graph in ("gather", "combine", "combine_norm"):
        runner.run(graph, {"hidden": 7168, "dtype": "bf16"}, {"rows": 4096, "expert_rows": 600000})


SWEEP = (1, 2, 3, 17, 96, 255, 256, 257, 513, 769, 2048, 2880, 4088, 4095, 4097, 4104, 7296, 8184, 8200, 14336, 16376, 16392)


@scenario(GROUP, "hidden sizes around vectors, warps and CTAs")
def sweep_of_hidden(runner):
    for hidden in SWEEP:
        check(runner, "residual_rms_norm", hidden, 3, statistics="yes")
        check(runner, "layer_norm", hidden, 3, dtype="f16")


@scenario(GROUP, "row counts around warps, CTAs and waves")
def sweep_of_rows(runner):
    for rows in (1, 2, 7, 131, 132, 133, 255, 256, 257, 264):
        check(runner, "residual_rms_norm", 136, rows)
        check(runner, "combine_norm", 40, rows, top_k=3)


def add_sweep_of_both(graph):
    @scenario(GROUP, f"hidden sizes and row counts of {graph}", big=True)
    def body(runner):
        for hidden in SWEEP + (3072, 32768, 65536, 65537):
            for rows in (1, 133, 3467):
                check(runner, graph, hidden, rows)


for graph in ("rms_norm", "layer_norm", "residual_rms_norm", "combine_norm", "softmax"):
    add_sweep_of_both(graph)


@scenario(GROUP, "a row alone and a row of a matrix with one column")
def smallest(runner):
    for graph in ("rms_norm", "layer_norm", "residual_rms_norm", "combine_norm", "softmax", "l2_norm"):
        check(runner, graph, 1, 1)
        check(runner, graph, 1, 33)
    y = runner.run("layer_norm", {"hidden": 1, "dtype": "f32", "weight": "no"}, inputs={"x": normal("f32", (9, 1), 7.0)},
                   outputs=("y",))["y"]
    expect(set(y.values()) == {0.0}, "expected a row of one element less its mean to be 0")
