# SPDX-License-Identifier: BSD-3-Clause
"""Sources are formatted and scripts have no warnings, as tests/format.sh says; without its tools the tests are skipped."""
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(root):
    done = subprocess.run([root / "tests/format.sh"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode == 3:
        pytest.skip(done.stdout.strip())
    return done


def test_sources_are_formatted():
    done = run(ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name, text, says", [
    ("a.cpp", "int  a;\n", "a.cpp:1"), ("b.cuh", "int b [2];\n", "b.cuh:1"), ("c.sh", "#!/bin/bash\nlocal c=1\n", "c.sh line 2"),
    ("d.py", "a = 1\n", "no SPDX line in\nd.py")])
def test_what_is_not_is_found(tmp_path, name, text, says):
    """One file of a new repository is wrong: the script names it."""
    (tmp_path / "tests").mkdir()
    for each in (".clang-format", "tests/format.sh"):
        shutil.copy(ROOT / each, tmp_path / each)
    (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    done = run(tmp_path)
    assert done.returncode == 1 and says in done.stdout
