"""Plans of combine + residual + rms_norm, one for each way to group its kernels, and what the cost model says of them."""

import concurrent.futures
import os
import pathlib
import re
import subprocess

# What --fuse takes, and "auto": what the cost model chooses.
GROUPINGS = {
    "auto": "auto",
    "apart": "plan:combine,residual_add,rms_norm",
    "combine | residual+norm": "plan:combine,residual_add+rms_norm",
    "combine+residual | norm": "plan:combine+residual_add,rms_norm",
    "all in one": "plan:combine+residual_add+rms_norm",
}
FORCED = [name for name in GROUPINGS if name != "auto"]
_NAME_OF = {text.removeprefix("plan:"): name for name, text in GROUPINGS.items()}
# A line of --explain: whether it is chosen, the grouping, and its microseconds.
_LINE = re.compile(r"^([* ]) (\S+) +([0-9.]+) us\b")


class Failed(Exception):
    pass


def graph(top_k, hidden):
    settings = f"top_k={top_k},hidden={hidden},weight_dtype=f32,weight_offset=1"
    return ["--graph=combine_norm", "--set", settings]


def _run(command):
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failed(f"expected '{' '.join(command)}' to run, but {error}") from None
    if run.returncode != 0:
        raise Failed(run.stderr.strip() or f"'{' '.join(command)}' failed with status {run.returncode}")
    return run.stdout


def compile_all(tool, target, folder, sizes, jobs):
    """{(top_k, hidden, grouping): the plan's file}, each for all rows; files that are in the folder are used."""
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)

    def compile_one(top_k, hidden, grouping):
        path = pathlib.Path(folder) / f"{top_k}-{hidden}-{re.sub('[^a-z]+', '-', grouping)}.json"
        if not path.exists():
            flags = [f"--fuse={GROUPINGS[grouping]}", f"--target={target}", "--emit=plan"]
            _run([tool, *graph(top_k, hidden), *flags, "-o", str(path)])
        return path

    with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        todo = {(*size, name): pool.submit(compile_one, *size, name) for size in sizes for name in GROUPINGS}
        return {key: job.result() for key, job in todo.items()}


def predict(tool, target, rows, top_k, hidden):
    """({grouping: microseconds}, the grouping that the model chooses)."""
    times, chosen = {}, None
    for line in _run([tool, *graph(top_k, hidden), f"--target={target}", "--dim", f"rows={rows}", "--explain"]).split("\n"):
        if match := _LINE.match(line):
            name = _NAME_OF[match[2]]
            times[name] = float(match[3])
            chosen = name if match[1] == "*" else chosen
    if set(times) != set(FORCED) or chosen is None:
        raise Failed(f"expected --explain to tell of {', '.join(FORCED)}, but it told of {', '.join(times)}")
    return times, chosen


def predict_all(tool, target, points, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        return dict(zip(points, pool.map(lambda point: predict(tool, target, *point), points)))
