# SPDX-License-Identifier: BSD-3-Clause
"""A field filtered by several ranks: the bytes of one process, complete or not at all."""
import os
import subprocess

import numpy as np
import pytest
from mpirun import PARITY, all_have_begun, killed, needs_mpi, ranks, said

COUNTS = [1, 3, 7]


def field(seed, shape=(5, 24, 20), dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def filtered(tmp_path, count, *options):
    out = tmp_path / f"out{count}.npy"
    done = ranks(tmp_path, count, PARITY, "filter", "in.npy", out.name, "--quiet", *options)
    assert done.returncode == 0 and said(done) == [], (done.stdout, done.stderr)
    assert done.stdout.count("every plane checked") == 1, done.stdout
    return out.read_bytes()


@needs_mpi
@pytest.mark.parametrize("options", [
    ["--steps", 7], ["--steps", 7, "--variant", "kokkos-fused"], ["--steps", 7, "--variant", "openmp-plane"],
])
def test_any_number_of_ranks_writes_the_same_bytes(tmp_path, options):
    """5 planes: 3 ranks do not divide them evenly, and two of 7 ranks have none."""
    np.save(tmp_path / "in.npy", 280 + field(1, dtype=np.float64))
    if "--variant" not in options:
        options = [*options, "--variant", "openmp-fused"]
    found = {count: filtered(tmp_path, count, *options) for count in COUNTS}
    assert len(set(found.values())) == 1
    assert sorted(p.name for p in tmp_path.glob("*partial*")) == []


@needs_mpi
@pytest.mark.parametrize("variant", ["openmp-temporal", "kokkos-temporal/3x16"])
def test_ranks_share_planes_that_are_fewer(tmp_path, variant):
    """101 rows and two planes, one of them with a gap: the bytes of one rank; rank 0 handles the gap."""
    values = field(7, (2, 101, 40))
    values[1, 50, 3] = np.nan
    np.save(tmp_path / "in.npy", values)
    options = ["--steps", 19, "--missing", "keep", "--variant", variant]
    whole = filtered(tmp_path, 1, *options)
    for count, by in [(2, ""), (3, "1 plane at a time by 3 ranks together"), (4, "by 4 ranks together")]:
        done = ranks(tmp_path, count, PARITY, "filter", "in.npy", "out.npy", "--quiet", "--explain", *options)
        assert done.returncode == 0 and by.split(" by ")[-1] in done.stdout, (done.stdout, done.stderr)
        assert ("together" in done.stdout) == bool(by) == ("-temporal-exchange" in done.stdout), done.stdout
        assert (tmp_path / "out.npy").read_bytes() == whole, count


@needs_mpi
@pytest.mark.parametrize("dtype, steps", [("f4", 7), ("f8", 6)])
def test_a_plane_too_large_to_be_compared_whole(tmp_path, dtype, steps):
    """With little memory only windows of it are compared; its points equal those of one rank."""
    np.save(tmp_path / "in.npy", 280 + field(9, (1, 701, 523), dtype))
    options = ["--steps", steps, "--variant", "openmp-temporal"]
    whole = filtered(tmp_path, 1, *options)
    for count, windows in [(1, 8), (3, 9)]:
        done = ranks(tmp_path, count, PARITY, "filter", "in.npy", "out.npy", "--quiet", *options, "--memory", 7 if dtype == "f4" else 14)
        assert done.returncode == 0 and f"1 at every point of {windows} windows of " in done.stdout, (done.stdout, done.stderr)
        assert (tmp_path / "out.npy").read_bytes() == whole, count


@needs_mpi
def test_steps_of_a_shared_plane_go_in_parts(tmp_path):
    """Each part takes about a second; ranks keep their points between parts."""
    np.save(tmp_path / "in.npy", field(10, (1, 701, 512)))
    options = ["--steps", 8000, "--variant", "openmp-temporal"]
    assert filtered(tmp_path, 1, *options) == filtered(tmp_path, 2, *options)


@needs_mpi
def test_planes_with_gaps_do_not_change_their_neighbours(tmp_path):
    values = field(3, (9, 16, 12))
    values[4, 3:5, 2] = np.nan
    values[8, 0, 0] = np.nan
    np.save(tmp_path / "in.npy", values)
    options = ["--steps", 5, "--missing", "keep", "--variant", "openmp-fused"]
    whole = filtered(tmp_path, 1, *options)
    assert all(filtered(tmp_path, count, *options) == whole for count in (2, 7))
    result = np.load(tmp_path / "out1.npy")
    assert (np.isnan(result) == np.isnan(values)).all()
    np.save(tmp_path / "in.npy", np.delete(values, [4, 8], axis=0))
    filtered(tmp_path, 3, *options)
    assert (np.load(tmp_path / "out3.npy") == np.delete(result, [4, 8], axis=0)).all()


@needs_mpi
def test_what_ranks_cannot_share_is_refused(tmp_path):
    np.save(tmp_path / "in.npy", field(4))
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "in.nc").write_bytes(b"CDF\x01" + bytes(100))
    for names, says in [(["fifo", "out.npy"], "fifo: is no regular file"), (["-", "out.npy"], "standard input: is no regular file"),
                        (["in.npy", "fifo"], "fifo: is no regular file"), (["in.npy", "-"], "standard output: is no regular file"),
                        (["in.nc", "out.nc"], "in.nc: ")]:
        done = ranks(tmp_path, 2, PARITY, "filter", *names, "--steps", 1, "--quiet", stdin=subprocess.DEVNULL)
        assert done.returncode == 2 and len(said(done)) == 1 and says in said(done)[0], (names, done.stderr)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["fifo", "in.nc", "in.npy"]


@needs_mpi
@pytest.mark.parametrize("plane", [0, 4])
def test_one_rank_s_bad_plane_ends_all_and_leaves_nothing(tmp_path, plane):
    values = field(5)
    values[plane, 7, 11] = np.inf
    np.save(tmp_path / "in.npy", values)
    done = ranks(tmp_path, 3, PARITY, "filter", "in.npy", "out.npy", "--steps", 3, "--quiet")
    assert done.returncode == 2 and len(said(done)) == 1, done.stderr
    assert f"infinity at plane {plane}, row 7, column 11" in said(done)[0]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.npy"]


@needs_mpi
@pytest.mark.parametrize("victim, count, shape, variant", [(0, 2, (4, 64, 64), "openmp-fused"), (2, 3, (1, 96, 64), "openmp-temporal")])
def test_a_killed_rank_ends_all_and_leaves_nothing(tmp_path, victim, count, shape, variant):
    """Also if all ranks share the only plane."""
    np.save(tmp_path / "in.npy", field(6, shape))
    name = f"killed_{victim}_{count}_{os.getpid()}.npy"
    killed(tmp_path, count, victim, name, PARITY, "filter", "in.npy", name, "--steps", 1000000000, "--alpha", 1e-9, "--variant", variant,
           when=lambda: all_have_begun(tmp_path, name))
    assert not (tmp_path / name).exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.npy"]
