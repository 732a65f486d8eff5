# SPDX-License-Identifier: BSD-3-Clause
"""tests/run.sh where no SLURM can be had: its parts are stand-ins."""
import os
import shutil
import subprocess

import pytest
from conftest import ROOT

WHY = "bootstrap: missing packages: slurmd"


@pytest.mark.parametrize("slurm, arguments, ci, code, says", [
    (3, [], "", 8, f"ctest has run\ntests of jobs/ under SLURM: skipped, because {WHY}\n"),  # ctest's own exit code
    (3, ["-R", "jobs"], "", 8, f"skipped, because {WHY}\n"),
    (3, [], "true", 3, f"tests: no SLURM to test jobs/ with: {WHY}\n"),
    (0, [], "true", 8, "bootstrap: installing\nctest has run\n"),
    (3, ["-R", "cli"], "true", 8, "built\nctest has run\n"),
])
def test_it_says_why_tests_are_skipped(tmp_path, slurm, arguments, ci, code, says):
    for name, text in (("cmake/build.sh", "echo built"), ("bin/ctest", "echo ctest has run; exit 8"),
                       ("cmake/bootstrap.sh", f"echo bootstrap: installing; [ {slurm} = 0 ] || echo {WHY} >&2; exit {slurm}")):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "tests/run.sh", tmp_path / "tests")
    environment = {k: v for k, v in os.environ.items() if k not in ("CI", "PARITY_BUILD")}
    done = subprocess.run([tmp_path / "tests/run.sh", *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**environment, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", **({"CI": ci} if ci else {})})
    assert done.returncode == code and done.stdout.endswith(says), done.stdout
