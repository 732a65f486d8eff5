# SPDX-License-Identifier: BSD-3-Clause
"""The plans of scaling on a host's ranks, and the efficiencies that parity findings --scaling makes of their records."""
import json
import pathlib

import pytest
from record_files import rows
from test_ranks import PARITY, needs_mpi, ranks

PLANS = pathlib.Path(__file__).resolve().parents[2] / "jobs/plans"
ON_A_HOST = {"weak": ["scaling_weak_host.toml"],
             "strong": ["scaling_strong.toml", "--set", "size=[256, 256, 16]", "--set", "steps=16", "--set", "precision=float", "--variants",
                        ",".join(f"{family}-{name}" for family in ("kokkos", "openmp")
                                 for name in ("fused", "exchange", "fused-exchange", "fused-overlap", "fused-deep"))]}


@needs_mpi
@pytest.mark.parametrize("kind", ON_A_HOST)
def test_plans_of_scaling_and_their_efficiencies(parity, tmp_path, kind):
    plan, *options = ON_A_HOST[kind]
    assert "messages =" not in (PLANS / plan).read_text()
    files, measured = [], {}
    for count in (1, 2, 4):
        files.append(f"{count}.jsonl")
        done = ranks(tmp_path, count, PARITY, "measure", PLANS / plan, *options, "--output", files[-1], "--repeats", 2, "--time-cap", 0.2, "--quiet")
        assert done.returncode == 0, (done.stdout, done.stderr)
        measured[count] = rows(tmp_path / files[-1])
        assert len(measured[count]) >= 10
        for row in measured[count]:
            shared = [row["problem"].get(f"ranks_{axis}", 1) for axis in "xyz"]
            assert shared[0] * shared[1] * shared[2] == count and row["verification"]["passed"] and "messages" not in row["problem"]
    assert parity("findings", "--scaling", *files, "--json", "s.json").returncode == 0
    found = json.loads((tmp_path / "s.json").read_text())
    assert len(found) == len(measured[2]) + len(measured[4])
    alone = {(r["variant"], r["tuning"], r["problem"]["nx"], r["problem"]["ny"], r["problem"]["nz"]): r["host_seconds"]["median"] for r in measured[1]}
    for row, of in zip(found, measured[2] + measured[4]):
        p = of["problem"]
        parts = [p.get(f"ranks_{axis}", 1) if kind == "weak" else 1 for axis in "xyz"]
        one = alone[(of["variant"], of["tuning"], *(p[f"n{axis}"] // n for axis, n in zip("xyz", parts)))]
        expected = one / of["host_seconds"]["median"] / (row["ranks"] if kind == "strong" else 1)
        assert row[f"{kind}_efficiency"] == pytest.approx(expected, rel=1e-6)


def test_scaling_needs_rows_of_several_ranks(parity, refused, tmp_path):
    assert parity("diffusion", "--nx", 16, "--ny", 16, "--nz", 2, "--steps", 2, "--repeats", 2, "--starts", 1, "--variants", "openmp-fused", "--quiet",
                  "--json", "r.jsonl").returncode == 0
    refused("findings", "--scaling", "r.jsonl", says="no verified row of several ranks is in these records")
