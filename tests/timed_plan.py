# SPDX-License-Identifier: BSD-3-Clause
"""A plan whose problems take a known time on every machine, however fast or busy: for tests that interrupt it."""


def timed_plan(problems, seconds, steps=1000):
    """Two rows a problem. A sample takes milliseconds, and there are more of them than fit the time."""
    sizes = ", ".join(f"[64, {ny}, 8]" for ny in range(16, 16 + problems))
    return f"""
variants = ["openmp-plane", "reference-loop"]
[axes]
size = [{sizes}]
steps = [{steps}]
[measure]
repeats = 100000
starts = 1
time_cap = {seconds / 2}
"""


def hurry(file):
    """What is left of the plan takes one sample a row from now on; rows do not depend on it."""
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join("time_cap = 0\n" if line.startswith("time_cap") else line for line in lines))
