# SPDX-License-Identifier: BSD-3-Clause
"""The page: what a reader looks for first, then for each commit and device its figures and tables, then texts, the field, the runs."""
import pathlib
import re

import jinja2
from markupsafe import Markup, escape

from . import answers, comparison, conclusions, field, launches, libraries, overview, ratios, runs, skipped, studies, sweeps, widths
from .links import Links

TEMPLATES = pathlib.Path(__file__).parent / "templates"


def environment():
    return jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True,
                              undefined=jinja2.StrictUndefined)


def grouped(rows, key):
    groups = {}
    for r in rows:
        groups.setdefault(key(r), []).append(r)
    return list(groups.values())


def figures(origin):
    """(title, image) of the sweeps of one commit and device."""
    drawn = []
    for group in grouped([r for r in origin.fastest if r.study != "launch"], lambda r: r.study):
        drawn += [(f"{studies.title(group[0].study)} {title}", sweeps.figure(sweep, title, found))
                  for sweep, title, found in sweeps.found_in(group)]
    drawn += [(f"{variant} by block width", widths.figure(variant, cells)) for variant, cells in widths.of(origin)]
    return drawn + launches.figures(origin)


def tables(rows, pairs):
    """(study, title, bars or nothing, tables) of each run and problem: rows of two runs never share one."""
    made = []
    for group in grouped(rows, lambda r: (r.run, r.problem_key)):
        here = [p for p in pairs if p.portable.run == group[0].run and p.portable.problem_key == group[0].problem_key]
        made.append((group, comparison.table(group) + comparison.pairs(here)))
    return made


def sections(records):
    """Of each commit and device, the latest first: title, figures, tables of problems, launches."""
    runs_of = {r.id: r for r in records.runs}
    pairs_of = {}
    for p in records.pairs:
        pairs_of.setdefault(p.portable.run, []).append(p)
    origin_of = {id(row): o for o in records.origins for row in o.rows}
    rows_of = {}
    for m in records.measurements:
        rows_of.setdefault(id(origin_of.get(id(m))), []).append(m)
    made = []
    for origin in records.origins:
        rows = rows_of.get(id(origin), [])
        here = [runs_of[run] for run in dict.fromkeys(m.run for m in rows) if run in runs_of]
        drawn = figures(origin)
        plain = [m for m in rows if m.study != "launch"]
        problems = []
        for group, text in tables(plain, [p for run in here for p in pairs_of.get(run.id, [])]):
            title = studies.problem(group[0])
            with_bars = not drawn and any(r.timed for r in group)
            problems.append({"study": studies.title(group[0].study), "title": title, "run": runs_of.get(group[0].run) if len(here) > 1 else None,
                             "bars": comparison.bars(group, title) if with_bars else "", "table": text})
        launched = [m for m in rows if m.study == "launch"]
        pairs = [p for run in here for p in pairs_of.get(run.id, []) if p.portable.study == "launch"]
        made.append({"title": origin.text, "time": max((r.time for r in here), default=""), "figures": drawn, "problems": problems,
                     "conclusions": conclusions.tables(origin), "launches": launches.section(launched, pairs), "rows": len(rows),
                     "modified": any(r.modified for r in here)})
    return sorted(made, key=lambda s: s["time"], reverse=True)


def first_answers(records, lead):
    """(device, answers, guide or None) of each device that has some, the leading one first."""
    names = sorted((d.name for d in overview.devices(records)), key=lambda name: name != lead)
    return [(name, here, answers.guide(records, name)) for name in names if (here := answers.of(records, name))]


def with_names(text):
    """Names in backticks as code."""
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(text))))


CONTENTS = "<nav></nav>"  # where the page wants them
SECTION = re.compile(r"<section id=([\w-]+)>\s*<h2>(.*?)</h2>")


def with_contents(text):
    """A link to each section that has a name."""
    links = " ".join(f"<li><a href='#{name}'>{title}</a></li>" for name, title in SECTION.findall(text))
    return text.replace(CONTENTS, f"<nav aria-label='sections of this page'><ul>{links}</ul></nav>", 1)


def of(records, shown_field=None, label="", texts=(), folder=".", compared=(), explained=(), advice=()):
    """The whole page of records.Records; texts are pairs of title and file; links lead from 'folder', where the page will be; 'compared' are
    pairs of title and text, 'explained' are of explained.figures, 'advice' of
    advice.sections."""
    found = ratios.groups(records)
    shown = ratios.first(found)
    printed = [(title, text) for title, path in texts if (text := pathlib.Path(path).read_text()).strip()] + list(compared)
    return with_contents(environment().get_template("page.html").render(
        links=Links(folder), answers=first_answers(records, shown.run.device if shown else ""), with_names=with_names, doubt=answers.doubt,
        kernels=answers.KERNELS, ways=answers.WAYS, devices=overview.devices(records), noise=overview.noise(records), limit=records.noisy_width,
        failures=overview.failures(records), skipped=skipped.of(records), groups=found, first=shown,
        best=records.best, costs=overview.launch_costs(records), quantities=overview.QUANTITIES, portability=overview.portability(records),
        sections=sections(records), libraries=[Markup(x) for x in libraries.table(records.libraries)], texts=printed,
        field=Markup(field.figure(*shown_field, label)) if shown_field else "", runs=Markup(runs.table(records.runs)),
        explained=explained, advice=advice, problem=studies.problem, study_title=studies.title, rows=len(records.measurements),
        verified=sum(m.passed for m in records.measurements),
        style=Markup((TEMPLATES / "style.css").read_text()), script=Markup((TEMPLATES / "script.js").read_text())))
