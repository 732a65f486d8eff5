# SPDX-License-Identifier: BSD-3-Clause
"""What a job or a submission says, and how it ends early."""
import os


class Failure(Exception):
    """An exit code with one line that names the fix, or without one where all is said already."""

    def __init__(self, code, message=""):
        super().__init__(message)
        self.code = code
        self.message = message


def put(descriptor, text):
    """At once, in order with what children write; a full disk that swallows it must not end the job."""
    try:
        os.write(descriptor, os.fsencode(text + "\n"))
    except OSError:
        pass


def text_of(error):
    """One line for an error of the system."""
    return f"{error.filename}: {error.strerror}" if error.filename else str(error)
