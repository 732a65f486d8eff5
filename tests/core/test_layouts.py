# SPDX-License-Identifier: BSD-3-Clause
"""Records in the layouts of other programs, read in the way those programs read them."""
import csv
import io
import json

import pytest
from record_files import POINT, row, skipped, write

PROBLEM = "alpha=0.03125,halo=2,nx=64,ny=64,nz=8,precision=float,seed=1,steps=10"
NAME = "diffusion/{}/" + PROBLEM.replace("=", ":").replace(",", "/")


@pytest.fixture
def records(tmp_path):
    write(tmp_path / "r.jsonl", [
        {"type": "environment", "schema": 4, "id": "run", "time": "2026-11-28T12:00:00Z", "commit": "c0ffee", "omp_threads": 2, "host": "h"},
        row("diffusion", "kokkos-fused", [4e-3, 2e-3, 3e-3], POINT, twin="openmp-fused", metrics=[["throughput", 5.0, "Gpt/s", "higher"]]),
        row("diffusion", "openmp-fused", [1e-3] * 3, POINT), row("diffusion", "openmp-plane", [1e-3] * 3, POINT, error=2.0),
        skipped("diffusion", "cuda-fused", "no GPU", POINT)])
    return "r.jsonl"


def test_google_benchmark(parity, records):
    document = json.loads(parity("export", records, "--layout", "google-benchmark").stdout)
    assert document["context"].items() >= {"date": "2026-11-28T12:00:00Z", "executable": "parity", "num_cpus": 2, "host_name": "h"}.items()
    found = document["benchmarks"]
    for b in found:  # the fields that Google Benchmark's tools/compare.py reads
        assert {"name", "run_name", "run_type", "iterations", "real_time", "cpu_time", "time_unit"} <= set(b)
        assert b["run_type"] == "iteration" and b["time_unit"] == "us" and b["repetition_index"] < b["repetitions"]
    kokkos = [b for b in found if b["name"] == NAME.format("kokkos-fused")]
    assert [b["real_time"] for b in kokkos] == pytest.approx([4000, 2000, 3000]) == [b["cpu_time"] for b in kokkos]
    assert {(b["iterations"], b["repetitions"], b["throughput"], b["label"]) for b in kokkos} == {(1, 3, 5.0, "CPU A")}
    failed = {b["name"]: b["error_message"] for b in found if b.get("error_occurred")}
    assert failed == {NAME.format("openmp-plane"): "wrong result", NAME.format("cuda-fused"): "no GPU"}
    assert len(found) == 3 + 3 + 2


def test_p3(parity, records):
    """Application efficiency is the best time for a problem and platform divided by an application's time."""
    table = list(csv.DictReader(io.StringIO(parity("export", records, "--layout", "p3").stdout)))
    assert {"problem", "application", "platform", "fom", "date"} == set(table[0])
    assert {(r["problem"], r["platform"], r["date"]) for r in table} == {("diffusion " + PROBLEM, "CPU A", "2026-11-28T12:00:00Z")}
    best = min(float(r["fom"]) for r in table)
    assert {r["application"]: best / float(r["fom"]) for r in table} == pytest.approx({"kokkos-fused": 1 / 3, "openmp-fused": 1})


def test_other_layouts_are_refused(refused, records):
    refused("export", records, "--layout", "yaml", says="yaml")
    refused("export", records, "--layout", "p3", "--records", says="--records")
