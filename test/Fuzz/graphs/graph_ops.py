"""Random graphs of the graph ops: blocks of gathers, combines, residual adds and norms, and their gradients."""

from .program import STORAGE, Value, coarsest, not_finer

NARROW = STORAGE + ("bf16", "bf16", "f8E4M3FN")


def rows_axes(program):
    return program.row_axes() + ("hidden",)


def random_stream(program):
    """Rows that an op of the block may read: of an argument, or computed before."""
    random = program.random
    computed = [value for value in program.values if value.dtype in STORAGE and value.axes == rows_axes(program)]
    if computed and random.random() < 0.7:
        return random.choice(computed[-2:])
    return program.add(program.argument("x", rows_axes(program), random.choice(STORAGE)))


def rounded(program, axes, dtypes, operands, role=""):
    """A result that is computed from these."""
    # Of few elements little more than their rounding may be left.
    coarse = coarsest([operand.coarse for operand in operands] + ["bf16" if program.hidden < 8 else "f32"])
    dtype = program.random.choice(not_finer(dtypes, coarse))
    return Value(program.fresh(), axes, dtype, role=role, coarse=coarsest([coarse, dtype]))


def index_of(program, axes, promised):
    role = program.random.choice(("", "", "drop:0.5", "drop:1", "dup", "constant:-1"))
    dtype = program.random.choice(("i32", "i64"))
    return program.argument("index", axes, dtype, "perm" if promised else role)


def table_of(program, dtype):
    rows = "?" if program.random.random() < 0.9 else max(1, program.table_rows)
    type = f"tensor<{rows}x{program.hidden}x{dtype}>"
    return program.table(type), type


def write_combine(program):
    random = program.random
    axes = program.row_axes() + ("slot",)
    table, table_type = table_of(program, random.choice(STORAGE))
    index = index_of(program, axes, False)
    clauses, types, streams = "", f"{table_type}, {program.type_of(index)}", []
    if random.random() < 0.7:
        gate = program.argument("gate", axes, random.choice(STORAGE), "gate")
        clauses, types = f" gate({gate.name})", f"{types}, {program.type_of(gate)}"
    if random.random() < 0.3:
        shared = random_stream(program)
        streams.append(shared)
        clauses, types = f"{clauses} shared({shared.name})", f"{types}, {program.type_of(shared)}"
    result = rounded(program, rows_axes(program), NARROW, streams)
    program.write(f"{result.name} = fastnorm.combine {table}[{index.name}]{clauses} : {types} -> {program.type_of(result)}")
    return [program.add(result)]


def write_gather(program):
    dtype = program.random.choice(STORAGE)
    table, table_type = table_of(program, dtype)
    index = index_of(program, program.row_axes(), False)
    result = Value(program.fresh(), rows_axes(program), dtype)
    program.write(f"{result.name} = fastnorm.gather {table}[{index.name}] : {table_type}, {program.type_of(index)} -> "
                  f"{program.type_of(result)}")
    return [program.add(result)]


def write_residual_add(program):
    a, b = random_stream(program), random_stream(program)
    result = rounded(program, rows_axes(program), NARROW, [a, b])
    program.write(f"{result.name} = fastnorm.residual_add {a.name}, {b.name} : {program.type_of(a)}, {program.type_of(b)} -> "
                  f"{program.type_of(result)}")
    return [program.add(result)]


def parameter(program, name, role=""):
    heads = len(program.rows) > 1 and program.random.random() < 0.5
    return program.argument(name, ("head", "hidden") if heads else ("hidden",), program.random.choice(STORAGE), role)


def write_norm(program):
    random = program.random
    op = random.choice(("rms_norm", "layer_norm"))
    x = random_stream(program)
    clauses, types, attributes = "", program.type_of(x), f"eps = {random.choice((1e-6, 1e-5, 1e-3)):.1e} : f32"
    if random.random() < 0.7:
        weight = parameter(program, "weight")
        clauses, types = f" weight({weight.name})", f"{types}, {program.type_of(weight)}"
        attributes += random.choice(("", ", weight_offset = 1.0 : f32"))
    if random.random() < 0.4:
        bias = parameter(program, "bias")
        clauses, types = f"{clauses} bias({bias.name})", f"{types}, {program.type_of(bias)}"
    attributes += random.choice(("", "", "", ", round_xhat"))
    results = [rounded(program, rows_axes(program), NARROW, [x])]
    if random.random() < 0.4 and x.coarse == "f32" and program.hidden >= 8:
        results += [Value(program.fresh(), program.row_axes(), "f32") for _ in range(2 if op == "layer_norm" else 1)]
    names, result_types = ", ".join(v.name for v in results), ", ".join(program.type_of(v) for v in results)
    program.write(f"{names} = fastnorm.{op} {x.name}{clauses} {{{attributes}}} : {types} -> {result_types}")
    return [program.add(value) for value in results]


def write_norm_backward(program):
    random = program.random
    op = random.choice(("rms_norm", "layer_norm"))
    dy, x = random_stream(program), random_stream(program)
    if dy is x:
        # The gradient of a row along itself is next to nothing.
        x = program.add(program.argument("x", rows_axes(program), random.choice(STORAGE)))
    operands, types, streams = f"{dy.name}, {x.name}", [program.type_of(dy), program.type_of(x)], [dy, x]
    for statistic in ("mean", "rstd") if op == "layer_norm" else ("rstd",):
        value = program.argument(statistic, program.row_axes(), "f32", "around:1+0.05" if statistic == "rstd" else "")
        operands += f" {statistic}({value.name})"
        types.append(program.type_of(value))
    attributes, weight = "", None
    if random.random() < 0.7:
        weight = parameter(program, "weight")
        operands += f" weight({weight.name})"
        types.append(program.type_of(weight))
        attributes = random.choice(("", " {weight_offset = 1.0 : f32}"))
    of_input = random.random() < 0.8 and program.hidden > 2
    if of_input and random.random() < 0.4:
        residual = random_stream(program)
        streams.append(residual)
        operands += f" residual({residual.name})"
        types.append(program.type_of(residual))
    results = []
    if of_input:
        results.append(("input", rounded(program, rows_axes(program), STORAGE, streams)))
    parameters = [name for name in ("weight", "bias") if random.random() < 0.6]
    if not results and not parameters:
        parameters = ["bias"]
    for name in parameters:
        axes = weight.axes if weight and name == "weight" else (
            ("head", "hidden") if len(program.rows) > 1 and random.random() < 0.3 else ("hidden",))
        results.append((name, rounded(program, axes, STORAGE, [dy, x], "columns")))
        if random.random() < 0.3:
            old = program.argument("old", axes, random.choice(STORAGE))
            operands += f" accumulate_{name}({old.name})"
            types.append(program.type_of(old))
    names = ", ".join(value.name for _, value in results)
    shown = " ".join(f"{name}({program.type_of(value)})" for name, value in results)
    program.write(f"{names} = fastnorm.{op}_backward {operands}{attributes} : {', '.join(types)} -> {shown}")
    return [program.add(value) for _, value in results]


def write_combine_backward(program):
    random = program.random
    axes = program.row_axes() + ("slot",)
    dy = random_stream(program)
    map = random.choice(("any", "any", "injective", "bijective"))
    index = index_of(program, axes, map != "any")
    if map != "any":
        # A permutation needs as many rows as there are slots.
        program.exact_table = map == "bijective"
        program.promised = True
    operands, types = f"{dy.name}[{index.name}] index_map({map})", [program.type_of(dy), program.type_of(index)]
    gated, of_gate, of_rows = random.random() < 0.6, random.random() < 0.5, random.random() < 0.7
    dtype = random.choice(not_finer(STORAGE, dy.coarse))
    table_type = f"tensor<?x{program.hidden}x{dtype}>"
    if of_gate:
        operands += f" expert_rows({program.table(table_type)})"
        types.append(table_type)
    if gated:
        gate = program.argument("gate", axes, random.choice(STORAGE), "gate")
        operands += f" gate({gate.name})"
        types.append(program.type_of(gate))
    results, shown = [], []
    if of_rows or not of_gate:
        results.append(program.fresh())
        shown.append(f"expert_rows({table_type})")
        program.scattered[results[-1]] = table_type
    if of_gate:
        value = program.add(rounded(program, axes, STORAGE, [dy]))
        results.append(value.name)
        shown.append(f"gate({program.type_of(value)})")
    program.write(f"{', '.join(results)} = fastnorm.combine_backward {operands} : {', '.join(types)} -> {' '.join(shown)}")
    program.extra_results += [name for name in results if name in program.scattered]


def write_graph_ops(program):
    random = program.random
    program.scattered, program.extra_results, program.promised, program.exact_table = {}, [], False, False
    one_row = len(program.rows) == 1
    kinds = [write_combine, write_gather if one_row else write_combine, write_residual_add, write_residual_add, write_norm, write_norm, write_norm]
    if random.random() < 0.35:
        kinds = [write_norm_backward, write_norm_backward, write_norm_backward, write_combine_backward, write_residual_add]
    for _ in range(random.choice((1, 1, 2, 2, 3, 4))):
        random.choice(kinds)(program)
    arguments = {name for name, _, _ in program.arguments}
    computed = [value for value in program.values if value.name not in arguments]
    results = [value for value in computed[-1:]] + [value for value in computed[:-1] if random.random() < 0.4]
    return results
