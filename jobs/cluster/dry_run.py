# SPDX-License-Identifier: BSD-3-Clause
"""A job that prints its lines instead of running them."""
from cluster import enter, job


class DryRun:
    dry = True

    def __init__(self, stage, run, site):
        self.stage, self.run, self.site, self.task = stage, run, site, "K"
        self.place = run.place(stage, self.task)

    def line(self, line):
        print("  " + line.text())
        return 0

    stoppable_line = line


def print_lines(stage, run, site):
    """The lines that a stage's job would run."""
    if stage == "sweep":
        print(f"  # in task K of 1 to {run.slices}:")
    if stage == "profile":
        print("  # with the profilers that there are:")
    for line in enter.lines(site, run / "site.sh"):
        print("  " + line)
    job.STAGES[stage](DryRun(stage, run, site))
    print()
