# SPDX-License-Identifier: BSD-3-Clause
"""Each fault of tests/mutants/mutants.toml still fits the sources that it is put into, and the committed record says what became of it."""
import collections
import pathlib
import re

import pytest

try:
    import tomllib
except ImportError:  # before Python 3.11
    import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
MUTANTS = tomllib.loads((ROOT / "tests/mutants/mutants.toml").read_text())["mutant"]


@pytest.mark.parametrize("mutant", MUTANTS, ids=[m["name"] for m in MUTANTS])
def test_a_mutant_fits_the_sources(mutant):
    text = (ROOT / mutant["file"]).read_text()
    assert text.count(mutant["was"]) == 1, f"{mutant['file']} has changed: correct 'was' of this mutant in tests/mutants/mutants.toml"
    assert mutant["was"] != mutant["becomes"]


def test_each_mutant_has_a_name_of_its_own_and_tests_that_should_notice_it():
    assert len({m["name"] for m in MUTANTS}) == len(MUTANTS)
    assert all(m.get("unit") or m.get("cli") or m.get("jobs") or m.get("ranks") for m in MUTANTS)


RECORD, PAGE = (ROOT / "jobs/results/cpu/mutants.txt").read_text(), (ROOT / "jobs/results/cpu/README.md").read_text()


def unrecorded(names, record):
    """Mutants without a line, and lines without a mutant."""
    lines = [line + " " for line in record.splitlines() if not line.startswith("#")]
    return ([n for n in names if sum(f"  {n}: " in line for line in lines) != 1],
            [line for line in lines if not any(f"  {n}: " in line for n in names)])


def said(page):
    """Of how many mutants the page says how many were run."""
    return tuple(int(n) for n in re.search(r"of (\d+) mutants (\d+) were run, all killed", page).groups())


def counted(record):
    lines = [line for line in record.splitlines() if not line.startswith("#")]
    return len(lines), sum(line.startswith("killed") for line in lines)


def test_the_record_names_each_mutant():
    assert unrecorded([m["name"] for m in MUTANTS], RECORD) == ([], []), "jobs/results/cpu/mutants.txt needs a line, such as 'not run  NAME:'"
    assert all(line.startswith(("#", "killed", "not run")) for line in RECORD.splitlines())


def test_the_page_says_how_many_were_run():
    assert said(PAGE) == counted(RECORD), "correct jobs/results/cpu/README.md"


def test_a_mutant_without_a_line_and_a_line_without_a_mutant_are_noticed():
    record = "# head\nkilled   5 s  abc  one: test\nnot run                    two:\n"
    assert unrecorded(["one", "two"], record) == ([], [])
    assert unrecorded(["one", "two", "three"], record)[0] == ["three"]
    assert len(unrecorded(["one"], record)[1]) == 1
    assert counted(record) == (2, 1) and said("of 2 mutants 1 were run, all killed") == (2, 1)


def test_the_page_says_of_which_commits_they_were():
    of_record = collections.Counter(re.findall(r"^\w+ +\d+ s  ([0-9a-f]{7})\+? ", RECORD, re.M))
    line = next(line for line in PAGE.splitlines() if line.startswith("| `mutants.txt`"))
    assert {commit: int(n) for n, commit in re.findall(r"(\d+) of ([0-9a-f]{7})\b", line)} == of_record and of_record
