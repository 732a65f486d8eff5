# SPDX-License-Identifier: BSD-3-Clause
"""The job scripts under a real SLURM: submission, dependencies, arrays, failures, interruption, requeue, resumption."""
import re
import shutil
import signal
import subprocess

import pytest
from conftest import PARITY, PLAN, ROOT, SLOW, SLOW_ROWS, clean_environment, run_submit, write_site
from record_files import key, records, rows
from slurm import Slurm
from timed_plan import hurry, timed_plan

TARGETS = ["host", "p100", "v100", "a100", "h100"]


def all_there(run, plan, stages):
    """A folder of results explains itself."""
    assert (run / "plan.toml").read_text() == plan
    for name in ["records.jsonl", "report.html", "merit.txt", "findings.txt", "site.sh", "settings.sh"]:
        assert (run / name).is_file(), name
    for stage in stages:
        assert (run / f"log/{stage}.exit_code").read_text() == "0\n", (run / f"log/{stage}.txt").read_text()
        environment = (run / f"environment-{stage}.txt").read_text()
        assert "SLURM_JOB_ID=" in environment and "# commit" in environment and "JobState=RUNNING" in environment
        assert f"{stage.replace('-', ' ')} ended with 0" in (run / f"log/{stage}.txt").read_text()
    assert "merit rows - wrong 0 rows" in (run / "merit.txt").read_text()
    assert "<img" in (run / "report.html").read_text()


def each_once(run, count):
    measured = rows(run / "records.jsonl")
    assert len(measured) == count and len({key(r) for r in measured}) == count
    assert all(r["verification"]["passed"] for r in measured)
    return measured


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_by_hand(slurm, sbatch, site, plan, tmp_path, target):
    partition = [] if target == "host" else ["--partition=gpu"]
    job = sbatch(slurm, *partition, "--cpus-per-task=1", f"--output={tmp_path}/out", f"jobs/{target}.sbatch",
                 PARITY_SITE=site(draws=target == "host"), PARITY_PLAN=plan(), MY_SETTING="hidden", PARITY_MIRROR="https://me:hidden@host")
    assert slurm.wait(job) == {"": ("COMPLETED", "0:0")}, (tmp_path / "out").read_text()
    run = tmp_path / f"results/{target}-{job}"
    all_there(run, PLAN, ["measure"])
    each_once(run, 18)
    assert f"results in {run}" in (tmp_path / "out").read_text()
    environment = (run / "environment-measure.txt").read_text()
    assert "hidden" not in environment and ("CUDA_VISIBLE_DEVICES=" in environment) == (target != "host")
    assert slurm.jobs(job)[0].get("TresPerNode", "") == ("" if target == "host" else f"gres:gpu:{target}:1")
    slurm_of = [r["slurm"] for r in records(run / "records.jsonl") if r["type"] == "environment"]
    assert [s["job"] for s in slurm_of] == [job]


def build_options():
    """The options of the tests' own build, so that compiled objects are found again."""
    cache = (PARITY.parent / "CMakeCache.txt").read_text()
    return " ".join(f"-D{k}={v}" for k, v in re.findall(r"^(PARITY_WERROR|CMAKE_CXX_STANDARD):\w+=(\w+)$", cache, re.M))


def test_build_sweep_report(slurm, submit, site, plan, request):
    """The whole way, with a build of its own (as deep as the tests' own, so that ccache finds its objects)."""
    build = PARITY.parent.with_name("build of a job")
    request.addfinalizer(lambda: shutil.rmtree(build, ignore_errors=True))
    file = site((ROOT / "jobs/sites/debian.sh").read_text() + f"\nSITE_CMAKE=({build_options()})\nSITE_CPUS=2\nSITE_BUILD_OPTIONS=(--partition=cpu)",
                draws=True)
    done = submit("host", "--site", file, "--plan", plan(), "--slices", 3, slurm=slurm, PARITY_BUILD=str(build))
    assert done.code == 0, done.err
    assert list(done.jobs) == ["build", "sweep", "report"]
    assert slurm.wait(done.jobs["report"]) == {"": ("COMPLETED", "0:0")}, (done.run / "log/build.txt").read_text()[-3000:]
    assert set(slurm.wait(done.jobs["sweep"]).values()) == {("COMPLETED", "0:0")}
    assert [slurm.jobs(done.jobs[j])[0]["Partition"] for j in done.jobs] == ["cpu", "gpu", "cpu"]
    all_there(done.run, PLAN, ["build", "sweep-1", "sweep-2", "sweep-3", "report"])
    each_once(done.run, 18)
    assert [len(rows(done.run / f"slices/{k}/records.jsonl")) for k in (1, 2, 3)] == [6, 6, 6]
    assert "Parity" in (done.run / "log/build.txt").read_text()
    # Two jobs' results, compared from anywhere.
    compared = subprocess.run([build / "parity", "compare", done.run, done.run], cwd="/", text=True, capture_output=True)
    assert compared.returncode == 0 and "18 rows in common" in compared.stdout
    again = submit("--resume", done.run, slurm=slurm)
    assert again.code == 0 and "nothing is missing" in again.out


def test_a_failed_build_ends_the_chain(slurm, submit, site, plan, tmp_path):
    file = site("site_setup() { [ \"$1\" != p100 ] || export Kokkos_ROOT=/nowhere; }\n")
    done = submit("p100", "--site", file, "--plan", plan(), "--slices", 2, slurm=slurm, PARITY_BUILD=str(tmp_path / "b"))
    assert slurm.wait(done.jobs["report"])[""] == ("FAILED", "3:0")
    assert slurm.wait(done.jobs["build"])[""] == ("FAILED", "3:0")
    assert {state for state, _ in slurm.wait(done.jobs["sweep"]).values()} == {"CANCELLED"}
    assert f"configuring failed; the log says why: {done.run}/log/build.txt" in (done.run / f"log/slurm-build-{done.jobs['build']}.out").read_text()
    said = (done.run / f"log/slurm-report-{done.jobs['report']}.out").read_text()
    assert "slice 1 of 2 did not run to its end" in said and "no slice has measured anything" in said


def test_one_slice_is_one_job(slurm, submit, site, plan):
    done = submit("v100", "--site", site(), "--plan", plan(), "--slices", 1, "--no-build", slurm=slurm)
    assert list(done.jobs) == ["measure"] and slurm.wait(done.jobs["measure"])[""] == ("COMPLETED", "0:0")
    assert slurm.jobs(done.jobs["measure"])[0]["TresPerNode"] == "gres:gpu:v100:1"
    all_there(done.run, PLAN, ["measure"])
    each_once(done.run, 18)


@pytest.mark.parametrize("request_,tres,features", [
    ("--constraint=p100", "", "p100"),
    ("'--gres=gpu:1 --constraint=p100'", "gres:gpu:1", "p100"),
    ("--gpus=p100:1", "", "(null)"),
])
@pytest.mark.parametrize("slices", [1, 2])
def test_ways_to_ask_for_a_gpu(slurm, submit, site, plan, request_, tres, features, slices):
    done = submit("p100", "--site", site(f"SITE_GPU_P100={request_}\nSITE_GPU_V100=--nonsense"), "--plan", plan(), "--slices", slices,
                  "--no-build", slurm=slurm)
    assert done.code == 0, done.err
    measuring = done.jobs["measure" if slices == 1 else "sweep"]
    assert set(slurm.wait(measuring).values()) == {("COMPLETED", "0:0")}
    job = slurm.jobs(measuring)[0]
    assert (job.get("TresPerNode", ""), job["Features"]) == (tres, features)
    assert job.get("TresPerJob", "") == ("gres:gpu:p100:1" if "gpus" in request_ else "")


@pytest.mark.parametrize("code", [1, 3])
def test_a_failing_slice_is_reported_and_the_rest_kept(slurm, submit, site, plan, stand_in, code):
    """Slice 2 ends with an exit code of its own; after 3 it has only some of its rows, and resuming adds the others."""
    build = stand_in(f"""
for word in "$@"; do if [ "$word" = 2/3 ] && [ ! -e "{{here}}/mended" ]; then
  $parity measure "$2" --slice 2/6 --quiet --resume --output "${{@: -1}}"
  exit {code}
fi; done
exec $parity "$@"
""".replace("{here}", str(site().parent)))
    done = submit("p100", "--site", site(), "--plan", plan(), "--slices", 3, "--no-build", slurm=slurm, PARITY_BUILD=str(build))
    assert slurm.wait(done.jobs["report"])[""] == ("FAILED", f"{code}:0")
    assert slurm.wait(done.jobs["sweep"]) == {"1": ("COMPLETED", "0:0"), "2": ("FAILED", f"{code}:0"), "3": ("COMPLETED", "0:0")}
    said = (done.run / f"log/slurm-report-{done.jobs['report']}.out").read_text()
    assert ("slice 2 of 3 has rows that failed" if code == 1 else "slice 2 of 3 ended with 3") in said
    assert "slice 1" not in said and "slice 3" not in said
    assert len(each_once(done.run, 15)) == 15 and (done.run / "report.html").exists()
    (site().parent / "mended").touch()
    again = submit("--resume", done.run, slurm=slurm)
    assert list(again.jobs) == ["sweep", "report"] and "--array=2 " in again.out
    assert slurm.wait(again.jobs["report"])[""] == ("COMPLETED", "0:0")
    all_there(done.run, PLAN, ["sweep-1", "sweep-2", "sweep-3", "report"])
    each_once(done.run, 18)


def wait_for_rows(slurm, file, count):
    slurm.until(lambda: file.exists() and file.read_text().count('"measurement"') >= count, f"{count} rows in {file}")


def complete_lines(file):
    return [line for line in file.read_text().splitlines(keepends=True) if line.endswith("\n")]


@pytest.mark.parametrize("slices", [1, 2])
def test_killed_half_way_and_resumed(slurm, submit, site, plan, slices):
    # Only one job at a time gets the V100; with a constraint an array's tasks run side by side.
    file = site("SITE_GPU_V100=--constraint=v100" if slices > 1 else "")
    done = submit("v100", "--site", file, "--plan", plan(SLOW), "--slices", slices, "--no-build", slurm=slurm)
    job = done.jobs["measure" if slices == 1 else "sweep"]
    parts = [done.run / "records.jsonl"] if slices == 1 else [done.run / f"slices/{k}/records.jsonl" for k in (1, 2)]
    for part in parts:
        wait_for_rows(slurm, part, 3)
    slurm.run("scancel", "--full", "--signal=KILL", job)
    assert "COMPLETED" not in {state for state, _ in slurm.wait(job).values()}
    before = [complete_lines(part) for part in parts]
    assert all(3 <= sum('"measurement"' in line for line in lines) < SLOW_ROWS / slices for lines in before)
    if slices > 1:
        assert slurm.wait(done.jobs["report"])[""][0] == "FAILED"
        assert len(rows(done.run / "records.jsonl")) == sum('"measurement"' in line for lines in before for line in lines)
    hurry(done.run / "plan.toml")
    again = submit("--resume", done.run, slurm=slurm)
    assert again.code == 0, again.err
    last = again.jobs["measure" if slices == 1 else "report"]
    assert slurm.wait(last)[""] == ("COMPLETED", "0:0")
    for part, lines in zip(parts, before):
        assert complete_lines(part)[: len(lines)] == lines
    each_once(done.run, SLOW_ROWS)


def test_a_requeued_job_goes_on(slurm, submit, site, plan):
    done = submit("v100", "--site", site(), "--plan", plan(SLOW), "--slices", 1, "--no-build", slurm=slurm)
    job, part = done.jobs["measure"], done.run / "records.jsonl"
    wait_for_rows(slurm, part, 3)
    hurry(done.run / "plan.toml")  # read at the next start
    slurm.run("scontrol", "requeue", job)
    slurm.until(lambda: slurm.states(job) == ["PENDING"], "the queue")
    before = complete_lines(part)
    assert slurm.wait(job)[""] == ("COMPLETED", "0:0")
    assert complete_lines(part)[: len(before)] == before
    each_once(done.run, SLOW_ROWS)
    assert slurm.jobs(job)[0]["Restarts"] == "1"
    assert ", start 2" in (done.run / "log/measure.txt").read_text()


# SLURM looks at time limits every 30 s, and sends a signal up to 30 s early. With a limit of one minute this notice comes from
# 10 to 40 s after the start: after some rows of a second or two, and before the end of 48 s of them.
NOTICE = "SITE_OPTIONS=(--signal=B:USR1@20)"


@pytest.fixture(scope="module")
def near_their_limits(slurm, tmp_path_factory):
    """Three submissions that wait for their time limits side by side; the names of the tests that look at them."""
    started = {}

    def start(name, target, more, text, *arguments):
        folder = tmp_path_factory.mktemp(name)
        (folder / "plan.toml").write_text(text)
        write_site(folder, more)
        started[name] = run_submit(clean_environment(), target, "--site", folder / "site.sh", "--plan", folder / "plan.toml",
                                   "--no-build", *arguments, slurm=slurm)
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
        k, restarts = task["ArrayTaskId"], int(task["Restarts"])
        log = (done.run / f"log/sweep-{k}.txt").read_text()
        # Each start but the last was ended by its limit: a finished task is not started again.
        assert restarts >= 1 and log.count("goes back into the queue") == restarts and log.count(" ended with ") == 1
        assert "parity: stopped by signal 15" in log
        assert "DUE TO TIME LIMIT" not in "".join(f.read_text() for f in (done.run / "log").glob(f"slurm-sweep-*_{k}.out"))
    each_once(done.run, 96)


def test_a_time_limit_without_requeue(slurm, near_their_limits):
    done = near_their_limits["no_requeue"]
    assert slurm.wait(done.jobs["measure"])[""] == ("FAILED", "143:0")
    assert f"go on with: jobs/submit.sh --resume {done.run}" in (done.run / f"log/slurm-measure-{done.jobs['measure']}.out").read_text()
    assert 0 < len(rows(done.run / "records.jsonl")) < 96


def test_a_time_limit_before_the_first_row(slurm, near_their_limits):
    done = near_their_limits["no_row"]
    assert slurm.wait(done.jobs["measure"])[""] == ("FAILED", "143:0")
    assert slurm.jobs(done.jobs["measure"])[0]["Restarts"] == "0"
    assert "before a single row was finished; ask for more time" in (done.run / f"log/slurm-measure-{done.jobs['measure']}.out").read_text()


def test_cancelled_by_its_user(slurm, submit, site, plan):
    done = submit("p100", "--site", site(), "--plan", plan(SLOW), "--slices", 1, "--no-build", slurm=slurm)
    wait_for_rows(slurm, done.run / "records.jsonl", 2)
    early = submit("--resume", done.run, slurm=slurm)
    assert early.code == 2 and f"job {done.jobs['measure']} of {done.run} is still in the queue" in early.err
    slurm.run("scancel", done.jobs["measure"])
    assert slurm.wait(done.jobs["measure"])[""][0] == "CANCELLED"
    slurm.until(lambda: (done.run / "log/measure.exit_code").exists(), "the job's end")
    log = (done.run / "log/measure.txt").read_text()
    assert (done.run / "log/measure.exit_code").read_text() == "143\n" and "--resume" in log
    assert (done.run / "records.jsonl").read_text().endswith("\n")
    dry = submit("--resume", done.run, "--dry-run", "--time", "9", slurm=slurm)
    assert dry.code == 0 and "--time=9" in dry.out and f"jobs/p100.sbatch {done.run}" in dry.out 
    slurm.until(lambda: slurm.run("squeue", "-h") == "", "an empty queue")


def test_an_array_by_hand(slurm, sbatch, site, plan, tmp_path):
    job = sbatch(slurm, "--array=1-2", "--cpus-per-task=1", f"--output={tmp_path}/out-%a", "jobs/sweep.sbatch", PARITY_SITE=site(), PARITY_PLAN=plan())
    assert set(slurm.wait(job).values()) == {("COMPLETED", "0:0")}, (tmp_path / "out-1").read_text()
    run = tmp_path / f"results/host-{job}"
    report = sbatch(slurm, f"--output={tmp_path}/out", "jobs/report.sbatch", run)
    assert slurm.wait(report)[""] == ("COMPLETED", "0:0")
    all_there(run, PLAN, ["sweep-1", "sweep-2", "report"])
    each_once(run, 18)
    lost = sbatch(slurm, "--array=2", f"--output={tmp_path}/lost", "jobs/sweep.sbatch", PARITY_SITE=site(), PARITY_PLAN=plan())
    assert slurm.wait(lost)["2"] == ("FAILED", "2:0") and "jobs/sweep.sbatch RUN" in (tmp_path / "lost").read_text()


def test_without_slurm(env, site, plan, tmp_path):
    """On a machine of one's own the script runs as it is."""
    done = subprocess.run(["bash", "jobs/host.sbatch"], cwd=ROOT, text=True, capture_output=True,
                          env=dict(env, PARITY_SITE=str(site()), PARITY_PLAN=str(plan())))
    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = (tmp_path / "results").iterdir()
    each_once(run, 18)
    assert "ended with 0" in done.stdout


def test_names_that_are_not_ascii(env, submit, site, plan, tmp_path):
    """Batch nodes often have no locale but C."""
    locale = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    file = site(f"SITE_RESULTS={tmp_path}/größe\nsite_setup() {{ export VIRTUAL_ENV=größe; }}", name="ort.sh")
    dry = submit("host", "--site", file, "--plan", plan(), "--dry-run", **locale)
    assert dry.code == 0 and f"'{tmp_path}/größe/host-" in dry.out, dry.err
    done = subprocess.run(["bash", "jobs/host.sbatch"], cwd=ROOT, text=True, capture_output=True,
                          env=dict(env, PARITY_SITE=str(file), PARITY_PLAN=str(plan()), **locale))
    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = (tmp_path / "größe").iterdir()
    assert f"results in {run}" in done.stdout and "VIRTUAL_ENV=größe" in (run / "environment-measure.txt").read_text()
    refused = submit("host", "--site", "größe.sh", **locale)
    assert refused.code == 2 and "does not exist" in refused.err and refused.err.count("\n") == 1
    again = submit("--resume", run, **locale)
    assert again.code == 0 and f"nothing is missing in {run}" in again.out


def test_a_signal_without_slurm(env, site, plan, tmp_path):
    """As a batch system of another kind might send it: finished rows are kept, and the same folder goes on."""
    env = dict(env, OMP_NUM_THREADS="1")  # two threads would wait for each other on a busy machine
    with subprocess.Popen(["bash", "jobs/host.sbatch"], cwd=ROOT, env=dict(env, PARITY_SITE=str(site()), PARITY_PLAN=str(plan(SLOW))),
                          stdout=subprocess.PIPE, text=True) as job:
        assert "log" in job.stdout.readline()
        (run,) = (tmp_path / "results").glob("host-*")
        Slurm.until(lambda: len(complete_lines(run / "records.jsonl")) > 3 if (run / "records.jsonl").exists() else False, "three rows")
        job.send_signal(signal.SIGUSR1)
        said = job.stdout.read()
    assert job.returncode == 143 and f"go on with: jobs/submit.sh --resume {run}" in said
    before = complete_lines(run / "records.jsonl")
    hurry(run / "plan.toml")
    done = subprocess.run(["bash", "jobs/host.sbatch", run], cwd=ROOT, text=True, capture_output=True, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    assert complete_lines(run / "records.jsonl")[: len(before)] == before
    each_once(run, SLOW_ROWS)


def test_every_script_is_strict_and_known():
    scripts = sorted(p.stem for p in (ROOT / "jobs").glob("*.sbatch"))
    assert scripts == sorted([*TARGETS, "build", "profile", "report", "sweep"])
    for script in scripts:
        text = (ROOT / f"jobs/{script}.sbatch").read_text()
        assert "\nset -euo pipefail\n" in text, script
        if script in [*TARGETS, "sweep"]:
            assert "--signal=B:USR1@" in text and "--requeue" in text and "--open-mode=append" in text, script


def test_scripts_differ_in_their_options_alone():
    """Beside SLURM's options, comments and the names of target and stage."""
    bodies = set()
    for script in (ROOT / "jobs").glob("*.sbatch"):
        lines = [line for line in script.read_text().splitlines() if not line.startswith("#")]
        words = lines[-1].split()
        target, stage = (script.stem, "measure") if script.stem in TARGETS else ("-", script.stem)
        assert words[:5] == ["exec", "bash", "jobs/job.sh", target, stage]
        bodies.add("\n".join([*lines[:-1], *words[5:]]))
    assert len(bodies) == 1
