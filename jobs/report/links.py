# SPDX-License-Identifier: BSD-3-Clause
"""Where a number comes from: the record's file and line, and the plan that was measured."""
import functools
import json
import os
import pathlib
import urllib.parse

from .records import CLONE

RESULTS = CLONE / "jobs/results"


@functools.cache
def known_plans():
    """Plans of committed records that have another name."""
    file = RESULTS / "plans.json"
    return json.loads(file.read_text()) if file.is_file() else {}


@functools.cache
def plan_of(records):
    """The plan of a file of records: the file of its name beside it, a job's only one, the one of its name in jobs/plans, or what
    jobs/results/plans.json says; None if nobody knows."""
    path = pathlib.Path(records).resolve()
    folder = path if path.is_dir() else path.parent
    # A folder with settings.sh is a job's, which measures one plan. Elsewhere a plan.toml may be that of other records.
    for beside, is_its_own in ((path.with_suffix(".toml"), True), (folder / "plan.toml", (folder / "settings.sh").is_file())):
        if is_its_own and beside.is_file():
            return beside
    inside = path.relative_to(RESULTS).as_posix() if RESULTS in path.parents else ""
    plan = CLONE / f"jobs/plans/{known_plans().get(inside, path.stem)}.toml"
    return plan if plan.is_file() else None


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
