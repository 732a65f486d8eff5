#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws an HTML report from Parity's records. The page holds its plots itself and needs no network.

    report.py RECORDS.jsonl... --output report.html [--field BEFORE AFTER --label TEXT] [--text TITLE FILE]...
    report.py --synthetic FIELD.npy      makes a labelled stand-in where no real field can be had
"""
import argparse
import base64
import html
import io
import json
import os
import pathlib
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)
import numpy as np  # noqa: E402

import launch_report  # noqa: E402

COLOURS = {"kokkos": "#1f77b4", "openmp": "#ff7f0e", "cuda": "#2ca02c", "cupy": "#9467bd", "reference": "#7f7f7f"}
PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Parity report</title><style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222 }}
table {{ border-collapse: collapse; font-size: 14px }} th, td {{ padding: .25em .8em; border-bottom: 1px solid #ddd; text-align: right }}
th:first-child, td:first-child {{ text-align: left; font-family: monospace }} img {{ max-width: 100% }}
.wrong {{ color: #b00; font-weight: bold }} .note {{ color: #555; font-size: 14px }}
</style></head><body>{body}</body></html>"""


def read_records(path):
    """The environment records and the measurements of a file; an unfinished last line is passed over."""
    environments, rows = [], []
    for line in pathlib.Path(path).read_text().splitlines(keepends=True):
        if not line.endswith("\n"):
            break
        record = json.loads(line)
        (rows if record["type"] == "measurement" else environments).append(record)
    return environments, rows


def name(row):
    return row["variant"] + ("/" + row["tuning"] if row["tuning"] else "")


def is_kde(row):
    return row.get("study") == "kde"


def problem_title(p):
    if "n" in p:
        return f"n = {p['n']}, h = {p['bandwidth']:g}, {p['distribution']}, {p['precision']}"
    return f"{p['nx']} x {p['ny']} x {p['nz']}, N = {p['steps']}, {p['precision']}"


def step_times(row):
    """Microseconds a step, or of a whole density: median and its 95 % interval."""
    s = row["host_seconds"]
    return [1e6 * s[k] / row["problem"].get("steps", 1) for k in ("median", "low", "high")]


def image(figure, text):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, bbox_inches="tight")
    plt.close(figure)
    data = base64.b64encode(buffer.getvalue()).decode()
    return f'<img alt="{html.escape(text)}" src="data:image/png;base64,{data}">'


def bars(rows, title):
    """One bar a variant, time a step, with the median's interval."""
    rows = sorted((r for r in rows if r["host_seconds"]["samples"]), key=lambda r: -r["host_seconds"]["median"])
    times = np.array([step_times(r) for r in rows])
    figure, axes = plt.subplots(figsize=(10, 0.42 * len(rows) + 1.4))
    axes.barh(range(len(rows)), times[:, 0], xerr=[times[:, 0] - times[:, 1], times[:, 2] - times[:, 0]],
              color=[COLOURS.get(r["family"], "black") for r in rows], error_kw={"capsize": 3})
    axes.set_yticks(range(len(rows)), [name(r) for r in rows])
    axes.set_xscale("log")
    axes.set_xlim(times.min() / 3, times.max() * 3)
    for k, (median, _, high) in enumerate(times):
        axes.annotate(f"{median:,.0f}" if median >= 1000 else f"{median:.3g}", (high, k), xytext=(6, 0), textcoords="offset points", va="center", fontsize=9)
    axes.set_xlabel(f"µs {'a density' if is_kde(rows[0]) else 'a step'} (median, 95 % interval; less is better)")
    axes.set_title(title)
    families = [f for f in COLOURS if any(r["family"] == f for r in rows)]
    axes.legend([plt.Rectangle((0, 0), 1, 1, color=COLOURS[f]) for f in families], families, loc="upper right")
    return image(figure, "time a step of each variant")


def sweeps(rows):
    """The studies' figures where the rows hold them: (x axis, title, rows), for at least three values of x."""
    found = {}
    for r in rows:
        p = r["problem"]
        if not r["host_seconds"]["samples"]:
            continue
        if is_kde(r):
            found.setdefault(("n", f"over the number of samples, h = {p['bandwidth']:g}, {p['distribution']}, {p['precision']}"), []).append(r)
            continue
        if p["nx"] == p["ny"]:
            found.setdefault(("nx", f"over the grid size, nz = {p['nz']}, N = {p['steps']}, {p['precision']}"), []).append(r)
        grid = f"{p['nx']} x {p['ny']} x {p['nz']}"
        found.setdefault(("steps", f"over the number of steps, {grid}, {p['precision']}"), []).append(r)
    return [(x, title, group) for (x, title), group in found.items() if len({r["problem"][x] for r in group}) > 2]


def sweep_figure(x, title, rows):
    """Two panels: time of the kernels, and with what recording a graph cost. Of several tunings the fastest is drawn."""
    per = {"nx": lambda p: p["nx"] * p["ny"] * p["nz"], "steps": lambda p: p["steps"], "n": lambda p: 1}[x]
    figure, axes = plt.subplots(1, 2, figsize=(15, 7), sharey=True)
    variants = sorted({(r["family"], r["variant"]) for r in rows})
    maps = {"kokkos": "Blues", "openmp": "Oranges", "cuda": "Greens", "cupy": "Purples", "reference": "Greys"}
    markers, counts = "osv^D*PX<>phd", {}
    sizes = {f: sum(family == f for family, _ in variants) for f, _ in variants}
    for family, variant in variants:
        n = counts[family] = counts.get(family, -1) + 1
        shade = plt.get_cmap(maps.get(family, "Greys"))(1 - 0.6 * n / sizes[family])
        for panel, with_recording in ((axes[0], False), (axes[1], True)):
            best = {}
            for r in rows:
                if r["variant"] == variant:
                    seconds = r["host_seconds"]["median"] + (r.get("record_seconds", 0) if with_recording else 0)
                    value = 1e6 * seconds / per(r["problem"])
                    best[r["problem"][x]] = min(value, best.get(r["problem"][x], value))
            keys = sorted(best)
            panel.plot(keys, [best[k] for k in keys], marker=markers[n % len(markers)], markersize=4, linewidth=1, color=shade,
                       linestyle="--" if "+" in variant else "-", label=variant)
    for panel, what in ((axes[0], "kernels"), (axes[1], "kernels and recording")):
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        panel.set_xlabel({"nx": "nx = ny", "steps": "steps", "n": "samples"}[x])
        panel.set_title(what)
        panel.grid(alpha=0.3)
    axes[0].set_ylabel({"nx": "µs a grid point", "steps": "µs a step", "n": "µs a density"}[x])
    figure.suptitle(title)
    axes[1].legend(fontsize=7, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return image(figure, title)


def width_figure(variant, rows):
    """The third study's Figures 1 to 3: time, speed-up over the narrowest block and efficiency, speed-up over the width."""
    time = {(r["problem"]["n"], int(r["tuning"])): (r["device_seconds"] or r["host_seconds"])["median"] for r in rows}
    widths, sizes = sorted({w for _, w in time}), sorted({n for n, _ in time})
    figure, axes = plt.subplots(1, 3, figsize=(18, 5.5))
    for k, w in enumerate(widths):
        known = [n for n in sizes if (n, w) in time]
        axes[0].plot(known, [time[n, w] for n in known], marker=".", color=plt.get_cmap("viridis")(k / len(widths)), label=f"width {w}")
    for k, n in enumerate(sizes):
        known = [w for w in widths if (n, w) in time]
        if widths[0] not in known:
            continue  # its narrowest block was not measured
        speed = [time[n, widths[0]] / time[n, w] for w in known]
        colour = plt.get_cmap("plasma")(k / len(sizes))
        axes[1].plot(known, speed, marker=".", color=colour, label=f"n = {n}")
        axes[2].plot(known, [s / w for s, w in zip(speed, known)], marker=".", color=colour)
    for panel, x, y in zip(axes, ("samples", "block width", "block width"), ("seconds", "speed-up", "efficiency")):
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        panel.set_xlabel(x)
        panel.set_ylabel(y)
        panel.grid(alpha=0.3)
    axes[0].legend(fontsize=7)
    axes[1].legend(fontsize=7)
    figure.suptitle(f"{variant}: measured cells ('parity findings' prints extrapolated ones)")
    return image(figure, f"time, speed-up and efficiency of {variant} by block width")


def width_sweeps(rows):
    found = {}
    for r in rows:
        if is_kde(r) and r.get("occupancy") and r["tuning"].isdigit() and r["host_seconds"]["samples"]:
            p = r["problem"]
            found.setdefault((r["variant"], p["precision"], p["bandwidth"], p["distribution"]), []).append(r)
    return [(key[0], group) for key, group in found.items() if len({r["tuning"] for r in group}) > 4]


def table(rows):
    """All rows of one problem; ratios to the fastest native one."""
    timed = [r for r in rows if r["host_seconds"]["samples"]]
    native = [r for r in timed if r["family"] in ("openmp", "cuda") and not r.get("floor")] or timed
    base = min(native, key=lambda r: r["host_seconds"]["median"]) if native else None
    units = "<th>µs a density</th><th>10⁹ pairs/s</th>" if is_kde(rows[0]) else "<th>µs a step</th><th>Gpt/s</th>"
    lines = [f"<table><tr><th>variant</th>{units}<th>vs " + (html.escape(name(base)) if base else "")
             + "</th><th>floor</th><th>setup ms</th><th>end to end ms</th><th>error</th><th>verdict</th></tr>"]
    for r in sorted(rows, key=lambda r: r["host_seconds"]["median"] or 1e99):
        v, p = r["verification"], r["problem"]
        error = "inf" if v["error"] is None else f"{v['error']:.1e}"
        if not v["passed"]:
            lines.append(f"<tr><td>{html.escape(name(r))}</td><td colspan=6></td><td>{error}</td><td class=wrong>WRONG</td></tr>")
            continue
        median = r["host_seconds"]["median"]
        work = p["n"] ** 2 if is_kde(r) else p["nx"] * p["ny"] * p["nz"] * p["steps"]
        rate = work / median * 1e-9
        floor = "-" if is_kde(r) else f"{100 * r['floor_share']:.0f} %"
        lines.append(f"<tr><td>{html.escape(name(r))}</td><td>{step_times(r)[0]:.4g}</td><td>{rate:.3g}</td>"
                     f"<td>{base['host_seconds']['median'] / median:.3f}</td><td>{floor}</td>"
                     f"<td>{1e3 * r['setup_seconds']:.3g}</td><td>{1e3 * r['end_to_end_seconds']:.4g}</td>"
                     f"<td>{error}</td><td>ok</td></tr>")
    return "\n".join(lines) + "</table>"


def read_field(path):
    """The first plane of a .npy field, or of a NetCDF file's largest numeric variable."""
    if str(path).endswith(".npy"):
        data = np.load(path)
    else:
        import netCDF4

        with netCDF4.Dataset(path) as f:
            fields = [v for v in f.variables.values() if v.ndim >= 2 and v.dtype.kind in "fi"]
            data = np.asarray(max(fields, key=lambda v: v.size)[:])
    return data.reshape(-1, *data.shape[-2:])[0]


def field_figure(before, after, label):
    a, b = read_field(before), read_field(after)
    limit = np.abs(a).max()
    difference = b - a
    figure, axes = plt.subplots(3, 1, figsize=(9, 12.5), constrained_layout=True)
    for ax, data, title, bound in ((axes[0], a, "before", limit), (axes[1], b, "after", limit),
                                   (axes[2], difference, "after - before", np.abs(difference).max() or 1)):
        shown = ax.imshow(data, cmap="RdBu_r", vmin=-bound, vmax=bound, aspect="auto")
        figure.colorbar(shown, ax=ax)
        ax.set_title(f"{title} (first plane, {data.shape[0]} x {data.shape[1]})")
    figure.suptitle(label)
    return image(figure, "a field before and after the filter, and the difference")


def environment_text(environments):
    if not environments:
        return ""
    # Parity's own record says most; a CuPy run adds one of its own.
    own = [e for e in environments if "kokkos" in e]
    e = own[-1] if own else None
    if e is None:
        return "<pre>" + html.escape(json.dumps(environments[-1], indent=1)) + "</pre>"
    gpu = e.get("gpu")
    lines = {
        "time": e["time"], "commit": e["commit"] + (" (modified)" if e["modified"] else ""),
        "CPU": f"{e['cpu']}, {e['omp_threads']} OpenMP threads, bind {e['omp_proc_bind'] or 'none'}",
        "GPU": f"{gpu['name']}, driver {gpu['driver']}" if gpu else "none: " + e.get("no_gpu_because", ""),
        "Kokkos": f"{e['kokkos']} ({e['kokkos_devices']}), default {e['kokkos_default']}",
        "C++": f"{e['cxx']} {e['cxx_flags']}", "CUDA": f"{e['cuda']} {e['cuda_architectures']}".strip() or "not built",
    }
    if len(own) > 1:
        runs = [" ".join(filter(None, [x["time"], f"slice {x['slice']}" if "slice" in x else "", run_place(x)])) for x in own]
        lines["runs"] = "; ".join(runs)
    text = "<table>" + "".join(f"<tr><td>{k}</td><td style='text-align:left'>{html.escape(v)}</td></tr>" for k, v in lines.items()) + "</table>"
    differing = [what for what, of in DIFFERENCES.items() if len({json.dumps(of(x), sort_keys=True) for x in own}) > 1]
    if differing:
        text += f"<p class=wrong>The runs differ in: {', '.join(differing)}. Compare rows of one run only.</p>"
    return text


# What must be the same for rows of several runs to be compared.
DIFFERENCES = {
    "commit": lambda e: (e["commit"], e["modified"]), "CPU": lambda e: e["cpu"], "threads": lambda e: e["omp_threads"],
    "GPU": lambda e: e["gpu"], "Kokkos": lambda e: (e["kokkos"], e["kokkos_devices"]),
    "compilers": lambda e: (e["cxx"], e["cxx_flags"], e["cuda"]),
}


def run_place(e):
    job = e.get("slurm")
    return f"(job {job['job']} on {job['nodes']})" if job else ""


def report(records, field, label, texts=()):
    environments, rows = [], []
    for path in records:
        found = read_records(path)
        environments += found[0]
        rows += found[1]
    if not rows:
        sys.exit(f"report: {' '.join(records)}: no measurement")
    body = ["<h1>Parity: portable against native</h1>"]
    launches = launch_report.section(rows, COLOURS, image)
    rows = [r for r in rows if not launch_report.is_launch(r)]
    problems = {}
    for r in rows:
        problems.setdefault(json.dumps(r["problem"], sort_keys=True), []).append(r)
    drawn = sweeps(rows)
    for x, title, group in drawn:
        body.append(f"<h2>{'Density' if x == 'n' else 'Diffusion filter'} {html.escape(title)}</h2>")
        body.append(sweep_figure(x, title, group))
    for variant, group in width_sweeps(rows):
        body.append(f"<h2>{html.escape(variant)} by block width</h2>")
        body.append(width_figure(variant, group))
    for group in problems.values():
        title = problem_title(group[0]["problem"])
        if drawn:  # the figures say most of it
            body.append(f"<details><summary>{html.escape(title)}</summary>{table(group)}</details>")
            continue
        body.append(f"<h2>{'Density' if is_kde(group[0]) else 'Diffusion filter'}, {html.escape(title)}</h2>")
        if any(r["host_seconds"]["samples"] for r in group):
            body.append(bars(group, title))
        body.append(table(group))
    body += launches
    for title, path in texts:
        text = pathlib.Path(path).read_text()
        if text.strip():
            body.append(f"<h2>{html.escape(title)}</h2><pre>{html.escape(text)}</pre>")
    if problems:
        body.append("<p class=note>vs: time of the fastest native variant over the variant's time (above 1 is faster). floor: share of "
                "one read and one write a point and step at the speed of a copy of the same fields, measured in the same run; "
                "above 100 % planes stay in cache or on chip over the steps. error of a filter: largest deviation from the exact "
                "Fourier solution over the field's largest value; of a density: relative at every sample, of approximate methods "
                "relative to the largest density. A variant that is wrong has no time.</p>")
    if field:
        body += ["<h2>A field before and after</h2>", field_figure(*field, label)]
    body += ["<h2>Where this was measured</h2>", environment_text(environments)]
    return PAGE.format(body="\n".join(body))


def synthetic(path):
    rng = np.random.default_rng(1)
    y, x = np.mgrid[0:73, 0:144]
    field = sum(rng.normal() * np.cos(2 * np.pi * (k * x / 144 + (k % 3) * y / 73) + rng.uniform(0, 6)) for k in range(1, 9))
    np.save(path, (10 * field + rng.normal(size=field.shape)).astype("f4"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="*", help="records of 'parity measure' or 'parity diffusion --json'")
    parser.add_argument("--output", default="report.html")
    parser.add_argument("--field", nargs=2, metavar=("BEFORE", "AFTER"))
    parser.add_argument("--label", default="field")
    parser.add_argument("--text", nargs=2, action="append", default=[], metavar=("TITLE", "FILE"),
                        help="what 'parity explain' or 'parity findings' printed, to go into the report")
    parser.add_argument("--synthetic", metavar="FIELD.npy")
    options = parser.parse_args()
    if options.synthetic:
        return synthetic(options.synthetic)
    if not options.records:
        parser.error("give the records to report on")
    text = report(options.records, options.field, options.label, options.text)
    directory = os.path.dirname(os.path.abspath(options.output))
    with tempfile.NamedTemporaryFile("w", dir=directory, delete=False, encoding="utf-8") as f:
        f.write(text)
    os.chmod(f.name, 0o644)
    os.replace(f.name, options.output)


if __name__ == "__main__":
    main()
