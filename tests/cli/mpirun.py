# SPDX-License-Identifier: BSD-3-Clause
"""Commands under mpirun, for tests."""
import os
import pathlib
import subprocess

import pytest

PARITY, MPIEXEC, PROGRAM = os.environ["PARITY"], os.environ.get("PARITY_MPIEXEC", ""), os.environ.get("PARITY_RANKS_TESTS", "")
# More ranks than this machine may have cores, and as root where CI is.
MANY = {"OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
LIMIT = 600  # only ends a hang
needs_mpi = pytest.mark.skipif(not MPIEXEC and "CI" not in os.environ, reason="this build has no MPI")


def ranks(tmp_path, count, *command, **options):
    return subprocess.run([MPIEXEC, "-n", str(count), *map(str, command)], cwd=tmp_path, text=True, capture_output=True, timeout=LIMIT,
                          env={**os.environ, **MANY, "XDG_CACHE_HOME": str(tmp_path / "cache")}, **options)


def said(done):
    """What Parity said on standard error; mpirun adds words of its own."""
    return [line for line in done.stderr.splitlines() if line.startswith("parity: ")]


def children(name):
    """Processes of this test by their rank."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if name not in (folder / "cmdline").read_text():
                continue
            for word in (folder / "environ").read_text().split("\0"):
                if word.startswith(("OMPI_COMM_WORLD_RANK=", "PMI_RANK=")):
                    found[int(word.split("=")[1])] = int(folder.name)
        except (OSError, ValueError):
            pass
    return found
