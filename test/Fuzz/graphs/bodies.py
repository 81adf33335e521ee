"""Random bodies of maps: scalar arithmetic that f32 and f64 agree about to within what the tolerances allow."""

from .program import Value

MOST_ERROR = 12.0
MOST_MAGNITUDE = 4096.0


class Body:
    """Scalars of one body; they are Values without axes."""

    def __init__(self, program, operands):
        self.random, self.program = program.random, program
        self.lines, self.scalars = [], []
        self.arguments = [(f"%a{number}", operand.dtype) for number, operand in enumerate(operands)]
        for (name, dtype), operand in zip(self.arguments, operands):
            self.scalars.append(self.widened(Value(name, (), dtype, operand.magnitude, operand.error, operand.exact,
                                                   inputs=operand.inputs)))

    def emit(self, text, magnitude, error, exact, dtype="f32", of=()):
        name = self.program.fresh("s")
        self.lines.append(f"{name} = {text}")
        return Value(name, (), dtype, magnitude, error, exact, inputs=frozenset().union(*(scalar.inputs for scalar in of)))

    def constant(self, value):
        return self.emit(f"arith.constant {value:.6e} : f32", abs(value), 0.0, True)

    def widened(self, scalar):
        if scalar.dtype == "f32":
            return scalar
        op = "sitofp" if scalar.dtype[0] == "i" else "extf"
        return self.emit(f"arith.{op} {scalar.name} : {scalar.dtype} to f32", scalar.magnitude, scalar.error, scalar.exact,
                         of=[scalar])

    def binary(self, op, a, b, magnitude, error, exact=False, flags=""):
        return self.emit(f"{op} {a.name}, {b.name}{flags} : f32", magnitude, error, exact, of=[a, b])

    def unary(self, op, a, magnitude, error, exact=False):
        return self.emit(f"{op} {a.name} : f32", magnitude, error, exact, of=[a])

    def away_from_zero(self, a):
        """|a| + c."""
        c = self.random.choice((0.5, 1.0, 2.0))
        magnitude = self.unary("math.absf", a, a.magnitude, a.error, a.exact)
        return self.binary("arith.addf", magnitude, self.constant(c), a.magnitude + c, a.error + 1), c

    def magnitude(self, a):
        return self.unary("math.absf", a, a.magnitude, a.error, a.exact)

    def apart(self, a, b):
        """Two addends of which no difference is left that is small beside them: of one sign, where they are related."""
        related = (a.inputs & b.inputs or not a.inputs or not b.inputs) and not (a.exact and b.exact)
        return (self.magnitude(a), self.magnitude(b), True) if related else (a, b, False)

    def sum(self, a, b):
        a, b, positive = self.apart(a, b)
        op = "arith.addf" if positive else self.random.choice(("arith.addf", "arith.subf"))
        return self.binary(op, a, b, a.magnitude + b.magnitude, max(a.error, b.error) + 1)

    def product(self, a, b):
        flags = self.random.choice(("", "", " fastmath<contract>"))
        return self.binary("arith.mulf", a, b, a.magnitude * b.magnitude, a.error + b.error + 1, flags=flags)

    def contracted(self, a, b):
        c = self.random.choice(self.scalars)
        if c.inputs & (a.inputs | b.inputs):
            a, b, c = self.magnitude(a), self.magnitude(b), self.magnitude(c)
        p = self.binary("arith.mulf", a, b, a.magnitude * b.magnitude, a.error + b.error + 1, flags=" fastmath<contract>")
        return self.binary("arith.addf", p, c, p.magnitude + c.magnitude, max(p.error, c.error) + 1, flags=" fastmath<contract>")

    def fused(self, a, b):
        c = self.random.choice(self.scalars)
        if c.inputs & (a.inputs | b.inputs):
            a, b, c = self.magnitude(a), self.magnitude(b), self.magnitude(c)
        return self.emit(f"math.fma {a.name}, {b.name}, {c.name} : f32", a.magnitude * b.magnitude + c.magnitude,
                         a.error + b.error + c.error + 1, False, of=[a, b, c])

    def extremum(self, a, b):
        op = self.random.choice(("arith.maximumf", "arith.minimumf"))
        return self.binary(op, a, b, max(a.magnitude, b.magnitude), max(a.error, b.error), a.exact and b.exact)

    def chosen(self, a, b):
        """A choice by exact values, else f32 and f64 may choose differently."""
        exact = [s for s in self.scalars if s.exact]
        if not exact:
            return self.extremum(a, b)
        x, y = self.random.choice(exact), self.random.choice(exact + [self.constant(0.25)])
        predicate = self.random.choice(("ogt", "olt", "oge", "ole", "oeq", "one", "ugt", "une"))
        test = self.emit(f"arith.cmpf {predicate}, {x.name}, {y.name} : f32", 1, 0, True, "i1")
        return self.emit(f"arith.select {test.name}, {a.name}, {b.name} : f32", max(a.magnitude, b.magnitude),
                         max(a.error, b.error), a.exact and b.exact, of=[a, b])

    def quotient(self, a, b):
        divisor, least = self.away_from_zero(b)
        return self.binary("arith.divf", a, divisor, a.magnitude / least, a.error + divisor.error + 2)

    def root(self, a, b):
        radicand, least = self.away_from_zero(a)
        if self.random.random() < 0.5:
            return self.unary("math.sqrt", radicand, radicand.magnitude, radicand.error + 1)
        return self.unary("math.rsqrt", radicand, 1.5, radicand.error + 3)

    def power(self, a, b):
        limit = self.constant(3.0)
        low = self.binary("arith.minimumf", a, limit, max(3.0, a.magnitude), a.error, a.exact)
        return self.unary("math.exp2", low, 8.0, a.error * a.magnitude + 4)

    def logarithm(self, a, b):
        argument, _ = self.away_from_zero(a)
        return self.unary("math.log2", argument, 8.0, argument.error + 4)

    def whole(self, a, b):
        return self.unary("math.roundeven", a, a.magnitude, 0, True) if a.exact else self.negated(a, b)

    def negated(self, a, b):
        op = self.random.choice(("arith.negf", "math.absf"))
        return self.unary(op, a, a.magnitude, a.error, a.exact)

    def shifted(self, a, b):
        return self.sum(a, self.constant(self.random.choice((-1.5, 0.125, 1.0, 3.0))))

    def rounded(self, a, b):
        """A rounding on the way, of a value that is known exactly."""
        if not a.exact or a.magnitude > 256:
            return self.shifted(a, b)
        dtype = self.random.choice(("bf16", "f16", "f8E4M3FN"))
        narrow = self.emit(f"arith.truncf {a.name} : f32 to {dtype}", a.magnitude, a.error, True, dtype, of=[a])
        return self.widened(narrow)

    def step(self):
        """One more scalar, unless it would leave what the tolerances allow."""
        kinds = (self.sum, self.sum, self.product, self.product, self.contracted, self.fused, self.extremum, self.chosen,
                 self.quotient, self.root, self.power, self.logarithm, self.whole, self.negated, self.shifted, self.rounded)
        before = len(self.lines)
        scalar = self.random.choice(kinds)(self.random.choice(self.scalars), self.random.choice(self.scalars))
        if scalar.error > MOST_ERROR or scalar.magnitude > MOST_MAGNITUDE:
            del self.lines[before:]
            return
        self.scalars.append(scalar)

    def narrowed(self, scalar, dtype):
        """As the result's element."""
        if dtype == "f32":
            return scalar
        if dtype in ("i8", "i32"):
            return self.emit(f"arith.fptosi {scalar.name} : f32 to {dtype}", scalar.magnitude, scalar.error, scalar.exact, dtype,
                             of=[scalar])
        return self.emit(f"arith.truncf {scalar.name} : f32 to {dtype}", scalar.magnitude, scalar.error, scalar.exact, dtype,
                         of=[scalar])

    def text(self, result, indent):
        arguments = ", ".join(f"{name}: {dtype}" for name, dtype in self.arguments)
        lines = [f"{indent}^bb0({arguments}):"] + [f"{indent}  {line}" for line in self.lines]
        return lines + [f"{indent}  fastnorm.yield {result.name} : {result.dtype}", indent + "}"]
