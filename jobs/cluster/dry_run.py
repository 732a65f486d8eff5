# SPDX-License-Identifier: BSD-3-Clause
"""A job that prints its lines instead of running them."""
from cluster import enter, job
from cluster.ranks import WAYS


class DryRun:
    dry = True

    def __init__(self, stage, run, site):
        self.stage, self.run, self.site, self.task = stage, run, site, "K"
        self.id = stage + ("-K" if stage == "sweep" else "")
        self.place = run.place(stage, self.task)

    def line(self, line):
        print("  " + line.text())
        return 0

    stoppable_line = line

    def way(self):
        """As ranks.way_of, which only a job can ask."""
        asked = self.site.word("MPI")
        if not asked:
            print(f"  # {self.run.shape.text()}; by another --mpi, or by mpirun, where this one does not bring them together:")
        return asked or WAYS[0]


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
