"""Where operands lie: past an aligned address, as views into larger buffers, in files that are also written."""

import os

from scenarios import tensors
from scenarios.runner import expect, rows_of, scenario
from scenarios.tensors import normal

GROUP = "layouts"

NORM = ("x", "weight", "bias", "y")
COMBINE = ("expert_rows", "row_index", "gate", "shared")
# Graphs with all their operands, and the settings that give them those.
OPERANDS = {
    "rms_norm": (NORM, {"bias": "yes"}),
    "layer_norm": (NORM, {"bias": "yes"}),
    "residual_add": (("residual", "x", "s"), {}),
    "residual_rms_norm": (("residual", "s") + NORM, {"bias": "yes"}),
    "gather": (("expert_rows", "row_index", "y"), {}),
    "combine": (COMBINE + ("h",), {"shared": "yes", "top_k": 3}),
    "combine_norm": (COMBINE + ("residual", "s", "weight", "bias", "y"),
                     {"shared": "yes", "top_k": 3, "bias": "yes", "residual_out": "yes"}),
    "softmax": (("x", "y"), {}),
    "log_softmax": (("x", "y"), {}),
    "l2_norm": (("x", "y"), {}),
    "quantize": (("x", "y", "scale"), {}),
}


def offset_each(graph, hidden, dtype, offsets):
    def body(runner):
        operands, settings = OPERANDS[graph]
        for name in operands:
            for elements in offsets:
                runner.run(graph, {**settings, "hidden": hidden, "dtype": dtype}, rows_of(graph, 3), offsets={name: elements})

    return body


def offset_all(runner):
    for graph, (operands, settings) in OPERANDS.items():
        for elements in (2, 3, 4):
            runner.run(graph, {**settings, "hidden": 776}, rows_of(graph, 3), offsets=dict.fromkeys(operands, elements))


scenario(GROUP, "every operand of every graph off an aligned address at once")(offset_all)
for name in OPERANDS:
    scenario(GROUP, f"each operand of {name} in turn one element off an aligned address")(offset_each(name, 40, "bf16", (1,)))
    for dtype in ("bf16", "f32"):
        scenario(GROUP, f"each operand of {name} in turn 1, 2 and 4 elements off, rows of 4104 {dtype}", big=True)(
            offset_each(name, 4104, dtype, (1, 2, 4)))


def norm_of_view(shape, strides, element="bf16"):
    x = f"tensor<{shape}x{element}, #fastnorm.strides<[{strides}]>>"
    y = f"tensor<{shape}x{element}>"
    return f"""func.func @norm(%x: {x}) -> {y} {{
  %y = fastnorm.rms_norm %x {{eps = 1.0e-5 : f32}} : {x} -> {y}
  return %y : {y}
}}
"""


@scenario(GROUP, "heads cut from the rows of a fused buffer")
def heads_of_fused_buffer(runner):
    for rows, heads, stride in ((9, 16, 4096), (1, 16, 2048), (5, 3, 392)):
        runner.run("rms_norm", {"heads": heads, "hidden": 128, "stride": stride}, {"rows": rows})
        runner.run("layer_norm", {"heads": heads, "hidden": 128, "stride": "?", "statistics": "yes"},
                   {"rows": rows, "x_stride_0": stride})
    runner.run(norm_of_view("9x16x128", "4096, 128, 1"))


@scenario(GROUP, "1024 rows of heads cut from the rows of a fused buffer", big=True)
def many_heads_of_fused_buffer(runner):
    runner.run("rms_norm", {"heads": 16, "hidden": 128, "stride": 4096}, {"rows": 1024})


@scenario(GROUP, "a transposed matrix is refused with a reason")
def transposed(runner):
    runner.refused("expects? .*stride", norm_of_view("64x128", "1, 64"))
    runner.refused("expects? .*stride", norm_of_view("64x128", "256, 2"))


@scenario(GROUP, "rows of a view around 2^32 elements from the first", big=True)
def view_past_32_bits(runner):
    runner.run("rms_norm", {"hidden": 256, "stride": "?"}, {"rows": 4099, "x_stride_0": 2**20})


@scenario(GROUP, "a result is not written over an input, nor two results to one file")
def files_that_are_read(runner):
    path, link = runner.path("x.npy"), runner.path("link.npy")
    written = normal("f32", (3, 8))
    tensors.write(path, written)
    os.link(path, link)
    for target in (path, os.path.join(os.path.dirname(path), ".", os.path.basename(path)), link):
        status, text = runner.call(["--graph=rms_norm", "--set", "hidden=8,dtype=f32,weight=no", "--device=" + runner.device,
                                    "--input", "x=" + path, "--output", "y=" + target])
        expect(status == 2 and "another file" in text, f"expected a refusal, but got exit {status}: {text}")
    expect(tensors.read(path).data == written.data, "the input file changed")
    status, text = runner.call(["--graph=residual_rms_norm", "--set", "hidden=8", "--device=" + runner.device, "--fill=seed:1",
                                "--dim", "rows=2", "--output", "y=" + link + ".new", "--output", "s=" + link + ".new"])
    expect(status == 2 and "a file for each" in text, f"expected a refusal, but got exit {status}: {text}")
    expect(not os.path.exists(link + ".new"), "a refused run left a file")


@scenario(GROUP, "one file is read as two inputs")
def one_file_twice(runner):
    path = runner.path("both.npy")
    tensors.write(path, normal("bf16", (5, 40)))
    status, text = runner.call(["--graph=residual_rms_norm", "--set", "hidden=40", "--device=" + runner.device, "--fill=seed:1",
                                "--input", "x=" + path, "--input", "residual=" + path, "--check=reference"])
    expect(status == 0 and " matches: " in text, f"exit {status}: {text}")
