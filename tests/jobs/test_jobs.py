# SPDX-License-Identifier: BSD-3-Clause
"""The job scripts under a real SLURM: submission, dependencies, failures, interruption, requeue, resumption. test_readme.py builds, and submits by hand."""
import re
import signal
import subprocess

import pytest
from conftest import PLAN, ROOT, SLOW, SLOW_ROWS, complete_lines, each_once, log_of, run_submit, wait_for_rows, write_site
from record_files import hurry, records, rows, timed_plan
from slurm import Slurm
from test_submit import commands, lines_of


def all_there(run, plan, stages):
    """Checks that a folder of results explains itself."""
    assert (run / "plan.toml").read_text() == plan
    for name in ["records.jsonl", "report.html", "merit.txt", "findings.txt", "site.sh", "settings.txt"]:
        assert (run / name).is_file(), name
    for stage in stages:
        assert (run / f"log/{stage}.exit_code").read_text() == "0\n"
        environment = (run / f"environment-{stage}.txt").read_text()
        assert "SLURM_JOB_ID=" in environment and "# commit" in environment and "hid" not in environment, environment
    assert "merit rows - wrong 0 rows" in (run / "merit.txt").read_text()
    assert "<svg" in (run / "report.html").read_text()


def test_by_hand(slurm, sbatch, site, plan, stand_in, tmp_path):
    """One job measures and reports. No possibly secret part of its environment is kept."""
    build = stand_in("[ \"$1\" != --version ] || echo built from https://me:hid@host/parity.git\nexec $parity \"$@\"")
    job = sbatch(slurm, "--partition=gpu", "--gres=gpu:v100:1", "--cpus-per-task=1", f"--output={tmp_path}/out", "jobs/sweep.sbatch", PARITY_TARGET="v100",
                 PARITY_SITE=site(draws=True), PARITY_PLAN=plan(), PARITY_BUILD=build, MY_SETTING="hid", LOADEDMODULES="gcc/12:https://me:hid@host/m")
    assert slurm.wait(job) == {"": ("COMPLETED", "0:0")}, (tmp_path / "out").read_text()
    run = tmp_path / f"results/v100-{job}"
    all_there(run, PLAN, ["measure", "report"])
    each_once(run, 18)
    assert "measure ended with 0 after" in (tmp_path / "out").read_text()
    environment = (run / "environment-measure.txt").read_text()
    assert "CUDA_VISIBLE_DEVICES=" in environment and "built from https://host/parity.git\n" in environment
    assert [r["slurm"]["job"] for r in records(run / "records.jsonl") if r["type"] == "environment"] == [job]


def reduced(plan):
    """The plan with small problems and few samples: a processor replaces the GPU."""
    smaller = {"16, 16, 64": "8, 8, 2", "32, 32, 64": "12, 12, 2", "64, 64, 64": "16, 16, 2", "128, 128, 64": "20, 20, 2", "256, 256, 64": "24, 24, 2", "512, 512, 64": "28, 28, 2"}
    plan = re.sub(r"\[(\d+, \d+, 64)\]", lambda m: f"[{smaller[m[1]]}]", plan)
    plan = plan.replace("1025", "9").replace("[1, 5, 17, 65, 257]", "[1, 3, 5]").replace("repeats = 6", "repeats = 3").replace("time_cap = 10", "time_cap = 0.1")
    return re.sub(r"^(n|launches) = \[(.*)\]", lambda m: f"{m[1]} = [{', '.join(str(int(v) // 50 + 50) for v in m[2].split(', '))}]", plan, flags=re.M)


def test_the_default_plan_answers_the_three_original_works(slurm, submit, site, plan):
    """One submission of the default plan: the report has the tables of each work, with the published values."""
    dry = submit("v100", "--site", site(), "--no-build", "--dry-run", slurm=slurm)
    assert "plan jobs/plans/cluster.toml" in dry.out
    done = submit("v100", "--site", site(draws=True), "--plan", plan(reduced((ROOT / "jobs/plans/cluster.toml").read_text())), "--slices", 1, "--no-build",
                  slurm=slurm)
    assert slurm.wait(list(done.jobs.values())[-1])[""] == ("COMPLETED", "0:0"), (done.run / "log/measure.txt").read_text()
    measured = rows(done.run / "records.jsonl")
    assert {r["study"] for r in measured} == {"diffusion", "kde", "launch"} and all(r["verification"]["passed"] for r in measured)
    page, findings = (done.run / "report.html").read_text(), (done.run / "findings.txt").read_text()
    for words in ("Grid size from which a kernel beats", "published for the baseline: 65 in section 3.1, about 50", "kokkos-fused+kokkos-graph-unrolled", "kokkos-direct", "kokkos-kernel"):
        assert words in page, words
    for words in ("published (V100, CUDA 10; bars without numbers)", "published: 30 over CuPy on a P100", "cuda-original-fixed"):
        assert " ".join(words.split()) in " ".join(findings.split()), words


def test_a_failed_build_ends_the_chain(slurm, submit, site, plan, tmp_path):
    file = site("site_setup() { [ \"$1\" != p100 ] || export Kokkos_ROOT=/nowhere; }\n")
    done = submit("p100", "--site", file, "--plan", plan(), "--slices", 2, slurm=slurm, PARITY_BUILD=str(tmp_path / "b"))
    assert slurm.wait(done.jobs["report"])[""] == slurm.wait(done.jobs["build"])[""] == ("FAILED", "3:0")
    assert {state for state, _ in slurm.wait(done.jobs["sweep"]).values()} == {"CANCELLED"}
    assert "parity-job: configuring failed" in log_of(done, "build")
    said = log_of(done, "report")
    assert f"the build (job {done.jobs['build']}) ended with 3 (log/build.txt), so nothing was measured; go on with: jobs/submit.sh --resume {done.run}" in said
    assert "sweep-1.txt" not in said


@pytest.mark.parametrize("slices", [1, 2])
def test_a_submission_does_what_the_dry_run_printed(slurm, submit, site, plan, tmp_path, slices):
    """Also in a folder with a space in its name and letters that SLURM replaces in file names."""
    arguments = ["p100", "--site", site("SITE_BUILD_OPTIONS=(--partition=cpu)"), "--plan", plan(), "--slices", slices, "--no-build",
                 "--results", tmp_path / "50%u my%%j results%"]
    dry, real = submit(*arguments, "--dry-run", slurm=slurm), submit(*arguments, slurm=slurm)
    assert commands(real.out) == commands(dry.out) == commands((real.run / "submission.txt").read_text())
    assert slurm.wait(list(real.jobs.values())[-1])[""] == ("COMPLETED", "0:0")
    each_once(real.run, 18)
    for what in ["measure"] if slices == 1 else ["sweep", "report"]:
        ran = [re.sub(r"-\d{8}-\d{6}", "-TIME", line[2:]) for line in log_of(real, what + "-2" * (what == "sweep")).splitlines() if line.startswith("+ ")]
        printed = [line.replace("/K", "/2").replace(" K/", " 2/") for line in lines_of("\n" + dry.out, what)][1:]
        first = 1 if what == "report" else 0  # the report names the slices one by one
        assert ran[first:len(printed)] == printed[first:] and len(printed) > first


@pytest.mark.parametrize("code", [1, 3])
def test_a_failing_slice_is_reported_and_the_rest_kept(slurm, submit, site, plan, stand_in, code):
    """Slice 2 exits with this code; after 3 it has only some of its results, and resuming adds the others."""
    build = stand_in(f"""
for word in "$@"; do if [ "$word" = 2/3 ] && [ ! -e "{site().parent}/mended" ]; then
  $parity measure "$2" --slice 2/6 --quiet --resume --output "${{@: -1}}"
  exit {code}
fi; done
exec $parity "$@"
""")
    done = submit("p100", "--site", site(), "--plan", plan(), "--slices", 3, "--no-build", slurm=slurm, PARITY_BUILD=str(build))
    assert slurm.wait(done.jobs["report"])[""] == ("FAILED", "1:0" if code == 1 else "4:0")
    assert slurm.wait(done.jobs["sweep"]) == {"1": ("COMPLETED", "0:0"), "2": ("FAILED", f"{code}:0"), "3": ("COMPLETED", "0:0")}
    said = log_of(done, "report")
    assert ("slice 2 of 3 has rows that failed" if code == 1 else "slice 2 of 3 ended with 3") in said and "slice 1" not in said
    each_once(done.run, 15)
    assert (done.run / "report.html").exists()
    (site().parent / "mended").touch()
    again = submit("--resume", done.run, slurm=slurm)
    assert list(again.jobs) == ["sweep", "report"] and "--array=2 " in again.out
    assert slurm.wait(again.jobs["report"])[""] == ("COMPLETED", "0:0")
    all_there(done.run, PLAN, ["sweep-1", "sweep-2", "sweep-3", "report"])
    each_once(done.run, 18)


@pytest.mark.parametrize("slices", [1, 2])
def test_killed_half_way_and_resumed(slurm, submit, site, plan, slices):
    # Only one job at a time gets the V100; with a constraint an array's tasks run in parallel.
    file = site("SITE_GPU_V100=--constraint=v100" if slices > 1 else "")
    done = submit("v100", "--site", file, "--plan", plan(SLOW), "--slices", slices, "--no-build", slurm=slurm)
    job = done.jobs["measure" if slices == 1 else "sweep"]
    parts = [done.run / "records.jsonl"] if slices == 1 else [done.run / f"slices/{k}/records.jsonl" for k in (1, 2)]
    for part in parts:
        wait_for_rows(slurm, part, 3)
    slurm.run("scancel", "--full", "--signal=KILL", job)
    assert "COMPLETED" not in {state for state, _ in slurm.wait(job).values()}
    before = [complete_lines(part) for part in parts]
    if slices > 1:
        assert slurm.wait(done.jobs["report"])[""][0] == "FAILED"
        assert len(rows(done.run / "records.jsonl")) == sum('"measurement"' in line for lines in before for line in lines) < SLOW_ROWS
    hurry(done.run / "plan.toml")
    again = submit("--resume", done.run, slurm=slurm)
    assert slurm.wait(again.jobs["measure" if slices == 1 else "report"])[""] == ("COMPLETED", "0:0"), again.err
    for part, lines in zip(parts, before):
        assert complete_lines(part)[: len(lines)] == lines
    each_once(done.run, SLOW_ROWS)


# SLURM checks time limits every 30 s, and sends a signal up to 30 s early. With a limit of one minute this notice comes
# 10 to 40 s after the start: after some results of a second or two, and before the end of 48 s of them.
NOTICE = "SITE_OPTIONS=(--signal=B:USR1@20)"


@pytest.fixture(scope="module")
def near_their_limits(slurm, tmp_path_factory):
    """Three submissions that wait for their time limits in parallel; the names of the tests that check them."""
    started = {}

    def start(name, target, more, text, *arguments):
        folder = tmp_path_factory.mktemp(name)
        (folder / "plan.toml").write_text(text)
        write_site(folder, more)
        started[name] = run_submit(target, "--site", folder / "site.sh", "--plan", folder / "plan.toml", "--no-build", *arguments, slurm=slurm)
        assert started[name].code == 0, started[name].err

    start("goes_on", "p100", f"SITE_GPU_P100=--constraint=p100\n{NOTICE}", timed_plan(48, 2, steps=100), "--slices", 2, "--time", "00:01:00")
    start("no_requeue", "v100", f"SITE_REQUEUE=no\n{NOTICE}", timed_plan(48, 1, steps=100), "--slices", 1, "--time", "1")
    # One problem takes an hour.
    start("no_row", "a100", NOTICE, timed_plan(1, 3600, steps=8000), "--slices", 1, "--time", "1")
    return started


def test_a_time_limit_ends_cleanly_and_the_job_goes_on(slurm, near_their_limits):
    done = near_their_limits["goes_on"]
    logs = [done.run / f"log/sweep-{k}.txt" for k in (1, 2)]
    slurm.until(lambda: all(log.exists() and "goes back into the queue" in log.read_text() for log in logs), "the notice")
    hurry(done.run / "plan.toml")
    assert slurm.wait(done.jobs["report"])[""] == ("COMPLETED", "0:0")
    assert set(slurm.wait(done.jobs["sweep"]).values()) == {("COMPLETED", "0:0")}
    for task in slurm.jobs(done.jobs["sweep"]):
        log, restarts = log_of(done, "sweep-" + task["ArrayTaskId"]), int(task["Restarts"])
        # The limit ended every start but the last: a finished task is not started again.
        assert restarts >= 1 and log.count("goes back into the queue") == restarts and log.count(" ended with ") == 1
        assert "parity: stopped by signal 15" in log and "DUE TO TIME LIMIT" not in log
    each_once(done.run, 96)


def test_a_time_limit_without_requeue(slurm, near_their_limits):
    done = near_their_limits["no_requeue"]
    assert slurm.wait(done.jobs["measure"])[""] == ("FAILED", "143:0")
    assert f"go on with: jobs/submit.sh --resume {done.run}" in log_of(done, "measure")
    assert 0 < len(rows(done.run / "records.jsonl")) < 96


def test_a_time_limit_before_the_first_row(slurm, near_their_limits):
    done = near_their_limits["no_row"]
    assert slurm.wait(done.jobs["measure"])[""] == ("FAILED", "143:0")
    assert slurm.jobs(done.jobs["measure"])[0]["Restarts"] == "0"
    assert "before a single row was finished; ask for more time" in log_of(done, "measure")


def test_cancelled_by_its_user(slurm, submit, site, plan):
    done = submit("p100", "--site", site(), "--plan", plan(SLOW), "--slices", 1, "--no-build", slurm=slurm)
    wait_for_rows(slurm, done.run / "records.jsonl", 2)
    early = submit("--resume", done.run, slurm=slurm)
    assert early.code == 2 and f"job {done.jobs['measure']} of {done.run} is still in the queue" in early.err
    slurm.run("scancel", done.jobs["measure"])
    assert slurm.wait(done.jobs["measure"])[""][0] == "CANCELLED"
    code = done.run / "log/measure.exit_code"
    slurm.until(lambda: code.exists() and code.read_text(), "the job's end")
    assert code.read_text() == "143\n" and "--resume" in log_of(done, "measure")
    assert (done.run / "records.jsonl").read_text().endswith("\n")
    slurm.until(lambda: slurm.run("squeue", "-h") == "", "an empty queue")


def test_a_signal_without_slurm(env, site, plan, tmp_path):
    """Without SLURM the script runs as it is. Finished results are kept, and a second call continues in the same folder."""
    env = dict(env, OMP_NUM_THREADS="1")  # two threads would wait for each other on a busy machine
    with subprocess.Popen(["bash", "jobs/sweep.sbatch"], cwd=ROOT, env=dict(env, PARITY_SITE=str(site()), PARITY_PLAN=str(plan(SLOW))),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as job:
        assert "results in" in job.stdout.readline()
        (run,) = (tmp_path / "results").glob("host-*")
        wait_for_rows(Slurm, run / "records.jsonl", 3)
        job.send_signal(signal.SIGUSR1)
        said = job.stdout.read()
    assert job.returncode == 143 and f"go on with: jobs/submit.sh --resume {run}" in said
    before = complete_lines(run / "records.jsonl")
    hurry(run / "plan.toml")
    done = subprocess.run(["bash", "jobs/sweep.sbatch", run], cwd=ROOT, text=True, capture_output=True, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    assert complete_lines(run / "records.jsonl")[: len(before)] == before
    each_once(run, SLOW_ROWS)


def test_a_signal_while_the_site_is_entered(env, site, plan, tmp_path):
    """Measuring does not begin: the notice of the time limit came before the first result."""
    file = site(f"site_setup() {{ touch {tmp_path}/entered; while [ ! -e {tmp_path}/go ]; do sleep 0.1; done; }}")
    with subprocess.Popen(["bash", "jobs/sweep.sbatch"], cwd=ROOT, env=dict(env, PARITY_SITE=str(file), PARITY_PLAN=str(plan())),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as job:
        Slurm.until(lambda: (tmp_path / "entered").exists(), "site_setup")
        job.send_signal(signal.SIGUSR1)
        (tmp_path / "go").touch()
        said = job.stdout.read()
    (run,) = (tmp_path / "results").iterdir()
    assert job.returncode == 143 and "before a single row was finished" in said and not (run / "records.jsonl").exists()
    assert (run / "log/measure.exit_code").read_text() == "143\n"
