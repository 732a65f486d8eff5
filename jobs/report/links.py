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
def said_of_records(name):
    """What a file beside the committed records says of them, by record."""
    file = RESULTS / name
    return json.loads(file.read_text()) if file.is_file() else {}


def known_plans():
    """Plans of committed records that have another name."""
    return said_of_records("plans.json")


def remarks():
    """What readers of committed records must know before their numbers."""
    return said_of_records("remarks.json")


def remark(records):
    """What a reader must know before the numbers of a file of records, named from the current directory; empty where nothing is said."""
    return remarks().get(os.path.relpath(pathlib.Path(records).resolve(), RESULTS), "")


@functools.cache
def plan_of(records):
    """The plan of a file of records: of its name beside it, a job's only one, as jobs/plans names it, or as jobs/results/plans.json says; None
    where nobody knows."""
    path = pathlib.Path(records).resolve()
    folder = path if path.is_dir() else path.parent
    # A folder with settings.sh is a job's, which measures one plan. Elsewhere a plan.toml may be that of other records.
    for beside, is_its_own in ((path.with_suffix(".toml"), True), (folder / "plan.toml", (folder / "settings.sh").is_file())):
        if is_its_own and beside.is_file():
            return beside
    try:
        name = known_plans().get(path.relative_to(RESULTS).as_posix(), path.stem)
    except ValueError:
        name = path.stem
    plan = CLONE / f"jobs/plans/{name}.toml"
    return plan if plan.is_file() else None


class Links:
    """Addresses as a page in a folder needs them."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()

    def to(self, path):
        return urllib.parse.quote(os.path.relpath(pathlib.Path(path).resolve(), self.folder))

    def record(self, row):
        """(address, text) of the row's first line."""
        path, line = row.origin
        return self.to(path) + (f"#L{line}" if line else ""), f"{os.path.basename(path)}:{line}"

    def plan(self, row):
        found = plan_of(row.origin[0])
        return (self.to(found), found.name) if found else None

    def plans(self, rows):
        """(address, text) of each plan once."""
        return list(dict.fromkeys(filter(None, map(self.plan, rows))))

    def all(self, rows):
        """(address, text) of the records of rows and of their plans, each once."""
        return [*dict.fromkeys(map(self.record, rows)), *self.plans(rows)]
