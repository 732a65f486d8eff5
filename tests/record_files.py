# SPDX-License-Identifier: BSD-3-Clause
"""Reads and writes files of records in tests."""
import json
import os
import statistics
import subprocess

# A problem of each study, for constructed results.
POINT = {"nx": 64, "ny": 64, "nz": 8, "steps": 10, "alpha": 0.03125, "halo": 2, "seed": 1, "precision": "float"}
LAUNCH = {"quantity": "dispatch", "blocks": 1, "threads": 128, "argument_bytes": 0, "launches": 100, "unit": "spin", "units": 5,
          "unit_ns": 5000, "topology": "line", "devices": 1, "bytes": 1048576}
DENSITY = {"n": 1000, "bandwidth": 0.01, "distribution": "normal", "precision": "double", "seed": 1, "tolerance": 1e-7}


def records(path):
    """Every record, completed with the data of its run's header, full names and default values."""
    found, header = [], {}
    for line in path.read_text().splitlines():
        r = json.loads(line)
        if r["type"] == "environment":
            header = r
        found.append(r if r["type"] == "environment" else whole(r, header))
    return found


def whole(r, header):
    kernel, _, mechanism = r["variant"].partition("+")
    full = {"kernel": kernel, "mechanism": mechanism or "stream", "tuning": "", "tuning_axes": "", "twin": "", "family": kernel.split("-")[0],
            "floor": False, "run": {"id": header.get("id", ""), "commit": header.get("commit", "")}, **r}
    if r["type"] == "skipped":
        return full
    blocks = r["host_seconds"] if isinstance(r.get("host_seconds", []), list) else r["host_seconds"]["samples"]
    medians = [statistics.median(b) for b in blocks]
    device = r.get("device_seconds", [])
    metrics = [dict(zip(("name", "value", "unit", "better"), m)) if isinstance(m, list) else m for m in r.get("metrics", [])]
    full = {**{f"{part}_seconds": 0.0 for part in ("setup", "capture", "load", "store", "first")}, **full,
            "host_seconds": {"samples": blocks, "median": statistics.median(medians) if medians else 0.0}, "metrics": metrics,
            "device_seconds": {"samples": device} if isinstance(device, list) else device,
            "model": {"launches": 0.0, "bytes": 0.0, "flops": 0.0, "submissions": 0.0, **r.get("model", {})}, "verification": {"passed": True, **r["verification"]}}
    full["end_to_end_seconds"] = sum(full[f"{part}_seconds"] for part in ("setup", "capture", "load", "first", "store"))
    return full


def lines(path):
    """Every line of a result."""
    return [r for r in records(path) if r["type"] == "measurement"]


def rows(path):
    """The results, with their lines of several processes merged, as every reader sees them."""
    done = subprocess.run([os.environ["PARITY"], "export", path], capture_output=True, text=True)
    assert done.returncode == 0 or "holds no measurement" in done.stderr, done.stderr
    return json.loads(done.stdout or '{"measurements": []}')["measurements"]


def sample_count(row):
    return sum(map(len, row["host_seconds"]["samples"]))


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def key(r):
    return json.dumps([r["study"], r["variant"], r["tuning"], r["problem"]], sort_keys=True)


def metric(row, name):
    """The value of a result's metric; a result without it fails the test."""
    (value,) = [m["value"] for m in row["metrics"] if m["name"] == name]
    return value


def times(samples):
    """Samples as parity writes them: blocks of one sample each."""
    return {"samples": [[x] for x in samples]}


def row(study, variant, samples, problem, run="run", twin="", tuning="", mechanism="stream", error=0.0, **fields):
    """A result in the present schema, for tests that construct their records."""
    kernel = variant.split("+")[0]
    return {"schema": 3, "type": "measurement", "study": study, "variant": variant, "kernel": kernel, "mechanism": mechanism,
            "tuning": tuning, "tuning_axes": "", "twin": twin, "family": kernel.split("-")[0], "floor": False, "problem": problem,
            "setup_seconds": 0.0, "capture_seconds": 0.0, "load_seconds": 0.0, "store_seconds": 0.0, "first_seconds": 0.0,
            "starts": list(range(1, len(samples) + 1)), "processes": [str(k) for k in range(len(samples))], "host_seconds": times(samples),
            "device_seconds": times([]), "stop": "repeats", "metrics": [],
            "verification": {"error": error, "tolerance": 1.0, "reference": "a test", "passed": error <= 1},
            "run": {"id": run, "commit": "c0ffee", "modified": False, "build": "Release", "device": "CPU A", "host": "h", "job": ""},
            **fields}


def skipped(study, variant, reason, problem, starts=(1,), run="run", tuning="", mechanism="stream", **fields):
    """A record of a variant that could not run."""
    made = row(study, variant, [], problem, run=run, tuning=tuning, mechanism=mechanism)
    kept = ("schema", "study", "variant", "kernel", "mechanism", "tuning", "tuning_axes", "twin", "family", "floor", "problem", "run")
    return {**{k: made[k] for k in kept}, "type": "skipped", "starts": list(starts), "reason": reason, **fields}


def skips(path):
    """Every line of a skipped variant."""
    return [r for r in records(path) if r["type"] == "skipped"]


def timed_plan(problems, seconds, steps=1000):
    """A plan with two results per problem, which take a known time on any machine: more samples of milliseconds than fit the time."""
    sizes = ", ".join(f"[64, {ny}, 8]" for ny in range(16, 16 + problems))
    return f"""
variants = ["openmp-plane", "reference-loop"]
[axes]
size = [{sizes}]
steps = [{steps}]
[measure]
repeats = 100000
starts = 1
time_cap = {seconds / 2}
"""


def hurry(file):
    """The rest of the plan takes one sample per result from now on; results do not depend on it."""
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join("time_cap = 0\n" if line.startswith("time_cap") else line for line in lines))
