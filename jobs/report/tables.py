# SPDX-License-Identifier: BSD-3-Clause
"""The page's tables and picture as files: CSV and Markdown of the pairs and best rates, and the pairs as SVG."""
import csv
import io

from markupsafe import Markup

from . import ratios, skipped, studies
from .page import environment


def markdown(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join(lines + ["| " + " | ".join(str(c).replace("|", "\\|") for c in row) + " |" for row in rows]) + "\n"


def comma_separated(columns, rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([columns, *rows])
    return out.getvalue()


def picture(group):
    """A standalone SVG of one group of pairs; always the same for the same records."""
    return environment().get_template("pairs.svg").render(g=group).strip() + "\n" if group else ""


def cells_of(pair):
    return [pair.portable.name, pair.native.name]


def pairs_of(records):
    runs = {r.id: r for r in records.runs}
    columns = ["device", "commit", "run", "study", "problem", "portable", "native", "ratio", "low", "high", "starts", "record"]
    rows = []
    for p in records.pairs:
        run = runs.get(p.portable.run)
        path, line = p.portable.origin
        rows.append([run.device if run else "", run.commit if run else "", p.portable.run, p.portable.study, studies.problem(p.portable),
                     p.portable.name, p.native.name, f"{p.ratio.value:.6g}", "" if p.ratio.low is None else f"{p.ratio.low:.6g}",
                     "" if p.ratio.high is None else f"{p.ratio.high:.6g}", p.ratio.blocks, f"{path}:{line}"])
    return columns, rows


def ratio_table(group):
    """Of one run and problem: each native kernel, what a user writes first, the best portable row."""
    rows = []
    for r in group.rows:
        sides = {m.side: m.pair for m in r.marks}
        best = sides.get("best") or sides["idiomatic"]
        native = best.native
        rows.append([f"`{native.name}`", rate_of(native), sides["idiomatic"].ratio.text(".3f") if "idiomatic" in sides else "", best.ratio.text(".3f"),
                     f"`{best.portable.name}`"])
    return markdown(["native", rows_unit(group), "idiomatic", "best portable", "which is"], rows)


def rows_unit(group):
    metrics = group.rows[0].marks[0].pair.native.metrics
    return f"{metrics[0].name} {metrics[0].unit}" if metrics else "time"


def rate_of(row):
    return row.metrics[0].text if row.metrics else f"{1e6 * row.time.value:.4g} µs"


def best_of(records):
    rows = []
    for b in records.best:
        for side, row, gain in (("native", b.native, b.native_gain), ("portable", b.portable, b.portable_gain)):
            if row:
                rows.append([b.device, b.study, b.precision, side, row.name, row.metrics[0].text, row.metrics[0].unit,
                             gain.text(".3f") if gain else "", b.ratio.text(".3f") if b.ratio else "", studies.problem(row),
                             "{}:{}".format(*row.origin)])
    return ["device", "study", "precision", "side", "row", "rate", "unit", "over original", "native time / portable time", "problem", "record"], rows


def of(records):
    """Name -> text."""
    groups = ratios.groups(records)
    first = ratios.first(groups)
    files = {"pairs.csv": comma_separated(*pairs_of(records)), "best_rates.csv": comma_separated(*best_of(records))}
    text = ["# Pairs: native time / portable time, with its 95 % interval\n"]
    text += [f"## {g.title}\n\n{g.run.device}, commit {g.run.commit or 'unknown'}, {g.run.time}\n\n{ratio_table(g)}" for g in groups]
    files["pairs.md"] = "\n".join(text)
    files["best_rates.md"] = "# Best rates\n\n" + markdown(*best_of(records))
    if records.skipped:
        files["skipped.csv"] = comma_separated(*skipped.table(records))
    if first:
        files["pairs.svg"] = Markup(picture(first))
    return files
