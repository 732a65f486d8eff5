# SPDX-License-Identifier: BSD-3-Clause
"""Submits what leads from a clone to a report: build, a sweep over a plan's slices, the report of the merged records.

  jobs/submit.sh TARGET --site FILE [options]      TARGET: host p100 v100 a100 h100
  jobs/submit.sh --resume RUN [--time T]           what is missing of an earlier submission

  --site FILE      settings of your cluster: a copy of jobs/sites/example.sh
  --plan FILE      what to measure (default: jobs/plans/cluster.toml; host: cluster_host.toml)
  --slices N       tasks of the array (default 4); 1: one job that measures and reports
  --nodes N        nodes of each measuring job (default: SITE_NODES, or 1)
  --gpus N         GPUs of each node, with a task for each (default: SITE_GPUS, or 1)
  --tasks N        tasks of each node (default: SITE_TASKS, or one a GPU); several need a plan with ranks (jobs/RANKS.md)
  --time T         time limit of each measuring job, as sbatch takes it
  --results DIR    where the folder of results goes (default: SITE_RESULTS, or results/ in the clone)
  --no-build       build-TARGET is built already
  --profile        also a job that profiles a short plan
  --dry-run        prints what would be submitted, and beneath each job the lines that it would run; does nothing
"""
import os
import re
import shutil
import signal
import sys
import time

from cluster import sbatch
from cluster.job import working_folder
from cluster.messages import Failure, text_of
from cluster.ranks import Shape
from cluster.run_folder import RunFolder, contents, default_plan, load_run
from cluster.site import NUMBER, TARGETS, read_site

SHAPE = ["--nodes", "--gpus", "--tasks"]
WITH_VALUE = ["--site", "--plan", "--slices", *SHAPE, "--time", "--results", "--resume"]
PATHS = ["--site", "--plan", "--results", "--resume"]
SWITCHES = ["--no-build", "--profile", "--dry-run"]


def parse(arguments, called_from):
    """The options that were given, paths seen from where the user is, and the target as 'target'."""
    given, rest = {}, list(arguments)
    while rest:
        option = rest.pop(0)
        if option in WITH_VALUE:
            if not rest:
                raise Failure(2, option + " needs a value; jobs/submit.sh --help explains")
            value = rest.pop(0)
            given[option] = os.path.join(called_from, value) if option in PATHS else value
        elif option in SWITCHES:
            given[option] = True
        elif option in ("--help", "-h"):
            given["--help"] = True
            break
        elif option.startswith("-"):
            raise Failure(2, option + " is no option; jobs/submit.sh --help explains")
        elif "target" in given:
            raise Failure(2, f"'{given['target']}' and '{option}' are two targets; give one")
        else:
            given["target"] = option
    return given


def shape_of(given, site):
    """Nodes, tasks and GPUs that are asked for."""
    numbers = {}
    for option in SHAPE:
        value = given.get(option) or site.word(option[2:].upper(), "")
        if value and not re.match(NUMBER, value):
            raise Failure(2, f"{option} is '{value}'; give a number from 1 to 9999")
        numbers[option[2:]] = int(value) if value else None
    host = site.target == "host"
    if host and "--gpus" in given:
        raise Failure(2, "--gpus is for targets with a GPU; of host give --tasks")
    gpus = 1 if host else numbers["gpus"] or 1
    return Shape(numbers["nodes"] or 1, numbers["tasks"] or gpus, gpus)


def new_run(given, root, called_from):
    """The folder of a new submission, not made yet, with its plan and its site."""
    target, slices, site_file = given.get("target"), given.get("--slices", "4"), given.get("--site")
    if not target:
        raise Failure(2, f"name a target: {' '.join(TARGETS)} (jobs/submit.sh --help explains)")
    if target not in TARGETS:
        raise Failure(2, f"'{target}' is no target; give one of: {' '.join(TARGETS)}")
    if not site_file:
        raise Failure(2, "name your site file with --site; jobs/sites/example.sh is there to be copied")
    if not re.match(r"[1-9][0-9]{0,3}\Z", slices):
        raise Failure(2, f"--slices is '{slices}'; give a number from 1 to 9999")
    plan = given.get("--plan") or default_plan(target)
    if not os.path.isfile(plan):
        raise Failure(2, f"plan '{plan}' does not exist; jobs/plans/ has some")
    site = read_site(site_file, target)
    shape = shape_of(given, site)
    if shape.ranks > 1 and "--plan" not in given:
        raise Failure(2, f"{shape.text()} need a plan whose problems they share (an axis of ranks; jobs/RANKS.md): name it with --plan")
    sbatch.gpu_words(site, shape.gpus)  # refused before there is a folder
    build = os.path.join(called_from, os.environ.get("PARITY_BUILD") or os.path.join(root, "build-" + target))
    results = given.get("--results") or os.path.realpath(os.path.join(root, site.word("RESULTS", "results")))
    path = os.path.join(results, f"{target}-{time.strftime('%Y%m%d-%H%M%S')}")
    while os.path.exists(path):  # two submissions in one second
        path += "-again"
    return RunFolder(path, target, build, int(slices), site_file, shape), plan, site


def missing_tasks(run):
    """The sweep's tasks that have not ended with 0."""
    names = ["measure"] if run.slices == 1 else [f"sweep-{k}" for k in range(1, run.slices + 1)]
    return [k for k, name in enumerate(names, 1) if run.exit_code(name) != "0"]


def refuse_while_queued(run):
    jobs = re.findall(r"^# [a-z]*: job (\S+)", contents(run / "submission.txt"), re.M)
    for job in jobs:
        if sbatch.output_of("squeue", "-h", "-j", job).strip():
            raise Failure(2, f"job {job} of {run.path} is still in the queue; wait for it, or end it first: scancel {' '.join(jobs)}")


def submit(arguments):
    called_from = working_folder()
    given = parse(arguments, called_from)
    if "--help" in given:
        print(__doc__.strip())
        return
    root = os.path.normpath(os.path.join(called_from, sys.argv[0], "../.."))
    os.chdir(root)
    dry, build_first = "--dry-run" in given, "--no-build" not in given
    if "--resume" in given:
        for option in ("--site", "--plan", "--slices", "--results", *SHAPE):
            if option in given:
                raise Failure(2, f"{option} is settled for {given['--resume']}; only --time can be given with --resume")
        run = load_run(given["--resume"], called_from, given.get("target"))
        tasks = missing_tasks(run)
        if not tasks:
            print("parity-job: nothing is missing in " + run.path)
            return
        refuse_while_queued(run)
        build_first = build_first and run.exit_code("build") != "0" and not os.access(run.parity, os.X_OK)
        plan, site = run / "plan.toml", read_site(run / "site.sh", run.target)
        array = ",".join(map(str, tasks))
    else:
        run, plan, site = new_run(given, root, called_from)
        array = f"1-{run.slices}"
    if not dry and not shutil.which("sbatch"):
        raise Failure(3, "there is no sbatch here; run this on a login node of a SLURM cluster (--dry-run works anywhere)")
    if dry:
        print(f"# nothing is submitted; folder of results: {run.path} (plan {plan}, site {run.site_file})")
        queue = sbatch.DryQueue(run, site)
    else:
        if "--resume" not in given:
            run.make(plan)
        queue = sbatch.Queue(run, keep="--resume" in given)
    all_jobs(queue, run, site, array, build_first, given)
    if not dry:
        print(f"results: {run.path}\nwatch:   squeue --me")


def all_jobs(queue, run, site, array, build_first, given):
    """The build comes first, the sweep waits for it, the report for the sweep."""
    after = []
    if build_first:
        job = queue.submit("build", "jobs/build.sbatch", sbatch.side_options(site))
        after = ["--dependency=afterok:" + job, "--kill-on-invalid-dep=yes"]
    measuring = sbatch.measuring_options(site, given.get("--time"), run.shape) + after
    if run.slices == 1:
        queue.submit("measure", f"jobs/{run.target}.sbatch", measuring)
    else:
        sweep = queue.submit("sweep", "jobs/sweep.sbatch", ["--array=" + array] + measuring)
    if "--profile" in given:
        queue.submit("profile", "jobs/profile.sbatch", sbatch.measuring_options(site, given.get("--time"), Shape()) + after)
    if run.slices > 1:
        queue.submit("report", "jobs/report.sbatch", sbatch.side_options(site) + ["--dependency=afterany:" + sweep])


def main(arguments):
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # | head
    try:
        submit(arguments)
        return 0
    except Failure as failure:
        message, code = failure.message, failure.code
    except OSError as e:
        message, code = text_of(e), 2
    except KeyboardInterrupt:
        message, code = "interrupted", 130
    sys.stdout.flush()
    sys.stderr.write(f"parity-job: {message}\n")
    return code
