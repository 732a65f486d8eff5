# SPDX-License-Identifier: BSD-3-Clause
"""Rows from Python, as miniapp/harness/measurement_json.cpp describes them: the only place here that names fields.

Needs the standard library alone. 'parity findings --merit' and every other reader take these rows as parity's own.
"""
import dataclasses
import hashlib
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

SCHEMA = 4
LONG_RUN = 0.02  # seconds: the device times a longer one once in a start
SOURCES = ("CMakeLists.txt", "cmake", "miniapp", "variants")  # what parity is made of: records and plans beside it make it no other program
PROCESS = f"{time.time_ns():x}-{os.getpid()}"  # no other is called the same


@dataclasses.dataclass(frozen=True)
class Run:
    """One run of a script: its identity, the same in each of its rows."""

    id: str
    commit: str
    modified: bool
    changes: str  # what the sources differ in from the commit; as parity says it, so that rows of one modified tree are compared
    build: str
    device: str
    host: str
    job: str
    time: str
    driver: str = ""
    uuid: str = ""  # of the card


@dataclasses.dataclass(frozen=True)
class Start:
    """Which start of the script this is, as miniapp/harness/trial.hpp counts them; the next one is told by the environment."""

    number: int
    count: int
    repeats: int  # of this start
    least: int
    time_cap: float  # seconds of a row in this start
    told: dict  # by the last start

    LEAST_REPEATS = 9
    VARIABLE = "PARITY_LAST_START"

    @classmethod
    def of(cls, options):
        """options: the table [measure] of a plan."""
        repeats = options.get("repeats", 32)
        count = min(options.get("starts", 5), repeats)
        told = json.loads(os.environ.pop(cls.VARIABLE, "{}"))
        share = -(-repeats // count)
        return cls(number=told.get("start", 1), count=count, repeats=share, least=min(-(-cls.LEAST_REPEATS // count), share),
                   time_cap=options.get("time_cap", 60) / count, told=told)

    def next(self, **tell):
        """Starts the script again in this process; does not return."""
        sys.stdout.flush()
        os.environ[self.VARIABLE] = json.dumps({"start": self.number + 1, **tell})
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def this_run(script, build, device, driver="", uuid=""):
    """build: versions of what computes; script: variants/FOLDER/FILE of a clone, which says the commit; of a copy that is none, PARITY_COMMIT does."""
    top = pathlib.Path(script).resolve().parent / "../.."
    commit = git(top, "rev-parse", "--verify", "--quiet", "--short=12", "HEAD").strip()
    changes = changes_of(top) if commit else ""
    told = "" if commit else os.environ.get("PARITY_COMMIT", "")
    now, host = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), os.uname().nodename
    return Run(id=f"{now}-{host}-{os.getpid()}", commit=commit or told or "unknown", modified=bool(told or changes), changes=changes, build=build,
               device=device, host=host, job=os.environ.get("SLURM_JOB_ID", ""), time=now, driver=driver, uuid=uuid)


def continued(run, environments):
    """The run that this one goes on with, where one of these is of the same sources, build, host and card; else itself.

    Starts that were cut are made up for by rows of the same run alone: those of another stand apart.
    """
    def identity(e):
        return e["commit"], e["modified"], e["changes"], e["program"], e["host"], e["gpu"]

    if run.commit == "unknown" or run.modified and not run.changes:
        return run  # nobody can tell
    own = environment(run)
    for e in reversed(environments):
        if {*own} - {"slurm"} <= {*e} and identity(e) == identity(own):
            return dataclasses.replace(run, id=e["id"])
    return run


def changes_of(top):
    """The digest of cmake/build_info.cmake; empty where the sources are those of the commit."""
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
    return done.stdout.decode(errors="surrogateescape")  # of a part that failed too, as CMake has it


def environment(run):
    """The record that opens the rows of a run; parity makes the same identity of it."""
    record = {"schema": SCHEMA, "type": "environment", "id": run.id, "time": run.time, "host": run.host, "commit": run.commit,
              "modified": run.modified, "changes": run.changes, "program": run.build, "gpu": {"name": run.device, "driver": run.driver, "uuid": run.uuid}}
    if run.job:
        record["slurm"] = {"job": run.job, "partition": os.environ.get("SLURM_JOB_PARTITION", ""),
                           "nodes": os.environ.get("SLURM_JOB_NODELIST", ""),
                           "array_task": os.environ.get("SLURM_ARRAY_TASK_ID", "")}
    return record


def stolen():
    """Processor seconds that a hypervisor gave to others since the machine was started; 0 where the system does not say."""
    try:
        with open("/proc/stat") as stat:
            return int(stat.readline().split()[8]) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0


STOLEN_BEFORE = stolen()


def metric(name, value, unit, better="neither"):
    return {"name": name, "value": value, "unit": unit, "better": better}


def model(launches, submissions, bytes, flops, exponentials=0.0, active_lanes=1.0, barriers=False):
    """What one advance costs."""
    return {"launches": float(launches), "submissions": float(submissions), "bytes": float(bytes), "flops": float(flops),
            "exponentials": float(exponentials), "active_lanes": float(active_lanes), "barriers": barriers}


def row(run, study, variant, kernel, mechanism, family, problem, host, device, model, metrics, error, tolerance, reference,
        setup=0.0, capture=0.0, load=0.0, store=0.0, first=0.0, stop="", tuning="", start=1):
    """host, device: samples in seconds of this process; metrics: a function of the median time. A wrong row keeps neither.

    first: seconds of the first run, which compiles and loads kernels. start: the number of this process among those of the run.
    error: None where the result is not finite.
    """
    passed = error is not None and error <= tolerance
    host, device = (list(host), list(device)) if passed else ([], [])
    times = summary(host)
    return {
        "schema": SCHEMA, "type": "measurement", "study": study, "variant": variant, "kernel": kernel, "mechanism": mechanism,
        "tuning": tuning, "tuning_axes": "", "twin": "", "family": family, "floor": False, "expert": False, "method": "",
        "problem": problem,
        "setup_seconds": setup, "capture_seconds": capture, "load_seconds": load, "store_seconds": store,
        "first_seconds": first, "starts": [start], "processes": [PROCESS], "stolen_seconds": [stolen() - STOLEN_BEFORE],
        "end_to_end_seconds": setup + capture + load + (first or times["median"]) + store, "host_seconds": times,
        "device_seconds": summary(device), "stop": stop if host else "", "model": model,
        "metrics": metrics(times["median"]) if host else [],
        "verification": {"error": error, "tolerance": tolerance, "reference": reference, "passed": passed},
        "run": {k: getattr(run, k) for k in ("id", "commit", "modified", "changes", "build", "device", "host", "job")}}


def summary(samples):
    """Parity's statistics of one process, which has no interval: quartiles by linear interpolation."""
    s = sorted(samples)
    if not s:
        return {"samples": [], "low": None, "high": None} | dict.fromkeys(
            ("median", "lower_quartile", "upper_quartile", "minimum", "maximum", "mean"), 0.0)
    return {"median": quantile(s, 0.5), "low": None, "high": None, "lower_quartile": quantile(s, 0.25),
            "upper_quartile": quantile(s, 0.75), "minimum": s[0], "maximum": s[-1], "mean": statistics.fmean(s),
            "samples": [list(samples)]}


def quantile(s, q):
    place = q * (len(s) - 1)
    below = math.floor(place)
    return s[below] + (place - below) * (s[min(below + 1, len(s) - 1)] - s[below])


def key(study, variant, tuning, problem):
    """Identifies a row for --resume."""
    return study, variant, tuning, json.dumps(problem, sort_keys=True)


def key_of(record):
    """The key of a row; None for other records."""
    if record["type"] != "measurement":
        return None
    return key(record["study"], record["variant"], record.get("tuning", ""), record["problem"])


def starts_of(record):
    """The starts of the script that a row comes from."""
    return record["starts"]


def is_right(record):
    """Whether a row passed its check."""
    return record["verification"].get("passed", True)


def run_of(record):
    """The name of a row's run; empty where its header says it."""
    return record.get("run", {}).get("id", "")


@dataclasses.dataclass(frozen=True)
class Measured:
    """What scripts beside parity read of its rows."""

    variant: str
    problem: dict
    seconds: float  # median
    metrics: dict  # value by name
    error: float
    tolerance: float
    passed: bool


def measured(record):
    """Of a row as parity or a script writes it; None for other records."""
    if record["type"] != "measurement":
        return None
    verdict, times = record["verification"], record["host_seconds"]
    blocks = times["samples"] if isinstance(times, dict) else times
    metrics = [m if isinstance(m, list) else [m["name"], m["value"]] for m in record.get("metrics", [])]
    return Measured(record["variant"], record["problem"], statistics.median(map(statistics.median, blocks)) if blocks else 0.0,
                    {m[0]: m[1] for m in metrics}, math.inf if verdict["error"] is None else verdict["error"], verdict["tolerance"],
                    is_right(record))
