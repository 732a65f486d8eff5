# SPDX-License-Identifier: BSD-3-Clause
"""jobs/submit.sh: what a dry run prints is what runs; refusals. Where SLURM is not named, none is needed."""
import json
import os
import re
import subprocess
import sys

import pytest
import yaml
from conftest import PARITY, ROOT

TARGETS = ["host", "p100", "v100", "a100", "h100"]


def commands(text):
    """The sbatch lines of a dry run or a submission, with the parts that differ each time made equal."""
    text = re.sub(r"-\d{8}-\d{6}", "-TIME", text)
    text = re.sub(r"(after\w+):(\d+|[A-Z]+_JOB)", r"\1:ID", text)
    return [line for line in text.splitlines() if line.startswith("sbatch ")]


def lines_of(dry, what):
    """The lines that a dry run prints beneath a job."""
    found, inside = [], False
    for line in dry.splitlines():
        if line.startswith("sbatch "):
            inside = f"-{what} " in line
        elif inside and line.startswith("  ") and not line.startswith("  #"):
            found.append(re.sub(r"-\d{8}-\d{6}", "-TIME", line.strip()))
    return found


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("slices", [1, 3])
def test_a_dry_run_prints_what_would_run(submit, site, plan, tmp_path, target, slices):
    file = site("SITE_ACCOUNT=project\nSITE_TIME=00:20:00\nSITE_MODULES=(gcc/11 cuda/11.8)\nSITE_OPTIONS=(--exclusive --mem=0)\n"
                "SITE_BUILD_OPTIONS=(--partition=cpu)\nSITE_CMAKE=(-DPARITY_ENABLE_NETCDF=OFF)\nsite_setup() { exit 9; }")
    done = submit(target, "--site", file, "--plan", plan(), "--slices", slices, "--dry-run", PARITY_BUILD=str(tmp_path / "b"),
                  PATH="/usr/local/bin:/usr/bin:/bin")
    assert done.code == 0 and done.err == "", done.err
    assert not (tmp_path / "results").exists()
    build, measure, *report = commands(done.out)
    gpu = "" if target == "host" else f" --gres=gpu:{target}:1"
    run, after = f"{tmp_path}/results/{target}-TIME", "--dependency=afterok:ID --kill-on-invalid-dep=yes"
    assert build == (f"sbatch --parsable --job-name=parity-{target}-build --output={run}/log/slurm-build-%j.out --account=project "
                     f"--partition=gpu --cpus-per-task=1 --partition=cpu jobs/build.sbatch {run}")
    common = f"--account=project --partition=gpu --cpus-per-task=1{gpu} --time=00:20:00 --exclusive --mem=0 {after}"
    enter = [f"source {run}/site.sh", "module load gcc/11", "module load cuda/11.8", f"site_setup {target}"]
    kokkos = [] if target == "host" else ["Kokkos_ROOT=${Kokkos_ROOT:-$(cmake/bootstrap.sh --kokkos)} && export Kokkos_ROOT"]
    assert lines_of(done.out, "build") == [*enter, *kokkos, f"cmake --preset {target} -B {tmp_path}/b -DPARITY_ENABLE_TESTS=OFF "
                                           "-DPARITY_ENABLE_NETCDF=OFF", f"cmake --build {tmp_path}/b --target parity --parallel 1",
                                           f"{tmp_path}/b/parity --version"]
    if slices == 1:
        assert report == []
        assert measure == (f"sbatch --parsable --job-name=parity-{target}-measure --output={run}/log/slurm-measure-%j.out {common} "
                           f"jobs/{target}.sbatch {run}")
    else:
        assert measure == (f"sbatch --parsable --job-name=parity-{target}-sweep --output={run}/log/slurm-sweep-%A_%a.out --array=1-3 "
                           f"{common} jobs/sweep.sbatch {run}")
        assert lines_of(done.out, "sweep") == [*enter, f"{tmp_path}/b/parity measure {run}/plan.toml --slice K/3 --quiet --mixed "
                                               f"--output {run}/slices/K/records.jsonl"]
        assert len(report) == 1 and "--dependency=afterany:ID" in report[0]


@pytest.mark.parametrize("slices", [1, 2])
def test_a_submission_does_what_the_dry_run_printed(slurm, submit, site, plan, slices):
    arguments = ["p100", "--site", site("SITE_BUILD_OPTIONS=(--partition=cpu)"), "--plan", plan(), "--slices", slices, "--no-build"]
    dry = submit(*arguments, "--dry-run", slurm=slurm)
    real = submit(*arguments, slurm=slurm)
    assert real.code == 0, real.err
    assert commands(real.out) == commands(dry.out) == commands((real.run / "submission.txt").read_text())
    slurm.wait(list(real.jobs.values())[-1])
    for what in ["measure"] if slices == 1 else ["sweep", "report"]:
        log = (real.run / f"log/{what}{'-2' if what == 'sweep' else ''}.txt").read_text()
        ran = [re.sub(r"-\d{8}-\d{6}", "-TIME", line[2:]) for line in log.splitlines() if line.startswith("+ ")]
        printed = [line.replace("/K", "/2").replace(" K/", " 2/") for line in lines_of(dry.out, what) if not line.startswith("source ")]
        assert ran == printed


def test_every_target_has_script_preset_and_spack_environment():
    listed = subprocess.run(["cmake", "--list-presets"], cwd=ROOT, text=True, capture_output=True, check=True).stdout
    presets = {p["name"]: p for p in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
    for target in TARGETS:
        assert (ROOT / f"jobs/{target}.sbatch").exists() and f'"{target}"' in listed
        if target == "host":
            continue
        specs = yaml.safe_load((ROOT / f"jobs/spack/{target}/spack.yaml").read_text())["spack"]["specs"]
        arch = presets[target]["cacheVariables"]["CMAKE_CUDA_ARCHITECTURES"]
        kokkos, kernels = (next(s for s in specs if s.startswith(f"{name}@")) for name in ("kokkos", "kokkos-kernels"))
        for spec in kokkos, kernels:
            assert f"cuda_arch={arch}" in spec.split() and "+cuda" in spec.split()
        assert kokkos.split()[0].split("@")[1] == kernels.split()[0].split("@")[1]


@pytest.mark.parametrize("arguments,says", [
    ([], "name a target: host p100"),
    (["p200"], "'p200' is no target"),
    (["p100", "v100"], "two targets"),
    (["p100"], "name your site file with --site"),
    (["p100", "--site"], "--site needs a value"),
    (["p100", "--bogus"], "--bogus is no option"),
    (["p100", "--site", "S", "--slices", "0"], "--slices is '0'"),
    (["p100", "--site", "S", "--slices", "x"], "--slices is 'x'"),
    (["p100", "--site", "S", "--slices", "10000"], "a number from 1 to 9999"),
    (["p100", "--site", "S", "--plan", "missing.toml"], "missing.toml' does not exist"),
    (["--resume", "/"], "is no folder of a Parity job (it has no settings.sh)"),
    (["--resume", "R", "--site", "S"], "--site is settled"),
    (["v100", "--resume", "R"], "holds results of p100, not of v100"),
], ids=lambda v: " ".join(v) if isinstance(v, list) else None)
def test_refusals(submit, site, plan, tmp_path, arguments, says):
    run = tmp_path / "run"
    run.mkdir()
    (run / "settings.sh").write_text(f"target=p100 build={PARITY.parent} slices=1\n")
    (run / "plan.toml").write_text("")
    (run / "site.sh").write_text("")
    words = {"S": site(), "R": run}
    before = sorted(os.listdir(tmp_path))
    done = submit(*[words.get(a, a) for a in arguments], cwd=tmp_path)
    lines = done.err.strip().splitlines()
    assert done.code == 2 and len(lines) == 1 and lines[0].startswith("parity-job: ") and says in lines[0], (done.out, done.err)
    assert sorted(os.listdir(tmp_path)) == before


def test_no_python_and_no_sbatch_here(submit, site, plan, tmp_path):
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    for program in "bash dirname".split():
        found = subprocess.run(["bash", "-c", f"command -v {program}"], text=True, capture_output=True).stdout.strip()
        (bin_ / program).symlink_to(found)
    done = submit("p100", "--site", site(), "--plan", plan(), PATH=str(bin_))
    assert done.code == 3 and done.err.startswith("parity-job: there is no python3 on ") and done.err.count("\n") == 1
    (bin_ / "python3").symlink_to(os.path.realpath(sys.executable))
    done = submit("p100", "--site", site(), "--plan", plan(), PATH=str(bin_))
    assert done.code == 3 and "there is no sbatch here" in done.err
    assert not (tmp_path / "results").exists()


def test_help(submit):
    done = submit("--help")
    assert done.code == 0 and "--dry-run" in done.out and done.out.startswith("Submits")
    assert max(map(len, done.out.splitlines())) <= 125
