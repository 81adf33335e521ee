"""Gives edited plans the content hash that goes with them.

usage: rehash.py PLAN.json...
"""

import json
import pathlib
import sys


def with_hash(document):
    """The text of a plan, from its JSON."""
    document = {key: value for key, value in document.items() if key != "content_hash"}
    value = 0xCBF29CE484222325  # FNV-1a
    for byte in json.dumps(document, indent=2, ensure_ascii=False).encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return json.dumps({**document, "content_hash": f"{value:016x}"}, indent=2, ensure_ascii=False)


if __name__ == "__main__":
    for path in map(pathlib.Path, sys.argv[1:]):
        path.write_text(with_hash(json.loads(path.read_text())))
