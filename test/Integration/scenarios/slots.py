"""What an index may hold: no row, rows outside of the table, the same row twice; and indices of other shapes."""

import math
import random

from scenarios.runner import expect, scenario
from scenarios.tensors import bf16, f32, normal, tensor

GROUP = "slots"


def combined(table, index, gate):
    """combine of bf16 in f32 arithmetic: a chain of fused multiply-adds, each exact in f64 before it is rounded."""
    for slots, gates in zip(index, gate):
        for column in range(len(table[0])):
            total = 0.0
            for row, factor in zip(slots, gates):
                if 0 <= row < len(table):
                    total = f32(table[row][column] * factor + total)
            yield bf16(total)


def dropped(runner, unnamed):
    """-1 in the first, the middle and the last slot and in all of a token; rows that no slot names hold `unnamed`."""
    rows, top_k, hidden = 8, 3, 64
    index = [[row * top_k + slot for slot in range(top_k)] for row in range(rows)]
    index[1][0] = index[2][1] = index[3][2] = index[5][0] = index[5][2] = -1
    index[4] = [-1] * top_k
    named = {row for slots in index for row in slots}
    values = normal("bf16", (rows * top_k, hidden)).rows()
    values = [row if number in named else [unnamed] * hidden for number, row in enumerate(values)]
    table = tensor("bf16", (rows * top_k, hidden), (value for row in values for value in row))
    gate = tensor("bf16", (rows, top_k), (0.125 * (1 + slot) if index[row][slot] >= 0 else unnamed
                                          for row in range(rows) for slot in range(top_k)))
    for dtype in ("i32", "i64"):
        given = {"expert_rows": table, "gate": gate,
                 "row_index": tensor(dtype, (rows, top_k), (row for slots in index for row in slots))}
        settings = {"hidden": hidden, "top_k": top_k, "index_dtype": dtype, "gate_dtype": "bf16"}
        y = runner.run("combine", settings, inputs=given, outputs=("h",))["h"]
        want = tensor("bf16", y.shape, combined(values, index, gate.rows()))
        expect(y.data == want.data, "other bits than f32 arithmetic over the slots that name a row")
        expect(set(y.rows()[4]) == {0.0}, "expected 0 where all slots are dropped")
        for fuse in ("always", "never"):
            stream = {"residual": tensor("bf16", (rows, hidden), [2.0] * (rows * hidden))}
            run = runner.run("combine_norm", {**settings, "residual_out": "yes"}, inputs={**given, **stream},
                             outputs=("y", "s"), flags=["--fuse=" + fuse])
            expect(all(map(math.isfinite, run["y"].values())), f"expected finite results with --fuse={fuse}")
            expect(set(run["s"].rows()[4]) == {2.0}, "expected the residual alone where all slots are dropped")


@scenario(GROUP, "slots of -1 add nothing, wherever they stand")
def dropped_slots(runner):
    dropped(runner, 1.0)


@scenario(GROUP, "NaN in rows and gates that no slot uses is not seen")
def nan_in_unnamed_rows(runner):
    dropped(runner, math.nan)
    dropped(runner, math.inf)


OUTSIDE = (-5, 0, 2, 100, 3, -1, 1, 2**31 - 1, -(2**31))


@scenario(GROUP, "an index outside of the table gives zeros, per element and per row")
def indices_outside(runner):
    for dtype in ("i32", "i64"):
        index = OUTSIDE + ((2**31, -(2**63), 2**63 - 1, 2**32, 2**32 + 1) if dtype == "i64" else ())
        for hidden in (1, 24, 4096):
            rows = [[10.0 * (number + 1)] * hidden for number in range(3)]
            table = tensor("f32", (3, hidden), (value for row in rows for value in row))
            given = {"expert_rows": table, "row_index": tensor(dtype, (len(index),), index)}
            want = [rows[i] if 0 <= i < 3 else [0.0] * hidden for i in index]
            run = runner.run("gather", {"hidden": hidden, "dtype": "f32", "index_dtype": dtype}, inputs=given, outputs=("y",))
            expect(run["y"].rows() == want, f"gather of {dtype} at hidden {hidden} gives other rows")
            for fuse in ("always", "never"):
                run = runner.run(gather_norm(hidden, dtype), inputs=given, outputs=("chosen", "y"), flags=["--fuse=" + fuse])
                expect(run["chosen"].rows() == want, f"gather into a norm gives other rows with --fuse={fuse}")
                expect(all(not any(y) for y, i in zip(run["y"].rows(), index) if not 0 <= i < 3), "expected zeros")


def gather_norm(hidden, index):
    table, i, y = f"tensor<?x{hidden}xf32>", f"tensor<?x{index}>", f"tensor<?x{hidden}xf32>"
    return f"""func.func @gather_norm(%expert_rows: {table}, %row_index: {i}) -> ({y}, {y}) {{
  %chosen = fastnorm.gather %expert_rows[%row_index] : {table}, {i} -> {y}
  %y = fastnorm.rms_norm %chosen {{eps = 1.0e-5 : f32}} : {y} -> {y}
  return %chosen, %y : {y}, {y}
}}
"""


def any_top_k(runner, numbers, hidden):
    rows, experts = 5, 11
    for top_k in numbers:
        draw = random.Random(top_k)
        # Drawn with replacement: a token names some rows twice.
        index = [draw.randrange(-1, experts + 1) for _ in range(rows * top_k)]
        bits = []
        for dtype in ("i32", "i64"):
            given = {"row_index": tensor(dtype, (rows, top_k), index)}
            run = runner.run("combine", {"hidden": hidden, "top_k": top_k, "index_dtype": dtype}, {"expert_rows": experts},
                             inputs=given, outputs=("h",))
            bits.append(run["h"].data)
            runner.run("combine_norm", {"hidden": hidden, "top_k": top_k, "index_dtype": dtype}, {"expert_rows": experts},
                       inputs=given)
        expect(bits[0] == bits[1], f"expected equal bits from i32 and i64 indices with top_k {top_k}")


@scenario(GROUP, "any number of slots, by i32 and by i64, with rows named twice")
def any_number_of_slots(runner):
    any_top_k(runner, (1, 2, 3, 5, 6, 7, 8, 9, 16, 22), 40)


def add_numbers_of_slots(numbers, hidden):
    @scenario(GROUP, f"{numbers[0]} to {numbers[-1]} slots of {hidden} elements", big=True)
    def body(runner):
        any_top_k(runner, numbers, hidden)


for first in range(1, 65, 16):
    add_numbers_of_slots(range(first, first + 16), 40)
add_numbers_of_slots((1, 2, 3, 7, 8, 9), 7168)
add_numbers_of_slots((16, 22, 33, 64), 7168)


@scenario(GROUP, "the most slots there may be")
def most_slots(runner):
    any_top_k(runner, (33, 64), 136)


@scenario(GROUP, "combine of bf16 rounds its sum once")
def one_rounding(runner):
    top_k, hidden = 8, 64
    table = normal("bf16", (16, hidden))
    index = [[(3 * row + 5 * slot) % 16 for slot in range(top_k)] for row in range(4)]
    gate = normal("f32", (4, top_k), 0.125, 0.05, seed=4)
    y = runner.run("combine", {"hidden": hidden, "top_k": top_k},
                   inputs={"expert_rows": table, "gate": gate, "row_index": tensor("i64", (4, top_k), sum(index, []))},
                   outputs=("h",))["h"]
    want = tensor("bf16", y.shape, combined(table.rows(), index, gate.rows()))
    expect(y.data == want.data, "other bits than a sum in f32 that is rounded once")


@scenario(GROUP, "an index or a gate of another shape or dtype is refused by name")
def other_shapes(runner):
    table, gate = normal("bf16", (16, 64)), normal("f32", (8, 2))
    index = tensor("i64", (8, 2), range(16))

    def refused(sentence, **changed):
        runner.refused(sentence, "combine", {"hidden": 64, "top_k": 2},
                       inputs={"expert_rows": table, "row_index": index, "gate": gate, **changed})

    refused(r"rowsx2xi64 for argument 'row_index', but got 16xi64", row_index=tensor("i64", (16,), range(16)))
    refused("rowsx2xi64 for argument 'row_index', but got 8x2xi32", row_index=tensor("i32", (8, 2), range(16)))
    refused("row_index", row_index=tensor("i64", (4, 4), range(16)))
    refused("gate", gate=normal("f32", (7, 2)))
    refused("gate", gate=normal("f32", (8, 1)))
    refused("f32 for argument 'gate', but got 8x2xbf16", gate=normal("bf16", (8, 2)))
    refused("expert_rows", expert_rows=normal("bf16", (16, 32)))
    flat = "tensor<27736xi32>"
    runner.refused("row_index|operand #1", f"""func.func @combine(%expert_rows: tensor<?x64xbf16>, %row_index: {flat}, %gate: tensor<3467x8xf32>) -> tensor<3467x64xbf16> {{
  %y = fastnorm.combine %expert_rows[%row_index] gate(%gate) : tensor<?x64xbf16>, {flat}, tensor<3467x8xf32> -> tensor<3467x64xbf16>
  return %y : tensor<3467x64xbf16>
}}
""")
