# SPDX-License-Identifier: BSD-3-Clause
"""A forge runs only steps of .ci/run; none needs a secret."""
import pathlib
import re
import subprocess

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_workflow_runs_every_step_of_ci():
    text = (ROOT / ".github/workflows/ci.yml").read_text()
    assert "secrets" not in text
    workflow = yaml.safe_load(text)
    steps = [s for j in workflow["jobs"].values() for entry in j["strategy"]["matrix"]["include"] for s in entry["steps"].split()]
    refused = subprocess.run([ROOT / ".ci/run", "nothing"], capture_output=True, text=True)
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1
    assert set(steps) == set(re.search(r"some of (.*), or", refused.stderr)[1].split())
    assert workflow["permissions"] == {"contents": "read"}


def test_issue_templates():
    pages = list((ROOT / ".github/ISSUE_TEMPLATE").glob("*.md"))
    assert len(pages) == 3
    for page in pages:
        _, head, body = page.read_text().split("---\n")
        assert set(yaml.safe_load(head)) == {"name", "about"} and len(body.splitlines()) <= 10, page
