# SPDX-License-Identifier: BSD-3-Clause
"""tests/run.sh where no SLURM can be had: its parts are stand-ins."""
import os
import shutil
import subprocess

import pytest
from conftest import ROOT


@pytest.fixture
def run(tmp_path):
    """run(slurm, ctest, *arguments, **environment): exit codes of the bootstrap and of ctest."""

    def program(name, text):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    def start(slurm, ctest, *arguments, **more):
        program("cmake/build.sh", "echo built")
        program("cmake/bootstrap.sh", f"echo bootstrap: installing; [ {slurm} = 0 ] || echo bootstrap: missing packages: slurmd >&2; exit {slurm}")
        program("bin/ctest", f"echo ctest has run; exit {ctest}")
        (tmp_path / "tests").mkdir(exist_ok=True)
        shutil.copy(ROOT / "tests/run.sh", tmp_path / "tests")
        environment = {k: v for k, v in os.environ.items() if k not in ("CI", "PARITY_BUILD")}
        return subprocess.run([tmp_path / "tests/run.sh", *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**environment, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", **more})

    return start


@pytest.mark.parametrize("arguments", [(), ("-R", "jobs")])
@pytest.mark.parametrize("ctest", [0, 8])
def test_it_says_why_tests_are_skipped(run, arguments, ctest):
    done = run(3, ctest, *arguments)
    assert done.returncode == ctest and "ctest has run" in done.stdout
    assert done.stdout.splitlines()[-1] == "tests of jobs/ under SLURM: skipped, because bootstrap: missing packages: slurmd"


def test_it_fails_in_ci(run):
    done = run(3, 0, CI="true")
    assert done.returncode == 3 and "ctest has run" not in done.stdout and "no SLURM to test jobs/ with: " in done.stdout


def test_with_a_slurm_nothing_is_skipped(run):
    done = run(0, 0, CI="true")
    assert done.returncode == 0 and "bootstrap: installing" in done.stdout and "skipped" not in done.stdout
    assert "bootstrap" not in run(0, 0, "-R", "cli").stdout
