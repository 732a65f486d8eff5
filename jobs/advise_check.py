#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds 'parity advise' against what really happens on a machine with a GPU: traces programs, asks what graphs and fusion would save,
and measures the same programs with graphs, or fused.

    jobs/advise_check.py RESULTS [--parity build/parity] [--seconds 165] [--parts slowed:32,parity:85,cupy:35,killed:10,torch]

Measured are Parity's own baselines, whose graphs and fused twins are rows of the diffusion study; the scripts of jobs/programs/ for CuPy
and PyTorch, which capture themselves, where the packages are there; how much slower a program is that mostly launches while it is traced,
all the time or a share of it; and whether the trace of a killed program can be read. RESULTS/check.csv has a line a prediction,
RESULTS/check.txt the tables, RESULTS/measured.json what was measured, which is written after each size. What the time does not suffice for
is left out and named. The traces are kept as RESULTS/*.trace.jsonl.gz: 'jobs/advise_check.py RESULTS --evaluate' predicts again, without a
GPU. With --measure-only nothing is predicted yet.
"""
import argparse
import csv
import gzip
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
SIZES = (16, 256, 64, 128, 32)  # in this order
STEPS = 257
SCRIPT_STEPS = 300
FAMILIES = {"cuda": "cuda-fused-2d", "kokkos": "kokkos-fused"}
SCRIPTS = {"torch": ("torch_loop", (256,)), "cupy": ("cupy_stencil", (256, 1024, 128))}
# What the fused rows leave apart: they launch twice a step.
APART = ["--apart", "copy_halo", "--apart", "CopyPoints"]
# Operations of a step at least: four equal layers of 8 are one.
LEAST = {"torch_loop": 20}
LARGEST_TRACE = 80_000_000  # bytes
LEAST_LAUNCHES = 500  # of a block that is looked for in a trace
# What a block takes longer by the program's clock than from its first launch to the end of its wait: the clock's own time, and an event's.
BESIDE_A_BLOCK = (-2e-6, 20e-6)
WITHIN = 0.15
# now_measured: of untraced processes, the median and the range. now_own_clock, error_by_own_clock: of the traced processes' blocks that
# lie in no window; empty where the trace does not tell which those are: see unrecorded().
COLUMNS = ["program", "size", "way", "now_predicted_us", "now_measured_us", "way_predicted_us", "way_measured_us", "saved_predicted_us",
           "saved_low_us", "saved_high_us", "saved_measured_us", "error", "now_recorded_us", "now_counted_us", "now_own_clock_us",
           "now_measured_low_us", "now_measured_high_us", "error_by_own_clock"]


class Check:
    def __init__(self, o):
        self.o, self.rows, self.notes, self.facts, self.slowed, self.seen = o, [], [], [], [], {}
        self.until = self.end = time.monotonic() + o.seconds
        self.out = pathlib.Path(o.results)
        self.out.mkdir(parents=True, exist_ok=True)
        self.machine = pathlib.Path(o.machine) if o.machine else self.out / "launch_model.jsonl"

    def left(self):
        return self.until - time.monotonic()

    def say(self, text):
        self.notes.append(text)
        print(text, flush=True)

    def keep(self):
        """What was measured so far."""
        (self.out / "measured.json").write_text(json.dumps({"facts": self.facts, "slowed": self.slowed, "notes": self.notes}, indent=1) + "\n")

    def pack(self, path):
        """The name of the packed trace; None where it is too large to be kept."""
        size = path.stat().st_size
        if size <= LARGEST_TRACE:
            with open(path, "rb") as text, gzip.open(f"{path}.gz", "wb", compresslevel=3) as packed:
                shutil.copyfileobj(text, packed)
        else:
            self.say(f"not kept: {path.name} of {size} bytes")
        path.unlink()
        return f"{path.name}.gz" if size <= LARGEST_TRACE else None

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

    def trace(self, name, program, what, printed=None):
        """The trace's name; None where it failed. What the program printed goes into 'printed'."""
        path = self.out / f"{name}.trace.jsonl"
        words = [self.o.parity, "trace", "--force", "--quiet", "--own-launches", "--output", path, *program]
        text = self.call(words, what)
        if text is None:
            path.unlink(missing_ok=True)
            return None
        if printed is not None:
            printed.append(text)
        return self.pack(path)

    def advise(self, path, what, least=1):
        """The step that lasts longest in all, as advised; None where nothing is predicted."""
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as whole:
            if path.suffix == ".gz":
                with gzip.open(path, "rb") as packed:
                    shutil.copyfileobj(packed, whole)
                whole.flush()
                path = whole.name
            printed = self.call([self.o.parity, "advise", path, "--machine", self.machine, "--format", "json", *APART,
                                 "--least-operations", least], what)
        if printed is None:
            return None
        steps = [s for p in json.loads(printed)["programs"] for s in p["steps"]]
        if not steps or steps[0]["refused"]:
            self.say(f"no prediction: {what}: {steps[0]['refused'] if steps else 'nothing repeats'}")
            return None
        return steps[0]

    def fact(self, program, size, way, traces, now, measured, own):
        """What a way really gave: seconds of a step, of each process. own: by the traced program's own clock, of each block; a list a trace."""
        if traces and now and measured:
            self.facts.append({"program": program, "size": size, "way": way, "traces": traces, "now": now, "measured": measured, "own": own})
        self.keep()

    def compare(self):
        """Each fact with what its traces say; of several traces the median."""
        steps = {name: self.advise(self.out / name, f"advice on {name}", LEAST.get(name.split(".")[0], 1))
                 for name in dict.fromkeys(t for f in self.facts for t in f["traces"])}
        for f in self.facts:
            found = [(s, w) for t in f["traces"] if (s := steps[t]) for w in s["ways"] if w["name"] == f["way"]]
            if not found:
                continue

            def middle(values):
                there = [v for v in values if v is not None]
                return 1e6 * statistics.median(there) if there else ""
            now, measured = statistics.median(f["now"]), statistics.median(f["measured"])
            saved = middle(w["saved"]["value"] for _, w in found)
            truth = 1e6 * (now - measured)
            own = middle(self.alone(f))
            self.rows.append([f["program"], f["size"], f["way"], middle(s["without_recording"]["value"] for s, _ in found), 1e6 * now,
                              middle(w["step"]["value"] for _, w in found), 1e6 * measured, saved,
                              middle(w["saved"]["low"] for _, w in found), middle(w["saved"]["high"] for _, w in found), truth,
                              relative(saved, truth), middle(s["wall"]["value"] for s, _ in found),
                              middle((s.get("counted") or {}).get("step", {}).get("value") for s, _ in found), own,
                              1e6 * min(f["now"]), 1e6 * max(f["now"]), relative(saved, own - 1e6 * measured) if own != "" else ""])

    def alone(self, fact):
        """Seconds of a step: of the blocks of the traced processes that were neither recorded nor counted."""
        steps = SCRIPT_STEPS if fact["program"] in {name for name, _ in SCRIPTS.values()} else STEPS
        own, traces = fact["own"], fact["traces"]
        # Older files have the blocks of all traces in one list.
        several = len(traces) > 1 and not (own and isinstance(own[0], list))
        lists = [own] * len(traces) if several or not (own and isinstance(own[0], list)) else own
        found = set()
        for k, (trace, blocks) in enumerate(zip(traces, lists)):
            if trace not in self.seen:
                with gzip.open(self.out / trace, "rt", encoding="utf-8") as lines:
                    self.seen[trace] = seen_in(lines)
            ended = not several or k + 1 == len(traces)
            found |= {(0 if several else k, i) for i in unrecorded(*self.seen[trace], [steps * s for s in blocks], ended)}
        return [lists[k][i] for k, i in sorted(found)]


def relative(predicted, truth):
    """The error, as a part of the truth; empty where one of them is not known, or nothing was gained."""
    return predicted / truth - 1 if predicted != "" and truth != "" and truth != 0 else ""


def seen_in(lines):
    """Of a trace: the windows in which something was recorded or counted, begin and end; the blocks in them, from the first launch after a
    wait to the end of the next wait, begin and seconds."""
    windows, events, names = [], [], {"launch": True, "graph_launch": True, "wait": False}
    for line in lines:
        r = json.loads(line)
        if "own_launches" in r:
            break
        kind = r.get("e")
        if "window" in r:
            if windows and windows[-1][1] is None:
                windows[-1][1] = 1e-9 * r["t"]
            if r["window"] != "none":
                windows.append([1e-9 * r["t"], None])
        elif kind == "tally":
            events.append((1e-9 * r["t"], not r.get("wait"), r["k"]))
        elif kind in names and r.get("t") is not None:
            events.append((1e-9 * (r["t"] + (0 if names[kind] else r["d"])), names[kind], None))
    blocks, first, count = [], None, 0
    for time_, launch, before in sorted(events, key=lambda e: e[0]):
        if launch and first is None:
            first, count = (time_, before), 0
        count += launch
        if not launch:
            if first and (count if before is None or first[1] is None else before - first[1]) >= LEAST_LAUNCHES:
                blocks.append((first[0], time_ - first[0]))
            first = None
    return windows, blocks


def unrecorded(windows, seen, own, ended=True):
    """Which blocks of a process surely lie in no window: own has their seconds, in their order; they do not overlap. ended: whether those
    after the last one that the trace shows are of this process, too. A block of the trace is that of the list with as many seconds, where
    there is one alone; the most that follow one another as the list says count, and one is not enough. From these on the others come no
    earlier, and before these no later, than those between take."""
    if not windows or windows[-1][1] is None:
        return []
    until = [0.0]
    for seconds in own:
        until.append(until[-1] + seconds)
    shown = []
    for begin, seconds in seen:
        fits = [i for i, s in enumerate(own) if BESIDE_A_BLOCK[0] <= s - seconds <= BESIDE_A_BLOCK[1]]
        if len(fits) == 1:
            shown.append((begin, fits[0]))
    longest = []  # of each, the longest sequence that ends with it
    for k, (begin, i) in enumerate(shown):
        before = [c for c in longest if c[-1][1] < i and begin - c[-1][0] >= until[i] - until[c[-1][1]]]
        longest.append([*max(before, key=len, default=[]), (begin, i)])
    chain = max(longest, key=len, default=[])
    if len(chain) < 2:
        return []
    alone = []
    for i in range(chain[0][1] + 1, len(own)):
        t, at = max(c for c in chain if c[1] <= i)
        earliest = t + until[i] - until[at]
        later = [c for c in chain if c[1] > i]
        if at == i or (not later and not ended):
            continue
        latest = min(later)[0] - (until[min(later)[1]] - until[i + 1]) if later else float("inf")
        if all(latest <= begin or earliest >= end for begin, end in windows):
            alone.append(i)
    return alone


def times_of(path):
    """Seconds of a step: of each row, by kernel and mechanism, those of its blocks."""
    times = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        r = json.loads(line)
        if r.get("type") == "measurement":
            times[r["kernel"], r["mechanism"]] = [s / STEPS for start in r["host_seconds"]["samples"] for s in start]
    return times


def of_parity(check):
    """Baselines of this program: runs of the rows stand before and after the traced one, a process each."""
    json_file = check.out / "rows.jsonl"

    def rows(variants, n, seconds, traced=None):
        words = ["diffusion", "--variants", ",".join(variants), "--nx", n, "--ny", n, "--nz", 64, "--steps", STEPS, "--precision", "float",
                 "--starts", 1, "--repeats", 4000, "--time-cap", seconds, "--quiet", "--json", json_file]
        json_file.unlink(missing_ok=True)
        if traced:
            return check.trace(traced, [check.o.parity, *words], f"trace of {traced}"), times_of(json_file)
        return check.call([check.o.parity, *words], f"rows of {variants[0]}, {n}") is not None, times_of(json_file)

    for n in SIZES:
        for family, fused in FAMILIES.items():
            baseline, truths, traces, own = f"{family}-baseline", [], [], []
            for k in range(check.o.traces + 1):
                if (done := rows([baseline, f"{baseline}+graph-two", fused] if k == 0 else [baseline], n, 0.25))[0]:
                    truths.append(done[1])
                if k < check.o.traces and (done := rows([baseline], n, check.o.traced_seconds, f"{baseline}.{n}.{k}"))[0]:
                    traces.append(done[0])
                    own.append(done[1].get((baseline, "stream"), []))
            of = lambda kernel, way: [statistics.median(t[kernel, way]) for t in truths if (kernel, way) in t]  # noqa: E731
            now = of(baseline, "stream")
            check.fact(baseline, n, "graph", traces, now, of(baseline, "graph-two"), own)
            check.fact(baseline, n, "fused on chip", traces, now, of(fused, "stream"), own)


def of_script(check, package, again=True):
    """Traced once, and run alone before that and, again, after it."""
    name, sizes = SCRIPTS[package]
    for n in sizes:
        run = [sys.executable, ROOT / "jobs" / "programs" / f"{name}.py", n, SCRIPT_STEPS]
        plain, graph, traces, own = [], [], [], []
        for k in range(2):
            if (again or k == 0) and (printed := check.call([*run, "--blocks", 15], f"{name} {n}")):
                plain.append(statistics.median(json.loads(printed)["seconds"]))
            if k == 0 and (printed := check.call([*run, "--graph", "--blocks", 15], f"{name} {n} --graph")):
                graph.append(statistics.median(json.loads(printed)["seconds"]))
            if k == 0:
                # As long as a recorded window comes in the midst of it.
                blocks = max(15, round(check.o.traced_seconds / (SCRIPT_STEPS * plain[-1]))) if plain else 40
                printed = []
                if traced := check.trace(f"{name}.{n}.0", [*run, "--blocks", blocks], f"trace of {name} {n}", printed):
                    traces.append(traced)
                    own.append(json.loads(printed[0])["seconds"])
        check.fact(name, n, "graph", traces, plain, graph, own)


def of_torch(check):
    """Its first import of a machine takes 20 s and more where the disk is slow: no run more than is needed."""
    of_script(check, "torch", again=False)


def of_cupy(check):
    of_script(check, "cupy")


def slowed(check):
    """Runs of a program that launches all the time, alone and traced in turn: seconds of its blocks, and of the process."""
    json_file = check.out / "slowed.jsonl"
    words = [check.o.parity, "diffusion", "--variants", "cuda-baseline", "--nx", 16, "--ny", 16, "--nz", 64, "--steps", STEPS, "--precision",
             "float", "--starts", 1, "--repeats", 4000, "--time-cap", check.o.slowed_seconds, "--quiet", "--json", json_file]
    shares = check.o.shares.split(",")
    order = [share for _ in range(check.o.slowed) for share in (None, shares[0])] + [None] + shares[1:]
    for k, share in enumerate(order):
        name = f"slowed.{k}"
        traced = [] if share is None else [check.o.parity, "trace", "--force", "--quiet", "--output", check.out / f"{name}.trace.jsonl",
                                           *([] if share == "usual" else ["--share", share])]
        json_file.unlink(missing_ok=True)
        began = time.monotonic()
        if check.call([*traced, *words], f"cuda-baseline 16, {'alone' if share is None else f'recorded, share {share}'}") is None:
            continue
        took = time.monotonic() - began
        if traced:
            check.pack(check.out / f"{name}.trace.jsonl")
        for blocks in times_of(json_file).values():
            check.slowed.append({"share": share, "seconds": [round(STEPS * s, 9) for s in blocks], "process_seconds": took})
        check.keep()


def tell_slowed(check):
    """Each traced run against the two without a recorder beside it, and, since hosts differ from process to process, within the runs: a
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
        beside = lambda k: statistics.mean(mean(a) for a in sorted(alone, key=lambda a: abs(a - k))[:2])  # noqa: E731
        by = [mean(k) / beside(k) - 1 for k in traced]
        text = (f"traced, share {share}: slower by {100 * statistics.median(by):.1f} % [{100 * min(by):.1f}, {100 * max(by):.1f}] of "
                f"{len(by)} runs ({', '.join(f'{1e6 * mean(k) / STEPS:.1f}' for k in traced)} us a step)")
        if share != "1":
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
    written = None
    while program.poll() is None and check.left() > 3 and time.monotonic() - began < 15 and not (written and time.monotonic() - written > 1.5):
        time.sleep(0.1)
        if not written and path.exists() and path.stat().st_size > 200_000:
            written = time.monotonic()
    program.send_signal(signal.SIGKILL)
    program.wait()
    if not path.exists():
        check.say(f"a program that was to be killed: exit code {program.returncode}, no trace")
        return
    how = "killed by SIGKILL" if program.returncode == -signal.SIGKILL else "a program that was to be killed ended by itself"
    check.say(f"{how}: exit code {program.returncode}, a trace of {path.stat().st_size} bytes")
    check.pack(path)


def tell_killed(check):
    path = check.out / "killed.trace.jsonl.gz"
    if path.exists() and (step := check.advise(path, "advice on a killed program")):
        check.say(f"trace of the killed program: a step of {len(step['operations'])} operations found {step['repetitions']} times")


def table(rows):
    def text(value, width, form=".1f"):
        return f"{'-' if value == '' else format(value, form):>{width}}"

    def percent(value, width):
        return text(value if value == "" else 100 * value, width, "+.1f") + ("" if value == "" else " %")

    lines = ["{:<18} {:>5} {:<14} {:>9} {:>9} {:>16} {:>9} {:>9} {:>9} {:>9} {:>20} {:>9} {:>8}  {}".format(
        "program", "size", "way", "now us", "measured", "range", "own clock", "way us", "measured", "saved us", "interval", "measured", "error",
        "by own clock")]
    for r in rows:
        lines.append(f"{r[0]:<18} {r[1]:>5} {r[2]:<14} {text(r[3], 9)} {text(r[4], 9)} {f'{r[15]:.1f} to {r[16]:.1f}':>16} {text(r[14], 9)} "
                     f"{text(r[5], 9)} {text(r[6], 9)} {text(r[7], 9)} {f'[{text(r[8], 0)}, {text(r[9], 0)}]':>20} {text(r[10], 9)} "
                     f"{percent(r[11], 6)} {percent(r[17], 10)}")
    return lines


def told(rows):
    """How many predictions hold, in a line."""
    def within(column):
        errors = [r[column] for r in rows if r[column] != ""]
        return f"{sum(abs(e) <= WITHIN for e in errors)} of {len(errors)}"
    held = [r for r in rows if "" not in (r[8], r[9])]
    inside = sum(r[8] <= r[10] <= r[9] for r in held)
    return (f"within {100 * WITHIN:.0f} % of what was gained: {within(11)} predictions by untraced processes, {within(17)} by the traced ones' own "
            f"clock; {inside} of {len(held)} measured gains lie within the predicted interval")


PARTS = {"slowed": slowed, "cupy": of_cupy, "parity": of_parity, "killed": killed, "torch": of_torch}


def measure(check):
    o = check.o
    if not check.machine.exists():
        # As with the rows: what is done is kept.
        began = time.monotonic()
        check.call([o.parity, "measure", ROOT / "jobs" / "plans" / "launch_advice.toml", "--output", check.machine, "--quiet"],
                   "launch figures of this machine")
        check.say(f"launch figures: {time.monotonic() - began:.1f} s")
    for part in o.parts.split(","):
        name, _, seconds = part.partition(":")
        check.until = min(check.end, time.monotonic() + float(seconds or o.seconds))
        began = time.monotonic()
        PARTS[name](check)
        check.say(f"part {name}: {time.monotonic() - began:.1f} s")
        check.keep()


def evaluate(check):
    tell_slowed(check)
    tell_killed(check)
    check.compare()
    with open(check.out / "check.csv", "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        out.writerows([[f"{v:.4g}" if isinstance(v, float) else v for v in row] for row in check.rows])
    (check.out / "check.txt").write_text("\n".join([*table(check.rows), "", told(check.rows), "", *check.notes]) + "\n")
    print("\n".join([*table(check.rows), "", told(check.rows)]))
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
    ask.add_argument("--seconds", type=float, default=165, help="what is not done by then is left out")
    ask.add_argument("--traces", type=int, default=2, help="traces of each baseline; the median of what they predict counts")
    ask.add_argument("--traced-seconds", type=float, default=1.25, help="of each of them, and more where the program needs them to start")
    ask.add_argument("--slowed", type=int, default=4, help="pairs of runs without and with a recorder")
    ask.add_argument("--slowed-seconds", type=float, default=2.3, help="of each such run")
    ask.add_argument("--shares", default="usual,1", help="of the time that is recorded in such runs: the first in each pair, the others once")
    ask.add_argument("--machine", help="launch figures of this machine that were measured already")
    ask.add_argument("--parts", type=parts_of, default="slowed:32,parity:85,cupy:35,killed:10,torch", help="in this order; NAME:SECONDS is all a part gets")
    ask.add_argument("--measure-only", action="store_true", help="predict nothing yet, keep the traces")
    ask.add_argument("--evaluate", action="store_true", help="predict from the traces of an earlier call with --measure-only")
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
        for old in [*check.out.glob("*.trace.jsonl*"), *(check.out / f"{name}.jsonl" for name in ("rows", "slowed", "launch_model")),
                    check.out / "measured.json"]:
            if old != check.machine or not o.machine:
                old.unlink(missing_ok=True)
        measure(check)
    if o.measure_only:
        return
    check.until = time.monotonic() + 60 + o.seconds  # reading what was measured needs no quiet machine
    evaluate(check)


if __name__ == "__main__":
    main()
