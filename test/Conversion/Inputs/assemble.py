"""Emits PTX for some graphs, assembles that for many rows for its chip and says what was spilled.

usage: assemble.py PTXAS FOLDER speed-shapes|chips|column-sums|combine-backward
"""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Integration"))
import column_sums
import persistent


def rms_norm(hidden):
    x, w = f"tensor<?x{hidden}xbf16>", f"tensor<{hidden}xbf16>"
    return f"""func.func @norm(%x: {x}, %weight: {w}) -> {x} {{
  %y = fastnorm.rms_norm %x weight(%weight) {{eps = 1.0e-5 : f32}} : {x}, {w} -> {x}
  return %y : {x}
}}
"""


def combine_norm(hidden):
    rows, w, i, g = f"tensor<?x{hidden}xbf16>", f"tensor<{hidden}xf32>", "tensor<?x8xi64>", "tensor<?x8xf32>"
    return f"""func.func @combine_norm(%expert_rows: {rows}, %row_index: {i}, %gate: {g}, %residual: {rows}, %weight: {w})
    -> {rows} {{
  %h = fastnorm.combine %expert_rows[%row_index] gate(%gate) : {rows}, {i}, {g} -> {rows}
  %s = fastnorm.residual_add %residual, %h : {rows}
  %y = fastnorm.rms_norm %s weight(%weight) {{eps = 1.0e-6 : f32, weight_offset = 1.0 : f32}} : {rows}, {w} -> {rows}
  return %y : {rows}
}}
"""


def backward(norm, hidden):
    x, w, row = f"tensor<?x{hidden}xbf16>", f"tensor<{hidden}xbf16>", "tensor<?xf32>"
    mean, bias = (", %mean: " + row, ", %db") if norm == "layer_norm" else ("", "")
    results = f"{x}, {w}" + (f", {w}" if bias else "")
    return f"""func.func @backward(%dy: {x}, %x: {x}{mean}, %rstd: {row}, %w: {w}) -> ({results}) {{
  %dx, %dw{bias} = fastnorm.{norm}_backward %dy, %x{" mean(%mean)" if mean else ""} rstd(%rstd) weight(%w)
     : {x}, {x}{", " + row if mean else ""}, {row}, {w} -> input({x}) weight({w}){f" bias({w})" if bias else ""}
  return %dx, %dw{bias} : {results}
}}
"""


def combine_backward(top_k, hidden, index_map="bijective"):
    x, i, g = f"tensor<?x{hidden}xbf16>", f"tensor<?x{top_k}xi64>", f"tensor<?x{top_k}xf32>"
    return f"""func.func @combine_backward(%dy: {x}, %i: {i}, %rows: {x}, %gate: {g}) -> ({x}, {g}) {{
  %drows, %dgate = fastnorm.combine_backward %dy[%i] index_map({index_map}) expert_rows(%rows) gate(%gate)
     : {x}, {i}, {x}, {g} -> expert_rows({x}) gate({g})
  return %drows, %dgate : {x}, {g}
}}
"""


SPEED_SHAPES = [(f"rms_norm {hidden}", rms_norm(hidden), "sm_90") for hidden in (1024, 2048, 4096, 8192, 16384, 32768)]
SPEED_SHAPES += [(f"combine_norm {hidden}", combine_norm(hidden), "sm_90") for hidden in (2048, 3072)]
SPEED_SHAPES += [(f"{norm}_backward {hidden}", backward(norm, hidden), "sm_90") for norm in ("rms_norm", "layer_norm")
                 for hidden in (1024, 2048, 3072, 4096, 5120, 7168, 8192, 16384)]
CHIPS = [(chip, combine_norm(3072), chip) for chip in ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")]


TILES = {
    "tiles": column_sums.tile(256, 16, 1, 1, 264, ", min_ctas = 2"),
    "shared tiles": column_sums.tile(512, 8, 2, 1, 108, column_sums.SHARED + ", vectors_in_flight = 2"),
    "shared cluster tiles": column_sums.tile(256, 16, 2, 4, 120, column_sums.SHARED + ", vectors_in_flight = 2"),
}


COMBINE_BACKWARD = [(f"combine_backward {top_k} x {hidden}", combine_backward(top_k, hidden), "sm_90")
                    for top_k, hidden in ((8, 3072), (8, 2048), (4, 4096), (2, 6144), (8, 7168), (1, 4096))]
COMBINE_BACKWARD += [(chip, combine_backward(8, 7168), chip) for chip in ("sm_80", "sm_86", "sm_89", "sm_100", "sm_120")]
COMBINE_BACKWARD += [(f"{chip} {index_map}", combine_backward(8, 3072, index_map), chip) for chip, index_map in
                     (("sm_80", "any"), ("sm_90", "any"), ("sm_120", "injective"))]


def pinned_sums():
    """Other ways to keep and to add up sums over rows."""
    atomic = ", vectors_in_flight = 2, stores = cached, accumulate = atomic"
    for op in ("rms_norm_backward", "layer_norm_backward"):
        for chip in ("sm_80", "sm_90", "sm_100"):
            copies = ", copies = by_thread" if chip == "sm_80" else ""
            schedule = persistent.shape(256, 2, 2, 1, 132, 2, atomic + copies)
            graph = persistent.backward(op, 4096, grad_dtype="f32")
            yield f"{op} atomic {chip}", persistent.scheduled(graph, schedule, chip), chip
            ring = persistent.shape(256, 1, 2, 1, 264, 2, ", min_ctas = 2" + column_sums.SHARED + copies)
            yield f"{op} shared sums {chip}", persistent.scheduled(persistent.backward(op, 4096), ring, chip), chip
            for name, tile in TILES.items():
                if chip != "sm_80" or "cluster" not in tile:
                    hidden = 16384 if "shared" in name else 4096
                    graph = persistent.scheduled(persistent.backward(op, hidden, residual="yes"), tile, chip)
                    yield f"{op} {name} {chip}", graph, chip


def main(ptxas, folder, what):
    os.makedirs(folder, exist_ok=True)
    graph, ptx, cubin = (os.path.join(folder, name) for name in ("graph.mlir", "graph.ptx", "graph.cubin"))
    for name, text, chip in {"speed-shapes": SPEED_SHAPES, "chips": CHIPS, "column-sums": pinned_sums(),
                             "combine-backward": COMBINE_BACKWARD}[what]:
        with open(graph, "w") as file:
            file.write(text)
        subprocess.run(["fastnorm-run", graph, f"--target={chip}", "--emit=ptx", "-o", ptx], check=True)
        with open(ptx) as file:
            variants = [f".version{text}" for text in file.read().split(".version")[1:]]
        with open(ptx, "w") as file:
            file.write(variants[-1])
        done = subprocess.run([ptxas, "-v", f"-arch={chip}", ptx, "-o", cubin], capture_output=True, text=True)
        spills = re.findall(r"(\d+) bytes spill stores, (\d+) bytes spill loads", done.stderr)
        if done.returncode or not spills:
            print(f"{name}: ptxas refuses: {done.stderr}{done.stdout}")
        elif any(int(count) for pair in spills for count in pair):
            print(f"{name}: spills {spills}")
        else:
            print(f"{name}: no spills")


if __name__ == "__main__":
    main(*sys.argv[1:])
