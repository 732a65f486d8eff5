# SPDX-License-Identifier: BSD-3-Clause
"""The reproducers of variants/KOKKOS.md run. What a GPU answers is Kokkos' own doing and fails nothing."""
import os
import re
import subprocess

import pytest

pytestmark = pytest.mark.usefixtures("two_threads")

PROGRAM = os.environ.get("KOKKOS_QUESTIONS", "")
QUESTIONS = ["reduce-nodes", "large-functors", "mdrange"]
asked = pytest.mark.skipif(not PROGRAM, reason="KOKKOS_QUESTIONS does not name the program")


def ask(*arguments):
    done = subprocess.run([PROGRAM, *arguments], text=True, capture_output=True, timeout=1800)
    on_host = re.search(r"default execution space (OpenMP|Serial|Threads)", done.stdout) is not None
    return done, on_host


@asked
@pytest.mark.parametrize("arguments", [[], ["reduce"], ["mdrange", "mdrange"], ["--help"]])
def test_it_says_what_can_be_asked(arguments):
    done, _ = ask(*arguments)
    assert done.returncode == 2 and done.stdout == "" and len(done.stderr.splitlines()) == 1
    assert all(q in done.stderr for q in QUESTIONS)


@asked
def test_reduce_nodes_are_summed_as_lines_and_side_by_side():
    done, on_host = ask("reduce-nodes")
    wrong = dict(re.findall(r"^4 reduce nodes (in a line|side by side), \d+ submits: (\d+) of \d+ sums wrong$", done.stdout, re.M))
    assert set(wrong) == {"in a line", "side by side"}, done.stdout + done.stderr
    assert done.returncode == (0 if set(wrong.values()) == {"0"} else 1)
    assert not on_host or done.returncode == 0, done.stdout  # a host's nodes come one after the other
    assert done.stderr == ""


@asked
def test_large_functors_are_a_gpus_question():
    done, on_host = ask("large-functors")
    if on_host:
        assert done.returncode == 3 and "no GPU" in done.stdout
    else:
        assert done.returncode in (0, 1) and done.stdout.count("HintLightWeight") == 7, done.stdout + done.stderr


@asked
def test_every_form_of_the_sums_is_right():
    done, _ = ask("mdrange")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.split("against loops\n")[1].splitlines()
    assert len(lines) == 6 and all(re.search(r"  \d+\.\d{3}  +\d+\.\d\d  ok$", line) for line in lines), done.stdout
