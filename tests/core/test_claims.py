# SPDX-License-Identifier: BSD-3-Clause
"""The measured numbers in prose (jobs/results/claims.toml) and the tables of the result pages match the committed records."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tomllib

import pytest
from conftest import PARITY

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLAIMS = tomllib.loads((ROOT / "jobs/results/claims.toml").read_text())["claim"]


def printed(*words):
    if words[0] == "cat":
        return subprocess.run(words, cwd=ROOT, text=True, capture_output=True)
    words = [PARITY if words[0] == "parity" else sys.executable, *words[words[0] == "parity":]]
    return subprocess.run(words, cwd=ROOT, env={**os.environ, "PARITY": str(PARITY)}, text=True, capture_output=True)


def written(rule, matches):
    """Fills the rule with the numbers of the matching lines: strings if it gives no format, so that digits stay as they are."""
    columns = [[float(x) for x in column] for column in zip(*matches)]
    known = {f"{name}{k}": pick(column) for k, column in enumerate(columns) for name, pick in (("min", min), ("max", max))}
    known |= {"all": [float(m[0]) if "]:" in rule else m[0] for m in matches], "count": len(matches)}
    known["less"] = 100 - 100 * columns[-1][0] / columns[max(len(columns) - 2, 0)][0]
    first = [float(x) if f"{{{k}:" in rule else x for k, x in enumerate(matches[0])]
    return rule.format(*first, **known)


def text_of(page):
    return " ".join((ROOT / page).read_text().split())


@pytest.mark.parametrize("claim", CLAIMS, ids=[c["words"] for c in CLAIMS])
def test_claim(claim):
    done = printed(*shlex.split(claim["command"]))
    matches = [m.groups() for m in re.finditer(claim["lines"], done.stdout, re.M)]
    assert matches, f"{claim['command']}: no such line\n{done.stderr}"
    words = " ".join(claim["words"].split())
    assert written(claim["rule"], matches) == words
    # Only once: otherwise a changed digit in one place would not be noticed.
    assert text_of(claim["page"]).count(words) == 1, f"{claim['page']} says something else, or says it twice"


def test_the_first_page_states_no_other_measured_number():
    """Finds numbers with a unit, and shares such as 0.97; a confidence level does not count."""
    text = re.sub(r"```.*?```", "", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    text = " ".join(re.sub(r"\]\([^)]*\)", "]", text).split()).replace("95 % interval", "")
    for claim in CLAIMS:
        text = text.replace(" ".join(claim["words"].split()), "") if claim["page"] == "README.md" else text
    assert re.findall(r"(?<![\w.])\d[\d.,]*\s(?:%|µs|ms|ns|[GTM]B|G\w+/s|times)|(?<![\w.])[01]\.\d+(?![\w.])", text) == []


@pytest.mark.all_tools  # the reference contains their options
def test_tables_of_result_pages():
    done = printed("jobs/report/result_pages.py", "--check")
    assert done.returncode == 0, f"make them again with jobs/report/result_pages.py: {done.stdout}{done.stderr}"
