#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds 'parity advise' against what really happens on a machine with a GPU: traces programs, asks what graphs and fusion would save,
and measures the same programs with graphs, or fused.

    jobs/advise_check.py RESULTS [--parity build/parity] [--seconds 120]

Measured are Parity's own baselines, whose graphs and fused twins are rows of the diffusion study; the scripts of jobs/programs/ for CuPy
and PyTorch, which capture themselves, where the packages are there; how much slower a program is that mostly launches while it is traced;
and whether the trace of a killed program can be read. RESULTS/check.csv has a line a prediction, RESULTS/check.txt the tables. What the
time does not suffice for is left out and named.
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
SCRIPTS = {"torch_loop": (256,), "cupy_stencil": (64, 256, 512, 1024, 2048)}
COLUMNS = ["program", "size", "way", "now_predicted_us", "now_measured_us", "way_predicted_us", "way_measured_us", "saved_predicted_us",
           "saved_low_us", "saved_high_us", "saved_measured_us", "error"]


class Check:
    def __init__(self, o):
        self.o, self.rows, self.notes, self.until = o, [], [], time.monotonic() + o.seconds
        self.out = pathlib.Path(o.results)
        self.out.mkdir(parents=True, exist_ok=True)
        self.machine = self.out / "launch_model.jsonl"

    def left(self):
        return self.until - time.monotonic()

    def say(self, text):
        self.notes.append(text)
        print(text, flush=True)

    def call(self, words, what, most=60.0, **options):
        """What the command printed, or None with a note."""
        if self.left() < 2:
            self.say(f"left out, no time: {what}")
            return None
        try:
            done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=min(most, self.left()), **options)
        except subprocess.TimeoutExpired:
            self.say(f"left out, took too long: {what}")
            return None
        if done.returncode != 0:
            self.say(f"left out: {what}: exit code {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1][:200]}")
            return None
        return done.stdout

    def trace(self, name, program, what, share=1.0):
        """The trace's path and what the program printed; None where it failed."""
        path = self.out / f"{name}.trace.jsonl"
        words = [self.o.parity, "trace", "--force", "--quiet", "--own-launches", "--share", share, "--output", path, *program]
        printed = self.call(words, what)
        return None if printed is None else (path, printed)

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

    def compare(self, program, size, way, advised, now, measured):
        """advised: steps of several traces; now, measured: seconds."""
        found = [(s["without_recording"]["value"], w) for s in advised for w in s["ways"] if w["name"] == way]
        if not found:
            return
        middle = lambda values: 1e6 * statistics.median(values)  # noqa: E731
        saved = middle(w["saved"]["value"] for _, w in found)
        truth = 1e6 * (now - measured)
        self.rows.append([program, size, way, middle(n for n, _ in found), 1e6 * now, middle(w["step"]["value"] for _, w in found),
                          1e6 * measured, saved, middle(w["saved"]["low"] for _, w in found), middle(w["saved"]["high"] for _, w in found),
                          truth, saved / truth - 1])


def of_parity(check):
    """Baselines of this program: the rows measure themselves."""
    plan = check.out / "rows.toml"
    variants = [v for f, fused in FAMILIES.items() for v in (f"{f}-baseline", f"{f}-baseline+graph-two", fused)]
    plan.write_text("# made by jobs/advise_check.py\nstudy = \"diffusion\"\nvariants = " + json.dumps(variants) + "\n\n[axes]\nsize = " +
                    json.dumps([[n, n, 64] for n in SIZES]) + f"\nsteps = [{STEPS}]\nprecision = [\"float\"]\n\n[measure]\nrepeats = 9\n"
                    f"starts = {check.o.starts}\ntime_cap = 0.1\n")
    advised = {}
    for n in SIZES:
        for family in FAMILIES:
            for k in range(check.o.traces):
                traced = check.trace(f"{family}-baseline.{n}", [check.o.parity, "diffusion", "--variants", f"{family}-baseline", "--nx", n,
                                     "--ny", n, "--nz", 64, "--steps", STEPS, "--precision", "float", "--starts", 1, "--repeats", 7,
                                     "--time-cap", 0.2, "--quiet"], f"trace of {family}-baseline, {n}")
                if traced and (step := check.advise(traced[0], f"advice on {family}-baseline, {n}")):
                    advised.setdefault((family, n), []).append(step)
    if check.call([check.o.parity, "measure", plan, "--output", check.out / "rows.jsonl", "--quiet"], "rows of baselines, graphs and fusion",
                  most=120) is None:
        return
    times = {}
    for line in (check.out / "rows.jsonl").read_text().splitlines():
        r = json.loads(line)
        if r.get("type") == "measurement":
            times[r["kernel"], r["mechanism"], r["problem"]["nx"]] = r["host_seconds"]["median"] / STEPS
    for (family, n), steps in advised.items():
        now, graph, fused = (times.get(key) for key in ((f"{family}-baseline", "stream", n), (f"{family}-baseline", "graph-two", n),
                                                        (FAMILIES[family], "stream", n)))
        if now and graph:
            check.compare(f"{family}-baseline", n, "graph", steps, now, graph)
        if now and fused:
            check.compare(f"{family}-baseline", n, "fused on chip", steps, now, fused)


def of_scripts(check):
    for name, sizes in SCRIPTS.items():
        script = ROOT / "jobs" / "programs" / f"{name}.py"
        for n in sizes:
            run = [sys.executable, script, n, 300]
            plain, graph, advised = [], [], []
            for _ in range(check.o.traces):
                for times, more in ((plain, []), (graph, ["--graph"])):
                    if printed := check.call([*run, *more], f"{name} {n} {' '.join(more)}"):
                        times += json.loads(printed)["seconds"]
                traced = check.trace(f"{name}.{n}", run, f"trace of {name} {n}")
                if traced and (step := check.advise(traced[0], f"advice on {name} {n}")):
                    advised.append(step)
            if plain and graph and advised:
                check.compare(name, n, "graph", advised, statistics.median(plain), statistics.median(graph))


def slowed(check):
    """How much slower a program that launches all the time is while a tenth of the time, or all of it, is recorded."""
    script = [sys.executable, ROOT / "jobs" / "programs" / "cupy_stencil.py", 64, 3000, "--blocks", 6]
    row = [check.o.parity, "diffusion", "--variants", "cuda-baseline", "--nx", 16, "--ny", 16, "--nz", 64, "--steps", STEPS, "--precision",
           "float", "--starts", 1, "--repeats", 80, "--time-cap", 2, "--quiet"]

    def of_row(json_file, words):
        json_file.unlink(missing_ok=True)
        if check.call([*words, "--json", json_file], "baseline, timed") is None:
            return None
        return [s for line in json_file.read_text().splitlines() if (r := json.loads(line)).get("type") == "measurement"
                for block in r["host_seconds"]["samples"] for s in block]

    def of_script(_, words):
        printed = check.call(words, "script, timed")
        return json.loads(printed)["seconds"] if printed else None

    for program, words, of in (("cuda-baseline 16", row, of_row), ("cupy_stencil 64", script, of_script)):
        means = {}
        for k in range(check.o.slowed):
            for share in (None, 0.1, 1.0):
                traced = [] if share is None else [check.o.parity, "trace", "--force", "--quiet", "--own-launches", "--share", share, "--output",
                                                   check.out / "slowed.trace.jsonl"]
                if times := of(check.out / "slowed.jsonl", [*traced, *words]):
                    means.setdefault(share, []).append(statistics.mean(times))
        for share, word in ((0.1, "a tenth of the time"), (1.0, "everything")):
            if means.get(None) and means.get(share):
                by = [b / a - 1 for a, b in zip(means[None], means[share])]
                check.say(f"slower by recording {word}: {program}: median {100 * statistics.median(by):.1f} % [{100 * min(by):.1f}, "
                          f"{100 * max(by):.1f}] of {len(by)} pairs")


def killed(check):
    path = check.out / "killed.trace.jsonl"
    words = [check.o.parity, "trace", "--force", "--quiet", "--output", path, sys.executable,
             ROOT / "jobs" / "programs" / "cupy_stencil.py", 64, 300, "--blocks", 100000]
    if check.left() < 8:
        check.say("left out, no time: a killed program")
        return
    program = subprocess.Popen([str(w) for w in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    began = time.monotonic()
    while program.poll() is None and time.monotonic() - began < 15 and (not path.exists() or path.stat().st_size < 2_000_000):
        time.sleep(0.1)
    program.send_signal(signal.SIGKILL)
    program.wait()
    step = check.advise(path, "advice on a killed program")
    check.say(f"killed by SIGKILL: exit code {program.returncode}, a trace of {path.stat().st_size} bytes, " +
              (f"a step of {len(step['operations'])} operations found {step['repetitions']} times" if step else "no step found"))


def table(rows):
    lines = ["{:<18} {:>5} {:<14} {:>9} {:>9} {:>9} {:>9} {:>9} {:>20} {:>9} {:>7}".format(
        "program", "size", "way", "now us", "measured", "way us", "measured", "saved us", "interval", "measured", "error")]
    for r in rows:
        lines.append(f"{r[0]:<18} {r[1]:>5} {r[2]:<14} {r[3]:>9.1f} {r[4]:>9.1f} {r[5]:>9.1f} {r[6]:>9.1f} {r[7]:>9.1f} "
                     f"{f'[{r[8]:.1f}, {r[9]:.1f}]':>20} {r[10]:>9.1f} {100 * r[11]:>+6.1f} %")
    return lines


def main():
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("results", help="folder of the tables; what is there is measured again")
    ask.add_argument("--parity", default=str(ROOT / "build" / "parity"))
    ask.add_argument("--seconds", type=float, default=180, help="what is not done by then is left out")
    ask.add_argument("--starts", type=int, default=3, help="starts of the program of each measured row")
    ask.add_argument("--traces", type=int, default=3, help="traces of each program; the median of what they predict counts")
    ask.add_argument("--slowed", type=int, default=5, help="pairs of a traced and an untraced run; 0: none")
    ask.add_argument("--machine", help="launch figures of this machine that were measured already")
    ask.add_argument("--parts", default="parity,scripts,killed,slowed", help="in this order")
    ask.add_argument("--keep-traces", action="store_true")
    check = Check(ask.parse_args())
    o = check.o
    if not os.access(o.parity, os.X_OK):
        sys.exit(f"advise_check: {o.parity} is no program here: build it, or give --parity")
    for old in check.out.glob("*.jsonl"):
        old.unlink()
    if o.machine:
        check.machine = pathlib.Path(o.machine)
    elif check.call([o.parity, "measure", ROOT / "jobs" / "plans" / "launch_advice.toml", "--output", check.machine, "--quiet"],
                  "launch figures of this machine") is None:
        sys.exit(3)
    for part in o.parts.split(","):
        {"parity": of_parity, "scripts": of_scripts, "killed": killed, "slowed": slowed}[part](check)
    with open(check.out / "check.csv", "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        out.writerows([[f"{v:.4g}" if isinstance(v, float) else v for v in row] for row in check.rows])
    (check.out / "check.txt").write_text("\n".join([*table(check.rows), "", *check.notes]) + "\n")
    print("\n".join(table(check.rows)))
    if not o.keep_traces:
        for path in [*check.out.glob("*.trace.jsonl*"), check.out / "slowed.jsonl"]:
            path.unlink(missing_ok=True)
    print(f"advise_check: {check.out / 'check.txt'}")


if __name__ == "__main__":
    main()
