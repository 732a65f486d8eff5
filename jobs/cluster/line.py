# SPDX-License-Identifier: BSD-3-Clause
"""One line of a job: what a dry run prints and what a job runs are made of the same words."""
import glob
import os
import shlex
import subprocess

from cluster.messages import put
from cluster.messages import text_of as text_of_error


class Matches:
    """The files between two parts of a path: BEFORE*AFTER."""

    def __init__(self, before, after):
        self.before, self.after = before, after

    def text(self):
        return "*".join(shlex.quote(part) for part in (self.before, self.after))

    def words(self):
        """As in a shell: the pattern itself where nothing matches."""
        found = sorted(glob.glob(glob.escape(self.before) + "*" + glob.escape(self.after)))
        return found or [self.before + "*" + self.after]


def words_of(arguments):
    return [word for a in arguments for word in (a.words() if isinstance(a, Matches) else [str(a)])]


def text_of(arguments):
    return " ".join(a.text() if isinstance(a, Matches) else shlex.quote(str(a)) for a in arguments)


def exit_code(returned):
    """As a shell counts: 128 and the signal."""
    return 128 - returned if returned < 0 else returned


class Command:
    """A command; in a folder; with its output in a file; or one that may fail."""

    def __init__(self, *arguments, folder=None, output=None, may_fail=False):
        self.arguments, self.folder, self.output, self.may_fail = arguments, folder, output, may_fail

    def text(self):
        text = text_of(self.arguments)
        if self.folder:
            text = f"(cd {shlex.quote(self.folder)} && {text})"
        if self.output:
            text += " >" + shlex.quote(self.output)
        return text + (" || true" if self.may_fail else "")

    def start(self):
        file = open(self.output, "wb") if self.output else None
        try:
            return subprocess.Popen(words_of(self.arguments), cwd=self.folder, stdout=file)
        finally:
            if file:
                file.close()

    def stop(self, child):
        child.terminate()

    def outcome(self, code, stopped):
        """What a code means that the process ended with."""
        return code

    def run(self):
        """The exit code; 127 where there is no such program, 1 where the file cannot be written."""
        try:
            code = exit_code(self.start().wait())
        except OSError as e:
            put(2, text_of_error(e))
            code = 1 if e.filename == self.output else 127
        if self.may_fail and code > 1:  # 1 is what a command found; above, it did not come to an end
            put(2, f"parity-job: {text_of(self.arguments)} ended with {code}; {self.output or 'its result'} is not whole")
        return 0 if self.may_fail else code


class Variable:
    """An environment variable of all that follows, from a command's output unless it is set."""

    def __init__(self, name, *arguments):
        self.name, self.arguments = name, arguments

    def text(self):
        return "{0}=${{{0}:-$({1})}} && export {0}".format(self.name, text_of(self.arguments))

    def run(self):
        if os.environ.get(self.name):
            return 0
        done = subprocess.run(words_of(self.arguments), stdout=subprocess.PIPE)
        if done.returncode == 0:
            os.environ[self.name] = os.fsdecode(done.stdout).rstrip("\n")
        return exit_code(done.returncode)
