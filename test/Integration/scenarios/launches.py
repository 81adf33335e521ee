"""How kernels are compiled and launched: no rows, any number of rows by one Plan, rows that do not see each other, no toolkit."""

import json
import os

from scenarios.runner import expect, rows_of, scenario
from scenarios.tensors import normal, tensor

GROUP = "launches"

GRAPHS = ("rms_norm", "layer_norm", "residual_add", "residual_rms_norm", "gather", "combine", "combine_norm", "softmax",
          "log_softmax", "l2_norm", "quantize")


@scenario(GROUP, "no rows in every graph give empty results and no error")
def no_rows(runner):
    for graph in GRAPHS:
        for hidden in (8, 7168, 65536):
            runner.run(graph, {"hidden": hidden}, {"rows": 0, **({"expert_rows": 3} if "expert_rows" in rows_of(graph, 1) else {})})
    for graph in ("gather", "combine", "combine_norm"):
        runner.run(graph, {"hidden": 40}, {"rows": 3, "expert_rows": 0})
        runner.run(graph, {"hidden": 40}, {"rows": 0, "expert_rows": 0})
    runner.run("rms_norm", {"hidden": 40, "heads": 3, "stride": 128}, {"rows": 0})


def slices_are_equal(runner, hidden, rows, slices, flags):
    settings = {"hidden": hidden, "dtype": "bf16", "statistics": "yes"}
    x, residual = normal("bf16", (rows, hidden)), normal("bf16", (rows, hidden), seed=2)
    weight = normal("bf16", (hidden,), 1.0, 0.1, seed=3)
    outputs = ("y", "s", "rstd")

    def run(first, last):
        given = {"x": x.part(first, last), "residual": residual.part(first, last), "weight": weight}
        return runner.run("residual_rms_norm", settings, inputs=given, outputs=outputs, flags=flags, check=False)

    whole = run(0, rows)
    for first, last in slices:
        part = run(first, last)
        for name in outputs:
            expect(part[name].data == whole[name].part(first, last).data,
                   f"rows {first} to {last} of {rows} at hidden {hidden} have other bits of {name} alone")


@scenario(GROUP, "a row has the same bits among 301 rows and in slices of 1, 255, 256 and 300")
def slices(runner):
    slices_are_equal(runner, 96, 301, ((0, 1), (300, 301), (0, 255), (46, 301), (0, 256), (45, 301), (1, 301)), ())
    slices_are_equal(runner, 16384, 3, ((0, 1), (1, 3), (2, 3)), ["--row-invariant"])


@scenario(GROUP, "a row has the same bits among 4096 rows and in slices", big=True)
def many_slices(runner):
    parts = [(0, 1), (4095, 4096), (7, 262), (255, 510), (300, 556), (3796, 4096)]
    slices_are_equal(runner, 1024, 4096, parts, ())
    slices_are_equal(runner, 4096, 1024, [(0, 1), (1, 256), (256, 512), (724, 1024)], ["--row-invariant"])
    slices_are_equal(runner, 32768, 256, [(0, 1), (0, 255), (1, 3), (100, 200)], ["--row-invariant"])


def tokens_are_equal(runner, top_k, hidden, rows, slices):
    """Tokens of combine_norm, whose grouping and schedule depend on their number but for --row-invariant."""
    numbers = normal("f32", (1009,)).values()

    def rows_of_numbers(count):
        return tensor("bf16", (count, hidden), (numbers[place % 1009] for place in range(count * hidden)))

    table, residual = rows_of_numbers(rows), rows_of_numbers(rows)
    index = tensor("i64", (rows, top_k), ((token * 7 + slot * 13) % rows for token in range(rows) for slot in range(top_k)))
    gate = normal("f32", (rows, top_k), 0.2, 0.1)
    weight = normal("bf16", (hidden,), 1.0, 0.1, seed=3)

    def run(first, last):
        given = {"expert_rows": table, "row_index": index.part(first, last), "gate": gate.part(first, last),
                 "residual": residual.part(first, last), "weight": weight}
        return runner.run("combine_norm", {"top_k": top_k, "hidden": hidden, "result_dtype": "f32"}, inputs=given, outputs=("y",),
                          flags=["--row-invariant"], check=False)["y"]

    whole = run(0, rows)
    for first, last in slices:
        expect(run(first, last).data == whole.part(first, last).data,
               f"tokens {first} to {last} of {rows}, top {top_k} of {hidden}, have other bits alone")


@scenario(GROUP, "a token of combine_norm has the same bits alone and among 36")
def one_token(runner):
    tokens_are_equal(runner, 3, 264, 9, ((0, 1), (8, 9), (2, 7)))
    tokens_are_equal(runner, 1, 16384, 36, [(token, token + 1) for token in range(4)])


@scenario(GROUP, "a token of combine_norm has the same bits alone and among 4096", big=True)
def one_token_of_many(runner):
    tokens_are_equal(runner, 8, 1024, 4096, ((0, 1), (4095, 4096), (100, 356)))


def one_plan(runner, hidden, counts):
    """Compiles once and runs that file: it holds text, not a compiler."""
    plan = runner.compile("rms_norm", {"hidden": hidden, "dtype": "f32", "weight": "no"})
    with open(plan) as file:
        variants = json.load(file)["variants"]
    expect(1 <= len(variants) <= 4, f"expected a few variants for all row counts, but got {len(variants)}")
    x = normal("f32", (max(counts), hidden))
    whole = None
    for rows in sorted(counts, reverse=True):
        y = runner.run(plan, inputs={"x": x.part(0, rows)}, outputs=("y",), check=False)["y"]
        whole = whole or y
        expect(y.shape == (rows, hidden), f"expected {rows} rows, but got {y.shape}")
        error = max(abs(a - b) for a, b in zip(y.values(), whole.values()))
        expect(error < 2**-18, f"{rows} rows differ from the same rows among more by {error:g}")


@scenario(GROUP, "one compilation serves every number of rows")
def one_compilation(runner):
    one_plan(runner, 96, (1, 2, 3, 7, 8, 9, 31, 33, 64))


@scenario(GROUP, "one compilation serves 1 to 64 rows of 4096", big=True)
def one_compilation_of_many(runner):
    one_plan(runner, 4096, range(1, 65))


@scenario(GROUP, "no CUDA toolkit is looked for")
def no_toolkit(runner):
    kept = ("CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "NVIDIA_VISIBLE_DEVICES",
            "NVIDIA_DRIVER_CAPABILITIES")
    bare = {"PATH": "", **{name: os.environ[name] for name in kept if name in os.environ}}
    if os.sep not in runner.tool:
        bare["PATH"] = os.pathsep.join(p for p in os.environ["PATH"].split(os.pathsep) if os.path.exists(os.path.join(p, runner.tool)))
    for graph in ("rms_norm", "softmax", "combine_norm"):
        runner.run(graph, {"hidden": 96}, rows_of(graph, 3), environment=bare)


@scenario(GROUP, "combine_norm compiles where its row does not fit shared memory or registers")
def fusion_asks_for_resources(runner):
    for hidden in (16384, 65536):
        for top_k in (8, 32):
            runner.run("combine_norm", {"hidden": hidden, "top_k": top_k}, {"rows": 2, "expert_rows": 7})
            for target in ("a100", "a10", "rtx5090"):
                status, text = runner.call(["--graph=combine_norm", "--set", f"hidden={hidden},top_k={top_k}",
                                            "--target=" + target, "--emit=ptx", "-o", os.devnull])
                expect(status == 0, f"{target}, hidden {hidden}, top_k {top_k}: exit {status}: {text}")


@scenario(GROUP, "many rows of combine_norm where a row does not fit", big=True)
def many_wide_combines(runner):
    for hidden in (16384, 65536):
        for top_k in (8, 32):
            runner.run("combine_norm", {"hidden": hidden, "top_k": top_k}, {"rows": 300, "expert_rows": 1000})
