# SPDX-License-Identifier: BSD-3-Clause
"""Links to the source of a number: the record's file and line, and the plan that was measured."""
import functools
import json
import os
import pathlib
import urllib.parse

from .records import CLONE

RESULTS = CLONE / "jobs/results"
PLANS = json.loads((RESULTS / "plans.json").read_text())  # plans of committed records with another file name


@functools.cache
def plan_of(records):
    """The plan of a file of records: a .toml of its name in the same folder, the plan.toml of a job's folder, or a plan in jobs/plans with its name
    or the name in plans.json; None if unknown."""
    path = pathlib.Path(records).resolve()
    folder = path if path.is_dir() else path.parent
    name = PLANS.get(os.path.relpath(path, RESULTS), path.stem)
    # A folder with settings.txt belongs to a job, which measures one plan. Elsewhere a plan.toml may belong to other records.
    tried = [path.with_suffix(".toml"), *[folder / "plan.toml"] * (folder / "settings.txt").is_file(), CLONE / f"jobs/plans/{name}.toml"]
    return next(filter(pathlib.Path.is_file, tried), None)


class Links:
    """Links (address, text) for a page in a folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()

    def to(self, path):
        return urllib.parse.quote(os.path.relpath(pathlib.Path(path).resolve(), self.folder))

    def record(self, row):
        return self.to(row["file"]) + (f"#L{row['line']}" if row["line"] else ""), f"{os.path.basename(row['file'])}:{row['line']}"

    def plans(self, rows):
        found = dict.fromkeys(plan for row in rows if (plan := plan_of(row["file"])))
        return [(self.to(plan), plan.name) for plan in found]

    def all(self, rows):
        """Links to the records of rows and their plans, each once."""
        return [*dict.fromkeys(map(self.record, rows)), *self.plans(rows)]
