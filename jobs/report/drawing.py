# SPDX-License-Identifier: BSD-3-Clause
"""What every figure shares: matplotlib without a screen, colours of families, images inside the page."""
import base64
import html
import io

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)

matplotlib.rcParams["text.parse_math"] = False  # names are no formulas, whatever is in them

COLOURS = {"kokkos": "#1f77b4", "openmp": "#ff7f0e", "cuda": "#2ca02c", "cupy": "#9467bd", "reference": "#7f7f7f"}
SHADES = {"kokkos": "Blues", "openmp": "Oranges", "cuda": "Greens", "cupy": "Purples", "reference": "Greys"}


def colour(family):
    return COLOURS.get(family, "black")


def image(figure, text):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, bbox_inches="tight")
    plt.close(figure)
    data = base64.b64encode(buffer.getvalue()).decode()
    return f'<img alt="{html.escape(text)}" src="data:image/png;base64,{data}">'


def panels(axes, x, y, scale=2):
    """Logarithmic in both directions, with a grid."""
    axes.set_xscale("log", base=scale)
    axes.set_yscale("log")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(alpha=0.3)
