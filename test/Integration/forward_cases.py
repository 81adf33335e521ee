"""Runs the scenarios of kernels: what went wrong elsewhere and must be right here.

usage: forward_cases.py [--device=emulator] [--tool=fastnorm-run] [--folder=PATH] [--group=NAME] [--only=REGEX] [--big]
                        [--jobs=N] [--seconds=N] [--list]

Prints 'ok NAME', 'not ok NAME: reason' or 'not yet NAME: reason' for each scenario and a count; exit status 1 where one is
not ok. --big adds the sizes that only a GPU has the memory and time for; --seconds limits every process.
"""

import argparse
import concurrent.futures
import re
import sys
import tempfile
import time

from scenarios import gradients, launches, layouts, numerics, scatters, shapes, slots  # noqa: F401, each adds its scenarios
from scenarios.runner import SCENARIOS, Failure, Runner


def outcome(scenario, runner):
    """How it went and why, and in how many seconds."""
    start = time.monotonic()
    try:
        scenario.body(runner)
        word, reason = "ok", ""
    except Failure as failure:
        word, reason = "not ok", ": " + str(failure)
    if scenario.pending:
        word, reason = ("not yet", ": " + scenario.pending) if word == "not ok" else ("not ok", ": passes, but is marked as not yet")
    return word, reason, time.monotonic() - start


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="emulator")
    parser.add_argument("--tool", default="fastnorm-run")
    parser.add_argument("--folder", help="where files are written; default: a temporary one")
    parser.add_argument("--group", help="numerics, shapes, layouts, slots, launches, gradients or scatters; default: all")
    parser.add_argument("--only", default="", help="a regular expression for names")
    parser.add_argument("--big", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--times", action="store_true", help="print the seconds of each scenario")
    parser.add_argument("--list", action="store_true", help="print names, run nothing")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    chosen = [scenario for scenario in SCENARIOS if options.group in (None, scenario.group)
              and (options.big or not scenario.big) and re.search(options.only, scenario.name)]
    if options.list:
        print("\n".join(f"{scenario.group}: {scenario.name}" for scenario in chosen))
        return 0
    counts = {"ok": 0, "not ok": 0, "not yet": 0}
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runner = Runner(options.tool, options.device, options.folder or temporary, options.seconds)
        for scenario, (word, reason, seconds) in zip(chosen, pool.map(lambda s: outcome(s, runner), chosen)):
            counts[word] += 1
            print(f"{word} {scenario.name}{reason}" + (f" ({seconds:.1f} s)" if options.times else ""), flush=True)
    print(f"{counts['ok']} ok, {counts['not ok']} not ok, {counts['not yet']} not yet")
    return 1 if counts["not ok"] or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
