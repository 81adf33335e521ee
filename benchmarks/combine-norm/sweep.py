"""A sweep that combine-norm.py wrote, by point and grouping."""

import csv
import sys


def read(path):
    """{(rows, top_k, hidden): {grouping: the line}}"""
    points = {}
    try:
        with open(path, newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                point = tuple(int(line[key]) for key in ("rows", "top_k", "hidden"))
                points.setdefault(point, {})[line["grouping"]] = line
    except (OSError, KeyError, TypeError, ValueError) as error:
        sys.exit(f"combine-norm: error: expected '{path}' to be a sweep that combine-norm.py wrote, but {error!r}")
    if not points:
        sys.exit(f"combine-norm: error: expected a point in '{path}', but it has none")
    return points


def with_predictions(points, predictions):
    """The times of one sweep with the model's times and choices of another, which may lack times."""
    for point, lines in points.items():
        for grouping, line in lines.items():
            told = predictions.get(point, {}).get(grouping)
            if told:
                line.update(model_us=told["model_us"], is_chosen=told["is_chosen"])
    return points


def forced(lines):
    """{grouping: microseconds} of those that the model compares."""
    return {name: float(line["us"]) for name, line in lines.items() if line["model_us"] and line["us"]}


def chosen(lines):
    return next(name for name, line in lines.items() if line["is_chosen"] == "1")
