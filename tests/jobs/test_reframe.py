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
    def run(executable, *more):
        (tmp_path / "site.py").write_text(SITE)
        program = pathlib.Path(sys.executable).parent / "reframe"
        return subprocess.run([program, "-C", "site.py", "-c", ROOT / "jobs/reframe", "--prefix", tmp_path / "out", "--report-file", tmp_path / "report.json",
                               "-r", "-S", f"executable={executable}", "-S", f"plan={plan().replace(tmp_path / 'plan.toml')}", "-S", "gpus=0", "-S", "cpus=1",
                               *(word for each in more for word in ("-S", each))],
                              cwd=tmp_path, text=True, capture_output=True, env=env, timeout=3600)

    return run


def test_every_figure_is_kept_and_a_slow_one_fails(reframe, stand_in, tmp_path):
    done = reframe(PARITY)
    assert done.returncode == 0, done.stdout + done.stderr
    (check,) = json.loads((tmp_path / "report.json").read_text())["runs"][0]["testcases"]
    values = check["perfvalues"]
    for figure in ("ratio", "ratio_low", "ratio_high", "starts", "samples"):
        assert sum(f" {figure}=openmp-fused" in name for name in values) == 6
    assert sum("throughput" in name for name in values) == 18 and all(value[0] > 0 for name, value in values.items() if not name.endswith("noisy rows"))
    assert "test:node:noisy rows" in values
    script = next((tmp_path / "out").rglob("rfm_job.sh")).read_text()
    assert "OMP_PROC_BIND=spread" in script and "OMP_PLACES=cores" in script and "OMP_NUM_THREADS=1" in script
    # The same check with that report as its reference, and with 1 % of each throughput.
    (tmp_path / "report.json").rename(tmp_path / "earlier.json")
    assert reframe(PARITY, f"references={tmp_path}/earlier.json", "slack=0.01").returncode == 0
    slow = stand_in("if [ \"$1\" = measure ]; then exec $parity \"$@\"; fi\n$parity \"$@\" | awk '$4 == \"throughput\" {$5 /= 100} {print}'")
    for more, says in ((f"references={tmp_path}/earlier.json", "throughput"), ("least_ratio=1000", "ratio=openmp-fused")):
        done = reframe(slow / "parity" if "references" in more else PARITY, more)
        assert done.returncode != 0 and "failed to meet reference" in done.stdout and says in done.stdout, done.stdout


@pytest.mark.parametrize("script, says", [
    ('[ "$1" = measure ] || printf "merit rows - verified 3 rows\\nmerit rows - wrong 1 rows\\n"', "failed its check"),
    ("exit 3", "no row was measured"),
])
def test_what_is_wrong_fails(reframe, stand_in, script, says):
    done = reframe(stand_in(script) / "parity")
    assert done.returncode != 0 and says in done.stdout, done.stdout
