# SPDX-License-Identifier: BSD-3-Clause
"""Enters a site: its modules and its site_setup act in a shell, and what they changed there is taken over."""
import json
import os
import shlex
import sys

from cluster import shell_state
from cluster.messages import Failure
from cluster.line import exit_code
from cluster.site import answer_of


def modules(site):
    return [name for name in site.words("MODULES") if name.strip()]


def lines(site, file):
    """What is done, as lines of shell."""
    yield "source " + shlex.quote(file)
    for name in modules(site):
        yield "module load " + " ".join(map(shlex.quote, name.split()))
    if site.has_setup:
        yield "site_setup " + site.target


def enter(site, file, site_file, log):
    """file: the site file's copy in the folder of results; site_file: the one that a user would correct."""
    done, answer = answer_of("enter_site.sh", file, site_file, site.target, sys.executable, *modules(site))
    kind, _, text = os.fsdecode(answer).partition(" ")
    if kind == "failure":
        raise Failure(done.returncode, text)
    setup = f"site_setup {site.target} (in {site_file})"
    if done.returncode:
        raise Failure(exit_code(done.returncode), f"{setup} failed; the log says why: {log}")
    if kind != "state":
        raise Failure(2, setup + " ends the shell; use 'return' there instead of 'exit'")
    try:
        shell_state.adopt(json.loads(text))
    except ValueError:
        raise Failure(2, "no room for a few kilobytes in the folder of temporary files; free some, or set TMPDIR")
