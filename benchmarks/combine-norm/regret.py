#!/usr/bin/env python3
"""What the model's choices cost: regret.py SWEEP.csv [PREDICTIONS.csv]

The regret of a point is the time of the chosen grouping over that of the best. With PREDICTIONS.csv (combine-norm.py
--predict-only) times are the sweep's, choices the newer model's. Prints how many points are within 5 % or 0.3 us, the
worst, and how far the model's times are off.
"""

import statistics
import sys

import sweep


def band(times):
    return "30 us and more" if times >= 30 else "5 to 30 us" if times >= 5 else "below 5 us"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: regret.py SWEEP.csv [PREDICTIONS.csv]")
    points = sweep.read(sys.argv[1])
    if len(sys.argv) == 3:
        points = sweep.with_predictions(points, sweep.read(sys.argv[2]))
    regrets, errors = [], {}
    for point, lines in points.items():
        times = sweep.forced(lines)
        name, best = sweep.chosen(lines), min(times, key=times.get)
        regrets.append((times[name] / times[best], times[name] - times[best], point, name, best))
        for grouping, measured in times.items():
            errors.setdefault(band(measured), []).append(float(lines[grouping]["model_us"]) / measured)
    good = sum(regret <= 1.05 or lost <= 0.3 for regret, lost, *_ in regrets)
    print(f"{good} of {len(regrets)} points are within 5 % or 0.3 us of the best grouping; the worst:")
    for regret, lost, point, name, best in sorted(regrets, reverse=True)[:8]:
        print(f"  {' x '.join(map(str, point))}: {regret:.3f} ({lost:.2f} us), {name}, best {best}")
    print("model over measured time, of all groupings:")
    for name, ratios in sorted(errors.items()):
        print(f"  {name}: median {statistics.median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}, {len(ratios)} times")


if __name__ == "__main__":
    main()
