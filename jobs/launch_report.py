# SPDX-License-Identifier: BSD-3-Clause
"""The launch study's part of the report: the second study's figures, graphs by nodes, barriers, and every row."""
import html

import matplotlib.pyplot as plt
import numpy as np


def is_launch(row):
    return row.get("study") == "launch"


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


def us(row):
    s = row["host_seconds"]
    return [1e6 * s[k] for k in ("median", "low", "high")]


def good(rows, *quantities):
    return [r for r in rows if r["problem"]["quantity"] in quantities and r["host_seconds"]["samples"]]


def function_figure(rows, colours, image):
    """Figures 2 to 4 of the study: null kernels, kernels of work units, and what is left, by launch function."""
    panels = [("Figure 2: null kernels", ("null-overhead", "dispatch")), ("Figure 3: wait units", ("fusion-overhead", "dispatch")),
              ("Figure 4: parts of one launch", ("dispatch", "fusion-overhead", "other-overhead", "total-overhead"))]
    plain = [r for r in rows if (r["problem"]["blocks"], r["problem"]["threads"], r["problem"]["argument_bytes"], r["problem"]["devices"])
             == (1, 128, 0, 1)]
    variants = []
    for r in good(plain, "fusion-overhead"):
        if (r["family"], r["variant"]) not in variants:
            variants.append((r["family"], r["variant"]))
    if not variants:
        return None
    figure, axes = plt.subplots(1, 3, figsize=(18, 0.5 * len(variants) + 2.5), sharey=True)
    for panel, (title, quantities) in zip(axes, panels):
        height = 0.8 / len(quantities)
        for k, quantity in enumerate(quantities):
            for y, (family, variant) in enumerate(variants):
                for r in good(plain, quantity):
                    if r["variant"] != variant or r["problem"]["unit"] != "spin":
                        continue
                    median, low, high = us(r)
                    panel.barh(y + (k - (len(quantities) - 1) / 2) * height, median, height, xerr=[[median - low], [high - median]],
                               color=colours.get(family, "black"), alpha=1 - 0.22 * k)
                    panel.annotate(f"{quantity} {median:.2f}", (max(high, 0), y + (k - (len(quantities) - 1) / 2) * height),
                                   xytext=(4, 0), textcoords="offset points", va="center", fontsize=7)
                    break
        panel.set_title(title)
        panel.set_xlabel("µs")
        panel.margins(x=0.3)
    axes[0].set_yticks(range(len(variants)), [v for _, v in variants])
    return image(figure, "the second study's Figures 2 to 4")


def line_figure(rows, axis, label, title, colours, image):
    """One line a variant and quantity over an axis of the problem, where at least three values are there."""
    lines = {}
    for r in rows:
        p = r["problem"]
        key = (r["family"], r["variant"], p["quantity"], p["topology"], p["threads"] if axis != "threads" else "")
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
                           marker="osv^D*PX"[n % 8], markersize=4, linewidth=1, color=colours.get(key[0], "black"),
                           alpha=1 - 0.08 * (n % 8), linestyle="--" if key[3] == "fork" else "-", label=name)
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        panel.set_xlabel(label)
        panel.set_ylabel("µs")
        panel.set_title(quantity)
        panel.grid(alpha=0.3)
        panel.legend(fontsize=6)
    figure.suptitle(title)
    return image(figure, title)


def table(rows):
    lines = ["<table><tr><th>variant</th><th>figure</th><th>shape</th><th>µs</th><th>95 % interval</th><th>check</th></tr>"]
    for r in rows:
        v = r["verification"]
        median, low, high = us(r)
        value = f"<td>{median:.4g}</td><td>[{low:.4g}, {high:.4g}]</td><td>" if v["passed"] else "<td></td><td></td><td class=wrong>FAILED: "
        lines.append(f"<tr><td>{html.escape(r['variant'])}</td><td>{r['problem']['quantity']}</td><td>{html.escape(shape(r['problem']))}"
                     f"</td>{value}{html.escape(v['reference'])}</td></tr>")
    return "\n".join(lines) + "</table>"


def section(rows, colours, image):
    """The body of the report's part on launches."""
    rows = [r for r in rows if is_launch(r)]
    if not rows:
        return []
    body = ["<h2>What launches cost</h2>"]
    graphs = [r for r in rows if r["problem"]["quantity"].startswith("graph-") and r["host_seconds"]["samples"]]
    triple = good(rows, "dispatch", "throughput", "latency", "device-interval")
    for drawn in (function_figure(rows, colours, image),
                  line_figure(graphs, "launches", "nodes", "graphs by nodes", colours, image),
                  line_figure([r for r in triple if r["problem"]["threads"] == 128 and r["problem"]["blocks"] == 1], "argument_bytes",
                              "bytes of arguments or functor", "launches by the size of arguments", colours, image),
                  line_figure([r for r in triple if not r["problem"]["argument_bytes"] and r["problem"]["threads"] == 128], "blocks",
                              "blocks", "launches by blocks", colours, image),
                  line_figure(good(rows, "barrier"), "blocks", "blocks", "barriers by blocks", colours, image),
                  line_figure(good(rows, "copy"), "bytes", "bytes", "kernels that copy", colours, image)):
        if drawn:
            body.append(drawn)
    body.append(f"<details><summary>every figure ({len(rows)})</summary>{table(rows)}</details>")
    body.append("<p class=note>Each figure is a median with its 95 % interval. check: two known delays, 20 µs apart (2 µs for barriers), "
                "injected where the figure must grow by them, and the difference that came back.</p>")
    return body
