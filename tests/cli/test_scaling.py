# SPDX-License-Identifier: BSD-3-Clause
"""The plans of scaling on a host's ranks, and what parity scaling makes of their records. The model's numbers are the unit tests'."""
import json
import pathlib

import pytest
from record_files import rows
from test_ranks import PARITY, needs_mpi, ranks

PLANS = pathlib.Path(__file__).resolve().parents[2] / "jobs/plans"


@needs_mpi
@pytest.mark.parametrize("kind", ["weak", "strong"])
def test_plans_of_scaling_and_their_model(parity, tmp_path, kind):
    plan = PLANS / f"scaling_{kind}_host.toml"
    assert "messages =" not in plan.read_text()
    files, measured = [], {}
    for count in (1, 2, 4):
        files.append(f"{count}.jsonl")
        done = ranks(tmp_path, count, PARITY, "measure", plan, "--output", files[-1], "--repeats", 2, "--time-cap", 0.2, "--quiet")
        assert done.returncode == 0, (done.stdout, done.stderr)
        measured[count] = rows(tmp_path / files[-1])
        assert len(measured[count]) >= 10
        for row in measured[count]:
            shared = [row["problem"].get(f"ranks_{axis}", 1) for axis in "xyz"]
            assert shared[0] * shared[1] * shared[2] == count and row["verification"]["passed"] and "messages" not in row["problem"]
    assert parity("scaling", *files, "--ranks", 8, "--json", "s.json").returncode == 0
    found = json.loads((tmp_path / "s.json").read_text())
    assert len(found["scaling"]) == len(measured[2]) + len(measured[4])
    for row in found["scaling"]:
        cut = "ranks_x" in row["problem"] or "ranks_y" in row["problem"]
        assert row[f"{kind}_efficiency"] > 0
        assert row["missing"].startswith("messages on a node of hosts") if cut else row["predicted us"] > 0 and row["missing"] == ""
    assert found["extrapolated"] == [] and found["assumptions"]


def message(quantity, size, seconds, device):
    """A row of the launch study as it would be of this device."""
    return {"schema": 3, "type": "measurement", "study": "launch", "variant": "openmp-messages", "tuning": "", "family": "openmp",
            "problem": {"quantity": quantity, "bytes": size, "ranks": 2, "nodes": 1}, "starts": [1], "processes": ["1"],
            "host_seconds": {"samples": [[seconds] * 3]}, "metrics": [{"name": "leaves_node", "value": 0, "unit": "nodes", "better": "neither"}],
            "verification": {"passed": True, "error": 0, "tolerance": 1}, "run": {"id": "m", "device": device}}


@needs_mpi
def test_messages_and_kernels_make_a_prediction(parity, tmp_path):
    small = ["--nx", 32, "--nz", 2, "--steps", 4, "--repeats", 2, "--variants", "openmp-fused-exchange", "--quiet"]
    assert ranks(tmp_path, 1, PARITY, "diffusion", "--ny", 32, *small, "--starts", 1, "--json", "1.jsonl").returncode == 0
    assert ranks(tmp_path, 2, PARITY, "diffusion", "--ny", 64, "--ranks-y", 2, *small, "--json", "2.jsonl").returncode == 0
    device = rows(tmp_path / "1.jsonl")[0]["run"]["device"]
    (tmp_path / "m.jsonl").write_text("".join(json.dumps(message("neighbours", size, 1e-5 + size * 1e-9, device)) + "\n" for size in (8, 65536)))
    done = parity("scaling", "1.jsonl", "2.jsonl", "m.jsonl", "--json", "s.json")
    assert done.returncode == 0 and "EXTRAPOLATED" in done.stdout and "not measured" in done.stdout, (done.stdout, done.stderr)
    found = json.loads((tmp_path / "s.json").read_text())
    row, = found["scaling"]
    alone = rows(tmp_path / "1.jsonl")[0]["host_seconds"]["median"] / 4
    sent = 2 * 2 * (32 + 4) * 2 * 4  # two rows above and below with their corners, two planes, four bytes
    exchanges = 5 / 4  # one more, for the result
    assert row["predicted us"] == pytest.approx(1e6 * (alone + exchanges * (1e-5 + sent * 1e-9)), rel=1e-6)
    assert max(e["ranks"] for e in found["extrapolated"] if e["scaling"] == "weak") == 1024
    assert {p["machine"].split()[0] for p in found["published_machines"]} == {"P100", "V100"}
    assert any("no message to another node was measured" in a["assumption"] for a in found["assumptions"])


def test_scaling_needs_rows_of_several_ranks(parity, refused, tmp_path):
    assert parity("diffusion", "--nx", 16, "--ny", 16, "--nz", 2, "--steps", 2, "--repeats", 2, "--starts", 1, "--variants", "openmp-fused", "--quiet",
                  "--json", "r.jsonl").returncode == 0
    refused("scaling", "r.jsonl", says="no verified row of several ranks is in these records")
