# SPDX-License-Identifier: BSD-3-Clause
"""The settings of a site file, as bash reads it; jobs/sites/example.sh explains them."""
import os
import re
import subprocess
import tempfile

from cluster.messages import Failure

HERE = os.path.dirname(os.path.abspath(__file__))
TARGETS = ["host", "p100", "v100", "a100", "h100"]
SETTINGS = ["ACCOUNT", "PARTITION", "TIME", "CPUS", "GPU", "NODES", "GPUS", "TASKS", "MPI", "OPTIONS", "BUILD_OPTIONS", "MODULES",
            "CMAKE", "PYTHON", "RESULTS", "REQUEUE", "KOKKOS_TOOLS"]
NUMBER = r"[1-9][0-9]{0,3}\Z"
KNOWN = {"SITE_" + s + t for s in SETTINGS for t in ["", *("_" + t.upper() for t in TARGETS)]}


def answer_of(script, *arguments, **options):
    """Runs a shell script that answers through the file descriptor that its first argument names: (exit code, answer)."""
    with tempfile.TemporaryFile() as file:  # a pipe would wait for whatever a site starts in the background
        words = ["bash", os.path.join(HERE, script), str(file.fileno()), *arguments]
        done = subprocess.run(words, pass_fds=[file.fileno()], **options)
        file.seek(0)
        return done, file.read()


class Site:
    """The settings for one target."""

    def __init__(self, values, has_setup, target):
        self.values, self.has_setup, self.target = values, has_setup, target

    def words(self, name):
        """All words of a setting; SITE_GPU_P100 comes before SITE_GPU."""
        for name in (f"SITE_{name}_{self.target.upper()}", "SITE_" + name):
            if name in self.values:
                return self.values[name]
        return []

    def word(self, name, default=""):
        words = self.words(name)
        return words[0] if words and words[0] else default


def read_site(path, target):
    """Reads a site file and refuses what cannot be meant."""
    if not os.path.isfile(path):
        raise Failure(2, f"site file '{path}' does not exist; copy jobs/sites/example.sh, fill it in and name it with --site")
    said = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "universal_newlines": True, "errors": "surrogateescape"}
    syntax = subprocess.run(["bash", "-n", path], **said)
    if syntax.returncode:
        raise Failure(2, "site file is no shell file: " + (syntax.stdout.splitlines() or ["?"])[0])
    done, answer = answer_of("read_site.sh", path, **said)
    words = os.fsdecode(answer).split("\0")
    if done.returncode or words[-1] != "end":
        why = (done.stdout.strip().splitlines() or ["it ends the shell"])[-1]
        raise Failure(2, f"site file '{path}' cannot be read: {why}")
    values, has_setup, name = {}, False, None
    for word in words[:-1]:
        if word.startswith("function "):
            has_setup = True
        elif word.startswith("variable "):
            name = word[len("variable "):]
            values[name] = []
        else:
            values[name].append(word[len("value "):])
    refuse_nonsense(path, values, Site(values, has_setup, target))
    return Site(values, has_setup, target)


def refuse_nonsense(path, values, site):
    def fail(text):
        raise Failure(2, f"site file '{path}': {text}")

    for name in sorted(values):
        if name not in KNOWN:
            fail(f"{name} is no setting; there are SITE_{{{','.join(SETTINGS)}}}, also with _P100 and so on")
    if site.word("REQUEUE", "yes") not in ("yes", "no"):
        fail(f"SITE_REQUEUE is '{site.word('REQUEUE')}'; give yes or no")
    if not re.match(NUMBER, site.word("CPUS", "1")):
        fail(f"SITE_CPUS is '{site.word('CPUS')}'; give the number of processor cores of a task")
    for name, what in (("NODES", "nodes of a measuring job"), ("GPUS", "GPUs of a node"), ("TASKS", "tasks of a node")):
        if not re.match(NUMBER, site.word(name, "1")):
            fail(f"SITE_{name} is '{site.word(name)}'; give the number of {what}")
    if not re.match(r"\w+\Z", site.word("MPI", "pmix")):
        fail(f"SITE_MPI is '{site.word('MPI')}'; give one of what 'srun --mpi=list' names, or mpirun")
