#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the picture of README.md: Kokkos relative to CUDA, one line per algorithm.

    jobs/report/pairs_picture.py jobs/results/h200/pairs/pairs.jsonl jobs/results/h200/pairs.svg

The ratios are those of 'parity export'; $PARITY names the executable (build/parity).
"""
import sys

import records

PROBLEM = {"nx": 512, "ny": 512, "nz": 64, "steps": 32, "precision": "float"}
WORDS = {
    "cuda-copy": "copy (no filter)",
    "cuda-baseline": "array operations, one by one",
    "cuda-laplacian-1d": "Laplacian, flat index",
    "cuda-laplacian-2d": "Laplacian, tiles",
    "cuda-halo-update": "Laplacian and halo",
    "cuda-field-update": "Laplacian, halo and update",
    "cuda-shared-memory": "shared memory",
    "cuda-shared-memory-fixed-warps": "shared memory, fixed warps",
    "cuda-shared-memory-overlapping": "shared memory, overlapping tiles",
    "cuda-fused-1d": "fused, flat index",
    "cuda-fused-2d": "fused, tiles",
    "cuda-fused-wrap": "fused, periodic index",
    "cuda-fused-column": "fused, columns in registers",
}
LEFT, RIGHT, TOP, STEP = 262, 790, 104, 26  # the axis from 0 to 1, the first line, the distance of lines
STYLE = """
.paper{fill:#fff}.text{fill:#1f2328}.small{fill:#59636e;font-size:12.5px}.grid{stroke:#d8dee4}.one{stroke:#1f2328}.span{stroke:#c4ccd4}
.first{fill:#b35900;stroke:#b35900}.tuned{fill:#0b5fa5;stroke:#0b5fa5}
@media(prefers-color-scheme:dark){.paper{fill:#0d1117}.text{fill:#e6edf3}.small{fill:#9198a1}.grid{stroke:#2f353d}.one{stroke:#e6edf3}
.span{stroke:#59636e}.first{fill:#f0883e;stroke:#f0883e}.tuned{fill:#58a6ff;stroke:#58a6ff}}"""


def read(file):
    """([(native variant, ratio of the first version or None, ratio of the tuned one or None)], commit)"""
    found = records.exported([file])
    rows, lines, commit = found["rows"], [], ""
    for column in found["columns"]:
        best = found["pairs"][column["best"]]
        row = rows[best["portable"]]
        if any(row["problem"].get(name) != value for name, value in PROBLEM.items()):
            continue
        first = found["pairs"][column["idiomatic"]] if column["idiomatic"] is not None else None
        tuned = best if column["idiomatic"] != column["best"] else None
        lines.append((rows[best["native"]]["variant"], first and first["ratio"], tuned and tuned["ratio"]))
        commit = next(r["commit"] for r in found["runs"] if r["id"] == row["run"])
    return sorted(lines, key=lambda line: -(line[1] or line[2])["value"]), commit


def at(ratio):
    return round(LEFT + (RIGHT - LEFT) * ratio, 1)


def shape(side, x, y):
    if side == "first":
        return f'<circle class="first" cx="{x}" cy="{y}" r="5.5"/>'
    return f'<path class="tuned" d="M{x - 6} {y}l6-6 6 6-6 6z"/>'


def mark(side, ratio, y):
    low, high = at(ratio["low"]), at(ratio["high"])
    return (f'<path class="{side}" fill="none" stroke-width="1.5" d="M{low} {y}H{high}M{low} {y - 4}v8M{high} {y - 4}v8"/>'
            + shape(side, at(ratio["value"]), y))


def text(x, y, words, anchor="start", kind="text", more=""):
    return f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}"{more}>{words}</text>'


def svg(lines, commit, file):
    filters = [line for line in lines if line[0] != "cuda-copy"]
    ends = [f'{pick([line[side]["value"] for line in filters if line[side]]):.2f}' for side in (1, 2) for pick in (min, max)]
    bottom = TOP + STEP * len(lines)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {0}" role="img" font-family="system-ui,Segoe UI,Helvetica,Arial,sans-serif" '
           'font-size="14">'.format(bottom + 74),
           "<title>Kokkos relative to hand-written CUDA, one line per algorithm</title>",
           "<desc>First versions of the filters reach {} to {} of the speed of the CUDA twin, tuned ones {} to {}.</desc>".format(*ends),
           f"<style>{STYLE}</style>", f'<rect class="paper" width="860" height="{bottom + 74}"/>',
           text(14, 28, "Kokkos against tuned CUDA: first versions {} to {}, tuned {} to {}".format(*ends),
                more=' font-size="17" font-weight="600"'),
           text(14, 49, "{nx} x {ny} x {nz} points, {precision}, {steps} steps, NVIDIA H200. Each line is one algorithm on both sides.".format(**PROBLEM), kind="small"),
           shape("first", LEFT + 6, 75), text(LEFT + 18, 80, "first version"),
           shape("tuned", LEFT + 300, 75), text(LEFT + 312, 80, "tuned Kokkos")]
    for tenth in range(0, 11, 2):
        x = at(tenth / 10)
        out += [f'<path class="{"one" if tenth == 10 else "grid"}" d="M{x} {TOP - 10}V{bottom - 8}"/>', text(x, bottom + 10, f"{tenth / 10:g}", "middle")]
    for number, (name, first, tuned) in enumerate(lines):
        y = TOP + STEP * number + 4
        out.append(text(LEFT - 14, y + 5, f"<title>{name}</title>{WORDS.get(name, name)}", "end"))
        if first and tuned:
            out.append(f'<path class="span" stroke-width="2" d="M{at(first["value"])} {y}H{at(tuned["value"])}"/>')
        if first:
            out += [mark("first", first, y), text(at(first["low"]) - 8, y + 4.5, f'{first["value"]:.2f}', "end", "small")]
        if tuned:
            out += [mark("tuned", tuned, y), text(RIGHT + 16, y + 4.5, f'{tuned["value"]:.2f}', kind="small")]
    out += [text((LEFT + RIGHT) / 2, bottom + 32, "CUDA time / Kokkos time; 1 is parity", "middle"),
            text(14, bottom + 60, f"Bars: 95 % intervals over three processes. Both sides tuned by one sweep. Commit {commit[:7]}, {file}", kind="small"), "</svg>"]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    file, target = sys.argv[1:]
    picture = svg(*read(file), file)
    with open(target, "w", encoding="utf-8") as out:
        out.write(picture)
