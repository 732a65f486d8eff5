# SPDX-License-Identifier: BSD-3-Clause
"""What the first screen says besides the pairs: devices, what failed, best rates, performance portability, what a launch costs."""
import dataclasses
import os

from . import links, studies

QUANTITIES = ("null-overhead", "dispatch", "fusion-overhead", "total-overhead")
OLD = "× file with rows of one start, which have no interval: of the schemas 1 and 2, or of a run that was stopped"


@dataclasses.dataclass(frozen=True)
class Device:
    name: str
    commits: list
    runs: int
    rows: int
    first: str  # times of the runs
    last: str


def devices(records):
    runs = {r.id: r for r in records.runs}
    found = {}
    for m in records.measurements:
        if m.run in runs:
            found.setdefault(runs[m.run].device or "unknown", []).append(m)
    made = []
    for name, rows in found.items():
        here = {m.run: runs[m.run] for m in rows}
        times = sorted(r.time for r in here.values() if r.time) or ["unknown"]
        commits = list(dict.fromkeys(r.commit or "unknown" for r in sorted(here.values(), key=lambda r: r.time, reverse=True)))
        made.append(Device(name, commits, len(here), len(rows), times[0], times[-1]))
    return made


@dataclasses.dataclass(frozen=True)
class Noise:
    """Of the rows of one run in one file."""

    device: str
    time: str
    file: str
    rows: int
    noisy: int
    without_interval: int


def noise(records):
    """The latest run first; rows that failed their check have no time that could be noisy."""
    runs = {r.id: r for r in records.runs}
    found = {}
    for m in records.measurements:
        if m.run in runs and m.passed and m.time:
            found.setdefault((m.run, m.origin[0]), []).append(m.time)
    made = [Noise(runs[run].device or "unknown", runs[run].time, os.path.basename(file), len(times), sum(t.noisy for t in times),
                  sum(t.low is None for t in times)) for (run, file), times in found.items()]
    return sorted(made, key=lambda n: n.time, reverse=True)


def failures(records):
    """(what, [(text, row or None)]) of everything that a reader must know before a number."""
    found = []

    def add(what, items):
        if items:
            found.append((what, items))

    add("× file that could not be read: none of its rows is here", [(why, None) for _, why in records.refused])
    add("× file whose last line is cut, and is not here", [(file, None) for file in records.cut])
    files = {}
    for m in records.measurements:
        files.setdefault(m.origin[0], m)
    add("× file of records that must not be read without a remark",
        [(f"{os.path.basename(file)}: {said}", row) for file, row in sorted(files.items()) if (said := links.remark(file))])
    add("× row that failed its check and has no time",
        [(f"{m.study}/{m.name}, {studies.problem(m)}: error {m.error:.1e}; {m.reference}", m) for m in records.measurements if not m.passed])
    paired = {id(p.portable) for p in records.pairs}
    lost = [m for m in records.measurements if m.passed and not m.timed]
    add("× row lost in noise: it has no time", [(f"{m.study}/{m.name}, {studies.problem(m)}", m) for m in lost])
    add("× run of sources that differed from their commit", [(f"{r.commit}: run {r.id} on {r.device}", None) for r in records.runs if r.modified])
    # Of several tunings only the fastest is in a pair.
    have = {(m.run, m.study, m.variant, m.problem_key) for m in records.measurements if id(m) in paired}
    alone = {}
    for m in records.measurements:
        if m.twin and m.timed and (m.run, m.study, m.variant, m.problem_key) not in have:
            alone.setdefault((m.study, m.variant, m.twin), []).append(m)
    add("× portable variant without its native twin beside it (skipped, failed or not asked for): in no pair",
        [(f"{study}/{variant} without {twin}: {len(rows)} row{'s' if len(rows) > 1 else ''}", rows[0])
         for (study, variant, twin), rows in sorted(alone.items())])
    old = {}
    for m in records.measurements:
        if m.timed and m.time.blocks == 1:
            old.setdefault(m.origin[0], []).append(m)
    add(OLD, [(f"{path}: {len(rows)} row{'s' if len(rows) > 1 else ''}", rows[0]) for path, rows in sorted(old.items())])
    return found


def launch_costs(records):
    """(device, commit and device, [(variant, {quantity: row})]): of each device the latest that has them."""
    runs = {r.id: r for r in records.runs}
    latest = {}
    for origin in records.origins:
        functions = [(v, f) for v, unit, f in origin.functions if unit == "spin" and any(q in f for q in QUANTITIES)]
        if not functions:
            continue
        run = runs.get(next(iter(functions[0][1].values())).run)
        if run and (run.device not in latest or latest[run.device][0] < run.time):
            latest[run.device] = (run.time, origin.text, functions)
    return [(device, text, functions) for device, (_, text, functions) in latest.items()]


def portability(records):
    """[(study, problem, {best: Portability})], the problem with the most platforms first."""
    found = {}
    for p in records.portability:
        found.setdefault((p.study, p.problem), {})[p.best] = p
    words = {m.problem_key: studies.problem(m) for m in records.measurements}
    return sorted(((study, words.get((study, problem), problem), sides) for (study, problem), sides in found.items()),
                  key=lambda x: -max(len(p.platforms) for p in x[2].values()))
