# SPDX-License-Identifier: BSD-3-Clause
"""Draws the figures that 'parity export' describes as SVG: lines of points over logarithmic axes, and named rows of marks, each with its
95 % interval."""
import html
import io
import math
import re
import warnings

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

warnings.filterwarnings("ignore", module="matplotlib")  # a figure without room for its names is no matter for the terminal
# Names are no formulas; text stays text; the same records make the same file.
matplotlib.rcParams.update({"text.parse_math": False, "svg.fonttype": "none", "svg.hashsalt": "parity", "font.sans-serif": ["DejaVu Sans"], "font.size": 9})

# Okabe and Ito's, which colour-blind readers tell apart.
COLOURS = {"kokkos": "#0072B2", "openmp": "#E69F00", "cuda": "#009E73", "cupy": "#CC79A7", "reference": "#7f7f7f"}
SHADES = {"kokkos": "Blues", "openmp": "Oranges", "cuda": "Greens", "cupy": "Purples", "reference": "Greys"}
MARKERS = "osv^D*PX<>phd"
FIRST, BEST = "first version", "tuned Kokkos"
CELLS = ("Kokkos, first version", "Kokkos, tuned", "native, first version", "native, tuned")
KINDS = [("o", "white", "#0b5fa5"), ("o", "#0b5fa5", "#0b5fa5"), ("D", "white", "#b35900"), ("D", "#b35900", "#b35900")]  # marker, face, edge
LEAST, MOST = 1e-15, 1e15  # beyond these an axis has no numbers
# Names that nothing refers to, styles that say nothing, digits that no screen shows; and marks that share a style.
LEFT_OUT = [(re.compile(pattern, re.DOTALL), short) for pattern, short in (
    (r"^<\?xml.*?(?=<svg)", ""), (r' id="[A-Za-z0-9.]+_\d+"', ""), (r"\n\s*", " "), (r"(\d\.\d\d)\d+", r"\1"), (r' transform="rotate\(-?0 [^"]*"', ""),
    (r"font-family: 'DejaVu Sans', sans-serif; ", ""))]
MARKS = re.compile(r'<g (clip-path="[^"]*")>((?: <use [^>]*? style="([^"]*)"/>)(?: <use [^>]*? style="\3"/>)*) </g>')


def svg_of(figure, text):
    """The figure as text, in which no two figures of one page share a name."""
    out = io.StringIO()
    matplotlib.rcParams["svg.hashsalt"] = text
    figure.savefig(out, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    drawn = out.getvalue()
    for pattern, short in LEFT_OUT:
        drawn = pattern.sub(short, drawn)
    drawn = MARKS.sub(lambda m: f'<g {m[1]} style="{m[3]}">' + m[2].replace(f' style="{m[3]}"', "") + "</g>", drawn)
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{html.escape(text)}" font-family="sans-serif" ', 1)


def image(figure, text):
    """The figure as an element of the page."""
    return f"<div class=wide>{svg_of(figure, text)}</div>"


def short(value):
    """A number short enough to stand beside others on an axis: 0.01, 65536, 268M."""
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if 1e5 <= abs(value) < 1e12 and abs(value) >= factor:
            return f"{value / factor:.0f}{letter}" if abs(value) >= 100 * factor else f"{value / factor:.3g}{letter}"
    return f"{value:g}"


def plain_ticks(axis):
    """Numbers at all ticks of powers, and at some between them if there are hardly any such."""
    def between(value, _):
        low, high = sorted(axis.get_view_interval())
        return short(value) if high < 100 * low and f"{value:e}"[0] in "25" else ""

    axis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))
    axis.set_minor_formatter(FuncFormatter(between))


def logarithmic(axes, base=10):
    axes.set_xscale("log", base=base)
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        plain_ticks(axis)
    axes.grid(alpha=0.3)


def draw_points(axes, at, points, upright, color, **style):
    """Values at places, each with its interval as a line; no line without an interval."""
    ends = [(place, end) for place, (_, _, low, high) in zip(at, points) if low is not None and high is not None for end in (low, high, math.nan)]
    values = at, [p[1] for p in points]
    axes.plot(*(values if upright else values[::-1]), color=color, **style)
    if ends:
        axes.plot(*(zip(*ends) if upright else reversed(list(zip(*ends)))), color=color, linewidth=1.3, solid_capstyle="butt", gid="intervals")


def colours_of(lines):
    """A shade of its family's colour for each line; lines of no family run through one map."""
    places = {}
    for line in lines:
        places.setdefault(line.get("family"), []).append(line["label"])

    def colour(line):
        family = line.get("family")
        part = places[family].index(line["label"]) / len(places[family])
        return matplotlib.colormaps[SHADES.get(family, "Greys")](1 - 0.6 * part) if family else matplotlib.colormaps["viridis"](part)

    return colour


def draw_lines(axes, panel):
    colour = colours_of(panel["lines"])
    for k, line in enumerate(panel["lines"]):
        points = [p for p in line["points"] if p[0] is not None and p[1] is not None and LEAST < p[0] < MOST and LEAST < p[1] < MOST]
        if points:
            draw_points(axes, [p[0] for p in points], points, True, colour(line), marker=MARKERS[k % len(MARKERS)], markersize=3, linewidth=1,
                        linestyle="--" if line.get("dashed") else "-", label=line["label"])
    logarithmic(axes, 2)
    axes.set_xlabel(panel["x"])
    axes.set_ylabel(panel["y"])


def draw_rows(axes, panel, labels):
    """A row of marks for each name, their values beside the axis."""
    beside = any(len(r["marks"]) > 1 for r in panel["rows"])
    for k, label in enumerate(labels):
        marks = [(y + beside * 0.16 * (k - (len(labels) - 1) / 2), m) for y, r in enumerate(panel["rows"]) for m in r["marks"] if m["label"] == label]
        if not marks:
            continue
        marker, face, edge = KINDS[k % len(KINDS)]
        draw_points(axes, [y for y, _ in marks], [m["point"] for _, m in marks], False, edge, marker=marker, markersize=5, markerfacecolor=face, linestyle="",
                    zorder=3, label=label)
        for y, m in marks:
            if "text" in m:
                axes.annotate(m["text"], (1, round(y)), (8 + beside * 36 * k, 0), axes.get_yaxis_transform(), "offset points", va="center", color=edge,
                              url=m.get("address"))
    axes.set_yticks(range(len(panel["rows"])), [r["name"] for r in panel["rows"]])
    axes.set_ylim(len(panel["rows"]) - 0.5, -0.5)
    axes.set_xlabel(panel["x"])
    axes.grid(alpha=0.3)
    if panel.get("log"):
        values = [m["point"] for r in panel["rows"] for m in r["marks"]]
        least, most = min(p[1] for p in values), max(p[1] for p in values)
        # An interval that is wider than the values are apart is cut.
        low = max(min([p[2] for p in values if p[2] and p[2] > 0], default=least), least / 2)
        high = min(max([p[3] for p in values if p[3]], default=most), 2 * most)
        near = (0.9, 1.1) if panel.get("reference") else (low, high)
        axes.set_xscale("log")
        axes.set_xlim(min(low, near[0]) / 1.04, max(high, near[1]) * 1.04)
        plain_ticks(axes.xaxis)
    if panel.get("reference"):
        axes.axvline(panel["reference"], color="#555", linewidth=1, linestyle="--")


def figure_of(found):
    """A matplotlib figure of one that is described as JSON."""
    panels = found["panels"]
    if "rows" in panels[0]:
        labels = found.get("labels") or list(dict.fromkeys(m["label"] for p in panels for r in p["rows"] for m in r["marks"]))
        figure = Figure(figsize=(5 * len(panels) + 5, 0.26 * max(len(p["rows"]) for p in panels) + 1.4), layout="constrained")
        for axes, panel in zip(figure.subplots(1, len(panels), sharey=True, squeeze=False)[0], panels):
            draw_rows(axes, panel, labels)
            axes.set_title(panel.get("title", ""), fontsize=9)
        shown = {name: handle for axes in figure.axes for handle, name in zip(*axes.get_legend_handles_labels())}
        figure.legend(shown.values(), shown.keys(), fontsize=8, loc="outside upper left", ncols=4, frameon=False)
        return figure
    names = [[line["label"] for line in p["lines"]] for p in panels]
    alike, across = all(n == names[0] for n in names), min(len(panels), 3)
    down = -(-len(panels) // across)
    figure = Figure(figsize=(max(5 * across, 8) + 2.5, max(4.6 * down, 0.17 * len(names[0]) if alike else 0)), layout="constrained")
    figure.suptitle(found["title"], fontsize=10)
    for k, panel in enumerate(panels):
        # A panel without words at its axis goes on from the one before it.
        axes = figure.add_subplot(down, across, k + 1, sharey=None if panel["y"] else figure.axes[k - 1])
        draw_lines(axes, panel)
        axes.set_title(panel["title"], fontsize=9)
        if not alike:
            axes.legend(fontsize=7)
    if alike:
        figure.axes[-1].legend(fontsize=7, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


def drawn(found):
    return image(figure_of(found), found["title"])


def standalone(found):
    return svg_of(figure_of(found), found["title"]).strip() + "\n"
