# SPDX-License-Identifier: BSD-3-Clause
"""The launch study's part: figures of Zhang, Wahib and Matsuoka, graphs by nodes, barriers, and every row."""
import html

import numpy as np

from . import comparison
from .drawing import colour, image, panels, plt


def us(row):
    return row.result.ends


def shape(p):
    text = f"{p['blocks']}x{p['threads']}, x{p['launches']}"
    if p["argument_bytes"]:
        text += f", {p['argument_bytes']} B"
    if p["topology"] == "fork":
        text += ", fork"
    if p["devices"] > 1:
        text += f", {p['devices']} GPUs"
    if p["quantity"] == "copy":
        text += f", {p['bytes']} B copied"
    if p["quantity"] in ("fusion-overhead", "total-overhead", "other-overhead"):
        text += f", {p['units']} x {p['unit_ns']} ns {p['unit']}"
    return text


def function_figure(origin):
    """Their Figures 2 to 4: null kernels, kernels of work units, and what is left, by launch function."""
    drawn = [("Figure 2: null kernels", ("null-overhead", "dispatch")), ("Figure 3: wait units", ("fusion-overhead", "dispatch")),
             ("Figure 4: parts of one launch", ("dispatch", "fusion-overhead", "other-overhead", "total-overhead"))]
    functions = [(variant, found) for variant, unit, found in origin.functions if unit == "spin" and "fusion-overhead" in found]
    if not functions:
        return None
    figure, axes = plt.subplots(1, 3, figsize=(18, 0.5 * len(functions) + 2.5), sharey=True)
    for panel, (panel_title, quantities) in zip(axes, drawn):
        height = 0.8 / len(quantities)
        for k, quantity in enumerate(quantities):
            for y, (_, found) in enumerate(functions):
                if quantity not in found:
                    continue
                value, low, high = us(found[quantity])
                place = y + (k - (len(quantities) - 1) / 2) * height
                panel.barh(place, value, height, xerr=[[value - low], [high - value]], color=colour(found[quantity].family), alpha=1 - 0.22 * k)
                panel.annotate(f"{quantity} {value:.2f}", (max(high, 0), place), xytext=(4, 0), textcoords="offset points",
                               va="center", fontsize=7)
        panel.set_title(panel_title)
        panel.set_xlabel("µs")
        panel.margins(x=0.3)
    axes[0].set_yticks(range(len(functions)), [v for v, _ in functions])
    return image(figure, "Figures 2 to 4 of Zhang, Wahib and Matsuoka")


def line_figure(sweep):
    """A panel a quantity; a line where there are at least three values."""
    lines = [line for line in sweep.lines if len(line.points) > 2]
    if not lines:
        return None
    by_quantity = {}
    for line in lines:
        by_quantity.setdefault(line.points[0][1].problem["quantity"], []).append(line)
    figure, axes = plt.subplots(1, len(by_quantity), figsize=(5 * len(by_quantity) + 2, 5), squeeze=False)
    for panel, quantity in zip(axes[0], sorted(by_quantity)):
        for n, line in enumerate(sorted(by_quantity[quantity], key=lambda x: (x.points[0][1].family, x.variant, x.common, x.column))):
            values = np.array([us(r) for _, r in line.points])
            words = [line.variant, "" if line.common == "line" else line.common, "" if line.column == quantity else f"{line.column.strip()} threads"]
            panel.errorbar([max(x, 1) for x, _ in line.points], values[:, 0], yerr=[values[:, 0] - values[:, 1], values[:, 2] - values[:, 0]],
                           marker="osv^D*PX"[n % 8], markersize=4, linewidth=1, color=colour(line.points[0][1].family),
                           alpha=1 - 0.08 * (n % 8), linestyle="--" if line.common == "fork" else "-", label=" ".join(filter(None, words)))
        panels(panel, sweep.axis, "µs")
        panel.set_title(quantity)
        panel.legend(fontsize=6)
    figure.suptitle(sweep.title)
    return image(figure, sweep.title)


def table(rows):
    lines = ["<div class=wide><table><tr><th>variant</th><th>quantity</th><th>shape</th><th>µs</th><th>95 % interval</th><th>check</th></tr>"]
    for r in rows:
        value = (f"<td>{1e6 * r.time.value:.4g}</td><td>{r.time.interval('.4g', 1e6)}</td><td class=check>" if r.passed else
                 "<td></td><td></td><td class='check wrong'>FAILED: ")
        lines.append(f"<tr><td>{html.escape(r.variant)}</td><td>{r.problem['quantity']}</td><td>{html.escape(shape(r.problem))}"
                     f"</td>{value}{html.escape(r.reference)}</td></tr>")
    return "\n".join(lines) + "</table></div>"


def pair_name(p):
    return f"{p.portable.problem['quantity']} {shape(p.portable.problem)}"


def figures(origin):
    """(title, image)"""
    drawn = [("Figures 2 to 4 of Zhang, Wahib and Matsuoka", function_figure(origin))]
    drawn += [(sweep.title, line_figure(sweep)) for sweep in origin.sweeps]
    return [(title, image) for title, image in drawn if image]


def section(rows, pairs):
    """The tables of one commit and device."""
    if not rows:
        return ""
    return (comparison.pairs(pairs, pair_name) + f"<details><summary>every quantity ({len(rows)})</summary>{table(rows)}</details>"
            "<p class=note>Each quantity comes with its 95 % interval, which is made to hold the value of the next run. check: two known "
            "delays, 20 µs apart (2 µs for barriers), injected where the quantity must grow by them, and the difference that came back.</p>")
