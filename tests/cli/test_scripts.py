# SPDX-License-Identifier: BSD-3-Clause
"""The scripts that users start: they explain themselves, and what they do not know is said before anything is built, measured or removed."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ("jobs/local.sh", "jobs/explain_host.sh", "cmake/build.sh", "cmake/bootstrap.sh", "tests/run.sh")


def run(script, *arguments, folder):
    environment = {**os.environ, "PARITY_DEPS": str(folder / "deps"), "PARITY_RESULTS": str(folder / "results"), "PARITY_BUILD": str(folder / "build")}
    return subprocess.run([ROOT / script, *arguments], cwd=folder, env=environment, text=True, capture_output=True, timeout=60)


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_explains_itself_and_does_nothing(script, option, tmp_path):
    done = run(script, option, folder=tmp_path)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert script in done.stdout and "#" not in done.stdout and "set -e" not in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["--plan"], ["nowhere.toml"], ["."], ["one.toml", "two.toml"]])
def test_local_refuses_what_is_no_plan_and_keeps_the_results(arguments, tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results/records.jsonl").write_text("earlier\n")
    done = run("jobs/local.sh", *arguments, folder=tmp_path)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1 and done.stderr.startswith("local: "), done
    assert (tmp_path / "results/records.jsonl").read_text() == "earlier\n"
    assert [p.name for p in tmp_path.iterdir()] == ["results"]


@pytest.mark.parametrize("script", ["cmake/build.sh", "cmake/bootstrap.sh", "jobs/explain_host.sh"])
def test_an_unknown_option_is_refused(script, tmp_path):
    done = run(script, "--nothing", folder=tmp_path)
    assert done.returncode == 2 and done.stdout == "" and "'--nothing'" in done.stderr and "--help" in done.stderr
    assert list(tmp_path.iterdir()) == []
