# SPDX-License-Identifier: BSD-3-Clause
"""Sources are formatted and scripts have no warnings, as tests/format.sh says; without its tools the tests are skipped."""
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_sources_are_formatted():
    done = subprocess.run([ROOT / "tests/format.sh"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode == 3:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout
