# SPDX-License-Identifier: BSD-3-Clause
"""Several tasks of a job as ranks of one program: how many, what starts them, and what they ended with."""
import collections
import os
import re
import subprocess
import threading

from cluster.line import Command
from cluster.messages import Failure

TASK = "jobs/cluster/task.sh"
# What an MPI may know of srun's ways to bring ranks together, the likeliest first.
WAYS = ["pmix", "cray_shasta", "pmi2"]
PATIENCE = 120  # seconds in which ranks that find each other have done so
GRACE = 30  # seconds that ranks have to end by themselves


class Shape(collections.namedtuple("Shape", "nodes tasks gpus")):
    """Nodes of a measuring job, tasks and GPUs of each."""

    def __new__(cls, nodes=1, tasks=1, gpus=1):
        return super().__new__(cls, int(nodes), int(tasks), int(gpus))

    @property
    def ranks(self):
        return self.nodes * self.tasks

    def text(self):
        return f"{self.ranks} tasks on {self.nodes} node{'s' if self.nodes > 1 else ''}"

    def settings(self):
        return {name: str(number) for name, number in self._asdict().items()}


def shape_of_allocation():
    """Of a job that was submitted by hand; outside of SLURM one task."""
    nodes, tasks = (int(os.environ.get(name) or 1) for name in ("SLURM_JOB_NUM_NODES", "SLURM_NTASKS"))
    return Shape(nodes, max(1, tasks // nodes))


def launch(way, shape):
    """The words that start tasks; way: of srun's --mpi, or mpirun."""
    if way != "mpirun":
        return ["srun", "--mpi=" + way, f"--nodes={shape.nodes}", f"--ntasks={shape.ranks}", f"--ntasks-per-node={shape.tasks}",
                "--kill-on-bad-exit=1"]
    # It binds a rank to a core, and unbound ranks of one node would bind their threads to the same cores.
    free = ["env", "OMP_PROC_BIND=false"] if shape.tasks > 1 else []
    return [*free, "mpirun", "-n", str(shape.ranks), "--bind-to", "none"]


def offered():
    """What srun can bring ranks together with."""
    try:
        done = subprocess.run(["srun", "--mpi=list"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    except OSError:
        return []
    return re.findall(r"^(?:srun:)?\s*(\w+)\s*$", os.fsdecode(done.stdout), re.M)


def starts_ranks(words, log, job):
    """Whether they find each other: parity refuses processes that its MPI does not join. A job that is to end does not wait for it."""
    try:
        started = subprocess.Popen(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    except OSError:
        return False
    for _ in range(PATIENCE):
        try:
            return started.wait(1) == 0
        except subprocess.TimeoutExpired:
            if job.reason:
                break
    started.terminate()  # srun ends its tasks then
    try:
        started.wait(GRACE)
    except subprocess.TimeoutExpired:
        started.kill()
        started.wait()
    return False


def way_of(job):
    """What starts this job's ranks: SITE_MPI, or the first way that does so. Said in one line."""
    shape, asked = job.run.shape, job.site.word("MPI")
    if asked:
        job.say(f"{shape.text()}, by {by(asked)} as SITE_MPI says")
        return asked
    said = job.run / f"log/{job.id}.ranks.txt"
    known = offered()
    tried = [way for way in WAYS if way in known] + ["mpirun"]
    with open(said, "ab") as log:
        for n, way in enumerate(tried):
            found = not job.reason and starts_ranks([*launch(way, shape), job.run.parity, "--version"], log, job)
            if job.reason:
                return way  # nothing is started any more
            if found:
                why = f", since {' and '.join(map(by, tried[:n]))} did not bring them together" if n else ""
                job.say(f"{shape.text()}, by {by(way)}{why} (srun offers {', '.join(known) or 'nothing'})")
                return way
    raise Failure(3, f"neither {' nor '.join(map(by, tried))} starts {shape.text()} of {job.run.parity}: build it with the MPI of "
                     f"this cluster (its module), or name what starts it in SITE_MPI; {said} has their words")


def by(way):
    return way if way == "mpirun" else "srun --mpi=" + way


class Ranked(Command):
    """A command on all tasks."""

    def __init__(self, job, command, way):
        self.job, self.way, self.code_file = job, way, job.run / f"log/{job.id}.rank_0"
        super().__init__(*launch(way, job.run.shape), "bash", TASK, self.code_file, *command.arguments)

    def start(self):
        if os.path.exists(self.code_file):
            os.unlink(self.code_file)
        return super().start()

    def stop(self, child):
        """srun answers a signal of its own by killing: its tasks are told first."""
        if self.way != "mpirun":
            subprocess.call(["scancel", "--signal=TERM", self.job.number()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            later = threading.Timer(GRACE, child.terminate)
            later.daemon = True
            later.start()
        else:
            child.terminate()

    def outcome(self, code, stopped):
        """The first rank's exit code where it has said one."""
        try:
            with open(self.code_file) as file:
                return int(file.read())
        except (OSError, ValueError):
            pass
        if stopped:
            return 143
        if code <= 3:
            raise Failure(3, f"{by(self.way)} ended with {code} before the first rank did; the log says why: {self.job.log}")
        return code


def on_ranks(job, command):
    """The command as the job's tasks run it."""
    if job.run.shape.ranks == 1:
        return command
    return Ranked(job, command, job.way())
