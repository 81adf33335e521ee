"""Scenarios and what they run: fastnorm-run with a template or a graph's text, files in and out, the reference beside it."""

import itertools
import os
import re
import subprocess
import threading

from scenarios import tensors

SCENARIOS = []


class Failure(Exception):
    """What was expected and what came, as one sentence."""


class Scenario:
    def __init__(self, group, name, body, big, pending):
        self.group, self.name, self.body, self.big, self.pending = group, name, body, big, pending


def scenario(group, name, big=False, pending=""):
    """Adds a function of a Runner to the list. big: only a GPU has the memory or the time. pending: why it can not pass yet."""

    def add(body):
        assert all(name != known.name for known in SCENARIOS), name
        SCENARIOS.append(Scenario(group, name, body, big, pending))
        return body

    return add


def expect(condition, sentence):
    if not condition:
        raise Failure(sentence)


class Result:
    """What a run printed, and the tensors that it wrote, by name."""

    def __init__(self, text, outputs):
        self.text, self.outputs = text, outputs

    def __getitem__(self, name):
        return self.outputs[name]


class Runner:
    def __init__(self, tool, device, folder, seconds):
        self.tool, self.device, self.folder, self.seconds = tool, device, folder, seconds
        self.numbers, self.lock = itertools.count(), threading.Lock()
        os.makedirs(folder, exist_ok=True)

    def path(self, name):
        with self.lock:
            return os.path.join(self.folder, f"{next(self.numbers)}-{name}")

    def call(self, arguments, environment=None):
        """The exit status and all that was printed."""
        try:
            done = subprocess.run([self.tool, *arguments], capture_output=True, text=True, timeout=self.seconds,
                                  env=environment)
        except subprocess.TimeoutExpired:
            raise Failure(f"no end within {self.seconds} s: {' '.join(arguments)}") from None
        return done.returncode, done.stdout + done.stderr

    def source(self, graph, settings):
        """`graph` is a template's name, a plan's file or a graph's text."""
        if "func.func" in graph:
            path = self.path("graph.mlir")
            with open(path, "w") as file:
                file.write(graph)
            return [path]
        if graph.endswith(".json"):
            return [graph]
        chosen = ",".join(f"{key}={value}" for key, value in settings.items())
        return ["--graph=" + graph] + (["--set", chosen] if chosen else [])

    def arguments(self, graph, settings, dims, fill, inputs, outputs, offsets, flags):
        arguments = self.source(graph, settings) + ["--device=" + self.device, "--fill=seed:1" + "".join("," + f for f in fill)]
        for name, value in dims.items():
            arguments += ["--dim", f"{name}={value}"]
        for name, value in offsets.items():
            arguments += ["--offset", f"{name}={value}"]
        for name, given in inputs.items():
            path = self.path(name + ".npy")
            tensors.write(path, given)
            arguments += ["--input", f"{name}={path}"]
        files = {name: self.path(name + ".npy") for name in outputs}
        for name, path in files.items():
            arguments += ["--output", f"{name}={path}"]
        return arguments + list(flags), files

    def run(self, graph, settings={}, dims={}, fill=(), inputs={}, outputs=(), offsets={}, flags=(), check=True,
            environment=None):
        """A run that must succeed and, with check, match the reference."""
        flags = [*flags, "--check=reference"] if check else flags
        arguments, files = self.arguments(graph, settings, dims, fill, inputs, outputs, offsets, flags)
        status, text = self.call(arguments, environment)
        wrong = re.search(r"^.*(?:error:|differs).*$", text, re.M)
        shown = wrong[0] if wrong else text.strip()
        expect(status == 0, f"exit {status}: {shown} [{' '.join(arguments)}]")
        expect(not check or " matches: " in text, f"nothing was compared: {shown}")
        read = {name: tensors.read(path) for name, path in files.items()}
        for path in files.values():
            os.remove(path)
        return Result(text, read)

    def differentiated(self, graph):
        """The text of a graph's backward function."""
        status, named = self.call([*self.source(graph, {}), "--emit=mlir"])
        expect(status == 0, named)
        done = subprocess.run([self.tool.replace("fastnorm-run", "fastnorm-opt"), "--fastnorm-differentiate=emit=backward"],
                              input=named, capture_output=True, text=True, timeout=self.seconds)
        expect(done.returncode == 0, done.stderr)
        return done.stdout

    def compile(self, graph, settings):
        """The file of a plan for all numbers of rows, to be run many times."""
        plan = self.path("plan.json")
        target = [] if self.device.startswith("cuda") else ["--target=h200"]
        status, text = self.call([*self.source(graph, settings), "--emit=plan", "-o", plan, "--device=" + self.device, *target])
        expect(status == 0, f"exit {status}: {text}")
        return plan

    def refused(self, sentence, graph, settings={}, dims={}, inputs={}, flags=()):
        """A run that must fail with one line that matches `sentence`."""
        arguments, _ = self.arguments(graph, settings, dims, (), inputs, (), {}, flags)
        status, text = self.call(arguments)
        expect(status in (1, 2), f"expected an error, but got exit {status}: {text}")
        expect(re.search(sentence, text), f"expected an error like '{sentence}', but got: {text}")


def rows_of(graph, rows):
    """The sizes of a template's run: as many expert rows as some slots name none."""
    return {"rows": rows, "expert_rows": 2 * rows + 1} if "combine" in graph or graph == "gather" else {"rows": rows}
