"""Random graphs of the kernel algebra: maps, reductions over hidden, groups, slots and rows, and gathers."""

from .bodies import Body
from .program import STORAGE, Value

RESULT_DTYPES = ("f32", "f32", "bf16", "bf16", "f16", "f8E4M3FN", "i8")


def random_axes(program):
    """Of an argument."""
    row = program.row_axes()
    choices = [row + ("hidden",)] * 4 + [("hidden",)] * 2 + [row, row + ("group",)]
    if program.takes_slots:
        choices += [row + ("slot",)]
    if len(program.rows) > 1:
        choices += [("head", "hidden"), ("head",), ("row", "hidden"), ("row",)]
    return program.random.choice(choices)


def random_argument(program):
    axes = random_axes(program)
    dtype = program.random.choice(STORAGE + ("bf16", "i8") if "hidden" in axes else STORAGE)
    return program.add(program.argument("x", axes, dtype))


def write_gather(program):
    """Rows by an index of one or several slots."""
    row, dtype = program.row_axes(), program.random.choice(STORAGE)
    axes = row + ("slot",) if program.takes_slots or len(row) > 1 else row
    table = program.table(f"tensor<?x{program.hidden}x{dtype}>")
    index = program.argument("index", axes, program.random.choice(("i32", "i64")),
                             program.random.choice(("", "", "drop:0.3", "drop:1", "constant:-1")))
    result = Value(program.fresh(), axes + ("hidden",), dtype, inputs=frozenset([table]))
    program.tables.append((table, f"tensor<?x{program.hidden}x{dtype}>"))
    program.write(f"{result.name} = fastnorm.gather {table}[{index.name}] : tensor<?x{program.hidden}x{dtype}>, "
                  f"{program.type_of(index)} -> {program.type_of(result)}")
    program.used_arguments.append(index)
    return program.add(result)


def union(program, operands):
    """The axes of a map over these, or nothing where no map has them."""
    all_axes = {axis for operand in operands for axis in operand.axes}
    if {"group", "slot"} <= all_axes or ({"head"} <= all_axes and "row" not in all_axes and "hidden" not in all_axes):
        return None
    if "group" in all_axes and "hidden" in all_axes:
        all_axes.discard("group")
    if len(program.rows) > 1 and "row" in all_axes and any("head" in operand.axes for operand in operands):
        all_axes.add("head")
    return tuple(axis for axis in ("row", "head", "slot", "group", "hidden") if axis in all_axes)


def write_map(program, operands=None, dtype="f32", steps=None, magnitudes=False):
    random = program.random
    if operands is None:
        operands = [random.choice(program.values) for _ in range(random.choice((1, 1, 2, 2, 2, 3, 4)))]
        # One operand stands once.
        operands = list({operand.name: operand for operand in operands}.values())
    axes = union(program, operands)
    if axes is None or any(operand.dtype == "i32" for operand in operands):
        return None
    ofColumns = any(operand.role == "columns" for operand in operands)
    if ofColumns and "row" in axes:
        return None
    body = Body(program, operands)
    for _ in range(random.randrange(1, 6) if steps is None else steps):
        body.step()
    scalar = body.scalars[-1]
    if magnitudes:
        scalar = body.unary("math.absf", scalar, scalar.magnitude, scalar.error, scalar.exact)
    if dtype in ("f8E4M3FN", "i8") and scalar.magnitude > 1e4:
        dtype = "f32"
    out = body.narrowed(scalar, dtype)
    result = Value(program.fresh(), axes, dtype, out.magnitude, out.error, out.exact, "columns" if ofColumns else "",
                   inputs=frozenset().union(*(operand.inputs for operand in operands)))
    written = ", ".join(f"{operand.name} {program.written_axes(operand.axes)}" for operand in operands)
    types = ", ".join(program.type_of(operand) for operand in operands)
    program.write(f"{result.name} = fastnorm.map({written}) -> {program.written_axes(axes)} : ({types}) -> "
                  f"{program.type_of(result)} {{")
    program.lines += body.text(out, program.indent)
    program.used_arguments += operands
    return program.add(result)


def as_f32(program, value):
    return value if value.dtype == "f32" else write_map(program, [value], steps=0)


def write_reduce(program):
    """Over hidden, in groups, over slots or over rows."""
    random = program.random
    candidates = [v for v in program.values if {"hidden", "slot"} & set(v.axes) and "row" in v.axes and v.dtype != "i32" and
                  (v.axes[:len(program.row_axes())] == program.row_axes())]
    if not candidates:
        return None
    value = as_f32(program, random.choice(candidates))
    if value is None:
        return None
    kinds = []
    if "hidden" in value.axes:
        kinds += ["hidden"] * 3
    if "hidden" in value.axes and "slot" not in value.axes:
        kinds += ["group"]
        if program.takes_columns:
            kinds += ["row"]
    if "slot" in value.axes:
        kinds += ["slot"] * 4
    kind = random.choice(kinds)
    combiner = random.choice(("add", "add", "max", "min"))
    if combiner == "add" and kind != "slot":
        # What remains of a sum that cancels is its error.
        value = write_map(program, [value], steps=0, magnitudes=True)
    count = {"hidden": program.hidden, "group": program.group, "slot": program.slots, "row": max(program.row_count, 1)}[kind]
    if kind == "row":
        axes = (("head", "hidden") if len(program.rows) > 1 and random.random() < 0.5 and "head" in value.axes else ("hidden",))
        # All row dimensions are reduced, but for a head.
        if len(program.rows) > 1 and axes == ("hidden",) and random.random() < 0.5:
            axes = ("head", "hidden")
    elif kind == "group":
        axes = tuple("group" if axis == "hidden" else axis for axis in value.axes)
    else:
        axes = tuple(axis for axis in value.axes if axis != kind)
    if combiner == "add":
        magnitude, error, exact = value.magnitude * count, value.error + 2 + count ** 0.25, False
    else:
        magnitude, error, exact = value.magnitude, value.error, value.exact
    attributes = f" {{group = {program.group} : i64}}" if kind == "group" else ""
    axis = "hidden" if kind == "group" else kind
    result = Value(program.fresh(), axes, "f32", magnitude, error, exact, "columns" if kind == "row" else "",
                   inputs=value.inputs)
    shown = program.written_axes(value.axes)
    if kind == "row" and axes == ("hidden",) and len(program.rows) > 1:
        shown = shown.replace("head", "row")
    program.write(f"{result.name} = fastnorm.reduce {combiner} {axis} ({value.name} {shown}){attributes} : "
                  f"{program.type_of(value)} -> {program.type_of(result)}")
    program.used_arguments.append(value)
    return program.add(result)


def is_result(program, value, computed):
    row = program.row_axes()
    allowed = (row, row + ("slot",), row + ("hidden",), row + ("group",))
    columns = value.role == "columns" and "hidden" in value.axes and "row" not in value.axes
    return value.name in computed and (value.axes in allowed or columns)


def write_algebra(program, in_kernel):
    """Fills the program; returns the values that it yields."""
    random = program.random
    program.takes_slots = in_kernel and random.random() < 0.4
    program.takes_columns = in_kernel and random.random() < 0.25
    program.used_arguments, program.tables = [], []
    for _ in range(random.randrange(1, 4)):
        random_argument(program)
    main = program.add(program.argument("x", program.row_axes() + ("hidden",), random.choice(STORAGE)))
    given = {value.name for value in program.values}
    if program.takes_slots or in_kernel and len(program.rows) == 1 and random.random() < 0.5:
        write_gather(program)
    for _ in range(random.randrange(1, 8)):
        write_map(program) if random.random() < 0.55 else write_reduce(program)
    write_map(program, [main] + [v for v in program.values[-1:] if v.role != "columns"
                                 and not {"slot", "group"} & set(v.axes) and v is not main and v.dtype != "i32"])
    computed = {value.name for value in program.values} - given
    candidates = [value for value in program.values if is_result(program, value, computed)]
    chosen = candidates[-1:] + [value for value in candidates[:-1] if random.random() < 0.3]
    results = []
    for value in chosen[:4]:
        dtype = random.choice(RESULT_DTYPES)
        if value.dtype == "f32" and dtype != "f32" and value.role != "columns" and value.magnitude < 1e4:
            narrow = write_map(program, [value], dtype, steps=0)
            value = narrow if narrow else value
        results.append(value)
    return results
