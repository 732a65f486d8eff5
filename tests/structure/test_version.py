# SPDX-License-Identifier: BSD-3-Clause
"""One version: that of the program, of the changelog's first section, and of the citation once it is released."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_program_changelog_and_citation_have_one_version():
    cmake, log, citation = [(ROOT / name).read_text(encoding="utf-8") for name in ("CMakeLists.txt", "CHANGELOG.md", "CITATION.cff")]
    version, date = re.search(r"^## \[(\S+)\] - (\S+)$", log, re.M).groups()
    assert re.search(r"project\(parity VERSION (\S+)", cmake)[1] == version
    cited = dict(re.findall(r"^(version|date-released): (\S+)$", citation, re.M))
    assert cited == ({} if date == "unreleased" else {"version": version, "date-released": date})
