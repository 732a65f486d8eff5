# SPDX-License-Identifier: BSD-3-Clause
"""Commands under mpirun, for tests."""
import os
import pathlib
import signal
import subprocess
import time

import pytest

PARITY, MPIEXEC, PROGRAM = os.environ["PARITY"], os.environ.get("PARITY_MPIEXEC", ""), os.environ.get("PARITY_RANKS_TESTS", "")
# More ranks than this machine may have cores, and as root in CI.
MANY = {"OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
LIMIT = 600  # only ends a hang
needs_mpi = pytest.mark.skipif(not MPIEXEC and "CI" not in os.environ, reason="this build has no MPI")


def ranks(tmp_path, count, *command, **options):
    return subprocess.run([MPIEXEC, "-n", str(count), *map(str, command)], cwd=tmp_path, text=True, capture_output=True, timeout=LIMIT,
                          env={**os.environ, **MANY}, **options)


def limited(tmp_path, count, kib, *command, victim=1):
    """Runs the command with a memory limit in KiB for one rank; the others have enough."""
    shell = 'test "$OMPI_COMM_WORLD_RANK$PMI_RANK" != ' + f'{victim} || ulimit -v {kib}; exec "$0" "$@"'
    return ranks(tmp_path, count, "sh", "-c", shell, *command)


SECONDS = 60  # limit for all to end after one failed: usually a few, but other tests may keep the machine busy


def killed(tmp_path, count, victim, name, *command, when=lambda: True, after=0):
    """Kills a rank once all ranks (whose arguments contain this name) exist, 'when' holds, and 'after' seconds have passed: the others end."""
    process = subprocess.Popen([MPIEXEC, "-n", str(count), *map(str, command)], cwd=tmp_path, text=True,
                               # The time that mpirun gives a rank to end: a busy machine may need more than a second.
                               env={**os.environ, **MANY, "OMPI_MCA_odls_base_sigkill_timeout": "5"},
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while len(children(name)) < count or not when():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    time.sleep(after)
    os.kill(children(name)[victim], signal.SIGKILL)
    # Count turns instead of time: while this process does not run, the others are not late.
    turns = 20 * SECONDS
    while process.poll() is None and turns > 0:
        turns -= 1
        time.sleep(0.05)
    output, errors = process.communicate(timeout=LIMIT)
    assert process.returncode != 0 and children(name) == {}, (output, errors)
    assert turns > 0, "all end within seconds"


def said(done):
    """Parity's lines on standard error; mpirun adds its own."""
    return [line for line in done.stderr.splitlines() if line.startswith("parity: ")]


def children(name):
    """The processes of this test by rank."""
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


def all_have_begun(tmp_path, name):
    """True if every rank has the partial file of its output open: otherwise no rank may be left that would remove it."""
    def holds(pid):
        try:
            return any(".partial" in os.readlink(f) for f in pathlib.Path(f"/proc/{pid}/fd").iterdir())
        except OSError:
            return False
    return list(tmp_path.glob(f"{name}.partial*")) and all(holds(pid) for pid in children(name).values())
