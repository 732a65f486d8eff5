# SPDX-License-Identifier: BSD-3-Clause
"""jobs/profile.sbatch: a tool of Kokkos' profiling interface for real, Nsight through stand-ins that note how they are called."""
import os
import subprocess

import pytest
from conftest import ROOT, log_of
from record_files import rows


@pytest.fixture(scope="module")
def tool(tmp_path_factory):
    library = tmp_path_factory.mktemp("tool") / "libkp_kernel_timer.so"
    subprocess.run([os.environ.get("CXX", "c++"), "-std=c++17", "-shared", "-fPIC", ROOT / "tests/jobs/kernel_counter.cpp", "-o", library], check=True)
    return library


def profile(slurm, submit, *arguments, **more):
    done = submit("p100", *arguments, "--slices", 1, "--no-build", "--profile", slurm=slurm, **more)
    assert done.code == 0, done.err
    slurm.wait(done.jobs["measure"])
    return done, slurm.wait(done.jobs["profile"])[""]


def test_the_kernel_timer(slurm, submit, site, plan, tool):
    """Launches by label: the plan's own, which the study's records count too."""
    done, state = profile(slurm, submit, "--site", site(f"SITE_KOKKOS_TOOLS={tool}"), "--plan", plan(), PATH=clean_path())
    assert state == ("COMPLETED", "0:0"), log_of(done, "profile")
    folder = done.run / "profile/kernel-timer"
    counted = dict(line.rsplit(" ", 1) for line in (folder / "kernels.dat").read_text().splitlines())
    assert int(counted["parity::diffusion::fused"]) >= 8 and all(rows(folder / "records.jsonl"))
    assert not (done.run / "profile/nsys").exists()
    assert len(rows(done.run / "records.jsonl")) == 18  # profiled times are kept apart


def test_it_is_found_beside_other_libraries(slurm, submit, site, plan, tool):
    done, state = profile(slurm, submit, "--site", site(), "--plan", plan(), PATH=clean_path(), LD_LIBRARY_PATH=str(tool.parent))
    assert state == ("COMPLETED", "0:0") and (done.run / "profile/kernel-timer/kernels.dat").exists()


def clean_path():
    return os.pathsep.join(p for p in os.environ["PATH"].split(os.pathsep) if not any(os.path.exists(os.path.join(p, n)) for n in ("nsys", "ncu")))


@pytest.fixture
def nsight(tmp_path):
    folder = tmp_path / "nsight"
    folder.mkdir()
    for name in ("nsys", "ncu"):
        script = folder / name
        script.write_text('#!/usr/bin/env bash\nprintf "%s\\n" "$@" >called\nwhile [ "${1##*/}" != parity ]; do shift; done\nexec "$@"\n')
        script.chmod(0o755)
    return str(folder)


def test_nsight_where_present(slurm, submit, site, plan, nsight):
    done, state = profile(slurm, submit, "--site", site(), "--plan", plan(), PATH=nsight + os.pathsep + clean_path())
    assert state == ("COMPLETED", "0:0"), log_of(done, "profile")
    for name, option in (("nsys", "--output=timeline"), ("ncu", "--export=kernels")):
        assert option in (done.run / f"profile/{name}/called").read_text().splitlines()
        assert rows(done.run / f"profile/{name}/records.jsonl")


def test_no_profiler_or_a_broken_one(slurm, submit, site, plan, nsight):
    done, state = profile(slurm, submit, "--site", site(), "--plan", plan(), PATH=clean_path())
    assert state == ("FAILED", "3:0")
    assert "name the kernel timer of kokkos-tools in SITE_KOKKOS_TOOLS" in log_of(done, "profile")
    done, state = profile(slurm, submit, "--site", site("SITE_KOKKOS_TOOLS=/nowhere.so"), "--plan", plan(), PATH=clean_path())
    assert state == ("FAILED", "3:0")
    assert "there is no /nowhere.so" in log_of(done, "profile")
    with open(f"{nsight}/ncu", "w") as f:
        f.write("#!/bin/sh\nexit 9\n")
    done, state = profile(slurm, submit, "--site", site(), "--plan", plan(), PATH=nsight + os.pathsep + clean_path())
    assert state == ("FAILED", "9:0")
    assert "profiling with ncu failed" in log_of(done, "profile")
