"""Graphs whose operands lie in memory in other ways than rows side by side, each compared with the reference.

usage: layouts.py FOLDER KIND

Prints what matrix.py prints.
"""

import sys

import matrix


def head_norm(shape, weight, hidden=128, storage="bf16", rstd=True):
    """A norm over the last dimension, with parameters of [hidden] or [heads, hidden]."""
    x, w = f"tensor<{shape}x{hidden}x{storage}>", f"tensor<{weight}{hidden}xf32>"
    results = f"{x}, tensor<{shape}xf32>" if rstd else x
    names = "%y, %rstd" if rstd else "%y"
    return f"""func.func @norm(%x: {x}, %weight: {w}, %bias: {w}) -> ({results}) {{
  {names} = fastnorm.rms_norm %x weight(%weight) bias(%bias) {{eps = 1.0e-5 : f32}} : {x}, {w}, {w} -> {results}
  return {names} : {results}
}}
"""


def combine_of_sequences(hidden):
    """Two row dimensions, a combine of gathered rows, and a per-head weight behind it."""
    rows, table = f"tensor<?x3x{hidden}xbf16>", f"tensor<?x{hidden}xbf16>"
    i, g, w = "tensor<?x3x4xi32>", "tensor<?x3x4xf32>", f"tensor<3x{hidden}xf32>"
    return f"""func.func @combine_norm(%expert_rows: {table}, %row_index: {i}, %gate: {g}, %weight: {w}) -> ({rows}, {rows}) {{
  %h = fastnorm.combine %expert_rows[%row_index] gate(%gate) : {table}, {i}, {g} -> {rows}
  %y = fastnorm.layer_norm %h weight(%weight) {{eps = 1.0e-6 : f32}} : {rows}, {w} -> {rows}
  return %y, %h : {rows}, {rows}
}}
"""


def broadcast_over_heads(hidden):
    """Algebra: a row per token and a scalar per token and per head meet rows per token and head."""
    x, token = f"tensor<?x5x{hidden}xf32>", f"tensor<?x{hidden}xf32>"
    return f"""func.func @rotate(%x: {x}, %t: {token}, %s: tensor<?xf32>, %h: tensor<5xf32>) -> {x} {{
  %y = fastnorm.map(%x [row, head, hidden], %t [row, hidden], %s [row], %h [head]) -> [row, head, hidden]
     : ({x}, {token}, tensor<?xf32>, tensor<5xf32>) -> {x} {{
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %c, %d : f32
    %r = arith.addf %p, %q : f32
    fastnorm.yield %r : f32
  }}
  return %y : {x}
}}
"""


def heads():
    for rows in (0, 1, 7, 133):
        yield f"heads, rows {rows}", head_norm("?x5", "5x"), rows, ()
    for hidden in (1, 17, 96, 4096, 65537):
        yield f"heads, hidden {hidden}", head_norm("?x3", "3x", hidden), 4, ()
        yield f"one weight, hidden {hidden}", head_norm("?x3", "", hidden), 4, ()
    yield "heads are the rows", head_norm("7", "7x"), None, ()
    yield "three row dimensions", head_norm("?x3x5", "5x"), 4, ()
    yield "three static row dimensions", head_norm("16x2x3", "", 32), None, ()
    yield "one row of each", head_norm("1x1x1", "1x", 32), None, ()
    yield "rows past the last CTA", head_norm("?x5", "5x", 64), 3, ()
    for hidden in (128, 1024, 16384):
        yield f"combine, hidden {hidden}", combine_of_sequences(hidden), 7, ()
        yield f"combine apart, hidden {hidden}", combine_of_sequences(hidden), 7, ("--fuse=never",)
        yield f"per token and per head, hidden {hidden}", broadcast_over_heads(hidden), 7, ()


if __name__ == "__main__":
    matrix.KINDS = {"heads": heads}
    sys.exit(matrix.main(*sys.argv[1:]))
