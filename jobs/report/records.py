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
import subprocess

CLONE = pathlib.Path(__file__).resolve().parents[2]


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
class Times:
    """Samples in seconds, the median with its 95 % interval; false without samples."""

    samples: list
    median: float
    low: float
    high: float

    def __bool__(self):
        return bool(self.samples)

    def scaled(self, factor):
        return [factor * self.median, factor * self.low, factor * self.high]


@dataclasses.dataclass(frozen=True)
class Interval:
    value: float
    low: float
    high: float


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
    host: Times
    device: Times
    metrics: list
    passed: bool
    error: float
    reference: str

    @property
    def name(self):
        return self.variant + ("/" + self.tuning if self.tuning else "")

    @property
    def timed(self):
        return self.passed and bool(self.host)

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
    ratio: Interval  # native time / portable time
    difference: Interval  # portable time - native time, seconds
    samples: int

    @property
    def text(self):
        """The digits of every other table."""
        return f"{self.ratio.value:.3f} [{self.ratio.low:.3f}, {self.ratio.high:.3f}] n={self.samples}"


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
    """The records of files, or of folders of results, together."""
    parity = executable()
    try:
        # After '--' a file's name may start with a dash.
        done = subprocess.run([parity, "export", "--", *map(str, paths)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as e:
        raise Failure(f"{parity}: {e.strerror}", 3)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise Failure(said[-1] if said else f"{parity} export ended with {done.returncode}", 2)
    return records_of(json.loads(done.stdout))


def records_of(document):
    rows = [measurement_of(m) for m in document["measurements"]]
    pairs = [Pair(rows[p["portable"]], rows[p["native"]], interval_of(p["ratio"]), interval_of(p["difference"]), p["samples"])
             for p in document["pairs"]]
    return Records([run_of(r) for r in document["runs"]], rows, pairs)


def measurement_of(m):
    verdict = m["verification"]
    return Measurement(
        run=m["run"]["id"], study=m["study"], variant=m["variant"], kernel=m["kernel"], mechanism=m["mechanism"],
        tuning=m["tuning"], tuning_axes=m["tuning_axes"], family=m["family"], floor=m["floor"], problem=m["problem"],
        setup=m["setup_seconds"], capture=m["capture_seconds"], end_to_end=m["end_to_end_seconds"],
        host=times_of(m["host_seconds"]), device=times_of(m["device_seconds"]),
        metrics=[Metric(x["name"], number(x["value"]), x["unit"], x["better"]) for x in m["metrics"]],
        passed=verdict["passed"], error=number(verdict["error"]), reference=verdict["reference"])


def number(value):
    return math.inf if value is None else value  # JSON has no infinity


def times_of(s):
    return Times(s["samples"], s["median"], s["low"], s["high"])


def interval_of(r):
    return Interval(number(r["value"]), number(r["low"]), number(r["high"]))


def run_of(r):
    return Run(id=r["id"], commit=r["commit"] + (" (modified)" if r["modified"] else ""), build=r["build"], device=r["device"],
               host=r["host"], job=r["job"], time=r["time"], slice=r["slice"], complete=r["complete"],
               lines=dict(map(tuple, r["lines"])))
