# SPDX-License-Identifier: BSD-3-Clause
"""Draws figures as SVG: lines of points over logarithmic axes, and named rows of marks, each with its 95 % interval."""
import html
import io
import math
import re
import textwrap
import warnings

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

warnings.filterwarnings("ignore", module="matplotlib")  # a figure without room for its names needs no warning in the terminal
INK, SOFT, GRID, PAPER, KOKKOS, CUDA, OTHER = "#1f2328", "#59636e", "#d8dee4", "#fffffe", "#0b5fa5", "#b35900", "#7a4fb5"
SHARES = ("#f6f8fa", "#dcebfa", "#b6d4f2", "#8bbbe8", "#5f9fdc")  # the more, the better
DARK = dict(zip((INK, SOFT, GRID, PAPER, KOKKOS, CUDA, OTHER, *SHARES),
                ("#e6edf3", "#9198a1", "#2f353d", "#0d1117", "#58a6ff", "#f0883e", "#bc8cff", "#161b22", "#12283f", "#153a5f", "#174d82", "#1b62a8")))
SIDES = {"kokkos": ("Kokkos", KOKKOS, "o"), "cuda": ("CUDA", CUDA, "D"), "openmp": ("OpenMP", OTHER, "D")}
WIDE = 8.75  # inches, which are 840 pixels
matplotlib.rcdefaults()  # ignores a matplotlibrc in the current folder, which anybody may have written
# Names are not parsed as formulas, text stays text, and the same records give the same file.
matplotlib.rcParams.update({"text.parse_math": False, "svg.fonttype": "none", "svg.hashsalt": "parity", "font.sans-serif": ["DejaVu Sans"], "font.size": 9,
                            **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor", "xtick.color", "ytick.color"), INK),
                            **dict.fromkeys(("figure.facecolor", "axes.facecolor", "legend.facecolor"), PAPER),
                            **dict.fromkeys(("axes.edgecolor", "legend.edgecolor", "grid.color"), GRID)})

SHADES = {"kokkos": "Blues", "openmp": "Purples", "cuda": "Oranges", "cupy": "Greens", "reference": "Greys"}
MARKERS = "osv^D*PX<>phd"
FORMS = ("first versions", "tuned versions", "only form")
CELLS = ("Kokkos, first", "Kokkos, tuned", "Kokkos", "native, first", "native, tuned", "native")  # no suffix: the only version
LEAST, MOST = 1e-15, 1e15  # beyond these an axis has no numbers
# Removes unused ids and redundant styles, cuts digits that no screen shows, and merges marks that share a style.
LEFT_OUT = [(re.compile(pattern, re.DOTALL), short) for pattern, short in (
    (r"^<\?xml.*?(?=<svg)", ""), (r' id="[A-Za-z0-9.]+_\d+"', ""), (r' id="(mark|intervals?)"', r' class="\1"'), (r"\n\s*", " "), (r' transform="rotate\(-?0 [^"]*"', ""),
    (r"font-family: 'DejaVu Sans', sans-serif; ", ""))]
TAG, DIGITS = re.compile("<[^>]+>"), re.compile(r"(\d\.\d\d)\d+")
MARKS = re.compile(r'<g (clip-path="[^"]*")>((?: <use [^>]*? style="([^"]*)"/>)(?: <use [^>]*? style="\3"/>)*) </g>')


def svg_of(figure, text):
    """The figure as SVG text, with ids that are unique among the figures of a page."""
    out = io.StringIO()
    matplotlib.rcParams["svg.hashsalt"] = text
    figure.savefig(out, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    drawn = out.getvalue()
    for pattern, short in LEFT_OUT:
        drawn = pattern.sub(short, drawn)
    drawn = TAG.sub(lambda tag: DIGITS.sub(r"\1", tag[0]), drawn)
    drawn = MARKS.sub(lambda m: f'<g {m[1]} style="{m[3]}">' + m[2].replace(f' style="{m[3]}"', "") + "</g>", drawn)
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{html.escape(text)}" font-family="sans-serif" ', 1)


def theme():
    """CSS rules for the classes of themed(), for light and dark pages."""
    rules = ["".join(f".f{k}{{fill:{c}}}.s{k}{{stroke:{c}}}" for k, c in enumerate(colours)) for colours in (DARK, DARK.values())]
    return f"{rules[0]}@media(prefers-color-scheme:dark){{{rules[1]}}}"


def themed(svg, style=True):
    """Replaces colours by classes, which a dark page can change; a 'style' attribute would override them."""
    def classes(m):
        names = [f"{kind[0]}{list(DARK).index(colour)}" for kind, colour in re.findall(r"(fill|stroke): (#\w{6})", m[1]) if colour in DARK]
        rest = re.sub(r"(?:fill|stroke): (#\w{6});? ?", lambda c: "" if c[1] in DARK else c[0], m[1]).strip()
        return f'class="{" ".join(names)}"' * bool(names) + f' style="{rest}"' * bool(rest)

    return re.sub(r'style="([^"]*)"', classes, svg).replace("<defs>", f"<style>{theme()}</style><defs>" if style else "<defs>", 1)


def image(figure, text):
    """The figure as an HTML element; the page has the theme."""
    return f"<div class=wide>{themed(svg_of(figure, text), False)}</div>"


def fitted(title, source, wide=WIDE):
    """Title and source, wrapped to a width in inches, and the inches that they need above and below a picture."""
    title, source = (textwrap.fill(re.sub(r"(?<=\d) (?=%)|(?<=Kokkos) (?=\d)", "\u00a0", s), int(width)) for s, width in ((title, 9 * wide), (source, 16 * wide)))
    return title, source, 0.76 + 0.2 * title.count("\n"), 0.74 + 0.14 * source.count("\n")


def framed(title, source, height, draw, wide=WIDE):
    """A figure with its finding as title and its source below."""
    figure = Figure(figsize=(wide, height))
    figure.text(0.012, 1 - 0.13 / height, title, fontsize=12.5, weight="bold", va="top")
    figure.text(0.012, 0.1 / height, source, fontsize=8.5, color=SOFT)
    draw(figure)
    return figure


def dotted(labels, marks, legend, axis, end, left, line=None, joined=False, above=0.76, below=0.74):
    """(height, draw) of a plot with a line for each label and margins above and below in inches; marks: (line, offset below its middle, side, form,
    [value, low, high]). form: 0 a first version (hollow), 1 a tuned one (filled), 2 the only one (half); or the marker, followed by 0 for a first
    version. joined: draws a line through the marks of each side and marker."""
    def style(side, form):
        _, colour, marker = SIDES.get(side, ("", SOFT, "o"))
        half = {"fillstyle": "left", "markerfacecoloralt": PAPER} if form == 2 else {}
        return {"color": colour, "marker": form[0] if isinstance(form, str) else marker, "markersize": 6.5,
                "markerfacecolor": PAPER if str(form).endswith("0") else colour, "linestyle": "", **half}

    def draw(figure):
        axes = figure.add_axes((left, below / height, 0.98 - left, 1 - (above + below) / height))
        if joined:
            for side, marker in dict.fromkeys((side, form[0]) for _, _, side, form, _ in marks):
                through = [(value, row + down) for row, down, at, form, (value, _, _) in sorted(marks) if (at, form[0]) == (side, marker)]
                axes.plot(*zip(*through), color=SIDES[side][1], linewidth=0.8, alpha=0.5)
        for row, down, side, form, (value, low, high) in marks:
            if low is not None:
                axes.plot([low, high], [row + down] * 2, color=SIDES[side][1], linewidth=1.4, gid="interval")
            axes.plot([value], [row + down], gid="mark", **style(side, form))
        for words, side, form in legend:
            axes.plot([], [], label=words, **style(side, form))
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=4, frameon=False, handletextpad=0.2, columnspacing=1.4)
        if line:
            axes.axvline(line, color=INK, linewidth=1)
        axes.set_yticks(range(len(labels)), labels)
        axes.set_ylim(len(labels) - 0.5, -0.5)
        axes.set_xlim(0, end)
        axes.grid(axis="x")
        axes.set_xlabel(axis)

    height = above + below + 0.31 * len(labels)
    return height, draw


def beside(cells):
    """Marks of dotted(): the Kokkos versions of each algorithm, relative to the native versions that they are compared with. cells: (name, [(form,
    [value, low, high], quiet)])."""
    return [(row, 0, "kokkos", form, speed) for row, (_, of) in enumerate(cells) for form, speed, _ in of]


def legend_of(cells):
    return [(words, "kokkos", form) for form, words in enumerate(FORMS) if any(form == f for _, of in cells for f, *_ in of)]


def finding_of(cells, native):
    """A sentence on these speeds, first versions first; algorithms with one version count only if there are no others. Marks noisy ranges."""
    said = []
    for form, words in enumerate(("first versions", "tuned ones", "algorithms of one form")):
        found = [(speed[0], quiet) for name, of in cells if name != "copy" for f, speed, quiet in of if f == form]
        if found and not (form == 2 and said):
            ends = list(dict.fromkeys(f"{end(value for value, _ in found):.2f}" for end in (min, max)))
            noisy = (" (all noisy)" if len(found) > 1 else " (noisy)") * (not any(quiet for _, quiet in found))
            said.append(f"{' to '.join(ends)}{noisy}{f' of {SIDES[native][0]}{chr(39)}s speed' * (not said)} in {words}")
    return f"Kokkos has {', '.join(said)}" if said else "Kokkos beside native code"


def short(value):
    """A number short enough for a tick label: 0.01, 65536, 268M."""
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if 1e5 <= abs(value) < 1e12 and abs(value) >= factor:
            return f"{value / factor:.0f}{letter}" if abs(value) >= 100 * factor else f"{value / factor:.3g}{letter}"
    return f"{value:g}"


def plain_ticks(axis):
    """Labels all major ticks, and some minor ticks if the axis spans less than two decades."""
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
    axes.grid()


def colours_of(lines):
    """A shade of its family's colour for each line; lines without a family share one colour map."""
    places = {}
    for line in lines:
        places.setdefault(line.get("family"), []).append(line["label"])

    def colour(line):
        family = line.get("family")
        part = places[family].index(line["label"]) / len(places[family])
        return matplotlib.colormaps[SHADES.get(family, "Greys")](0.8 - 0.4 * part) if family else matplotlib.colormaps["viridis"](0.25 + 0.6 * part)

    return colour


def draw_lines(axes, panel):
    """Draws the values, and a vertical line for each interval."""
    colour = colours_of(panel["lines"])
    for k, line in enumerate(panel["lines"]):
        points = [p for p in line["points"] if p[0] is not None and p[1] is not None and LEAST < p[0] < MOST and LEAST < p[1] < MOST]
        if points:
            axes.plot(*zip(*(p[:2] for p in points)), color=colour(line), marker=MARKERS[k % len(MARKERS)], markersize=3, linewidth=1,
                      linestyle="--" if line.get("dashed") else "-", label=line["label"])
        if ends := [(x, end) for x, _, low, high in points if low is not None and high is not None for end in (low, high, math.nan)]:
            axes.plot(*zip(*ends), color=colour(line), linewidth=1.3, solid_capstyle="butt", gid="intervals")
    logarithmic(axes, 2)
    axes.set_xlabel(panel["x"])
    axes.set_ylabel(panel["y"])


def figure_of(found):
    """A matplotlib figure from its JSON description, whose panels have the same lines."""
    panels = found["panels"]
    figure = Figure(figsize=(WIDE, max(3.4, 0.17 * len(panels[0]["lines"]))), layout="constrained")
    figure.suptitle(found["title"], fontsize=11)
    for k, panel in enumerate(panels):
        # A panel without a y label shares the axis of the one before it.
        axes = figure.add_subplot(1, len(panels), k + 1, sharey=None if panel["y"] else figure.axes[k - 1])
        draw_lines(axes, panel)
        axes.set_title(panel["title"], fontsize=9)
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


def drawn(found):
    return image(figure_of(found), found["title"])
