# SPDX-License-Identifier: BSD-3-Clause
"""The table of recorded rates, from which 'parity filter' chooses on a GPU of its records."""
import json
import os
import pathlib
import shlex
import subprocess

import numpy as np
import pytest
from conftest import PARITY

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "miniapp" / "diffusion" / "recorded_rates.def"
FRONTIER = "jobs/results/h200/frontier"


def test_the_compiled_table_is_what_the_records_say():
    """No number in it is typed: the command in its second line makes it again."""
    text = TABLE.read_text()
    words = shlex.split(text.splitlines()[1].split(": ", 1)[1])
    assert words[:2] == ["parity", "rates"] and words[-2:] == ["--output", str(TABLE.relative_to(ROOT))]
    assert words[2:-2] == sorted(str(f.relative_to(ROOT)) for f in (ROOT / FRONTIER).glob("*.jsonl")), "all records of the frontier"
    done = subprocess.run([PARITY, *words[1:-2]], cwd=ROOT, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == text, f"make it again and build: {shlex.join(words)}"


def test_each_line_has_the_fastest_tuning_of_its_record(parity, tmp_path):
    lines = [json.loads(line) for line in (ROOT / FRONTIER / "frontier.jsonl").read_text().splitlines()]
    environment = next(r for r in lines if r["type"] == "environment")
    rows = [r for r in lines if r["type"] == "measurement" and r["run"]["id"] == environment["id"]]
    chosen = [r for r in rows if r["kernel"] == "cuda-plane-cluster" and r["problem"]["nx"] == 128 and r["starts"] == rows[0]["starts"]]
    assert len(chosen) > 4
    wrong = dict(chosen[0], tuning="16", verification=dict(chosen[0]["verification"], passed=False, error=1.0), host_seconds=dict(chosen[0]["host_seconds"], samples=[[1e-9]]))
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(r) + "\n" for r in [environment, wrong, *chosen]))
    made = parity("rates", "r.jsonl")
    assert made.returncode == 0, made.stderr
    found = [line for line in made.stdout.splitlines() if line.startswith("PARITY_RATE(")]
    assert len(found) == 2  # a precision each
    for precision, word in (("f32", "float"), ("f64", "double")):
        best = min((r for r in chosen if r["problem"]["precision"] == word), key=lambda r: r["host_seconds"]["median"])
        line = next(line for line in found if f", {precision}, " in line)
        words = [w.strip(' "') for w in line[len("PARITY_RATE("):-1].split(",")]
        assert words[:5] == ["NVIDIA H200", "9.0", "132", "cuda-plane-cluster", best["tuning"]]
        assert words[6:11] == ["128", "128", "64", "1025", "0.03125"]
        assert float(words[11]) == pytest.approx(1e6 * best["host_seconds"]["median"] / 1025, rel=1e-3)
        assert words[12] == f"r.jsonl:{[environment, wrong, *chosen].index(best) + 1}"
        assert words[13] == environment["commit"]


def test_what_has_no_such_row_is_refused_in_a_line(parity, refused, tmp_path):
    refused("rates", "none.jsonl", says="none.jsonl")
    assert parity("diffusion", "--nx", 16, "--ny", 16, "--nz", 2, "--steps", 3, "--variants", "openmp-fused", "--repeats", 1, "--json", "host.jsonl").returncode == 0
    refused("rates", "host.jsonl", says="host.jsonl: no row of the diffusion study that a GPU computed")


def test_explain_says_what_is_never_chosen_and_why(parity, tmp_path):
    np.save(tmp_path / "in.npy", np.ones((64, 64), "f4"))
    done = parity("filter", "in.npy", "out.npy", "--steps", 2, "--no-measuring", "--explain")
    assert done.returncode == 0, done.stderr
    table = done.stdout[done.stdout.index("  variant "):]
    assert "* " in table and "by" in table.splitlines()[0]
    never = [line for line in table.splitlines() if line.startswith("  never chosen: ")]
    assert any("openmp-fused-exchange" in line and "exchanges halos" in line for line in never), table


def test_what_is_remembered_serves_other_numbers_of_steps(parity, tmp_path):
    """Work of more than three seconds by the model is worth a second of measuring; what it found is a start and a step."""
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    rates = tmp_path / "cache" / "parity" / "rates.jsonl"
    np.save(tmp_path / "in.npy", np.random.default_rng(1).normal(size=(4, 64, 64)).astype("f4"))

    def explained(steps, *more):
        done = parity("filter", "in.npy", "out.npy", "--force", "--steps", steps, "--explain", *more, env=env)
        assert done.returncode == 0, done.stderr
        return next(line for line in done.stdout.splitlines() if line.startswith("* "))

    assert explained(200).endswith("model") and not rates.exists()
    assert "and 240 steps" in explained(200_000) or "and 40 steps" in explained(200_000)
    before = rates.read_bytes()
    rows = [json.loads(line) for line in before.decode().splitlines()]
    steps = {r["problem"]["steps"] for r in rows if r["type"] == "measurement"}
    assert steps in ({48, 240}, {8, 40}), steps
    assert "measured on" in explained(1000) and rates.read_bytes() == before
    # Another alpha is another arithmetic.
    assert explained(1000, "--alpha", 0.02).endswith("model") and rates.read_bytes() == before
