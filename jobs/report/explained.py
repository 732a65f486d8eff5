# SPDX-License-Identifier: BSD-3-Clause
"""Waterfalls and rooflines of what 'parity explain --csv FILE' wrote: every time, rate and count here is the program's.

A row of the file has study, variant, problem, precision, measured_s, modelled_s, a column TERM_s for each term of the model, rest_s, reason,
and for a roofline flops, instructions, and bytes and rate (bytes a second) of memory, L2 and L1 where they are known.
"""
import csv

from matplotlib.figure import Figure

from .drawing import COLOURS, INK, WIDE, image, logarithmic
from .records import Failure, grouped

LEVELS = (("memory", "device memory", "-"), ("L2", "L2 cache", "--"), ("L1", "L1 cache", ":"))
# Okabe and Ito's, in an order whose neighbours differ in lightness too; hatches for print without colours.
SHADES = ("#0072B2", "#E69F00", "#56B4E9", "#D55E00", "#009E73", "#F0E442", "#CC79A7", "#999999")
HATCHES = ("", "//", "", "\\\\", "", "..", "", "xx")
WIDEST = 24  # bars of one waterfall
MOST_PROBLEMS = 8
WANTED = "give a file that 'parity explain --csv' wrote"
WORDS = ("study", "variant", "problem", "precision", "mechanism", "reason")


def read(path):
    """(names of the model's terms, rows) of one file; a number that is not known is None."""
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        reader = csv.DictReader(file)
        columns, rows = reader.fieldnames or [], []
        for needed in ("study", "variant", "problem", "measured_s", "modelled_s", "rest_s", "reason"):
            if needed not in columns:
                raise Failure(f"{path}: has no column {needed}; {WANTED}", 2)
        for line in reader:
            row, place = dict(line), f"{path}: line {reader.line_num}"
            for name in columns:
                if name not in WORDS:
                    try:
                        row[name] = float(line[name]) if line[name] else None
                    except ValueError:
                        raise Failure(f"{place}: {name} is '{line[name]}', which is no number; {WANTED}", 2)
            if not (row["measured_s"] or 0) > 0 or row["rest_s"] is None:
                raise Failure(f"{place}: measured_s is no time; {WANTED}", 2)
            rows.append(row)
    if not rows:
        raise Failure(f"{path}: holds no row that was explained", 2)
    return [c.removesuffix("_s") for c in columns if c.endswith("_s") and c not in ("measured_s", "modelled_s", "rest_s")], rows


def waterfall(study, problem, terms, rows):
    """One bar a variant: what of its time each term stands for, and the rest, over its measured time."""
    shown = rows[:WIDEST][::-1]
    figure = Figure(figsize=(WIDE, 0.34 * len(shown) + 1.6), layout="constrained")
    axes = figure.subplots()
    left = [0.0] * len(shown)
    for k, term in enumerate(t for t in terms if any(r[f"{t}_s"] for r in shown)):
        widths = [100 * (r[f"{term}_s"] or 0) / r["measured_s"] for r in shown]
        axes.barh(range(len(shown)), widths, left=left, color=SHADES[k % len(SHADES)], hatch=HATCHES[k % len(HATCHES)], edgecolor="white", linewidth=0.4,
                  label=term)
        left = [a + b for a, b in zip(left, widths)]
    axes.barh(range(len(shown)), [100 * r["rest_s"] / r["measured_s"] for r in shown], left=left, color="none", edgecolor=INK, linewidth=0.9, label="rest")
    axes.axvline(100, color=INK, linewidth=1)
    axes.set_yticks(range(len(shown)), [r["variant"] for r in shown], fontsize=8)
    axes.set_xlabel("% of the measured time")
    axes.set_title(f"{study}, {problem}" + (f" (the {WIDEST} fastest of {len(rows)})" if len(rows) > WIDEST else ""))
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))
    return figure


def roofline(study, precision, rows):
    """Operations a second over operations a byte of device memory, beneath the rates of the levels of memory."""
    figure = Figure(figsize=(WIDE, 5.3), layout="constrained")
    axes = figure.subplots()
    at = [r["flops"] / r["memory_bytes"] for r in rows]
    ends = min(at) / 2, max(at) * 2
    for level, words, style in LEVELS:
        if rate := max((r.get(f"{level}_rate") or 0 for r in rows)):
            axes.plot(ends, [1e-9 * rate * x for x in ends], style, color=INK, linewidth=1, label=f"{words}: {1e-12 * rate:.3g} TB/s")
    for family, found in grouped(zip(at, rows), lambda x: x[1]["variant"].split("-")[0]).items():
        axes.plot([x for x, _ in found], [1e-9 * r["flops"] / r["measured_s"] for _, r in found], {"kokkos": "o", "cuda": "s", "openmp": "^"}.get(family, "D"),
                  color=COLOURS.get(family, INK), markersize=4, alpha=0.7, label=family)
    logarithmic(axes)
    axes.set_xlabel("operations a byte of device memory")
    axes.set_ylabel("Gflop/s")
    axes.set_title(f"{study}, {precision}: the largest rate of each level that a copy was measured at")
    axes.legend(fontsize=8)
    return figure


def figures(paths):
    """[(title, note, image)] of files; nothing without any."""
    made = []
    for path in paths:
        terms, rows = read(path)
        can = grouped([r for r in rows if r.get("flops") and r.get("memory_bytes")], lambda r: (r["study"], r.get("precision", "")))
        made += [(f"Roofline: {study}, {precision}", f"{len(found)} rows of {path}",
                  image(roofline(study, precision, found), f"roofline of {study}, {precision}"))
                 for (study, precision), found in sorted(can.items())]
        # Those with the most rows first and of these the longest; of each the fastest row first.
        problems = sorted(grouped(rows, lambda r: (r["study"], r["problem"])).items(), key=lambda x: (-len(x[1]), -max(r["measured_s"] for r in x[1]), x[0]))
        for (study, problem), found in problems[:MOST_PROBLEMS]:
            far = sum(r["reason"] == "not explained" for r in found)
            made.append((f"Where the time goes: {study}, {problem}", f"{len(found)} rows of {path}, {far} of them not explained",
                         image(waterfall(study, problem, terms, sorted(found, key=lambda r: r["measured_s"])), f"waterfall of {study}, {problem}")))
        if len(problems) > MOST_PROBLEMS:
            title, note, drawn = made[-1]
            made[-1] = (title, f"{note}; {len(problems) - MOST_PROBLEMS} problems with fewer rows are in the file alone", drawn)
    return made
