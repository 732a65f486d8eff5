# SPDX-License-Identifier: BSD-3-Clause
"""Figures over one parameter of a study, where the rows hold at least three values of it."""
from . import studies
from .drawing import SHADES, image, panels, plt


def found_in(rows):
    """(sweep, title, rows) for each figure of one study's rows."""
    found = {}
    for sweep in studies.sweeps(rows):
        for r in rows:
            if not r.timed or not sweep.only(r.problem):
                continue
            without = (sweep.axis, *sweep.follows)
            fixed = tuple((k, str(v)) for k, v in sorted(r.problem.items()) if k not in without)
            title = f"{sweep.title}, {studies.problem(r, without)}"
            found.setdefault((sweep.axis, fixed), (sweep, title, []))[2].append(r)
    return [(sweep, title, group) for sweep, title, group in found.values() if len({r.problem[sweep.axis] for r in group}) > 2]


def figure(sweep, title, rows):
    """Two panels: time of the kernels, and with the capture of graphs; rows with one value of the axis each."""
    drawn, axes = plt.subplots(1, 2, figsize=(12, 6), sharey=True)
    variants = sorted({(r.family, r.variant) for r in rows})
    markers, counts = "osv^D*PX<>phd", {}
    sizes = {f: sum(family == f for family, _ in variants) for f, _ in variants}
    for family, variant in variants:
        n = counts[family] = counts.get(family, -1) + 1
        shade = plt.get_cmap(SHADES.get(family, "Greys"))(1 - 0.6 * n / sizes[family])
        for panel, with_capture in ((axes[0], False), (axes[1], True)):
            points = sorted((r.problem[sweep.axis], 1e6 * (r.with_capture if with_capture else r.time.value) / sweep.per(r.problem))
                            for r in rows if r.variant == variant)
            panel.plot(*zip(*points), marker=markers[n % len(markers)], markersize=4, linewidth=1, color=shade,
                       linestyle="--" if "+" in variant else "-", label=variant)
    for panel, what, y in ((axes[0], "kernels", sweep.unit), (axes[1], "kernels and capture", "")):
        panels(panel, sweep.label, y)
        panel.set_title(what)
    drawn.suptitle(title)
    axes[1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return image(drawn, title)
