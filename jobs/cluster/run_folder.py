# SPDX-License-Identifier: BSD-3-Clause
"""The folder of results: plan, site and settings of a run, and what its jobs leave there."""
import os
import random
import shlex
import shutil

from cluster.messages import Failure
from cluster.ranks import Shape


def no_space(path):
    """The failure to write to a path."""
    try:
        free = f" ({size_text(shutil.disk_usage(os.path.dirname(path)).free)} free)"
    except OSError:
        free = ""
    return Failure(2, f"cannot write to {path}{free}: free some space, or name another place with SITE_RESULTS or --results")


def size_text(size):
    for unit in ("", "K", "M", "G", "T"):
        if size < 1024 or unit == "T":
            return f"{size:.0f}{unit}"
        size /= 1024


def contents(path):
    """A file's text; '' where there is none."""
    try:
        with open(path, errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


def default_plan(target):
    return "jobs/plans/cluster_host.toml" if target == "host" else "jobs/plans/cluster.toml"


class RunFolder:
    def __init__(self, path, target, build, slices, site_file, shape=None):
        self.path, self.target, self.build, self.slices, self.site_file = path, target, build, slices, site_file
        self.shape = shape or Shape()
        self.parity = os.path.join(build, "parity")

    def __truediv__(self, name):
        return os.path.join(self.path, name)

    def place(self, stage, task):
        """Where a stage's records are."""
        return self / f"slices/{task or 1}" if stage == "sweep" else self.path

    def exit_code(self, name):
        """What a job ended with; '' if it did not come to its end."""
        return contents(self / f"log/{name}.exit_code").strip()

    def make(self, plan):
        """Plan, site and settings in a new folder, whole or not at all; the same folder made twice at once (an array's tasks) is
        made once."""
        if not os.path.isfile(plan):
            raise Failure(2, f"plan '{plan}' does not exist; jobs/plans/ has some")
        if os.path.isdir(self.path):
            return
        part = f"{self.path}.{os.getpid()}.{random.randrange(1 << 30)}"
        settings = {"target": self.target, "build": self.build, "slices": str(self.slices), "site_file": self.site_file,
                    **self.shape.settings()}
        try:
            os.makedirs(os.path.join(part, "log"))
            shutil.copyfile(plan, os.path.join(part, "plan.toml"))
            shutil.copyfile(self.site_file, os.path.join(part, "site.sh"))
            with open(os.path.join(part, "settings.sh"), "w", errors="surrogateescape") as file:
                file.writelines(f"{name}={shlex.quote(value)}\n" for name, value in settings.items())
            os.rename(part, self.path)
        except OSError:
            if not os.path.isdir(self.path):
                raise no_space(self.path)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def load_run(path, folder, wanted=None):
    """The run in a path seen from a folder; wanted: the target that it must be of."""
    for file in ("settings.sh", "plan.toml", "site.sh"):
        if not os.access(os.path.join(path, file), os.R_OK):
            raise Failure(2, f"{path} is no folder of a Parity job (it has no {file}); jobs/submit.sh makes one")
    words = shlex.split(contents(os.path.join(path, "settings.sh")), comments=True)
    settings = dict(word.partition("=")[::2] for word in words)
    if not settings.get("slices", "").isdigit() or not settings.get("target") or not settings.get("build"):
        raise Failure(2, f"{path} is no folder of a Parity job (its settings.sh is not whole); jobs/submit.sh makes one")
    if wanted and wanted != settings["target"]:
        raise Failure(2, f"{path} holds results of {settings['target']}, not of {wanted}")
    # Folders of before have one task.
    numbers = {name: settings[name] for name in Shape().settings() if settings.get(name, "").isdigit()}
    return RunFolder(os.path.normpath(os.path.join(folder, path)), settings["target"], settings["build"], int(settings["slices"]),
                     settings.get("site_file", ""), Shape(**numbers))


def count_rows(path):
    """The finished rows in a file of records."""
    try:
        with open(path, "rb") as file:
            return sum(b'"type":"measurement"' in line for line in file)
    except OSError:
        return 0
