# SPDX-License-Identifier: BSD-3-Clause
"""Densities with samples and points that several ranks share: the bytes of one process, complete or not at all."""
import os
import subprocess

import numpy as np
import pytest
from mpirun import PARITY, killed, needs_mpi, ranks, said

BLOCK = 65536  # samples per block, which is not split


def estimated(tmp_path, count, *options):
    out = tmp_path / f"out{count}.npy"
    done = ranks(tmp_path, count, PARITY, "density", "x.npy", out.name, *options)
    assert done.returncode == 0 and said(done) == [], (done.stdout, done.stderr)
    assert done.stdout.count("guaranteed") == 1, done.stdout
    return out.read_bytes(), done.stdout.split(": ", 1)[1]


def assert_same(tmp_path, *options, counts=(2, 7)):
    whole, told = estimated(tmp_path, 1, "--deterministic", *options)
    for count in counts:
        found, also_told = estimated(tmp_path, count, *options)
        assert found == whole, (count, options)
        assert also_told.split("guaranteed")[0] == told.split("guaranteed")[0]
    return np.load(tmp_path / "out1.npy")


@pytest.fixture
def many(tmp_path):
    """More than two blocks of samples, with weights."""
    random = np.random.default_rng(5)
    x = np.concatenate([random.normal(size=2 * BLOCK), 6 + 0.3 * random.normal(size=1001)])
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "w.npy", random.uniform(size=x.size))
    np.save(tmp_path / "q.npy", random.uniform(-4, 9, size=101))
    return x


@needs_mpi
@pytest.mark.parametrize("options", [
    ["--grid", 31, "--method", "direct"],
    ["--points", "q.npy", "--method", "direct", "--weights", "w.npy", "--bandwidth", 0.2],
    ["--grid", 1001, "--bandwidth", 0.1],
    ["--at-samples", "--weights", "w.npy", "--bandwidth", "scott", "--method", "transform"],
    ["--points", "q.npy", "--boundary", "reflect", "--bounds=-10,10", "--bandwidth", 0.5, "--method", "transform"],
])
def test_shared_samples_give_the_bytes_of_one_process(tmp_path, many, options):
    assert_same(tmp_path, *options)


@needs_mpi
@pytest.mark.parametrize("options", [
    ["--log", "--bandwidth", 0.1, "--at-samples"], ["--kernel", "epanechnikov", "--bandwidth", 0.3, "--grid", 55],
    ["--bandwidth", "isj", "--grid", 20], ["--bandwidth", "lscv", "--grid", 20], ["--method", "window", "--bandwidth", 0.2, "--grid", 99],
    ["--method", "binned", "--bandwidth", 0.2, "--grid", 99],
    # If samples lie far apart, boxes are sorted.
    ["--method", "transform", "--bandwidth", 1e-3, "--at-samples"],
    ["--boundary", "periodic", "--bounds=-4e5,4e5", "--bandwidth", 0.5, "--points", "x.npy"],
])
def test_samples_that_every_rank_has_do_too(tmp_path, options):
    random = np.random.default_rng(6)
    x = np.concatenate([random.normal(size=2500), 6 + 0.3 * random.normal(size=503)])
    if not {"lscv", "isj", "binned"} & set(options):
        x = np.concatenate([x, [1e5, -3e4, 3e5]])
    np.save(tmp_path / "x.npy", x)
    assert_same(tmp_path, *options)


@needs_mpi
@pytest.mark.parametrize("options", [[], ["--at-samples"], ["--at-samples", "--weights", "w.npy", "--method", "transform"]])
def test_fewer_samples_than_ranks(tmp_path, options):
    np.save(tmp_path / "x.npy", np.array([0.5, 1, 3]))
    np.save(tmp_path / "w.npy", np.array([1.0, 0, 2]))
    rows = assert_same(tmp_path, "--bandwidth", 0.5, *options, counts=(7,))
    if not options:
        expected = np.exp(-0.5 * ((rows[:, :1] - [0.5, 1, 3]) / 0.5) ** 2).sum(1) / (3 * 0.5 * np.sqrt(2 * np.pi))
        assert np.allclose(rows[:, 1], expected, rtol=1e-12, atol=0)


@needs_mpi
def test_what_ranks_cannot_share_is_refused(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(9.0))
    os.mkfifo(tmp_path / "fifo")
    for arguments, says in [(["fifo", "o.npy"], "fifo: is no regular file"), (["-", "o.npy"], "standard input: is no regular file"),
                            (["x.npy", "o.npy", "--points", "fifo"], "fifo: is no regular file"),
                            (["x.npy", "o.npy", "--weights", "fifo"], "fifo: is no regular file"),
                            (["x.npy", "fifo", "--format", "csv"], "fifo: is no regular file"),
                            (["x.npy", "-"], "standard output: is no regular file")]:
        done = ranks(tmp_path, 2, PARITY, "density", *arguments, stdin=subprocess.DEVNULL)
        assert done.returncode == 2 and len(said(done)) == 1 and says in said(done)[0], (arguments, done.stderr)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["fifo", "x.npy"]


@needs_mpi
def test_what_one_rank_has_wrong_is_said_once_with_its_place(tmp_path, many):
    x, w = many.copy(), np.ones(many.size)
    x[2 * BLOCK + 7] = np.nan
    w[BLOCK + 3] = -1
    np.save(tmp_path / "bad.npy", x)
    np.save(tmp_path / "badw.npy", w)
    np.save(tmp_path / "short.npy", w[:-1])
    for arguments, says in [(["bad.npy"], f"value {2 * BLOCK + 7} of the samples"), (["x.npy", "--weights", "badw.npy"], f"weight {BLOCK + 3} is -1"),
                            (["x.npy", "--weights", "short.npy"], f"holds {many.size - 1} weights for {many.size} samples"),
                            (["x.npy", "--boundary", "reflect", "--bounds=-100,2"], "outside of the bounds -100 to 2"),
                            (["x.npy", "--bandwidth", "x"], "neither a number nor a rule")]:
        done = ranks(tmp_path, 3, PARITY, "density", arguments[0], "o.npy", *arguments[1:])
        assert done.returncode == 2 and len(said(done)) == 1 and says in said(done)[0], (arguments, done.stderr)
    assert not list(tmp_path.glob("o.npy*"))


@needs_mpi
def test_a_killed_rank_ends_all_and_leaves_nothing(tmp_path, many):
    np.save(tmp_path / "many.npy", np.linspace(-4, 9, 1000000))
    name = f"killed_{os.getpid()}.npy"
    killed(tmp_path, 2, 0, name, PARITY, "density", "x.npy", name, "--points", "many.npy", "--method", "direct", after=1)
    assert not list(tmp_path.glob(name + "*"))
