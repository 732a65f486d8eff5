# SPDX-License-Identifier: BSD-3-Clause
"""What 'parity export' says of records, as Python objects: rows as tables show them, pairs, and what findings draw from.

The only module in jobs/ that knows the names in that document. Every ratio and every choice of rows or runs is made there.
"""
import dataclasses
import json
import math
import os
import pathlib
import re
import shutil
import subprocess

from . import libraries

CLONE = pathlib.Path(__file__).resolve().parents[2]


# Seconds that no run of anything takes, and that no clock shows.
LONGEST, SHORTEST = 1e12, 1e-15
LONG_TEXT = 1000  # characters of a reason
# What the figures and tables of a study need of its problems.
WHOLE, NUMBER = int, (int, float)
KINDS = {WHOLE: "whole number", NUMBER: "number", str: "word"}
PARAMETERS = {
    "diffusion": {"nx": WHOLE, "ny": WHOLE, "nz": WHOLE, "steps": WHOLE, "precision": str},
    "kde": {"n": WHOLE, "bandwidth": NUMBER, "distribution": str, "precision": str},
    "launch": {**{name: WHOLE for name in ("blocks", "threads", "launches", "argument_bytes", "devices", "bytes", "units")},
               "unit_ns": NUMBER, "quantity": str, "topology": str, "unit": str},
    "roofs": {"bytes": WHOLE, "quantity": str, "precision": str},
}


class Failure(Exception):
    """One line for the user, and the exit code."""

    def __init__(self, line, code):
        super().__init__(line)
        self.code = code


@dataclasses.dataclass(frozen=True)
class Metric:
    name: str
    unit: str  # "1" for shares
    text: str  # the value in the terminal's digits


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval, which is made to hold the next run's; without one, low and high are None, and it is not noisy. False
    without blocks."""

    value: float
    low: float | None
    high: float | None
    blocks: int
    noisy: bool

    def __bool__(self):
        return self.blocks > 0

    def text(self, form, factor=1):
        """The value and its interval, as the terminal shows them."""
        return f"{factor * self.value:{form}} {self.interval(form, factor)}"

    def interval(self, form, factor=1):
        return f"[n = {self.blocks}]" if self.low is None else f"[{factor * self.low:{form}}, {factor * self.high:{form}}]"

    @property
    def holds_zero(self):
        return self.low is not None and self.low <= 0 <= self.high

    @property
    def ends(self):
        """Value, low and high; without an interval it has no width."""
        return [self.value, self.value if self.low is None else self.low, self.value if self.high is None else self.high]


@dataclasses.dataclass(frozen=True, eq=False)
class Measurement:
    run: str  # its identity
    study: str
    variant: str
    name: str  # with the tuning
    family: str
    expert: bool  # of portable rows: not what a user writes first
    floor: bool  # it computes nothing
    twin: str  # the native kernel that it should be paired with
    problem: dict
    problem_key: tuple  # the same for rows of one problem
    time: Estimate  # seconds
    result: Estimate  # microseconds: of one step, where the study has steps
    setup: float  # seconds, as those below
    capture: float
    with_capture: float
    end_to_end: float
    metrics: list  # as the terminal shows them
    comparable: bool
    passed: bool
    error: float
    reference: str
    place: str  # file and line, for messages
    is_baseline: bool  # of its run and problem
    ratio: Estimate  # the baseline's time over its own; False where they never ran in one process

    @property
    def timed(self):
        """Right, and with a time that can be drawn."""
        return self.comparable and self.time.value > SHORTEST

    @property
    def origin(self):
        """(file, line) of its first record; line 0 where it does not say."""
        return origin_of_place(self.place)

    @property
    def against(self):
        """The terminal's words for the ratio to the baseline."""
        return "baseline" if self.is_baseline else self.ratio.text(".3f") if self.ratio else "-"


@dataclasses.dataclass(frozen=True, eq=False)
class SkippedRow:
    """Asked for, and not able to run in some starts of the program."""

    run: str  # its identity
    study: str
    variant: str
    name: str  # with the tuning
    problem: dict
    problem_key: tuple
    starts: list
    reason: str
    place: str

    @property
    def origin(self):
        return origin_of_place(self.place)


@dataclasses.dataclass(frozen=True)
class Pair:
    portable: Measurement
    native: Measurement
    ratio: Estimate  # native time / portable time
    difference: Estimate  # portable time - native time, seconds

    @property
    def text(self):
        """The digits of every other table."""
        return self.ratio.text(".3f") + (f" n={self.ratio.blocks}" if self.ratio.low is not None else "")


@dataclasses.dataclass(frozen=True)
class Columns:
    """One native kernel against what a user writes first, and against the best portable row."""

    idiomatic: Pair | None
    best: Pair


@dataclasses.dataclass(frozen=True)
class Portability:
    """Of one study, problem and column: the metric, and its cascade over the platforms, from the highest efficiency down."""

    study: str
    problem: str
    best: bool
    value: float
    platforms: list  # (device, efficiency, pairs, the metric of the platforms so far)


@dataclasses.dataclass(frozen=True)
class BestRate:
    device: str
    study: str
    precision: str
    native: Measurement | None
    portable: Measurement | None
    original: Measurement | None
    ratio: Estimate
    native_gain: Estimate
    portable_gain: Estimate


@dataclasses.dataclass(frozen=True)
class Line:
    """Rows over one axis of a figure."""

    variant: str
    common: str  # what else they have in common
    column: str
    points: list  # (value on the axis, Measurement)


@dataclasses.dataclass(frozen=True)
class Sweep:
    title: str
    axis: str
    lines: list


@dataclasses.dataclass(frozen=True)
class Cell:
    """Of a table of sizes by block widths; None where the narrowest width was not measured."""

    n: int
    width: int
    seconds: float
    speed_up: float | None
    efficiency: float | None


@dataclasses.dataclass(frozen=True)
class Origin:
    """What 'parity findings' takes from the rows of one commit and device, which are compared with no other's."""

    text: str
    rows: list
    functions: list  # (variant, unit, {quantity: Measurement})
    sweeps: list
    widths: list  # (variant, [Cell])
    thresholds: list  # as dictionaries: Table 4 of Bezençon et al., break-even, speed-up
    break_even: list
    speed_ups: list
    fastest: list  # of each variant and problem: of the latest run, the fastest tuning


@dataclasses.dataclass(frozen=True)
class Run:
    id: str
    commit: str
    build: str
    device: str
    host: str
    job: str
    time: str
    slice: str
    modified: bool  # the sources differed from the commit
    complete: bool  # written by parity itself, not by a script beside it
    lines: dict  # everything for a reader

    @property
    def place(self):
        """Which run it was, where there are several."""
        said = [self.time, f"slice {self.slice}" if self.slice else "",
                f"(job {self.job} on {self.host})" if self.job else ""]
        return " ".join(filter(None, said))

    @property
    def compared(self):
        """What must be the same for rows of several runs to be compared."""
        return {"commit": self.commit, "build": self.build, "device": self.device,
                **{what: self.lines.get(what, "") for what in ("CPU", "GPU")}}


@dataclasses.dataclass(frozen=True)
class Records:
    runs: list
    measurements: list
    pairs: list
    origins: list
    columns: list = ()
    portability: list = ()
    best: list = ()
    libraries: list = ()  # times of other libraries, which are no measurements
    skipped: list = ()  # rows that could not run
    noisy_width: float = 0  # of an interval over its value, from which on it is noisy
    refused: list = ()  # (file, why) of files that cannot be read, among others that can
    cut: list = ()  # files whose last line is not whole


def executable():
    """$PARITY, the newest build in this clone, or parity in PATH."""
    named = os.environ.get("PARITY")
    if named:
        if not shutil.which(named):
            raise Failure(f"PARITY is '{named}', which is no program; name the built parity", 3)
        return named
    built = [p for p in CLONE.glob("build*/parity") if p.is_file() and os.access(p, os.X_OK)]
    found = max(built, key=lambda p: p.stat().st_mtime, default=None) or shutil.which("parity")
    if not found:
        raise Failure("no parity that reads the records: build it with cmake/build.sh, or name it in PARITY", 3)
    return str(found)


def read(paths):
    """The records of files, or of folders of results, together. Times of other libraries may be among them. Of several files those that
    cannot be read are named in the result; where none can be read it is a failure."""
    others = {path: libraries.rows_of(path) for path in paths}
    wanted = [path for path in paths if not others[path]] or list(paths)
    refused = []
    try:
        found = records_of(exported(wanted))
    except Failure as failure:
        if failure.code != 2 or len(wanted) == 1:
            raise
        for path in wanted:
            try:
                records_of(exported([path]))
            except Failure as alone:
                refused.append((str(path), str(alone)))
        read_alone = [path for path in wanted if str(path) not in dict(refused)]
        if not read_alone or not refused:  # none can be read, or only together not
            raise failure
        found = records_of(exported(read_alone))
    return dataclasses.replace(found, libraries=[r for rows in others.values() for r in rows], refused=refused)


def compared(paths):
    """(title, what 'parity compare' says) of the first of a few files and each other one; nothing where they have no row in common."""
    said = []
    for other in paths[1:] if 2 <= len(paths) <= 6 else []:
        done = subprocess.run([executable(), "compare", "--", str(paths[0]), str(other)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode <= 1 and done.stdout.strip():
            said.append((f"parity compare {paths[0]} {other}", done.stdout.decode(errors="replace")))
    return said


def exported(paths):
    """The document of 'parity export'."""
    parity = executable()
    try:
        # After '--' a file's name may start with a dash.
        done = subprocess.run([parity, "export", "--", *map(str, paths)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as e:
        raise Failure(f"{parity}: {e.strerror}", 3)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise Failure(said[-1].removeprefix("parity: ") if said else f"{parity} export ended with {done.returncode}", 2)
    return json.loads(done.stdout)


def records_of(document):
    rows = []
    for k, m in enumerate(document["rows"]):
        row = measurement_of(m, k)
        wrong = damage(row)
        if wrong:
            raise Failure(f"{row.place}{wrong}; measure the row again, or delete its line", 2)
        rows.append(row)
    pairs = [Pair(rows[p["portable"]], rows[p["native"]], estimate_of(p["ratio"]), estimate_of(p["difference"]))
             for p in document["pairs"]]
    columns = [Columns(None if c["idiomatic"] is None else pairs[c["idiomatic"]], pairs[c["best"]]) for c in document["columns"]]
    skipped = [skipped_of(s) for s in document["skipped"]]
    for row in skipped:
        wrong = damage_of_problem(row)
        if wrong:
            raise Failure(f"{row.place}{wrong}; delete its line", 2)
    runs = [run_of(r) for r in document["runs"]]
    said = [m["run"] for m in document["measurements"]] + [s["identity"] for s in document["skipped"]]
    return Records(runs + runs_without_environment(said, {r.id for r in runs}), rows, pairs, [origin_of(o, rows) for o in document["origins"]], columns,
                   [portability_of(p) for p in document["portability"]], [best_of(b, rows) for b in document["best"] if b["native"] is not None or b["portable"] is not None],
                   skipped=skipped, noisy_width=document["noisy_width"], cut=list(map(shown, document["cut"])))


def portability_of(p):
    return Portability(shown(p["study"]), shown(p["problem"]), p["best"], p["value"],
                       [(shown(x["platform"]), x["efficiency"], x["pairs"], x["portability"]) for x in p["platforms"]])


def best_of(b, rows):
    def row(name):
        return None if b[name] is None else rows[b[name]]

    return BestRate(shown(b["device"]), shown(b["study"]), shown(b["precision"]), row("native"), row("portable"), row("original"),
                    estimate_of(b["ratio"]), estimate_of(b["native_gain"]), estimate_of(b["portable_gain"]))


def origin_of_place(place):
    """'dir/file: line 3: ' -> ('dir/file', 3)."""
    found = re.fullmatch(r"(.*): line (\d+): ", place, re.DOTALL)
    return (found[1], int(found[2])) if found else (place.removesuffix(": "), 0)


def damage(row):
    """Why the row cannot be shown, or None: what parity itself never writes."""
    for name, seconds in (("its time", row.time.ends), ("its setup", [row.setup]), ("its capture", [row.capture]),
                          ("its time from end to end", [row.end_to_end])):
        if not all(abs(x) < LONGEST for x in seconds):
            return f"{name} is no time"
    return damage_of_problem(row)


def damage_of_problem(row):
    """Why the row's problem cannot be named, or None."""
    for name, kind in PARAMETERS.get(row.study, {}).items():
        value = row.problem.get(name)
        if not isinstance(value, kind):
            return f"its problem has no {KINDS[kind]} '{name}'"
        if kind is not str and not 0 <= value < 1e300:
            return f"its problem has {name} = {value}"
    return None


def measurement_of(m, index):
    return Measurement(
        run=shown(m["run"]), study=shown(m["study"]), variant=shown(m["variant"]), name=shown(m["name"]), family=m["family"],
        expert=m["expert"], floor=m["floor"], twin=shown(m["twin"]),
        problem=problem_of(m["problem"]),
        problem_key=(m["study"], m["problem_text"]), time=estimate_of(m["time_s"]), result=estimate_of(m["result_us"]),
        setup=number(m["setup_s"]), capture=number(m["capture_s"]), with_capture=number(m["with_capture_s"]),
        end_to_end=number(m["end_to_end_s"]),
        metrics=[Metric(shown(x["name"]), shown(x["unit"]), x["text"]) for x in m["metrics"]],
        comparable=m["comparable"], passed=m["passed"], error=number(m["error"]), reference=shown(m["reference"], LONG_TEXT), place=m["place"],
        is_baseline=m["baseline"] == index, ratio=estimate_of(m["ratio"]))


def skipped_of(s):
    return SkippedRow(run=shown(s["run"]), study=shown(s["study"]), variant=shown(s["variant"]), name=shown(s["name"]),
                      problem=problem_of(s["problem"]), problem_key=(s["study"], s["problem_text"]), starts=s["starts"],
                      reason=shown(s["reason"], LONG_TEXT), place=s["place"])


def problem_of(problem):
    return {shown(k): shown(v) if isinstance(v, str) else number(v) for k, v in problem.items()}


def origin_of(o, rows):
    def line_of(x):
        return Line(shown(x["variant"]), shown(x["common"]), shown(x["column"]), [(at, rows[k]) for at, k in x["points"]])

    return Origin(
        text=shown(o["text"]), rows=[rows[k] for k in o["rows"]],
        functions=[(shown(f["variant"]), f["unit"], {q: rows[k] for q, k in f["rows"].items()}) for f in o["functions"]],
        sweeps=[Sweep(s["title"], s["axis"], [line_of(x) for x in s["lines"]]) for s in o["sweeps"]],
        widths=[(shown(w["variant"]), [Cell(c["n"], c["width"], number(c["time_s"]), c["speed_up"], c["efficiency"]) for c in w["cells"]])
                for w in o["widths"]],
        thresholds=o["thresholds"], break_even=o["break_even"], speed_ups=o["speed_ups"],
        fastest=[rows[k] for k in o["fastest_of_latest_runs"]])


def number(value):
    return math.inf if value is None else value  # JSON has no infinity


def shown(text, most=200):
    """One line of at most so many characters, cut between words, without control characters."""
    if len(text) > most:
        text = text[:most].rsplit(" ", 1)[0] + " …"
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def estimate_of(r):
    return Estimate(number(r["value"]), r["low"], r["high"], r["starts"], r["noisy"])


def runs_without_environment(said, known):
    """What rows say of their run themselves, where no line of a file describes it."""
    found = {}
    for r in said:
        if shown(r["id"]) not in known:
            commit = r["commit"] + (" (modified)" if r["modified"] else "")
            found.setdefault(r["id"], run_of({**r, "commit_text": commit, "time": "", "slice": "", "complete": False, "lines": []}))
    return list(found.values())


def run_of(r):
    return Run(id=shown(r["id"]), commit=r["commit_text"], build=r["build"], device=r["device"], host=r["host"],
               job=r["job"], time=r["time"], slice=r["slice"], modified=r["modified"], complete=r["complete"],
               lines=dict(map(tuple, r["lines"])))
