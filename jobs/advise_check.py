#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds 'parity advise' against what really happens on a machine with a GPU: traces programs, asks what graphs and fusion would save,
and measures the same programs with graphs, or fused.

    jobs/advise_check.py RESULTS [--parity build/parity] [--seconds 180] [--parts slowed:30,cupy,parity,killed,torch]

Measured are Parity's own baselines, whose graphs and fused twins are rows of the diffusion study; the scripts of jobs/programs/ for CuPy
and PyTorch, which capture themselves, where the packages are there; how much slower a program is that mostly launches while it is traced,
all the time or a share of it; and whether the trace of a killed program can be read. RESULTS/check.csv has a line a prediction,
RESULTS/check.txt the tables, RESULTS/measured.json what was measured. What the time does not suffice for is left out and named. With
--measure-only the traces are kept and nothing is predicted: 'jobs/advise_check.py RESULTS --evaluate' does that later, without a GPU.
"""
import argparse
import csv
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
SIZES = (16, 32, 64, 128, 256)
STEPS = 257
FAMILIES = {"cuda": "cuda-fused-2d", "kokkos": "kokkos-fused"}
SCRIPTS = {"torch": ("torch_loop", (256,)), "cupy": ("cupy_stencil", (256, 1024, 128, 1536, 64))}
COLUMNS = ["program", "size", "way", "now_predicted_us", "now_measured_us", "way_predicted_us", "way_measured_us", "saved_predicted_us",
           "saved_low_us", "saved_high_us", "saved_measured_us", "error"]


class Check:
    def __init__(self, o):
        self.o, self.rows, self.notes, self.facts, self.slowed = o, [], [], [], []
        self.until = self.end = time.monotonic() + o.seconds
        self.out = pathlib.Path(o.results)
        self.out.mkdir(parents=True, exist_ok=True)
        self.machine = pathlib.Path(o.machine) if o.machine else self.out / "launch_model.jsonl"

    def left(self):
        return self.until - time.monotonic()

    def say(self, text):
        self.notes.append(text)
        print(text, flush=True)

    def call(self, words, what, most=60.0):
        """What the command printed, or None with a note. It gets a second to end by itself when its time is over."""
        if self.left() < 2:
            self.say(f"left out, no time: {what}")
            return None
        with subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
            try:
                printed, told = program.communicate(timeout=min(most, self.left() - 1))
            except subprocess.TimeoutExpired:
                program.terminate()
                try:
                    program.communicate(timeout=1)
                except subprocess.TimeoutExpired:
                    program.kill()
                self.say(f"left out, took too long: {what}")
                return None
        if program.returncode != 0:
            self.say(f"left out: {what}: exit code {program.returncode}: {(told.strip().splitlines() or [''])[-1][:200]}")
            return None
        return printed

    def trace(self, name, program, what):
        """The trace's name; None where it failed."""
        path = self.out / f"{name}.trace.jsonl"
        words = [self.o.parity, "trace", "--force", "--quiet", "--own-launches", "--output", path, *program]
        return None if self.call(words, what) is None else path.name

    def advise(self, path, what):
        """The step with most operations of all, as advised; None where nothing is predicted."""
        printed = self.call([self.o.parity, "advise", path, "--machine", self.machine, "--format", "json"], what)
        if printed is None:
            return None
        steps = [s for p in json.loads(printed)["programs"] for s in p["steps"]]
        if not steps or steps[0]["refused"]:
            self.say(f"no prediction: {what}: {steps[0]['refused'] if steps else 'nothing repeats'}")
            return None
        return steps[0]

    def fact(self, program, size, way, traces, now, measured):
        """What a way really gave: seconds of a step."""
        if traces and now and measured:
            self.facts.append({"program": program, "size": size, "way": way, "traces": traces, "now": now, "measured": measured})

    def compare(self):
        """Each fact with what its traces say; of several traces the median."""
        steps = {name: self.advise(self.out / name, f"advice on {name}") for name in dict.fromkeys(t for f in self.facts for t in f["traces"])}
        for f in self.facts:
            found = [(s["without_recording"]["value"], w) for t in f["traces"] if (s := steps[t]) for w in s["ways"] if w["name"] == f["way"]]
            if not found:
                continue
            middle = lambda values: 1e6 * statistics.median(values)  # noqa: E731
            saved = middle(w["saved"]["value"] for _, w in found)
            truth = 1e6 * (f["now"] - f["measured"])
            self.rows.append([f["program"], f["size"], f["way"], middle(n for n, _ in found), 1e6 * f["now"],
                              middle(w["step"]["value"] for _, w in found), 1e6 * f["measured"], saved,
                              middle(w["saved"]["low"] for _, w in found), middle(w["saved"]["high"] for _, w in found), truth,
                              saved / truth - 1])


def of_parity(check):
    """Baselines of this program: the rows measure themselves."""
    plan = check.out / "rows.toml"
    variants = [v for f, fused in FAMILIES.items() for v in (f"{f}-baseline", f"{f}-baseline+graph-two", fused)]
    plan.write_text("# made by jobs/advise_check.py\nstudy = \"diffusion\"\nvariants = " + json.dumps(variants) + "\n\n[axes]\nsize = " +
                    json.dumps([[n, n, 64] for n in SIZES]) + f"\nsteps = [{STEPS}]\nprecision = [\"float\"]\n\n[measure]\nrepeats = 9\n"
                    f"starts = {check.o.starts}\ntime_cap = 0.1\n")
    traces = {}
    for k in range(check.o.traces):
        for n in SIZES:
            for family in FAMILIES:
                name = check.trace(f"{family}-baseline.{n}.{k}", [check.o.parity, "diffusion", "--variants", f"{family}-baseline", "--nx", n,
                                   "--ny", n, "--nz", 64, "--steps", STEPS, "--precision", "float", "--starts", 1, "--repeats", 7,
                                   "--time-cap", 0.1, "--quiet"], f"trace of {family}-baseline, {n}")
                if name:
                    traces.setdefault((family, n), []).append(name)
    # Rows that are done are kept where the time does not suffice for all.
    check.call([check.o.parity, "measure", plan, "--output", check.out / "rows.jsonl", "--quiet"], "rows of baselines, graphs and fusion",
               most=120)
    if not (check.out / "rows.jsonl").exists():
        return
    times = {}
    for line in (check.out / "rows.jsonl").read_text().splitlines():
        r = json.loads(line)
        if r.get("type") == "measurement":
            times[r["kernel"], r["mechanism"], r["problem"]["nx"]] = r["host_seconds"]["median"] / STEPS
    for (family, n), names in traces.items():
        now = times.get((f"{family}-baseline", "stream", n))
        check.fact(f"{family}-baseline", n, "graph", names, now, times.get((f"{family}-baseline", "graph-two", n)))
        check.fact(f"{family}-baseline", n, "fused on chip", names, now, times.get((FAMILIES[family], "stream", n)))


def of_script(check, package):
    name, sizes = SCRIPTS[package]
    for n in sizes:
        run = [sys.executable, ROOT / "jobs" / "programs" / f"{name}.py", n, 300]
        plain, graph, traces = [], [], []
        if printed := check.call([*run, "--graph"], f"{name} {n} --graph"):
            graph += json.loads(printed)["seconds"]
        for k in range(check.o.traces):
            if printed := check.call(run, f"{name} {n}"):
                plain += json.loads(printed)["seconds"]
            if traced := check.trace(f"{name}.{n}.{k}", run, f"trace of {name} {n}"):
                traces.append(traced)
        if plain and graph:
            check.fact(name, n, "graph", traces, statistics.median(plain), statistics.median(graph))


def of_torch(check):
    """Its first import of a machine takes 20 s and more where the disk is slow, and is none of a run's time."""
    began = time.monotonic()
    if check.call([sys.executable, "-c", "import torch"], "first import of torch") is not None:
        check.say(f"first import of torch: {time.monotonic() - began:.1f} s")
        of_script(check, "torch")


def of_cupy(check):
    of_script(check, "cupy")


def slowed(check):
    """Runs of a program that launches all the time: seconds of each of its blocks, without and with a recorder of shares of the time."""
    shares = [float(s) for s in check.o.shares.split(",")]
    json_file = check.out / "slowed.jsonl"
    words = [check.o.parity, "diffusion", "--variants", "cuda-baseline", "--nx", 16, "--ny", 16, "--nz", 64, "--steps", STEPS, "--precision",
             "float", "--starts", 1, "--repeats", 2000, "--time-cap", check.o.slowed_seconds, "--quiet", "--json", json_file]
    for k in range(check.o.slowed):
        # A run without a recorder stands beside those of small shares, whose time differs least from its own.
        part = [*(s for s in shares if s < 1)]
        part.insert(1, None)
        for share in [*(part if k % 2 == 0 else reversed(part)), *(s for s in shares if s >= 1)]:
            traced = [] if share is None else [check.o.parity, "trace", "--force", "--quiet", "--share", share, "--output",
                                               check.out / "slowed.trace.jsonl"]
            json_file.unlink(missing_ok=True)
            if check.call([*traced, *words], f"cuda-baseline 16, {'alone' if share is None else f'recorded {share:g} of the time'}") is None:
                continue
            blocks = [s for line in json_file.read_text().splitlines() if (r := json.loads(line)).get("type") == "measurement"
                      for start in r["host_seconds"]["samples"] for s in start]
            check.slowed.append({"share": share, "seconds": blocks})


def tell_slowed(check):
    """Against the run without a recorder that is nearest in time, and, since hosts differ from process to process, within the runs: a
    run's mean against its median, less the same of runs without a recorder. The median is a block that was not recorded, where the share
    is small."""
    runs = check.slowed
    alone = [k for k, r in enumerate(runs) if r["share"] is None]
    if not alone:
        return
    mean, middle = lambda k: statistics.mean(runs[k]["seconds"]), lambda k: statistics.median(runs[k]["seconds"])  # noqa: E731
    uneven = statistics.median(mean(k) / middle(k) - 1 for k in alone)
    check.say(f"cuda-baseline 16 alone: {', '.join(f'{1e6 * mean(k) / STEPS:.1f}' for k in alone)} us a step in {len(alone)} runs")
    for share in dict.fromkeys(r["share"] for r in runs if r["share"] is not None):
        traced = [k for k, r in enumerate(runs) if r["share"] == share]
        by = [mean(k) / mean(min(alone, key=lambda a: abs(a - k))) - 1 for k in traced]
        text = (f"recorded {100 * share:g} % of the time: slower by {100 * statistics.median(by):.1f} % [{100 * min(by):.1f}, "
                f"{100 * max(by):.1f}] of {len(by)} runs")
        if share < 0.5:
            within = [mean(k) / middle(k) - 1 - uneven for k in traced]
            text += f"; within the runs {100 * statistics.median(within):.1f} % [{100 * min(within):.1f}, {100 * max(within):.1f}]"
        check.say(text)


def killed(check):
    path = check.out / "killed.trace.jsonl"
    words = [check.o.parity, "trace", "--force", "--quiet", "--output", path, sys.executable,
             ROOT / "jobs" / "programs" / "cupy_stencil.py", 64, 300, "--blocks", 100000]
    if check.left() < 8:
        check.say("left out, no time: a killed program")
        return
    program = subprocess.Popen([str(w) for w in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    began = time.monotonic()
    while program.poll() is None and check.left() > 3 and time.monotonic() - began < 15 and (not path.exists() or path.stat().st_size < 2_000_000):
        time.sleep(0.1)
    program.send_signal(signal.SIGKILL)
    program.wait()
    check.say(f"killed by SIGKILL: exit code {program.returncode}, a trace of {path.stat().st_size} bytes")


def tell_killed(check):
    path = check.out / "killed.trace.jsonl"
    if path.exists() and (step := check.advise(path, "advice on a killed program")):
        check.say(f"trace of the killed program: a step of {len(step['operations'])} operations found {step['repetitions']} times")


def table(rows):
    lines = ["{:<18} {:>5} {:<14} {:>9} {:>9} {:>9} {:>9} {:>9} {:>20} {:>9} {:>7}".format(
        "program", "size", "way", "now us", "measured", "way us", "measured", "saved us", "interval", "measured", "error")]
    for r in rows:
        lines.append(f"{r[0]:<18} {r[1]:>5} {r[2]:<14} {r[3]:>9.1f} {r[4]:>9.1f} {r[5]:>9.1f} {r[6]:>9.1f} {r[7]:>9.1f} "
                     f"{f'[{r[8]:.1f}, {r[9]:.1f}]':>20} {r[10]:>9.1f} {100 * r[11]:>+6.1f} %")
    return lines


PARTS = {"slowed": slowed, "cupy": of_cupy, "parity": of_parity, "killed": killed, "torch": of_torch}


def measure(check):
    o = check.o
    if not check.machine.exists():
        # As with the rows: what is done is kept.
        check.call([o.parity, "measure", ROOT / "jobs" / "plans" / "launch_advice.toml", "--output", check.machine, "--quiet"],
                   "launch figures of this machine")
    for part in o.parts.split(","):
        name, _, seconds = part.partition(":")
        check.until = min(check.end, time.monotonic() + float(seconds or o.seconds))
        PARTS[name](check)
    (check.out / "measured.json").write_text(json.dumps({"facts": check.facts, "slowed": check.slowed, "notes": check.notes}, indent=1) + "\n")


def evaluate(check):
    tell_slowed(check)
    tell_killed(check)
    check.compare()
    with open(check.out / "check.csv", "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        out.writerows([[f"{v:.4g}" if isinstance(v, float) else v for v in row] for row in check.rows])
    (check.out / "check.txt").write_text("\n".join([*table(check.rows), "", *check.notes]) + "\n")
    print("\n".join(table(check.rows)))
    print(f"advise_check: {check.out / 'check.txt'}")


def parts_of(text):
    for part in text.split(","):
        name, colon, seconds = part.partition(":")
        try:
            wrong = name not in PARTS or (colon and not float(seconds) > 0)
        except ValueError:
            wrong = True
        if wrong:
            raise argparse.ArgumentTypeError(f"'{part}' is none of {', '.join(PARTS)}, with or without :SECONDS")
    return text


def main():
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("results", help="folder of the tables; what is there is measured again")
    ask.add_argument("--parity", default=str(ROOT / "build" / "parity"))
    ask.add_argument("--seconds", type=float, default=180, help="what is not done by then is left out")
    ask.add_argument("--starts", type=int, default=3, help="starts of the program of each measured row")
    ask.add_argument("--traces", type=int, default=3, help="traces of each program; the median of what they predict counts")
    ask.add_argument("--slowed", type=int, default=5, help="rounds of runs without and with a recorder")
    ask.add_argument("--slowed-seconds", type=float, default=2.2, help="of each such run; recorded are 0.1 s at a time")
    ask.add_argument("--shares", default="0.1,0.05,1", help="of the time, recorded in such runs")
    ask.add_argument("--machine", help="launch figures of this machine that were measured already")
    ask.add_argument("--parts", type=parts_of, default="slowed,cupy,parity,killed,torch", help="in this order; NAME:SECONDS is all a part gets")
    ask.add_argument("--measure-only", action="store_true", help="predict nothing yet, keep the traces")
    ask.add_argument("--evaluate", action="store_true", help="predict from the traces of an earlier call with --measure-only")
    ask.add_argument("--keep-traces", action="store_true")
    check = Check(ask.parse_args())
    o = check.o
    if not os.access(o.parity, os.X_OK):
        sys.exit(f"advise_check: {o.parity} is no program here: build it, or give --parity")
    if o.evaluate:
        try:
            earlier = json.loads((check.out / "measured.json").read_text())
        except OSError as why:
            sys.exit(f"advise_check: {why}")
        check.facts, check.slowed, check.notes = earlier["facts"], earlier["slowed"], earlier["notes"]
    else:
        for old in [*check.out.glob("*.trace.jsonl*"), check.out / "rows.jsonl", check.out / "measured.json", check.out / "launch_model.jsonl"]:
            if old != check.machine or not o.machine:
                old.unlink(missing_ok=True)
        measure(check)
    if o.measure_only:
        return
    check.until = time.monotonic() + 60 + o.seconds  # reading what was measured needs no quiet machine
    evaluate(check)
    if not o.keep_traces and not o.evaluate:
        for path in [*check.out.glob("*.trace.jsonl*"), check.out / "slowed.jsonl"]:
            path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
