# SPDX-License-Identifier: BSD-3-Clause
"""Runs every command of jobs/README.md, in its order, as a new user of a cluster would: from a fresh clone, with the processor instead of the GPU,
and with a small plan."""
import re
import subprocess
import sys

from conftest import PARITY, PLAN, ROOT
from record_files import key, rows

REFRAME = """
site_configuration = {"systems": [{"name": "test", "hostnames": [".*"], "partitions": [
    {"name": "gpu", "scheduler": "squeue", "launcher": "local", "environs": ["builtin"], "access": ["--partition=gpu"]}]}]}
"""
SCRIPT = """
set -euo pipefail
settle() { while [ -n "$(squeue --me -h)" ]; do sleep 0.2; done; }
"""


def commands(page):
    """The lines of the page's shell blocks."""
    return [line for block in re.findall(r"^```sh\n(.*?)^```", page, re.M | re.S) for line in block.splitlines()]


def build_options():
    """The options of the tests' own build, so that ccache has the objects."""
    cache = (PARITY.parent / "CMakeCache.txt").read_text()
    return " ".join(f"-D{k}={v}" for k, v in re.findall(r"^(PARITY_WERROR|CMAKE_CXX_STANDARD):\w+=(\w+)$", cache, re.M))


def test_the_cluster_page(slurm, env, tmp_path):
    subprocess.run(["git", "clone", "-q", ROOT, tmp_path / "parity"], check=True)
    # Uncommitted changes are tested too.
    changed = subprocess.run(["git", "ls-files", "-mo", "--exclude-standard"], cwd=ROOT, text=True, capture_output=True, check=True).stdout.split("\n")
    for name in (n for n in changed if (ROOT / n).is_file()):
        target = tmp_path / "parity" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    clone = tmp_path / "parity"
    for name in ("cluster", "pairs_host", "profile"):
        (clone / f"jobs/plans/{name}.toml").write_text(PLAN)
    tool = tmp_path / "libkp_kernel_timer.so"
    subprocess.run(["c++", "-std=c++17", "-shared", "-fPIC", ROOT / "tests/jobs/kernel_counter.cpp", "-o", tool], check=True)
    (tmp_path / "reframe.py").write_text(REFRAME)
    filled_in = (f"cat >>mysite.sh <<'E'\n{(ROOT / 'jobs/sites/debian.sh').read_text()}\nSITE_PARTITION=gpu SITE_CPUS=1 "
                 f"SITE_CPUS_HOST=2 SITE_PYTHON={sys.executable}\nSITE_KOKKOS_TOOLS={tool}\nSITE_CMAKE=({build_options()})\nE")
    script = SCRIPT
    page = commands((clone / "jobs/README.md").read_text())
    assert len(page) >= 14
    for command in page:
        if command.startswith("TARGET=p100"):
            command = "TARGET=host"
        if " compare " in command:
            command += " || [ $? = 1 ]"  # on a busy machine results become slower
        if command.startswith("reframe "):
            command += " -S gpus=0"  # the test's site lacks this resource
        script += f"echo '## {command.split('#')[0]}'\n{command}\nsettle\n"
        if command.startswith("cp "):
            script += filled_in + "\n"
    environment = {**env, **slurm.env, "RFM_CONFIG_FILES": str(tmp_path / "reframe.py"), "TMPDIR": str(tmp_path),
                   "PATH": f"{sys.prefix}/bin:{slurm.env['PATH']}"}
    del environment["PARITY_BUILD"]
    done = subprocess.run(["bash", "-c", script], cwd=clone, text=True, capture_output=True, env=environment)
    logs = "".join(f.read_text()[-2000:] for f in clone.glob("results/*/log/*.txt"))
    assert done.returncode == 0, done.stdout + done.stderr + logs

    runs = sorted(clone.glob("results/host-*"), key=lambda run: run.stat().st_ctime)
    runs = [run for run in runs if list(run.glob("log/[ms]*.exit_code"))]  # the other folders only hold a build
    assert len(runs) == 5  # submitted twice, by hand, an array by hand, with a profile
    for run in runs:
        parts = [run / "records.jsonl"] if (run / "records.jsonl").exists() else list(run.glob("slices/*/records.jsonl"))
        measured = [r for part in parts for r in rows(part)]
        assert len(measured) == 18 == len({key(r) for r in measured}) and all(r["verification"]["passed"] for r in measured)
        assert {f.read_text() for f in run.glob("log/*.exit_code")} == {"0\n"}
    assert sum((run / "profile/kernel-timer/kernels.dat").exists() for run in runs) == 1
    assert "merit rows - verified 18 rows" in done.stdout and "18 rows in all 2 files" in done.stdout
    assert "nothing is missing" in done.stdout and "report ended with 0" in done.stdout
    assert "PASSED" in done.stdout.split("## reframe")[1]


def test_the_page_names_only_what_there_is(submit):
    page = (ROOT / "jobs/README.md").read_text()
    for name in set(re.findall(r"jobs/[\w./-]+\w", page)):
        assert (ROOT / name).exists(), name
    for option in set(re.findall(r"`(--[a-z-]+)", page)):
        assert option in submit("--help").out, option
    for setting in set(re.findall(r"SITE_[A-Z_]+", page)):
        assert setting in (ROOT / "jobs/sites/example.sh").read_text(), setting
