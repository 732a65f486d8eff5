#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the picture of README.md: four implementations of each algorithm, relative to the fastest native one.

    jobs/report/pairs_picture.py jobs/results/h200/pairs/pairs.jsonl jobs/results/h200/pairs.svg

The speeds are the cells of 'parity export'; $PARITY names the executable (build/parity).
"""
import sys

import records

PROBLEM = {"nx": 1024, "ny": 1024, "nz": 64, "steps": 32, "precision": "float"}
WORDS = {"copy": "copy (no filter)", "baseline": "array operations, one by one", "laplacian-1d": "Laplacian, flat index", "laplacian": "Laplacian",
         "halo-update": "Laplacian and halo", "field-update": "Laplacian, halo and update", "shared-memory": "shared memory",
         "shared-memory-fixed-warps": "shared memory, fixed warps", "shared-memory-overlapping": "shared memory, overlapping",
         "fused-1d": "fused, flat index", "fused": "fused", "fused-wrap": "fused, periodic index", "fused-column": "fused, columns"}
CELLS = ("Kokkos, first version", "Kokkos, tuned", "CUDA, first version", "CUDA, tuned")
LEFT, RIGHT, TOP, STEP = 232, 830, 104, 34  # the axis from 0 to 1, the first line, the distance of lines
STYLE = """
.paper{fill:#fff}.text{fill:#1f2328}.small{fill:#59636e;font-size:12.5px}.grid{stroke:#d8dee4}.one{stroke:#1f2328}
.kokkos{stroke:#0b5fa5;fill:#0b5fa5}.cuda{stroke:#b35900;fill:#b35900}.open{fill:#fff}
@media(prefers-color-scheme:dark){.paper{fill:#0d1117}.text{fill:#e6edf3}.small{fill:#9198a1}.grid{stroke:#2f353d}.one{stroke:#e6edf3}
.kokkos{stroke:#58a6ff;fill:#58a6ff}.cuda{stroke:#f0883e;fill:#f0883e}.open{fill:#0d1117}}"""


def read(file):
    """([(algorithm, its four cells)], commit)"""
    found = records.exported([file])
    lines, commit = [], ""
    for line in found["cells"]:
        native = found["rows"][line["native"]]
        if all(native["problem"].get(name) == value for name, value in PROBLEM.items()) and native["family"] == "cuda":
            lines.append((line["algorithm"], [cell and cell["speed"] for cell in line["cells"]]))
            commit = next(r["commit"] for r in found["runs"] if r["id"] == native["run"])
    return sorted(lines, key=lambda line: -line[1][0]["value"]), commit


def at(speed):
    return round(LEFT + (RIGHT - LEFT) * speed, 1)


def shape(cell, x, y):
    kind = ("kokkos" if cell < 2 else "cuda") + ("" if cell % 2 else " open")
    return f'<circle class="{kind}" stroke-width="2" cx="{x}" cy="{y}" r="5"/>' if cell < 2 else f'<path class="{kind}" stroke-width="2" d="M{x - 6} {y}l6-6 6 6-6 6z"/>'


def mark(cell, speed, y):
    low, high = at(speed["low"]), at(speed["high"])
    return (f'<path class="{"kokkos" if cell < 2 else "cuda"}" fill="none" d="M{low} {y}H{high}M{low} {y - 4}v8M{high} {y - 4}v8"/>'
            + shape(cell, at(speed["value"]), y))


def text(x, y, words, anchor="start", kind="text", more=""):
    return f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}"{more}>{words}</text>'


def ends(lines, cell, other):
    """The smallest and the largest ratio of two cells over the filters, as text."""
    ratios = [cells[cell]["value"] / cells[other]["value"] for name, cells in lines if name != "copy" and cells[cell] and cells[other]]
    return f"{min(ratios):.2f} to {max(ratios):.2f}"


def svg(lines, commit, file):
    first, tuned = ends(lines, 0, 2), ends(lines, 1, 3)
    bottom = TOP + STEP * len(lines)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {bottom + 74}" role="img" '
           'font-family="system-ui,Segoe UI,Helvetica,Arial,sans-serif" font-size="14">',
           "<title>Kokkos and CUDA, first versions and tuned ones, one line per algorithm</title>",
           f"<desc>First versions in Kokkos reach {first} of the speed of first versions in CUDA, tuned ones {tuned} of tuned ones.</desc>",
           f"<style>{STYLE}</style>", f'<rect class="paper" width="860" height="{bottom + 74}"/>',
           text(14, 28, f"Kokkos / CUDA: first versions {first}, tuned {tuned}", more=' font-size="17" font-weight="600"'),
           text(14, 49, "{nx} x {ny} x {nz} points, {precision}, {steps} steps, NVIDIA H200. Each line is one algorithm.".format(**PROBLEM), kind="small")]
    for cell, words in enumerate(CELLS):
        out += [shape(cell, 24 + 205 * cell, 75), text(36 + 205 * cell, 80, words)]
    for tenth in range(0, 11, 2):
        x = at(tenth / 10)
        out += [f'<path class="{"one" if tenth == 10 else "grid"}" d="M{x} {TOP - 10}V{bottom - 8}"/>', text(x, bottom + 10, f"{tenth / 10:g}", "middle")]
    for number, (name, cells) in enumerate(lines):
        y = TOP + STEP * number + 10
        out.append(text(LEFT - 14, y + 5, WORDS.get(name, name), "end"))
        out += [mark(cell, cells[cell], y + (-7 if cell < 2 else 7)) for cell in (2, 3, 0, 1) if cells[cell]]
    out += [text((LEFT + RIGHT) / 2, bottom + 32, "speed relative to the fastest CUDA version of the algorithm", "middle"),
            text(14, bottom + 60, f"Bars: 95 % intervals over three processes. Both sides tuned by one sweep. Commit {commit[:7]}, {file}", kind="small"), "</svg>"]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    source, target = sys.argv[1:]
    picture = svg(*read(source), source)
    with open(target, "w", encoding="utf-8") as out:
        out.write(picture)
