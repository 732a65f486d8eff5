# SPDX-License-Identifier: BSD-3-Clause
"""The page: figures of sweeps, one section a problem, launches, texts, the field, where it was measured."""
import html
import pathlib

from . import comparison, field, launches, libraries, runs, studies, sweeps, widths

PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Parity report</title><style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222 }}
table {{ border-collapse: collapse; font-size: 14px }} th, td {{ padding: .25em .8em; border-bottom: 1px solid #ddd; text-align: right }}
th:first-child, td:first-child {{ text-align: left; font-family: monospace }} img {{ max-width: 100% }}
.wrong {{ color: #b00; font-weight: bold }} .note {{ color: #555; font-size: 14px }}
</style></head><body>{body}</body></html>"""

NOTE = ("<p class=note>vs: time of the baseline, the run's fastest native variant, over the variant's time (above 1 is faster), median over "
        "the starts that both ran in, with its 95 % interval. portable / native: a "
        "portable kernel and its native twin of the same run, launched alike, the fastest tuning of each; 1 is parity; with its 95 % "
        "interval, n starts of the program. floor_share: share of one read and one write a point and step at the speed of a copy of the same "
        "fields, measured in the same run; above 100 % planes stay in cache or on chip over the steps. error of a filter: largest "
        "deviation from the exact Fourier solution over the field's largest value; of a density: relative at every sample, of "
        "approximate methods relative to the largest density. A variant that is wrong has no time.</p>")


def grouped(rows, key):
    groups = {}
    for r in rows:
        groups.setdefault(key(r), []).append(r)
    return list(groups.values())


def section(rows, pairs, folded):
    """One problem; folded where the figures say most of it."""
    title = studies.problem(rows[0])
    tables = comparison.table(rows) + comparison.pairs(pairs)
    if folded:
        return [f"<details><summary>{html.escape(title)}</summary>{tables}</details>"]
    heading = f"<h2>{html.escape(studies.title(rows[0].study))}, {html.escape(title)}</h2>"
    return [heading, *([comparison.bars(rows, title)] if any(r.timed for r in rows) else []), tables]


def problems(rows, pairs, origins):
    """All studies but launches; each figure of rows of one origin."""
    drawn = []
    for origin in origins:
        where = f", {origin.text}" if len(origins) > 1 else ""
        for group in grouped([r for r in origin.fastest if r.study != "launch"], lambda r: r.study):
            drawn += [(sweep, title + where, found) for sweep, title, found in sweeps.found_in(group)]
    body = []
    for sweep, title, group in drawn:
        body += [f"<h2>{html.escape(studies.title(group[0].study) + ' ' + title)}</h2>", sweeps.figure(sweep, title, group)]
    for variant, cells in (found for origin in origins for found in widths.of(origin)):
        body += [f"<h2>{html.escape(variant)} by block width</h2>", widths.figure(variant, cells)]
    for group in grouped(rows, lambda r: r.problem_key):
        body += section(group, [p for p in pairs if p.portable.problem_key == group[0].problem_key], bool(drawn))
    return body


def of(records, shown_field=None, label="", texts=()):
    """The whole page of records.Records; texts are pairs of title and file."""
    rest = [r for r in records.measurements if r.study != "launch"]
    body = ["<h1>Parity: portable against native</h1>", *problems(rest, records.pairs, records.origins)]
    body += launches.section([r for r in records.measurements if r.study == "launch"],
                             [p for p in records.pairs if p.portable.study == "launch"],
                             records.origins)
    body += libraries.table(records.libraries)
    for title, path in texts:
        text = pathlib.Path(path).read_text()
        if text.strip():
            body.append(f"<h2>{html.escape(title)}</h2><pre>{html.escape(text)}</pre>")
    if rest:
        body.append(NOTE)
    if shown_field:
        body += ["<h2>A field before and after</h2>", field.figure(*shown_field, label)]
    body += ["<h2>Where this was measured</h2>", runs.table(records.runs)]
    return PAGE.format(body="\n".join(body))
