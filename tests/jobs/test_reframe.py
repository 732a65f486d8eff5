# SPDX-License-Identifier: BSD-3-Clause
"""The ReFrame check, run by ReFrame; test_readme.py runs it as a SLURM job."""
import json
import pathlib
import subprocess
import sys

import pytest
from conftest import PARITY, ROOT

SITE = """
site_configuration = {
    "systems": [{"name": "test", "hostnames": [".*"], "partitions": [
        {"name": "node", "scheduler": "local", "launcher": "local", "environs": ["builtin"]}]}],
    "environments": [{"name": "builtin"}],
}
"""


@pytest.fixture
def reframe(tmp_path, env, plan):
    def run(executable):
        (tmp_path / "site.py").write_text(SITE)
        program = pathlib.Path(sys.executable).parent / "reframe"
        return subprocess.run([program, "-C", "site.py", "-c", ROOT / "jobs/reframe", "--prefix", tmp_path / "out", "--report-file", tmp_path / "report.json",
                               "-r", "-S", f"executable={executable}", "-S", f"plan={plan().rename(tmp_path / 'plan.toml')}", "-S", "gpus=0"],
                              cwd=tmp_path, text=True, capture_output=True, env=env, timeout=3600)

    return run


def test_every_figure_is_kept(reframe, tmp_path):
    done = reframe(PARITY)
    assert done.returncode == 0, done.stdout + done.stderr
    (check,) = json.loads((tmp_path / "report.json").read_text())["runs"][0]["testcases"]
    values = check["perfvalues"]
    for figure in ("ratio", "ratio_low", "ratio_high", "starts", "samples"):
        assert sum(f" {figure}=openmp-fused" in name for name in values) == 6
    assert sum("throughput" in name for name in values) == 18 and all(value[0] > 0 for value in values.values())


@pytest.mark.parametrize("script, says", [
    ('[ "$1" = measure ] || printf "merit rows - verified 3 rows\\nmerit rows - wrong 1 rows\\n"', "failed its check"),
    ("exit 3", "no row was measured"),
])
def test_what_is_wrong_fails(reframe, stand_in, script, says):
    done = reframe(stand_in(script) / "parity")
    assert done.returncode != 0 and says in done.stdout, done.stdout
