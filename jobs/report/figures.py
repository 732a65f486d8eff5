# SPDX-License-Identifier: BSD-3-Clause
"""The figures of one commit and device, as drawing.py draws them: each has a title and panels; a panel has lines of points
[x, value, low, high], or named rows of marks with their intervals."""
from .records import grouped, title, words

PUBLISHED = (("Figure 2: null kernels", ("null-overhead", "dispatch")), ("Figure 3: wait units", ("fusion-overhead", "dispatch")),
             ("Figure 4: parts of one launch", ("dispatch", "fusion-overhead", "other-overhead", "total-overhead")))


def axes_of(row):
    """(parameter, label, title, unit, what a time is divided by, parameters that the title omits) of what rows are drawn over."""
    problem = row["problem"]
    if row["study"] == "diffusion":
        square = problem["nx"] == problem["ny"]
        return [("nx", "nx = ny", "over the grid size", "µs a grid point", problem["nx"] * problem["ny"] * problem["nz"], ("nx", "ny"))] * square + [
            ("steps", "steps", "over the number of steps", "µs a step", problem["steps"], ("steps",))]
    if row["study"] == "kde":
        return [("n", "samples", "over the number of samples", "µs a density", 1, ("n",))]
    return [(name, name, f"over {name}", "µs", 1, (name,)) for name, value in problem.items() if isinstance(value, int) and value > 0]


def fastest_of_latest_runs(rows):
    """Of each variant and problem the latest run's row, of several tunings the fastest."""
    found = []
    for _, same in sorted(grouped(rows, lambda r: f"{r['study']}/{r['variant']} {r['problem_text']}").items()):
        latest = max(r["run"]["id"] for r in same)
        found.append(min((r for r in same if r["run"]["id"] == latest), key=lambda r: r["time_s"]["value"]))
    return found


def point(x, estimate, factor=1e6, more=0):
    ends = (estimate["value"], estimate["low"], estimate["high"])
    return [x, *(None if end is None else factor * (end + more) for end in ends)]


def panel(title, x, y, lines):
    return {"title": title, "x": x, "y": y, "lines": lines}


def swept(label, unit, rows):
    """Panels of rows that differ in one parameter alone: [(its value, what a time is divided by, row)]."""
    kernels, whole = [], []
    for (family, variant), line in sorted(grouped(sorted(rows, key=lambda r: r[0]), lambda r: (r[2]["family"], r[2]["variant"])).items()):
        for lines, capture in ((kernels, 0), (whole, 1)):
            lines.append({"label": variant, "family": family, "dashed": "+" in variant,
                          "points": [point(float(x), r["time_s"], 1e6 / share, capture * r["capture_s"]) for x, share, r in line]})
    captured = any(r["capture_s"] > 0 for _, _, r in rows)
    return [panel("kernels", label, unit, kernels)] + [panel("kernels and capture", label, "", whole)] * captured


def sweeps(rows):
    """Over each parameter of which at least three values were measured."""
    found = {}
    for row in fastest_of_latest_runs([r for r in rows if r["comparable"] and r["study"] != "launch"]):
        for name, label, over, unit, share, omitted in axes_of(row):
            others = tuple((k, v) for k, v in row["problem"].items() if k not in omitted)
            heading = f"{title(row)} {over}, {words(row, omitted)}"
            found.setdefault((row["study"], name, others), (heading, label, unit, []))[3].append((row["problem"][name], share, row))
    return [{"title": heading, "panels": swept(label, unit, points)} for heading, label, unit, points in found.values() if len({x for x, _, _ in points}) > 2]


def block_widths(tables):
    """DeRosa's Figures 1 to 3."""
    made = []
    for table in (t for t in tables if len(t["widths"]) >= 5):
        times = {(n, width): seconds for n, width, seconds in table["cells"]}
        gains = {(n, width): times[n, table["widths"][0]] / seconds for (n, width), seconds in times.items() if (n, table["widths"][0]) in times}
        by_width = [{"label": f"width {width}", "points": [[n, s, None, None] for (n, w), s in times.items() if w == width]}
                    for width in sorted({w for _, w in times})]
        faster, efficient = ([{"label": f"n = {n}", "points": [[w, g / w if divided else g, None, None] for (m, w), g in gains.items() if m == n]}
                              for n in sorted({n for n, _ in gains})] for divided in (False, True))
        made.append({"title": f"{table['variant']} by block width",
                     "panels": [panel("time", "samples", "seconds", by_width), panel("speed-up", "block width", "over the narrowest", faster),
                                panel("efficiency", "block width", "speed-up / width", efficient)]})
    return made


def launch_functions(functions):
    """Figures 2 to 4 of Zhang, Wahib and Matsuoka."""
    spin = [f for f in functions if f["unit"] == "spin" and "fusion-overhead" in f["rows"]]
    panels = [{"title": heading, "x": "µs",
               "rows": [{"name": f["variant"], "marks": [{"label": q, "point": point(0, f["rows"][q]["time_s"])} for q in quantities if q in f["rows"]]}
                        for f in spin]} for heading, quantities in PUBLISHED]
    return [{"title": "Figures 2 to 4 of Zhang, Wahib and Matsuoka", "panels": panels}] if spin else []


def launch_sweeps(found):
    """A panel a quantity; a line where there are at least three values."""
    made = []
    for (over, axis), sweeps_over in grouped(found, lambda s: (s["over"], s["axis"])).items():
        panels = {}
        for sweep in sweeps_over:
            for column, rows in sorted(grouped(sweep["rows"], lambda r: r[1]).items()):
                if len(rows) < 3:
                    continue
                first = rows[0][2]
                quantity = first["problem"]["quantity"]
                label = sweep["variant"] + (f" {sweep['title']}" if sweep["title"] not in ("line", "") else "")
                panels.setdefault(quantity, []).append({
                    "label": label + (f" {column.lstrip(' ')} threads" if column != quantity else ""), "family": first["family"],
                    "dashed": sweep["title"] == "fork", "points": [point(float(max(x, 1)), row["time_s"]) for x, _, row in rows]})
        if panels:
            made.append({"title": over, "panels": [panel(quantity, axis, "µs", lines) for quantity, lines in sorted(panels.items())]})
    return made


def of(origin):
    return sweeps(origin["rows"]) + block_widths(origin["widths"]) + launch_functions(origin["functions"]) + launch_sweeps(origin["sweeps"])
