# SPDX-License-Identifier: BSD-3-Clause
"""Each fault of tests/mutants/mutants.toml still fits the sources that it is put into."""
import pathlib

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
