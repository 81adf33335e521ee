"""Graphs whose operands lie in memory in other ways than rows side by side, each compared with the reference.

usage: layouts.py FOLDER KIND

Prints what matrix.py prints.
"""

import re
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


def view(shape, element, *strides):
    return f"tensor<{shape}x{element}, #fastnorm.strides<[{', '.join(map(str, strides))}]>>"


def strided_norm(x, result, weight, rank=3):
    """A norm from one view into another."""
    return f"""func.func @norm(%x: {x}, %weight: {weight}) -> {result} {{
  %y = fastnorm.rms_norm %x weight(%weight) {{eps = 1.0e-5 : f32}} : {x}, {weight} -> {result}
  return %y : {result}
}}
"""


def strided_add_norm(residual, x):
    s = "tensor<?x4x256xbf16>"
    return f"""func.func @add_norm(%residual: {residual}, %x: {x}) -> ({s}, {s}) {{
  %s = fastnorm.residual_add %residual, %x : {residual}, {x} -> {s}
  %y = fastnorm.layer_norm %s {{eps = 1.0e-5 : f32}} : {s} -> {s}
  return %y, %s : {s}, {s}
}}
"""


def strided_combine(table, index, gate):
    y = "tensor<?x512xbf16>"
    return f"""func.func @combine(%expert_rows: {table}, %row_index: {index}, %gate: {gate}) -> {y} {{
  %y = fastnorm.combine %expert_rows[%row_index] gate(%gate) : {table}, {index}, {gate} -> {y}
  return %y : {y}
}}
"""


def strides():
    heads, w = view("?x40x128", "bf16", 5120, 128, 1), "tensor<40x128xf32>"
    # 32 of 40 heads of a fused buffer; the result goes on where a head ends.
    q, dense = view("?x32x128", "bf16", 5120, 128, 1), "tensor<?x32x128xbf16>"
    yield "rows that fold", strided_norm(heads, heads, w), 7, ()
    yield "heads of a fused buffer", strided_norm(q, dense, "tensor<128xf32>"), 7, ()
    yield "heads of a fused buffer, weight a head", strided_norm(q, q, "tensor<32x128xf32>"), 133, ()
    yield "heads of a fused buffer, rows 0", strided_norm(q, q, "tensor<32x128xf32>"), 0, ()
    run_time = view("?x32x128", "bf16", "?", 128, 1)
    yield "stride at run time", strided_norm(run_time, run_time, "tensor<32x128xf32>"), 5, (
        "--dim", "x_stride_0=4352", "--dim", "y_stride_0=4104")
    both = view("?x32x128", "bf16", "?", "?", 1)
    yield "two strides at run time", strided_norm(both, dense, "tensor<32x128xf32>"), 5, (
        "--dim", "x_stride_0=4352", "--dim", "x_stride_1=136")
    swapped = view("6x32x128", "f32", 128, 768, 1)
    yield "heads outside of rows", strided_norm(swapped, swapped, "tensor<32x128xf32>"), None, ()
    weight = view("32x128", "f32", 256, 1)
    yield "a weight cut from a larger one", strided_norm(dense, dense, weight), 5, ()
    padded = view("?x2880", "bf16", 3072, 1)
    yield "padded rows", strided_norm(padded, "tensor<?x2880xbf16>", "tensor<2880xf32>"), 5, ()
    yield "padded rows of four dimensions", strided_norm(
        view("?x2x3x64", "bf16", 768, 384, 64, 1), "tensor<?x2x3x64xbf16>", "tensor<64xf32>"), 5, ()
    yield "rows at odd places", strided_norm(view("?x128", "bf16", 129, 1), view("?x128", "bf16", 131, 1), "tensor<128xf32>"), 5, ()
    x = "tensor<?x4x256xbf16>"
    for name, residual in (("all", (0, 0, 1)), ("rows", (0, 256, 1)), ("heads", (256, 0, 1))):
        yield f"residual repeated over {name}", strided_add_norm(view("?x4x256", "bf16", *residual), x), 7, ()
    table, index, gate = "tensor<?x512xbf16>", "tensor<?x3xi32>", "tensor<?x3xf32>"
    yield "padded table", strided_combine(view("?x512", "bf16", 520, 1), index, gate), 9, ()
    yield "gate and index views", strided_combine(table, view("?x3", "i32", 8, 1), view("?x3", "f32", 5, 1)), 9, ()
    yield "table stride at run time", strided_combine(view("?x512", "bf16", "?", 1), index, gate), 9, (
        "--dim", "expert_rows_stride_0=640")
    yield "gate stride at run time", strided_combine(table, index, view("?x3", "f32", "?", 1)), 9, ("--dim", "gate_stride_0=12")


def mixed_norm(hidden, x="bf16", weight="f32", y="bf16"):
    """Two results and two parameters of other types than the rows."""
    rows, w, out = f"tensor<?x{hidden}x{x}>", f"tensor<{hidden}x{weight}>", f"tensor<?x{hidden}x{y}>"
    return f"""func.func @norm(%x: {rows}, %weight: {w}, %bias: {w}, %residual: {rows}) -> ({out}, {rows}) {{
  %s = fastnorm.residual_add %residual, %x : {rows}
  %y = fastnorm.layer_norm %s weight(%weight) bias(%bias) {{eps = 1.0e-5 : f32}} : {rows}, {w}, {w} -> {out}
  return %y, %s : {out}, {rows}
}}
"""


def split_over(hidden, scope):
    """A norm whose rows are split over CTAs, each of which has a part."""
    return matrix.scheduled(matrix.rms_norm(hidden), f"kind = per_row, scope = {scope}, ctas_per_row = 4, threads_per_row = 96, "
                            "vector_width = 8, vectors_per_thread = 3")


def row_gather(hidden):
    table, y = f"tensor<?x{hidden}xbf16>", f"tensor<?x{hidden}xf32>"
    return f"""func.func @gather(%expert_rows: {table}, %row_index: tensor<?xi32>, %x: {table}) -> {y} {{
  %g = fastnorm.gather %expert_rows[%row_index] : {table}, tensor<?xi32> -> {table}
  %s = fastnorm.residual_add %g, %x : {table}, {table} -> {y}
  return %s : {y}
}}
"""


def odd_rows():
    """Rows that are no whole number of vectors: each starts at another place within 16 bytes."""
    for hidden in (65, 127, 129, 255, 257, 769, 1537, 4097, 16385, 65537):
        yield f"hidden {hidden}", matrix.rms_norm(hidden), 19, ()
        yield f"hidden {hidden} of f32 into bf16", mixed_norm(hidden, x="f32", weight="bf16"), 5, ()
    for x, weight, y in (("bf16", "bf16", "f32"), ("f16", "f32", "f16"), ("bf16", "f32", "f8E4M3FN"), ("f32", "f32", "f32")):
        for hidden in (127, 1025):
            yield f"hidden {hidden} of {x} into {y}", mixed_norm(hidden, x, weight, y), 9, ()
    for hidden in (129, 1537, 9001):
        yield f"combine, hidden {hidden}", matrix.combine_norm(hidden), 9, ()
        yield f"combine apart, hidden {hidden}", matrix.combine_norm(hidden, slots=3), 9, ("--fuse=never",)
        yield f"gather, hidden {hidden}", row_gather(hidden), 9, ()
    # Columns outside of the row are zero, which counts in these: a distance from the mean, a maximum, a sum of exp2(x).
    for hidden in (129, 1537, 4097, 16385):
        yield f"layer_norm, hidden {hidden}", matrix.layer_norm(hidden), 9, ()
        yield f"softmax, hidden {hidden}", matrix.softmax(hidden), 9, ()


def single_rows():
    """Rows of rank 1, by themselves and in place, each at sizes that one CTA, a cluster, or two sweeps hold."""
    for hidden in (1, 17, 128, 769, 4096, 4097, 65537):
        row, weight = f"tensor<{hidden}xbf16>", f"tensor<{hidden}xf32>"
        for op in ("rms_norm", "layer_norm"):
            norm = f"""func.func @norm(%x: {row}, %weight: {weight}) -> {row} {{
  %y = fastnorm.{op} %x weight(%weight) {{eps = 1.0e-5 : f32}} : {row}, {weight} -> {row}
  return %y : {row}
}}
"""
            yield f"{op}, hidden {hidden}", norm, None, ()
            yield f"{op} anywhere, hidden {hidden}", norm, None, ("--alignment=any", "--offset", "x=1", "--offset", "y=3")
            yield f"{op} in place, hidden {hidden}", in_place(norm, "x", 0), None, ()
        residual = f"""func.func @residual_norm(%residual: {row}, %x: {row}, %weight: {weight}) -> ({row}, {row}) {{
  %s = fastnorm.residual_add %residual, %x : {row}
  %y = fastnorm.rms_norm %s weight(%weight) {{eps = 1.0e-5 : f32}} : {row}, {weight} -> {row}
  return %y, %s : {row}, {row}
}}
"""
        yield f"residual norm, hidden {hidden}", residual, None, ()
        yield f"residual norm apart, hidden {hidden}", residual, None, ("--fuse=never",)
        yield f"residual norm in place, hidden {hidden}", in_place(residual, "residual", 1), None, ()


def offsets():
    """Each operand in turn, then all, a few elements past an aligned address: no byte around them is read or written."""
    def anywhere(name, graph, rows, operands, *options, elements=(1,)):
        shifts = [{operand: shift} for operand in operands for shift in elements]
        shifts.append({operand: 1 + 2 * number for number, operand in enumerate(operands)})
        for shift in shifts:
            flags = [text for operand, elements in shift.items() for text in ("--offset", f"{operand}={elements}")]
            yield f"{name} {shift}", graph, rows, ("--alignment=any", *flags, *options)

    norm = ("x", "weight", "y")
    for hidden in (3, 17, 127, 768, 769, 4096, 4097):
        yield from anywhere(f"rms_norm {hidden}", matrix.rms_norm(hidden), 5, norm, elements=(1, 2, 4))
    for shift in range(1, 8):
        for name, operands in (("rows alike", ("x", "y")), ("x by itself", ("x",)), ("weight by itself", ("weight",))):
            flags = [text for operand in operands for text in ("--offset", f"{operand}={shift}")]
            yield f"{name} {shift}", matrix.rms_norm(769), 5, ("--alignment=any", *flags)
    for hidden in (5, 9, 13):
        short = matrix.scheduled(matrix.rms_norm(hidden), "kind = per_row, scope = lanes, threads_per_row = 4, rows_per_cta = 8, "
                                 "vector_width = 8, vectors_per_thread = 1")
        yield from anywhere(f"less than two vectors, {hidden}", short, 11, ("arg0", "arg1", "result0"), elements=(1, 3))
    yield from anywhere("layer_norm", matrix.layer_norm(1025), 5, ("x", "weight", "bias", "y"), elements=(1, 3))
    yield from anywhere("two sweeps", matrix.rms_norm(65537), 3, norm)
    yield from anywhere("a cluster a row", split_over(8192, "cluster"), 3, ("arg0", "arg1", "result0"))
    yield from anywhere("a grid a row", split_over(8192, "grid"), 3, ("arg0", "arg1", "result0"))
    yield from anywhere("f32 into f8", mixed_norm(1024, "f32", "bf16", "f8E4M3FN"), 5, ("x", "weight", "residual", "y", "s"))
    yield from anywhere("combine", matrix.combine_norm(512), 9, ("expert_rows", "row_index", "gate", "residual", "weight", "s"))
    yield from anywhere("gather", row_gather(300), 9, ("expert_rows", "row_index", "x", "s"))
    yield from anywhere("heads of a fused buffer", strided_norm(
        view("?x32x128", "bf16", 5121, 128, 1), "tensor<?x32x128xbf16>", "tensor<32x128xf32>"), 5, norm)
    run_time = view("?x32x128", "bf16", "?", 129, 1)
    yield from anywhere("strides at run time", strided_norm(run_time, run_time, "tensor<128xf32>"), 5, norm,
                        "--dim", "x_stride_0=4353", "--dim", "y_stride_0=4129")


def in_place(graph, argument, result):
    """The argument's buffer becomes the result's."""
    return re.sub(rf"(%{argument}: tensor<[^>]*>)", rf"\1 {{fastnorm.result = {result} : i64}}", graph, count=1)


def ties():
    for hidden in (17, 128, 769, 4096, 16384):
        yield f"residual in place, hidden {hidden}", in_place(matrix.combine_norm(hidden), "residual", 1), 9, ()
        yield f"norm in place, hidden {hidden}", in_place(matrix.rms_norm(hidden), "x", 0), 9, ()
        yield f"norm in place anywhere, hidden {hidden}", in_place(matrix.rms_norm(hidden), "x", 0), 9, ("--alignment=any",)
    yield "norm in place of two sweeps", matrix.scheduled(in_place(matrix.rms_norm(3001), "x", 0),
        "kind = two_pass, scope = cta, threads_per_row = 64, vector_width = 8, vectors_per_thread = 2"), 9, ()
    yield "norm in place over a cluster", matrix.scheduled(in_place(matrix.rms_norm(8192), "x", 0),
        "kind = per_row, scope = cluster, ctas_per_row = 4, threads_per_row = 96, vector_width = 8, vectors_per_thread = 3"), 9, ()
    yield "apart", in_place(matrix.combine_norm(1024), "residual", 1), 9, ("--fuse=never",)


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
    matrix.KINDS = {"heads": heads, "strides": strides, "odd-rows": odd_rows, "single-rows": single_rows, "offsets": offsets, "ties": ties}
    sys.exit(matrix.main(*sys.argv[1:]))
