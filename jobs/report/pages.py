# SPDX-License-Identifier: BSD-3-Clause
"""What pages take from records: blocks between two comments, made again by 'jobs/report.py --pages'.

    <!-- parity: KIND ARGUMENTS -->
    made by the command
    <!-- /parity -->

Kinds, whose paths are those of the top folder:
    pairs FILE                  a native kernel a line, a problem a column
    best FILE                   the fastest native and portable row of each problem
    records FOLDER              a section for each file of records below it
    summary DEVICE              best rates, speed-up and launches
    launches FILE               what launches cost
    picture FILE SVG [WORDS]    the pairs of a problem as a picture; WORDS are in its title
    output COMMAND [| grep RE]  what a command of parity prints
"""
import contextlib
import os
import re
import shlex
import subprocess

from . import answers, launches, libraries, links, overview, ratios, records, studies, tables

ROOT = records.CLONE
BLOCK = re.compile(r"^(<!-- parity: (\w+)( [^\n]*?)? -->\n)(.*?)^(<!-- /parity -->)$", re.DOTALL | re.MULTILINE)
MOST_COLUMNS = 9  # of a table in a page


@contextlib.contextmanager
def at_root():
    """Pages name files from here, whoever starts this from wherever."""
    started_in = os.getcwd()
    os.chdir(ROOT)
    try:
        yield
    finally:
        os.chdir(started_in)


class Book:
    """All committed records, read once."""

    def __init__(self, results=None):
        self.results = results or links.RESULTS
        self.files = sorted(p for p in self.results.rglob("*.jsonl") if p.relative_to(self.results).parts[0] != "local")
        with at_root():
            self.found = records.read([os.path.relpath(p, ROOT) for p in self.files])
        if self.found.refused:
            raise records.Failure("; ".join(why for _, why in self.found.refused), 2)
        self.runs = {r.id: r for r in self.found.runs}
        self.by_file = {}
        for m in self.found.measurements:
            self.by_file.setdefault(m.origin[0], []).append(m)
        self.other = {}
        for path in self.files:
            rows = libraries.rows_of(path)
            if rows:
                self.other[os.path.relpath(path, ROOT)] = rows

    def rows(self, file):
        if file not in self.by_file:
            raise records.Failure(f"{file}: a page names it, and there are no such records", 2)
        return self.by_file[file]

    def columns(self, file):
        return [c for c in self.found.columns if c.best.portable.origin[0] == file or c.best.native.origin[0] == file]


def label(problem, names):
    """Of the parameters that vary: '128² float', 'n=4000 normal'."""
    words = []
    square = "nx" in names and problem.get("nx") == problem.get("ny")
    for name in [n for n in ("nx", "ny", "nz", "n", "steps") if n in names] + [n for n in names if n not in ("nx", "ny", "nz", "n", "steps")]:
        if name not in problem:  # of one rank, say
            continue
        value = problem[name]
        if name == "nx" and square:
            words.append(f"{value}²")
        elif name == "ny" and square:
            continue
        elif isinstance(value, str):
            words.append(value)
        else:
            words.append(f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}")
    return " ".join(words)


def varying(problems, without=()):
    every = dict.fromkeys(n for p in problems for n in p)
    names = [n for n in every if len({str(p.get(n)) for p in problems}) > 1 and n not in without]
    # The planes follow from the grid where each grid has one number of them.
    if "nz" in names and len({(p["nx"], p["ny"]) for p in problems}) == len({(p["nx"], p["ny"], p["nz"]) for p in problems}):
        names.remove("nz")
    return names


def in_columns(cells, problems, first):
    """cells: {line: {label: text}}. A table with a problem a column, or, of many problems, a line each."""
    names = varying(problems)
    heads = list(dict.fromkeys(label(p, names) for p in problems)) or [""]
    if len(heads) <= MOST_COLUMNS:
        return tables.markdown([first, *(h or "value" for h in heads)], [[f"`{name}`", *(of.get(h, "") for h in heads)] for name, of in cells.items()])
    return None


def star(estimate):
    """Marks a ratio that the interval leaves open."""
    if estimate.low is None:
        return "°"
    return "*" if estimate.noisy else ""


def short(estimate):
    return f"{estimate.value:.2f}{star(estimate)}"


def pair_cells(columns):
    problems = [c.best.native.problem for c in columns]
    names = varying(problems)
    cells = {}
    for c in columns:
        text = (short(c.idiomatic.ratio) if c.idiomatic else "-") + (f", {short(c.best.ratio)}" if c.best is not c.idiomatic else "")
        cells.setdefault(c.best.native.variant, {})[label(c.best.native.problem, names)] = text
    return cells, problems


RANGE = "least to largest over the problems"


def ranges(columns):
    """Of many problems: how far the ratios of each native kernel go."""
    of = {}
    for c in columns:
        of.setdefault(c.best.native.variant, []).append(c)

    def ends(estimates):
        found = sorted(estimates, key=lambda e: e.value)
        return "" if not found else short(found[0]) if len(found) == 1 else f"{short(found[0])} to {short(found[-1])}"

    rows = [[f"`{name}`", ends([c.idiomatic.ratio for c in found if c.idiomatic]), ends([c.best.ratio for c in found]), len(found)]
            for name, found in of.items()]
    return tables.markdown(["native twin", f"idiomatic: {RANGE}", "best portable", "comparisons"], rows)


def columns_by_study(book, file):
    found = {}
    for c in book.columns(file):
        if 0 < c.best.ratio.value < 1e6 and c.best.native.study != "launch":
            found.setdefault(c.best.native.study, []).append(c)
    return found


def pair_table(columns):
    cells, problems = pair_cells(columns)
    return in_columns(cells, problems, "native twin") or ranges(columns)


def pairs(book, file):
    found = columns_by_study(book, file)
    if not found:
        raise records.Failure(f"{file}: no pairs for a page", 2)
    return "\n".join(f"{studies.title(study)}; {common([c.best.native.problem for c in columns])}:\n\n{pair_table(columns)}"
                     for study, columns in found.items())


def common(problems):
    """What all problems share, for the line above a table."""
    names = varying(problems) if len(problems) > 1 else []
    same = {k: v for k, v in problems[0].items() if len({str(p.get(k)) for p in problems}) == 1 and k not in ("seed", "alpha", "halo", "tolerance")}
    return studies.named(same, list(same)) if names or same else ""


def launch_table(rows):
    """The quantities of each variant; of several shapes how far they go."""
    quantities = list(dict.fromkeys(m.problem["quantity"] for m in rows))
    cells = {}
    for m in rows:
        cells.setdefault(m.variant, {}).setdefault(m.problem["quantity"], []).append(m)

    def text(found):
        timed = sorted((m for m in found if m.timed), key=lambda m: m.result.value)
        if not timed:
            return "not measurable" if found else ""
        least, most = timed[0].result, timed[-1].result
        return least.text(".3g") if len(timed) == 1 else f"{least.value:.3g} to {most.value:.3g} ({len(timed)})"

    lines = [[f"`{v}`", *(text(of.get(q, [])) for q in quantities)] for v, of in cells.items()]
    if len(quantities) <= MOST_COLUMNS:
        return tables.markdown(["µs", *quantities], lines)
    flat = [[f"`{v}`", q, text(found)] for v, of in cells.items() for q, found in of.items()]
    return tables.markdown(["variant", "quantity", "µs"], flat)


def fastest(rows):
    """Of each variant and problem the fastest tuning."""
    found = {}
    for m in rows:
        if m.timed:
            key = (m.variant, m.problem_key)
            if key not in found or m.time.value < found[key].time.value:
                found[key] = m
    return list(found.values())


def rate_table(rows):
    """Rows that are in no pair: the figure of merit of each variant, a problem a column."""
    rows = fastest(rows)
    if not rows or not rows[0].metrics:
        return ""
    problems = [m.problem for m in rows]
    names = varying(problems)
    cells = {}
    for m in rows:
        cells.setdefault(m.variant, {})[label(m.problem, names)] = m.metrics[0].text
    unit = f"{rows[0].metrics[0].name} {rows[0].metrics[0].unit}"
    table = in_columns(cells, problems, unit)
    if table:
        return table
    of = {}
    for m in rows:
        of.setdefault(m.variant, []).append(m)

    def ends(found):
        # The value as the program prints it, in the order of its times.
        by = sorted(found, key=lambda m: float(m.metrics[0].text))
        return by[0].metrics[0].text if len(by) == 1 else f"{by[0].metrics[0].text} to {by[-1].metrics[0].text}"

    return tables.markdown([unit, RANGE, "problems"], [[f"`{v}`", ends(found), len(found)] for v, found in of.items()])


def origin_line(book, file, rows):
    runs = list(dict.fromkeys(m.run for m in rows))
    known = [book.runs[r] for r in runs]
    commits = ", ".join(dict.fromkeys(r.commit or "unknown" for r in known))
    devices = ", ".join(dict.fromkeys(r.device or "unknown" for r in known))
    wrong = sum(not m.passed for m in rows)
    starts = sorted({m.time.blocks for m in rows if m.timed})
    said = (f"{len(starts) and (starts[0] if len(starts) == 1 else f'{starts[0]} to {starts[-1]}')} start{'s' if starts[-1:] != [1] else ''} a row")
    plan = links.plan_of(str(ROOT / file))
    text = (f"{devices}; commit {commits}; {known[0].time[:10] or 'no date'}; {len(rows)} rows, {said}, "
            f"{'all verified' if not wrong else f'{wrong} failed their check'}; ")
    return text, plan


def records_of(book, folder):
    """A section for each file of records below a folder."""
    out = []
    base = ROOT / folder
    for path in [p for p in book.files if p.is_relative_to(base)]:
        file = os.path.relpath(path, ROOT)
        name = os.path.relpath(path, base)
        out.append(f"### [{name}]({name})\n")
        if file in book.other:
            rows = book.other[file]
            columns = list(dict.fromkeys(k for r in rows for k in r))
            out += ["Times of other libraries, as the script in `variants/libraries/` wrote them.\n",
                    tables.markdown(columns, [[f"{v:.4g}" if isinstance(v, float) else v for v in (r.get(c, "") for c in columns)] for r in rows])]
            continue
        rows = book.rows(file)
        text, plan = origin_line(book, file, rows)
        where = f"plan [{plan.name}]({os.path.relpath(plan, base)})" if plan else \
            "of several studies" if len({m.study for m in rows}) > 1 else "measured from the command line"
        beside = " What it shows: [the page beside it](" + os.path.relpath(path.parent / "README.md", base) + ")." \
            if path.parent != base and (path.parent / "README.md").is_file() else ""
        remark = links.remark(path)
        out.append(f"{text}{where}.{beside}" + (f" **{remark}**" if remark else "") + "\n")
        found = columns_by_study(book, file)
        if found:
            out += ["Native time / portable time, idiomatic and, where it is another row, best portable.\n", pairs(book, file)]
        for study in dict.fromkeys(m.study for m in rows):
            plain = [m for m in rows if m.study == study]
            if study != "launch" and study not in found:
                out += [f"{studies.title(study)}; {common([m.problem for m in plain])}:\n", rate_table(plain)]
        launched = [m for m in rows if m.study == "launch"]
        if launched:
            out += [f"µs; of several shapes the least and the largest and how many; {common([m.problem for m in launched])}:\n", launch_table(launched)]
    return "\n".join(out)


def picture(book, file, target, words):
    columns = set(map(id, book.columns(file)))
    found = [g for g in ratios.groups(book.found) if any(m.pair is c.best or m.pair is c.idiomatic for c in book.found.columns if id(c) in columns
                                                          for r in g.rows for m in r.marks)]
    group = ratios.first([g for g in found if words in g.title])
    if group is None:
        raise records.Failure(f"{file}: no pairs for a picture", 2)
    return group, tables.picture(group), target


def output(arguments):
    """What a command of parity prints, or the lines that match after '| grep WORDS'."""
    command, _, wanted = arguments.partition(" | grep ")
    done = subprocess.run([records.executable(), *shlex.split(command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    if done.returncode > 1 or not done.stdout:
        raise records.Failure(f"parity {command}: {done.stderr.strip().splitlines()[-1:]}", 2)
    lines = [line for line in done.stdout.strip("\n").splitlines() if not wanted or re.search(wanted.strip("'\""), line)]
    if not lines:
        raise records.Failure(f"parity {arguments}: prints no such line", 2)
    return f"```\n$ parity {arguments}\n" + "\n".join(line.rstrip() for line in lines) + "\n```\n"


def address(page, path):
    return os.path.relpath(ROOT / path, page.parent)


def with_record(page, text, name, row):
    """A text in which a name leads to its row."""
    return text.replace(name, f"[{name}]({address(page, row.origin[0])}#L{row.origin[1]})", 1) if row else text


def linked_answer(page, answer):
    """Cells of an answer: each number and the name of what it is compared with lead to their records."""
    what, cells = answer.what, []
    for text, rows in zip((answer.native, answer.portable), answer.sides):
        cells.append(with_record(page, text, text.split(", `")[0], rows[0] if rows else None))
        for row in rows[1:]:
            if f"[`{row.variant}`]" not in what:
                what = with_record(page, what, f"`{row.variant}`", row)
    plans = dict.fromkeys(links.plan_of(str(ROOT / row.origin[0])) for row in answer.rows)
    return [what, *cells, answer.ratio, ", ".join(f"[{plan.name}]({address(page, plan)})" for plan in plans if plan)]


def best(book, file):
    """Of each problem the fastest native row, which is the baseline, and the fastest portable one with its share of it."""
    groups = {}
    for m in book.rows(file):
        if m.timed and m.study != "launch":
            groups.setdefault((m.run, m.problem_key), []).append(m)
    problems = [rows[0].problem for rows in groups.values()]
    if not problems:
        raise records.Failure(f"{file}: no rows with a rate for a page", 2)
    names, lines = varying(problems), []
    for rows in groups.values():
        base = next((m for m in rows if m.is_baseline), None)
        portable = min((m for m in rows if m.family == "kokkos" and not m.floor and m.ratio), key=lambda m: m.time.value, default=None)
        if base and base.family != "kokkos":
            texts = {m.name: m.text for m in base.metrics}
            lines.append([label(rows[0].problem, names), f"`{base.name}`", base.metrics[0].text, texts.get("step_time", "-"),
                          f"`{portable.name}`" if portable else "-", portable.metrics[0].text if portable else "-",
                          portable.ratio.text(".2f") if portable else "-"])
    rate = f"{rows[0].metrics[0].name} {rows[0].metrics[0].unit}"
    return tables.markdown(["problem", "best native", rate, "µs a step", "best portable", rate, "native time / portable time"], lines)


def summary(book, page, device):
    """The rows that a reader looks for first, of one device."""
    rows = [linked_answer(page, a) for a in answers.of(book.found, device, without=())]
    if not rows:
        raise records.Failure(f"{page}: no rates of '{device}'", 2)
    return tables.markdown([device, "native", "portable", "native time / portable time", "plan"], rows)


def launch_costs(book, file):
    rows = [m for m in book.rows(file) if m.study == "launch" and m.problem["unit"] == "spin" and m.problem["quantity"] in overview.QUANTITIES]
    return launch_table(rows)


def block(book, page, kind, arguments, made):
    if kind == "pairs":
        return pairs(book, arguments)
    if kind == "records":
        return records_of(book, arguments)
    if kind == "best":
        return best(book, arguments)
    if kind == "summary":
        return summary(book, page, arguments)
    if kind == "launches":
        return launch_costs(book, arguments)
    if kind == "output":
        return output(arguments)
    if kind == "picture":
        file, target, *words = arguments.split(maxsplit=2)
        group, text, target = picture(book, file, target, "".join(words))
        made[ROOT / target] = text
        return f"![{group.title} on {group.run.device}: native time / portable time]({os.path.relpath(ROOT / target, page.parent)})\n"
    raise records.Failure(f"{page}: '{kind}' is no kind of block", 2)


def pages_with_blocks(root=ROOT):
    return [p for p in sorted(root.rglob("*.md")) if not any(part.startswith(("build", ".")) for part in p.relative_to(root).parts[:-1])
            and BLOCK.search(p.read_text())]


def made():
    """Every page with blocks and every picture: path -> text as the records say now."""
    book, texts = Book(), {}
    with at_root():
        for page in pages_with_blocks():
            def replaced(match, page=page):
                return match[1] + "\n" + block(book, page, match[2], (match[3] or "").strip(), texts).strip("\n") + "\n\n" + match[5]

            texts[page] = BLOCK.sub(replaced, page.read_text())
    return texts
