# SPDX-License-Identifier: BSD-3-Clause
"""Figures 1 to 3 of DeRosa (2024): time, speed-up over the narrowest block and efficiency, by block width."""
from .drawing import image, panels, plt
from .records import SHORTEST


def found_in(rows):
    """(variant, rows) of the sweeps over block widths: rows with an occupancy, more than four widths."""
    found = {}
    for r in rows:
        if r.metric("occupancy") and r.tuning.isdecimal() and r.timed and (r.device or r.host).value > SHORTEST:
            rest = tuple((k, str(v)) for k, v in sorted(r.problem.items()) if k != "n")
            found.setdefault((r.variant, rest), []).append(r)
    return [(variant, group) for (variant, _), group in found.items() if len({r.tuning for r in group}) > 4]


def figure(variant, rows):
    time = {(r.problem["n"], int(r.tuning)): (r.device or r.host).value for r in rows}
    widths, sizes = sorted({w for _, w in time}), sorted({n for n, _ in time})
    drawn, axes = plt.subplots(1, 3, figsize=(18, 5.5))
    for k, w in enumerate(widths):
        known = [n for n in sizes if (n, w) in time]
        shade = plt.get_cmap("viridis")(k / len(widths))
        axes[0].plot(known, [time[n, w] for n in known], marker=".", color=shade, label=f"width {w}")
    for k, n in enumerate(sizes):
        known = [w for w in widths if (n, w) in time]
        if widths[0] not in known:
            continue  # its narrowest block was not measured
        speed = [time[n, widths[0]] / time[n, w] for w in known]
        shade = plt.get_cmap("plasma")(k / len(sizes))
        axes[1].plot(known, speed, marker=".", color=shade, label=f"n = {n}")
        axes[2].plot(known, [s / w for s, w in zip(speed, known)], marker=".", color=shade)
    for panel, x, y in zip(axes, ("samples", "block width", "block width"), ("seconds", "speed-up", "efficiency")):
        panels(panel, x, y)
    axes[0].legend(fontsize=7)
    axes[1].legend(fontsize=7)
    drawn.suptitle(f"{variant}: measured cells ('parity findings' prints extrapolated ones)")
    return image(drawn, f"time, speed-up and efficiency of {variant} by block width")
