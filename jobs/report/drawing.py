# SPDX-License-Identifier: BSD-3-Clause
"""What every figure shares: matplotlib without a screen, colours of families, images inside the page."""
import base64
import html
import io

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)
from matplotlib.ticker import FuncFormatter  # noqa: E402

matplotlib.rcParams["text.parse_math"] = False  # names are no formulas, whatever is in them

# Okabe and Ito's, which colour-blind readers tell apart.
COLOURS = {"kokkos": "#0072B2", "openmp": "#E69F00", "cuda": "#009E73", "cupy": "#CC79A7", "reference": "#7f7f7f"}
SHADES = {"kokkos": "Blues", "openmp": "Oranges", "cuda": "Greens", "cupy": "Purples", "reference": "Greys"}


def colour(family):
    return COLOURS.get(family, "black")


def image(figure, text):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, bbox_inches="tight")
    plt.close(figure)
    data = base64.b64encode(buffer.getvalue()).decode()
    return f'<div class=wide><img alt="{html.escape(text)}" src="data:image/png;base64,{data}"></div>'


def short(value):
    """A number as it is read, short enough to stand beside others: 0.01, 65536, 268M."""
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if 1e5 <= abs(value) < 1e12 and abs(value) >= factor:
            return f"{value / factor:.0f}{letter}" if abs(value) >= 100 * factor else f"{value / factor:.3g}{letter}"
    return f"{value:g}"


def plain_ticks(axis):
    """Numbers at all ticks of powers, and at some between them where there are hardly any such."""
    def between(value, _):
        low, high = sorted(axis.get_view_interval())
        return short(value) if high < 40 * low and f"{value:e}"[0] in "25" else ""

    axis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))
    axis.set_minor_formatter(FuncFormatter(between))


def panels(axes, x, y, scale=2):
    """Logarithmic in both directions, with a grid."""
    axes.set_xscale("log", base=scale)
    axes.set_yscale("log")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    for axis in (axes.xaxis, axes.yaxis):
        plain_ticks(axis)
    axes.grid(alpha=0.3)
