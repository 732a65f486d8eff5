# SPDX-License-Identifier: BSD-3-Clause
"""Several ranks under mpirun: one of them prints, all of them measure, and a failure of one ends all."""
import json
import os
import pathlib
import re
import subprocess

import pytest
from mpirun import LIMIT, MPIEXEC, PARITY, PROGRAM, killed, limited, needs_mpi, ranks, said
from record_files import rows

PLANS = pathlib.Path(__file__).resolve().parents[2] / "jobs/plans"
SMALL = ["--nx", 29, "--ny", 25, "--nz", 7, "--steps", 5, "--repeats", 2, "--quiet"]


def environment_of(path):
    return next(json.loads(line) for line in path.read_text().splitlines() if '"environment"' in line)


@needs_mpi
@pytest.mark.parametrize("shares", [(1, 3, 1), (3, 1, 1), (1, 1, 3)])
def test_ranks_share_a_problem_and_one_of_them_speaks(tmp_path, shares):
    x, y, z = shares
    variants = "openmp-fused,kokkos-fused" if z > 1 else "*-fused-exchange,*-fused-overlap,*-fused-deep,openmp-temporal-exchange/4x2,kokkos-temporal-exchange/2x1"
    done = ranks(tmp_path, 3, PARITY, "diffusion", *SMALL, "--variants", variants, "--ranks-x", x, "--ranks-y", y, "--ranks-z", z,
                 "--json", "r.jsonl", "--csv", "r.csv")
    assert done.returncode == 0 and said(done) == [], (done.stdout, done.stderr)
    assert done.stdout.count("diffusion 29x25x7 N=5 float ranks=") == 1, done.stdout
    measured = rows(tmp_path / "r.jsonl")
    assert {r["variant"].split("-")[0] for r in measured} == {"openmp", "kokkos"} and len(measured) == (2 if z > 1 else 8)
    for row in measured:
        assert [row["problem"].get(f"ranks_{axis}", 1) for axis in "xyz"] == list(shares)
        assert row["verification"]["passed"] and len(row["host_seconds"]["samples"][0]) == 2
    environment = environment_of(tmp_path / "r.jsonl")
    assert environment["ranks"] == environment["ranks_on_node"] == 3 and environment["mpi"]
    axis = "xyz"[[n > 1 for n in shares].index(True)]
    assert f",ranks_{axis}," in (tmp_path / "r.csv").read_text().splitlines()[0]


def test_a_row_of_one_process_names_no_ranks(parity, tmp_path):
    """Results from before Parity had ranks count as the same results."""
    assert parity("diffusion", *SMALL, "--variants", "openmp-fused", "--starts", 1, "--json", "r.jsonl", "--csv", "r.csv").returncode == 0
    assert set(rows(tmp_path / "r.jsonl")[0]["problem"]) == {"nx", "ny", "nz", "steps", "alpha", "halo", "precision", "seed"}
    assert "ranks" not in (tmp_path / "r.csv").read_text()
    assert "ranks" not in environment_of(tmp_path / "r.jsonl")


def test_one_process_can_have_no_ranks(parity):
    done = parity("diffusion", *SMALL, "--variants", "openmp-fused-exchange", "--ranks-y", 2)
    assert done.returncode == 3 and "start it with mpirun -n 2" in " ".join(done.stdout.split()), (done.stdout, done.stderr)


def test_parts_need_points(refused):
    refused("diffusion", *SMALL, "--ranks-z", 8, says="8 ranks in z are more than its 7 points: reduce --ranks-z")


def test_a_build_without_mpi_is_told_apart(parity):
    if MPIEXEC:
        assert "MPI:    " in parity("--version").stdout and "not in this build" not in parity("--version").stdout.split("MPI:")[1]
        return
    assert "MPI:    not in this build" in parity("--version").stdout
    done = parity("diffusion", env={**os.environ, "OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"})
    assert done.returncode == 3 and "PARITY_ENABLE_MPI=ON" in done.stderr
    other = parity("diffusion", env={**os.environ, "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"})
    assert other.returncode == 3 and other.stderr == other.stdout == ""


@needs_mpi
@pytest.mark.parametrize("arguments, code, says", [
    (["list"], 2, "one process's"),
    (["filter", "in.npy", "out.npy", "--steps", 3], 2, "in.npy: No such file"),
    (["diffusion", "--nx", 200000, "--ny", 200000, "--nz", 64, "--ranks-z", 2, "--variants", "openmp-fused"], 2, "are free: reduce nx, ny or nz"),
])
def test_what_is_wrong_is_said_once(tmp_path, arguments, code, says):
    done = ranks(tmp_path, 2, PARITY, *arguments)
    assert done.returncode == code, (done.stdout, done.stderr)
    assert len(said(done)) == 1 and says in said(done)[0], done.stderr


@needs_mpi
@pytest.mark.parametrize("arguments, says", [
    (["diffusion", *SMALL, "--variants", "openmp-*"], "it is for 1 rank and there are 2: give --ranks-z 2"),
    (["diffusion", *SMALL, "--ranks-y", 2, "--variants", "openmp-fused"], "it computes whole planes"),
    (["diffusion", *SMALL, "--ranks-x", 2, "--variants", "openmp-fused-deep/8"], "are smaller than the 16"),
    (["diffusion", *SMALL, "--ranks-y", 2, "--halo", 13, "--variants", "openmp-temporal-exchange/8x1"], "are smaller than the 13"),
    (["diffusion", *SMALL, "--ranks-y", 2, "--variants", "openmp-fused-exchange", "--messages", "staged"], "there is nothing to choose: omit --messages"),
    (["kde", "--n", 100, "--quiet", "--ranks", 2, "--variants", "openmp-direct"], "its samples are one rank's: take a variant that shares them"),
    (["diffusion", *SMALL, "--ranks-y", 2, "--variants", "openmp-fused-exchange", "--messages", "nccl"], "NCCL carries messages between GPUs alone"),
    (["diffusion", *SMALL, "--ranks-y", 2, "--variants", "openmp-fused-exchange", "--messages", "peer"], "peer copies are between GPUs alone"),
    (["launch", "--quiet"], "its problems are one process's"),
])
def test_what_cannot_run_so_says_why(tmp_path, arguments, says):
    done = ranks(tmp_path, 2, PARITY, *arguments)
    assert done.returncode == 3 and says in " ".join(done.stdout.split()) and len(said(done)) == 1, (done.stdout, done.stderr)


@needs_mpi
@pytest.mark.parametrize("n", [3, 1000])
def test_ranks_share_the_samples_of_a_density(tmp_path, n):
    done = ranks(tmp_path, 3, PARITY, "kde", "--n", n, "--ranks", 3, "--repeats", 2, "--quiet", "--json", "r.jsonl")
    assert done.returncode == 0 and said(done) == [], (done.stdout, done.stderr)
    measured = rows(tmp_path / "r.jsonl")
    assert {r["variant"] for r in measured} == {"openmp-ring", "kokkos-ring", "kokkos-transform-ranks"}
    assert all(r["problem"]["ranks"] == 3 and r["verification"]["passed"] for r in measured)


@needs_mpi
@pytest.mark.parametrize("victim", [0, 2])
@pytest.mark.parametrize("way, code, says", [(way, 2, "out of memory") for way in ("agreed", "linked", "busy", "agreed-busy")] + [("shared-busy", 3, "no GPU")])
def test_a_rank_that_fails_by_itself_ends_all(tmp_path, way, code, says, victim):
    """The others wait for it, or are busy for ten minutes, which is longer than this test may take."""
    done = ranks(tmp_path, 3, PROGRAM, way, victim)
    assert done.returncode == code, (done.stdout, done.stderr)
    assert len(said(done)) == 1 and f"rank {victim} of 3: {says}" in said(done)[0], done.stderr


@needs_mpi
def test_an_exchange_alone_leaves_the_field_and_fills_its_halo(tmp_path):
    done = ranks(tmp_path, 2, PARITY, "diffusion", *SMALL, "--variants", "openmp-exchange,kokkos-exchange", "--ranks-y", 2, "--json", "r.jsonl", "--verbose")
    assert done.returncode == 0 and "kokkos-exchange" in done.stdout.split("\n  variant ")[1], (done.stdout, done.stderr)
    for row in rows(tmp_path / "r.jsonl"):
        metrics = {m["name"]: m["value"] for m in row["metrics"]}
        assert row["floor"] and row["verification"]["passed"] and row["verification"]["error"] == 0
        # Two rows on each side with their corners, seven planes of four bytes; both neighbours are the same rank.
        assert metrics["bytes_sent"] == metrics["longest_message"] == 2 * 2 * (29 + 4) * 7 * 4
        assert metrics["exchanges"] == 5 and metrics["nodes"] == 1


@needs_mpi
def test_a_rank_with_too_little_memory_ends_all(tmp_path):
    """Rank 1 may use no more memory than it needs to start; the others have enough. It reports this before any computation."""
    done = limited(tmp_path, 3, 900000, PARITY, "diffusion", "--nx", 1024, "--ny", 1024, "--nz", 96, "--ranks-y", 3, "--steps", 1, "--repeats", 1,
                   "--quiet", "--variants", "openmp-fused-exchange")
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert len(said(done)) == 1 and "needs 1.5 GiB of host memory" in said(done)[0] and said(done)[0].endswith("are free: reduce nx, ny or nz"), done.stderr


@needs_mpi
@pytest.mark.parametrize("limit", [300000, 330000])  # KiB: a rank without samples takes 240000
def test_a_rank_with_too_little_memory_ends_a_density(tmp_path, limit):
    """The same for a density."""
    done = limited(tmp_path, 2, limit, PARITY, "kde", "--n", 4000000, "--ranks", 2, "--precision", "double", "--bandwidth", 1, "--repeats", 1,
                   "--variants", "kokkos-transform-ranks", "--quiet")
    assert done.returncode == 2 and len(said(done)) == 1, (done.returncode, done.stdout, done.stderr)
    assert "of host memory and " in said(done)[0] and said(done)[0].endswith("are free: reduce n"), done.stderr


@needs_mpi
@pytest.mark.parametrize("victim", [0, 1])
def test_a_killed_rank_ends_all_and_what_was_finished_stays(tmp_path, victim):
    plan = tmp_path / f"killed_{victim}_{os.getpid()}.toml"
    plan.write_text('study = "diffusion"\nvariants = ["openmp-fused-exchange"]\n[axes]\nnx = [16]\nny = [16]\nnz = [2]\n'
                    f'steps = {list(range(1, 400))}\nranks_y = [2]\n[measure]\nrepeats = 20\n')
    command = [PARITY, "measure", plan, "--output", "r.jsonl", "--quiet"]
    records = tmp_path / "r.jsonl"
    killed(tmp_path, 2, victim, plan.name, *command, when=lambda: records.exists() and records.read_text().count("\n") >= 3)
    kept = len(rows(records))
    plan.write_text(plan.read_text().replace(str(list(range(1, 400))), str(list(range(1, kept + 2)))))
    done = ranks(tmp_path, 2, *command, "--resume")
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert len({r["problem"]["steps"] for r in rows(records)}) == len(rows(records)) == kept + 1


@needs_mpi
@pytest.mark.parametrize("victim, count, command", [
    (0, 3, ["kde", "--n", 400000, "--ranks", 3, "--variants", "openmp-ring", "--repeats", 100000]),
    (2, 3, ["diffusion", "--nx", 512, "--ny", 512, "--nz", 64, "--steps", 100000, "--ranks-x", 3, "--variants", "openmp-fused-overlap"]),
])
def test_a_killed_rank_ends_every_command(tmp_path, victim, count, command):
    name = f"killed_{command[0]}_{victim}_{os.getpid()}.jsonl"
    killed(tmp_path, count, victim, name, PARITY, *command, "--quiet", "--json", name, after=1)


@needs_mpi
def test_another_number_of_ranks_is_another_run(tmp_path):
    (tmp_path / "p.toml").write_text('study = "diffusion"\nvariants = ["openmp-fused"]\n[axes]\nnx = [16]\nny = [16]\nnz = [2]\n'
                                     'steps = [2]\nranks_z = [1, 2]\n[measure]\nrepeats = 2\n')
    command = [PARITY, "measure", "p.toml", "--output", "r.jsonl", "--quiet"]
    assert ranks(tmp_path, 2, *command).returncode == 0
    refused = subprocess.run([*command, "--resume"], cwd=tmp_path, text=True, capture_output=True)
    assert refused.returncode == 2 and re.search(r"measured with .*ranks 2, .*MPI.*, not 1; give another", refused.stderr), refused.stderr
    assert subprocess.run([*command, "--resume", "--mixed"], cwd=tmp_path, capture_output=True).returncode == 0
    environments = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines() if '"environment"' in line]
    assert [e.get("ranks", 1) for e in environments] == [2, 1]
    assert len({e["id"] for e in environments}) == 2


def test_a_process_beside_ranks_can_say_that_it_is_none_of_them():
    beside = {**os.environ, "OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "4", "PARITY_RANKS": "0"}
    done = subprocess.run([PARITY, "list"], env=beside, text=True, capture_output=True, timeout=LIMIT)
    assert done.returncode == 0 and done.stderr == "", done.stderr


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
