"""Takes each barrier, wait, fence and arrival out of the PTX of each kind of schedule, one at a time, and runs what is left.

usage: mutations.py [--tools=FOLDER] [--seeds=N] [--only=REGEX] [--jobs=N]

The emulator must report it, or the results must differ, in one of the orders of warps that the seeds give. Prints a line for
each schedule and one for each removal that nothing noticed; the exit status is 1 where one is not in KNOWN.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Inputs"))

import matrix  # noqa: E402
import persistent  # noqa: E402
from column_sums import ATOMIC, SHARED, tile  # noqa: E402
from persistent import backward, scheduled, shape  # noqa: E402
from rehash import with_hash  # noqa: E402

# What orders something. Of a wait in a loop the branch back is taken out: it then looks once and goes on.
SYNCHRONIZES = re.compile(r"^\s*(@!?%\w+\s+)?(bar\.|barrier\.|fence\.|membar|griddepcontrol\.wait|cp\.async\.\S*(wait|commit)|"
                          r"mbarrier\.(init|arrive|inval)|bra\.uni\s+LAB_WAIT)")

PER_ROW = "kind = per_row, scope = cta, threads_per_row = 64, vector_width = 8, vectors_per_thread = 5"

# Removals that nothing notices, by schedule and instruction, and why that is right. docs/Mutations.md has the same.
NOTHING_BEFORE = "sums of the CTA's row groups go where a ring would lie, which must be drained; without one nothing was read there"
OTHER_FENCE = "mbarriers have two fences behind their initialization; with the barrier that follows, either publishes them"
KNOWN = {
    **{(name, "bar.sync 0;"): NOTHING_BEFORE for name in (
        "persistent rows, registers", "persistent rows, cluster", "persistent rows, atomic sums", "persistent lanes",
        "persistent rows over a grid")},
    **{(name, fence): OTHER_FENCE for name in (
        "persistent rows, ring of bulk copies", "persistent rows, ring over a cluster", "persistent rows, cluster")
       for fence in ("fence.mbarrier_init.release.cluster;", "fence.proxy.async;")},
}


def over(scope, ctas, more=""):
    return (f"kind = per_row, scope = {scope}, ctas_per_row = {ctas}, threads_per_row = 96, vector_width = 8, "
            f"vectors_per_thread = 1{more}")


def schedules():
    """A name, a graph whose schedule stands in the text, and its dimensions."""
    norm, centred = matrix.rms_norm(2400, rstd=True), matrix.layer_norm(2400)
    rows = {"rows": 7}
    yield "rows of a CTA", matrix.scheduled(norm, PER_ROW), rows
    yield "rows of a CTA, mean and distances", matrix.scheduled(centred, PER_ROW), rows
    yield "lanes", matrix.scheduled(norm, "kind = per_row, scope = lanes, threads_per_row = 16, rows_per_cta = 6, vector_width = 8, "
                                    "vectors_per_thread = 19"), rows
    yield "two sweeps", matrix.scheduled(centred, "kind = two_pass, scope = cta, threads_per_row = 128, vector_width = 8, "
                                         "vectors_per_thread = 2"), rows
    yield "cluster", matrix.scheduled(norm, over("cluster", 4)), rows
    yield "cluster, mean and distances", matrix.scheduled(centred, over("cluster", 4)), rows
    yield "grid", matrix.scheduled(centred, over("grid", 4)), rows
    yield "grid, dependent launches", matrix.scheduled(centred, over("grid", 4, ", dependent_launch = true")), rows
    yield "combine and norm, dependent launches", matrix.dependent(matrix.combine_norm(256, slots=3)), {"rows": 7, "expert_rows": 15}
    gradient = backward("layer_norm_backward", 2048)
    rows = {"rows": 23}
    for name, *numbers in (("registers", 128, 3, 2, 1, 2, 0), ("ring of bulk copies", 128, 3, 2, 1, 2, 2),
                           ("ring over a cluster", 64, 2, 2, 2, 4, 2), ("cluster", 64, 2, 2, 2, 4, 0)):
        yield f"persistent rows, {name}", scheduled(gradient, shape(*numbers)), rows
    yield "persistent rows, ring of each thread's copies", scheduled(gradient, shape(64, 3, 4, 1, 2, 3, persistent.BY_THREAD)), rows
    yield "persistent rows, atomic sums", scheduled(backward("layer_norm_backward", 2048, grad_dtype="f32"),
                                                    shape(64, 3, 4, 1, 2, 0, ATOMIC)), rows
    yield "persistent lanes", scheduled(backward("layer_norm_backward", 248), persistent.LANES[0]), rows
    yield "persistent rows over a grid", scheduled(
        backward("layer_norm_backward", 2040), "kind = per_row, scope = grid, vector_width = 8, " + persistent.GRIDS[2]), rows
    yield "tiles", scheduled(backward("layer_norm_backward", 1024), tile(128, 2, 1, 1, 3)), rows
    yield "tiles, sums in shared memory", scheduled(backward("layer_norm_backward", 1024), tile(64, 3, 1, 1, 3, SHARED)), rows
    yield "tiles over a cluster", scheduled(backward("layer_norm_backward", 1024), tile(64, 3, 1, 2, 4, SHARED)), rows
    for index_map in ("any", "injective"):
        yield f"gradients of combine, {index_map}", matrix_template("combine_backward", f"hidden=64,top_k=3,index_map={index_map}"), {
            "rows": 9, "expert_rows": 29}


def matrix_template(name, settings):
    return subprocess.run(["fastnorm-run", f"--graph={name}", "--set", settings, "--emit=mlir"], capture_output=True, text=True,
                          check=True).stdout


class Mutations:
    def __init__(self, folder, seeds, pool):
        self.folder, self.seeds, self.pool = folder, seeds, pool

    def run(self, path, dims, seed):
        """The exit status, and the bytes of the results."""
        results = path.replace(".json", f"-{seed}.safetensors")
        command = ["fastnorm-run", path, "--device=emulator", f"--emulator-seed={seed}", "--fill=seed:1", f"--outputs={results}"]
        command += [f"--dim={name}={value}" for name, value in dims.items()]
        try:
            status = subprocess.run(command, capture_output=True, timeout=120).returncode
        except subprocess.TimeoutExpired:
            status = 124
        if status or not os.path.exists(results):
            return status or 1, b""
        with open(results, "rb") as file:
            data = file.read()
        os.remove(results)
        return 0, data

    def sites(self, document):
        """Variant, line and text of each instruction that orders something."""
        for variant, entry in enumerate(document["variants"]):
            for line, text in enumerate(entry["ptx"].split("\n")):
                if SYNCHRONIZES.match(text):
                    yield variant, line, " ".join(text.split())

    def is_noticed(self, number, document, site, dims, expected):
        variant, line, _ = site
        mutated = json.loads(json.dumps(document))
        lines = mutated["variants"][variant]["ptx"].split("\n")
        lines[line] = ""
        mutated["variants"][variant]["ptx"] = "\n".join(lines)
        path = os.path.join(self.folder, f"{number}.json")
        with open(path, "w") as file:
            file.write(with_hash(mutated))
        noticed = any(self.run(path, dims, seed) != expected[seed] for seed in self.seeds)
        os.remove(path)
        return noticed

    def of(self, name, graph, dims):
        """How many were removed, and those that nothing noticed."""
        source, plan = os.path.join(self.folder, "graph.mlir"), os.path.join(self.folder, "plan.json")
        with open(source, "w") as file:
            file.write(graph)
        subprocess.run(["fastnorm-run", source, "--target=h200", "--no-cache", "--emit=plan", "-o", plan], check=True)
        expected = {seed: self.run(plan, dims, seed) for seed in self.seeds}
        assert all(status == 0 for status, _ in expected.values()), name
        with open(plan) as file:
            document = json.load(file)
        sites = [site for site in self.sites(document) if self.serves(document["variants"][site[0]], dims)]
        noticed = self.pool.map(lambda entry: self.is_noticed(entry[0], document, entry[1], dims, expected), enumerate(sites))
        return len(sites), [site[2] for site, was in zip(sites, noticed) if not was]

    def serves(self, variant, dims):
        ranges = variant.get("ranges", [])
        return all(entry["low"] <= dims.get(entry["symbol"], 0) <= entry.get("high", 1 << 62) for entry in ranges)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default="")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(arguments)
    if options.tools:
        os.environ["PATH"] = os.path.abspath(options.tools) + os.pathsep + os.environ["PATH"]
    unexplained = removed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        mutations = Mutations(folder, range(options.seeds), pool)
        for name, graph, dims in schedules():
            if not re.search(options.only, name):
                continue
            count, survivors = mutations.of(name, graph, dims)
            removed += count
            print(f"{name}: {count} removed, {count - len(survivors)} noticed", flush=True)
            for text in survivors:
                why = KNOWN.get((name, re.sub(r"%\w+", "%", text)), "")
                unexplained += not why
                print(f"  survived: {text}" + (f": {why}" if why else ""), flush=True)
    print(f"{removed} removed, {unexplained} unexplained")
    return 1 if unexplained or not removed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
