# SPDX-License-Identifier: BSD-3-Clause
"""jobs/profile.sbatch: a real tool of Kokkos' profiling interface, and fake Nsight tools that log their calls."""
import os
import subprocess

import pytest
from conftest import ROOT, log_of, write_executable
from record_files import rows


@pytest.fixture
def profile(slurm, submit, site, plan, tmp_path):
    """profile(site's text, action of ncu, more variables): the job's state, its log and its folder. No other profiler is in PATH."""

    def run(more="", nsight=None, **variables):
        path = [p for p in os.environ["PATH"].split(os.pathsep) if not any(os.path.exists(os.path.join(p, n)) for n in ("nsys", "ncu"))]
        if nsight:
            for name in ("nsys", "ncu"):
                write_executable(tmp_path / name, f'#!/usr/bin/env bash\nprintf "%s\\n" "$@" >called\nwhile [ "${{1##*/}}" != parity ]; do shift; done\n{nsight}\n')
            path.insert(0, str(tmp_path))
        done = submit("p100", "--site", site(more), "--plan", plan(), "--slices", 1, "--no-build", "--profile", slurm=slurm, PATH=os.pathsep.join(path),
                      **variables)
        assert done.code == 0, done.err
        slurm.wait(done.jobs["measure"])
        return slurm.wait(done.jobs["profile"])[""], log_of(done, "profile"), done.run

    return run


def test_the_kernel_timer(profile, tmp_path):
    """Counts the plan's launches by label. The library is found through its folder, test_readme.py names it; profiled times are kept separate."""
    tool = tmp_path / "libkp_kernel_timer.so"
    subprocess.run([os.environ.get("CXX", "c++"), "-std=c++17", "-shared", "-fPIC", ROOT / "tests/jobs/kernel_counter.cpp", "-o", tool], check=True)
    state, log, run = profile(LD_LIBRARY_PATH=str(tmp_path))
    assert state == ("COMPLETED", "0:0"), log
    folder = run / "profile/kernel-timer"
    counted = dict(line.rsplit(" ", 1) for line in (folder / "kernels.dat").read_text().splitlines())
    assert int(counted["parity::diffusion::fused"]) >= 8 and rows(folder / "records.jsonl") and not (run / "profile/nsys").exists()
    assert len(rows(run / "records.jsonl")) == 18


def test_nsight_where_present(profile):
    state, log, run = profile(nsight='exec "$@"')
    assert state == ("COMPLETED", "0:0"), log
    for name, option in (("nsys", "--output=timeline"), ("ncu", "--export=kernels")):
        assert option in (run / f"profile/{name}/called").read_text().splitlines() and rows(run / f"profile/{name}/records.jsonl")


@pytest.mark.parametrize("more, nsight, code, says", [
    ("", None, 3, "name the kernel timer of kokkos-tools in SITE_KOKKOS_TOOLS"), ("SITE_KOKKOS_TOOLS=/nowhere.so", None, 3, "there is no /nowhere.so"),
    ("", "exit 9", 9, "profiling with nsys failed"),
])
def test_no_profiler_or_a_broken_one(profile, more, nsight, code, says):
    state, log, _ = profile(more, nsight)
    assert state == ("FAILED", f"{code}:0") and says in log
