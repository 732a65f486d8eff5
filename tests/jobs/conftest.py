# SPDX-License-Identifier: BSD-3-Clause
"""A real SLURM on this machine with fake GPUs, for the tests of jobs/."""
import functools
import os
import pathlib
import subprocess
import sys
import types

import pytest
from record_files import key, rows, timed_plan
from slurm import Slurm

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARITY = pathlib.Path(os.environ["PARITY"])

# A copy of the tests' build that claims to be for a GPU: --version lists CUDA and HIP.
GPU_IN_NAME = PARITY.parent / "gpu-in-name"

PLAN = """
variants = ["openmp-fused", "kokkos-fused", "reference-loop"]
[axes]
size = [[20, 12, 2], [33, 17, 3], [9, 7, 1]]
steps = [4]
precision = ["float", "double"]
[measure]
repeats = 3
"""
# Forty problems of a second each: half of them never finish before a test interrupts. Few steps, so that the rest
# finishes soon once it is sped up (hurry).
SLOW_ROWS = 80
SLOW = timed_plan(SLOW_ROWS // 2, 1, steps=100)
# Replaces the Python that draws reports, in tests about other things: drawing takes longer than everything else.
DRAWS_NOTHING = """#!/bin/sh
while [ $# -gt 1 ]; do [ "$1" != --output ] || echo "<svg>" >"$2"; shift; done
"""


@pytest.fixture(scope="session")
def slurm(tmp_path_factory):
    done = subprocess.run([ROOT / "tests/setup.sh", "--slurm"], text=True, capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        why = "skipped, because there is no SLURM to test with: " + (done.stderr.strip().splitlines() or ["?"])[-1]
        pytest.fail(why) if os.environ.get("CI") else pytest.skip(why)
    with Slurm(tmp_path_factory.mktemp("slurm")) as running:
        yield running


def write_executable(file, text):
    file.write_text(text)
    file.chmod(0o755)
    return file


def write_site(folder, more="", name="site.sh", draws=False):
    """A site file in a folder; draws: True if reports are really drawn."""
    python = sys.executable if draws else write_executable(folder / "draws-nothing", DRAWS_NOTHING)
    (folder / name).write_text(f"SITE_PARTITION=gpu\nSITE_CPUS=1\nSITE_PYTHON={python}\nSITE_RESULTS={folder}/results\n{more}\n")
    return folder / name


def gpu_in_name():
    """The build folder GPU_IN_NAME, created once."""
    if not (GPU_IN_NAME / "parity").exists():
        GPU_IN_NAME.mkdir(exist_ok=True)
        part = write_executable(GPU_IN_NAME / f"part-{os.getpid()}", f"""#!/usr/bin/env bash
set -o pipefail
[ "$1" = --version ] || exec {PARITY} "$@"
{PARITY} --version | sed 's/^CUDA: .*/CUDA:   in name/; s/^Kokkos: .*(/&HIP /'
""")
        part.rename(GPU_IN_NAME / "parity")
    return GPU_IN_NAME


def clean_environment():
    """The environment of a user without settings for Parity; the tests' build replaces the target's."""
    clean = {k: v for k, v in os.environ.items() if k == "PARITY_DEPS" or not k.startswith(("PARITY", "SITE_", "SLURM", "SBATCH", "OMP_"))}
    return dict(clean, PARITY_BUILD=str(gpu_in_name()))


def run_submit(*arguments, slurm=None, cwd=ROOT, **more):
    """Runs jobs/submit.sh: exit code, output, the numbers of its jobs and the folder of results."""
    done = subprocess.run([ROOT / "jobs/submit.sh", *map(str, arguments)], cwd=cwd, text=True, capture_output=True, stdin=subprocess.DEVNULL,
                          env={**clean_environment(), **(slurm.env if slurm else {}), **more})
    jobs = {line.split()[1].rstrip(":"): line.split()[-1] for line in done.stdout.splitlines() if line.startswith("# ") and ": job " in line}
    folder = [line.removeprefix("results: ") for line in done.stdout.splitlines() if line.startswith("results: ")]
    return types.SimpleNamespace(code=done.returncode, out=done.stdout, err=done.stderr, jobs=jobs, run=pathlib.Path(folder[0]) if folder else None)


def each_once(run, count):
    """Checks that there are 'count' results, each once and verified."""
    measured = rows(run / "records.jsonl")
    assert len(measured) == count and len({key(r) for r in measured}) == count
    assert all(r["verification"]["passed"] for r in measured)
    return measured


def log_of(done, job):
    return (done.run / f"log/{job}.txt").read_text()


def complete_lines(file):
    return [line for line in file.read_text().splitlines(keepends=True) if line.endswith("\n")] if file.exists() else []


def wait_for_rows(slurm, file, count):
    slurm.until(lambda: sum('"measurement"' in line for line in complete_lines(file)) >= count, f"{count} rows in {file}")


@pytest.fixture
def env():
    return clean_environment()


@pytest.fixture
def site(tmp_path):
    """site(more) writes a site file."""
    return functools.partial(write_site, tmp_path)


@pytest.fixture
def plan(tmp_path):
    """plan(text) writes a plan."""

    def write(text=PLAN):
        file = tmp_path / "a plan.toml"  # a name that careless quoting would break
        file.write_text(text)
        return file

    return write


@pytest.fixture
def submit():
    """submit(*arguments) runs jobs/submit.sh."""
    return run_submit


@pytest.fixture
def sbatch(env):
    """sbatch(slurm, *arguments, **environment) submits by hand, in the clone's top folder, and returns the job's number."""

    def run(slurm, *arguments, cwd=ROOT, **more):
        done = subprocess.run(["sbatch", "--parsable", *map(str, arguments)], cwd=cwd, text=True, capture_output=True,
                              env={**env, **slurm.env, **{k: str(v) for k, v in more.items()}})
        assert done.returncode == 0, done.stderr
        return done.stdout.strip().split(";")[0]

    return run


@pytest.fixture
def stand_in(tmp_path):
    """stand_in(script) -> a build folder with a shell script as parity; $parity in it is the real one."""

    def write(script):
        (tmp_path / "stand-in").mkdir()
        return write_executable(tmp_path / "stand-in/parity", f"#!/usr/bin/env bash\nparity={gpu_in_name()}/parity\n{script}\n").parent

    return write
