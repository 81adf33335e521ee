"""Compiles random graphs for random targets with random schedules, runs them on the emulator, and compares with the reference.

usage: fuzz_graphs.py [--tools=FOLDER] [--device=NAME] [--target=NAME] [--seed=N] [--first=N] [--count=N] [--schedules=N] [--jobs=N] [--seconds=N]
                      [--keep=FOLDER] [--replay=FOLDER] [--verbose]

Graph number N of a seed is the same in every run: --seed=S --first=N --count=1 repeats one. Each graph runs with the schedules
that are chosen for it, and with some drawn at random, which the compiler may refuse with a sentence. Whatever else is not
a match, or close to one, is a failure: it is printed, its graph is left in --keep, and the exit status is 1. --replay runs graphs that were kept.
"""

import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import time

from graphs.graphs import random_graph
from graphs.schedules import pinned

TARGETS = ("a100", "h200", "h200", "h100", "b200", "sm_86", "sm_89", "sm_120")

# A sentence with which a graph, or a schedule that does not fit its kernel, is refused.
REFUSALS = (
    r"'fastnorm.(?:reduce|map)' op (computes slots after a row reduction|reduces slot of a value with axes|keeps \d+ heads of its sums|has groups of)",
    r"takes \d+ sums over rows, but no CTA",
    r"has values with group but none with hidden",
    r"schedule .*(needs|holds|splits|gives|is |has |keeps|takes|accumulates|works on|reads)",
    r"error: expects ",
    r"reduces rows|reads .* again",
)


F32_TOLERANCE = "3.81e-06"
CLOSE = 16


class Outcome:
    def __init__(self, word, reason=""):
        self.word, self.reason = word, reason


class Fuzzer:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def tool(self, name, arguments, text=None):
        command = [os.path.join(self.options.tools, name), *arguments]
        try:
            return subprocess.run(command, input=text, capture_output=True, text=True, timeout=self.options.seconds)
        except subprocess.TimeoutExpired as expired:
            return subprocess.CompletedProcess(command, 124, "", f"no end within {expired.timeout} s")

    def run(self, path, arguments):
        """Whether the graph in a file matches."""
        done = self.tool("fastnorm-run", [path, f"--device={self.options.device}", "--no-cache", "--check=reference", *arguments])
        output = (done.stdout + done.stderr).strip()
        if done.returncode == 0 and "matches" in output:
            return Outcome("match")
        return Outcome(self.kind_of(done.returncode, output), f"exit {done.returncode}: {output[-1500:]}")

    def dims_of(self, text, graph):
        return [f"--dim={name}={value}" for name, value in graph.dims.items() if f'"{name}"' in text]

    def replayed(self, path):
        """A line where a graph that was kept fails; its first line has the options."""
        with open(path) as file:
            options = file.readline().removeprefix("// options: ").split()
        outcome = self.run(path, options)
        return f"failed: {os.path.basename(path)}: {outcome.reason}" if outcome.word == "failed" else ""

    def kind_of(self, status, output):
        if self.is_close(output):
            return "close"
        if status == 1 and any(re.search(pattern, output) for pattern in REFUSALS) and "differs" not in output:
            return "refused"
        return "failed"

    def is_close(self, output):
        """Whether all that differs are f32 results that are off by less than CLOSE tolerances: what is left of larger numbers
        that cancelled. A kernel that is wrong is further off."""
        found = re.findall(r"^result .* differs: .* tolerance (\S+), .*\(error (\S+)\)$", output, re.MULTILINE)
        return bool(found) and all(limit == F32_TOLERANCE and float(error) < CLOSE * float(limit) for limit, error in found)

    def one(self, number):
        """A line for each failure of a graph, and how often each outcome came."""
        graph, random = random_graph(self.options.seed, number)
        counts, failures = collections.Counter({"graphs": 1}), []
        path = os.path.join(self.folder, f"{number}.mlir")
        for attempt in range(self.options.schedules + 1):
            drawn, fuse = random.choice(TARGETS), random.choice(("auto", "always", "never"))
            target = self.options.target or drawn
            roles = "".join("," + role for role in graph.roles)
            arguments = [f"--target={target}", f"--fill=seed:{random.randrange(1, 100)}{roles}"]
            orders = random.choice(([], [f"--emulator-seed={random.randrange(1, 100)}"]))
            arguments += orders if self.options.device == "emulator" else []
            text, schedules = graph.text, []
            if attempt:
                lowered = self.tool("fastnorm-opt", [f"--fastnorm-pipeline=target={target} until=fuse fuse={fuse}"], graph.text)
                # One function only: a graph whose grouping depends on its rows stands once for each range of them.
                if lowered.returncode or lowered.stdout.count("func.func") != 1:
                    break
                text, schedules = pinned(random, lowered.stdout, graph.hidden, graph.slots, target)
            else:
                arguments += [f"--fuse={fuse}"] + random.choice(([], [], ["--row-invariant"], ["--alignment=any"]))
            with open(path, "w") as file:
                file.write(text)
            outcome = self.run(path, self.dims_of(text, graph) + arguments)
            counts[("chosen " if not attempt else "drawn ") + outcome.word] += 1
            if outcome.word == "failed" or (outcome.word == "refused" and self.options.verbose):
                failures.append(self.described(number, attempt, path, text, graph, arguments, schedules, outcome))
            if attempt == 0 and outcome.word == "refused":
                break
        os.remove(path)
        return counts, failures

    def described(self, number, attempt, path, text, graph, arguments, schedules, outcome):
        if self.options.keep and outcome.word == "failed":
            os.makedirs(self.options.keep, exist_ok=True)
            path = os.path.join(self.options.keep, f"{self.options.seed}-{number}-{attempt}.mlir")
            with open(path, "w") as file:
                file.write(f"// options: {' '.join(self.dims_of(text, graph) + arguments)}\n{text}")
        return f"{outcome.word}: {graph.kind} {number}, attempt {attempt}: {outcome.reason}"


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default="build/bin")
    parser.add_argument("--device", default="emulator", help="cuda needs --target, too")
    parser.add_argument("--target", default="", help="for all graphs; default: drawn at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--schedules", type=int, default=3, help="drawn at random for each graph")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=60, help="that one process may take")
    parser.add_argument("--keep", help="where graphs that fail are left")
    parser.add_argument("--replay", help="a folder of graphs that once failed, to run instead")
    parser.add_argument("--verbose", action="store_true", help="print what is refused, too")
    return parser.parse_args(arguments)


def replay(options):
    """Runs what was kept. Exit status 1 where one fails again."""
    paths = sorted(os.path.join(options.replay, name) for name in os.listdir(options.replay) if name.endswith(".mlir"))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        failures = [line for line in pool.map(Fuzzer(options, "").replayed, paths) if line]
    print("\n".join(failures + [f"{len(paths)} graphs kept, {len(failures)} failures"]))
    return 1 if failures or not paths else 0


def main(arguments):
    options = parse(arguments)
    if options.replay:
        return replay(options)
    start, total, failed = time.monotonic(), collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        fuzzer = Fuzzer(options, folder)
        for counts, failures in pool.map(fuzzer.one, range(options.first, options.first + options.count)):
            total.update(counts)
            failed += sum(line.startswith("failed") for line in failures)
            for line in failures:
                print(line, flush=True)
    words = ", ".join(f"{count} {word}" for word, count in sorted(total.items()))
    print(f"{words}; {time.monotonic() - start:.0f} s", file=sys.stderr)
    print(f"{total['graphs']} graphs, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
