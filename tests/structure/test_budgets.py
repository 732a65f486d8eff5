# SPDX-License-Identifier: BSD-3-Clause
"""The tree stays small. Counted: lines and bytes of the files in git; plans as files; commands as 'parity --help' lists them."""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINES = 80_000  # sources, scripts, plans and tests: a ceiling, reviewed for a release; all but Markdown and jobs/results
RESULT_BYTES = 13_200_000  # half of them for the original works, which stay
WORDS = 33_000  # in all pages
PAGE_WORDS = 1_500  # of one page, without generated parts
CHANGELOG_WORDS = 1_600
PLANS = 30
COMMANDS = 16


def tracked():
    done = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("this is no clone of the repository")
    return [p for f in done.stdout.decode().split("\0") if f and (p := ROOT / f).is_file()]


def lines(paths):
    return sum(p.read_bytes().count(b"\n") for p in paths)


def test_sources_scripts_plans_and_tests():
    assert lines(p for p in tracked() if p.suffix != ".md" and ROOT / "jobs/results" not in p.parents) <= LINES


def test_results():
    assert sum(p.stat().st_size for p in tracked() if ROOT / "jobs/results" in p.parents) <= RESULT_BYTES


def words(page):
    """Bars of tables are not words."""
    return len(re.findall(r"\S*\w\S*", re.sub(r"<!-- table:.*?<!-- end -->", "", page, flags=re.DOTALL)))


def test_pages():
    pages = {p.relative_to(ROOT): p.read_text() for p in tracked() if p.suffix == ".md"}
    assert sum(len(text.split()) for text in pages.values()) <= WORDS
    counts = {str(page): words(text) for page, text in pages.items()}
    assert [page for page, n in counts.items() if n > (CHANGELOG_WORDS if page == "CHANGELOG.md" else PAGE_WORDS)] == [], counts


def test_plans():
    assert len(list((ROOT / "jobs/plans").glob("*.toml"))) <= PLANS


def test_commands():
    text = subprocess.run([os.environ["PARITY"], "--help"], capture_output=True, text=True, check=True).stdout
    assert 0 < len(set(re.findall(r"^  ([a-z]+) +[A-Z]", text, re.M))) <= COMMANDS
