# SPDX-License-Identifier: BSD-3-Clause
"""--energy on a machine with counters that the test made: no test depends on the machine's own counters."""
import pytest
from mpirun import PARITY, needs_mpi, ranks
from record_files import lines as rows

PLAN = """
study = "diffusion"
variants = ["openmp-fused"]
[axes]
size = [[16, 16, 4]]
steps = [2]
precision = ["float"]
[measure]
repeats = 2
starts = 1
"""


@pytest.fixture
def powercap(tmp_path, monkeypatch):
    """A folder like /sys/class/powercap with one package, whose counter stands still."""
    package = tmp_path / "powercap/intel-rapl:0"
    package.mkdir(parents=True)
    for name, text in (("name", "package-0"), ("energy_uj", "1000000"), ("max_energy_range_uj", "262143328850")):
        (package / name).write_text(text + "\n")
    monkeypatch.setenv("PARITY_POWERCAP", str(tmp_path / "powercap"))
    return tmp_path / "powercap"


def test_where_nothing_counts_one_line_says_so(parity, tmp_path, monkeypatch):
    monkeypatch.setenv("PARITY_POWERCAP", str(tmp_path / "nothing"))
    (tmp_path / "plan.toml").write_text(PLAN)
    for command in (["diffusion", "--nx", "16", "--ny", "16", "--nz", "4", "--steps", "2", "--variants", "openmp-fused"],
                    ["measure", "plan.toml", "--output", "r.jsonl"]):
        done = parity(*command, "--energy")
        assert done.returncode == 3 and len(done.stderr.splitlines()) == 1, done.stderr
        assert "--energy: nothing counts joules here" in done.stderr and "omit it" in done.stderr
    assert not (tmp_path / "r.jsonl").exists()


def test_a_study_of_calls_has_no_joules(refused, tmp_path):
    (tmp_path / "launch.toml").write_text('study = "launch"\nvariants = ["openmp-*"]\n[axes]\nquantity = ["latency"]\n')
    refused("measure", "launch.toml", "--output", "r.jsonl", "--energy", says="launch measures calls")
    refused("launch", "--energy", says="--energy")


@needs_mpi
def test_several_ranks_are_refused_before_anything_runs(tmp_path, powercap):
    done = ranks(tmp_path, 2, PARITY, "diffusion", "--nx", 16, "--ny", 16, "--nz", 4, "--ranks-z", 2, "--steps", 2, "--variants", "openmp-fused", "--energy",
                 "--json", "r.jsonl")
    assert done.returncode != 0 and done.stderr.count("--energy counts one process's joules") == 1 and not (tmp_path / "r.jsonl").exists()


def test_joules_that_are_refused_leave_times_and_are_not_asked_again(parity, tmp_path, powercap):
    """A counter that stands still is refused. Results from before --energy are measured again, once."""
    (tmp_path / "plan.toml").write_text(PLAN)
    assert parity("measure", "plan.toml", "--output", "r.jsonl").returncode == 0
    assert "energy" not in rows(tmp_path / "r.jsonl")[0]
    done = parity("measure", "plan.toml", "--output", "r.jsonl", "--resume", "--energy")
    assert done.returncode == 0 and "1 rows measured, 0 kept" in done.stdout, done.stdout + done.stderr
    assert "no joules of openmp-fused: RAPL did not count in" in done.stdout
    row = rows(tmp_path / "r.jsonl")[-1]
    (energy,) = row["energy"]
    assert energy["start"] == 1 and energy["meter"] == "RAPL" and energy["run_joules"] is None and energy["window_seconds"] >= 2
    assert energy["counted_joules"] == 0 and "did not count" in energy["refused"]
    assert row["host_seconds"]["median"] > 0 and row["verification"]["passed"] and not [m for m in row["metrics"] if "energy" in m["name"]]
    done = parity("measure", "plan.toml", "--output", "r.jsonl", "--resume", "--energy")
    assert "0 rows measured, 1 kept" in done.stdout
    assert parity("findings", "--merit", "r.jsonl").returncode == 0
