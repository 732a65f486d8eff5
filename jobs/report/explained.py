# SPDX-License-Identifier: BSD-3-Clause
"""Waterfalls and rooflines of what 'parity explain --csv FILE' wrote: every time, rate and count here is the program's.

A row of the file has study, variant, problem, precision, measured_s, modelled_s, a column TERM_s for each term of the model, rest_s, reason,
and for a roofline flops, instructions, and bytes and rate (bytes a second) of memory, L2 and L1 where they are known.
"""
import csv
import dataclasses

from matplotlib.figure import Figure

from .drawing import COLOURS, image, logarithmic
from .records import Failure

LEVELS = (("memory", "device memory", "-"), ("L2", "L2 cache", "--"), ("L1", "L1 cache", ":"))
# Okabe and Ito's, in an order whose neighbours differ in lightness too; hatches for print without colours.
SHADES = ("#0072B2", "#E69F00", "#56B4E9", "#D55E00", "#009E73", "#F0E442", "#CC79A7", "#999999")
HATCHES = ("", "//", "", "\\\\", "", "..", "", "xx")
WIDEST = 24  # bars of one waterfall
MOST_PROBLEMS = 8


@dataclasses.dataclass(frozen=True)
class Row:
    study: str
    variant: str
    problem: str
    precision: str
    measured: float  # seconds
    terms: dict  # name -> seconds
    rest: float  # seconds; negative where the model says more than was measured
    reason: str
    known: dict  # flops, instructions, memory_bytes, memory_rate, ...; those that are known

    @property
    def family(self):
        return self.variant.split("-")[0]


def number(text, name, place):
    try:
        return float(text)
    except (TypeError, ValueError):
        raise Failure(f"{place}: {name} is '{text}', which is no number; give a file that 'parity explain --csv' wrote", 2)


def read(path):
    """The rows of one file."""
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        reader = csv.DictReader(file)
        columns = reader.fieldnames or []
        missing = [c for c in ("study", "variant", "problem", "measured_s", "modelled_s", "rest_s", "reason") if c not in columns]
        if missing:
            raise Failure(f"{path}: has no column {missing[0]}; give a file that 'parity explain --csv' wrote", 2)
        terms = [c for c in columns if c.endswith("_s") and c not in ("measured_s", "modelled_s", "rest_s")]
        rows = []
        for line in reader:
            place = f"{path}: line {reader.line_num}"
            if not number(line["measured_s"], "measured_s", place) > 0:
                raise Failure(f"{place}: measured_s is no time; give a file that 'parity explain --csv' wrote", 2)
            known = {c: number(line[c], c, place) for level, _, _ in LEVELS for c in (f"{level}_bytes", f"{level}_rate") if line.get(c)}
            known.update({c: number(line[c], c, place) for c in ("flops", "instructions") if line.get(c)})
            rows.append(Row(line["study"], line["variant"], line["problem"], line.get("precision", ""), number(line["measured_s"], "measured_s", place),
                            {c.removesuffix("_s"): number(line[c], c, place) for c in terms}, number(line["rest_s"], "rest_s", place), line["reason"], known))
    if not rows:
        raise Failure(f"{path}: holds no row that was explained", 2)
    return rows


def problems(rows):
    """[(study, problem, rows)], those with the most rows first and of these the longest; of each the fastest row first."""
    found = {}
    for r in rows:
        found.setdefault((r.study, r.problem), []).append(r)
    return [(*key, sorted(group, key=lambda r: r.measured)) for key, group in sorted(found.items(), key=lambda x: (-len(x[1]), -max(r.measured for r in x[1]), x[0]))]


def waterfall(study, problem, rows):
    """One bar a variant: what of its time each term stands for, and the rest, over its measured time."""
    shown = rows[:WIDEST][::-1]
    terms = [t for t in shown[0].terms if any(r.terms[t] > 0 for r in shown)]
    figure = Figure(figsize=(11, 0.34 * len(shown) + 1.6), layout="constrained")
    axes = figure.subplots()
    left = [0.0] * len(shown)
    for k, term in enumerate(terms):
        widths = [100 * r.terms[term] / r.measured for r in shown]
        axes.barh(range(len(shown)), widths, left=left, color=SHADES[k % len(SHADES)], hatch=HATCHES[k % len(HATCHES)], edgecolor="white", linewidth=0.4,
                  label=term)
        left = [a + b for a, b in zip(left, widths)]
    rest = [100 * r.rest / r.measured for r in shown]
    axes.barh(range(len(shown)), rest, left=left, color="none", edgecolor="black", linewidth=0.9, label="rest")
    axes.axvline(100, color="black", linewidth=1)
    axes.set_yticks(range(len(shown)), [r.variant for r in shown], fontsize=8)
    axes.set_xlabel("% of the measured time")
    axes.set_title(f"{study}, {problem}" + (f" (the {WIDEST} fastest of {len(rows)})" if len(rows) > WIDEST else ""))
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))
    return image(figure, f"waterfall of {study}, {problem}")


def roofline(study, precision, rows):
    """Operations a second over operations a byte of device memory, beneath the rates of the levels of memory."""
    figure = Figure(figsize=(10, 6), layout="constrained")
    axes = figure.subplots()
    intensities = [r.known["flops"] / r.known["memory_bytes"] for r in rows]
    low, high = min(intensities) / 2, max(intensities) * 2
    for level, words, style in LEVELS:
        rates = [r.known[f"{level}_rate"] for r in rows if f"{level}_rate" in r.known]
        if rates:
            axes.plot([low, high], [1e-9 * max(rates) * low, 1e-9 * max(rates) * high], style, color="black", linewidth=1,
                      label=f"{words}: {1e-12 * max(rates):.3g} TB/s")
    drawn = set()
    for r, x in zip(rows, intensities):
        axes.plot(x, 1e-9 * r.known["flops"] / r.measured, {"kokkos": "o", "cuda": "s", "openmp": "^"}.get(r.family, "D"), color=COLOURS.get(r.family, "black"),
                  markersize=4, alpha=0.7, label=None if r.family in drawn else r.family)
        drawn.add(r.family)
    logarithmic(axes)
    axes.set_xlabel("operations a byte of device memory")
    axes.set_ylabel("Gflop/s")
    axes.set_title(f"{study}, {precision}: the largest rate of each level that a copy was measured at")
    axes.legend(fontsize=8)
    return image(figure, f"roofline of {study}, {precision}")


def figures(paths):
    """[(title, note, image)] of files; nothing without any."""
    made = []
    for path in paths:
        rows = read(path)
        can = {}
        for r in rows:
            if r.known.get("flops") and r.known.get("memory_bytes"):
                can.setdefault((r.study, r.precision), []).append(r)
        made += [(f"Roofline: {study}, {precision}", f"{len(found)} rows of {path}", roofline(study, precision, found))
                 for (study, precision), found in sorted(can.items())]
        groups = problems(rows)
        for study, problem, found in groups[:MOST_PROBLEMS]:
            far = sum(r.reason == "not explained" for r in found)
            made.append((f"Where the time goes: {study}, {problem}", f"{len(found)} rows of {path}, {far} of them not explained",
                         waterfall(study, problem, found)))
        if len(groups) > MOST_PROBLEMS:
            title, note, drawn = made[-1]
            made[-1] = (title, f"{note}; {len(groups) - MOST_PROBLEMS} problems with fewer rows are in the file alone", drawn)
    return made
