# SPDX-License-Identifier: BSD-3-Clause
"""A job's life: its folder of results, its log, its site, its stage; signals, the time limit, its exit code."""
import os
import signal
import subprocess
import time
import traceback

from cluster import environment, profilers, ranks, stages
from cluster.enter import enter
from cluster.line import exit_code
from cluster.messages import Failure, put, text_of
from cluster.run_folder import RunFolder, default_plan, load_run, no_space
from cluster.site import TARGETS, read_site

STAGES = {"build": stages.build, "measure": stages.measure_and_report, "sweep": stages.measure, "report": stages.report,
          "profile": profilers.profile}
NEEDED_SPACE = 1 << 20


def number():
    """SLURM's number of this job; SLURM_JOB_ID of an array's last task is that of the whole array: requeuing it would start
    finished tasks again."""
    job, task = os.environ.get("SLURM_ARRAY_JOB_ID") or os.environ.get("SLURM_JOB_ID"), os.environ.get("SLURM_ARRAY_TASK_ID")
    return job and task and job + "_" + task or job


def working_folder():
    """With the symbolic links in it as they were typed: another node may know no other path."""
    typed = os.environ.get("PWD", "")
    return typed if typed and os.path.isdir(typed) and os.path.samefile(typed, ".") else os.getcwd()


class Job:
    dry = False

    def __init__(self, stage):
        self.stage, self.task = stage, os.environ.get("SLURM_ARRAY_TASK_ID")
        self.id = stage + ("-" + self.task if self.task else "")
        self.started = time.time()
        self.slurm_output = None  # once the log is open, where SLURM writes what this script prints
        self.run = self.site = self.child = self.command = self.reason = None
        for name in (signal.SIGUSR1, signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self.stopped)

    # --- what it says ------------------------------------------------------------------------------------------------

    def say(self, text):
        put(1, "parity-job: " + text)

    def tell(self, text):
        """Also in SLURM's own output."""
        self.say(text)
        if self.slurm_output is not None:
            put(self.slurm_output, "parity-job: " + text)

    # --- its beginning -----------------------------------------------------------------------------------------------

    def open(self, target, path):
        """The folder of results: the one named, or one of its own."""
        root, variables = working_folder(), os.environ
        job = variables.get("SLURM_ARRAY_JOB_ID") or variables.get("SLURM_JOB_ID") or time.strftime("by-hand-%Y%m%d-%H%M%S")
        if not path:
            target = target or variables.get("PARITY_TARGET") or "host"
            if target not in TARGETS:
                raise Failure(2, f"PARITY_TARGET is '{target}'; give one of: {' '.join(TARGETS)}")
            slices = variables.get("SLURM_ARRAY_TASK_MAX") or "1"
            if (variables.get("SLURM_ARRAY_TASK_COUNT") or "1") != slices:
                raise Failure(2, "some tasks of an array alone need the folder of results that they belong to: sbatch --array=... "
                              "jobs/sweep.sbatch RUN")
            site_file = variables.get("PARITY_SITE") or "jobs/sites/example.sh"
            site = read_site(site_file, target)
            results = site.word("RESULTS") or variables.get("PARITY_RESULTS") or os.path.join(root, "results")
            path = os.path.join(results, target + "-" + job)
            build = os.path.join(root, variables.get("PARITY_BUILD") or "build-" + target)
            RunFolder(path, target, build, slices, site_file, ranks.shape_of_allocation()).make(variables.get("PARITY_PLAN") or default_plan(target))
        self.run = load_run(path, root, target)
        self.place = self.run.place(self.stage, self.task)
        self.open_log()
        slice_, restarts = f" {self.task} of {self.run.slices}" if self.task else "", variables.get("SLURM_RESTART_COUNT")
        start = f", start {int(restarts) + 1}" if restarts else ""
        self.tell(f"{self.run.target} {self.stage}{slice_}, job {job}{start}: log {self.log}")

    def open_log(self):
        """From here on everything goes to the log; refuses a disk without room for a job's results."""
        run, space = self.run, self.run / ".space." + self.id
        self.log, self.code_file = run / f"log/{self.id}.txt", run / f"log/{self.id}.exit_code"
        try:
            for folder in (self.place, run / "log"):
                os.makedirs(folder, exist_ok=True)
            if os.path.exists(self.code_file):
                os.unlink(self.code_file)
            with open(space, "wb") as file:
                file.write(bytes(NEEDED_SPACE))
            log = os.open(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        except OSError:
            raise no_space(run.path)
        finally:
            if os.path.exists(space):
                os.unlink(space)
        self.slurm_output = os.dup(1)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.close(log)

    def enter(self):
        """The site, and what is not its concern."""
        run = self.run
        self.site = read_site(run / "site.sh", run.target)
        enter(self.site, run / "site.sh", run.site_file, self.log)
        cores = os.environ.get("SLURM_CPUS_PER_TASK")
        # srun has not heard of the job's --cpus-per-task since SLURM 22.05.
        defaults = {"OMP_PROC_BIND": "spread", "OMP_PLACES": "cores", "OMP_NUM_THREADS": cores, "SRUN_CPUS_PER_TASK": cores}
        for name, value in defaults.items():
            if value and not os.environ.get(name):
                os.environ[name] = value
        if self.stage in ("measure", "sweep", "profile") and not os.access(run.parity, os.X_OK):
            raise Failure(3, f"there is no {run.parity}: build it with 'sbatch jobs/build.sbatch' (PARITY_TARGET={run.target}), or submit "
                          f"with jobs/submit.sh {run.target}")
        try:
            environment.save(run / f"environment-{self.id}.txt", run.parity, number())
        except OSError:
            raise no_space(run.path)

    # --- lines and signals -------------------------------------------------------------------------------------------

    def line(self, line):
        """Prints a line and runs it; its exit code."""
        put(1, "+ " + environment.without_passwords(line.text()))
        return line.run()

    def stoppable_line(self, command):
        """The same for a command that a signal to the job ends early."""
        if self.reason:
            return 143
        put(1, "+ " + environment.without_passwords(command.text()))
        self.told, self.command = False, command
        self.child = command.start()
        if self.reason and not self.told:  # the signal came a moment before
            command.stop(self.child)
        code = exit_code(self.child.wait())
        self.child = None
        return command.outcome(code, bool(self.reason))

    def stopped(self, name, _):
        self.reason = self.reason or name
        if self.child:
            self.told = True
            self.command.stop(self.child)

    @staticmethod
    def number():
        return number()

    def way(self):
        return ranks.way_of(self)

    def at_limit(self):
        return self.reason == signal.SIGUSR1

    def go_on_later(self, got_on):
        """The time limit is near: the job goes back into the queue and runs the rest, unless it gets nowhere."""
        resume = "go on with: jobs/submit.sh --resume " + self.run.path
        if not got_on:
            raise Failure(143, "the time limit came before a single row was finished; ask for more time (--time, SITE_TIME), or less (--plan)")
        if self.site.word("REQUEUE", "yes") != "yes" or not number():
            raise Failure(143, "the time limit came; finished rows are kept, " + resume)
        self.tell("the time limit is near; finished rows are kept, and the job goes back into the queue for the rest")
        signal.signal(signal.SIGTERM, lambda *_: os._exit(143))  # SLURM ends this process
        if subprocess.call(["scontrol", "requeue", number()]):
            raise Failure(143, "SLURM does not queue the job again; " + resume)
        time.sleep(300)
        os._exit(143)

    # --- its end -----------------------------------------------------------------------------------------------------

    def failed(self, failure):
        if failure.message:
            for descriptor in {2, self.slurm_output} - {None}:
                put(descriptor, "parity-job: " + failure.message)
        return failure.code

    def ended(self, code):
        try:
            with open(self.code_file, "w") as file:
                file.write(f"{code}\n")
        except OSError:
            pass
        which, seconds = " " + self.task if self.task else "", time.time() - self.started
        self.tell(f"{self.stage}{which} ended with {code} after {seconds:.0f} s; results in {self.run.path}")


def main(arguments):
    """TARGET STAGE [RUN]; TARGET -: the folder's own, or PARITY_TARGET."""
    target, stage, path = arguments[0].replace("-", ""), arguments[1], (arguments + [""])[2]
    job = Job(stage)
    try:
        if stage == "report" and not path:
            raise Failure(2, "name the folder of results: sbatch jobs/report.sbatch RUN")
        job.open(target, path)
        job.enter()
        code = STAGES[stage](job)
    except Failure as failure:
        code = job.failed(failure)
    except OSError as e:
        code = job.failed(Failure(2, text_of(e)))
    except Exception as e:  # exit code 1 would mean that a check failed
        traceback.print_exc()
        code = job.failed(Failure(3, f"a mistake in jobs/cluster ({e!r}); the log says where"))
    if job.slurm_output is not None:
        job.ended(code)
    return code
