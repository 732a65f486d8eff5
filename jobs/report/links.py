# SPDX-License-Identifier: BSD-3-Clause
"""Where a number comes from: the record's file and line, and the plan that was measured."""
import functools
import json
import os
import pathlib
import urllib.parse

from .records import CLONE

RESULTS = CLONE / "jobs/results"
PLANS = json.loads((RESULTS / "plans.json").read_text())  # of committed records that have another name


@functools.cache
def plan_of(records):
    """The plan of a file of records: the file of its name beside it, a job's only one, or the one of its name or of plans.json in jobs/plans; None if
    nobody knows."""
    path = pathlib.Path(records).resolve()
    folder = path if path.is_dir() else path.parent
    name = PLANS.get(os.path.relpath(path, RESULTS), path.stem)
    # A folder with settings.txt is a job's, which measures one plan. Elsewhere a plan.toml may be that of other records.
    tried = [path.with_suffix(".toml"), *[folder / "plan.toml"] * (folder / "settings.txt").is_file(), CLONE / f"jobs/plans/{name}.toml"]
    return next(filter(pathlib.Path.is_file, tried), None)


class Links:
    """(address, text) as a page in a folder needs them."""

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
        """The records of rows and their plans, each once."""
        return [*dict.fromkeys(map(self.record, rows)), *self.plans(rows)]
