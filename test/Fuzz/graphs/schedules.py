"""Random schedules for the kernels of a lowered graph. Most are legal; a compiler that refuses the others says why."""

import re

# Targets with clusters and dependent launches.
NEW = ("h200", "h100", "b200", "sm_120")

KERNEL = re.compile(r"(fastnorm\.kernel \"[^\"]*\" \([^)]*\))( attributes)?( \{schedule = #fastnorm\.schedule<[^>]*>\})? :")


def kernels_of(text):
    """The text of each kernel."""
    starts = [match.start() for match in KERNEL.finditer(text)] + [len(text)]
    return [text[start:end] for start, end in zip(starts, starts[1:])]


def up(columns, chunk):
    return -(-columns // chunk)


class Sampler:
    def __init__(self, random, hidden, slots, kernel, target):
        self.random, self.hidden, self.slots = random, hidden, slots
        self.is_new = target in NEW
        groups = [int(text) for text in re.findall(r"group = (\d+)", kernel)]
        self.group = groups[0] if groups else 0
        self.reduces_rows = bool(re.search(r"fastnorm\.reduce \w+ hidden", kernel)) and (not groups or len(re.findall(
            r"fastnorm\.reduce \w+ hidden", kernel)) > len(groups))
        self.reduces_columns = bool(re.search(r"fastnorm\.reduce \w+ row ", kernel))
        self.scatters = "fastnorm.scatter" in kernel
        self.gathers = "fastnorm.gather" in kernel

    def width(self):
        """Mostly one that rows are aligned for."""
        fitting = [w for w in (1, 2, 4, 8, 16) if self.hidden % w == 0 and (not self.group or self.group % w == 0)]
        return self.random.choice(fitting[-3:]) if self.random.random() < 0.85 else self.random.choice((1, 2, 4, 8, 16))

    def vectors(self, threads, width):
        return up(self.hidden + (width if self.hidden % 8 and width > 1 else 0), threads * width)

    def per_element(self):
        random, width = self.random, self.width()
        vectors = random.choice((1, 1, 2, 3, 5))
        threads = max(1, min(random.choice((1, 7, 17, 32, 50, 64, 128, 256, 512)), up(self.hidden, width)))
        rows = max(1, min(random.choice((1, 2, 3, 8, 16)), 1024 // threads))
        vectors = min(vectors, max(1, up(self.hidden, threads * width)))
        return self.fields("per_element", random.choice(("cta", "lanes")), threads, rows, 1, width, vectors)

    def lanes(self):
        random, width = self.random, self.width()
        threads = random.choice((1, 2, 4, 8, 16, 32))
        rows = random.choice([r for r in (1, 2, 3, 4, 6, 8, 12, 16, 32) if threads * r % 32 == 0 and threads * r <= 1024] or [32 // threads])
        return self.fields("per_row", "lanes", threads, rows, 1, width, self.vectors(threads, width))

    def cta(self):
        random, width = self.random, self.width()
        most = up(self.vectors(1, width), 32)
        warps = random.choice([w for w in (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32) if w <= most] or [1])
        return self.fields("per_row", "cta", warps * 32, 1, 1, width, self.vectors(warps * 32, width))

    def split(self, scope):
        random, width = self.random, self.width()
        ctas = random.choice((2, 4, 8, 16)) if scope == "cluster" else random.choice((2, 3, 4, 5, 8, 16, 38))
        part = up(self.vectors(1, width), ctas)
        warps = random.choice([w for w in (1, 2, 3, 4, 6, 8, 16) if w <= up(part, 32)] or [1])
        return self.fields("per_row", scope, warps * 32, 1, ctas, width, max(1, up(part, warps * 32)))

    def two_pass(self):
        random, width = self.random, self.width()
        warps = random.choice((1, 2, 3, 4, 8, 20))
        vectors = min(random.choice((1, 1, 2, 3)), self.vectors(warps * 32, width))
        return self.fields("two_pass", "cta", warps * 32, 1, 1, width, vectors)

    def tiles(self):
        random = self.random
        schedule = self.two_pass()
        schedule["rows_per_cta"] = random.choice((1, 2, 3, 8, 64))
        if self.is_new and random.random() < 0.4:
            schedule.update(scope="cluster", ctas_per_row=random.choice((2, 4)))
        return self.persistent(schedule, False)

    def fields(self, kind, scope, threads, rows, ctas, width, vectors):
        random = self.random
        schedule = {"kind": kind, "scope": scope, "threads_per_row": threads, "rows_per_cta": rows, "ctas_per_row": ctas,
                    "vector_width": width, "vectors_per_thread": vectors,
                    "vectors_in_flight": random.choice((vectors, vectors, max(1, vectors // 2), 1)),
                    "invariants": random.choice(("early", "late")), "keep": random.choice(("packed", "computed")),
                    "stores": random.choice(("streaming", "cached"))}
        if self.gathers:
            schedule["slots_in_flight"] = random.randrange(1, max(2, self.slots + 1))
        if random.random() < 0.15:
            schedule["min_ctas"] = random.choice((2, 3))
        if self.is_new and random.random() < 0.2:
            schedule["dependent_launch"] = "true"
        return schedule

    def persistent(self, schedule, may_stage=True):
        random = self.random
        schedule["persistent_ctas"] = schedule["ctas_per_row"] * random.choice((1, 2, 3, 4))
        if schedule["kind"] == "per_row" and schedule["scope"] != "lanes":
            most = max(1, 1024 // schedule["threads_per_row"])
            schedule["rows_per_cta"] = random.randrange(1, min(15, most) + 1)
        if may_stage and schedule["scope"] in ("cta", "cluster") and random.random() < 0.6:
            schedule["stages"] = random.choice((2, 2, 3, 5))
            if random.random() < 0.4:
                schedule["copies"] = "by_thread"
        if self.reduces_columns:
            schedule["finalize_width"] = random.choice((1, 2, 4, 8, 16, 32))
            if random.random() < 0.2:
                schedule["accumulate"] = "atomic"
            if random.random() < (0.5 if schedule["kind"] == "two_pass" else 0.2):
                schedule["accumulators"] = "shared"
        return schedule

    def sample(self):
        """One that asks for no more than a thread may hold, as a rule."""
        for _ in range(20):
            schedule = self.any()
            lanes = self.group // schedule["vector_width"] if self.group else 1
            fits = lanes in (1, 2, 4, 8, 16, 32) and schedule["threads_per_row"] % lanes == 0
            split = (schedule["ctas_per_row"] - 1) * schedule["threads_per_row"] * schedule["vector_width"] * schedule["vectors_per_thread"]
            if fits and split < self.hidden and schedule["vectors_per_thread"] * schedule["vector_width"] <= 96:
                break
        return schedule

    def any(self):
        random = self.random
        if not self.reduces_rows and not self.reduces_columns and random.random() < 0.7:
            return self.per_element()
        clusters = ("cluster", "cluster") if self.is_new else ("cta",)
        kind = random.choice(("lanes", "cta", "cta", "grid", "two_pass", "tiles") + clusters)
        if kind == "tiles":
            return self.tiles()
        schedule = self.split(kind) if kind in ("cluster", "grid") else getattr(self, kind)()
        if kind == "two_pass":
            return self.tiles() if self.reduces_columns else schedule
        if self.reduces_columns or random.random() < 0.4:
            schedule = self.persistent(schedule)
        return schedule


def text_of(schedule):
    return ", ".join(f"{name} = {value}" for name, value in schedule.items())


def pinned(random, text, hidden, slots, target):
    """The graph with a random schedule for most of its kernels, and the schedules."""
    schedules = []

    def pin(match, kernel):
        sampler = Sampler(random, hidden, slots, kernel, target)
        if sampler.scatters and random.random() < 0.5 or random.random() < 0.1:
            schedules.append("chosen")
            return match.group(0)
        schedules.append(text_of(sampler.sample()))
        return f"{match.group(1)} {{schedule = #fastnorm.schedule<{schedules[-1]}>}} :"

    kernels = iter(kernels_of(text))
    return KERNEL.sub(lambda match: pin(match, next(kernels)), text), schedules
