# SPDX-License-Identifier: BSD-3-Clause
"""Rows that could not run, by their reason: on the page, and as a table."""
import dataclasses

from . import studies


@dataclasses.dataclass(frozen=True)
class Reason:
    """Rows of one device that were skipped for one reason."""

    text: str
    device: str
    rows: int
    variants: list  # (words, first row) of each


def device_of(row, runs):
    return (runs[row.run].device if row.run in runs else "") or "unknown"


def problems_of(rows):
    """'16 x 16 x 4, N = 8, float', or how many they are."""
    found = list(dict.fromkeys(studies.problem(r) for r in rows))
    return found[0] if len(found) == 1 else f"{len(found)} problems"


def starts_of(rows, measured):
    """Where other starts of the program measured the row."""
    partly = sum((r.run, r.study, r.name, r.problem_key) in measured for r in rows)
    return f"; {partly} of {len(rows)} measured in other starts of the program" if partly else ""


def of(records):
    """Reasons, the one with the most rows first; of each variant one line."""
    runs = {r.id: r for r in records.runs}
    measured = {(m.run, m.study, m.name, m.problem_key) for m in records.measurements}
    found = {}
    for row in records.skipped:
        found.setdefault((row.reason, device_of(row, runs)), {}).setdefault(f"{row.study}/{row.name}", []).append(row)
    made = [Reason(text, device, sum(map(len, variants.values())),
                   [(f"{name}, {problems_of(rows)}{starts_of(rows, measured)}", rows[0]) for name, rows in sorted(variants.items())])
            for (text, device), variants in found.items()]
    return sorted(made, key=lambda r: (-r.rows, r.device, r.text))


def table(records):
    runs = {r.id: r for r in records.runs}
    columns = ["device", "run", "study", "problem", "row", "starts", "reason", "record"]
    return columns, [[device_of(r, runs), r.run, r.study, studies.problem(r), r.name, " ".join(map(str, r.starts)), r.reason,
                      "{}:{}".format(*r.origin)] for r in records.skipped]
