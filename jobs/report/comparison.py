# SPDX-License-Identifier: BSD-3-Clause
"""One problem: a bar a variant, the table of its rows, and its pairs."""
import html

import numpy as np

from . import studies
from .drawing import COLOURS, colour, image, plain_ticks, plt


def bars(rows, title):
    """One bar a variant, with its interval."""
    rows = sorted((r for r in rows if r.timed), key=lambda r: -r.time.value)
    times = np.array([r.result.ends for r in rows])
    figure, axes = plt.subplots(figsize=(10, 0.42 * len(rows) + 1.4))
    axes.barh(range(len(rows)), times[:, 0], xerr=[times[:, 0] - times[:, 1], times[:, 2] - times[:, 0]],
              color=[colour(r.family) for r in rows], error_kw={"capsize": 3})
    axes.set_yticks(range(len(rows)), [r.name for r in rows])
    axes.set_xscale("log")
    plain_ticks(axes.xaxis)
    axes.set_xlim(times[times > 0].min() / 3, times.max() * 3)
    for k, (median, _, high) in enumerate(times):
        axes.annotate(f"{median:,.0f}" if median >= 1000 else f"{median:.3g}", (high, k), xytext=(6, 0),
                      textcoords="offset points", va="center", fontsize=9)
    axes.set_xlabel(f"{studies.unit(rows[0].study)} (95 % interval; less is better)")
    axes.set_title(title)
    families = [f for f in COLOURS if any(r.family == f for r in rows)]
    axes.legend([plt.Rectangle((0, 0), 1, 1, color=COLOURS[f]) for f in families], families, loc="upper right")
    return image(figure, "time of each variant")


def columns_of(rows):
    found = {}
    for r in rows:
        for m in r.metrics:
            found.setdefault(m.name, m.name if m.unit == "1" else f"{m.name} {m.unit}")
    return found


def cells(values, tag="td"):
    return "<tr>" + "".join(f"<{tag}>{html.escape(v)}</{tag}>" for v in values) + "</tr>"


def table(rows):
    """All rows of one run and problem."""
    bases = [r.name for r in rows if r.is_baseline]
    columns = columns_of(rows)
    against = "vs " + "".join(bases[:1])
    lines = ["<div class=wide><table>",
             cells(["variant", "time ms", *columns.values(), against, "setup ms", "capture ms", "end to end ms", "error", "verdict"], "th")]
    for r in sorted(rows, key=lambda r: r.time.value if r.timed else float("inf")):
        if not r.timed:
            verdict = "<td>no time</td>" if r.passed else "<td class=wrong>WRONG</td>"
            lines.append(f"<tr><td>{html.escape(r.name)}</td><td colspan={len(columns) + 5}></td><td>{r.error:.1e}</td>{verdict}</tr>")
            continue
        texts = {m.name: m.text for m in r.metrics}
        lines.append(cells([r.name, f"{1e3 * r.time.value:.4g}", *(texts.get(c, "-") for c in columns),
                            r.against, f"{1e3 * r.setup:.3g}", f"{1e3 * r.capture:.3g}",
                            f"{1e3 * r.end_to_end:.4g}", f"{r.error:.1e}", "ok"]))
    return "\n".join(lines) + "</table></div>"


def pairs(found, place=None):
    """What 'parity findings' prints of the same records; place(pair) says which problem, where there are several."""
    if not found:
        return ""
    columns = ["portable", "native", "native time / portable time", "portable - native, ns", *(["of"] if place else [])]
    lines = ["<h4>portable / native</h4><div class=wide><table class=pairs>", cells(columns, "th")]
    for p in found:
        lines.append(cells([p.portable.name, p.native.name, p.text, p.difference.text("+.0f", 1e9),
                            *([place(p)] if place else [])]))
    return "\n".join(lines) + "</table></div>"
