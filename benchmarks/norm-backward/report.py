"""The table: a line a cell, as it comes, then what failed and where fastnorm is not first."""

CONTESTANTS = ("fastnorm", "PyTorch", "torch.compile", "Triton")
COPIES = ("copy", "copy kernel")


def conclude(cell, limit):
    """Adds the copy's time, who is inexact, who is first, bandwidths, and the loss in percent where fastnorm is not first."""
    times = {name: median for name, (median, _) in cell["times"].items()}
    for name, errors in cell["errors"].items():
        if max(errors.values()) > limit:
            cell["failures"][name] = f"expected errors up to {limit:.1e}, but got {errors}"
    right = {name: times[name] for name in CONTESTANTS if name in times and name not in cell["failures"]}
    cell["copy_us"] = min((times[name] for name in COPIES if name in times), default=None)
    cell["winner"] = min(right, key=right.get, default=None)
    cell["tb_per_s"] = {name: {n: _bandwidth(cell, n, us) for n in _tensors(cell)} for name, us in right.items()}
    if cell["winner"] not in (None, "fastnorm") and "fastnorm" in right:
        cell["loss_percent"] = 100 * (right["fastnorm"] / right[cell["winner"]] - 1)


def _tensors(cell):
    return (4, 5) if cell["pass"] != "backward" else (3,)


def _bandwidth(cell, tensors, us):
    return tensors * 2 * cell["rows"] * cell["hidden"] / us / 1e6


def begin(versions):
    print(", ".join(f"{name} {version}" for name, version in versions.items()) + ". bf16; µs per call, and percent of")
    print("the copy's speed; bandwidth of fastnorm, counted with 4 and with 5 tensors, or with 3 for backward alone.\n")
    columns = ["norm", "pass", "rows × hidden", "copy", *CONTESTANTS, "TB/s", "first", "loss"]
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}", flush=True)


def add(cell):
    texts = []
    for name in CONTESTANTS:
        if name not in cell["times"]:
            texts.append("–")
            continue
        us = cell["times"][name][0]
        share = f" ({100 * cell['copy_us'] / us:.1f} %)" if cell["copy_us"] else ""
        texts.append(f"{us:.1f}{share}" + (", inexact" if name in cell["failures"] else ""))
    ours = cell["tb_per_s"].get("fastnorm", {})
    copy = f"{cell['copy_us']:.1f}" if cell["copy_us"] else "–"
    loss = f"{cell['loss_percent']:.1f} % behind {cell['winner']}" if "loss_percent" in cell else ""
    columns = [cell["norm"], cell["pass"], f"{cell['rows']} × {cell['hidden']}", copy, *texts]
    columns += [" / ".join(f"{value:.2f}" for value in ours.values()), cell["winner"] or "–", loss]
    print(f"| {' | '.join(columns)} |", flush=True)


def add_failed(cell):
    columns = [cell["norm"], "", f"{cell['rows']} × {cell['hidden']}", "", *("–" for _ in CONTESTANTS), "", "", ""]
    print(f"| {' | '.join(columns)} |", flush=True)


def _even(cells):
    """How even time per element is over the widths of one number of elements: {(norm, pass, elements): {name: ratio}}."""
    bands = {}
    for cell in cells:
        band = bands.setdefault((cell["norm"], cell["pass"], cell["rows"] * cell["hidden"]), {})
        for name in CONTESTANTS:
            if name in cell["times"]:
                band.setdefault(name, []).append(cell["times"][name][0])
    return {key: band for key, band in bands.items() if any(len(times) > 1 for times in band.values())}


def end(cells):
    whole = [cell for cell in cells if "times" in cell]
    first = sum(cell["winner"] == "fastnorm" for cell in whole)
    print(f"\nfastnorm is first in {first} of {len(whole)} lines.")
    bands = _even(whole)
    if bands:
        print("\nSlowest width ÷ fastest width of the same number of elements:\n")
        print(f"| norm | pass | elements | {' | '.join(CONTESTANTS)} |\n|---|---|---|{'---|' * len(CONTESTANTS)}")
    for (norm, name_of_pass, elements), band in bands.items():
        ratios = [f"{max(band[name]) / min(band[name]):.2f}" if name in band else "–" for name in CONTESTANTS]
        print(f"| {norm} | {name_of_pass} | {elements / 2**20:g} M | {' | '.join(ratios)} |")
    reasons = {}
    for cell in cells:
        place = f"{cell['norm']} {cell['rows']} × {cell['hidden']}"
        if "error" in cell:
            print(f"\n{place}: {cell['error']}")
        for name, why in cell.get("failures", {}).items():
            reasons.setdefault(f"{name}: {why}", {})[place] = None
    for why, places in reasons.items():
        print(f"\n{', '.join(places)}, {why}")
