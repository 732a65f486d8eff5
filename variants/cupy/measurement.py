# SPDX-License-Identifier: BSD-3-Clause
"""Writes results from Python in the format of miniapp/harness/measurement_json.cpp; only this file names fields.

Needs only the standard library. 'parity findings --merit' and every other reader treat these results as parity's own.
"""
import dataclasses
import hashlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

SCHEMA = 4
LONG_RUN = 0.02  # seconds; both clocks time the same run if it is longer
SOURCES = ("CMakeLists.txt", "cmake", "miniapp", "variants")  # sources of parity; changed records and plans do not make another program
PROCESS = f"{time.time_ns():x}-{os.getpid()}"  # unique


@dataclasses.dataclass(frozen=True)
class Run:
    """Identity of one run of a script, the same in each of its results."""

    id: str
    commit: str
    modified: bool
    changes: str  # digest of the sources' changes since the commit, as in parity, so that results of one modified tree are compared
    build: str
    device: str
    host: str
    job: str
    time: str
    driver: str = ""
    uuid: str = ""  # of the GPU


@dataclasses.dataclass(frozen=True)
class Start:
    """One process of the script, counted as in miniapp/harness/trial.hpp; an environment variable passes its number."""

    number: int
    count: int
    repeats: int  # of this process
    least: int
    time_cap: float  # seconds per result in this process
    run: str  # name of the run

    LEAST_REPEATS = 9
    VARIABLE = "PARITY_START"

    @classmethod
    def of(cls, options):
        """options: the table [measure] of a plan."""
        repeats = options.get("repeats", 32)
        count = min(options.get("starts", 5), repeats)
        number, _, run = os.environ.get(cls.VARIABLE, "0").partition(" ")
        share = -(-repeats // count)
        return cls(int(number), count, share, min(-(-cls.LEAST_REPEATS // count), share), options.get("time_cap", 60) / count, run)

    def all(self):
        """Runs the script once per process number. Returns the first exit code other than 0 and 1; after wrong results (1) it continues."""
        worst, run = 0, f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}-{os.uname().nodename}-{os.getpid()}"
        for number in range(1, self.count + 1):
            code = subprocess.run([sys.executable, *sys.orig_argv[1:]], env={**os.environ, self.VARIABLE: f"{number} {run}"}).returncode
            if code not in (0, 1):
                return code if code > 0 else 128 - code
            worst = max(worst, code)
        return worst


def this_run(script, build, device, driver="", uuid="", name=""):
    """build: versions of the software; script: variants/FOLDER/FILE of a clone, which gives the commit; without git, PARITY_COMMIT gives it."""
    top = pathlib.Path(script).resolve().parent / "../.."
    commit = git(top, "rev-parse", "--verify", "--quiet", "--short=12", "HEAD").strip()
    changes = changes_of(top) if commit else ""
    told = "" if commit else os.environ.get("PARITY_COMMIT", "")
    now, host = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), os.uname().nodename
    return Run(id=name or f"{now}-{host}-{os.getpid()}", commit=commit or told or "unknown", modified=bool(told or changes), changes=changes, build=build,
               device=device, host=host, job=os.environ.get("SLURM_JOB_ID", ""), time=now, driver=driver, uuid=uuid)


def continued(run, environments):
    """The run, as a continuation of the latest of these runs with the same sources, build, host and GPU, if there is one."""
    own = environment(run)
    told = run.commit != "unknown" and (run.changes or not run.modified)  # otherwise the sources are unknown
    same = (e["id"] for e in reversed(environments) if all(e.get(k) == own[k] for k in ("commit", "modified", "changes", "program", "host", "gpu")))
    return dataclasses.replace(run, id=next(same, run.id)) if told else run


def changes_of(top):
    """The digest of cmake/build_info.cmake; empty if the sources are those of the commit."""
    changes = git(top, "status", "--porcelain", "--", *SOURCES)
    if not changes:
        return ""
    tracked = git(top, "hash-object", "--stdin", text=git(top, "diff", "--binary", "HEAD", "--", *SOURCES))
    untracked = git(top, "hash-object", "--stdin-paths", text=git(top, "ls-files", "--others", "--exclude-standard", "--", *SOURCES))
    return hashlib.sha256((changes + tracked + untracked).encode(errors="surrogateescape")).hexdigest()[:12]


def git(folder, *arguments, text=""):
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], input=text.encode(errors="surrogateescape"), capture_output=True)
    except OSError:
        return ""
    return done.stdout.decode(errors="surrogateescape")  # also if git failed, as in CMake


def environment(run):
    """The record before the results of a run; parity derives the same identity from it."""
    record = {"schema": SCHEMA, "type": "environment", "id": run.id, "time": run.time, "host": run.host, "commit": run.commit,
              "modified": run.modified, "changes": run.changes, "program": run.build, "gpu": {"name": run.device, "driver": run.driver, "uuid": run.uuid}}
    if run.job:
        record["slurm"] = {"job": run.job, "partition": os.environ.get("SLURM_JOB_PARTITION", ""),
                           "nodes": os.environ.get("SLURM_JOB_NODELIST", ""),
                           "array_task": os.environ.get("SLURM_ARRAY_TASK_ID", "")}
    return record


def metric(name, value, unit, better="neither"):
    return [name, value, unit, better]


def row(run, study, variant, problem, host, device, model, metrics, error, tolerance, reference, start=1, **more):
    """A record of one result, as parity writes it. host, device: samples of this process in seconds; metrics: a function of the median time. A wrong
    result keeps neither. error: None if the result is not finite. model: values of one advance that are not zero."""
    passed = error is not None and error <= tolerance
    return {"type": "measurement", "study": study, "variant": variant, "problem": problem, "starts": [start], "processes": [PROCESS],
            "host_seconds": [list(host)] if passed and host else [], "device_seconds": [list(device)] if passed and device else [],
            "model": {name: float(value) for name, value in model.items()},
            "metrics": metrics(statistics.median(host)) if passed and host else [],
            "verification": {"error": error, "tolerance": tolerance, "reference": reference, "passed": passed},
            "run": {k: getattr(run, k) for k in ("id", "commit", "modified", "changes", "build", "device", "host", "job")}, **more}


def key(study, variant, problem):
    """Identifies a result for --resume."""
    return study, variant, json.dumps(problem, sort_keys=True)


def is_right(record):
    """True if a result passed its check."""
    return record["verification"].get("passed", True)


def seconds(record):
    """The median time of a result of one process or of several."""
    times = record["host_seconds"]
    blocks = times["samples"] if isinstance(times, dict) else times
    return statistics.median(map(statistics.median, blocks)) if blocks else 0.0


def value(record, metric):
    """The value of a metric, or None if the result has no such metric."""
    return next((m[1] for m in record.get("metrics", []) if m[0] == metric), None)
