#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fills the generated parts of the pages: tables from the committed records, the reference of commands and variants from parity itself.

    jobs/report/result_pages.py                   writes the tables again
    jobs/report/result_pages.py --check           writes nothing; exits with 1 if a table does not match the records
    jobs/report/result_pages.py KIND ARGUMENTS    prints one table

A table stands between two comments:

    <!-- table: KIND ARGUMENTS -->
    <!-- end -->

    pairs FILE                 the cells of each algorithm relative to its fastest native version, a table per problem
    versions PATTERN FILES     the pairs whose Kokkos variant matches, a column per version of Kokkos, from the records of one device that match FILES
    best FILE                  the fastest native and portable variant of each problem
    best_by_version FILES      the speed of the fastest portable one relative to the fastest native one, a column per version of Kokkos
    launches_by_version FILES  the times of launches and nodes, a column per version of Kokkos
    rates FILE [VARIANT...]    the rate of each variant, or of each VARIANT/TUNING, one column per problem
    launches FILE              times with their intervals, one column per quantity (kernels that spin), and ratios of the first pair
    scaling weak|strong PATTERN...  µs per step (for densities in total) on several ranks, and their efficiency against one
    output COMMAND [| [TITLE >>] WORDS]   the output of a command of parity, or its lines that match WORDS (a regular expression), from the last block
                               whose title matches TITLE
    table FILE                 a CSV file without its comment
    records FOLDER             every file of records below a folder
    help GROUP                 the output of '--help' of each command in the group of 'parity --help' whose heading has the word
    variants STUDY             the variants of 'parity list --json', a line per algorithm
$PARITY names the executable (build/parity).
"""
import csv
import fnmatch
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "jobs/results"
PAGES = [page for folder in ("*.md", "cmake/*.md", "jobs/**/*.md", "miniapp/**/*.md", "variants/*.md") for page in sorted(ROOT.glob(folder))]
BACKENDS = {"kokkos": "Kokkos", "cuda": "CUDA", "hip": "HIP", "openmp": "OpenMP", "cupy": "CuPy", "reference": "reference"}
TABLE = re.compile(r"^(<!-- table: (\w+) (.*?) -->\n).*?^(<!-- end -->)$", re.DOTALL | re.MULTILINE)
SAME = ("alpha", "halo", "seed", "tolerance")  # parameters with standard values, which no table shows


def parity(*arguments):
    executable = os.path.abspath(os.environ.get("PARITY", ROOT / "build/parity"))
    done = subprocess.run([executable, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "COLUMNS": "100"})
    if done.returncode > 1:  # 1: results differ, or failed their check
        sys.exit(f"result_pages: parity {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


@functools.lru_cache
def exported(*files):
    return json.loads(parity("export", *(f"jobs/results/{file}" for file in files)))


def markdown(head, lines):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *lines)) + "\n"


def names_of(problems):
    """(text of the parameters that all problems share, a name of each problem from the others)"""
    names = [n for n in dict.fromkeys(name for p in problems for name in p) if n not in SAME]
    differ = [n for n in names if len({str(p.get(n)) for p in problems}) > 1]
    size = [n for n in ("nx", "ny", "nz") if n in differ]
    rest = [n for n in differ if n not in size]
    named = [" ".join([" x ".join(str(p[n]) for n in size)] * bool(size) + [p[n] if isinstance(p[n], str) else f"{n} = {p[n]}" for n in rest if n in p])
             for p in problems]
    same = ", ".join(f"{n} = {problems[0][n]}" for n in names if n not in differ)
    return f"Everywhere {same}.\n\n" * bool(same), named


def by_problem(first, cells):
    """cells: [(line, problem, text)]"""
    same, names = names_of([problem for _, problem, _ in cells])
    lines = {}
    for (line, _, text), name in zip(cells, names):
        lines.setdefault(line, {})[name or "value"] = text
    columns = list(dict.fromkeys(names)) if any(names) else ["value"]
    table = [[first, *columns], *([f"`{line}`", *(texts.get(c, "") for c in columns)] for line, texts in lines.items())]
    if len(columns) > 8:  # too wide for a page
        table = [list(line) for line in zip(*table)]
    return same + markdown(table[0], table[1:])


def speed_text(cell):
    if cell is None:
        return "-"
    r = cell["speed"]
    return f"{r['value']:.2f}" + ("°" if r["low"] is None else "*" if r["high"] - r["low"] > 0.1 * r["value"] else "")


def algorithm_of(found, cells):
    variant = found["rows"][next(x for x in cells["cells"] if x)["row"]]["variant"]
    return cells["algorithm"] + "".join(variant.partition("+")[1:])


def pairs(file):
    """A table for each problem, whose columns are the versions that it has."""
    found = exported(file)
    same, names = names_of([found["rows"][c["native"]]["problem"] for c in found["cells"]])
    tables = {}
    for cells, name in zip(found["cells"], names):
        tables.setdefault(name, []).append(cells)
    native = BACKENDS[found["rows"][found["cells"][0]["native"]]["family"]]
    heads = [f"{side}{form}" for side in ("Kokkos", native) for form in (", first", ", tuned", "")]
    made = []
    order = list(dict.fromkeys(c["algorithm"] for c in found["cells"]))
    for name, lines in tables.items():
        lines.sort(key=lambda c: order.index(c["algorithm"]))
        columns = [k for k in range(6) if any(c["cells"][k] for c in lines)]
        made.append(markdown([name or "algorithm", *(heads[k] for k in columns)], [[f"`{algorithm_of(found, c)}`", *(speed_text(c["cells"][k]) for k in columns)] for c in lines]))
    return same + "\n".join(made)


def versions(pattern, files):
    found = exported(*(f.relative_to(RESULTS).as_posix() for f in sorted(RESULTS.glob(files))))
    (here,), tables = found["versions"], {}
    for line in here["pairs"]:
        row = found["rows"][next(found["pairs"][k]["portable"] for k in line if k is not None)]
        if fnmatch.fnmatch(row["variant"], pattern):
            cells = ["-" if k is None else speed_text({"speed": found["pairs"][k]["ratio"]}) for k in line]
            tables.setdefault(row["problem_text"], (row["problem"], []))[1].append([f"`{row['variant']}`", *cells])
    same, names = names_of([problem for problem, _ in tables.values()])
    return same + "\n".join(markdown([name or "variant", *here["versions"]], lines) for name, (_, lines) in zip(names, tables.values()))


def fastest(found):
    """(problem, fastest native and portable result) of each problem that has both."""
    problems = {}
    for row in found["rows"]:
        if row["comparable"] and not row["floor"]:
            sides = problems.setdefault(row["problem_text"], {})
            side = "portable" if row["family"] == "kokkos" else "native"
            sides[side] = min(sides.get(side, row), row, key=lambda r: r["time_s"]["value"])
    both = [sides for sides in problems.values() if len(sides) == 2]
    assert all(sides["portable"]["baseline"] == found["rows"].index(sides["native"]) for sides in both)
    return both


def best(file):
    both = fastest(exported(file))
    same, names = names_of([sides["native"]["problem"] for sides in both])
    lines = []
    for sides, name in zip(both, names):
        r = sides["portable"]["ratio"]
        lines.append([name, *(f"{sides[s]['metrics'][0]['text']} `{sides[s]['name']}`" for s in ("native", "portable")),
                      f"{r['value']:.2f} [{r['low']:.2f}, {r['high']:.2f}]"])
    unit = both[0]["native"]["metrics"][0]["unit"]
    return same + markdown(["problem", f"native, {unit}", f"portable, {unit}", "ratio"], lines)


def best_by_version(files):
    cells, problems = {}, {}
    for found in (exported(f.relative_to(RESULTS).as_posix()) for f in sorted(RESULTS.glob(files))):
        for sides in fastest(found):
            problems[sides["native"]["problem_text"]] = sides["native"]["problem"]
            cells.setdefault(found["runs"][0]["kokkos"], {})[sides["native"]["problem_text"]] = f"{speed_text({'speed': sides['portable']['ratio']})} `{sides['portable']['name']}`"
    same, names = names_of(list(problems.values()))
    return same + markdown(["problem", *cells], [[name, *(of.get(text, "-") for of in cells.values())] for text, name in zip(problems, names)])


def launches_by_version(files):
    lines, versions = {}, []
    for found in (exported(f.relative_to(RESULTS).as_posix()) for f in sorted(RESULTS.glob(files))):
        versions.append(found["runs"][0]["kokkos"])
        for row in (r for r in found["rows"] if r["passed"] and not r["caveat"]):
            p, r = row["problem"], row["result_us"]
            what = p["quantity"] + f", {p['argument_bytes']} bytes" * (p["quantity"] != "node")
            lines.setdefault((what, row["variant"]), {})[versions[-1]] = f"{r['value']:.2f}" + ("°" if r["low"] is None else "*" if r["high"] - r["low"] > 0.1 * r["value"] else "")
    return markdown(["µs", "variant", *versions], [[what, f"`{variant}`", *(of.get(v, "-") for v in versions)] for (what, variant), of in lines.items()])


def rates(file, *wanted):
    chosen = {}
    for row in (r for r in exported(file)["rows"] if r["comparable"]):
        names = [row["name" if "/" in w else "variant"] for w in wanted or ("*",) if fnmatch.fnmatch(row["name" if "/" in w else "variant"], w)]
        for name in names[:1]:
            key = (name, row["problem_text"])
            chosen[key] = min(chosen.get(key, row), row, key=lambda r: r["time_s"]["value"])
    cells = [(name, row["problem"], row["metrics"][0]["text"]) for (name, _), row in chosen.items()]
    return by_problem(next(iter(chosen.values()))["metrics"][0]["unit"], cells)


def joules(file):
    """nJ per point and step, from the device's counter."""
    cells = []
    for row in exported(file)["rows"]:
        taken, p = {m["name"]: float(m["text"]) for m in row["metrics"] if m["unit"] == "J"}, row["problem"]
        cells.append((row["name"], p, f"{1e9 * taken['step_energy'] / (p['nx'] * p['ny'] * p['nz']):.2f}"))
    return by_problem("nJ", cells)


def launches(file):
    cells, found = {}, exported(file)
    portable = [(found["rows"][pair["portable"]], pair["ratio"]) for pair in found["pairs"]]
    for name, row, r in [*((row["variant"], row, row["result_us"]) for row in found["rows"]),
                         *(("ratio: cuda-kernel / kokkos-kernel", row, ratio) for row, ratio in portable if row["variant"] == "kokkos-kernel")]:
        if row["passed"] and not row["caveat"] and row["problem"]["unit"] == "spin":
            ends = f" [{r['low']:.2f}, {r['high']:.2f}]" if r["low"] is not None else "°"
            cells.setdefault(name, {}).setdefault(row["problem"]["quantity"], f"{r['value']:.2f}{ends}")
    quantities = list(dict.fromkeys(q for of in cells.values() for q in of))
    return markdown(["µs", *quantities], [[f"`{v}`", *(of.get(q, "") for q in quantities)] for v, of in cells.items()])


def scaling(which, *files):
    lines = {}
    named = [str(f.relative_to(ROOT)) for pattern in files for f in sorted(RESULTS.glob(pattern))]
    for row in json.loads(parity("findings", "--scaling", "--json", "-", *named)):
        share, time, of = row[f"{which}_efficiency"], row["measured us"], dict(pair.split("=") for pair in row["problem"].split(","))
        cut = ", ".join(axis for axis in "xyz" if f"ranks_{axis}" in of) or f"n={of.get('n')}"
        lines.setdefault((cut, row["variant"]), {})[of["precision"]] = [f"{time:.{1 if time < 1000 else 0}f}", f"{100 * share:.1f} %" if share else ""]
    assert lines, f"no results in {named}"
    unit = "µs" if any(at.startswith("n=") for at, _ in lines) else "µs per step"  # a density counts in total, a filter per step
    return markdown(["shared in", "variant", f"float, {unit}", f"{which} efficiency", f"double, {unit}", f"{which} efficiency"],
                    [[at, f"`{variant}`", *of.get("float", ["", ""]), *of.get("double", ["", ""])] for (at, variant), of in lines.items()])


def output(*words):
    command, _, wanted = " ".join(words).partition(" | ")
    title, between, wanted = wanted.rpartition(" >> ")
    lines = parity(*shlex.split(command)).splitlines()
    if between:  # take the last block with this title, up to the next title
        at = max(k for k, s in enumerate(lines) if re.search(title, s))
        end = next((k for k in range(at + 1, len(lines)) if re.match(r"^ +\w+=|^$", lines[k])), len(lines))
        lines = [lines[at], *(s for s in lines[at + 1:end] if re.search(wanted, s))]
    else:
        lines = [s for s in lines if re.search(wanted, s)]
    return f"```\n$ parity {command}\n" + "".join(s.rstrip() + "\n" for s in lines) + "```\n"


def table(file):
    lines = list(csv.reader(s for s in (RESULTS / file).read_text().splitlines() if not s.startswith("#")))
    return markdown(lines[0], [[f"`{name}`", *cells] for name, *cells in lines[1:]])


def records(folder):
    lines = []
    for path in sorted((RESULTS / folder).rglob("*.jsonl")):
        if "type" in json.loads(path.read_text().split("\n", 1)[0]):  # other programs' files have none
            found, name = exported(path.relative_to(RESULTS).as_posix()), path.relative_to(RESULTS / folder).as_posix()
            starts = sorted({r["time_s"]["starts"] for r in found["rows"] if r["comparable"]})
            commits = dict.fromkeys(re.sub(r"^(\w{7})\w{5}\b", r"\1", r["commit_text"]) for r in found["runs"])
            lines.append([f"[{name}]({name})", str(len(found["rows"])), "-".join(map(str, dict.fromkeys(starts[:1] + starts[-1:]))), ", ".join(commits)])
    return markdown(["records", "results", "processes", "commit"], lines)


def help(group):
    heading, commands = "", []
    for line in parity("--help").splitlines():
        heading = line if line.endswith(":") and line[0] != " " else heading
        command = re.match(r"  ([a-z]+) +[A-Z]", line)
        if command and group in heading:
            commands.append(command[1])
    known = set()
    return "\n".join(f"### parity {c}\n\n```\n{new_options(parity(c, '--help'), known)}```\n" for c in commands)


def new_options(text, known):
    """The help of a command; options with the same text in an earlier command are only listed."""
    kept, same = [], []
    for block in re.findall(r"^  --?\w.*\n(?: {8,}.*\n)*|^.*\n", text.strip() + "\n", re.M):
        if not block.startswith("  -"):
            kept.append(block)
        elif block in known:
            same.append(re.search(r"--[\w-]+", block)[0])
        else:
            known.add(block)
            kept.append(block)
    lines = [line.rstrip() for line in "".join(kept).splitlines()]
    return "\n".join(lines + textwrap.wrap(f"as above: {' '.join(same)}", 98, initial_indent="  ", subsequent_indent="    ") * bool(same)) + "\n"


def variants(study):
    lines = {}
    for v in (v for v in json.loads(parity("list", "--json"))["variants"] if v["study"] == study):
        name = v["name"].removeprefix(v["family"] + "-" if v["algorithm"] or v["family"] == "cupy" else "").removesuffix("-tuned" * (v["tier"] == "tuned"))
        _, cells = lines.setdefault(name, (v["summary"], {}))
        cells.setdefault(v["family"], []).append(v["tier"])
    columns = [b for b in BACKENDS if any(b in cells for _, cells in lines.values())]
    return markdown(["algorithm", "what it does", *(BACKENDS[b] for b in columns)],
                    [[f"`{name}`", words, *(", ".join(cells.get(b, [])) for b in columns)] for name, (words, cells) in lines.items()])


KINDS = {kind.__name__: kind for kind in (pairs, versions, best, best_by_version, rates, joules, launches, launches_by_version, scaling, output, table, records, help, variants)}


def made(text):
    """Fills the tables, without the blanks next to their bars, which are a third of a page."""
    def filled(m):
        lines = KINDS[m[2]](*m[3].split()).splitlines()
        return m[1] + "".join((re.sub(r" *\| *", "|", s) if s.startswith("| ") else s) + "\n" for s in lines) + m[4]

    return TABLE.sub(filled, text)


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1] in KINDS:
        print(KINDS[sys.argv[1]](*sys.argv[2:]), end="")
        sys.exit()
    stale = [page for page in PAGES if made(page.read_text()) != page.read_text()]
    for page in stale:
        if "--check" not in sys.argv:
            page.write_text(made(page.read_text()))
        print(page.relative_to(ROOT))
    sys.exit(1 if stale and "--check" in sys.argv else 0)
