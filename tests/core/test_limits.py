# SPDX-License-Identifier: BSD-3-Clause
"""Memory limits of a batch system or a container."""
import pathlib
import subprocess

import numpy as np
import pytest
from conftest import PARITY

MIB = 1 << 20


@pytest.fixture
def limited(tmp_path):
    """Runs a command with a control group of 200 MiB, as a container sees it; unit tests cover both versions of control groups."""
    own = tmp_path / "groups"
    own.mkdir()
    for name, text in {"memory.max": f"{200 * MIB}", "memory.current": f"{190 * MIB}", "memory.stat": f"inactive_file {150 * MIB}"}.items():
        (own / name).write_text(text + "\n")
    words = ["unshare", "-m", "sh", "-c", f'mount --bind "{own}" /sys/fs/cgroup && exec "$@"', "-"]
    if subprocess.run([*words, "true"], capture_output=True).returncode or "0::/" not in pathlib.Path("/proc/self/cgroup").read_text():
        pytest.skip("no folder can be put in the place of /sys/fs/cgroup here")

    def run(*arguments, program=PARITY, **options):
        return subprocess.run([*words, program, *map(str, arguments)], cwd=tmp_path, text=True, capture_output=True, **options)

    return run


def one_line(done, code, says):
    lines = done.stderr.splitlines()
    assert done.returncode == code and len(lines) == 1 and says in lines[0], done


def zeros(path, dtype, shape):
    """A sparse file, which takes no space."""
    with open(path, "wb") as f:
        np.lib.format.write_array_header_1_0(f, {"descr": dtype, "fortran_order": False, "shape": shape})
        f.truncate(f.tell() + np.dtype(dtype).itemsize * int(np.prod(shape)))


def test_a_group_of_200_mib_refuses_before_it_reads(limited, tmp_path):
    zeros(tmp_path / "x.npy", "<f8", (40_000_000,))
    zeros(tmp_path / "plane.npy", "<f8", (1, 5000, 5000))
    (tmp_path / "x.csv").write_text("1.25\n" * 30_000_000)
    one_line(limited("density", "x.npy", "o.npy"), 2, "x.npy: needs 305.2 MiB of memory where 1")
    one_line(limited("density", "x.csv", "o.npy"), 2, "x.csv: needs 600.")
    with open(tmp_path / "x.csv") as pipe:
        one_line(limited("density", "-", "o.npy", stdin=subprocess.Popen(["cat"], stdin=pipe, stdout=subprocess.PIPE).stdout), 2, "standard input: ")
    for memory in ([], ["--memory", 1000]):
        one_line(limited("filter", "plane.npy", "o.npy", "--steps", 1, *memory), 2, "may be used, half of what is free")
    assert not (tmp_path / "o.npy").exists()


def test_what_can_be_given_back_counts_as_free(limited, tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(1).normal(size=1_000_000))
    assert limited("if=/dev/zero", "of=cached", "bs=1M", "count=400", program="dd").returncode == 0
    done = limited("density", "x.npy", "o.npy")
    assert done.returncode == 0, done
    assert limited("density", "-", "o.npy", "--force", input="1\n2\n4\n").returncode == 0, "a short pipe needs little"


def test_more_memory_than_there_is_may_be_given(limited, tmp_path):
    zeros(tmp_path / "x.npy", "<f4", (280, 500, 500))
    done = limited("filter", "x.npy", "o.npy", "--steps", 1, "--memory", 1000)
    assert done.returncode == 0, done


def test_ulimit(tmp_path):
    zeros(tmp_path / "x.npy", "<f8", (400_000_000,))
    one_line(subprocess.run(["bash", "-c", f"ulimit -v 3000000; '{PARITY}' density x.npy o.npy"], cwd=tmp_path, text=True, capture_output=True), 2,
             "x.npy: needs 3.0 GiB of memory where 2.")


def test_peak_memory_is_not_the_parents(parity, tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(1).normal(size=1000))
    ballast = np.ones(400 << 17)
    peak = parity("density", "x.npy", "o.npy", "--timings").stderr.splitlines()[-1].split()
    assert peak[:2] == ["peak", "memory"] and peak[3] == "MiB" and float(peak[2]) < 300 < ballast.nbytes / MIB, peak
