"""Runs graphs of one kind on the emulator, or another device, over sizes and compares each with the reference.

usage: matrix.py FOLDER KIND [DEVICE]

Prints a line for every run that does not match and a count at the end; exit status 1 where there was one.
"""

import itertools
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import column_sums
import persistent

HIDDEN = (1, 3, 17, 96, 769, 1024, 1536, 2880, 3072, 4096, 16384, 65537)
ROWS = (0, 1, 2, 7, 133)


def rms_norm(hidden, storage="bf16", weight="bf16", rstd=False):
    x, w = f"tensor<?x{hidden}x{storage}>", f"tensor<{hidden}x{weight}>"
    results = f"{x}, tensor<?xf32>" if rstd else x
    names = "%y, %rstd" if rstd else "%y"
    return f"""func.func @norm(%x: {x}, %weight: {w}) -> ({results}) {{
  {names} = fastnorm.rms_norm %x weight(%weight) {{eps = 1.0e-5 : f32}} : {x}, {w} -> {results}
  return {names} : {results}
}}
"""


def layer_norm(hidden, storage="bf16", weight="f32", bias="f32", result="bf16", rounds=False, statistics=True):
    """Either parameter may be None."""
    x = f"tensor<?x{hidden}x{storage}>"
    parameters = [(n, f"tensor<{hidden}x{t}>") for n, t in (("weight", weight), ("bias", bias)) if t]
    arguments = ", ".join(f"%{name}: {type}" for name, type in [("x", x)] + parameters)
    clauses = " ".join(f"{name}(%{name})" for name, _ in parameters)
    types = ", ".join([x] + [type for _, type in parameters])
    results = f"tensor<?x{hidden}x{result}>" + (", tensor<?xf32>, tensor<?xf32>" if statistics else "")
    names = "%y, %mean, %rstd" if statistics else "%y"
    flags = ", round_xhat" if rounds else ""
    return f"""func.func @norm({arguments}) -> ({results}) {{
  {names} = fastnorm.layer_norm %x {clauses} {{eps = 1.0e-5 : f32{flags}}} : {types} -> {results}
  return {names} : {results}
}}
"""


def gather_norm(hidden, storage="bf16", index="i32", result="bf16"):
    """Chosen rows, and their norm."""
    x, i = f"tensor<?x{hidden}x{storage}>", f"tensor<?x{index}>"
    y = f"tensor<?x{hidden}x{result}>"
    return f"""func.func @gather_norm(%expert_rows: {x}, %order: {i}) -> ({x}, {y}) {{
  %chosen = fastnorm.gather %expert_rows[%order] : {x}, {i} -> {x}
  %y = fastnorm.layer_norm %chosen {{eps = 1.0e-5 : f32}} : {x} -> {y}
  return %chosen, %y : {x}, {y}
}}
"""


def combine_shared(hidden, storage="bf16", shared="bf16", result="bf16", slots=4):
    """No gate, a shared expert, an f32 stream."""
    rows, i, s = f"tensor<?x{hidden}x{storage}>", f"tensor<?x{slots}xi32>", f"tensor<?x{hidden}x{shared}>"
    stream, y = f"tensor<?x{hidden}xf32>", f"tensor<?x{hidden}x{result}>"
    return f"""func.func @combine_shared(%expert_rows: {rows}, %row_index: {i}, %shared: {s}, %residual: {stream})
    -> ({stream}, {y}) {{
  %h = fastnorm.combine %expert_rows[%row_index] shared(%shared) : {rows}, {i}, {s} -> {rows}
  %sum = fastnorm.residual_add %residual, %h : {stream}, {rows} -> {stream}
  %y = fastnorm.rms_norm %sum {{eps = 1.0e-6 : f32}} : {stream} -> {y}
  return %sum, %y : {stream}, {y}
}}
"""


def combine_norm(hidden, storage="bf16", weight="f32", index="i64", gate="f32", slots=8):
    rows, w = f"tensor<?x{hidden}x{storage}>", f"tensor<{hidden}x{weight}>"
    i, g = f"tensor<?x{slots}x{index}>", f"tensor<?x{slots}x{gate}>"
    return f"""func.func @combine_norm(%expert_rows: {rows}, %row_index: {i}, %gate: {g}, %residual: {rows}, %weight: {w})
    -> ({rows}, {rows}) {{
  %h = fastnorm.combine %expert_rows[%row_index] gate(%gate) : {rows}, {i}, {g} -> {rows}
  %s = fastnorm.residual_add %residual, %h : {rows}
  %y = fastnorm.rms_norm %s weight(%weight) {{eps = 1.0e-6 : f32, weight_offset = 1.0 : f32}} : {rows}, {w} -> {rows}
  return %y, %s : {rows}, {rows}
}}
"""


def two_pass(hidden, width, threads, vectors):
    """Rows less their maximum, with a schedule that stands in the text."""
    x = f"tensor<?x{hidden}xf32>"
    return f"""func.func @lowered(%x: {x}) -> {x} {{
  %y = fastnorm.kernel "lowered" (%a = %x) {{schedule = #fastnorm.schedule<kind = two_pass, scope = cta,
      threads_per_row = {threads}, vector_width = {width}, vectors_per_thread = {vectors}>}} : ({x}) -> {x} {{
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : {x} -> tensor<?xf32>
    %s = fastnorm.map(%a [row, hidden], %max [row]) -> [row, hidden] : ({x}, tensor<?xf32>) -> {x} {{
    ^bb0(%b: f32, %m: f32):
      %d = arith.subf %b, %m : f32
      fastnorm.yield %d : f32
    }}
    fastnorm.yield %s : {x}
  }}
  return %y : {x}
}}
"""


def softmax(hidden):
    x, row = f"tensor<?x{hidden}xf32>", "tensor<?xf32>"
    return f"""func.func @softmax(%x: {x}) -> {x} {{
  %max = fastnorm.reduce max hidden (%x [row, hidden]) : {x} -> {row}
  %power = fastnorm.map(%x [row, hidden], %max [row]) -> [row, hidden] : ({x}, {row}) -> {x} {{
  ^bb0(%a: f32, %m: f32):
    %log2e = arith.constant 1.44269504 : f32
    %d = arith.subf %a, %m : f32
    %e = arith.mulf %d, %log2e : f32
    %p = math.exp2 %e : f32
    fastnorm.yield %p : f32
  }}
  %sum = fastnorm.reduce add hidden (%power [row, hidden]) : {x} -> {row}
  %y = fastnorm.map(%power [row, hidden], %sum [row]) -> [row, hidden] : ({x}, {row}) -> {x} {{
  ^bb0(%p: f32, %s: f32):
    %q = arith.divf %p, %s : f32
    fastnorm.yield %q : f32
  }}
  return %y : {x}
}}
"""


def example(name, hidden, group=128):
    """An example of the algebra with another hidden size, and another size of groups."""
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "examples", name + ".mlir")) as file:
        text = file.read()
    text = text.replace("tensor<?x32x", f"tensor<?x{hidden // group}x").replace("tensor<?x4096x", f"tensor<?x{hidden}x")
    return text.replace("group = 128", f"group = {group}")


def dequantize_groups(hidden, group):
    """Groups that are read and used behind a row reduction."""
    x, s, y = f"tensor<?x{hidden}xi8>", f"tensor<?x{hidden // group}xf32>", f"tensor<?x{hidden}xf32>"
    return f"""func.func @dequantize(%x: {x}, %scale: {s}) -> {y} {{
  %wide = fastnorm.map(%x [row, hidden], %scale [row, group]) -> [row, hidden] : ({x}, {s}) -> {y} {{
  ^bb0(%a: i8, %q: f32):
    %f = arith.sitofp %a : i8 to f32
    %r = arith.mulf %f, %q : f32
    fastnorm.yield %r : f32
  }}
  %sums = fastnorm.reduce add hidden (%wide [row, hidden]) {{group = {group} : i64}} : {y} -> {s}
  %most = fastnorm.reduce max hidden (%wide [row, hidden]) : {y} -> tensor<?xf32>
  %y = fastnorm.map(%x [row, hidden], %scale [row, group], %sums [row, group], %most [row]) -> [row, hidden]
     : ({x}, {s}, {s}, tensor<?xf32>) -> {y} {{
  ^bb0(%a: i8, %q: f32, %t: f32, %m: f32):
    %f = arith.sitofp %a : i8 to f32
    %r = arith.mulf %f, %q : f32
    %u = arith.addf %r, %t : f32
    %v = arith.subf %u, %m : f32
    fastnorm.yield %v : f32
  }}
  return %y : {y}
}}
"""


def scheduled(graph, schedule):
    """A graph as one kernel whose schedule stands in the text."""
    lowered = subprocess.run(
        ["fastnorm-opt", "--fastnorm-pipeline=until=schedule fuse=always"], input=graph, capture_output=True, text=True, check=True
    ).stdout
    return re.sub(r"#fastnorm\.schedule<[^>]*>", f"#fastnorm.schedule<{schedule}>", lowered)


def dependent(graph):
    """A graph as kernels that each begin while the one before drains."""
    lowered = subprocess.run(
        ["fastnorm-opt", "--fastnorm-pipeline=until=schedule fuse=never"],
        input=graph, capture_output=True, text=True, check=True).stdout
    return re.sub(r"(#fastnorm\.schedule<[^>]*)>", r"\1, dependent_launch = true>", lowered)


def over_sizes(graph):
    for hidden, rows in itertools.product(HIDDEN, ROWS):
        yield f"hidden {hidden} rows {rows}", graph(hidden), rows, ()


def combine_types():
    for hidden in (17, 1024, 16384):
        for options in (
            {"storage": "f32"},
            {"weight": "bf16"},
            {"gate": "bf16"},
            {"index": "i32"},
            {"slots": 1},
            {"slots": 3},
            {"slots": 16},
        ):
            yield f"hidden {hidden} {options}", combine_norm(hidden, **options), 7, ()
        yield f"hidden {hidden} apart", combine_norm(hidden), 7, ("--fuse=never",)


def norm_types():
    for hidden in (1, 17, 769, 4096, 65537):
        for options in ({"storage": "f32"}, {"storage": "f32", "weight": "f32"}, {"weight": "f32"}, {"rstd": True}):
            yield f"hidden {hidden} {options}", rms_norm(hidden, **options), 7, ()


def layer_norms():
    for hidden in (1, 3, 17, 127, 255, 1024, 2880, 4096, 16384, 65537):
        yield f"hidden {hidden}", layer_norm(hidden), 7, ()
    for hidden in (17, 1024):
        for options in (
            {"weight": None},
            {"bias": None},
            {"weight": None, "bias": None, "statistics": False},
            {"storage": "f32", "result": "f32"},
            {"storage": "f16", "weight": "f16", "bias": "bf16", "result": "f16"},
            {"rounds": True},
            {"storage": "f16", "result": "f8E4M3FN"},
        ):
            yield f"hidden {hidden} {options}", layer_norm(hidden, **options), 7, ("--target=a100",)


def gathers():
    for hidden in (1, 17, 1024, 16384, 70000):
        yield f"gather_norm hidden {hidden}", gather_norm(hidden), 7, ()
        yield f"gather_norm hidden {hidden} f16", gather_norm(hidden, "f16", "i64", "f32"), 7, ("--fuse=never",)
    for hidden in (17, 1024):
        yield f"combine_shared hidden {hidden}", combine_shared(hidden), 7, ()
        yield f"combine_shared hidden {hidden} f16", combine_shared(hidden, "f16", "f32", "f8E4M3FN", 11), 7, ("--target=a100",)


def algebra():
    """The examples at other sizes than theirs; both ways to round to f8E4M3FN."""
    for hidden in (1, 17, 1024, 8192, 131072):
        for name in ("softmax", "log_softmax", "l2_norm", "quantize_rows"):
            yield f"{name} hidden {hidden}", example(name, hidden), 5, ()
    for hidden, group in ((1, 1), (32, 32), (96, 4), (1024, 128), (4096, 128), (5120, 64), (3072, 512), (70000, 16)):
        for target in ("a100", "h200"):
            text = example("quantize_groups", hidden, group)
            yield f"quantize_groups hidden {hidden} group {group} {target}", text, 5, ("--target=" + target,)
        yield f"dequantize hidden {hidden} group {group}", dequantize_groups(hidden, group), 5, ()


def two_passes():
    for hidden, width, threads, vectors in (
        (1, 1, 32, 1),
        (17, 1, 32, 1),
        (96, 4, 32, 1),
        (1024, 4, 64, 2),
        (1028, 4, 64, 1),
        (4099, 1, 1024, 2),
    ):
        yield f"hidden {hidden} by {width} x {threads} x {vectors}", two_pass(hidden, width, threads, vectors), 7, ()


def schedules():
    """Schedules that no rule chooses: every parameter away from its default, alone and together."""
    per_row = "kind = per_row, scope = cta, threads_per_row = 64, vector_width = 8, vectors_per_thread = 5"
    norms = (
        per_row,
        per_row + ", vectors_in_flight = 2",
        per_row + ", vectors_in_flight = 5, keep = computed, stores = cached",
        per_row + ", vectors_in_flight = 3, invariants = late",
        "kind = per_row, scope = cta, threads_per_row = 1024, vector_width = 2, vectors_per_thread = 2",
        "kind = per_row, scope = cta, threads_per_row = 608, vector_width = 4, vectors_per_thread = 1",
        "kind = per_row, scope = cta, threads_per_row = 32, vector_width = 16, vectors_per_thread = 5",
        "kind = per_row, scope = lanes, threads_per_row = 16, rows_per_cta = 6, vector_width = 8, vectors_per_thread = 19, "
        "vectors_in_flight = 4, invariants = late",
        "kind = per_row, scope = lanes, threads_per_row = 8, rows_per_cta = 4, vector_width = 16, vectors_per_thread = 19",
        "kind = two_pass, scope = cta, threads_per_row = 32, vector_width = 16, vectors_per_thread = 3, vectors_in_flight = 2",
        "kind = two_pass, scope = cta, threads_per_row = 640, vector_width = 2, vectors_per_thread = 1, stores = cached",
    )
    for schedule in norms:
        yield schedule, scheduled(rms_norm(2400), schedule), 7, ()
    combines = (
        "kind = per_row, scope = cta, threads_per_row = 320, vector_width = 8, vectors_per_thread = 1",
        per_row + ", vectors_in_flight = 2, slots_in_flight = 3",
        per_row + ", slots_in_flight = 6, keep = computed, invariants = late",
        "kind = per_row, scope = lanes, threads_per_row = 32, rows_per_cta = 4, vector_width = 8, vectors_per_thread = 10, "
        "vectors_in_flight = 3, slots_in_flight = 7",
        "kind = two_pass, scope = cta, threads_per_row = 128, vector_width = 8, vectors_per_thread = 2, slots_in_flight = 2",
    )
    for schedule in combines:
        yield schedule, scheduled(combine_norm(2400, slots=7), schedule), 7, ()
    over_ctas = (
        "scope = cluster, threads_per_row = 160, ctas_per_row = 2, vector_width = 8, vectors_per_thread = 1",
        "scope = cluster, threads_per_row = 96, ctas_per_row = 4, vector_width = 8, vectors_per_thread = 1",
        "scope = cluster, threads_per_row = 32, ctas_per_row = 8, vector_width = 2, vectors_per_thread = 5",
        "scope = cluster, threads_per_row = 320, ctas_per_row = 8, vector_width = 1, vectors_per_thread = 1",
        "scope = grid, threads_per_row = 96, ctas_per_row = 4, vector_width = 8, vectors_per_thread = 1",
        "scope = grid, threads_per_row = 32, ctas_per_row = 38, vector_width = 1, vectors_per_thread = 2, "
        "vectors_in_flight = 2, dependent_launch = true",
    )
    for schedule in over_ctas:
        schedule = "kind = per_row, " + schedule
        yield "rms_norm " + schedule, scheduled(rms_norm(2400, rstd=True), schedule), 7, ()
        yield "layer_norm " + schedule, scheduled(layer_norm(2400), schedule), 7, ()
        yield "combine " + schedule, scheduled(combine_norm(2400, slots=7), schedule), 7, ()
    yield "dependent launches", dependent(combine_norm(2400, slots=7)), 7, ()
    combine = combine_norm(2400, slots=7).replace("%y, %s : ", "%h, %s : ")
    for schedule in (
        "kind = per_element, scope = cta, threads_per_row = 17, rows_per_cta = 15, vector_width = 8, vectors_per_thread = 1",
        "kind = per_element, scope = lanes, threads_per_row = 50, rows_per_cta = 2, vector_width = 4, "
        "vectors_per_thread = 5, vectors_in_flight = 2, slots_in_flight = 4, stores = cached",
    ):
        yield schedule, scheduled(combine, schedule), 7, ()


GROUPINGS = (
    "plan:combine,residual_add,rms_norm",
    "plan:combine,residual_add+rms_norm",
    "plan:combine+residual_add,rms_norm",
    "plan:combine+residual_add+rms_norm",
    "auto",
)


def groupings():
    """A block with its kernels grouped in every way."""
    for hidden, slots, rows in itertools.product((264, 1024, 2880), (1, 2, 8), (1, 4, 33)):
        # Each size in every grouping, but not with every number of rows.
        if (hidden + slots + rows) % 2 or rows == 4:
            for fuse in GROUPINGS:
                name = f"{fuse} {hidden} x {slots} rows {rows}"
                yield name, combine_norm(hidden, slots=slots), rows, (f"--fuse={fuse}",)


def norm_graphs(hidden):
    """Norms that read rows in one, two and three phases."""
    return (
        ("rms_norm", rms_norm(hidden, rstd=True)),
        ("layer_norm", layer_norm(hidden)),
        ("combine", combine_norm(hidden, slots=3)),
    )


KINDS = {
    "persistent-gradients": persistent.gradients,
    "atomic-sums": column_sums.atomic,
    "shared-sums": column_sums.shared,
    "tiles": column_sums.tiles,
    "tiled-norms": lambda: column_sums.tiled_norms(norm_graphs),
    "persistent-norms": lambda: persistent.norms(norm_graphs),
    "rms-norm": lambda: over_sizes(rms_norm),
    "combine-norm": lambda: over_sizes(combine_norm),
    "norm-types": norm_types,
    "combine-types": combine_types,
    "layer-norm": layer_norms,
    "gather": gathers,
    "algebra": algebra,
    "two-pass": two_passes,
    "schedules": schedules,
    "groupings": groupings,
    "softmax": lambda: ((f"hidden {hidden}", softmax(hidden), 5, ()) for hidden in (1, 17, 1024, 70000)),
}


def run(path, graph, rows, options, device):
    if device != "emulator":
        options = [option for option in options if not option.startswith("--emulator-seed")]
    command = ["fastnorm-run", path, f"--device={device}", "--fill=seed:1", "--check=reference"]
    if rows is not None:
        command += ["--dim", f"rows={rows}"]
    if "expert_rows" in graph:
        command += ["--dim", f"expert_rows={2 * rows + 1}"]
    with open(path, "w") as file:
        file.write(graph)
    done = subprocess.run(command + list(options), capture_output=True, text=True)
    matches = done.stdout.count(" matches: ")
    results = graph.split("return ")[1].split(":")[0].count("%")
    return "" if done.returncode == 0 and matches == results else f"exit {done.returncode}: {done.stdout}{done.stderr}"


def main(folder, kind, device="emulator"):
    os.makedirs(folder, exist_ok=True)
    cases = list(KINDS[kind]())
    with ThreadPoolExecutor(2) as pool:
        tasks = [
            (name, pool.submit(run, os.path.join(folder, f"{number}.mlir"), graph, rows, options, device))
            for number, (name, graph, rows, options) in enumerate(cases)
        ]
    failures = [(name, task.result()) for name, task in tasks if task.result()]
    for name, reason in failures:
        print(f"{kind}, {name}: {reason}")
    print(f"{kind}: {len(cases) - len(failures)} match, {len(failures)} do not")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
