# SPDX-License-Identifier: BSD-3-Clause
"""Figures 1 to 3 of DeRosa (2024): time, speed-up over the narrowest block and efficiency, by block width."""
from .drawing import image, panels, plt
from .records import LONGEST, SHORTEST


def of(origin):
    """The sweeps over block widths that can be drawn: more than four widths."""
    found = [(variant, [c for c in cells if SHORTEST < c.seconds < LONGEST]) for variant, cells in origin.widths]
    return [(variant, cells) for variant, cells in found if len({c.width for c in cells}) > 4]


def figure(variant, cells):
    widths, sizes = sorted({c.width for c in cells}), sorted({c.n for c in cells})
    drawn, axes = plt.subplots(1, 3, figsize=(18, 5.5))
    for k, w in enumerate(widths):
        line = [c for c in cells if c.width == w]
        axes[0].plot([c.n for c in line], [c.seconds for c in line], marker=".", color=plt.get_cmap("viridis")(k / len(widths)), label=f"width {w}")
    for k, n in enumerate(sizes):
        line = [c for c in cells if c.n == n and c.speed_up is not None]
        if not line:
            continue  # its narrowest block was not measured
        shade = plt.get_cmap("plasma")(k / len(sizes))
        axes[1].plot([c.width for c in line], [c.speed_up for c in line], marker=".", color=shade, label=f"n = {n}")
        axes[2].plot([c.width for c in line], [c.efficiency for c in line], marker=".", color=shade)
    for panel, x, y in zip(axes, ("samples", "block width", "block width"), ("seconds", "speed-up", "efficiency")):
        panels(panel, x, y)
    axes[0].legend(fontsize=7)
    axes[1].legend(fontsize=7)
    drawn.suptitle(f"{variant}: measured cells ('parity findings' prints extrapolated ones)")
    return image(drawn, f"time, speed-up and efficiency of {variant} by block width")
