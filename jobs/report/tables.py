# SPDX-License-Identifier: BSD-3-Clause
"""The page's tables and picture as files: the pairs as CSV, Markdown and SVG."""
import csv
import io

from . import drawing, page
from .records import text


def markdown(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join(lines + ["| " + " | ".join(str(c).replace("|", "\\|") for c in row) + " |" for row in rows]) + "\n"


def pairs_of(found):
    def digits(value):
        return "" if value is None else f"{value:.6g}"

    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([
        ["device", "commit", "run", "study", "problem", "portable", "native", "ratio", "low", "high", "starts", "record"],
        *([m["run"]["device"], m["run"]["commit_text"], m["run"]["id"], m["study"], m["problem_text"], m["name"], p["native"]["name"],
           *(digits(p["ratio"][end]) for end in ("value", "low", "high")), p["ratio"]["starts"], f"{m['file']}:{m['line']}"]
          for p in found["pairs"] for m in [p["portable"]])])
    return out.getvalue()


def speed_table(group):
    """Of one run and problem: each algorithm, what its fastest native version reaches, the speed of its four cells relative to that."""
    def rate(row):
        return row["metrics"][0]["text"] if row["metrics"] else f"{1e6 * row['time_s']['value']:.4g} µs"

    metrics = group.algorithms[0]["native"]["metrics"]
    return markdown(["algorithm", f"fastest native, {metrics[0]['name']} {metrics[0]['unit']}" if metrics else "fastest native, time", *drawing.CELLS],
                    [[group.name(a), f"{rate(a['native'])} `{a['native']['name']}`", *("-" if x is None else text(x["speed"]) for x in a["cells"])]
                     for a in group.algorithms])


def of(found):
    """Name -> text."""
    groups = page.groups(found)
    files = {"pairs.csv": pairs_of(found), "pairs.md": "\n".join([
        "# Speed relative to the fastest native version of each algorithm, with its 95 % interval\n",
        *(f"## {g.title}\n\n{g.run['device']}, commit {g.run['commit_text'] or 'unknown'}, {g.run['time']}\n\n{speed_table(g)}" for g in groups)])}
    if groups:
        lead = max(groups, key=lambda g: g.weight)
        files["pairs.svg"] = drawing.themed(drawing.svg_of(lead.figure(), lead.finding)).strip() + "\n"
    return files
