# SPDX-License-Identifier: BSD-3-Clause
"""The page: first the main answers, then figures and tables for each commit and device, then texts and runs."""
import pathlib
import re

import jinja2
from markupsafe import Markup

from . import answers, drawing, figures, links, records
from .records import grouped, title, unit

TEMPLATES = pathlib.Path(__file__).parent / "templates"
QUANTITIES = ("null-overhead", "dispatch", "fusion-overhead", "total-overhead")
MOST_PICTURES = 8  # for the pairs of one device and study
CONTENTS = "<nav></nav>"  # placeholder for the links to the sections
SECTION = re.compile(r"<section id=([\w-]+)>\s*<h2>(.*?)</h2>")


def times_of(rows):
    return sorted({r["run"]["time"] for r in rows if r["run"]["time"]}) or ["unknown"]


def kokkos_of(run):
    """"Kokkos 4.6.01"; empty if the run does not record it."""
    return f"Kokkos {run['kokkos']}" if run.get("kokkos") else ""


def built_with(runs):
    """The versions that times depend on: "Kokkos 4.6.01, GNU 12.2.0, NVIDIA 12.4.131"."""
    said = [part for run in runs for part in (kokkos_of(run), *re.findall(r"\b[A-Z]\w+ \d+\.[\d.]+", dict(run["lines"]).get("compilers", "")))]
    return ", ".join(dict.fromkeys(filter(None, said)))


def device_of(row):
    return row["run"]["device"] or "unknown"


def devices(found):
    """(device, versions, number of results, number of runs, first and last time, commits from the latest on) of each device."""
    made = []
    for device, rows in grouped(found["rows"], device_of).items():
        runs = sorted({r["run"]["id"]: r["run"] for r in rows}.values(), key=lambda r: r["time"], reverse=True)
        times = times_of(rows)
        made.append((device, built_with(runs), len(rows), len(runs), times[0], times[-1], list(dict.fromkeys(r["commit_text"] or "unknown" for r in runs))))
    return made


def noise(found):
    """(device, results, noisy ones, preempted samples, results without an interval) of each device. Results that failed their check have no time."""
    timed = [r for r in found["rows"] if r["passed"] and r["time_s"]["starts"]]
    return [(device, len(rows), sum(r["time_s"]["noisy"] for r in rows), preempted(rows), sum(r["time_s"]["low"] is None for r in rows))
            for device, rows in grouped(timed, device_of).items()]


def preempted(rows):
    """The share of the samples during which other programs took a processor, as text; empty if unknown."""
    part = preempted_part(rows)
    return f"{100 * part:.0f} % of the samples preempted" if part is not None else ""


def preempted_part(rows):
    known = sum(r["preempted"][1] for r in rows)
    return sum(r["preempted"][0] for r in rows) / known if known else None


def named(row):
    return f"{row['study']}/{row['name']}, {row['words']}"


def counted(rows):
    return f"{len(rows)} row{'s' if len(rows) > 1 else ''}"


def failures(found):
    """Two lists of (heading, [(text, row or None)]): failures, and other caveats that a reader must know."""
    rows = found["rows"]
    alone = grouped(found["unpaired"], lambda r: (r["study"], r["variant"], r["twin"]))
    single = grouped([r for r in rows if r["comparable"] and r["time_s"]["starts"] == 1], lambda r: r["file"])
    failed = [
        ("file that could not be read: none of its rows is here", [(why, None) for _, why in found["refused"]]),
        ("file whose last line is cut, and is not here", [(file, None) for file in found["cut"]]),
        ("row that failed its check and has no time",
         [(f"{named(r)}: error {records.number(r['error'], '.1e')}; {r['reference']}", r) for r in rows if not r["passed"]])]
    remarks = [
        ("row whose time is unreliable, though its result is right", [(f"{named(r)}: {r['caveat']}", r) for r in rows if r["caveat"]]),
        ("row lost in noise: it has no time", [(named(r), r) for r in rows if r["passed"] and not r["comparable"]]),
        ("run of sources that differed from their commit",
         [(f"{r['commit_text']}: run {r['id']} on {r['device']}", None) for r in found["runs"] if r["modified"]]),
        ("portable variant without its native twin beside it (skipped, failed or not asked for): in no pair",
         [(f"{study}/{variant} without {twin}: {counted(group)}", group[0]) for (study, variant, twin), group in sorted(alone.items())]),
        ("file with rows of one start, which have no interval: of a run that was stopped, or of a single start",
         [(f"{file}: {counted(group)}", group[0]) for file, group in sorted(single.items())])]
    return [[(what, items) for what, items in said if items] for said in (failed, remarks)]


def skipped(found):
    """(reason, device, number of results, [(words, row)]): the reason with the most results first, a line for each variant."""
    measured = {(r["run"]["id"], r["study"], r["name"], r["problem_text"]) for r in found["rows"]}
    made = []
    for (reason, device), rows in grouped(found["skipped"], lambda r: (r["reason"], device_of(r))).items():
        lines = []
        for name, group in sorted(grouped(rows, lambda r: f"{r['study']}/{r['name']}").items()):
            problems = list(dict.fromkeys(r["words"] for r in group))
            partly = sum((r["run"]["id"], r["study"], r["name"], r["problem_text"]) in measured for r in group)
            lines.append((f"{name}, {problems[0] if len(problems) == 1 else f'{len(problems)} problems'}"
                          + (f"; {partly} of {len(group)} measured in other starts of the program" if partly else ""), group[0]))
        made.append((reason, device, len(rows), lines))
    return sorted(made, key=lambda s: (-s[2], s[1], s[0]))


class Group:
    """Algorithms of one problem, commit and device, for one picture: a line for each algorithm, whose cells come from one run."""

    def __init__(self, study, problem, algorithms, pairs):
        # If several runs measured an algorithm, use the latest.
        latest = {self.name(a): a for a in sorted(algorithms, key=lambda a: a["native"]["run"]["time"])}
        self.study, self.title, self.run = study, f"{title(algorithms[0]['native'])}, {problem}", list(latest.values())[-1]["native"]["run"]
        self.algorithms = sorted(latest.values(), key=lambda a: (-next(x for x in a["cells"] if x)["speed"]["value"], self.name(a)))
        # Display order: most cells with intervals, then most cells, float, latest run, longest times.
        cells = [x for a in self.algorithms for x in a["cells"] if x]
        self.weight = (study != "launch", sum(x["speed"]["low"] is not None for x in cells), len(cells), "float" in problem,
                       self.run["time"], sum(a["native"]["time_s"]["value"] for a in self.algorithms))
        self.native = self.algorithms[0]["native"]["family"]
        self.columns = [k for k in range(len(drawing.CELLS)) if any(a["cells"][k] for a in self.algorithms)]
        self.cells = [(self.name(a), [of for form, x in enumerate(a["cells"][:3]) if x and (of := self.beside(form, pairs.get(id(x["row"]))))])
                      for a in self.algorithms]
        said = drawing.finding_of(self.cells, self.native)
        self.finding = self.title if study == "launch" else said.replace("Kokkos", kokkos_of(self.run) or "Kokkos", 1)

    @staticmethod
    def beside(form, pair):
        """The cell of a pair for drawing.beside, with the same ratio as in the tables."""
        if not pair or not 0 < pair["ratio"]["value"] < 1e6:
            return None
        return form, [pair["ratio"][end] for end in ("value", "low", "high")], not (pair["portable"]["time_s"]["noisy"] or pair["native"]["time_s"]["noisy"])

    @staticmethod
    def name(algorithm):
        native, mechanism = algorithm["native"], next(x for x in algorithm["cells"] if x)["row"]["variant"].partition("+")[2]
        more = native["words"].partition(" ")[2] if native["study"] == "launch" else ""
        return algorithm["algorithm"] + (f"+{mechanism}" if mechanism else "") + (f", {more}" if more else "")

    def figure(self):
        cells = [of for of in self.cells if of[1]]
        names = [name for name, _ in cells]
        marks, axis = drawing.beside(cells), f"speed relative to {drawing.SIDES[self.native][0]}, like with like"
        end, left = 1.06 * max([1, *(speed[0] for *_, speed in marks)]), min(0.03 + 0.0085 * max(map(len, names), default=1), 0.45)
        title, source, above, below = drawing.fitted(self.finding, f"{self.title}, {self.run['device']}. Bars: 95 % intervals")
        return drawing.framed(title, source, *drawing.dotted(names, marks, drawing.legend_of(cells), axis, end, left, 1, False, above, below))


def groups(found):
    """The groups of the latest run first."""
    def key(algorithm):
        m = algorithm["native"]
        return m["run"]["device"], m["run"]["commit_text"], m["run"].get("kokkos"), m["study"], m["words"].split(" ")[0] if m["study"] == "launch" else m["words"]

    usable = [c for c in found["cells"] if all(0 < x["speed"]["value"] < 1e6 for x in c["cells"] if x)]
    pairs = {id(p["portable"]): p for p in found["pairs"]}
    return sorted((Group(study, problem, algorithms, pairs) for (_, _, _, study, problem), algorithms in grouped(usable, key).items()), key=lambda g: g.run["time"],
                  reverse=True)


def pictures(found):
    """(device, title of the study, its first groups with their pictures, number of further groups); the device with the leading group comes first."""
    every = groups(found)
    lead = max(every, key=lambda g: g.weight, default=None)
    made = []
    for (device, study), here in sorted(grouped(every, lambda g: (g.run["device"], g.study)).items(),
                                        key=lambda x: (x[0][0] != lead.run["device"], x[0][1] != lead.study)):
        here = sorted(here, key=lambda g: g.weight, reverse=True)
        made.append((device, title({"study": study}), [(g, Markup(drawing.image(g.figure(), g.finding))) for g in here[:MOST_PICTURES]],
                     len(here) - MOST_PICTURES))
    return made


def by_version(found):
    """(device, versions of Kokkos, problem, [(variant, a pair or None for each)]) of each problem that several versions ran."""
    made = []
    for v in found["versions"]:
        named = [(next(p for p in line if p)["portable"], line) for line in v["lines"]]
        for problem, lines in grouped(named, lambda x: f"{title(x[0])}, {x[0]['words']}").items():
            made.append((v["device"], v["versions"], problem, [(portable["variant"], line) for portable, line in lines]))
    return made


def sections(found):
    """A section for each commit and device, the latest first: title, figures, tables of problems, launches."""
    pairs = grouped(found["pairs"], lambda p: (p["portable"]["run"]["id"], p["portable"]["study"], p["portable"]["problem_text"]))
    made = []
    for origin in found["origins"]:
        drawn = [(f["title"], Markup(drawing.drawn(f))) for f in figures.sweeps(origin["rows"])]
        runs = {r["run"]["id"]: r["run"] for r in origin["rows"]}
        problems, launches = [], []
        for (run, study, problem), rows in grouped(origin["rows"], lambda r: (r["run"]["id"], r["study"], r["problem_text"])).items():
            here = pairs.get((run, study, problem), [])
            if study == "launch":
                launches += here
                continue
            # A metric that at least half of the results have gets a column; the others go into 'other'.
            units = {m["name"]: "" if m["unit"] == "1" else f" {m['unit']}" for r in rows for m in r["metrics"]}
            columns = {name: name + unit for name, unit in units.items() if 2 * sum(name in r["shown"] for r in rows) >= sum(r["comparable"] for r in rows)}
            for r in rows:
                r["other"] = ", ".join(f"{name} {text}{units[name]}" for name, text in r["shown"].items() if name not in columns)
            problems.append({"title": f"{title(rows[0])}, {rows[0]['words']}", "run": runs[run] if len(runs) > 1 else None, "columns": columns, "pairs": here,
                             "parts": [part for part in ("launches", "bytes", "rest") if any(r["split_s"][part] is not None for r in rows if r["comparable"])],
                             "phases": [part for part in ("setup", "capture", "end_to_end") if any(r[f"{part}_s"] for r in rows)],
                             "other": any(r["other"] for r in rows),
                             "rows": sorted(rows, key=lambda r: r["time_s"]["value"] if r["comparable"] else float("inf")),
                             "base": next((r["name"] for r in rows if r["is_baseline"]), "")})
        made.append({"title": origin["text"], "time": times_of(origin["rows"])[-1], "figures": drawn, "tables": origin["tables"], "problems": problems,
                     "pairs_of_launches": launches, "launches": [r for r in origin["rows"] if r["study"] == "launch"], "rows": len(origin["rows"]),
                     "modified": any(r["modified"] for r in runs.values())})
    return sorted(made, key=lambda s: s["time"], reverse=True)


def launch_costs(found):
    """(commit and device, its quantities, True if plans are known, [(variant, {quantity: row})]), for each device's latest commit with launches."""
    latest = {}
    for origin in found["origins"]:
        functions = [(f["variant"], f["rows"]) for f in origin["functions"] if f["unit"] == "spin" and any(q in f["rows"] for q in QUANTITIES)]
        if functions:
            run = next(iter(functions[0][1].values()))["run"]
            if run["device"] not in latest or latest[run["device"]][0] < run["time"]:
                latest[run["device"]] = (run["time"], origin["text"], functions)
    return [(text, [q for q in QUANTITIES if any(q in rows for _, rows in functions)],
             any(links.plan_of(row["file"]) for _, rows in functions for row in rows.values()), functions) for _, text, functions in latest.values()]


def runs(found):
    """The runs that parity described itself (a separate script adds its own), the latest first, and the properties in which they differ."""
    def compared(run):
        lines = dict(run["lines"])
        return {**{what: run[what] for what in ("commit", "build", "device")}, **{what: lines.get(what, "") for what in ("CPU", "GPU")}}

    every = [r for r in found["runs"] if r["lines"] or r["complete"]] or found["runs"]
    own = sorted([r for r in every if r["complete"]] or every, key=lambda r: r["time"], reverse=True)
    return own, [what for what in (compared(own[0]) if own else ()) if len({compared(r)[what] for r in own}) > 1]


def doubt(row, has_interval):
    """The caveat of a noisy value, and the value if no interval shows it."""
    time, result = row["time_s"], row["result_us"]
    if not time["noisy"]:
        return ""
    said = ("not measurable here, the interval contains 0" if time["low"] is not None and time["low"] <= 0 <= time["high"] else
            f"noisy, fastest start {result['least']:.2f} {unit(row)}")
    return said if has_interval else f"{said}: {records.cost(result)} {unit(row)}"


def environment():
    made = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True,
                              undefined=jinja2.StrictUndefined)
    made.filters.update(text=records.text, ratio=records.ratio, cost=records.cost, difference=records.difference, share=records.share, number=records.number)
    return made


def with_contents(text):
    """Inserts a link to each section that has a name."""
    found = " ".join(f"<li><a href='#{name}'>{title}</a></li>" for name, title in SECTION.findall(text))
    return text.replace(CONTENTS, f"<nav aria-label='sections of this page'><ul>{found}</ul></nav>", 1)


def of(found, texts=(), folder="."):
    """The whole page for the result of records.read(); texts are pairs of title and file; links are relative to 'folder', where the page will be."""
    where = links.Links(folder)
    drawn, (failed, remarks) = pictures(found), failures(found)
    lead = drawn[0][0] if drawn else ""
    own, differing = runs(found)
    return with_contents(environment().get_template("page.html").render(
        links=where, missing=found.get("missing", []), answers=sorted(answers.of(found), key=lambda a: a["device"] != lead), doubt=doubt,
        devices=devices(found), noise=noise(found), limit=found["noisy_width"], failures=failed, remarks=remarks, skipped=skipped(found), pictures=drawn,
        cells=lambda g: [drawing.CELLS[k] for k in g.columns], by_version=by_version(found), costs=launch_costs(found),
        sections=sections(found), libraries=found["libraries"], library_columns=list(dict.fromkeys(name for r in found["libraries"] for name in r)),
        texts=[(title, text) for title, path in texts if (text := pathlib.Path(path).read_text()).strip()],
        runs=own, differing=differing,
        rows=len(found["rows"]), verified=sum(r["passed"] for r in found["rows"]), style=Markup((TEMPLATES / "style.css").read_text() + drawing.theme())))
