# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of several tasks: what a dry run prints, what starts the ranks, time limits, ends and resumption. The two nodes are one machine."""
import os
import pathlib
import re
import signal
import stat
import subprocess

import pytest
from conftest import PARITY, ROOT
from record_files import key, records, rows
from slurm import Slurm
from timed_plan import hurry, timed_plan

VERSION = subprocess.run([PARITY, "--version"], text=True, capture_output=True).stdout
needs_mpi = pytest.mark.skipif("not in this build" in VERSION.partition("MPI:")[2], reason="this build has no MPI")
# As root, with more ranks than cores, and without networks or shared memory that two nodes would take for their own.
ONE_MACHINE = """
SITE_PARTITION=two
site_setup() {
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
  export OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
}
"""
PLAN = """
variants = ["openmp-plane", "openmp-fused-exchange"]
[axes]
size = [[20, 12, 4], [33, 17, 5]]
steps = [4]
ranks_z = [1, 2]
[measure]
repeats = 3
"""


def shared(text):
    """A plan whose problems two ranks share."""
    return text.replace("[axes]\n", "[axes]\nranks_z = [2]\n")


def each_once(run, count):
    measured = rows(run / "records.jsonl")
    assert len(measured) == count and len({key(r) for r in measured}) == count
    assert all(r["verification"]["passed"] and r["problem"]["ranks_z"] == 2 and len(r["starts"]) == 1 for r in measured)
    assert {e["ranks"] for e in records(run / "records.jsonl") if e["type"] == "environment"} == {2}


def said(run, text):
    return [line for line in (run / "log/measure.txt").read_text().splitlines() if text in line]


@needs_mpi
def test_two_nodes_go_on_after_their_time_limit(slurm, submit, site, plan):
    """One plan, one folder: nothing is lost, and nothing is there twice."""
    # SLURM looks at limits every 30 s: the notice comes from 70 to 100 s after the start, when less than half of the plan's 300 s are over.
    file = plan(shared(timed_plan(50, 6, steps=100)))
    # On two nodes that are one machine PMIx works now and then.
    file_of_site = site(ONE_MACHINE + "SITE_OPTIONS=(--signal=B:USR1@20)\nSITE_MPI=mpirun\n")
    done = submit("host", "--site", file_of_site, "--plan", file, "--slices", 1, "--no-build", "--nodes", 2, "--time", "2", slurm=slurm)
    assert done.code == 0, done.err
    slurm.until(lambda: said_so_far(done.run, "goes back into the queue") or (done.run / "log/measure.exit_code").exists(), "the notice")
    assert said(done.run, "goes back into the queue"), (done.run / "log/measure.txt").read_text()
    before = (done.run / "records.jsonl").read_text().splitlines(keepends=True)
    hurry(done.run / "plan.toml")
    assert slurm.wait(done.jobs["measure"])[""] == ("COMPLETED", "0:0"), (done.run / "log/measure.txt").read_text()
    job = slurm.jobs(done.jobs["measure"])[0]
    assert int(job["Restarts"]) >= 1 and job["NumNodes"] == "2" and job["NumTasks"] == "2"
    each_once(done.run, 100)
    after = (done.run / "records.jsonl").read_text().splitlines(keepends=True)
    whole = [line for line in before if line.endswith("\n")]
    assert after[:len(whole)] == whole and len(whole) > 1, "finished rows are kept"
    assert all("2 tasks on 2 nodes, by " in line for line in said(done.run, "tasks on")) and len(said(done.run, "tasks on")) == int(job["Restarts"]) + 1


def said_so_far(run, text):
    return (run / "log/measure.txt").exists() and said(run, text)


def ranks_of(run):
    """Processes that measure in this folder."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_text().split("\0")
        except OSError:
            continue
        if words[0] == str(PARITY) and "measure" in words and any(str(run) in word for word in words):
            found.append(int(folder.name))
    return found


@needs_mpi
def test_ranks_that_are_killed_are_measured_later(slurm, submit, site, plan):
    """A launcher's code is no failed check; --resume measures the rest with the same nodes."""
    file = plan(shared(timed_plan(40, 1, steps=100)))
    done = submit("host", "--site", site(ONE_MACHINE), "--plan", file, "--slices", 1, "--no-build", "--tasks", 2, slurm=slurm)
    assert done.code == 0, done.err
    slurm.until(lambda: (done.run / "records.jsonl").exists() and len(rows_so_far(done.run)) >= 2, "two rows")
    steps = [s for s in slurm.run("squeue", "-h", "-s", "-j", done.jobs["measure"], "-o", "%i").split() if s.split(".")[1].isdigit()]
    if steps:
        slurm.run("scancel", "--signal=KILL", *steps)
    else:  # by mpirun, whose ranks are no steps
        for pid in ranks_of(done.run):
            os.kill(pid, signal.SIGKILL)
    state, code = slurm.wait(done.jobs["measure"])[""]
    assert state == "FAILED" and int(code.split(":")[0]) > 2, (code, (done.run / "log/measure.txt").read_text())
    hurry(done.run / "plan.toml")
    again = submit("--resume", done.run, slurm=slurm)
    assert again.code == 0 and "--nodes=1 --ntasks=2 --ntasks-per-node=2" in again.out, (again.out, again.err)
    assert slurm.wait(again.jobs["measure"])[""] == ("COMPLETED", "0:0"), (done.run / "log/measure.txt").read_text()
    each_once(done.run, 80)


@needs_mpi
def test_tasks_are_told_to_end_before_they_are_killed(slurm, submit, site, plan):
    """srun would kill them for a signal of its own. The notice of a time limit ends them, and the job goes on."""
    done = submit("host", "--site", site(ONE_MACHINE), "--plan", plan(shared(timed_plan(40, 1, steps=100))), "--slices", 1, "--no-build", "--tasks", 2,
                  slurm=slurm)
    slurm.until(lambda: (done.run / "records.jsonl").exists() and len(rows_so_far(done.run)) >= 2, "two rows")
    slurm.run("scancel", "--batch", "--signal=USR1", done.jobs["measure"])
    slurm.until(lambda: said(done.run, "goes back into the queue") or (done.run / "log/measure.exit_code").exists(), "the notice")
    hurry(done.run / "plan.toml")
    assert slurm.wait(done.jobs["measure"])[""] == ("COMPLETED", "0:0"), (done.run / "log/measure.txt").read_text()
    assert len(said(done.run, "parity: stopped by signal 15 (terminate); ")) == 1 and len(said(done.run, "goes back into the queue")) == 1
    assert slurm.jobs(done.jobs["measure"])[0]["Restarts"] == "1"
    each_once(done.run, 80)


def rows_so_far(run):
    return [line for line in (run / "records.jsonl").read_text().splitlines(keepends=True) if '"type":"measurement"' in line and line.endswith("\n")]


@needs_mpi
def test_what_srun_can_do_is_used(slurm, submit, site, plan):
    """Two tasks of one node: by srun where its PMIx is there, else by mpirun; rows for one rank are skipped and say so in the records."""
    file = site(ONE_MACHINE)
    dry = submit("host", "--site", file, "--plan", plan(PLAN), "--slices", 1, "--no-build", "--tasks", 2, "--dry-run", slurm=slurm)
    done = submit("host", "--site", file, "--plan", plan(PLAN), "--slices", 1, "--no-build", "--tasks", 2, slurm=slurm)
    assert slurm.wait(done.jobs["measure"])[""] == ("COMPLETED", "0:0"), (done.run / "log/measure.txt").read_text()
    (line,) = said(done.run, "2 tasks on 1 node, by ")
    way = re.search("by (srun --mpi=[a-z_0-9]+|mpirun)", line)[1]
    ran = said(done.run, "+ " if way == "mpirun" else "+ srun")[0][2:]
    if way == "srun --mpi=pmix":
        assert re.sub(r"-\d{8}-\d{6}(-again)*", "-TIME", ran) == next(
            re.sub(r"-\d{8}-\d{6}(-again)*", "-TIME", x.strip()) for x in dry.out.splitlines() if x.startswith("  srun "))
    measured = rows(done.run / "records.jsonl")
    assert [r["problem"]["ranks_z"] for r in measured] == [2] * 4
    assert {r["variant"] for r in records(done.run / "records.jsonl") if r["type"] == "skipped"} == {"openmp-plane", "openmp-fused-exchange"}


@pytest.fixture
def launchers(tmp_path):
    """launchers(srun, mpirun) -> a folder whose srun and mpirun are shell scripts; $WORDS of srun's are what it starts."""

    def write(srun, mpirun="exit 9"):
        folder = tmp_path / "launchers"
        folder.mkdir(exist_ok=True)
        for name, text in (("srun", 'if [ "$1" = --mpi=list ]; then printf "MPI plugin types are...\\n\\tpmi2\\n\\tnone\\n"; exit; fi\n'
                                    'while [[ "$1" == --* ]]; do shift; done\n' + srun), ("mpirun", "shift 4\n" + mpirun)):
            (folder / name).write_text(f"#!/usr/bin/env bash\n{text}\n")
            (folder / name).chmod(stat.S_IRWXU)
        return {"PATH": f"{folder}:{os.environ['PATH']}", "SLURM_NTASKS": "2", "SLURM_JOB_NUM_NODES": "2"}

    return write


def by_hand(env, site, plan, build, **more):
    """A job without SLURM, of two tasks in name: its exit code, and all that it said."""
    done = subprocess.run(["bash", "jobs/host.sbatch"], cwd=ROOT, text=True, capture_output=True,
                          env={**env, "PARITY_SITE": str(site()), "PARITY_PLAN": str(plan()), "PARITY_BUILD": str(build), **more})
    (log,) = site().parent.glob("results/*/log/measure.txt")
    return done.returncode, done.stdout + done.stderr + log.read_text()


# What the launchers' first task ends with is told apart from what they end with themselves.
OUTCOMES = [
    ('"$@"; exit 0', "exit 1", 1, "ended with 1 after"),  # a check failed in parity, and the launcher lost the code
    ('[ "${!#}" = --version ] || exit 1; "$@"', "exit 0", 3, "srun --mpi=pmi2 ended with 1 before the first rank did"),
    ('[ "${!#}" = --version ] || exit 137; "$@"', "exit 0", 137, "measuring ended with 137; finished rows are kept"),
    ('[ "${!#}" = --version ] && exec "$@"; "$@"; exit 1', "exit 0", 0, "ended with 0 after"),  # parity ended well
]


@pytest.mark.parametrize("srun, ends, code, says", OUTCOMES, ids=[str(k) for k in range(len(OUTCOMES))])
def test_a_launchers_code_is_not_paritys(env, site, plan, launchers, stand_in, srun, ends, code, says):
    build = stand_in(f'case "$*" in measure*) {ends} ;; *) exit 0 ;; esac')
    ended, text = by_hand(env, site, plan, build, **launchers(srun))
    assert ended == code and says in text, text


def test_mpirun_where_srun_brings_no_ranks_together(env, site, plan, launchers, stand_in):
    build = stand_in('[ "$1" != --version ] || [ -z "$BY_SRUN" ]')
    code, text = by_hand(env, site, plan, build, **launchers('BY_SRUN=1 "$@"', '"$@"'))
    assert code == 0 and "2 tasks on 2 nodes, by mpirun, since srun --mpi=pmi2 did not bring them together (srun offers pmi2, none)" in text, text


def test_where_nothing_brings_them_together(env, site, plan, launchers, stand_in):
    code, text = by_hand(env, site, plan, stand_in("echo no ranks here; exit 3"), **launchers('"$@"', '"$@"'))
    assert code == 3 and "neither srun --mpi=pmi2 nor mpirun starts 2 tasks on 2 nodes of " in text and "SITE_MPI" in text, text


def test_the_way_that_a_site_names(env, site, plan, launchers, stand_in):
    code, text = by_hand(env, lambda: site("SITE_MPI=mpirun"), plan, stand_in("exit 0"), **launchers("exit 7", '"$@"'))
    assert code == 0 and "2 tasks on 2 nodes, by mpirun as SITE_MPI says" in text, text


@pytest.mark.parametrize("target, more, options, asks", [
    ("h100", "", ["--nodes", 2, "--gpus", 4], "--nodes=2 --ntasks=8 --ntasks-per-node=4 --gres=gpu:h100:4"),
    ("h100", "SITE_NODES=3\nSITE_GPUS_H100=2", [], "--nodes=3 --ntasks=6 --ntasks-per-node=2 --gres=gpu:h100:2"),
    ("h100", "SITE_NODES=3", ["--nodes", 2], "--nodes=2 --ntasks=2 --ntasks-per-node=1 --gres=gpu:h100:1"),
    ("a100", "SITE_GPU='--gpus-per-node=a100:%g'", ["--gpus", 2, "--tasks", 4], "--nodes=1 --ntasks=4 --ntasks-per-node=4 --gres=none --gpus-per-node=a100:2"),
    ("host", "SITE_TASKS=2\nSITE_GPUS=4", ["--nodes", 2], "--nodes=2 --ntasks=4 --ntasks-per-node=2"),
    ("p100", "SITE_MPI=pmi2", ["--nodes", 2], "--nodes=2 --ntasks=2 --ntasks-per-node=1 --gres=gpu:p100:1"),
])
def test_a_dry_run_of_several_tasks(submit, site, plan, target, more, options, asks):
    done = submit(target, "--site", site(more), "--plan", plan(), "--slices", 2, "--no-build", "--profile", "--dry-run", *options)
    assert done.code == 0, done.err
    sweep, profile = (next(x for x in done.out.splitlines() if f"-{what} " in x) for what in ("sweep", "profile"))
    assert f"--cpus-per-task=1 {asks} " in sweep and "--ntasks" not in profile, "profilers run one process"
    nodes, ranks, tasks = re.search(r"--nodes=(\d+) --ntasks=(\d+) --ntasks-per-node=(\d+)", asks).groups()
    way = "pmi2" if "SITE_MPI" in more else "pmix"
    (line,) = [x.strip() for x in done.out.splitlines() if "task.sh" in x]
    assert line.startswith(f"srun --mpi={way} --nodes={nodes} --ntasks={ranks} --ntasks-per-node={tasks} --kill-on-bad-exit=1 bash jobs/cluster/task.sh ")
    assert line.split("/log/sweep-K.rank_0 ")[1].split()[1] == "measure"
    assert ("or by mpirun, where this one does not" in done.out) == ("SITE_MPI" not in more)


@pytest.mark.parametrize("more, options, says", [
    ("", ["--nodes", 0, "--plan", "P"], "--nodes is '0'; give a number from 1"), ("", ["--gpus", "all", "--plan", "P"], "--gpus is 'all'"),
    ("", ["--nodes", 2], "2 tasks on 2 nodes need a plan whose problems they share"), ("SITE_NODES=some", ["--plan", "P"], "SITE_NODES is 'some'; give the number of nodes"),
    ("SITE_GPUS=0", ["--plan", "P"], "SITE_GPUS is '0'; give the number of GPUs"), ("SITE_MPI='p m'", ["--plan", "P"], "SITE_MPI is 'p m'"),
    ("SITE_GPU=--gres=gpu:1", ["--gpus", 2, "--plan", "P"], "write %g in the place of the number"),
])
def test_refusals(submit, site, plan, tmp_path, more, options, says):
    words = [plan() if o == "P" else o for o in options]
    done = submit("h100", "--site", site(more), *words, "--dry-run")
    assert done.code == 2 and says in done.err and done.err.count("\n") == 1, done.err
    assert submit("host", "--site", site(), "--plan", plan(), "--gpus", 2, "--dry-run").err.startswith("parity-job: --gpus is for targets with a GPU")


def test_a_folder_keeps_its_nodes(submit, tmp_path):
    for nodes in ("", " nodes=2 tasks=4 gpus=4"):
        (tmp_path / "settings.sh").write_text(f"target=h100 build={PARITY.parent} slices=1{nodes}\n")
        for name in ("plan.toml", "site.sh"):
            (tmp_path / name).write_text("")
        done = submit("--resume", tmp_path, "--dry-run")
        assert done.code == 0 and ("--nodes=2 --ntasks=8 --ntasks-per-node=4 --gres=gpu:h100:4" in done.out) == bool(nodes), done.out + done.err
    assert "--nodes is settled" in submit("--resume", tmp_path, "--nodes", 2).err


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGTERM])
def test_a_signal_while_a_way_is_looked_for(env, site, plan, launchers, stand_in, tmp_path, number):
    """What is tried is told to end, nothing else is, and measuring does not begin."""
    more = launchers(f'trap "touch {tmp_path}/told; exit 1" TERM\ntouch {tmp_path}/trying\nwhile :; do sleep 0.1; done', f"touch {tmp_path}/mpirun")
    build = stand_in(f'[ "$1" != measure ] || touch {tmp_path}/measured')
    with subprocess.Popen(["bash", "jobs/host.sbatch"], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**env, "PARITY_SITE": str(site()), "PARITY_PLAN": str(plan()), "PARITY_BUILD": str(build), **more}) as job:
        Slurm.until(lambda: (tmp_path / "trying").exists(), "srun")
        job.send_signal(number)
        said = job.stdout.read()
    assert job.returncode == 143, said
    assert (tmp_path / "told").exists() and not (tmp_path / "mpirun").exists() and not (tmp_path / "measured").exists(), said
