# SPDX-License-Identifier: BSD-3-Clause
"""sbatch: its options from a site's settings, its calls, and what a refusal means."""
import os
import re
import shutil
import subprocess

from cluster.dry_run import print_lines
from cluster.environment import without_passwords
from cluster.messages import Failure
from cluster.line import text_of
from cluster.run_folder import no_space


def output_of(*words):
    """What a command of SLURM prints; '' where it fails."""
    try:
        return os.fsdecode(subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    except OSError:
        return ""


def setting(option, value):
    return [f"{option}={value}"] if value else []


def common_options(site):
    return (setting("--account", site.word("ACCOUNT")) + setting("--partition", site.word("PARTITION")) +
            setting("--cpus-per-task", site.word("CPUS")))


def side_options(site):
    """Of jobs that need no GPU."""
    return common_options(site) + site.words("BUILD_OPTIONS")


def gpu_words(site, gpus):
    """What asks for so many GPUs of a node; SITE_GPU has %g where the number stands."""
    if site.target == "host":
        return site.word("GPU").split()
    text = site.word("GPU", f"--gres=gpu:{site.target}:%g")
    if gpus > 1 and "%g" not in text:
        raise Failure(2, f"SITE_GPU is '{text}', which asks for GPUs whatever --gpus says: write %g in the place of the number of a node's")
    words = text.replace("%g", str(gpus)).split()
    # The script's own --gres gives way to a request of another style.
    return ([] if any(word.startswith("--gres") for word in words) else ["--gres=none"]) + words


def measuring_options(site, time_limit, shape):
    several = [f"--nodes={shape.nodes}", f"--ntasks={shape.ranks}", f"--ntasks-per-node={shape.tasks}"] if shape.ranks > 1 else []
    return (common_options(site) + several + gpu_words(site, shape.gpus) + setting("--time", site.word("TIME")) +
            setting("--time", time_limit) + site.words("OPTIONS"))


def command(run, stage, script, options):
    number = "%A_%a" if stage == "sweep" else "%j"
    return ["sbatch", "--parsable", f"--job-name=parity-{run.target}-{stage}",
            "--output=" + run / f"log/slurm-{stage}-{number}.out", *options, script, run.path]


class DryQueue:
    """Prints what would be submitted, and beneath each job its lines."""

    def __init__(self, run, site):
        self.run, self.site = run, site

    def submit(self, stage, script, options):
        print(text_of(command(self.run, stage, script, options)))
        print_lines(stage, self.run, self.site)
        return stage.upper() + "_JOB"


class Queue:
    """Submits; after a refusal nothing is left, neither jobs nor the folder of results (keep: an older folder stays)."""

    def __init__(self, run, keep):
        self.run, self.keep, self.submitted = run, keep, []

    def submit(self, stage, script, options):
        words = command(self.run, stage, script, options)
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True,
                              errors="surrogateescape")
        job = (done.stdout.strip().splitlines() or [""])[-1].split(";")[0]
        if done.returncode or not re.match(r"[0-9]+\Z", job):
            self.undo()
            raise Failure(2, refusal(stage, done.stdout.strip(), self.run.site_file))
        self.submitted.append(job)
        text = f"# {stage}: job {job}\n{text_of(words)}\n"
        try:
            with open(self.run / "submission.txt", "a") as file:
                file.write(without_passwords(text))
        except OSError:
            failure = no_space(self.run.path)
            self.undo()
            raise failure
        print(text, end="", flush=True)
        return job

    def undo(self):
        if self.submitted:
            output_of("scancel", *self.submitted)
        if not self.keep:
            shutil.rmtree(self.run.path, ignore_errors=True)


def refusal(stage, said, site_file):
    """What SLURM said of a refused job, in one line, with the setting to correct."""
    hint = ""
    if "artition" in said:
        hint = f"; partitions here: {offers('%R')} (SITE_PARTITION)"
    elif "ccount" in said:
        hint = " (SITE_ACCOUNT)"
    elif re.search(r"onfiguration(?s:.)*not(?s:.)*available|nvalid(?s:.)*gres|eature", said):
        hint = f"; GPUs here: {offers('%G')} (SITE_GPU, SITE_CPUS)"
    elif re.search(r"--time|ime(?s:.)*limit", said):
        hint = " (--time, SITE_TIME)"
    said = said.split("sbatch: error: ")[-1].replace("\n", " ")
    return f"SLURM refuses the {stage} job: {said}{hint}; nothing is left in the queue, correct {site_file}"


def offers(what):
    return " ".join(sorted(set(output_of("sinfo", "-h", "-o", what).split())))
