# SPDX-License-Identifier: BSD-3-Clause
"""The ReFrame check, run by ReFrame: here and as a SLURM job with a GPU in name."""
import json
import pathlib
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
def reframe(tmp_path, env, plan):
    def run(executable, *arguments, scheduler="local", access="[]", **more):
        (tmp_path / "site.py").write_text(SITE.replace("SCHEDULER", scheduler).replace("ACCESS", access))
        program = pathlib.Path(sys.executable).parent / "reframe"
        return subprocess.run([program, "-C", "site.py", "-c", ROOT / "jobs/reframe", "--prefix", tmp_path / "out", "--report-file", tmp_path / "report.json",
                               "-r", "-S", f"executable={executable}", "-S", f"plan={plan().rename(tmp_path / 'plan.toml')}", *arguments], cwd=tmp_path,
                              text=True, capture_output=True, env={**env, **more}, timeout=3600)

    return run


def figures(done, report):
    assert done.returncode == 0, done.stdout + done.stderr
    (check,) = json.loads(report.read_text())["runs"][0]["testcases"]
    return check


def test_here(reframe, tmp_path):
    values = figures(reframe(PARITY, "-S", "gpus=0"), tmp_path / "report.json")["perfvalues"]
    for figure in ("ratio", "ratio_low", "ratio_high", "starts", "samples"):
        assert sum(f" {figure}=openmp-fused" in name for name in values) == 6
    assert sum("throughput" in name for name in values) == 18 and all(value[0] > 0 for value in values.values())


def test_as_a_slurm_job(slurm, reframe, tmp_path):
    job = figures(reframe(PARITY, scheduler="squeue", access='["--partition=gpu"]', **slurm.env), tmp_path / "report.json")["jobid"]
    assert slurm.jobs(job)[0]["TresPerNode"] == "gres:gpu:p100:1" and slurm.states(job) == ["COMPLETED"]


@pytest.mark.parametrize("script, says", [
    ('[ "$1" = measure ] || printf "merit rows - verified 3 rows\\nmerit rows - wrong 1 rows\\n"', "failed its check"),
    ("exit 3", "no row was measured"),
])
def test_what_is_wrong_fails(reframe, stand_in, script, says):
    done = reframe(stand_in(script) / "parity", "-S", "gpus=0")
    assert done.returncode != 0 and says in done.stdout, done.stdout
