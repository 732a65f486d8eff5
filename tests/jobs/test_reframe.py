# SPDX-License-Identifier: BSD-3-Clause
"""The ReFrame check, run by ReFrame: here and as a SLURM job with a GPU in name."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import PARITY, ROOT

SITE = """
site_configuration = {
    "systems": [{"name": "test", "hostnames": [".*"], "partitions": [
        {"name": "node", "scheduler": "SCHEDULER", "launcher": "local", "environs": ["builtin"], "access": ACCESS,
         "resources": [{"name": "_rfm_gpu", "options": ["--gres=gpu:p100:{num_gpus_per_node}"]}]}]}],
    "environments": [{"name": "builtin"}],
}
"""


@pytest.fixture
def reframe(tmp_path, env):
    def run(*arguments, scheduler="local", access="[]", **more):
        (tmp_path / "site.py").write_text(SITE.replace("SCHEDULER", scheduler).replace("ACCESS", access))
        program = pathlib.Path(sys.executable).parent / "reframe"
        return subprocess.run([program, "-C", "site.py", "-c", ROOT / "jobs/reframe", "--prefix", tmp_path / "out", "--keep-stage-files",
                               "--report-file", tmp_path / "report.json", "-r", *map(str, arguments)], cwd=tmp_path, text=True,
                              capture_output=True, env={**env, **more}, timeout=3600)

    return run


def figures(report):
    (check,) = json.loads(report.read_text())["runs"][0]["testcases"]
    return check


def test_here(reframe, plan, tmp_path):
    done = reframe("-S", f"executable={PARITY}", "-S", f"plan={plan().rename(tmp_path / 'plan.toml')}", "-S", "gpus=0")
    assert done.returncode == 0, done.stdout + done.stderr
    check = figures(tmp_path / "report.json")
    names = check["perfvalues"].keys()
    assert check["result"] == "pass"
    of_a_pair = ("ratio", "ratio_low", "ratio_high", "starts", "samples")
    of_a_column = ("portability", "efficiency", "pairs")
    for figure in of_a_pair:
        assert sum(f" {figure}=openmp-fused" in name for name in names) == 6
    for figure in of_a_column:
        for column in ("idiomatic", "best-portable"):
            assert sum(re.search(f":diffusion/{column} .* {figure}(=|$)", name) is not None for name in names) == 6
    assert sum("throughput" in name for name in names) == 18
    assert len(names) == 18 + 6 * (len(of_a_pair) + 2 * len(of_a_column))
    assert all(value[0] > 0 for value in check["perfvalues"].values())


def test_as_a_slurm_job(slurm, reframe, plan, tmp_path):
    done = reframe("-S", f"executable={PARITY}", "-S", f"plan={plan().rename(tmp_path / 'plan.toml')}", scheduler="squeue",
                   access='["--partition=gpu"]', **slurm.env)
    assert done.returncode == 0, done.stdout + done.stderr
    job = figures(tmp_path / "report.json")["jobid"]
    assert slurm.jobs(job)[0]["TresPerNode"] == "gres:gpu:p100:1" and slurm.states(job) == ["COMPLETED"]


@pytest.mark.parametrize("script,says", [
    ('[ "$1" = measure ] || printf "merit rows - verified 3 rows\\nmerit rows - wrong 1 rows\\n"', "failed its check"),
    ("exit 3", "no row was measured"),
])
def test_what_is_wrong_fails(reframe, stand_in, plan, tmp_path, script, says):
    build = stand_in(script)
    done = reframe("-S", f"executable={build}/parity", "-S", f"plan={plan().rename(tmp_path / 'plan.toml')}", "-S", "gpus=0")
    assert done.returncode != 0 and says in done.stdout, done.stdout
    assert os.path.exists(tmp_path / "report.json")
