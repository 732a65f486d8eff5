# SPDX-License-Identifier: BSD-3-Clause
"""The picture of the pairs: native time / portable time of what a user writes first and of the best portable row, beside 1, which is
parity. One group a run and problem, so that runs and devices never share a picture."""
import dataclasses
import math

from . import launches, studies


@dataclasses.dataclass(frozen=True)
class Mark:
    """One ratio in a row."""

    side: str  # "idiomatic" or "best"
    pair: object

    @property
    def values(self):
        return self.pair.ratio.ends

    @property
    def tip(self):
        p, n = self.pair.portable, self.pair.native
        return (f"{p.name} / {n.name}: {self.pair.text}; {1e6 * p.time.value:.4g} µs / {1e6 * n.time.value:.4g} µs"
                f" ({'what a user writes first' if self.side == 'idiomatic' else 'an expert wrote it' if p.expert else 'the best portable row'})")


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    marks: list

    @property
    def order(self):
        return self.marks[0].values[0]


@dataclasses.dataclass(frozen=True)
class Group:
    run: object
    study: str
    problem: str
    rows: list

    @property
    def title(self):
        return f"{studies.title(self.study)}, {self.problem}"

    @property
    def range(self):
        """Ends of the axis; an interval that is wider than the values are apart is cut."""
        values = [m.values for r in self.rows for m in r.marks]
        least, most = min(v[0] for v in values), max(v[0] for v in values)
        low = max(min(v[1] for v in values if v[1] > 0) if any(v[1] > 0 for v in values) else least, least / 2)
        return min(low, 0.9) / 1.04, max(min(max(v[2] for v in values), 2 * most), 1.1) * 1.04

    @property
    def ticks(self):
        low, high = self.range
        steps = [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20, 50] if high / low > 4 else [k / 10 for k in range(1, 21)]
        fine = [t for t in steps if low <= t <= high]
        return fine if len(fine) <= 9 else [t for t in fine if round(10 * t) % 2 == 0]

    def place(self, value):
        """Per cent of the axis, logarithmic, with one digit more than a screen shows."""
        low, high = self.range
        if value <= 0:
            return -5.0
        return round(100 * math.log(value / low) / math.log(high / low), 2)


def row_of(column):
    best = Mark("best", column.best)
    name = column.best.native.variant
    if column.best.native.study == "launch":
        name = f"{column.best.portable.variant} / {name}, {launches.shape(column.best.native.problem)}"
    if column.idiomatic is None or column.idiomatic is column.best:
        return Row(name, [best if column.best.portable.expert else Mark("idiomatic", column.best)])
    return Row(name, [Mark("idiomatic", column.idiomatic), best])


def groups(records):
    """In the order of their runs, the latest first."""
    runs = {r.id: r for r in records.runs}
    found = {}
    for c in records.columns:
        m = c.best.native
        if not all(0 < v < 1e6 for v in (c.best.ratio.value, (c.idiomatic or c.best).ratio.value)):
            continue  # no ratio of two times
        problem = f"{m.problem['quantity']}" if m.study == "launch" else studies.problem(m)
        found.setdefault((m.run, m.study, problem), []).append(row_of(c))
    made = [Group(runs[run], study, problem, sorted(rows, key=lambda r: (r.order, r.name))) for (run, study, problem), rows in found.items()]
    # Sorting keeps the order of what is alike: problems as they were measured.
    return sorted(made, key=lambda g: g.run.time, reverse=True)


def first(found):
    """The group that a reader sees first: the most kernels with both sides and intervals, then the latest run, then the longest times."""
    def weight(g):
        both = [r for r in g.rows if len(r.marks) == 2]
        return sum(all(m.pair.ratio.low is not None for m in r.marks) for r in both), len(both), g.run.time, sum(r.marks[0].pair.native.time.value for r in g.rows)

    return max(found, key=weight, default=None)
