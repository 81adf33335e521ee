"""A random graph as text, and how it is run."""

import dataclasses
import random as randoms
import re

from .algebra import write_algebra
from .graph_ops import write_graph_ops
from .program import Program, attributes_of


@dataclasses.dataclass
class Graph:
    kind: str
    text: str
    roles: list
    dims: dict
    hidden: int
    row_count: int
    slots: int
    group: int
    has_slots: bool


def function_text(program, results, body, extra):
    arguments = ", ".join(f"{name}: {type}{attributes}" for name, type, attributes in program.arguments)
    returned = [(value.name, program.type_of(value), "rows") for value in results] + \
        [(name, type, "expert_rows") for name, type in extra]
    types = ", ".join(type for _, type, _ in returned)
    named = ", ".join(type + attributes_of(name, type, symbol) for name, type, symbol in returned)
    names = ", ".join(name for name, _, _ in returned)
    return "\n".join([f"func.func @graph({arguments}) -> ({named}) {{", *body, f"  return {names} : {types}", "}", ""])


def kernel_lines(program, results):
    """The body in one kernel."""
    tables = dict(program.tables)
    read = {value.name for value in program.used_arguments} | set(tables)
    inputs = [(name, type) for name, type, _ in program.arguments if name in read]
    program.arguments = [argument for argument in program.arguments if argument[0] in read]
    inner = re.compile("(" + "|".join(name for name, _ in inputs) + r")\b")
    written = ", ".join(f"%of_{name[1:]} = {name}" for name, _ in inputs)
    types, result_types = ", ".join(type for _, type in inputs), ", ".join(program.type_of(value) for value in results)
    names = ", ".join(value.name for value in results)
    lines = [inner.sub(lambda match: "%of_" + match.group(1)[1:], line) for line in program.lines]
    return [f"  {names} = fastnorm.kernel \"graph\" ({written}) : ({types}) -> ({result_types}) {{", *lines,
            f"    fastnorm.yield {names} : {result_types}", "  }"]


def graph_ops(random):
    program = Program(random)
    program.exact_table = False
    results = write_graph_ops(program)
    extra = [(name, program.scattered[name]) for name in program.extra_results]
    if not results and not extra:
        return None
    return program, function_text(program, results, program.lines, extra), "graph ops"


def algebra(random):
    in_kernel = random.random() < 0.6
    program = Program(random, "    " if in_kernel else "  ")
    results = write_algebra(program, in_kernel)
    if not results:
        return None
    body = kernel_lines(program, results) if in_kernel else program.lines
    return program, function_text(program, results, body, []), "kernel" if in_kernel else "algebra"


def random_graph(seed, number):
    """The graph with this number, the same in every run."""
    random = randoms.Random(f"graph {seed} {number}")
    while True:
        made = random.choice((graph_ops, algebra, algebra))(random)
        if made:
            break
    program, text, kind = made
    slots = program.row_count * program.slots
    for extent in program.rows[1:]:
        slots *= extent
    table_rows = program.table_rows
    if getattr(program, "promised", False):
        table_rows = slots if program.exact_table else slots + 3
    return Graph(kind, text, [role for role in program.roles if f"%{role.split('=')[0]}:" in text],
                 {"rows": program.row_count, "expert_rows": table_rows}, program.hidden, program.row_count, program.slots,
                 program.group, "index" in text), random
