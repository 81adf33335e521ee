"""Compiles every scenario kernel for a chip, assembles all of them in one go and says which spill.

usage: sweep.py PTXAS FOLDER CHIP [--all] [--registers] [--record]

Prints a line for every kernel that spills, is refused, could not be launched or takes more registers than it did with the same
schedule when they were recorded, and a count at the end; with --registers a line for every one.
Without --all, the shapes that differ most. --record, with --all, writes what is found to registers/CHIP.csv.
"""

import csv
import hashlib
import os
import re
import subprocess
import sys

HIDDEN = (128, 1024, 2880, 4096, 4097, 5120, 7168, 8192, 16384, 32768, 53248, 65536)
FEW_AND_MANY = ("8", "65536")


def norm(op, hidden, storage, rows):
    """Residual and norm, both returned."""
    x, w = f"tensor<{rows}x{hidden}x{storage}>", f"tensor<{hidden}x{storage}>"
    parameters = "weight(%weight)" + (" bias(%bias)" if op == "layer_norm" else "")
    types = f"{x}, {w}" + (f", {w}" if op == "layer_norm" else "")
    return f"""func.func @{op}_{storage}_{hidden}_rows{rows}(%x: {x}, %residual: {x}, %weight: {w}, %bias: {w}) -> ({x}, {x}) {{
  %s = fastnorm.residual_add %residual, %x : {x}
  %y = fastnorm.{op} %s {parameters} {{eps = 1.0e-5 : f32}} : {types} -> {x}
  return %y, %s : {x}, {x}
}}
"""


def lone_norm(op, hidden, storage, rows):
    x, w = f"tensor<{rows}x{hidden}x{storage}>", f"tensor<{hidden}x{storage}>"
    return f"""func.func @lone_{op}_{storage}_{hidden}_rows{rows}(%x: {x}, %weight: {w}) -> {x} {{
  %y = fastnorm.{op} %x weight(%weight) {{eps = 1.0e-5 : f32}} : {x}, {w} -> {x}
  return %y : {x}
}}
"""


def norm_with_statistics(hidden, rows):
    """layer_norm of bf16 with all that it reads and returns."""
    x, w, s = f"tensor<{rows}x{hidden}xbf16>", f"tensor<{hidden}xbf16>", f"tensor<{rows}xf32>"
    return f"""func.func @statistics_{hidden}_rows{rows}(%x: {x}, %weight: {w}, %bias: {w}) -> ({x}, {s}, {s}) {{
  %y, %mean, %rstd = fastnorm.layer_norm %x weight(%weight) bias(%bias) {{eps = 1.0e-5 : f32}}
     : {x}, {w}, {w} -> {x}, {s}, {s}
  return %y, %mean, %rstd : {x}, {s}, {s}
}}
"""


def combine_norm(hidden, slots, rows):
    x, i, g, w = (f"tensor<{rows}x{hidden}xbf16>", f"tensor<{rows}x{slots}xi64>", f"tensor<{rows}x{slots}xf32>",
                  f"tensor<{hidden}xf32>")
    table = f"tensor<4096x{hidden}xbf16>"
    return f"""func.func @combine_top{slots}_{hidden}_rows{rows}(%table: {table}, %i: {i}, %g: {g}, %r: {x}, %w: {w}) -> {x} {{
  %h = fastnorm.combine %table[%i] gate(%g) : {table}, {i}, {g} -> {x}
  %s = fastnorm.residual_add %r, %h : {x}
  %y = fastnorm.rms_norm %s weight(%w) {{eps = 1.0e-6 : f32, weight_offset = 1.0 : f32}} : {x}, {w} -> {x}
  return %y : {x}
}}
"""


def scenarios(every):
    # Few rows change the schedules of wide rows only.
    for hidden, rows in [(h, "65536") for h in HIDDEN] + [(h, "8") for h in HIDDEN if h >= 16384]:
        if not every and hidden not in (1024, 4096, 7168, 16384, 32768, 65536):
            continue
        for storage in ("bf16", "f32"):
            for op in ("rms_norm", "layer_norm"):
                if every:
                    yield lone_norm(op, hidden, storage, rows)
                yield norm(op, hidden, storage, rows)
    for hidden in (1024, 2048, 4096, 8192, 16384, 32768):
        yield norm_with_statistics(hidden, "65536")
    for hidden, slots in ((2048, 8), (3072, 8), (4096, 4), (6144, 2), (7168, 8), (4096, 1), (3072, 16))[:None if every else 3]:
        yield combine_norm(hidden, slots, "65536")


def ptx_modules(lowered):
    """The PTX texts in printed gpu.binary ops."""
    for text in re.findall(r'assembly = "((?:[^"\\]|\\.)*)"', lowered):
        yield re.sub(r"\\([0-9A-F]{2}|.)", lambda m: chr(int(m[1], 16)) if len(m[1]) == 2 else m[1], text)


def one_module(modules):
    """Modules as one, with the header once: that of the newest PTX."""
    texts = sorted(modules, key=lambda text: [int(part) for part in re.search(r"^\.version (\d+)\.(\d+)", text, re.M).groups()])
    bodies = [re.sub(r"^\.(version|target|address_size).*$", "", text, flags=re.M) for text in texts[:-1]]
    return "".join([texts[-1], *bodies])


def threads_of(text):
    """The threads that each kernel promises its CTAs do not pass."""
    for name, header in re.findall(r"\.entry (\w+)\((.*?)\n\{", text, re.S):
        sides = re.search(r"\.maxntid (\d+), (\d+), (\d+)", header)
        yield name, int(sides[1]) * int(sides[2]) * int(sides[3]) if sides else None


def launch_error(registers, threads):
    """Why a kernel that assembles would be refused when it is launched, or nothing."""
    if threads is None:
        return "states no threads"
    # A warp's registers are given out eight a thread.
    taken = -(-registers // 8) * 8 * threads
    return f"takes {taken} registers a CTA" if taken > 65536 else ""


# More than this is a regression; less comes and goes with the order of instructions.
SLACK = 8


def recorded_path(chip):
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "registers", chip + ".csv")


def mark(schedule):
    """A schedule in eight digits."""
    return hashlib.sha256(str(schedule).encode()).hexdigest()[:8]


def recorded(chip):
    """The registers of each kernel with a schedule."""
    with open(recorded_path(chip), newline="") as file:
        return {(row["kernel"], row["schedule"]): int(row["registers"]) for row in csv.DictReader(file)}


def record(chip, kernels):
    os.makedirs(os.path.dirname(recorded_path(chip)), exist_ok=True)
    with open(recorded_path(chip), "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("kernel", "schedule", "registers"))
        writer.writerows(sorted(kernels))


def main(ptxas, folder, chip, *flags):
    os.makedirs(folder, exist_ok=True)
    ptx, cubin = (os.path.join(folder, name) for name in ("graphs.ptx", "graphs.cubin"))
    lowered = subprocess.run(
        ["fastnorm-opt", f"--fastnorm-pipeline=target={chip}"],
        input="".join(scenarios("--all" in flags)), capture_output=True, text=True, check=True).stdout
    text = one_module(ptx_modules(lowered))
    threads = dict(threads_of(text))
    with open(ptx, "w") as file:
        file.write(text)
    done = subprocess.run([ptxas, "-v", f"-arch={chip}", "--split-compile=0", ptx, "-o", cubin],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{chip}: ptxas refuses: {done.stderr}{done.stdout}")
    schedules = dict(re.findall(r"gpu\.launch_func\s+@\w+::@(\w+).*?(#fastnorm\.schedule<[^>]*>)", lowered))
    found = re.findall(r"entry function '(\w+)'.*?\n.*?\n\s*(\d+) bytes stack frame, (\d+) bytes spill stores.*?\n"
                       r".*?Used (\d+) registers", done.stderr)
    if "--record" in flags:
        record(chip, [(name, mark(schedules.get(name)), registers) for name, _, _, registers in found])
    known = recorded(chip)
    spilling = unlaunchable = grown = 0
    for name, _, spilled, registers in found:
        before = known.get((name, mark(schedules.get(name))), 1 << 16)
        if int(registers) > before + SLACK:
            grown += 1
            print(f"{chip} {name}: {registers} registers, but {before} were recorded, {schedules.get(name)}")
        error = launch_error(int(registers), threads[name])
        spilling, unlaunchable = spilling + (spilled != "0"), unlaunchable + bool(error)
        if error:
            print(f"{chip} {name}: {error}")
        if spilled != "0" or "--registers" in flags:
            print(f"{chip} {name}: {registers} registers, {spilled} bytes spilled, {schedules.get(name)}")
    print(f"{chip}: {len(found)} kernels, {spilling} spill, {unlaunchable} can not be launched, {grown} take more registers")


if __name__ == "__main__":
    main(*sys.argv[1:])
