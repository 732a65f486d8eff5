# SPDX-License-Identifier: BSD-3-Clause
"""The launch study's part: figures of Zhang, Wahib and Matsuoka, graphs by nodes, barriers, and every row."""
import html

import numpy as np

from . import comparison
from .drawing import colour, image, panels, plt


def us(row):
    return row.host.scaled(1e6)


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


def good(rows, *quantities):
    return [r for r in rows if r.problem["quantity"] in quantities and r.host]


def function_figure(rows):
    """Their Figures 2 to 4: null kernels, kernels of work units, and what is left, by launch function."""
    drawn = [("Figure 2: null kernels", ("null-overhead", "dispatch")), ("Figure 3: wait units", ("fusion-overhead", "dispatch")),
             ("Figure 4: parts of one launch", ("dispatch", "fusion-overhead", "other-overhead", "total-overhead"))]
    plain = [r for r in rows if tuple(r.problem[k] for k in ("blocks", "threads", "argument_bytes", "devices")) == (1, 128, 0, 1)]
    variants = list(dict.fromkeys((r.family, r.variant) for r in good(plain, "fusion-overhead")))
    if not variants:
        return None
    figure, axes = plt.subplots(1, 3, figsize=(18, 0.5 * len(variants) + 2.5), sharey=True)
    for panel, (title, quantities) in zip(axes, drawn):
        height = 0.8 / len(quantities)
        for k, quantity in enumerate(quantities):
            for y, (family, variant) in enumerate(variants):
                r = next((r for r in good(plain, quantity) if r.variant == variant and r.problem["unit"] == "spin"), None)
                if r is None:
                    continue
                median, low, high = us(r)
                place = y + (k - (len(quantities) - 1) / 2) * height
                panel.barh(place, median, height, xerr=[[median - low], [high - median]], color=colour(family), alpha=1 - 0.22 * k)
                panel.annotate(f"{quantity} {median:.2f}", (max(high, 0), place), xytext=(4, 0), textcoords="offset points",
                               va="center", fontsize=7)
        panel.set_title(title)
        panel.set_xlabel("µs")
        panel.margins(x=0.3)
    axes[0].set_yticks(range(len(variants)), [v for _, v in variants])
    return image(figure, "Figures 2 to 4 of Zhang, Wahib and Matsuoka")


def line_figure(rows, axis, label, title):
    """One line a variant and quantity over an axis of the problem, where at least three values are there."""
    lines = {}
    for r in rows:
        p = r.problem
        key = (r.family, r.variant, p["quantity"], p["topology"], p["threads"] if axis != "threads" else "")
        lines.setdefault(key, {})[p[axis]] = us(r)
    lines = {k: v for k, v in lines.items() if len(v) > 2}
    if not lines:
        return None
    quantities = sorted({k[2] for k in lines})
    figure, axes = plt.subplots(1, len(quantities), figsize=(5 * len(quantities) + 2, 5), squeeze=False)
    for panel, quantity in zip(axes[0], quantities):
        for n, (key, values) in enumerate(sorted(kv for kv in lines.items() if kv[0][2] == quantity)):
            xs = sorted(values)
            median = np.array([values[x] for x in xs])
            name = key[1] + (" fork" if key[3] == "fork" else "") + (f" {key[4]} threads" if quantity == "barrier" and key[4] else "")
            panel.errorbar([max(x, 1) for x in xs], median[:, 0], yerr=[median[:, 0] - median[:, 1], median[:, 2] - median[:, 0]],
                           marker="osv^D*PX"[n % 8], markersize=4, linewidth=1, color=colour(key[0]), alpha=1 - 0.08 * (n % 8),
                           linestyle="--" if key[3] == "fork" else "-", label=name)
        panels(panel, label, "µs")
        panel.set_title(quantity)
        panel.legend(fontsize=6)
    figure.suptitle(title)
    return image(figure, title)


def table(rows):
    lines = ["<table><tr><th>variant</th><th>figure</th><th>shape</th><th>µs</th><th>95 % interval</th><th>check</th></tr>"]
    for r in rows:
        value = (f"<td>{1e6 * r.host.value:.4g}</td><td>{r.host.interval('.4g', 1e6)}</td><td>" if r.passed else
                 "<td></td><td></td><td class=wrong>FAILED: ")
        lines.append(f"<tr><td>{html.escape(r.variant)}</td><td>{r.problem['quantity']}</td><td>{html.escape(shape(r.problem))}"
                     f"</td>{value}{html.escape(r.reference)}</td></tr>")
    return "\n".join(lines) + "</table>"


def pair_name(p):
    return f"{p.portable.problem['quantity']} {shape(p.portable.problem)}"


def section(rows, pairs):
    """The body of the report's part on launches."""
    if not rows:
        return []
    graphs = [r for r in rows if r.problem["quantity"].startswith("graph-") and r.host]
    triple = good(rows, "dispatch", "throughput", "latency", "device-interval")
    one_block = [r for r in triple if r.problem["threads"] == 128 and r.problem["blocks"] == 1]
    no_argument = [r for r in triple if not r.problem["argument_bytes"] and r.problem["threads"] == 128]
    figures = [function_figure(rows), line_figure(graphs, "launches", "nodes", "graphs by nodes"),
               line_figure(one_block, "argument_bytes", "bytes of arguments or functor", "launches by the size of arguments"),
               line_figure(no_argument, "blocks", "blocks", "launches by blocks"),
               line_figure(good(rows, "barrier"), "blocks", "blocks", "barriers by blocks"),
               line_figure(good(rows, "copy"), "bytes", "bytes", "kernels that copy")]
    return ["<h2>What launches cost</h2>", *filter(None, figures), comparison.pairs(pairs, pair_name),
            f"<details><summary>every figure ({len(rows)})</summary>{table(rows)}</details>",
            "<p class=note>Each figure comes with its 95 % interval, which holds the figure of the next run. check: two known delays, 20 µs apart (2 µs for barriers), "
            "injected where the figure must grow by them, and the difference that came back.</p>"]
