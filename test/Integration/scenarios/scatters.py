"""Rows that go where an index says: the gradients of combine and gather."""

import math
import random

from scenarios.runner import expect, scenario
from scenarios.tensors import bf16, f32, normal, tensor

GROUP = "scatters"
MAPS = ("bijective", "injective", "any")


def run(runner, hidden, rows, top_k, index_map, fill=(), flags=(), more=7, **settings):
    """Both gradients against the reference: each expert row named once, or `more` rows than that."""
    chosen = {"hidden": hidden, "top_k": top_k, "index_map": index_map, **settings}
    experts = rows * top_k + (0 if index_map == "bijective" else more)
    return runner.run("combine_backward", chosen, {"rows": rows, "expert_rows": experts}, fill=fill, flags=flags)


# lanes of one and of several threads; CTAs of 4 to 16 warps, one and two vectors a thread; odd rows; rows read twice.
@scenario(GROUP, "gradients of combine by hidden size")
def sizes(runner):
    for hidden in (1, 8, 17, 64, 300, 1024, 3072, 4097, 7168):
        for index_map in MAPS:
            run(runner, hidden, 5, 4, index_map)


@scenario(GROUP, "gradients of combine of rows that no CTA holds")
def wide(runner):
    for index_map in MAPS:
        run(runner, 70000, 2, 2, index_map)


def by_top_k(runner, numbers):
    # Sums that do not cancel: with one slot there is no larger one to measure the error by.
    for top_k in numbers:
        for index_map in MAPS:
            run(runner, 136, 5, top_k, index_map, fill=["grad_output=around:1+0.5", "expert_rows=around:1+0.5"])


@scenario(GROUP, "gradients of combine with any number of slots")
def slots(runner):
    by_top_k(runner, (1, 2, 3, 5, 7, 8, 9, 16, 33, 64))


@scenario(GROUP, "gradients of combine with every number of slots", big=True)
def every_number_of_slots(runner):
    by_top_k(runner, range(1, 65))


@scenario(GROUP, "storage types of rows, gates and indices in any mix")
def types(runner):
    for settings in ({"dtype": "f32"}, {"dtype": "f16", "gate_dtype": "f16"}, {"gate_dtype": "bf16", "index_dtype": "i32"},
                     {"dtype": "f32", "gate_dtype": "bf16"}, {"gate": "no"}, {"gate": "no", "grad_gate": "yes"}):
        for index_map in MAPS:
            run(runner, 136, 6, 4, index_map, **settings)


@scenario(GROUP, "either gradient alone, and one that is added to an old one")
def masks(runner):
    for settings in ({"grad_expert_rows": "no"}, {"grad_gate": "no"}, {"accumulate": "yes"},
                     {"accumulate": "yes", "gate_dtype": "bf16", "grad_expert_rows": "no"}):
        for index_map in MAPS:
            run(runner, 1024, 6, 4, index_map, **settings)


@scenario(GROUP, "no tokens, one token, many tokens; no expert rows")
def rows(runner):
    for index_map in MAPS:
        for count in (0, 1, 300):
            run(runner, 64, count, 4, index_map)
    for index_map in ("any", "injective"):
        runner.run("combine_backward", {"hidden": 64, "top_k": 4, "index_map": index_map}, {"rows": 5, "expert_rows": 0},
                   fill=["row_index=drop:1"])


@scenario(GROUP, "gradients of combine of operands that lie anywhere")
def unaligned(runner):
    for index_map in MAPS:
        for hidden in (64, 1024):
            run(runner, hidden, 5, 4, index_map, flags=["--alignment=any", "--offset", "grad_output=1", "--offset",
                                                        "grad_expert_rows=3", "--offset", "expert_rows=2", "--offset", "gate=1"])


@scenario(GROUP, "gradients of combine by one schedule for all numbers of rows")
def invariant(runner):
    for count in (1, 200):
        run(runner, 1024, count, 8, "bijective", flags=["--row-invariant"])


@scenario(GROUP, "most slots name no row")
def mostly_dropped(runner):
    for hidden in (64, 3072):
        run(runner, hidden, 40, 8, "injective", fill=["row_index=drop:0.9"], more=0)
        run(runner, hidden, 40, 8, "any", fill=["row_index=drop:0.9"])


def scattered(dy, index, gate, experts):
    """grad_expert_rows of bf16 in f32 arithmetic: slots in ascending order, a fused multiply-add each."""
    hidden = len(dy[0])
    for expert in range(experts):
        slots = [(row, gates[slot]) for row, (named, gates) in enumerate(zip(index, gate))
                 for slot, name in enumerate(named) if name == expert]
        for column in range(hidden):
            total = 0.0
            for row, factor in slots:
                total = f32(dy[row][column] * factor + total)
            yield bf16(total)


@scenario(GROUP, "slots that name one row add up in order, and what is dropped or not named reaches nothing")
def duplicates(runner):
    tokens, top_k, hidden, experts = 12, 3, 64, 5
    draw = random.Random(1)
    index = [[draw.randrange(-1, experts + 1) for _ in range(top_k)] for _ in range(tokens)]
    index[0] = [2, 2, 2]
    index[1] = [-1, experts, -1]
    index = [[name if name != 3 else 2 for name in named] for named in index]  # nobody names row 3
    dy, gate = normal("bf16", (tokens, hidden)).rows(), normal("f32", (tokens, top_k), 0.3, 0.2, seed=2).rows()
    dy[1] = [math.nan] * hidden
    table = normal("bf16", (experts, hidden), seed=3).rows()
    table[3] = [math.inf] * hidden
    for dtype in ("i32", "i64"):
        given = {"grad_output": tensor("bf16", (tokens, hidden), sum(dy, [])), "gate": tensor("f32", (tokens, top_k), sum(gate, [])),
                 "expert_rows": tensor("bf16", (experts, hidden), sum(table, [])),
                 "row_index": tensor(dtype, (tokens, top_k), sum(index, []))}
        got = runner.run("combine_backward", {"hidden": hidden, "top_k": top_k, "index_dtype": dtype}, inputs=given,
                         outputs=("grad_expert_rows", "grad_gate"))
        want = tensor("bf16", (experts, hidden), scattered(dy, index, gate, experts))
        expect(got["grad_expert_rows"].data == want.data, "other bits than f32 sums in ascending order of slots")
        expect(set(got["grad_expert_rows"].rows()[3]) == {0.0}, "expected zeros where no slot names a row")
        expect(set(got["grad_gate"].rows()[1]) == {0.0}, "expected 0 for dropped slots, whatever grad_output holds")


@scenario(GROUP, "one row that all slots name, and the same bits in every run")
def one_row(runner):
    given = {"row_index": tensor("i64", (700,), [1] * 700)}
    bits = {bytes(runner.run("gather_backward", {"hidden": 64, "dtype": "f32"}, {"expert_rows": 3}, inputs=given,
                             outputs=("grad_expert_rows",))["grad_expert_rows"].data) for _ in range(5)}
    expect(len(bits) == 1, "expected the same bits in every run")


@scenario(GROUP, "gradients of gather: a row for each token several times, once, or not at all")
def gathers(runner):
    for dtype in ("bf16", "f32"):
        for hidden in (40, 1024, 4097):
            for experts in (30, 400):
                runner.run("gather_backward", {"hidden": hidden, "dtype": dtype}, {"rows": 100, "expert_rows": experts})
            runner.run("gather_backward", {"hidden": hidden, "dtype": dtype, "index_map": "injective", "index_dtype": "i32"},
                       {"rows": 100, "expert_rows": 130})
            runner.run("gather_backward", {"hidden": hidden, "dtype": dtype, "index_map": "bijective"},
                       {"rows": 100, "expert_rows": 100})


def block(index_map):
    x, i, g = "tensor<?x1024xf32>", "tensor<?x4xi64>", "tensor<?x4xf32>"
    return f"""func.func @block(%expert_rows: {x}, %row_index: {i}, %gate: {g}, %residual: {x}, %shared: {x}, %weight: tensor<1024xf32>) -> ({x}, {x}) {{
  %h = fastnorm.combine %expert_rows[%row_index] index_map({index_map}) gate(%gate) shared(%shared) : {x}, {i}, {g}, {x} -> {x}
  %s = fastnorm.residual_add %residual, %h : {x}
  %y = fastnorm.rms_norm %s weight(%weight) {{eps = 1.0e-6 : f32}} : {x}, tensor<1024xf32> -> {x}
  return %y, %s : {x}, {x}
}}
"""


@scenario(GROUP, "a whole block has its backward function")
def blocks(runner):
    for index_map in MAPS:
        backward = runner.differentiated(block(index_map))
        for count in (3, 40):
            runner.run(backward, {}, {"rows": count, "expert_rows": 4 * count + (0 if index_map == "bijective" else 9)})
