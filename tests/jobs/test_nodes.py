# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of several tasks: launchers of ranks, time limits, failures and resumption. The two nodes are one machine."""
import os
import re
import signal
import subprocess

import pytest
from conftest import PARITY, ROOT, complete_lines, log_of, wait_for_rows, write_executable
from conftest import each_once as each_row_once
from record_files import hurry, records, rows, timed_plan
from slurm import Slurm

VERSION = subprocess.run([PARITY, "--version"], text=True, capture_output=True).stdout
needs_mpi = pytest.mark.skipif("not in this build" in VERSION.partition("MPI:")[2], reason="this build has no MPI")
# As root, with more ranks than cores, and without networks or shared memory that each node would regard as its own.
ONE_MACHINE = """
SITE_PARTITION=two
site_setup() {
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
  export OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo OMPI_MCA_odls_base_sigkill_timeout=5
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
    """A plan with problems that two ranks share."""
    return text.replace("[axes]\n", "[axes]\nranks_z = [2]\n")


def each_once(run, count):
    assert all(r["problem"]["ranks_z"] == 2 and len(r["starts"]) == 1 for r in each_row_once(run, count))
    assert {e["ranks"] for e in records(run / "records.jsonl") if e["type"] == "environment"} == {2}


def said(run, text):
    log = run / "log/measure.txt"
    return [line for line in log.read_text().splitlines() if text in line] if log.exists() else []


@needs_mpi
def test_ranks_that_are_killed_are_measured_later(slurm, submit, site, plan):
    """A launcher's exit code does not mean a failed check; --resume measures the rest with the same nodes."""
    file = plan(shared(timed_plan(40, 1, steps=100)))
    done = submit("host", "--site", site(ONE_MACHINE), "--plan", file, "--slices", 1, "--no-build", "--tasks", 2, slurm=slurm)
    assert done.code == 0, done.err
    wait_for_rows(slurm, done.run / "records.jsonl", 2)
    for pid in subprocess.check_output(["pgrep", "-f", f"^{PARITY} measure {done.run}/"]).split():
        os.kill(int(pid), signal.SIGKILL)
    state, code = slurm.wait(done.jobs["measure"])[""]
    assert state == "FAILED" and int(code.split(":")[0]) > 2, (code, log_of(done, "measure"))
    hurry(done.run / "plan.toml")
    again = submit("--resume", done.run, slurm=slurm)
    assert again.code == 0 and "--nodes=1 --ntasks=2 --ntasks-per-node=2" in again.out, (again.out, again.err)
    assert slurm.wait(again.jobs["measure"])[""] == ("COMPLETED", "0:0"), log_of(done, "measure")
    each_once(done.run, 80)


@needs_mpi
@pytest.mark.parametrize("more, options, says", [
    ("SITE_MPI=mpirun", ["--nodes", 2], "2 tasks on 2 nodes, by "),  # with two nodes on one machine, PMIx works only sometimes
    ("", ["--tasks", 2], "2 tasks on 1 node, by "),
])
def test_tasks_are_told_to_end_and_go_on(slurm, submit, site, plan, more, options, says):
    """srun would kill them after a signal to itself. The notice of a time limit ends them, the job is requeued, and nothing is lost."""
    done = submit("host", "--site", site(ONE_MACHINE + more), "--plan", plan(shared(timed_plan(40, 1, steps=100))), "--slices", 1, "--no-build",
                  *options, slurm=slurm)
    part = done.run / "records.jsonl"
    wait_for_rows(slurm, part, 2)
    slurm.run("scancel", "--batch", "--signal=USR1", done.jobs["measure"])
    slurm.until(lambda: said(done.run, "goes back into the queue") or (done.run / "log/measure.exit_code").exists(), "the notice")
    before = complete_lines(part)
    hurry(done.run / "plan.toml")
    assert slurm.wait(done.jobs["measure"])[""] == ("COMPLETED", "0:0"), log_of(done, "measure")
    assert len(said(done.run, "parity: stopped by signal 15 (terminate); ")) == 1 and len(said(done.run, says)) == 2
    job = slurm.jobs(done.jobs["measure"])[0]
    assert job["Restarts"] == "1" and job["NumNodes"] == says.split()[3] and job["NumTasks"] == "2"
    assert complete_lines(part)[:len(before)] == before and len(before) > 1
    each_once(done.run, 80)


@needs_mpi
def test_what_srun_can_do_is_used(slurm, submit, site, plan):
    """Two tasks on one node: by srun if its PMIx is there, else by mpirun; results for one rank are skipped, and the records say so."""
    file = site(ONE_MACHINE)
    dry = submit("host", "--site", file, "--plan", plan(PLAN), "--slices", 1, "--no-build", "--tasks", 2, "--dry-run", slurm=slurm)
    done = submit("host", "--site", file, "--plan", plan(PLAN), "--slices", 1, "--no-build", "--tasks", 2, slurm=slurm)
    assert slurm.wait(done.jobs["measure"])[""] == ("COMPLETED", "0:0"), log_of(done, "measure")
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
    """launchers(srun, mpirun) -> a folder with shell scripts as srun and mpirun; srun's script starts $WORDS."""

    def write(srun, mpirun="exit 9"):
        folder = tmp_path / "launchers"
        folder.mkdir(exist_ok=True)
        for name, text in (("srun", 'if [ "$1" = --mpi=list ]; then printf "MPI plugin types are...\\n\\tpmi2\\n\\tnone\\n"; exit; fi\n'
                                    'while [[ "$1" == --* ]]; do shift; done\n' + srun), ("mpirun", "shift 4\n" + mpirun)):
            write_executable(folder / name, f"#!/usr/bin/env bash\n{text}\n")
        return {"PATH": f"{folder}:{os.environ['PATH']}", "SLURM_NTASKS": "2", "SLURM_JOB_NUM_NODES": "2"}

    return write


# The exit code of the first task is distinguished from the launcher's own.
MEASURES = 'case "$*" in measure*) {} ;; *) exec $parity "$@" ;; esac'
OUTCOMES = [  # actions of srun, mpirun and parity; a setting of the site; the job's exit code; its message
    ('"$@"; exit 0', "", MEASURES.format("exit 1"), "", 1, "ended with 1 after"),  # a check failed in parity, and the launcher lost the code
    ('[ "${!#}" = --version ] || exit 1; "$@"', "", MEASURES.format("exit 0"), "", 3, "srun --mpi=pmi2 ended with 1 before the first rank did"),
    ('[ "${!#}" = --version ] || exit 137; "$@"', "", MEASURES.format("exit 0"), "", 137, "measuring ended with 137; finished rows are kept"),
    ('[ "${!#}" = --version ] && exec "$@"; "$@"; exit 1', "", MEASURES.format("exit 0"), "", 0, "ended with 0 after"),  # parity succeeded
    ('BY_SRUN=1 "$@"', '"$@"', '[ "$1" != --version ] || { [ -z "$BY_SRUN" ] && $parity --version; }', "", 0,
     "2 tasks on 2 nodes, by mpirun, since srun --mpi=pmi2 did not bring them together (srun offers pmi2 none)"),
    ('[ "${!#}" = --version ] || [ -e "$PARITY_BUILD/once" ] || { touch "$PARITY_BUILD/once"; exit 1; }; "$@"', "", MEASURES.format("exit 0"), "", 0,
     "srun --mpi=pmi2 ended with 1 and started no rank; again in 5 s"),
    # Some launchers fail and exit with 0: no rank printed anything.
    ('echo "srun: error: task 0 launch failed" >&2; exit 0', '"$@"', MEASURES.format("exit 0"), "", 0, "2 tasks on 2 nodes, by mpirun, since srun --mpi=pmi2 did not bring them together"),
    ('"$@"', '"$@"', "exit 3", "", 3, "neither srun --mpi=pmi2 nor mpirun starts 2 tasks on 2 nodes of "),
    ("exit 7", '"$@"', "exit 0", "SITE_MPI=mpirun", 0, "2 tasks on 2 nodes, by mpirun as SITE_MPI says"),
]


@pytest.mark.parametrize("srun, mpirun, does, more, code, says", OUTCOMES, ids=[str(k) for k in range(len(OUTCOMES))])
def test_a_launchers_code_is_not_paritys(env, site, plan, launchers, stand_in, srun, mpirun, does, more, code, says):
    """A job without SLURM that claims two tasks."""
    done = subprocess.run(["bash", "jobs/sweep.sbatch"], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**env, "PARITY_SITE": str(site(more)), "PARITY_PLAN": str(plan()), "PARITY_BUILD": str(stand_in(does)),
                               **launchers(srun, mpirun or "exit 9")})
    assert done.returncode == code and says in done.stdout, done.stdout


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGTERM])
def test_a_signal_while_a_way_is_looked_for(env, site, plan, launchers, stand_in, tmp_path, number):
    """The launcher being tried is terminated, nothing else is, and measuring does not begin."""
    more = launchers(f'trap "touch {tmp_path}/told; exit 1" TERM\ntouch {tmp_path}/trying\nwhile :; do sleep 0.1; done', f"touch {tmp_path}/mpirun")
    build = stand_in(f'[ "$1" != measure ] || touch {tmp_path}/measured')
    with subprocess.Popen(["bash", "jobs/sweep.sbatch"], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**env, "PARITY_SITE": str(site()), "PARITY_PLAN": str(plan()), "PARITY_BUILD": str(build), **more}) as job:
        Slurm.until(lambda: (tmp_path / "trying").exists(), "srun")
        job.send_signal(number)
        said = job.stdout.read()
    assert job.returncode == 143, said
    assert (tmp_path / "told").exists() and not (tmp_path / "mpirun").exists() and not (tmp_path / "measured").exists(), said
