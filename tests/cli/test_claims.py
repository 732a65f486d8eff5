# SPDX-License-Identifier: BSD-3-Clause
"""The measured numbers in prose (jobs/results/claims.toml) and the tables of the result pages are what the committed records say."""
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
    words = [PARITY if words[0] == "parity" else sys.executable, *words[words[0] == "parity":]]
    return subprocess.run(words, cwd=ROOT, env={**os.environ, "PARITY": str(PARITY)}, text=True, capture_output=True)


def written(rule, matches):
    """The rule with the numbers of the lines that match: strings where it gives no format, so that digits stay as they are."""
    columns = [[float(x) for x in column] for column in zip(*matches)]
    known = {f"{name}{k}": pick(column) for k, column in enumerate(columns) for name, pick in (("min", min), ("max", max))}
    known["all"] = [column[0] for column in matches]
    known["less"] = 100 - 100 * columns[-1][0] / columns[0][0]
    first = [float(x) if f"{{{k}:" in rule else x for k, x in enumerate(matches[0])]
    return rule.format(*first, **known)


@pytest.mark.parametrize("claim", CLAIMS, ids=[c["words"] for c in CLAIMS])
def test_claim(claim):
    done = printed(*shlex.split(claim["command"]))
    matches = [m.groups() for m in re.finditer(claim["lines"], done.stdout, re.M)]
    assert matches, f"{claim['command']}: no such line\n{done.stderr}"
    words = " ".join(claim["words"].split())
    assert written(claim["rule"], matches) == words
    assert words in " ".join((ROOT / claim["page"]).read_text().split()), f"{claim['page']} says something else"


def test_tables_of_result_pages():
    done = printed("jobs/report/result_pages.py", "--check")
    assert done.returncode == 0, f"make them again with jobs/report/result_pages.py: {done.stdout}{done.stderr}"
