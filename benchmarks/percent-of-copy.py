"""Draws percent of the copy over hidden: percent-of-copy.py TABLE.csv PICTURE.svg

The table has a line `series,hidden,percent_of_copy` for each measured point; the first series stands out.
"""

import csv
import math
import sys
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 820, 420, 56, 190, 24, 48
COLOURS = ("#0b6e4f", "#c8553d", "#588b8b", "#8d6a9f", "#f28f3b", "#444444")


def read(path):
    series = {}
    with open(path, newline="") as file:
        for line in csv.DictReader(file):
            series.setdefault(line["series"], []).append((int(line["hidden"]), float(line["percent_of_copy"])))
    if not series:
        sys.exit(f"percent-of-copy: error: expected a measured point in '{path}', but it has none")
    return {name: sorted(points) for name, points in series.items()}


def draw(series):
    hiddens = [hidden for points in series.values() for hidden, _ in points]
    low, high = math.floor(math.log2(min(hiddens))), math.ceil(math.log2(max(hiddens)))

    def x(hidden):
        return LEFT + (math.log2(hidden) - low) / max(1, high - low) * (WIDTH - LEFT - RIGHT)

    def y(percent):
        return TOP + (100 - percent) / 100 * (HEIGHT - TOP - BOTTOM)

    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">'
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    for percent in range(0, 101, 20):
        yield f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(percent):.1f}" y2="{y(percent):.1f}" stroke="#dddddd"/>'
        yield f'<text x="{LEFT - 8}" y="{y(percent) + 4:.1f}" text-anchor="end">{percent}</text>'
    for power in range(low, high + 1):
        yield f'<text x="{x(2 ** power):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{2 ** power}</text>'
    yield f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">hidden</text>'
    yield f'<text x="14" y="{HEIGHT / 2:.0f}" transform="rotate(-90 14 {HEIGHT / 2:.0f})" text-anchor="middle">% of the copy</text>'
    for number, (name, points) in enumerate(series.items()):
        colour, stroke = COLOURS[number % len(COLOURS)], 2.5 if number == 0 else 1.5
        line = " ".join(f"{x(hidden):.1f},{y(percent):.1f}" for hidden, percent in points)
        yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="{stroke}"/>'
        for hidden, percent in points:
            yield f'<circle cx="{x(hidden):.1f}" cy="{y(percent):.1f}" r="3" fill="{colour}"><title>{escape(name)}, {hidden}: {percent} %</title></circle>'
        yield f'<text x="{WIDTH - RIGHT + 16}" y="{TOP + 12 + number * 20}" fill="{colour}">{escape(name)}</text>'
    yield "</svg>"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: percent-of-copy.py TABLE.csv PICTURE.svg")
    picture = "\n".join(draw(read(sys.argv[1]))) + "\n"
    with open(sys.argv[2], "w") as file:
        file.write(picture)
