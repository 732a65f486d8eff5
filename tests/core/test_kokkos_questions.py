# SPDX-License-Identifier: BSD-3-Clause
"""The reproducers of variants/KOKKOS.md run. Their answers on a GPU depend on Kokkos and fail no test."""
import os
import re
import subprocess

import pytest

PROGRAM = os.environ.get("KOKKOS_QUESTIONS", "")
pytestmark = [pytest.mark.usefixtures("two_threads"), pytest.mark.skipif(not PROGRAM, reason="KOKKOS_QUESTIONS does not name the program")]
REDUCED = r"4 reduce nodes (?:in a line|side by side), \d+ submits: (\d+) of \d+ sums wrong"
# For each question: the answer of a host, and the number of such lines.
QUESTIONS = {"reduce-nodes": (0, REDUCED, 2), "large-functors": (3, "no GPU", 1), "mdrange": (0, r"  \d+\.\d{3}  +\d+\.\d\d  ok", 6)}


def ask(*arguments):
    return subprocess.run([PROGRAM, *arguments], text=True, capture_output=True, timeout=1800)


@pytest.mark.parametrize("arguments", [[], ["reduce"], ["mdrange", "mdrange"], ["--help"]])
def test_it_says_what_can_be_asked(arguments):
    done = ask(*arguments)
    assert done.returncode == 2 and done.stdout == "" and len(done.stderr.splitlines()) == 1 and all(q in done.stderr for q in QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer(question):
    done = ask(question)
    code, line, times = QUESTIONS[question]
    if not re.search(r"default execution space (OpenMP|Serial|Threads)", done.stdout):
        code, line, times = {"reduce-nodes": (int(set(re.findall(REDUCED, done.stdout)) != {"0"}), line, 2), "mdrange": (code, line, times),
                             "large-functors": (int(done.returncode == 1), "HintLightWeight", 7)}[question]
    assert done.returncode == code and done.stderr == "" and len(re.findall(line, done.stdout)) == times, done.stdout + done.stderr
