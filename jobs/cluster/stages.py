# SPDX-License-Identifier: BSD-3-Clause
"""What the jobs do. Each stage gives its lines to a 'job' that runs them (cluster/job.py) or prints them (cluster/dry_run.py)."""
import os
import shutil
import subprocess

from cluster.messages import Failure
from cluster.line import Command, Matches, Variable
from cluster.ranks import on_ranks
from cluster.run_folder import count_rows


def build(job):
    run, log = job.run, job.run / "log/build.txt"
    if run.target != "host" and job.line(Variable("Kokkos_ROOT", "cmake/bootstrap.sh", "--kokkos")):
        raise Failure(3, f"no Kokkos for {run.target}: load its module (SITE_MODULES) or set Kokkos_ROOT in site_setup "
                      f"({run.site_file})")
    if job.line(Command("cmake", "--preset", run.target, "-B", run.build, "-DPARITY_ENABLE_TESTS=OFF", *job.site.words("CMAKE"))):
        raise Failure(3, "configuring failed; the log says why: " + log)
    if job.line(Command("cmake", "--build", run.build, "--target", "parity", "--parallel", job.site.word("CPUS", "4"))):
        raise Failure(3, "building failed; the log says why: " + log)
    return job.line(Command(run.parity, "--version"))


def measure(job):
    """Measures until the end, the time limit or another signal."""
    run, records = job.run, os.path.join(job.place, "records.jsonl")
    part = ["--slice", f"{job.task or 1}/{run.slices}"] if job.stage == "sweep" else []
    before = count_rows(records)
    command = Command(run.parity, "measure", run / "plan.toml", *part, "--quiet", "--mixed", "--output", records)
    code = job.stoppable_line(on_ranks(job, command))
    if code > 3:
        if job.at_limit():
            job.go_on_later(count_rows(records) > before)
        job.say(f"measuring ended with {code}; finished rows are kept: jobs/submit.sh --resume {run.path}")
    return code


def measure_and_report(job):
    code = measure(job)
    return (code <= 1 and report(job)) or code


def report(job):
    run, records = job.run, job.run / "records.jsonl"
    code = 0
    if run.slices > 1:
        code = 0 if job.dry else failed_slices(job)
        if job.line(Command(run.parity, "merge", Matches(run / "slices/", "/records.jsonl"), "--output", records)):
            raise Failure(2, "the slices cannot be merged; the log says why: " + run / "log/report.txt")
    job.line(Command(run.parity, "merit", records, output=run / "merit.txt", may_fail=True))
    job.line(Command(run.parity, "findings", records, output=run / "findings.txt", may_fail=True))
    python = job.site.word("PYTHON") or default_python()
    correct = f"in {run.site_file} and run: sbatch jobs/report.sbatch {run.path}"
    if not job.dry and not shutil.which(python):
        raise Failure(3, f"there is no '{python}' for the report; correct SITE_PYTHON {correct}")
    if job.line(Command("env", "PARITY=" + run.parity, python, "jobs/report.py", records, "--text", "Findings", run / "findings.txt",
                        "--output", run / "report.html")):
        raise Failure(3, "the report cannot be drawn (SITE_PYTHON needs matplotlib, numpy and jinja2); correct it " + correct)
    return code


def failed_slices(job):
    """Says which slices did not end well; the last one's exit code, or 0."""
    run, failed = job.run, 0
    for k in range(1, run.slices + 1):
        code, which = run.exit_code(f"sweep-{k}"), f"slice {k} of {run.slices} "
        log = f" (log/sweep-{k}.txt)"
        if code == "":
            job.tell(which + f"did not run to its end{log}; run it with: jobs/submit.sh --resume {run.path}")
        elif code == "1":
            job.tell(which + "has rows that failed their check" + log)
        elif code != "0":
            job.tell(which + f"ended with {code}{log}; run its rest with: jobs/submit.sh --resume {run.path}")
        if code != "0":
            failed = int(code or 1)
    if not any(os.path.exists(run / f"slices/{k}/records.jsonl") for k in range(1, run.slices + 1)):
        raise Failure(3, "no slice has measured anything; see " + run / "log")
    return failed


def default_python():
    """The environment that tests and reports make for themselves, or the machine's own Python."""
    deps = subprocess.run(["cmake/bootstrap.sh", "--deps"], stdout=subprocess.PIPE).stdout
    own = os.path.join(os.fsdecode(deps).rstrip("\n"), "python/bin/python")
    return own if os.access(own, os.X_OK) else "python3"
