# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong on a cluster: site files, modules, partitions, disks. One clear line each, and a failing job."""
import subprocess

import pytest
from conftest import ROOT, SLOW, SLOW_ROWS
from record_files import key, rows
from timed_plan import hurry


@pytest.fixture
def refused(submit):
    """Exit code 2 and one line on standard error."""

    def check(*arguments, says, code=2, **options):
        done = submit(*arguments, **options)
        lines = done.err.strip().splitlines()
        assert done.code == code, (done.out, done.err)
        assert len(lines) == 1 and lines[0].startswith("parity-job: "), done.err
        for text in [says] if isinstance(says, str) else says:
            assert text in lines[0], lines[0]
        return done

    return check


WRONG_SITES = [
    ("SITE_ACOUNT=x", "SITE_ACOUNT is no setting; there are SITE_{ACCOUNT,"),
    ("SITE_GPU_P200=x", "SITE_GPU_P200 is no setting"),
    ("SITE_REQUEUE=maybe", "give yes or no"),
    ("SITE_CPUS=many", "number of processor cores"),
    ("SITE_CPUS_P100=0", "number of processor cores"),
    ("SITE_MODULES=(a b", "site file is no shell file"),
    ("SITE_RESULTS=$NOT_SET_HERE/x", "NOT_SET_HERE"),
    ("modul load x", "modul: command not found"),
]


@pytest.mark.parametrize("text,says", WRONG_SITES, ids=[t for t, _ in WRONG_SITES])
def test_a_wrong_site_file(slurm, refused, sbatch, site, plan, tmp_path, text, says):
    refused("p100", "--site", site(text), "--plan", plan(), "--no-build", says=says, slurm=slurm)
    assert not (tmp_path / "results").exists()
    job = sbatch(slurm, "--cpus-per-task=1", f"--output={tmp_path}/out", "jobs/p100.sbatch", PARITY_SITE=site(text), PARITY_PLAN=plan())
    assert slurm.wait(job)[""] == ("FAILED", "2:0")
    said = (tmp_path / "out").read_text().strip().splitlines()
    assert len(said) == 1 and says in said[0], said


def test_no_site_file(slurm, refused, sbatch, plan, tmp_path):
    refused("p100", "--site", "missing.sh", says="copy jobs/sites/example.sh")
    job = sbatch(slurm, "--cpus-per-task=1", f"--output={tmp_path}/out", "jobs/v100.sbatch", PARITY_SITE="missing.sh", PARITY_PLAN=plan())
    assert slurm.wait(job)[""] == ("FAILED", "2:0")
    assert (tmp_path / "out").read_text().strip().splitlines() == [
        "parity-job: site file 'missing.sh' does not exist; copy jobs/sites/example.sh, fill it in and name it with --site"]


@pytest.fixture
def modules(tmp_path):
    """A folder of modules with tools/1.0, which sets PARITY_TEST_TOOL."""
    (tmp_path / "modules/tools").mkdir(parents=True)
    (tmp_path / "modules/tools/1.0").write_text("#%Module1.0\nsetenv PARITY_TEST_TOOL loaded\n")
    return {"MODULEPATH": str(tmp_path / "modules")}


def test_modules_are_loaded(slurm, submit, site, plan, modules):
    file = site("SITE_MODULES=(wrong/1)\nSITE_MODULES_P100=(tools/1.0)\nsite_setup() { export CONDA_DEFAULT_ENV=$1-$PARITY_TEST_TOOL; }")
    done = submit("p100", "--site", file, "--plan", plan(), "--slices", 1, "--no-build", slurm=slurm, **modules)
    assert slurm.wait(done.jobs["measure"])[""] == ("COMPLETED", "0:0"), (done.run / "log/measure.txt").read_text()
    environment = (done.run / "environment-measure.txt").read_text()
    assert "CONDA_DEFAULT_ENV=p100-loaded" in environment and "# modules\ntools/1.0\n" in environment


def test_a_missing_module(slurm, submit, site, plan, modules):
    file = site("SITE_MODULES=(tools/1.0 kokkos/99)")
    done = submit("p100", "--site", file, "--plan", plan(), "--slices", 1, "--no-build", slurm=slurm, **modules)
    assert slurm.wait(done.jobs["measure"])[""] == ("FAILED", "2:0")
    said = [line for line in (done.run / f"log/slurm-measure-{done.jobs['measure']}.out").read_text().splitlines() if "module '" in line]
    assert len(said) == 1 and "module 'kokkos/99' cannot be loaded" in said[0] and "correct SITE_MODULES" in said[0], said
    assert not (done.run / "records.jsonl").exists()


def test_a_setup_that_fails(slurm, submit, site, plan):
    done = submit("p100", "--site", site("site_setup() { source /nowhere/setup.sh; }"), "--plan", plan(), "--slices", 1, "--no-build", slurm=slurm)
    state, code = slurm.wait(done.jobs["measure"])[""]
    assert state == "FAILED" and code != "0:0"
    assert f"site_setup p100 (in {site()}) failed" in (done.run / f"log/slurm-measure-{done.jobs['measure']}.out").read_text()


@pytest.mark.parametrize("setting,says", [
    ("SITE_PARTITION=nope", ["nvalid partition", "partitions here: cpu gpu", "SITE_PARTITION"]),
    ("SITE_GPU_P100=--gres=gpu:k80:1", ["equested node configuration is not available", "gpu:p100", "SITE_GPU"]),
    ("SITE_GPU_P100=--constraint=k80", ["nvalid feature", "SITE_GPU"]),
    ("SITE_OPTIONS=(--nonsense)", ["nonsense"]),
    ("SITE_TIME=soon", ["nvalid --time", "SITE_TIME"]),
])
@pytest.mark.parametrize("slices", [1, 2])
def test_what_slurm_refuses(slurm, refused, site, plan, tmp_path, setting, says, slices):
    """The build's job is accepted in some of these and must not stay in the queue."""
    queued = slurm.run("squeue", "-h")
    more = setting + "\nSITE_BUILD_OPTIONS=(--partition=cpu --hold)"
    refused("p100", "--site", site(more), "--plan", plan(), "--slices", slices, says=["SLURM refuses the", *says], slurm=slurm,
            PARITY_BUILD=str(tmp_path / "none"))
    assert slurm.run("squeue", "-h") == queued
    assert list((tmp_path / "results").iterdir()) == []


def fill(disk):
    """Leaves no byte free: files, in the end of one byte, until none can be written."""
    for size in (65536, 4096, 1):
        for n in range(10000):
            try:
                with (disk / f"filler-{size}-{n}").open("wb", buffering=0) as file:
                    if file.write(bytes(size)) < size:
                        break
            except OSError:
                break


def test_a_full_disk_at_the_start(slurm, refused, submit, sbatch, site, plan, tiny_disk, tmp_path):
    disk = tiny_disk(256)
    done = submit("p100", "--site", site(), "--plan", plan(), "--slices", 1, "--no-build", "--results", disk, slurm=slurm)
    assert slurm.wait(done.jobs["measure"])[""] == ("FAILED", "2:0")  # room for the folder, not for a job's results
    said = (done.run / f"log/slurm-measure-{done.jobs['measure']}.out").read_text().splitlines()
    assert len(said) == 1 and "free some space, or name another place with SITE_RESULTS" in said[0], said
    fill(disk)
    before = sorted(p.name for p in disk.iterdir())
    refused("p100", "--site", site(), "--plan", plan(), "--no-build", "--results", disk, says="free some space", slurm=slurm)
    assert sorted(p.name for p in disk.iterdir()) == before
    job = sbatch(slurm, "--cpus-per-task=1", f"--output={tmp_path}/out", "jobs/v100.sbatch", PARITY_PLAN=plan(),
                 PARITY_SITE=site(f"SITE_RESULTS={disk}"))
    assert slurm.wait(job)[""] == ("FAILED", "2:0")
    said = (tmp_path / "out").read_text().splitlines()
    assert len(said) == 1 and "free some space" in said[0], said


def test_a_disk_that_fills_up(slurm, submit, site, plan, tiny_disk):
    """Rows that were finished stay whole; with room again the job goes on."""
    disk = tiny_disk(8192)  # a fast machine takes thousands of samples a second
    done = submit("p100", "--site", site(), "--plan", plan(SLOW), "--slices", 1, "--no-build", "--results", disk, slurm=slurm)
    part = done.run / "records.jsonl"
    slurm.until(lambda: part.exists() and part.read_text().count('"measurement"') >= 3, "three rows")
    fill(disk)
    assert slurm.wait(done.jobs["measure"])[""] == ("FAILED", "2:0")
    assert part.read_text().endswith("}\n")
    before = part.read_text()
    for file in disk.glob("filler-*"):
        file.unlink()
    hurry(done.run / "plan.toml")
    again = submit("--resume", done.run, slurm=slurm)
    assert slurm.wait(again.jobs["measure"])[""] == ("COMPLETED", "0:0")
    assert part.read_text().startswith(before)
    measured = rows(part)
    assert len(measured) == SLOW_ROWS == len({key(r) for r in measured})


def test_a_folder_that_cannot_be_written(refused, slurm, site, plan):
    refused("p100", "--site", site(), "--plan", plan(), "--no-build", "--results", "/proc/nowhere", says="cannot write to /proc/nowhere", slurm=slurm)


def test_no_build_yet(slurm, submit, site, plan, tmp_path):
    done = submit("p100", "--site", site(), "--plan", plan(), "--slices", 1, "--no-build", slurm=slurm, PARITY_BUILD=str(tmp_path / "none"))
    assert slurm.wait(done.jobs["measure"])[""] == ("FAILED", "3:0")
    assert "none/parity: build it with" in (done.run / f"log/slurm-measure-{done.jobs['measure']}.out").read_text()


def test_a_wrong_plan(slurm, submit, site, plan):
    done = submit("p100", "--site", site(), "--plan", plan("variants = ['openmp-plan']"), "--slices", 1, "--no-build", slurm=slurm)
    assert slurm.wait(done.jobs["measure"])[""] == ("FAILED", "2:0")
    assert "did you mean openmp-plane" in (done.run / "log/measure.txt").read_text()


def test_no_python_for_the_report(slurm, submit, site, plan):
    done = submit("p100", "--site", site("SITE_PYTHON=/usr/bin/true-not-there"), "--plan", plan(), "--slices", 2, "--no-build", slurm=slurm)
    assert slurm.wait(done.jobs["report"])[""] == ("FAILED", "3:0")
    assert "correct SITE_PYTHON" in (done.run / f"log/slurm-report-{done.jobs['report']}.out").read_text()
    assert len(rows(done.run / "records.jsonl")) == 18


def test_not_in_the_clone(slurm, env, site, tmp_path):
    done = subprocess.run(["sbatch", "--parsable", f"--output={tmp_path}/out", ROOT / "jobs/host.sbatch"], cwd=tmp_path, text=True,
                          capture_output=True, env={**env, **slurm.env})
    assert slurm.wait(done.stdout.strip())[""] == ("FAILED", "2:0")
    assert (tmp_path / "out").read_text() == f"parity-job: submit in the top folder of the Parity clone; {tmp_path} is not\n"
