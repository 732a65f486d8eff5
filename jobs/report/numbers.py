# SPDX-License-Identifier: BSD-3-Clause
"""Every number that a page states has a source, and the source says the same. Checked by 'jobs/report.py --pages --check'.

A comment before a block (paragraph, list, table), or in it, names where its numbers come from. Clauses are separated by ';':

    <!-- from: jobs/results/h200/x.jsonl -->              a committed file: records (JSON lines), CSV or any other text
    <!-- from: jobs/results/h200/x.txt | grep 'a.*b' -->  its lines that match, so that another line's numbers do not count
    <!-- from: `parity merit FILE` | grep RE -->          what a command of the program prints now
    <!-- from: FILE in s | grep RE -->                    whose numbers without a unit are seconds
    <!-- from: FILE; 15.6 = 2550 / 163 -->                a number that follows from others, which the source has
    <!-- given: 30, 0.17 s; their Table 4 -->             numbers that no record has: published ones, settings, bounds; and whose they are

A number agrees with one of the source where that rounds to it, in a compatible unit; numbers without a unit agree with any. Records are
compared in seconds and in the units of their metrics. A table's row whose first cell names something in code is compared with the lines of a source that have
that name, where there are such lines.
"""
import ast
import dataclasses
import functools
import json
import operator
import re
import shlex
import subprocess

from . import records

ROOT = records.CLONE

# Unit -> (dimension, factor to the dimension's own unit).
UNITS = {"ns": ("time", 1e-9), "µs": ("time", 1e-6), "us": ("time", 1e-6), "ms": ("time", 1e-3), "s": ("time", 1.0), "second": ("time", 1.0),
         "seconds": ("time", 1.0), "minutes": ("time", 60.0), "%": ("share", 0.01), "pt/s": ("points", 1.0), "Gpt/s": ("points", 1e9),
         "pair/s": ("pairs", 1.0), "pairs/s": ("pairs", 1.0), "Gpair/s": ("pairs", 1e9), "B/s": ("bandwidth", 1.0), "GB/s": ("bandwidth", 1e9),
         "TB/s": ("bandwidth", 1e12), "B": ("bytes", 1.0), "bytes": ("bytes", 1.0), "KB": ("bytes", 1024.0), "KiB": ("bytes", 1024.0),
         "MiB": ("bytes", 1024.0**2), "GiB": ("bytes", 1024.0**3), "MB": ("bytes", 1e6), "GB": ("bytes", 1e9), "J": ("energy", 1.0),
         "mJ": ("energy", 1e-3), "W": ("power", 1.0), "MHz": ("frequency", 1e6), "GHz": ("frequency", 1e9)}
UNIT = "|".join(re.escape(u) for u in sorted(UNITS, key=len, reverse=True))
NUMBER = re.compile(rf"(?<![\w.#§-])(?<!\d,)(?P<sign>(?<![\w)\]])[-+])?(?P<digits>\d{{1,3}}(?: \d{{3}})+(?![\d.])|\d+)(?P<fraction>\.\d+)?(?P<exponent>e[-+]?\d{{1,2}})?"
                    rf"(?!\d|[\w.]*[A-Za-z_]\d|\.\d|-[a-z]|[A-Za-z_])(?: ?(?P<unit>{UNIT})(?![\w/]))?")
# In a source a number may stand against a letter or a sign ('nx=16', '1.24x', '3.65us').
ANYWHERE = re.compile(rf"(?<![\d.])(?P<sign>(?<![\w)\]])[-+])?(?P<digits>\d+)(?P<fraction>\.\d+)?(?P<exponent>e[-+]?\d{{1,2}})?(?![\d])(?: ?(?P<unit>{UNIT})(?![\w/]))?")
COMMENT = re.compile(r"<!--\s*(from|given):\s*(.*?)\s*-->", re.DOTALL)

# Numbers that claim nothing: what names a version, a figure, a date, a problem or an issue.
NAMES = ("Kokkos|Kokkos Kernels|CUDA|CuPy|[gc]\\+\\+|GCC|Clang|clang|nvcc|Python|CMake|Debian|OpenMP|Open MPI|NVTX|KDEpy|FFTW|SLURM|netCDF|NetCDF|schema|driver|"
         "level|RFC|version|develop|PTX")
REFERENCES = "Figures?|Fig\\.|Tables?|[Ee]quations?|Algorithm|[Ii]ssues?|pull request|capability|code|codes|Rank|rank"
NOT_CLAIMS = [re.compile(p) for p in (
    r"`[^`]*`", r"\.(?:jsonl|csv|txt|toml):\d+", r"\]\([^)]*\)", r"https?://\S+",
    r"\b\d{4}-\d\d-\d\d\b", r"\b(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}\b", r"\b20[12]\d\b(?!\s*(?:rows|x))",
    rf"\b(?:{NAMES})(?:'s)?[ -]\d[\w.]*(?:(?:,| and| or| to) \d+\.[\w.]+)*", rf"\b(?:{REFERENCES}) \d+(?:(?:-|,| to| and| or) ?\d+)*",
    r"(?<![\w.])\d+\.\d+\.[\w.]+", r"\b\d+\.x\b", r"\[?#\d+",
    r"\b\d+ x \d+(?: x \d+)?\b", r"\b\d+²",                          # the size of a problem
    r"(?<![\w`])(?:n[xyz]?|h|N|alpha|steps|bandwidth|precision|blocks|launches|nodes|z|y|x) = [\d.e-]*\d(?: \d{3}(?!\d))*(?:(?: and| or| to) \d[\d.]*(?: \d{3}(?!\d))*(?! ?(?:µs|ms|%|s\b)))*",
    r"\b95 %\s+(?=intervals?\b)", r"\b(?:end(?:s|ed)?|exit) (?:a process |it |the process )?with \d+\b", r"\b\d+ (?=(?:threads|planes|bits|multiprocessors)\b)",
    r"(?m)^\s*\d+\. ", r"(?m)^#+ \d+\.", r"\b[0-9a-f]*(?:\d[a-f]|[a-f]\d)[0-9a-f]*\b(?<=[0-9a-f]{7})",
)]


@dataclasses.dataclass(frozen=True)
class Number:
    text: str
    value: float
    step: float  # of its last digit
    unit: str | None

    @property
    def si(self):
        return self.value * UNITS[self.unit][1] if self.unit else self.value

    @property
    def dimension(self):
        return UNITS[self.unit][0] if self.unit else None


def number_of(match):
    digits = match["digits"].replace(" ", "")
    text = (match["sign"] or "") + digits + (match["fraction"] or "") + (match["exponent"] or "")
    exponent = int(match["exponent"][1:]) if match["exponent"] else 0
    decimals = len(match["fraction"]) - 1 if match["fraction"] else 0
    return Number(" ".join(match[0].split()), float(text), 10.0 ** (exponent - decimals), match["unit"])


def stated(text):
    """The numbers of a block that need a source."""
    text = COMMENT.sub(lambda m: " " * len(m[0]), text)
    text = re.sub(r"<!--.*?-->", " ", text, flags=re.DOTALL)
    for pattern in NOT_CLAIMS:
        text = pattern.sub(lambda m: re.sub(r"[^\n]", "~", m[0]), text)
    return [number_of(m) for m in NUMBER.finditer(text.replace("−", "-"))]


def agrees(page, source):
    """Whether the number of a source rounds to that of a page. Both are sides of a comparison whose unit may be left out."""
    if page.dimension and source.dimension and page.dimension != source.dimension:
        return False
    if page.dimension and source.dimension:
        factors = [UNITS[source.unit][1] / UNITS[page.unit][1]]
    elif source.dimension == "time":  # a table's unit is in its header
        factors = [UNITS[source.unit][1] / x for x in (1.0, 1e-3, 1e-6, 1e-9)]
    elif source.dimension:
        factors = [1.0, UNITS[source.unit][1], 1e-9 * UNITS[source.unit][1]]
    elif page.unit == "%":
        factors = [1.0, 100.0]
    else:
        factors = [1.0]
    half = 0.5 * page.step
    return any(abs(source.value * f - page.value) <= half * 1.0001 + 1e-12 * abs(page.value) for f in factors)


def metric_unit(unit):
    return unit if unit in UNITS else None


def numbers_of_record(value, key=""):
    """Those of one record: times in seconds, metrics in their units; samples are left out, since no page states one."""
    if isinstance(value, dict):
        if "unit" in value and isinstance(value.get("value"), (int, float)):
            yield Number("", float(value["value"]), 0.0, metric_unit(value["unit"]))
            return
        for k, v in value.items():
            if k != "samples":
                yield from numbers_of_record(v, key if key.endswith("seconds") else k)
    elif isinstance(value, list):
        for v in value:
            yield from numbers_of_record(v, key)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield Number("", float(value), 0.0, "s" if key.endswith("seconds") else None)
    elif isinstance(value, str):
        yield from (number_of(m) for m in ANYWHERE.finditer(value))


@functools.cache
def lines_of(what):
    """(line, its numbers) of a file below the top folder or of a command in backquotes; a Failure where there is none."""
    command = re.fullmatch(r"`(.*)`", what)
    if command:
        words = shlex.split(command[1])
        if words[:1] == ["parity"]:
            words[0] = records.executable()
        elif words[:2] != ["python3", "variants/lines.py"]:
            raise records.Failure(f"'{what}' is no command of parity", 2)
        done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode > 1 or not done.stdout:
            raise records.Failure(f"{what}: {(done.stderr.strip().splitlines() or ['prints nothing'])[-1]}", 2)
        text = done.stdout
    else:
        path = ROOT / what
        if not path.is_file() or not path.resolve().is_relative_to(ROOT):
            raise records.Failure(f"{what}: there is no such file", 2)
        text = path.read_text(errors="replace")
        if path.suffix == ".jsonl":
            return [(line, tuple(numbers_of_record(json.loads(line)))) for line in text.splitlines() if line.strip()]
    return [(line, tuple(number_of(m) for m in ANYWHERE.finditer(line))) for line in text.splitlines()]


@functools.cache
def numbers_of(source):
    """(line, its numbers) of 'FILE', 'FILE | grep RE' or '`command` | grep RE'."""
    what, _, wanted = source.partition(" | grep ")
    what, _, unit = what.strip().partition(" in ") if " in " in what and not what.strip().endswith("`") else (what.strip(), "", "")
    if unit and unit not in UNITS:
        raise records.Failure(f"{source}: '{unit}' is no unit", 2)
    found = [(line, numbers) for line, numbers in lines_of(what) if not wanted or re.search(wanted.strip().strip("'\""), line)]
    if not found:
        raise records.Failure(f"{source}: no such line", 2)
    return [(line, [dataclasses.replace(n, unit=n.unit or unit or None) for n in numbers]) for line, numbers in found]


SCALES = {10.0**k for k in range(-9, 10)}  # of units
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def worth(text):
    """The value of '2550 / 163', and the numbers in it."""
    text, operands = text.strip(), []

    def value(node):
        if isinstance(node, ast.Expression):
            return value(node.body)
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            operands.append(ast.get_source_segment(text, node))
            return float(node.value)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        raise ValueError(text)

    return value(ast.parse(text, mode="eval")), operands


class Sources:
    """What the comments of one block say."""

    def __init__(self, comments):
        self.numbers, self.given, self.sums = [], [], []
        for kind, text in comments:
            clauses = [c.strip() for c in re.split(r";\s", " ".join(text.split()))]
            if kind == "given":
                listed = [number_of(m) for m in NUMBER.finditer(clauses[0])]
                if not listed or len(clauses) < 2 or not clauses[1]:
                    raise records.Failure(f"'given: {text}' wants numbers, ';' and whose they are", 2)
                self.given += listed
                continue
            for clause in clauses:
                sum_ = re.fullmatch(r"([-+\d.e]+)( %)? = ([-\d.e+*/() ]+)", clause)
                if sum_:
                    self.sums.append((float(sum_[1]), sum_[3] if not sum_[2] else f"100 * ({sum_[3]})", clause))
                else:
                    self.numbers.append((clause, numbers_of(clause)))
        for left, right, clause in self.sums:
            self.prove(left, right, clause)

    def prove(self, left, right, clause):
        try:
            value, operands = worth(right)
        except (ValueError, SyntaxError, ZeroDivisionError):
            raise records.Failure(f"'{clause}' is no sum of numbers", 2)
        for operand in operands:
            found = ANYWHERE.fullmatch(operand)
            if not found:
                raise records.Failure(f"{operand} of '{clause}' is no number", 2)
            n = number_of(found)
            if not self.found(n) and not any(n.value == g.value for g in self.given) and n.value not in SCALES:
                raise records.Failure(f"{operand} of '{clause}' is not in the source", 2)
        step = number_of(ANYWHERE.match(clause.lstrip("+-"))).step
        if abs(value - left) > 0.5001 * step:
            raise records.Failure(f"'{clause}' is wrong: it is {value:.6g}", 2)

    def found(self, number, names=()):
        """Of a row that begins with names: in lines of a source that have one of them, where it has such lines."""
        for _, lines in self.numbers:
            of_names = [numbers for line, numbers in lines if any(name in line for name in names)]
            if any(agrees(number, n) for numbers in of_names or [numbers for _, numbers in lines] for n in numbers):
                return True
        return False

    def has(self, number, names=()):
        return (any(number.value == g.value and number.unit in (g.unit, None) or number.text == g.text for g in self.given)
                or any(number.value == left for left, _, _ in self.sums) or self.found(number, names))

    def __bool__(self):
        return bool(self.numbers or self.given)


def rows_of(part):
    """(names, text): a table's rows with the names in code of their first cells, and all else as it is."""
    part = hidden(part, COMMENT.pattern)
    lines = part.splitlines(keepends=True)
    if sum(line.startswith("|") for line in lines) < 3:
        return [((), part)]
    return [(tuple(re.findall(r"`([^`]+)`", line.split("|")[1])) if line.startswith("|") else (), line) for line in lines]


def hidden(text, pattern):
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", "", m[0]), text, flags=re.DOTALL | re.MULTILINE)


def blocks_of(text):
    """(line, text, comments) of each paragraph, list or table; generated blocks and code stand apart."""
    text = hidden(text, r"^<!-- parity: .*?^<!-- /parity -->$")
    text = hidden(text, r"^ *```.*?^ *```$")
    pending, found = [], []
    for match in re.finditer(r"(?:^(?!\s*$).*\n?)+", text, re.MULTILINE):
        part = match[0]
        comments = [(c[1], c[2]) for c in COMMENT.finditer(part)]
        if not re.sub(r"<!--.*?-->", "", part, flags=re.DOTALL).strip():
            pending += comments
            continue
        found.append((text.count("\n", 0, match.start()) + 1, part, pending + comments))
        if not part.lstrip().startswith("#") or "\n" in part.strip():
            pending = []
    return found


HISTORY = "CHANGELOG.md"  # says what can be done now: of it numbers with a unit alone are claims

MEND = ("; put '<!-- from: FILE -->' (or '`parity merit FILE` | grep RE') before the paragraph, or '<!-- given: NUMBERS; whose they are -->': "
        "CONTRIBUTING.md, 'Numbers and their sources'")


def swallowed(text, name):
    """A line on which one comment ends and another begins without ending: Markdown ends the first with its line, and readers see nothing up to
    the next comment's end."""
    return [f"{name}:{k}: a comment begins behind the end of another and goes on; begin it on a line of its own, or text is not shown"
            for k, line in enumerate(text.splitlines(), 1) if -1 < line.rfind("-->") < line.rfind("<!--")]


def faults(text, name="page"):
    """One line for each number without a source or that its source does not have, and for what hides text."""
    said = swallowed(text, name)
    for line, part, comments in blocks_of(text):
        try:
            sources = Sources(comments)
        except (records.Failure, re.error, json.JSONDecodeError) as why:
            said.append(f"{name}:{line}: {why}")
            continue
        missing = [n for names, text in rows_of(part) for n in stated(text) if not sources.has(n, names) and (n.unit or not name.endswith(HISTORY))]
        if missing:
            which = ", ".join(dict.fromkeys(f"'{n.text}'" for n in missing))
            start = " ".join(COMMENT.sub("", part).split())[:60]
            where = "is not in the sources that the block names" if sources else "has no source"
            said.append(f"{name}:{line}: {which} {where} ('{start}...'){MEND}")
    return said


def pages():
    """Every committed page, and those that are about to be."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True).stdout
    return [ROOT / name for name in listed.splitlines() if (ROOT / name).is_file()]


def check():
    """The faults of all pages."""
    return [fault for page in pages() for fault in faults(page.read_text(), page.relative_to(ROOT).as_posix())]
