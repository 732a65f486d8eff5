#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ends commands of parity at random moments and looks at what they leave: nothing half-written, nothing lost, nobody running.

    tests/kill.py build/parity [--runs 1000] [--limit 1] [--seed 1] [--only NAME]...

Each run is one command, ended by SIGINT, SIGTERM, SIGHUP, two signals in a row or SIGKILL. After SIGKILL a temporary file may stay
behind, and the last line of a file of records may be unfinished. --limit: the seconds from the first signal to the end of the last
process; the test of the suite gives a long one, since it must not depend on the machine. Exit code 1 where anything is wrong.
"""
import argparse
import collections
import dataclasses
import json
import math
import os
import pathlib
import random
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import typing

import numpy as np

ORDERLY = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
LATEST = 3  # seconds after which the first signal comes at the latest
HANG = 300  # seconds after which a process is taken for one that never ends
PLAN = """
variants = ["openmp-plane", "reference-loop"]
[axes]
size = [[16, 16, 2], [16, 17, 2], [16, 18, 2], [16, 19, 2], [16, 20, 2]]
steps = [10]
[measure]
repeats = 100000
starts = 3
time_cap = {seconds}
"""
PLAN_ROWS, STARTS = 10, 3


class Wrong(Exception):
    """What a command left that it should not have."""


def require(holds, what):
    if not holds:
        raise Wrong(what)


@dataclasses.dataclass(frozen=True)
class Command:
    """One command line; outputs: the files that it writes, each with the check of a whole one."""

    name: str
    arguments: list
    outputs: dict = dataclasses.field(default_factory=dict)
    resumes: bool = False  # its file of records grows line by line, and goes on with --resume
    before: typing.Callable = lambda folder: None  # prepares the folder of a run
    codes: tuple = (0, 1)  # it may end with by itself
    says: str = ""  # what stands in its output when it was not stopped


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a run ended."""

    by: str  # the signals, or "itself"
    seconds: float  # from the first signal to the end
    code: int
    errors: str


# --- inputs and what whole outputs are -------------------------------------------------------------------------------------


def make_inputs(folder, clone):
    """Fields, samples, plans and records that every command finds in its folder."""
    folder.mkdir()
    rng = np.random.default_rng(1)
    field = rng.normal(size=(12, 256, 256)).astype("f4")
    np.save(folder / "field.npy", field)
    np.save(folder / "samples.npy", rng.normal(size=20000))
    np.save(folder / "few.npy", rng.normal(size=2000))
    (folder / "samples.csv").write_text("a;b\n" + "".join(f"{i};{x!r}\n" for i, x in enumerate(rng.normal(size=20000).tolist())))
    (folder / "plan.toml").write_text(PLAN.format(seconds=0.05))
    (folder / "hurry.toml").write_text(PLAN.format(seconds=0))
    for name in ("figure2", "figure4_left", "kde_methods", "launch_model"):
        shutil.copy(clone / f"jobs/results/h200/{name}.jsonl", folder)
    try:
        import netCDF4
    except ImportError:
        return
    for name, kind in (("classic.nc", "NETCDF3_CLASSIC"), ("chunked.nc", "NETCDF4")):
        with netCDF4.Dataset(folder / name, "w", format=kind) as file:
            for dimension, n in zip("zyx", field.shape):
                file.createDimension(dimension, n)
            more = {"zlib": True, "chunksizes": (1, 128, 256)} if kind == "NETCDF4" else {}
            file.createVariable("t", "f4", ("z", "y", "x"), **more)[:] = field


def whole_field(path):
    if path.suffix == ".npy":
        data = np.load(path)
    else:
        import netCDF4

        with netCDF4.Dataset(path) as file:
            data = np.ma.filled(file["t"][:], np.nan)
    require(data.shape == (12, 256, 256) and np.isfinite(data).all(), f"{path.name} is no whole field")


def whole_table(rows):
    def check(path):
        data = np.load(path) if path.suffix == ".npy" else np.loadtxt(path, delimiter=",", skiprows=1)
        require(data.shape == (rows, 2) and np.isfinite(data).all(), f"{path.name} is no whole table")

    return check


def whole_lines(path):
    text = path.read_text()
    require(text.endswith("\n"), f"{path.name} ends within a line")
    for line in text.splitlines():
        json.loads(line)


def whole_csv(path):
    text = path.read_text()
    require(text.endswith("\n") and len({line.count(",") for line in text.splitlines()}) == 1, f"{path.name} is no whole table")


def whole_document(path):
    json.loads(path.read_text())


def whole_tunings(path):
    text = path.read_text()
    require(text.endswith("\n") and text.count("[[tuned]]") == text.count("[tuned.tunings]") > 0, f"{path.name} is no whole file of tunings")


def commands(netcdf):
    def stale(name):
        return lambda folder: (folder / name).write_bytes(b"what was there before")

    field = {"out.npy": whole_field}
    found = [
        Command("filter .npy", ["filter", "field.npy", "out.npy", "--steps", "400"], field),
        Command("filter over a file", ["filter", "field.npy", "out.npy", "--steps", "400"], field, before=stale("out.npy")),
        Command("filter in groups", ["filter", "field.npy", "out.npy", "--steps", "400", "--memory", "16"], field),
        Command("density at samples", ["density", "samples.npy", "out.npy", "--at-samples", "--method", "direct"], {"out.npy": whole_table(20000)}),
        Command("density of CSV", ["density", "samples.csv", "out.csv", "--column", "b", "--grid", "200000"], {"out.csv": whole_table(200000)}),
        Command("density, lscv", ["density", "few.npy", "out.csv", "--bandwidth", "lscv"], {"out.csv": whole_table(1024)}, before=stale("out.csv")),
        Command("diffusion", ["diffusion", "--nx", "64", "--ny", "64", "--nz", "4", "--steps", "20", "--variants", "openmp-plane,kokkos-fused", "--time-cap", "0.3",
                              "--json", "out.jsonl", "--csv", "out.csv"], {"out.jsonl": whole_lines, "out.csv": whole_csv}),
        Command("kde", ["kde", "--n", "2000", "--variants", "openmp-*", "--time-cap", "0.3", "--json", "out.jsonl", "--csv", "out.csv"],
                {"out.jsonl": whole_lines, "out.csv": whole_csv}),
        Command("launch", ["launch", "--quantities", "latency,throughput", "--variants", "openmp-*", "--repeats", "20", "--json", "out.jsonl", "--csv", "out.csv"],
                {"out.jsonl": whole_lines, "out.csv": whole_csv}),
        Command("measure", ["measure", "plan.toml", "--output", "out.jsonl"], resumes=True),
        Command("measure --resume", ["measure", "plan.toml", "--output", "out.jsonl", "--resume"], resumes=True, before=some_rows),
        Command("merge", ["merge", "figure2.jsonl", "kde_methods.jsonl", "--output", "out.jsonl"], {"out.jsonl": whole_lines}),
        Command("export", ["export", "figure2.jsonl", "figure4_left.jsonl", "--output", "out.json"], {"out.json": whole_document}),
        Command("compare", ["compare", "figure4_left.jsonl", "figure4_left.jsonl"]),
        Command("findings", ["findings", "figure2.jsonl", "figure4_left.jsonl"]),
        Command("merit", ["merit", "figure4_left.jsonl"]),
        Command("explain", ["explain", "figure2.jsonl", "launch_model.jsonl", "--json", "out.json", "--csv", "out.csv"],
                {"out.json": whole_document, "out.csv": whole_csv}),
        Command("tunings", ["tunings", "kde_methods.jsonl", "--output", "out.toml"], {"out.toml": whole_tunings}, before=stale("out.toml")),
        Command("instrument", ["instrument", "--quantities", "latency,throughput", "--variants", "openmp-*,kokkos-range"], says="lines:"),
        Command("list", ["list"]),
    ]
    if netcdf:
        found += [Command(f"filter {kind} NetCDF", ["filter", f"{kind}.nc", "out.nc", "--steps", "400"], {"out.nc": whole_field})
                  for kind in ("classic", "chunked")]
    return found


def some_rows(folder):
    """A file of records as an earlier run leaves it."""
    shutil.copy(folder / "earlier.jsonl", folder / "out.jsonl")


# --- one run -----------------------------------------------------------------------------------------------------------------


def keys(text):
    """The rows of complete lines."""
    lines = [json.loads(line) for line in text.split("\n")[:-1]]
    return [json.dumps([r["study"], r["variant"], r["tuning"], r["problem"], r["starts"]], sort_keys=True) for r in lines if r["type"] == "measurement"]


def complete(text):
    return text[: text.rfind("\n") + 1]


def left(pidfd, seconds):
    """Whether the process has ended within some seconds."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(max(0, 1000 * seconds)))


def group_is_gone(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


class Killer:
    def __init__(self, parity, inputs, limit, rng):
        self.parity, self.inputs, self.limit, self.rng = str(parity), inputs, limit, rng
        self.durations = {}

    def start(self, command, folder):
        with (folder.parent / "stdout").open("wb") as out, (folder.parent / "stderr").open("wb") as err:
            return subprocess.Popen([self.parity, *command.arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                    start_new_session=True, env={"OMP_WAIT_POLICY": "passive", **os.environ})

    def folder(self, command, place):
        """A fresh folder with the inputs, and what is in it."""
        folder = place / "run"
        folder.mkdir()
        for file in self.inputs.iterdir():
            os.link(file, folder / file.name)
        command.before(folder)
        return folder, {p.name: p.read_bytes() for p in folder.iterdir() if p.name in command.outputs or p.name == "out.jsonl"}

    def duration(self, command, place):
        """How long the command takes when nobody ends it; its outputs are whole."""
        if command.name not in self.durations:
            folder, _ = self.folder(command, place)
            started = time.monotonic()
            process = self.start(command, folder)
            try:
                code = process.wait(HANG)
            except subprocess.TimeoutExpired:
                process.kill()
                raise Wrong(f"it takes more than {HANG} s")
            self.durations[command.name] = time.monotonic() - started
            errors = (place / "stderr").read_text(errors="replace")
            require(code in command.codes, f"it fails by itself with {code}: {errors.strip()}")
            require(command.says in (place / "stdout").read_text(errors="replace"), f"it does not say '{command.says}' by itself")
            for name, check in command.outputs.items():
                check(folder / name)
            shutil.rmtree(folder)
        return self.durations[command.name]

    def signals(self):
        """One signal, or two with a short time between."""
        kind = self.rng.randrange(6)
        if kind < 3:
            return [ORDERLY[kind]], 0
        if kind == 3:
            return [signal.SIGKILL], 0
        return [self.rng.choice(ORDERLY), self.rng.choice(ORDERLY)], self.rng.choice([0, 0.001, 0.02, 0.2])

    def end(self, process, moment, signals, gap):
        """Sends the signals, the first after 'moment' seconds, and waits for the end."""
        pidfd = os.pidfd_open(process.pid)
        try:
            if left(pidfd, moment):
                return "itself", 0.0
            sent = time.monotonic()
            for n, number in enumerate(signals):
                if n and left(pidfd, gap):
                    break
                signal.pidfd_send_signal(pidfd, number)
            if not left(pidfd, HANG):
                os.killpg(process.pid, signal.SIGKILL)
                raise Wrong(f"it goes on {HANG} s after {' '.join(s.name for s in signals)}")
            return " ".join(s.name for s in signals), time.monotonic() - sent
        finally:
            os.close(pidfd)

    def run(self, command, place):
        moment = self.rng.uniform(0, min(1.05 * self.duration(command, place), LATEST))
        signals, gap = self.signals()
        folder, before = self.folder(command, place)
        process = self.start(command, folder)
        by, seconds = self.end(process, moment, signals, gap)
        ended = Ended(by, seconds, process.wait(), (place / "stderr").read_text(errors="replace"))
        require(group_is_gone(process.pid), "a process that it started goes on")
        self.check(command, folder, before, ended)
        require(seconds <= self.limit, f"it ended {seconds:.2f} s after {by}")
        return ended

    # --- what it leaves ----------------------------------------------------------------------------------------------------------

    def check(self, command, folder, before, ended):
        killed = "SIGKILL" in ended.by
        known = {p.name for p in self.inputs.iterdir()} | set(command.outputs) | ({"out.jsonl"} if command.resumes else set())
        strange = [p.name for p in folder.iterdir() if p.name not in known]
        require(not strange or killed, f"it leaves {' '.join(strange)} after {ended.by}")
        for p in self.inputs.iterdir():
            require((folder / p.name).stat().st_ino == p.stat().st_ino and (folder / p.name).stat().st_nlink >= 2, f"{p.name} is another file now")
        for name, check in command.outputs.items():
            path = folder / name
            if not path.exists():
                require(name not in before and ended.code != 0, f"{name} is missing after {ended.by} (exit code {ended.code})")
            elif path.read_bytes() != before.get(name):
                check(path)
        if command.resumes:
            self.check_records(folder, before.get("out.jsonl", b"").decode(), killed)
        self.check_words(command, ended)

    def check_records(self, folder, before, killed):
        path = folder / "out.jsonl"
        text = path.read_text() if path.exists() else ""
        require(killed or text == complete(text), "the last record is unfinished")
        require(text.startswith(complete(before)), "records from before are lost")
        kept = complete(text)
        keys(kept)
        done = subprocess.run([self.parity, "measure", "hurry.toml", "--output", "out.jsonl", "--resume", "--quiet"], cwd=folder, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True)
        require(done.returncode == 0, f"it does not go on: {done.stderr.strip()}")
        text = path.read_text()
        require(text.startswith(kept), "finished records are lost when it goes on")
        found = keys(text)
        require(len(found) == STARTS * PLAN_ROWS == len(set(found)), f"{len(found)} rows, {len(set(found))} different, after it went on")

    @staticmethod
    def check_words(command, ended):
        """One true line. A signal that comes before the program listens ends it without a word."""
        numbers = {128 + s for s in ORDERLY} | {-s for s in ORDERLY}
        if ended.by == "itself" or "SIGKILL" in ended.by:
            require(ended.code in (*command.codes, -signal.SIGKILL), f"exit code {ended.code}: {ended.errors.strip()}")
            return
        if ended.code in command.codes and not ended.errors:
            return  # it was over when the signal came
        require(ended.code in numbers, f"exit code {ended.code} after {ended.by}: {ended.errors.strip()}")
        lines = ended.errors.strip().splitlines()
        require(len(lines) <= 1, f"{len(lines)} lines after {ended.by}: {ended.errors.strip()}")
        if lines:
            require(lines[0].startswith("parity: "), f"after {ended.by} it says: {lines[0]}")
            require(("--resume" in lines[0]) == command.resumes, f"'{command.name}' says after {ended.by}: {lines[0]}")


# --- the whole ---------------------------------------------------------------------------------------------------------------


def earlier_records(parity, inputs):
    """The rows of the first two problems of the plan."""
    done = subprocess.run([parity, "measure", "hurry.toml", "--output", "earlier.jsonl", "--slice", "1/3", "--quiet"], cwd=inputs, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL)
    require(done.returncode == 0, f"parity measure fails: {done.stderr.strip()}")


def kill(parity, runs, limit, seed, only=(), report=print):
    """Runs; the list of everything that was wrong."""
    rng = random.Random(seed)
    clone = pathlib.Path(__file__).resolve().parents[1]
    with tempfile.TemporaryDirectory(prefix="parity-kill-") as top:
        inputs = pathlib.Path(top) / "inputs"
        make_inputs(inputs, clone)
        earlier_records(parity, inputs)
        all_commands = [c for c in commands((inputs / "classic.nc").exists()) if not only or c.name in only]
        killer = Killer(parity, inputs, limit, rng)
        ended, wrong = collections.defaultdict(list), []
        for n in range(runs):
            command = all_commands[n % len(all_commands)]
            place = pathlib.Path(top) / str(n)
            place.mkdir()
            try:
                ended[command.name].append(killer.run(command, place))
            except Wrong as e:
                wrong.append(f"run {n + 1}, {command.name}: {e}")
                report(wrong[-1])
            except KeyboardInterrupt:
                report(f"stopped after {n} of {runs} runs")
                break
            shutil.rmtree(place)
        print_table(all_commands, killer, ended, wrong, report)
        return wrong


def print_table(all_commands, killer, ended, wrong, report):
    report(f"{'command':<24}{'alone s':>9}{'runs':>6}{'ended by a signal':>19}{'median s':>10}{'longest s':>11}{'wrong':>7}")
    times = []
    for c in all_commands:
        stopped = [e.seconds for e in ended[c.name] if e.by != "itself"]
        times += stopped
        mistakes = sum(f", {c.name}: " in w for w in wrong)
        report(f"{c.name:<24}{killer.durations.get(c.name, math.nan):9.2f}{len(ended[c.name]) + mistakes:6}{len(stopped):19}"
               f"{statistics.median(stopped) if stopped else math.nan:10.3f}{max(stopped, default=math.nan):11.3f}{mistakes:7}")
    if times:
        times.sort()
        shares = ", ".join(f"{100 * q:g} % within {times[min(len(times) - 1, int(q * len(times)))]:.3f} s" for q in (0.5, 0.9, 0.99))
        report(f"{len(times)} ended by a signal: {shares}, the last after {times[-1]:.3f} s; {len(wrong)} wrong")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parity", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--limit", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], metavar="COMMAND", help="a command of the table; may be given several times")
    options = parser.parse_args()
    return 1 if kill(options.parity.resolve(), options.runs, options.limit, options.seed, options.only) else 0


if __name__ == "__main__":
    sys.exit(main())
