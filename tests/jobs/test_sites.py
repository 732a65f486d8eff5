# SPDX-License-Identifier: BSD-3-Clause
"""Failures on a cluster: modules, set-ups, partitions, disks. Each gives one clear line and a failing job."""
import subprocess

import pytest
from conftest import ROOT, SLOW, SLOW_ROWS, each_once, log_of, wait_for_rows
from record_files import hurry, rows


@pytest.fixture
def one(slurm, submit, site, plan):
    """one(site's text, ...): submits a measuring job, waits for it, and returns its code, its log and the folder of results."""

    def run(more, text=None, **variables):
        done = submit("p100", "--site", site(more), "--plan", plan(text) if text else plan(), "--slices", 1, "--no-build", slurm=slurm, **variables)
        assert done.code == 0, done.err
        code = slurm.wait(done.jobs["measure"])[""][1]
        return int(code.split(":")[0]), log_of(done, "measure"), done.run

    return run


@pytest.fixture
def modules(tmp_path):
    """A folder of modules with tools/1.0, which sets PARITY_TEST_TOOL."""
    (tmp_path / "modules/tools").mkdir(parents=True)
    (tmp_path / "modules/tools/1.0").write_text("#%Module1.0\nsetenv PARITY_TEST_TOOL loaded\n")
    return {"MODULEPATH": str(tmp_path / "modules")}


def test_modules_are_loaded(one, modules):
    code, log, run = one("SITE_MODULES=(wrong/1)\nSITE_MODULES_P100=(tools/1.0)\nsite_setup() { export CONDA_DEFAULT_ENV=$1-$PARITY_TEST_TOOL; }",
                         **modules)
    assert code == 0, log
    environment = (run / "environment-measure.txt").read_text()
    assert "CONDA_DEFAULT_ENV=p100-loaded" in environment and "# modules\ntools/1.0\n" in environment


@pytest.mark.parametrize("setting, build, expected, says", [
    ("SITE_MODULES=(tools/1.0 kokkos/99)", None, 2, "module 'kokkos/99' cannot be loaded"),
    ("site_setup() { source /nowhere/setup.sh; }", None, 3, "site_setup p100 (in SITE) failed"),
    ("site_setup() { return 7; }", None, 7, "site_setup p100 (in SITE) failed"),
    ("site_setup() { exit 0; }", None, 2, "site_setup p100 (in SITE) ends the shell; use 'return'"),
    ("", "/none", 3, "/none/parity: build it with"),
])
def test_a_job_that_cannot_begin(one, site, modules, setting, build, expected, says):
    code, log, run = one(setting, **modules, **({"PARITY_BUILD": build} if build else {}))
    said = [line for line in log.splitlines() if says.replace("SITE", str(site(setting))) in line]
    assert code == expected and len(said) == 1 and not (run / "records.jsonl").exists(), log
    assert (run / "log/measure.exit_code").read_text() == f"{expected}\n"


@pytest.mark.parametrize("setting, says", [
    ("SITE_PARTITION=nope", ["nvalid partition", "partitions here: cpu gpu", "SITE_PARTITION"]),
    ("SITE_GPU_P100=--gres=gpu:k80:1", ["equested node configuration is not available", "gpu:p100", "SITE_GPU"]),
    ("SITE_OPTIONS=(--nonsense)", ["nonsense"]),
])
def test_what_slurm_refuses(slurm, submit, site, plan, tmp_path, setting, says):
    """In some of these SLURM accepts the build's job, which must not stay in the queue."""
    queued = slurm.run("squeue", "-h")
    done = submit("p100", "--site", site(setting + "\nSITE_BUILD_OPTIONS=(--partition=cpu --hold)"), "--plan", plan(), slurm=slurm,
                  PARITY_BUILD=str(tmp_path / "none"))
    assert done.code == 2 and done.err.count("\n") == 1 and all(text in done.err for text in ["SLURM refuses the", *says]), done.err
    assert slurm.run("squeue", "-h") == queued and list((tmp_path / "results").iterdir()) == []


@pytest.fixture
def tiny_disk(tmp_path):
    """tiny_disk(kilobytes) -> a folder on a disk of that size."""
    place = tmp_path / "disk"

    def mount(kilobytes):
        place.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", place], text=True, capture_output=True)
        if done.returncode:
            place.rmdir()
            pytest.skip(f"a full disk needs the right to mount one: {done.stderr.strip()}")
        return place

    yield mount
    if place.exists():
        subprocess.run(["umount", "--lazy", place], check=True)


def fill(disk):
    """Leaves no byte free: writes files, at the end of one byte, until none can be written."""
    for size in (65536, 4096, 1):
        for n in range(10000):
            try:
                with (disk / f"filler-{size}-{n}").open("wb", buffering=0) as file:
                    if file.write(bytes(size)) < size:
                        break
            except OSError:
                break


def test_a_full_disk_at_the_start(slurm, submit, site, plan, tiny_disk):
    disk = tiny_disk(256)
    words = ["p100", "--site", site(), "--plan", plan(), "--slices", 1, "--no-build", "--results"]
    done = submit(*words, disk, slurm=slurm)
    assert slurm.wait(done.jobs["measure"])[""] == ("FAILED", "2:0")  # room for the folder, but not for a job's results
    assert "free some space, or name another place with SITE_RESULTS" in log_of(done, "measure")
    fill(disk)
    before = sorted(p.name for p in disk.iterdir())
    for place in (disk, "/proc/nowhere"):
        done = submit(*words, place, slurm=slurm)
        assert done.code == 2 and f"cannot write to {place}" in done.err and "free some space" in done.err and done.err.count("\n") == 1
    assert sorted(p.name for p in disk.iterdir()) == before


def test_a_disk_that_fills_up(slurm, submit, site, plan, tiny_disk):
    """Finished results stay intact; with room again the job continues."""
    disk = tiny_disk(8192)  # a fast machine takes thousands of samples a second
    done = submit("p100", "--site", site(), "--plan", plan(SLOW), "--slices", 1, "--no-build", "--results", disk, slurm=slurm)
    part = done.run / "records.jsonl"
    wait_for_rows(slurm, part, 3)
    fill(disk)
    assert slurm.wait(done.jobs["measure"])[""] == ("FAILED", "2:0")
    before = part.read_text()
    assert before.endswith("}\n")
    for file in disk.glob("filler-*"):
        file.unlink()
    hurry(done.run / "plan.toml")
    again = submit("--resume", done.run, slurm=slurm)
    assert slurm.wait(again.jobs["measure"])[""] == ("COMPLETED", "0:0")
    assert part.read_text().startswith(before)
    each_once(done.run, SLOW_ROWS)


def test_no_python_for_the_report(slurm, submit, site, plan):
    done = submit("p100", "--site", site("SITE_PYTHON=/usr/bin/true-not-there"), "--plan", plan(), "--slices", 2, "--no-build", slurm=slurm)
    assert slurm.wait(done.jobs["report"])[""] == ("FAILED", "3:0") and "correct SITE_PYTHON" in log_of(done, "report")
    assert len(rows(done.run / "records.jsonl")) == 18


def test_by_hand_with_what_is_wrong(slurm, sbatch, site, plan, tmp_path):
    """In another folder; with a missing or wrong site file; with only some tasks of an array."""
    for number, (folder, file, options, says) in enumerate([
            (tmp_path, "", [], f"submit in the top folder of the Parity clone; {tmp_path} is not"), (ROOT, "missing.sh", [], "copy jobs/sites/example.sh"),
            (ROOT, site("SITE_ACOUNT=x"), [], "is no setting"), (ROOT, site(name="good.sh"), ["--array=2"], "jobs/sweep.sbatch RUN")]):
        job = sbatch(slurm, *options, f"--output={tmp_path}/out-{number}", ROOT / "jobs/sweep.sbatch", cwd=folder, PARITY_SITE=file, PARITY_PLAN=plan())
        said = (slurm.wait(job), (tmp_path / f"out-{number}").read_text().splitlines())
        assert {*said[0].values()} == {("FAILED", "2:0")} and len(said[1]) == 1 and says in said[1][0], said
