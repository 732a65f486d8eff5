# SPDX-License-Identifier: BSD-3-Clause
"""One version: that of the program, of the changelog's first section, and of the citation once it is released."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


def versions(cmake, changelog, citation):
    """Program, changelog, date or 'unreleased', and what the citation says of both (None: nothing)."""
    program = re.search(r"project\(parity VERSION (\S+)", cmake)[1]
    section = re.search(r"^## \[(\S+)\] - (\S+)$", changelog, re.M)
    cited = [re.search(rf"^{word}: (\S+)$", citation, re.M) for word in ("version", "date-released")]
    return program, section[1], section[2], *(c and c[1] for c in cited)


def wrong(cmake, changelog, citation):
    program, logged, date, version, released = versions(cmake, changelog, citation)
    if program != logged:
        return f"the program is {program}, the changelog's first section {logged}"
    if date == "unreleased":
        return "the citation has a version that is not released" if version or released else ""
    return "" if (version, released) == (logged, date) else f"the citation says {version} of {released}, the changelog {logged} of {date}"


def texts():
    return [(ROOT / name).read_text(encoding="utf-8") for name in ("CMakeLists.txt", "CHANGELOG.md", "CITATION.cff")]


def test_program_changelog_and_citation_have_one_version():
    assert not wrong(*texts())


def test_a_version_that_differs_is_noticed():
    cmake, log, citation = "project(parity VERSION 1.0.0 LANG", "# C\n\n## [1.0.0] - 2026-11-23\n", "version: 1.0.0\ndate-released: 2026-11-23\n"
    assert not wrong(cmake, log, citation)
    assert wrong(cmake.replace("1.0.0", "0.2.0"), log, citation)
    assert wrong(cmake, log.replace("2026-11-23", "unreleased"), citation)
    assert wrong(cmake, log, citation.replace("23", "24"))
    assert wrong(cmake, log, "")
