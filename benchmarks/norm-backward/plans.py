"""The plans of a norm and of its backward: compiled by fastnorm-run, or found in a folder, and run on arrays."""

import concurrent.futures
import os
import pathlib
import subprocess

import fastnorm

EPS = 1e-5
NORMS = ("rms_norm", "layer_norm")
STATISTICS = {"rms_norm": ("rstd",), "layer_norm": ("mean", "rstd")}
_FORWARD = {"rms_norm": "statistics=yes", "layer_norm": "statistics=yes,bias=yes"}
_BACKWARD = {"rms_norm": "grad_weight=yes", "layer_norm": "grad_weight=yes,grad_bias=yes"}


def _compile(tool, target, folder, norm, hidden, is_backward):
    graph = norm + "_backward" if is_backward else norm
    path = pathlib.Path(folder) / f"{graph}-{hidden}.json"
    if path.exists():
        return path
    keys = _BACKWARD[norm] if is_backward else f"{_FORWARD[norm]},eps={EPS}"
    command = [tool, f"--graph={graph}", "--set", f"hidden={hidden},dtype=bf16,{keys}"]
    command += [f"--target={target}", "--emit=plan", "-o", str(path)]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise fastnorm.Error(f"expected a plan of {graph} with hidden={hidden} from '{tool}', but {error}") from None
    if run.returncode != 0:
        raise fastnorm.Error(run.stderr.strip() or f"'{tool}' failed with status {run.returncode}")
    return path


def compile_all(tool, target, folder, norms, hiddens):
    """{(norm, hidden): NormPlans, or the error that stands for them}; a plan's file that is in the folder is used."""
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    found = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {
            (norm, hidden): [pool.submit(_compile, tool, target, folder, norm, hidden, way) for way in (False, True)]
            for norm in norms
            for hidden in hiddens
        }
        for key, job in jobs.items():
            try:
                found[key] = NormPlans(key[0], *(fastnorm.load(path.result()) for path in job))
            except fastnorm.Error as error:
                found[key] = error
    return found


class NormPlans:
    """Forward and backward of one norm at one hidden. `arrays` holds x, grad_output, weight (bias), mean or rstd, y,
    grad_input, grad_weight (grad_bias) by these names; the plans pick theirs."""

    def __init__(self, norm, forward_plan, backward_plan):
        self.norm = norm
        self.forward_plan = forward_plan
        self.backward_plan = backward_plan

    def forward(self, arrays):
        _run(self.forward_plan, arrays)

    def backward(self, arrays):
        _run(self.backward_plan, arrays)


def _run(plan, arrays):
    plan.run({spec.name: arrays[spec.name] for spec in plan.arguments + plan.results})
