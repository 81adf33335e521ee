"""Times by CUDA graphs: each contestant's calls over all sets are one graph, replayed in turns in a new order each time."""

import contextlib
import random
import signal
import statistics

import torch


@contextlib.contextmanager
def limited(seconds, what):
    """A TimeoutError where the block takes longer, as soon as Python code runs again."""

    def stop(*_):
        raise TimeoutError(f"{what} took more than {seconds:.0f} s")

    if seconds < 1:
        raise TimeoutError("no time was left for it")
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def capture(calls, stream):
    """A graph of calls without arguments, all of which have run before."""
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for call in calls:
            call()
    return graph


def _enqueue(graph):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    return begin, end


def time_once(graph):
    """Microseconds of the fastest of three replays."""
    events = [_enqueue(graph) for _ in range(4)]
    torch.cuda.synchronize()
    return min(begin.elapsed_time(end) for begin, end in events[1:]) * 1e3


def sample(graphs, count, per_replay, stream):
    """{name: (median in µs per set, noise in percent)}. Two rounds warm up; noise is half the distance of quartiles."""
    samples = {name: [] for name in graphs}
    names = list(graphs)
    order = random.Random(1)
    with torch.cuda.stream(stream):
        for round_index in range(count + 2):
            order.shuffle(names)
            # Not the first: what runs behind a wait is timed with the launch.
            graphs[names[-1]].replay()
            events = {name: _enqueue(graphs[name]) for name in names}
            torch.cuda.synchronize()
            if round_index >= 2:
                for name, (begin, end) in events.items():
                    samples[name].append(begin.elapsed_time(end) * 1e3 / per_replay)
    return {name: _summary(values) for name, values in samples.items()}


def _summary(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return middle, 50 * (high - low) / middle
