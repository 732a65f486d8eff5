# SPDX-License-Identifier: BSD-3-Clause
"""One version and one format of the sources. Without its tools tests/format.sh is skipped."""
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_program_changelog_and_citation_have_one_version():
    """The citation gets it with the release."""
    cmake, log, citation = [(ROOT / name).read_text(encoding="utf-8") for name in ("CMakeLists.txt", "CHANGELOG.md", "CITATION.cff")]
    version, date = re.search(r"^## \[(\S+)\] - (\S+)$", log, re.M).groups()
    assert re.search(r"project\(parity VERSION (\S+)", cmake)[1] == version
    cited = dict(re.findall(r"^(version|date-released): (\S+)$", citation, re.M))
    assert cited == ({} if date == "unreleased" else {"version": version, "date-released": date})


def test_sources_are_formatted():
    done = subprocess.run([ROOT / "tests/format.sh"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode == 3:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout
