# SPDX-License-Identifier: BSD-3-Clause
"""Launch mechanisms, the plans of the original work's figures, parity findings."""
import pathlib

import numpy as np
import pytest
from record_files import rows

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("steps", [1, 6, 7])
@pytest.mark.parametrize("precision", ["float", "double"])
def test_every_mechanism_of_a_kernel_is_verified(parity, tmp_path, steps, precision):
    done = parity("diffusion", "--nx", 19, "--ny", 7, "--nz", 3, "--steps", steps, "--precision", precision, "--repeats", 2,
                  "--variants", "kokkos-fused+*,kokkos-baseline+kokkos-graph-*", "--json", "r.jsonl")
    assert done.returncode == 0, done.stdout + done.stderr
    measured = {r["variant"]: r for r in rows(tmp_path / "r.jsonl")}
    for schedule in ("copy", "two", "unrolled", "whole"):
        r = measured[f"kokkos-fused+kokkos-graph-{schedule}"]
        assert r["kernel"] == "kokkos-fused" and r["mechanism"] == f"kokkos-graph-{schedule}"
        assert r["capture_seconds"] > 0 and r["verification"]["passed"]
        assert r["end_to_end_seconds"] == pytest.approx(sum(r[f"{part}_seconds"] for part in ("setup", "capture", "load", "first", "store")))
        assert r["first_seconds"] > 0
        assert f"kokkos-baseline+kokkos-graph-{schedule}" in measured
    assert measured["kokkos-fused"]["capture_seconds"] == 0


def test_a_whole_run_in_one_graph_is_refused_where_it_would_be_huge(parity):
    done = parity("diffusion", "--nx", 8, "--ny", 8, "--nz", 1, "--steps", 1000000, "--repeats", 1, "--variants",
                  "kokkos-fused+kokkos-graph-whole")
    assert done.returncode == 3 and "in one graph" in done.stdout


def test_a_floor_is_no_baseline(parity, tmp_path):
    done = parity("diffusion", "--nx", 9, "--ny", 8, "--nz", 2, "--steps", 3, "--repeats", 2, "--variants", "kokkos-empty,kokkos-copy,kokkos-baseline",
                  "--json", "r.jsonl")
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines() if line.endswith(" baseline")] == ["kokkos-baseline"]
    for r in rows(tmp_path / "r.jsonl"):
        assert r["floor"] == (r["kernel"] != "kokkos-baseline")
        if r["floor"]:
            assert r["verification"]["tolerance"] == 0 and r["verification"]["reference"] == "the input itself"


def test_floors_and_mechanisms_filter_nothing(refused, tmp_path):
    np.save(tmp_path / "f.npy", np.ones((6, 7), "f4"))
    refused("filter", "f.npy", "g.npy", "--steps", 2, "--variant", "kokkos-copy", says="floor")
    refused("filter", "f.npy", "g.npy", "--steps", 2, "--variant", "kokkos-fused+kokkos-graph-two", says="mechanisms are for measuring")
    assert not (tmp_path / "g.npy").exists()


@pytest.mark.parametrize("plan", sorted((ROOT / "jobs" / "plans").glob("*.toml")), ids=lambda p: p.stem)
def test_every_committed_plan_can_be_read(parity, plan):
    done = parity("measure", plan, "--dry-run")
    assert done.returncode == 0, done.stderr


SWEEP = """variants = ["kokkos-baseline", "kokkos-baseline+kokkos-graph-*", "kokkos-fused", "kokkos-field-update"]
[axes]
size = [[6, 6, 2], [9, 9, 2], [13, 13, 2]]
steps = [1, 4, 9]
precision = ["double"]
[measure]
repeats = 2
"""


def test_findings_and_figures_come_from_a_sweeps_records(parity, draw, tmp_path):
    (tmp_path / "plan.toml").write_text(SWEEP)
    assert parity("measure", "plan.toml", "--output", "r.jsonl").returncode == 0
    done = parity("findings", "r.jsonl")
    assert done.returncode == 0, done.stderr
    for word in ("kokkos-fused", "kokkos-field-update", "kokkos-baseline+kokkos-graph-two", "Largest speed-up", " measured "):
        assert word in done.stdout
    report, page = draw("r.jsonl")
    assert report.returncode == 0, report.stderr
    assert "over the grid size" in page and "over the number of steps" in page and page.count("<svg") >= 4
