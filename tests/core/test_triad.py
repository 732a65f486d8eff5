# SPDX-License-Identifier: BSD-3-Clause
"""A fourth study (tests/triad) has everything that the first three have, without a line for it outside its folder."""
import json
import os
import subprocess

import pytest
import shown_pairs
from record_files import key, metric, rows

TRIAD = os.environ.get("PARITY_TRIAD", "")
pytestmark = pytest.mark.skipif(not TRIAD, reason="PARITY_TRIAD does not name the program with the fourth study")

PROBLEMS = 12
PLAN = f"""
study = "triad"
variants = ["openmp-triad", "kokkos-triad"]
[axes]
n = [{", ".join(str(1000000 + k) for k in range(PROBLEMS))}]
[measure]
repeats = 2
starts = 1
"""


@pytest.fixture
def triad(tmp_path):
    def run(*arguments):
        return subprocess.run([TRIAD, *map(str, arguments)], cwd=tmp_path, text=True, capture_output=True, timeout=1800)

    return run


def test_it_is_listed_with_its_variants(triad, parity):
    done = triad("list", "triad")
    assert done.returncode == 0
    assert "study triad" in done.stdout and "triad/kokkos-triad" in done.stdout and "twin: openmp-triad" in done.stdout
    assert "triad" in triad("--help").stdout and "--scalar" in triad("triad", "--help").stdout
    assert "triad" not in parity("list").stdout


@pytest.mark.parametrize("precision", ["float", "double"])
@pytest.mark.parametrize("n", [1, 2, 31, 1001])
def test_odd_sizes_are_verified(triad, tmp_path, n, precision):
    done = triad("triad", "--n", n, "--precision", precision, "--scalar", 0.7, "--repeats", 3, "--json", "t.jsonl", "--csv", "t.csv")
    assert done.returncode == 0, done.stdout + done.stderr
    measured = rows(tmp_path / "t.jsonl")
    assert {r["variant"] for r in measured} == {"openmp-triad", "kokkos-triad"}
    for r in measured:
        assert r["verification"]["passed"] and r["problem"] == {"n": n, "precision": precision, "scalar": 0.7}
        size = 3 * n * (4 if precision == "float" else 8)
        assert metric(r, "bandwidth") == pytest.approx(size / r["host_seconds"]["median"] / 1e9)
    header = (tmp_path / "t.csv").read_text().splitlines()[0]
    assert header.startswith("study,variant,kernel,mechanism,tuning,family,precision,n,scalar,") and ",bandwidth GB/s," in header


def test_a_plan_is_killed_resumed_and_read_by_everything(triad, draw, tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    assert f"{2 * PROBLEMS} rows" in triad("measure", "plan.toml", "--dry-run").stdout
    output = tmp_path / "r.jsonl"
    done = triad("measure", "plan.toml", "--output", "r.jsonl")
    assert done.returncode == 0, done.stderr
    lines = output.read_text().splitlines(keepends=True)
    output.write_text("".join(lines[:5]) + lines[5][:40])  # as a kill leaves it
    done = triad("measure", "plan.toml", "--output", "r.jsonl", "--resume")
    finished = sum('"type":"measurement"' in line for line in lines[:5])
    assert done.returncode == 0 and f"{2 * PROBLEMS - finished} rows measured, {finished} kept" in done.stdout, done.stdout + done.stderr
    measured = rows(output)
    assert len(measured) == 2 * PROBLEMS == len({key(r) for r in measured})

    document = json.loads(triad("export", "r.jsonl").stdout)
    # A problem whose two rows are of two runs has no pair.
    assert PROBLEMS - 1 <= len(document["pairs"]) <= PROBLEMS
    merit = triad("findings", "--merit", "r.jsonl").stdout
    assert f"merit rows - verified {2 * PROBLEMS} rows" in merit and "ratio:openmp-triad" in merit
    findings = triad("findings", "r.jsonl")
    assert findings.returncode == 0 and shown_pairs.of_text(findings.stdout) == shown_pairs.of_export(document)
    compared = triad("compare", "r.jsonl", "r.jsonl")
    assert compared.returncode == 0 and f"{2 * PROBLEMS} rows in all 2 files" in compared.stdout
    done, page = draw("r.jsonl", env={**os.environ, "PARITY": TRIAD})
    assert done.returncode == 0, done.stderr
    assert shown_pairs.of_page(page) == shown_pairs.of_export(document)
    assert "Triad over n, precision = float" in page and page.split("<section id=origins>")[1].count("<svg") == 1


def test_records_of_a_study_that_this_build_lacks_are_still_read(triad, parity, draw, tmp_path):
    assert triad("triad", "--n", 100, "--repeats", 2, "--json", "t.jsonl").returncode == 0
    assert parity("export", "t.jsonl").stdout == triad("export", "t.jsonl").stdout
    assert parity("findings", "--merit", "t.jsonl").stdout == triad("findings", "--merit", "t.jsonl").stdout
    assert draw("t.jsonl")[0].returncode == 0
