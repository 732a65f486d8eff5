# SPDX-License-Identifier: BSD-3-Clause
"""Runs the parity executable as a user does."""
import inspect
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest

PARITY = os.environ["PARITY"]
# Waiting threads sleep: on a busy machine, spinning threads take the cores of working ones. Waking sleepers slows down small problems many times,
# so a test has one thread unless it or the caller's environment sets more.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Commands of tools that this build omits.
ABSENT = [c for tool, commands in {"filter": ["filter"], "density": ["density"], "trace": ["trace", "advise"]}.items() for c in commands
          if tool not in os.environ.get("PARITY_TOOLS", "filter,density,trace").split(",")]
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it, and children inherit that


def pytest_collection_modifyitems(items):
    """Skips tests that name a command of a tool that this build omits, and those of all pages."""
    for item in items:
        source = inspect.getsource(item.function)
        said = repr(item.callspec.params if hasattr(item, "callspec") else "") + source[source.index("def "):]
        if ABSENT and ("all_tools" in item.keywords or re.search(rf"['\"] ?({'|'.join(ABSENT)})\b", said)):
            item.add_marker(pytest.mark.skip(reason="a tool that it uses is not in this build (PARITY_TOOLS)"))


@pytest.fixture
def two_threads(monkeypatch):
    """For work that threads share: values of a file, rows of a table, planes, sums."""
    monkeypatch.setenv("OMP_NUM_THREADS", "2")


@pytest.fixture
def parity(tmp_path):
    """parity(*arguments) -> CompletedProcess, run in an empty directory."""

    def run(*arguments, **options):
        return subprocess.run([PARITY, *map(str, arguments)], cwd=tmp_path, text=True, capture_output=True, timeout=1800,
                              **options)  # the timeout only ends a hang

    return run


@pytest.fixture
def refused(parity):
    """refused(*arguments, says=...) checks for exit code 2 and one line on standard error that contains 'says'."""

    def check(*arguments, says, code=2):
        done = parity(*arguments)
        lines = done.stderr.strip().splitlines()
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        assert len(lines) == 1 and lines[0].startswith("parity: "), done.stderr
        assert says in lines[0], lines[0]
        return done

    return check


@pytest.fixture
def draw(tmp_path):
    """draw(*arguments) -> CompletedProcess of jobs/report.py and the page r.html, or None."""

    def run(*arguments, **options):
        script = pathlib.Path(__file__).resolve().parents[1] / "jobs" / "report.py"
        done = subprocess.run([sys.executable, "-B", script, *map(str, arguments), "--output", "r.html"], cwd=tmp_path, text=True,
                              capture_output=True, timeout=1800, **options)
        page = tmp_path / "r.html"
        return done, page.read_text() if page.exists() else None

    return run
