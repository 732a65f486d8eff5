# SPDX-License-Identifier: BSD-3-Clause
"""Parity's records as Python objects. 'parity export' reads them, whatever their schema, and makes the pairs.

The only module in jobs/ that knows the names of fields.
"""
import dataclasses
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess

from . import libraries

CLONE = pathlib.Path(__file__).resolve().parents[2]


# Seconds that no run of anything takes, and that no clock shows.
LONGEST, SHORTEST = 1e12, 1e-15
# What the figures and tables of a study need of its problems.
WHOLE, NUMBER = int, (int, float)
KINDS = {WHOLE: "whole number", NUMBER: "number", str: "word"}
PARAMETERS = {
    "diffusion": {"nx": WHOLE, "ny": WHOLE, "nz": WHOLE, "steps": WHOLE, "precision": str},
    "kde": {"n": WHOLE, "bandwidth": NUMBER, "distribution": str, "precision": str},
    "launch": {**{name: WHOLE for name in ("blocks", "threads", "launches", "argument_bytes", "devices", "bytes", "units")},
               "unit_ns": NUMBER, "quantity": str, "topology": str, "unit": str},
}


class Failure(Exception):
    """One line for the user, and the exit code."""

    def __init__(self, line, code):
        super().__init__(line)
        self.code = code


@dataclasses.dataclass(frozen=True)
class Metric:
    name: str
    value: float
    unit: str  # "1" for shares
    better: str  # "higher", "lower" or "neither"

    @property
    def text(self):
        return f"{100 * self.value:.0f} %" if self.unit == "1" else f"{self.value:.4g}"


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval, which holds the next run's; without one, low and high are None. False without blocks."""

    value: float
    low: float | None
    high: float | None
    blocks: int

    def __bool__(self):
        return self.blocks > 0

    def text(self, form, factor=1):
        """The value and its interval, as the terminal shows them."""
        return f"{factor * self.value:{form}} {self.interval(form, factor)}"

    def interval(self, form, factor=1):
        return f"[n = {self.blocks}]" if self.low is None else f"[{factor * self.low:{form}}, {factor * self.high:{form}}]"

    def scaled(self, factor):
        """Value, low and high; without an interval it has no width."""
        return [factor * x for x in (self.value, self.value if self.low is None else self.low, self.value if self.high is None else self.high)]


@dataclasses.dataclass(frozen=True, eq=False)
class Measurement:
    run: str  # its identity
    study: str
    variant: str
    kernel: str
    mechanism: str
    tuning: str
    tuning_axes: str
    family: str
    floor: bool
    problem: dict
    setup: float
    capture: float
    end_to_end: float
    host: Estimate  # seconds
    starts: dict  # the median of the host's seconds by the process that they come from
    device: Estimate
    metrics: list
    passed: bool
    error: float
    reference: str
    place: str  # file and line, for messages

    @property
    def name(self):
        return self.variant + ("/" + self.tuning if self.tuning else "")

    @property
    def timed(self):
        """Right, and with a time that is one."""
        return self.passed and bool(self.host) and self.host.value > SHORTEST

    def times_faster_than(self, other):
        """The other's time over its own, start by start as every table takes it; None where they never ran in one process."""
        both = self.starts.keys() & other.starts.keys() if self.run == other.run else ()
        ratios = [other.starts[p] / self.starts[p] for p in both if self.starts[p] > 0]
        return statistics.median(ratios) if ratios else None

    def metric(self, name, otherwise=None):
        return next((m.value for m in self.metrics if m.name == name), otherwise)

    @property
    def shown_metrics(self):
        """As the terminal shows them: what has no direction is context, but for shares."""
        return [m for m in self.metrics if m.better != "neither" or m.unit == "1"]

    @property
    def problem_key(self):
        return (self.study, *sorted((k, str(v)) for k, v in self.problem.items()))


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
class Run:
    id: str
    commit: str
    build: str
    device: str
    host: str
    job: str
    time: str
    slice: str
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
    libraries: list = ()  # times of other libraries, which are no measurements


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
    """The records of files, or of folders of results, together. Times of other libraries may be among them."""
    others = {path: libraries.rows_of(path) for path in paths}
    paths = [path for path in paths if not others[path]] or list(paths)
    parity = executable()
    try:
        # After '--' a file's name may start with a dash.
        done = subprocess.run([parity, "export", "--", *map(str, paths)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as e:
        raise Failure(f"{parity}: {e.strerror}", 3)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise Failure(said[-1] if said else f"{parity} export ended with {done.returncode}", 2)
    return dataclasses.replace(records_of(json.loads(done.stdout)), libraries=[r for rows in others.values() for r in rows])


def records_of(document):
    rows = []
    for m in document["measurements"]:
        row = measurement_of(m)
        wrong = damage(row)
        if wrong:
            raise Failure(f"{row.place}{wrong}; measure the row again, or delete its line", 2)
        rows.append(row)
    pairs = [Pair(rows[p["portable"]], rows[p["native"]], estimate_of(p["ratio"]), estimate_of(p["difference"]))
             for p in document["pairs"]]
    return Records([run_of(r) for r in document["runs"]], rows, pairs)


def damage(row):
    """Why the row cannot be shown, or None: what parity itself never writes."""
    for name, t in (("host_seconds", row.host), ("device_seconds", row.device)):
        if not all(abs(x) < LONGEST for x in (t.value, t.low, t.high) if x is not None):
            return f"{name} is no time"
    for name, x in (("setup_seconds", row.setup), ("capture_seconds", row.capture), ("end_to_end_seconds", row.end_to_end)):
        if not abs(x) < LONGEST:
            return f"{name} is no time"
    for name, kind in PARAMETERS.get(row.study, {}).items():
        value = row.problem.get(name)
        if not isinstance(value, kind):
            return f"its problem has no {KINDS[kind]} '{name}'"
        if kind is not str and not 0 <= value < 1e300:
            return f"its problem has {name} = {value}"
    return None


def measurement_of(m):
    verdict = m["verification"]
    return Measurement(
        run=m["run"]["id"], study=shown(m["study"]), variant=shown(m["variant"]), kernel=shown(m["kernel"]),
        mechanism=shown(m["mechanism"]), tuning=shown(m["tuning"]), tuning_axes=shown(m["tuning_axes"]), family=m["family"],
        floor=m["floor"], problem={shown(k): shown(v) if isinstance(v, str) else number(v) for k, v in m["problem"].items()},
        setup=number(m["setup_seconds"]), capture=number(m["capture_seconds"]), end_to_end=number(m["end_to_end_seconds"]),
        host=times_of(m["host_seconds"]),
        starts={p: statistics.median(block) for p, block in zip(m["processes"], m["host_seconds"]["samples"]) if block},
        device=times_of(m["device_seconds"]), place=m["place"],
        metrics=[Metric(shown(x["name"]), number(x["value"]), shown(x["unit"]), x["better"]) for x in m["metrics"]],
        passed=verdict["passed"], error=number(verdict["error"]), reference=shown(verdict["reference"]))


def number(value):
    return math.inf if value is None else value  # JSON has no infinity


def shown(text):
    """One line of at most 200 characters without control characters."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text[:200])


def times_of(s):
    return Estimate(number(s["median"]), s["low"], s["high"], sum(map(bool, s["samples"])))


def estimate_of(r):
    return Estimate(number(r["value"]), r["low"], r["high"], r["starts"])


def commit_of(r):
    return r["commit"] + (f" ({', '.join(filter(None, ['modified', r['changes']]))})" if r["modified"] else "")


def run_of(r):
    return Run(id=r["id"], commit=commit_of(r), build=r["build"], device=r["device"], host=r["host"],
               job=r["job"], time=r["time"], slice=r["slice"], complete=r["complete"],
               lines=dict(map(tuple, r["lines"])))
