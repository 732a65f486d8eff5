# SPDX-License-Identifier: BSD-3-Clause
"""The figures of one commit and device, as drawing.py draws them: each has a title and panels; a panel has lines of points
[x, value, low, high]."""
from .records import grouped, title, words


def axes_of(row):
    """The axes over which a result can be drawn: (parameter, label, title, unit, divisor of times, parameters that the title omits)."""
    problem = row["problem"]
    if row["study"] == "diffusion":
        square = problem["nx"] == problem["ny"]
        return [("nx", "nx = ny", "over the grid size", "µs a grid point", problem["nx"] * problem["ny"] * problem["nz"], ("nx", "ny"))] * square + [
            ("steps", "steps", "over the number of steps", "µs a step", problem["steps"], ("steps",))]
    if row["study"] == "kde":
        return [("n", "samples", "over the number of samples", "µs a density", 1, ("n",))]
    return [(name, name, f"over {name}", "µs", 1, (name,)) for name, value in problem.items() if isinstance(value, int) and value > 0]


def fastest_of_latest_runs(rows):
    """For each variant and problem, the fastest tuning of the latest run."""
    found = []
    for _, same in sorted(grouped(rows, lambda r: f"{r['study']}/{r['variant']} {r['problem_text']}").items()):
        latest = max(r["run"]["id"] for r in same)
        found.append(min((r for r in same if r["run"]["id"] == latest), key=lambda r: r["time_s"]["value"]))
    return found


def swept(label, unit, rows):
    """Panels of results that differ only in one parameter; rows: [(its value, divisor of times, result)]."""
    panels = [{"title": "kernels", "x": label, "y": unit, "lines": []}, {"title": "kernels and capture", "x": label, "y": "", "lines": []}]
    for (family, variant), line in sorted(grouped(sorted(rows, key=lambda r: r[0]), lambda r: (r[2]["family"], r[2]["variant"])).items()):
        for panel, capture in zip(panels, (0, 1)):
            points = [[float(x), *(end and 1e6 / share * (end + capture * r["capture_s"]) for end in map(r["time_s"].get, ("value", "low", "high")))]
                      for x, share, r in line]
            panel["lines"].append({"label": variant, "family": family, "dashed": "+" in variant, "points": points})
    return panels[:1 + any(r["capture_s"] > 0 for _, _, r in rows)]


def sweeps(rows):
    """Figures over each parameter with at least three measured values."""
    found = {}
    for row in fastest_of_latest_runs([r for r in rows if r["comparable"] and r["study"] != "launch"]):
        for name, label, over, unit, share, omitted in axes_of(row):
            others = tuple((k, v) for k, v in row["problem"].items() if k not in omitted)
            heading = f"{title(row)} {over}, {words(row, omitted)}"
            found.setdefault((row["study"], name, others), (heading, label, unit, []))[3].append((row["problem"][name], share, row))
    return [{"title": heading, "panels": swept(label, unit, points)} for heading, label, unit, points in found.values() if len({x for x, _, _ in points}) > 2]
