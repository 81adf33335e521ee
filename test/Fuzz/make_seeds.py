"""Writes what fuzzing starts from: PTX, plans, tensor files, graphs and tables as the tools and the tests have them.

usage: make_seeds.py TOOLS FOLDER

FOLDER gets a folder for each target of fastnorm-fuzz.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

# Template, settings, target: every kind of kernel, as small as it can be.
KERNELS = (
    ("rms_norm", "hidden=8", "a100"),
    ("rms_norm", "hidden=129", "h200"),
    ("layer_norm", "hidden=4096", "h200"),
    ("combine", "hidden=16,top_k=2", "h200"),
    ("rms_norm_backward", "hidden=256", "h200"),
    ("layer_norm_backward", "hidden=12288", "h200"),
    ("combine_backward", "hidden=16,top_k=2", "b200"),
    ("softmax", "hidden=64", "sm_120"),
    ("quantize", "hidden=64,group=32", "sm_89"),
)


def tool(tools, *arguments):
    subprocess.run([os.path.join(tools, "fastnorm-run"), *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def of_kernels(tools, folder):
    for number, (name, settings, target) in enumerate(KERNELS):
        for kind in ("ptx", "plan"):
            tool(tools, f"--graph={name}", "--set", settings, f"--target={target}", "--no-cache", f"--emit={kind}", "-o",
                 os.path.join(folder, kind, f"{number}.{kind}"))
        tool(tools, f"--graph={name}", "--set", settings, "--emit=mlir", "-o", os.path.join(folder, "mlir", f"template-{number}.mlir"))


def of_tensors(tools, folder):
    for dtype in ("f32", "f16", "bf16"):
        outputs = [f"--outputs={folder}/safetensors/{dtype}.safetensors"]
        if dtype != "bf16":
            outputs += ["--output", f"y={folder}/npy/{dtype}.npy"]
        tool(tools, "--graph=rms_norm", "--set", f"hidden=3,dtype={dtype},statistics=yes", "--device=emulator", "--no-cache",
             "--fill=seed:1", "--dim", "rows=2", *outputs)


def of_tests(folder):
    """Each piece of a file that holds several, and the tables that are shipped."""
    for path in glob.glob(os.path.join(ROOT, "test", "**", "*.mlir"), recursive=True):
        with open(path) as file:
            text = file.read()
        name = os.path.relpath(path, ROOT).replace(os.sep, "-")
        for number, piece in enumerate(re.split(r"^// -----.*$", text, flags=re.MULTILINE)):
            piece = re.sub(r"^ *//.*\n", "", piece, flags=re.MULTILINE).strip()
            if piece and len(piece) < 6000:
                with open(os.path.join(folder, "mlir", f"{number}-{name}"), "w") as file:
                    file.write(piece + "\n")
    for path in glob.glob(os.path.join(ROOT, "lib", "CostModel", "Tables", "*.json")):
        shutil.copy(path, os.path.join(folder, "table"))


def main(tools, folder):
    shutil.rmtree(folder, ignore_errors=True)
    for target in ("ptx", "plan", "npy", "safetensors", "mlir", "table"):
        os.makedirs(os.path.join(folder, target))
    of_kernels(tools, folder)
    of_tensors(tools, folder)
    of_tests(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
