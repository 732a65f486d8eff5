#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws what each decision of a Kokkos kernel costs, relative to the fastest CUDA version of the filter 'fused'.

    jobs/report/ladder_picture.py jobs/results/h200/pairs/ladder.jsonl jobs/results/h200/ladder.svg

The speeds are those of 'parity export'; $PARITY names the executable (build/parity).
"""
import sys

import records
from pairs_picture import LEFT, RIGHT, STYLE, at, mark, shape, text

SIZE = {"nx": 1024, "ny": 1024}
RUNGS = {"kokkos-fused-default-iteration": "MDRange with every default", "kokkos-fused": "Iterate::Right (first version)",
         "kokkos-fused-left-layout": "Views (i, j, k), Iterate::Left", "kokkos-fused-tile": "a tile of 2 x 128 points", "kokkos-fused-int": "indices of 32 bits",
         "kokkos-fused-pointers": "pointers in place of Views", "kokkos-fused-team": "a team for each row", "kokkos-fused-tuned": "Kokkos, tuned",
         "cuda-fused": "CUDA, first version", "cuda-fused-tuned": "CUDA, tuned"}
TOP, STEP = 104, 30


def read(file):
    """({(name, precision): speed}, commit)"""
    found = records.exported([file])
    return {(row["name"].split("/")[0], row["problem"]["precision"]): row["ratio"] for row in found["rows"]
            if all(row["problem"][axis] == n for axis, n in SIZE.items())}, found["runs"][0]["commit"]


def svg(speeds, commit, file):
    bottom = TOP + STEP * len(RUNGS)
    first, pointers = (speeds[name, "float"]["value"] / speeds["cuda-fused", "float"]["value"] for name in ("kokkos-fused", "kokkos-fused-pointers"))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 {bottom + 74}" role="img" '
           'font-family="system-ui,Segoe UI,Helvetica,Arial,sans-serif" font-size="14">',
           "<title>What each decision of a Kokkos kernel costs</title>", f"<style>{STYLE}</style>",
           f'<rect class="paper" width="900" height="{bottom + 74}"/>',
           text(14, 28, f"MDRange over Views has {first:.2f} of the speed of plain CUDA, over pointers {pointers:.2f}", more=' font-size="17" font-weight="600"'),
           text(14, 49, "The filter fused, 1024 x 1024 x 64 points, NVIDIA H200. Each line changes one decision.", kind="small")]
    for words, cell, x in (("float", 1, 24), ("double", 0, 104)):
        out += [shape(cell, x, 75), text(x + 12, 80, words)]
    for tenth in range(0, 11, 2):
        x = at(tenth / 10)
        out += [f'<path class="{"one" if tenth == 10 else "grid"}" d="M{x} {TOP - 10}V{bottom - 8}"/>', text(x, bottom + 10, f"{tenth / 10:g}", "middle")]
    for number, (name, words) in enumerate(RUNGS.items()):
        y = TOP + STEP * number + 8
        out.append(text(LEFT - 14, y + 5, words, "end"))
        out += [mark((2 if name.startswith("cuda") else 0) + (precision == "float"), speeds[name, precision], y + (-6 if precision == "float" else 6))
                for precision in ("double", "float")]
    return "\n".join([*out, text((LEFT + RIGHT) / 2, bottom + 32, "speed relative to the fastest CUDA version", "middle"),
                      text(14, bottom + 60, f"Bars: 95 % intervals over three processes. Commit {commit[:7]}, {file}", kind="small"), "</svg>"]) + "\n"


if __name__ == "__main__":
    source, target = sys.argv[1:]
    with open(target, "w", encoding="utf-8") as out:
        out.write(svg(*read(source), source))
