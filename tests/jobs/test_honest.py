# SPDX-License-Identifier: BSD-3-Clause
"""From submission to a report that names missing parts: refusals, messages and resumption of jobs/."""
import os
import subprocess
import sys

import pytest
from conftest import PARITY, PLAN, ROOT, each_once, gpu_in_name, log_of, write_executable
from record_files import rows
from test_submit import commands

HELD = "SITE_GPU_P100=--constraint=p100\nSITE_OPTIONS=(--hold)"
# Replaces a build: 'cmake --build' copies the tests' program.
CMAKE = "site_setup() { Kokkos_ROOT=/in/name; cmake() { [ \"$1\" = --build ] || return 0; %s mkdir -p \"$build\" && cp " + str(PARITY.parent) + "/gpu-in-name/parity \"$build/\"; }; }"


def codes(run):
    return {f.stem: f.read_text().strip() for f in (run / "log").glob("*.exit_code")}


def test_slices_that_never_ran_stand_first_in_the_report(slurm, submit, site, plan):
    done = submit("p100", "--site", site(HELD, draws=True), "--plan", plan(), "--slices", 4, "--no-build", slurm=slurm)
    sweep = done.jobs["sweep"]
    slurm.run("scancel", f"{sweep}_3", f"{sweep}_4")
    slurm.run("scontrol", "release", sweep)
    assert slurm.wait(done.jobs["report"])[""] == ("FAILED", "4:0"), log_of(done, "report")
    says = f"INCOMPLETE: 2 of 4 slices and 6 of 18 rows of the plan are missing; go on with: jobs/submit.sh --resume {done.run}"
    assert says in log_of(done, "report") and "slice 3 of 4 did not run to its end (no log): 0 of 3 rows are there" in log_of(done, "report")
    page = (done.run / "report.html").read_text()
    assert page.index(says) < page.index("12 of 12 rows passed") and "nothing is missing" not in page
    assert (done.run / "findings.txt").read_text().startswith(says)
    assert (done.run / "merit.txt").read_text().startswith("merit slices - missing 2 slices\nmerit rows - missing 6 rows\nmerit diff")
    again = submit("--resume", done.run, "--site", site(draws=True), slurm=slurm)
    assert "--array=3,4 " in again.out, again.err
    assert slurm.wait(again.jobs["report"])[""] == ("COMPLETED", "0:0")
    page = (done.run / "report.html").read_text()
    assert "INCOMPLETE" not in page and "18 of 18 rows passed" in page and not (done.run / "missing.txt").exists()


@pytest.mark.parametrize("slices", [1, 2])
def test_a_report_that_failed_is_submitted_alone_with_a_corrected_site_file(slurm, submit, site, plan, slices):
    done = submit("p100", "--site", site("SITE_PYTHON=/nowhere/python"), "--plan", plan(), "--slices", slices, "--no-build", slurm=slurm)
    job = list(done.jobs)[-1]
    assert slurm.wait(done.jobs[job])[""] == ("FAILED", "3:0")
    assert codes(done.run)["measure" if slices == 1 else "sweep-1"] == "0" and codes(done.run)["report"] == "3"
    correct = site(name="corrected site.sh")
    assert f"correct SITE_PYTHON in {site('SITE_PYTHON=/nowhere/python')} and run: jobs/submit.sh --resume {done.run} --site " in log_of(done, job)
    again = submit("--resume", done.run, "--site", correct, slurm=slurm)
    assert list(again.jobs) == ["report"] and "--partition=gpu" in again.out and f"--output={done.run}/log/report.txt" in again.out, again.out + again.err
    assert slurm.wait(again.jobs["report"])[""] == ("COMPLETED", "0:0"), log_of(done, "report")
    assert "nothing is missing" in submit("--resume", done.run, slurm=slurm).out
    assert (done.run / "site.sh").read_text() == correct.read_text() and f"site_file={correct}\n" in (done.run / "settings.txt").read_text()


def test_a_plan_with_a_typo_is_found_before_the_queue_or_after_the_build(slurm, submit, site, plan, tmp_path):
    wrong = plan(PLAN.replace("kokkos-fused", "kokos-fused"))
    done = submit("p100", "--site", site(), "--plan", wrong, "--no-build", slurm=slurm)
    assert done.code == 2 and "parity cannot measure this plan: " in done.err and "kokos-fused" in done.err and done.err.count("\n") == 1, done.err
    assert not (tmp_path / "results").exists()
    done = submit("p100", "--site", site("SITE_BUILD=%s\n%s" % (tmp_path / "b", CMAKE % "")), "--plan", wrong, slurm=slurm, PARITY_BUILD="")
    assert done.code == 0, done.err
    assert slurm.wait(done.jobs["report"])[""] == ("FAILED", "3:0") and slurm.wait(done.jobs["build"])[""] == ("FAILED", "2:0")
    assert "the plan cannot be measured, as the line above says" in log_of(done, "build") and "ended with 2 (log/build.txt)" in log_of(done, "report")


def test_a_build_that_was_stopped_is_what_the_report_names(slurm, submit, site, plan, tmp_path):
    """--resume --time applies to the build."""
    file = site("SITE_BUILD=%s\n%s" % (tmp_path / "b", CMAKE % f"touch {tmp_path}/building; sleep 600 || return 1;"))
    done = submit("p100", "--site", file, "--plan", plan(), "--slices", 2, slurm=slurm, PARITY_BUILD="")
    slurm.until((tmp_path / "building").exists, "the build")
    slurm.run("scancel", done.jobs["build"])
    assert slurm.wait(done.jobs["report"])[""] == ("FAILED", "3:0")
    said = log_of(done, "report")
    assert f"the build (job {done.jobs['build']}) ended with 143 (log/build.txt), so nothing was measured; go on with: jobs/submit.sh --resume" in said
    assert "building was stopped, as by the time limit; give it more with: jobs/submit.sh --resume" in log_of(done, "build")
    assert "sweep-" not in said
    dry = commands(submit("--resume", done.run, "--time", 55, "--dry-run", slurm=slurm).out)
    assert len(dry) == 3 and "-build " in dry[0] and all("--time=55 " in line for line in dry[:2])


def test_two_builds_of_one_target_follow_each_other(slurm, submit, site, plan, tmp_path):
    file = site("SITE_BUILD=%s\n%s" % (tmp_path / "b", CMAKE % f"mkdir {tmp_path}/alone || return 1; sleep 2; rmdir {tmp_path}/alone;"))
    done = [submit("p100", "--site", file, "--plan", plan(), "--slices", 1, slurm=slurm, PARITY_BUILD="") for _ in (1, 2)]
    assert [slurm.wait(d.jobs["build"])[""] for d in done] == [("COMPLETED", "0:0")] * 2, log_of(done[0], "build") + log_of(done[1], "build")
    assert [slurm.wait(d.jobs["measure"])[""] for d in done] == [("COMPLETED", "0:0")] * 2


@pytest.mark.parametrize("more, arguments, says", [
    ("", ["--slices", 2000], "--slices is 2000, and arrays of this cluster have at most 1000 tasks (MaxArraySize)"),
    ("", ["--time", "2:00:00"], "the time limit 2:00:00 is beyond the 1:00:00 that partition 'gpu' allows"),
    ("SITE_TIME=1-0", [], "the time limit 1-0 is beyond"),
    ("SITE_OPTIONS=(--partition=cpu --time=61)", [], "the time limit 61 is beyond the 1:00:00 that partition 'cpu' allows"),
    ("SITE_OPTIONS=(-p cpu -t 61)", [], "the time limit 61 is beyond the 1:00:00 that partition 'cpu' allows"),
], ids=str)
def test_limits_are_said_at_submission(slurm, submit, site, plan, tmp_path, more, arguments, says):
    for last in (["--dry-run"], []):
        done = submit("p100", "--site", site(more), "--plan", plan(), "--no-build", *arguments, *last, slurm=slurm)
        assert done.code == 2 and says in done.err and done.err.count("\n") == 1, done.err
    assert not (tmp_path / "results").exists()
    assert submit("p100", "--site", site(), "--plan", plan(), "--no-build", "--time", "0-1", "--dry-run", slurm=slurm).code == 0


def test_who_shares_a_node_is_said(slurm, submit, site, plan, tmp_path):
    """A host's array can have whole nodes, and some partitions give nothing else; the report requests one processor."""
    def asked(more, *arguments):
        done = submit("host", "--site", site(more), "--plan", plan(), "--no-build", "--dry-run", *arguments, slurm=slurm)
        assert done.code == 0, done.err
        return done.out, *commands(done.out)

    out, sweep, report = asked("SITE_CPUS=4")
    assert "slices on one node disturb each other's times; SITE_EXCLUSIVE=yes" in out and "--exclusive" not in sweep and "--cpus" not in report
    out, sweep, report = asked("SITE_EXCLUSIVE=yes")
    assert "each of the 4 slices has whole nodes of its own" in out and " --exclusive " in sweep and "--exclusive" not in report
    assert "each of the 4 slices has whole nodes of its own" in asked("SITE_PARTITION=whole")[0]
    assert "parity-job" not in asked("", "--slices", 1)[0]
    run = tmp_path / "run"  # one slice of it is missing
    (run / "log").mkdir(parents=True)
    for name, text in (("settings.txt", f"target=host\nbuild={PARITY.parent}\nslices=3\n"), ("plan.toml", PLAN), ("site.sh", site().read_text()), ("log/build.exit_code", "0"),
                       ("log/sweep-1.exit_code", "0"), ("log/sweep-3.exit_code", "0")):
        (run / name).write_text(text)
    again = submit("--resume", run, "--dry-run", slurm=slurm)
    assert "--array=2 " in again.out and "parity-job" not in again.out, again.out + again.err


def test_names_of_jobs_tell_stage_and_target_in_eight_letters(slurm, submit, site, plan):
    done = submit("p100", "--site", site(HELD), "--plan", plan(), "--slices", 2, "--no-build", slurm=slurm)
    assert sorted(slurm.run("squeue", "-h", "-o", "%.8j").split()) == ["p100-rep", "p100-swe"]
    slurm.run("scancel", *done.jobs.values())


def test_a_program_without_the_targets_gpu_stops(slurm, submit, site, plan):
    for target, lacks in (("p100", "has no CUDA, which p100 needs"), ("mi250", "has no HIP, which mi250 needs")):
        done = submit(target, "--site", site("SITE_GPU_MI250=--constraint=p100"), "--plan", plan(), "--slices", 1, "--no-build", slurm=slurm,
                      PARITY_BUILD=str(PARITY.parent))
        assert slurm.wait(done.jobs["measure"])[""] == ("FAILED", "3:0") and lacks in log_of(done, "measure")
        assert not (done.run / "records.jsonl").exists()


def test_a_program_with_cuda_may_have_no_mpi(tmp_path):
    write_executable(tmp_path / "parity", "#!/bin/sh\necho 'CUDA:   NVIDIA 12.4'\necho 'MPI:    not in this build'\n")
    check = f"source jobs/program.sh; fail() {{ echo \"$2\"; exit $1; }}; dry='' target=p100 build={tmp_path} parity={tmp_path}/parity; need_parity"
    assert subprocess.run(["bash", "-c", check], cwd=ROOT, text=True, capture_output=True).returncode == 0


def test_a_program_of_ones_own_kernels(slurm, submit, site, plan, tmp_path):
    """It replaces parity in every job, and its user builds it."""
    own = write_executable(tmp_path / "my_kernels", f"#!/bin/sh\necho \"$1\" >>{tmp_path}/asked\nexec {gpu_in_name()}/parity \"$@\"\n")
    done = submit("p100", "--site", site(draws=True), "--plan", plan(), "--slices", 2, slurm=slurm, PARITY=str(own))
    assert list(done.jobs) == ["sweep", "report"], done.err
    assert slurm.wait(done.jobs["report"])[""] == ("COMPLETED", "0:0"), log_of(done, "report")
    each_once(done.run, 18)
    assert "<svg" in (done.run / "report.html").read_text() and {"measure", "export", "findings"} <= {*(tmp_path / "asked").read_text().split()}


def test_status(slurm, submit, site, plan, stand_in, tmp_path):
    build = stand_in(f'case "$*" in *--check*|--version) ;; measure*) while [ ! -e {tmp_path}/go ]; do sleep 0.1; done ;; esac\nexec $parity "$@"')
    done = submit("p100", "--site", site(HELD), "--plan", plan(), "--slices", 2, "--no-build", slurm=slurm, PARITY_BUILD=str(build))

    def status():
        said = submit("--status", done.run, slurm=slurm)
        assert said.code == 0 and said.err == "", said.err
        return said.out

    assert "sweep-1        0 of 9 rows  is held: scontrol release" in status() and "report       waits for the job before it" in status()
    slurm.run("scontrol", "release", done.jobs["sweep"])
    slurm.until(lambda: status().count(f" running on {slurm.host} for ") == 2, "both slices")
    (tmp_path / "go").touch()
    slurm.wait(done.jobs["report"])
    assert "sweep-2        9 of 9 rows  done" in status() and status().endswith("18 of 18 rows are done\n")
    (tmp_path / "bin").mkdir()
    write_executable(tmp_path / "bin/squeue", "#!/bin/sh\necho 'slurm_load_jobs error: Unable to contact slurm controller' >&2\nexit 1\n")
    said = submit("--status", done.run, slurm=slurm, PATH=f"{tmp_path}/bin:{os.environ['PATH']}").out
    assert "sweep-1        9 of 9 rows  unknown, the queue does not answer: Unable to contact slurm controller" in said


def test_every_start_is_kept_and_modules_stand_in_the_report(slurm, sbatch, site, plan, tmp_path):
    (tmp_path / "modules/tools").mkdir(parents=True)
    for version in ("1.0", "2.0"):
        (tmp_path / f"modules/tools/{version}").write_text("#%Module1.0\n")
    more = {"MODULEPATH": str(tmp_path / "modules")}
    job = sbatch(slurm, f"--output={tmp_path}/out", "jobs/sweep.sbatch", PARITY_SITE=site("SITE_MODULES=(tools/1.0)", draws=True), PARITY_PLAN=plan(), **more)
    slurm.wait(job)
    run = tmp_path / f"results/host-{job}"
    (run / "site.sh").write_text((run / "site.sh").read_text().replace("tools/1.0", "tools/2.0"))
    again = sbatch(slurm, f"--output={tmp_path}/again", "jobs/sweep.sbatch", run, **more)
    assert slurm.wait(again)[""] == ("COMPLETED", "0:0"), (tmp_path / "again").read_text()
    environment = (run / "environment-measure.txt").read_text()
    assert [line for line in environment.splitlines() if line.startswith("## ")] == [f"## start of job {job}", f"## start of job {again}"]
    assert "Modules</h2><pre>tools/1.0\ntools/2.0\n" in (run / "report.html").read_text()


def test_another_nodes_processor(slurm, submit, site, plan, stand_in):
    """-march=native: a message lists the extensions that this node lacks or has in addition, and explains an illegal instruction."""
    build = stand_in('[ "$1" != measure ] || [[ "$*" = *--check* ]] || kill -ILL $$\nexec $parity "$@"')
    for flags, says in (("sse avx9000", "lacks its avx9000: an illegal instruction may end it"), ("", "was built for Model T and does not use ")):
        (build / "processor.txt").write_text(f"model name\t: Model T\nflags\t\t: {flags}\n")
        done = submit("p100", "--site", site(), "--plan", plan(), "--slices", 1, "--no-build", slurm=slurm, PARITY_BUILD=str(build))
        assert slurm.wait(done.jobs["measure"])[""] == ("FAILED", "3:0")
        log = log_of(done, "measure")
        assert says in log and "met an instruction that " in log and "-DPARITY_NATIVE_ARCH=OFF in SITE_CMAKE" in log, log
    assert "flags" in (PARITY.parent / "processor.txt").read_text(), "a build says its processor"


def test_hardware_threads_are_named(slurm, submit, site, plan):
    two_a_core = "site_setup() { lscpu() { [ \"${1:-}\" != -p=CPU,CORE ] || for k in {0..63}; do echo $k,$((k / 64)); done; }; nproc() { echo 2; }; }"
    done = submit("p100", "--site", site(two_a_core), "--plan", plan(), "--slices", 1, "--no-build", slurm=slurm)
    assert slurm.wait(done.jobs["measure"])[""] == ("COMPLETED", "0:0")
    assert "the 2 processors of this job are hardware threads of 1 cores" in log_of(done, "measure") and "(--hint=nomultithread)" in log_of(done, "measure")


def test_a_build_folder_and_a_home_in_quotes(submit, site, plan, tmp_path):
    done = submit("host", "--site", site("SITE_BUILD_HOST=\"~/b of mine\"\nSITE_RESULTS='~/r'"), "--plan", plan(), "--slices", 1, "--dry-run", HOME=str(tmp_path), PARITY_BUILD="")
    assert f" {tmp_path}/r/host-" in done.out and rf"cmake --preset host -B {tmp_path}/b\ of\ mine " in done.out, done.out + done.err
    done = submit("host", "--site", site(), "--plan", plan(), "--results", "~/x", "--dry-run", HOME=str(tmp_path))
    assert f" {tmp_path}/x/host-" in done.out


def test_an_old_python_is_told(tmp_path):
    write_executable(tmp_path / "old.py", f"import sys, runpy\nsys.version_info = (3, 6, 8)\nsys.argv = ['report.py', 'r.jsonl']\nrunpy.run_path({str(ROOT / 'jobs/report.py')!r}, run_name='__main__')\n")
    done = subprocess.run([sys.executable, tmp_path / "old.py"], text=True, capture_output=True)
    assert done.returncode == 3 and done.stderr.startswith("report: needs Python 3.9 or newer, and this one (") and ") is 3.6: " in done.stderr, done.stderr


def test_what_the_program_says_of_a_plan(plan, tmp_path):
    """--check counts finished results, slice by slice, and needs only the files."""
    def check(*more):
        return subprocess.run([PARITY, "measure", plan(), "--check", *map(str, more)], cwd=tmp_path, text=True, capture_output=True).stdout

    assert check() == check("--output", tmp_path / "none.jsonl") == "6 problems, 18 rows, 0 done\n"
    subprocess.run([PARITY, "measure", plan(), "--slice", "1/3", "--quiet", "--output", tmp_path / "part.jsonl"], stdout=subprocess.DEVNULL)
    assert check("--output", tmp_path / "part.jsonl") == "6 problems, 18 rows, 6 done\n"
    assert check("--output", tmp_path / "part.jsonl", "--slice", "2/3") == "2 problems, 6 rows, 0 done\n"
    lines = (tmp_path / "part.jsonl").read_text().splitlines(keepends=True)
    assert len(rows(tmp_path / "part.jsonl")) == 6
    (tmp_path / "cut.jsonl").write_text("".join(lines[:-2]))
    assert int(check("--output", tmp_path / "cut.jsonl").split()[-2]) < 6
