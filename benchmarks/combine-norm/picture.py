#!/usr/bin/env python3
"""Draws each grouping's time over that of the best, over rows: picture.py SWEEP.csv PICTURE.svg TOP_KxHIDDEN…

A panel for each TOP_KxHIDDEN. What the model chose stands out; where it lies on the lower edge, it chose the best.
"""

import math
import sys
from xml.sax.saxutils import escape

import sweep

WIDTH, PANEL, LEFT, RIGHT, TOP, BOTTOM = 900, 230, 60, 210, 34, 40
MOST = 3.0
COLOURS = {"apart": "#c8553d", "combine | residual+norm": "#588b8b", "combine+residual | norm": "#8d6a9f",
           "all in one": "#f28f3b", "torch.compile": "#888888", "chosen": "#0b6e4f"}  # fmt: skip


def series(points, top_k, hidden):
    """{name: [(rows, ratio)]}"""
    lines = {}
    for (rows, own_top_k, own_hidden), groupings in sorted(points.items()):
        if (own_top_k, own_hidden) != (top_k, hidden):
            continue
        times = sweep.forced(groupings)
        best = min(times.values())
        if groupings.get("torch.compile", {}).get("us"):
            times["torch.compile"] = float(groupings["torch.compile"]["us"])
        times["chosen"] = times[sweep.chosen(groupings)]
        for name, us in times.items():
            lines.setdefault(name, []).append((rows, us / best))
    if not lines:
        sys.exit(f"combine-norm: error: expected points of {top_k}x{hidden} in the sweep, but it has none")
    return lines


def panel(lines, top, title):
    low = math.floor(math.log2(min(rows for rows, _ in lines["chosen"])))
    high = math.ceil(math.log2(max(rows for rows, _ in lines["chosen"])))

    def x(rows):
        return LEFT + (math.log2(rows) - low) / max(1, high - low) * (WIDTH - LEFT - RIGHT)

    def y(ratio):
        return top + TOP + (MOST - min(ratio, MOST)) / (MOST - 1) * (PANEL - TOP - BOTTOM)

    yield f'<text x="{LEFT}" y="{top + 20}" font-weight="bold">{escape(title)}</text>'
    for tenths in range(10, int(MOST * 10) + 1, 5):
        yield f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(tenths / 10):.1f}" y2="{y(tenths / 10):.1f}" stroke="#dddddd"/>'
        yield f'<text x="{LEFT - 8}" y="{y(tenths / 10) + 4:.1f}" text-anchor="end">{tenths / 10}</text>'
    for power in range(low, high + 1, 2):
        yield f'<text x="{x(2 ** power):.1f}" y="{y(1) + 18:.1f}" text-anchor="middle">{2 ** power}</text>'
    for number, (name, colour) in enumerate((name, colour) for name, colour in COLOURS.items() if name in lines):
        line = " ".join(f"{x(rows):.1f},{y(ratio):.1f}" for rows, ratio in lines[name])
        dash = ' stroke-dasharray="7 4"' if name == "chosen" else ""
        yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="{3.5 if name == "chosen" else 1.5}"{dash}/>'
        for rows, ratio in lines[name]:
            yield f'<circle cx="{x(rows):.1f}" cy="{y(ratio):.1f}" r="2.5" fill="{colour}"><title>{escape(name)}, {rows} rows: {ratio:.2f}</title></circle>'
        yield f'<text x="{WIDTH - RIGHT + 16}" y="{top + TOP + 12 + number * 20}" fill="{colour}">{escape(name)}</text>'


def main():
    if len(sys.argv) < 4:
        sys.exit("usage: picture.py SWEEP.csv PICTURE.svg TOP_KxHIDDEN…")
    points = sweep.read(sys.argv[1])
    try:
        sizes = [tuple(int(number) for number in word.split("x")) for word in sys.argv[3:]]
        panels = [panel(series(points, *size), index * PANEL, f"top {size[0]} of {size[1]}") for index, size in enumerate(sizes)]
    except (TypeError, ValueError):
        sys.exit(f"combine-norm: error: expected TOP_KxHIDDEN such as 8x3072, but got '{' '.join(sys.argv[3:])}'")
    height = len(panels) * PANEL + 24
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{height}" fill="white"/>']  # fmt: skip
    for drawn in panels:
        lines.extend(drawn)
    lines.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{height - 8}" text-anchor="middle">rows; time over that of the best grouping</text>')
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join([*lines, "</svg>"]) + "\n")


if __name__ == "__main__":
    main()
