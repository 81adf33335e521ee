"""A random graph while it is written: its sizes, its arguments, the values computed so far, its text."""

import dataclasses
import math

# Hidden sizes around what vectors, warps, CTAs and clusters hold.
SHORT = (1, 2, 3, 7, 8, 16, 17, 24, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129)
MIDDLE = (192, 255, 256, 257, 264, 320, 511, 512, 520, 640, 769, 896, 1000, 1024, 1025, 1536, 1792, 2040, 2048, 2056)
LONG = (2880, 3072, 3584, 4095, 4096, 4097, 5120, 6144, 7168, 8192, 8200, 12288, 16384)
WIDE = (16392, 32768, 65536, 65537)

STORAGE = ("f32", "bf16", "f16")


@dataclasses.dataclass
class Value:
    """What a name in the text stands for. Magnitude and error (in 2^-24 of the magnitude) keep graphs well conditioned:
    an exact value is the same in f32 and f64 arithmetic. Coarse is the coarsest type that anything was rounded to on the
    way: a value that f32 and f64 round to neighbours must not end in a finer type. Values that share inputs may cancel."""

    name: str
    axes: tuple
    dtype: str
    magnitude: float = 4.0
    error: float = 0.0
    exact: bool = True
    role: str = ""
    coarse: str = "f32"
    inputs: frozenset = frozenset()


FINENESS = ("f32", "f16", "bf16", "f8E4M3FN")


def coarsest(dtypes):
    return max(dtypes, key=FINENESS.index)


def not_finer(dtypes, coarse):
    return [dtype for dtype in dtypes if FINENESS.index(dtype) >= FINENESS.index(coarse)]


def attributes_of(name, type, symbol):
    """What an argument or result is called, and its rows."""
    symbols = f", fastnorm.symbols = [\"{symbol}\"]" if "?" in type else ""
    name = name.replace("%", "")
    return f" {{fastnorm.name = \"{name}\"{symbols}}}"


class Program:
    """Sizes of one graph and what is written of it. Axes are row, head, slot, group and hidden; `rows` has an extent, or
    "?", for each row dimension, of which the innermost is called head where there are two or more."""

    def __init__(self, random, indent="  "):
        self.random = random
        self.hidden = self.random_hidden()
        self.rows, self.row_count = self.random_rows()
        self.slots = random.choice((1, 2, 3, 4, 5, 8, 8, 9, 16))
        self.group = self.random_group()
        self.table_rows = random.choice((0, 1, 3, self.row_count * self.slots, self.row_count * self.slots + 7))
        self.arguments, self.lines, self.values, self.roles = [], [], [], []
        self.indent, self.number = indent, 0

    def random_hidden(self):
        kind = self.random.random()
        for share, sizes in ((0.35, SHORT), (0.4, MIDDLE), (0.2, LONG), (1, WIDE)):
            if kind < share:
                return self.random.choice(sizes)
            kind -= share
        return self.random.randrange(1, 3000)

    def random_rows(self):
        """The extents as they stand in types, and how many rows `?` is."""
        most = max(1, 60000 // self.hidden)
        count = min(most, self.random.choice((0, 1, 1, 2, 3, 5, 7, 8, 13, 16, 33, 64, 131, 257)))
        dimensions = self.random.choice((1, 1, 1, 1, 2, 2, 3))
        inner = [self.random.choice((1, 2, 3, 4, 5)) for _ in range(dimensions - 1)]
        count = max(0, min(count, most // math.prod(inner)))
        static = self.random.random() < 0.2
        count = max(count, 1) if static else count
        return [count if static else "?"] + inner, count

    def random_group(self):
        divisors = [g for g in (1, 2, 4, 8, 16, 32, 64, 128) if self.hidden % g == 0]
        return self.random.choice(divisors)

    def extents(self, axes):
        """Of a value with these axes; `row` stands for all row dimensions but the head."""
        result = []
        for axis in axes:
            if axis == "row":
                result += self.rows[:-1] if len(self.rows) > 1 else self.rows
            else:
                result.append({"head": self.rows[-1], "slot": self.slots, "group": self.hidden // self.group,
                               "hidden": self.hidden}[axis])
        return result

    def row_axes(self):
        return ("row", "head") if len(self.rows) > 1 else ("row",)

    def type(self, axes, dtype):
        return "tensor<" + "".join(f"{extent}x" for extent in self.extents(axes)) + dtype + ">"

    def type_of(self, value):
        return self.type(value.axes, value.dtype)

    def written_axes(self, axes):
        """[row, row, head, hidden] for four dimensions."""
        words = []
        for axis in axes:
            words += ["row"] * max(1, len(self.rows) - 1) if axis == "row" else [axis]
        return "[" + ", ".join(words) + "]"

    def fresh(self, prefix="v"):
        self.number += 1
        return f"%{prefix}{self.number}"

    def argument(self, prefix, axes, dtype, role="", magnitude=4.0):
        name = self.fresh(prefix)
        self.arguments.append((name, self.type(axes, dtype), attributes_of(name, self.type(axes, dtype), "rows")))
        if role:
            self.roles.append(f"{name[1:]}={role}")
        return Value(name, axes, dtype, magnitude=32.0 * 4 if dtype == "i8" else magnitude, inputs=frozenset([name]))

    def table(self, type):
        """An argument that others index."""
        name = self.fresh("table")
        self.arguments.append((name, type, attributes_of(name, type, "expert_rows")))
        return name

    def write(self, line):
        self.lines.append(self.indent + line)

    def add(self, value):
        self.values.append(value)
        return value
