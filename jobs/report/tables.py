# SPDX-License-Identifier: BSD-3-Clause
"""The page's tables and picture as files: CSV and Markdown of the pairs and best rates, and the pairs as SVG."""
import csv
import io

from . import drawing, page
from .records import text


def markdown(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join(lines + ["| " + " | ".join(str(c).replace("|", "\\|") for c in row) + " |" for row in rows]) + "\n"


def comma_separated(columns, rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([columns, *rows])
    return out.getvalue()


def record(row):
    return f"{row['file']}:{row['line']}"


def problem(row):
    """Every parameter of what a launch is measured by."""
    return row["problem_text"].replace("=", " = ").replace(",", ", ") if row["study"] == "launch" else row["words"]


def pairs_of(found):
    def digits(value):
        return "" if value is None else f"{value:.6g}"

    columns = ["device", "commit", "run", "study", "problem", "portable", "native", "ratio", "low", "high", "starts", "record"]
    return columns, [[m["run"]["device"], m["run"]["commit_text"], m["run"]["id"], m["study"], problem(m), m["name"], p["native"]["name"],
                      *(digits(p["ratio"][end]) for end in ("value", "low", "high")), p["ratio"]["starts"], record(m)]
                     for p in found["pairs"] for m in [p["portable"]]]


def speed_table(group):
    """Of one run and problem: each algorithm, what its fastest native version reaches, the speed of its four cells relative to that."""
    def rate(row):
        return row["metrics"][0]["text"] if row["metrics"] else f"{1e6 * row['time_s']['value']:.4g} µs"

    metrics = group.algorithms[0]["native"]["metrics"]
    return markdown(["algorithm", f"fastest native, {metrics[0]['name']} {metrics[0]['unit']}" if metrics else "fastest native, time", *drawing.CELLS],
                    [[group.name(a), f"{rate(a['native'])} `{a['native']['name']}`", *("-" if x is None else text(x["speed"]) for x in a["cells"])]
                     for a in group.algorithms])


def best_of(found):
    columns = ["device", "study", "precision", "side", "row", "rate", "unit", "over original", "native time / portable time", "problem", "record"]
    return columns, [[b["device"], b["study"], b["precision"], side, m["name"], m["metrics"][0]["text"], m["metrics"][0]["unit"],
                      text(gain) if (gain := b[f"{side}_gain"])["starts"] else "", text(b["ratio"]) if b["ratio"]["starts"] else "", problem(m), record(m)]
                     for b in found["best"] for side in ("native", "portable") for m in [b[side]] if m]


def skipped_of(found):
    columns = ["device", "run", "study", "problem", "row", "starts", "reason", "record"]
    return columns, [[page.device_of(r), r["run"]["id"], r["study"], problem(r), r["name"], " ".join(map(str, r["starts"])), r["reason"], record(r)]
                     for r in found["skipped"]]


def of(found):
    """Name -> text."""
    groups = page.groups(found)
    files = {"pairs.csv": comma_separated(*pairs_of(found)), "best_rates.csv": comma_separated(*best_of(found))}
    files["pairs.md"] = "\n".join(["# Speed relative to the fastest native version of each algorithm, with its 95 % interval\n",
                                   *(f"## {g.title}\n\n{g.run['device']}, commit {g.run['commit_text'] or 'unknown'}, {g.run['time']}\n\n{speed_table(g)}"
                                     for g in groups)])
    files["best_rates.md"] = "# Best rates\n\n" + markdown(*best_of(found))
    if found["skipped"]:
        files["skipped.csv"] = comma_separated(*skipped_of(found))
    if groups:
        lead = max(groups, key=lambda g: g.weight)
        files["pairs.svg"] = drawing.themed(drawing.svg_of(lead.figure(), lead.finding)).strip() + "\n"
    return files
