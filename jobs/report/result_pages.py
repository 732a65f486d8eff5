#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fills the tables of the pages under jobs/results from the committed records.

    jobs/report/result_pages.py                   writes the tables anew
    jobs/report/result_pages.py --check           writes nothing; exits with 1 if a table is not what the records say
    jobs/report/result_pages.py KIND ARGUMENTS    prints one table

A table stands between two comments:

    <!-- table: KIND ARGUMENTS -->
    <!-- end -->

    pairs FILE                 first version and tuned Kokkos against each native kernel, one column per problem
    best FILE                  the fastest native and portable variant of each problem
    rates FILE [VARIANT...]    the rate of each variant, or of each VARIANT/TUNING, one column per problem
    launches FILE [VARIANT...] times with their intervals, one column per quantity (kernels that spin)
    portability FILE...        Pennycook's metric of each problem that the files share
    output COMMAND [| WORDS]   what a command of parity prints, or its lines with a match of WORDS (a regular expression)
    records FOLDER             every file of records below a folder
$PARITY names the executable (build/parity).
"""
import fnmatch
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "jobs/results"
TABLE = re.compile(r"^(<!-- table: (\w+) (.*?) -->\n).*?^(<!-- end -->)$", re.DOTALL | re.MULTILINE)
SAME = ("alpha", "halo", "seed", "tolerance")  # the standard values, which no table shows


def parity(*arguments):
    executable = os.path.abspath(os.environ.get("PARITY", ROOT / "build/parity"))
    done = subprocess.run([executable, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode > 1:  # 1: rows differ, or failed their check
        sys.exit(f"result_pages: parity {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


@functools.lru_cache
def exported(file):
    return json.loads(parity("export", f"jobs/results/{file}"))


def markdown(head, lines):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *lines)) + "\n"


def names_of_problems(problems):
    """(words for what all problems share, a function that names one of them by the rest)"""
    names = [n for n in dict.fromkeys(name for p in problems for name in p) if n not in SAME]
    differ = [n for n in names if len({str(p.get(n)) for p in problems}) > 1]
    size = [n for n in ("nx", "ny", "nz") if n in differ]

    def name(p):
        grid = [" x ".join(str(p[n]) for n in size)] if size else []
        return " ".join(grid + [p[n] if isinstance(p[n], str) else f"{n} = {p[n]}" for n in differ if n not in size and n in p])

    return ", ".join(f"{n} = {problems[0][n]}" for n in names if n not in differ), name


def by_problem(first, cells, problems):
    """cells: {line: {problem's place: text}}"""
    same, name = names_of_problems(problems)
    columns = dict.fromkeys(name(p) or "value" for p in problems)
    lines = []
    for line, texts in cells.items():
        named = {name(problems[k]) or "value": text for k, text in texts.items()}
        lines.append([f"`{line}`", *(named.get(c, "") for c in columns)])
    table = [[first, *columns], *lines]
    if len(columns) > 8:  # too wide for a page
        table = list(map(list, zip(*table)))
    return f"Everywhere {same}.\n\n{markdown(table[0], table[1:])}"


def ratio_text(pair):
    r = pair["ratio"]
    return f"{r['value']:.2f}" + ("°" if r["low"] is None else "*" if r["noisy"] else "")


def pairs(file):
    found, tables = exported(file), []
    rows, of = found["rows"], found["pairs"]
    for study in dict.fromkeys(rows[of[c["best"]]["native"]]["study"] for c in found["columns"]):
        cells, problems = {}, []
        for c in found["columns"]:
            native = rows[of[c["best"]]["native"]]
            if native["study"] != study:
                continue
            first = ratio_text(of[c["idiomatic"]]) if c["idiomatic"] is not None else "-"
            tuned = f", {ratio_text(of[c['best']])}" if c["best"] != c["idiomatic"] else ""
            cells.setdefault(native["variant"], {})[len(problems)] = first + tuned
            problems.append(native["problem"])
        tables.append(by_problem("native twin", cells, problems))
    return "\n".join(tables)


def best(file):
    found, lines, problems = exported(file), [], {}
    timed = [r for r in found["rows"] if r["comparable"] and r["metrics"]]
    for row in timed:
        problems.setdefault((row["run"], row["problem_text"]), []).append(row)
    same, name = names_of_problems([rows[0]["problem"] for rows in problems.values()])
    for rows in problems.values():
        ends = {}
        for row in rows:
            side = "portable" if row["family"] == "kokkos" else "native"
            if not row["floor"] and row["time_s"]["value"] < ends.get(side, row)["time_s"]["value"] or side not in ends and not row["floor"]:
                ends[side] = row
        if len(ends) < 2:
            continue
        ratio = ends["portable"]["ratio"] if rows and found["rows"].index(ends["native"]) == ends["portable"]["baseline"] else None
        shown = ratio and (f"{ratio['value']:.2f}" + (f" [{ratio['low']:.2f}, {ratio['high']:.2f}]" if ratio["low"] is not None else "°"))
        lines.append([name(rows[0]["problem"]), *(f"{ends[s]['metrics'][0]['text']} `{ends[s]['name']}`" for s in ("native", "portable")), shown or ""])
    return f"Everywhere {same}.\n\n" + markdown(["problem", *(f"{side}, {timed[0]['metrics'][0]['unit']}" for side in ("native", "portable")), "ratio"], lines)


def rates(file, *wanted):
    """The fastest tuning of each variant; 'VARIANT/*' asks for a line per tuning."""
    chosen, problems = {}, []
    for row in exported(file)["rows"]:
        names = [row["name"] if "/" in w else row["variant"] for w in wanted or ("*",) if fnmatch.fnmatch(row["name"] if "/" in w else row["variant"], w)]
        if row["comparable"] and names:
            if row["problem"] not in problems:
                problems.append(row["problem"])
            of = chosen.setdefault(names[0], {})
            k = problems.index(row["problem"])
            of[k] = min(of.get(k, row), row, key=lambda r: r["time_s"]["value"])
    cells = {name: {k: row["metrics"][0]["text"] for k, row in of.items()} for name, of in chosen.items()}
    some = next(iter(next(iter(chosen.values())).values()))
    return by_problem(some["metrics"][0]["unit"], cells, problems)


def launches(file, *variants):
    cells = {}
    for row in exported(file)["rows"]:
        result, p = row["result_us"], row["problem"]
        if row["passed"] and p["unit"] == "spin" and (not variants or row["variant"] in variants):
            ends = f" [{result['low']:.2f}, {result['high']:.2f}]" if result["low"] is not None else "°"
            cells.setdefault(row["variant"], {}).setdefault(p["quantity"], f"{result['value']:.2f}{ends}")
    quantities = list(dict.fromkeys(q for of in cells.values() for q in of))
    return markdown(["µs", *quantities], [[f"`{v}`", *(of.get(q, "") for q in quantities)] for v, of in cells.items()])


def portability(*files):
    found = json.loads(parity("export", *(f"jobs/results/{f}" for f in files)))["portability"]
    lines = []
    for of in (p for p in found if len(p["platforms"]) > 1):
        of["platforms"].sort(key=lambda x: x["platform"])
        ends = [f"{x['efficiency']:.2f} ({x['pairs']})" for x in of["platforms"]]
        problem = ", ".join(x for x in of["problem"].split(",") if not x.startswith(SAME))
        lines.append([f"{of['study']}: {problem}", "tuned" if of["best"] else "first", *ends, f"{of['value']:.2f}"])
    return markdown(["problem", "version", *(x["platform"] + " (pairs)" for x in of["platforms"]), "metric"], lines)


def output(*words):
    command, _, wanted = " ".join(words).partition(" | ")
    lines = [line.rstrip() for line in parity(*shlex.split(command)).splitlines() if re.search(wanted, line)]
    return "```\n$ parity " + command + "\n" + "\n".join(lines) + "\n```\n"


def records(folder):
    lines = []
    for path in sorted((RESULTS / folder).rglob("*.jsonl")):
        if "type" not in json.loads(path.read_text().split("\n", 1)[0]):
            continue  # of another program
        found = exported(path.relative_to(RESULTS).as_posix())
        commits = dict.fromkeys(r["commit_text"] for r in found["runs"])
        starts = sorted({r["time_s"]["starts"] for r in found["rows"] if r["comparable"]})
        lines.append([f"[{path.relative_to(RESULTS / folder)}]({path.relative_to(RESULTS / folder)})", str(len(found["rows"])),
                      "-".join(map(str, dict.fromkeys([starts[0], starts[-1]]))) if starts else "", ", ".join(c[:7] + c[12:] for c in commits)])
    return markdown(["records", "results", "processes", "commit"], lines)


KINDS = {kind.__name__: kind for kind in (pairs, best, rates, launches, portability, output, records)}


def made(text):
    return TABLE.sub(lambda m: m[1] + KINDS[m[2]](*m[3].split()) + m[4], text)


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1] in KINDS:
        print(KINDS[sys.argv[1]](*sys.argv[2:]), end="")
        sys.exit()
    stale = [page for page in sorted(RESULTS.rglob("*.md")) if made(page.read_text()) != page.read_text()]
    for page in stale:
        if "--check" not in sys.argv:
            page.write_text(made(page.read_text()))
        print(page.relative_to(ROOT))
    sys.exit(1 if stale and "--check" in sys.argv else 0)
