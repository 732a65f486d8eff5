#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures a list of steps into a folder of records, in slots of minutes, and goes on where it was.

    evidence.py LIST.toml FOLDER [--slot SECONDS] [--only WORD...] [--again WORD...] [--parity FILE] [--dry-run]

LIST.toml (jobs/evidence/) has the steps in order. A step is one of

    [[step]]
    record = "pairs/pairs.jsonl"              # the file that it writes, below FOLDER
    plan = "pairs"                            # 'parity measure' of jobs/plans/pairs.toml, or
    tunings_of = "pairs/pairs_sweep.jsonl"    # 'parity tunings' of an earlier step's record, or
    resumable = ["python3", "variants/cupy/diffusion.py", "jobs/plans/table4.toml", "--output", "{record}"]   # or
    command = ["{parity}", "instrument"]      # a program whose output is the record; {unit_tests}: the tests of the same build
    options = ["--starts", "3"]               # for a plan: more options of 'parity measure'
    tunings = "pairs/pairs_tunings.toml"      # likewise: an earlier step's tunings
    ranks = 2                                 # likewise: under mpirun

Plans keep their finished rows when a slot ends, and so do resumable programs, which take --resume. Other commands start again in the
next slot; their file is written whole or not at all. FOLDER/evidence.jsonl says of each attempt what ran, of which commit, how long and
how it ended. A finished step is not run again. What was measured by another build of parity, by other words, or by nobody that
evidence.jsonl knows stays as it is: --again measures it anew, and keeps the old file beside. Unit tests of another build are not run.

Exit code: 0 all steps are finished; 1 as well, but rows failed their check; 2 or 3 a step cannot run (the others are tried all the same);
143 the slot is over and steps are left.
"""
import argparse
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

try:
    import tomllib
except ImportError:  # before Python 3.11
    import tomli as tomllib

CLONE = pathlib.Path(__file__).resolve().parents[1]
KINDS = {"plan", "tunings_of", "resumable", "command"}
WORDS = KINDS | {"record", "options", "tunings", "ranks"}
INTERRUPTED = 143
# A row in the middle of its check ends first; then the process is killed, which costs the row.
PATIENCE = float(os.environ.get("PARITY_EVIDENCE_PATIENCE", 60))


class Failure(Exception):
    pass


class Stop:
    """Whether a signal ended this run. An exception instead could come while a step begins, and leave the step behind."""
    asked = False

    def __call__(self, number, frame):
        self.asked = True


stop = Stop()


def newest_parity():
    found = sorted(CLONE.glob("build*/parity"), key=lambda p: p.stat().st_mtime)
    if not found:
        raise Failure("no build*/parity here: build first (cmake/build.sh), or name it with --parity")
    return found[-1]


def steps_of(path):
    """The list's steps, each checked; Failure with one line where one says nothing that can be run."""
    try:
        steps = tomllib.loads(pathlib.Path(path).read_text(encoding="utf-8")).get("step", [])
    except OSError as e:
        raise Failure(f"{path}: {e.strerror}")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise Failure(f"{path}: {e}")
    if not isinstance(steps, list) or not steps or not all(isinstance(s, dict) for s in steps):
        raise Failure(f"{path}: no [[step]]")
    seen = set()
    for number, step in enumerate(steps, 1):
        where = f"{path}: step {number}"
        record = step.get("record")
        if not isinstance(record, str) or pathlib.PurePath(record).is_absolute() or ".." in pathlib.PurePath(record).parts:
            raise Failure(f"{where}: 'record' must name a file below the folder")
        where += f" ({record})"
        if record in seen:
            raise Failure(f"{where}: an earlier step writes the same record")
        if unknown := sorted(set(step) - WORDS):
            raise Failure(f"{where}: unknown word '{unknown[0]}'; known are {', '.join(sorted(WORDS))}")
        if len(KINDS & set(step)) != 1:
            raise Failure(f"{where}: needs one of {', '.join(sorted(KINDS))}")
        for word in ("options", "resumable", "command"):
            if not all(isinstance(w, str) for w in step.get(word, [])):
                raise Failure(f"{where}: '{word}' is a list of words in quotes")
        if "plan" in step and not (CLONE / f"jobs/plans/{step['plan']}.toml").is_file():
            raise Failure(f"{where}: there is no jobs/plans/{step['plan']}.toml")
        for word in ("tunings", "tunings_of"):
            if word in step and step[word] not in seen:
                raise Failure(f"{where}: no earlier step writes '{step[word]}'")
        seen.add(record)
    return steps


class Evidence:
    def __init__(self, folder, parity):
        self.folder, self.parity, self.log = folder, parity, folder / "evidence.jsonl"
        asked = subprocess.run([parity, "--version"], text=True, capture_output=True)
        if asked.returncode:
            raise Failure(f"{parity} --version ended with {asked.returncode}: {asked.stderr.strip()[-200:]}")
        self.version, self.build = asked.stdout, asked.stdout.splitlines()[0]
        self.ended = {}  # record: the last attempt
        if self.log.exists():
            # A killed driver may leave half a line behind.
            for line in self.log.read_text(encoding="utf-8").splitlines():
                try:
                    attempt = json.loads(line)
                    self.ended[attempt["record"]] = attempt
                except (ValueError, KeyError, TypeError):
                    continue

    def words(self, step):
        """The command as it is recorded, with the names of files below the folder as the list has them."""
        if "plan" in step:
            tunings = ["--tunings", step["tunings"]] if "tunings" in step else []
            launcher = ["mpirun", "-n", str(step["ranks"])] if "ranks" in step else []
            return [*launcher, "parity", "measure", f"jobs/plans/{step['plan']}.toml", *step.get("options", []), *tunings]
        if "tunings_of" in step:
            return ["parity", "tunings", step["tunings_of"]]
        return list(step.get("resumable") or step["command"])

    def unit_tests(self):
        """Those of the same build, where a build or a copy of it has them."""
        inside = self.parity.parent / "tests/unit_tests"
        return inside if inside.exists() else self.parity.parent / "unit_tests"

    def why_not_these_tests(self, step):
        """Why the unit tests of a step are not those of this build; None: they are, or the step runs none."""
        if "{unit_tests}" not in self.words(step):
            return None
        program = self.unit_tests()
        try:
            # Programs of before there was --version list their tests instead of running them.
            asked = subprocess.run([program, "--version", "--gtest_list_tests"], text=True, capture_output=True)
        except OSError as e:
            return f"{e.filename}: {e.strerror}"
        if asked.returncode:
            return f"{program} --version ended with {asked.returncode}: {asked.stderr.strip()[-200:]}"
        said, own = asked.stdout.strip().splitlines(), self.version.strip().splitlines()
        if said == own:
            return None
        if not said or not said[0].startswith("parity "):
            return f"{program} does not say of which build it is: build it anew"
        differ = next((pair for pair in zip(said, own) if pair[0] != pair[1]), (said[-1], own[-1]))
        return f"{program} is of another build: '{differ[0]}', and parity '{differ[1]}'"

    def command(self, step, record):
        names = {"{parity}": str(self.parity), "parity": str(self.parity), "{record}": str(record), "python3": sys.executable,
                 "{unit_tests}": str(self.unit_tests())}
        if "tunings_of" in step:
            return [str(self.parity), "tunings", str(self.folder / step["tunings_of"]), "--output", str(record)]
        words = [names.get(w, w) for w in self.words(step)]
        if "tunings" in step:
            words[-1] = str(self.folder / step["tunings"])
        if "plan" in step:
            words += ["--quiet", "--output", str(record)]
        return words + (["--resume"] if ("plan" in step or "resumable" in step) and record.exists() else [])

    def last(self, step):
        """The last attempt at the step as it is, by this build; None: there is none."""
        last = self.ended.get(step["record"])
        return last if last and last["command"] == self.words(step) and last["build"] == self.build else None

    def finished(self, step):
        last = self.last(step)
        return bool(last and last["finished"] and (self.folder / step["record"]).exists())

    def others(self, step):
        """Whether something else wrote the record that is there."""
        return (self.folder / step["record"]).exists() and not self.last(step)

    def begin_again(self, step):
        """What is there goes aside; it is not lost."""
        record = self.folder / step["record"]
        if record.exists():
            record.replace(record.with_name(record.name + "." + datetime.datetime.now().strftime("%Y%m%d%H%M%S") + ".before"))

    def note(self, step, **how):
        attempt = {"record": step["record"], "command": self.words(step), "build": self.build, **how}
        with open(self.log, "a", encoding="utf-8") as f:
            f.write(json.dumps(attempt) + "\n")
        self.ended[step["record"]] = attempt
        return attempt

    def run(self, step, deadline):
        """Runs a step until its end or the deadline (monotonic seconds, or None); the attempt's record."""
        record = self.folder / step["record"]
        record.parent.mkdir(parents=True, exist_ok=True)
        self.note(step, seconds=0, code=None, finished=False)  # whose the record is, should this process be killed
        started = time.monotonic()
        with tempfile.NamedTemporaryFile("wb", dir=record.parent, prefix=record.name + ".", suffix=".part", delete=False) as printed, \
                open(self.folder / "evidence.log", "ab") as log:
            log.write(f"== {record.name}\n".encode())
            log.flush()
            cut = False
            try:
                process = subprocess.Popen(self.command(step, record), cwd=CLONE, stdin=subprocess.DEVNULL, stderr=log,
                                           stdout=printed if "command" in step else log, start_new_session=True)
            except OSError as e:
                log.write(f"{e.filename}: {e.strerror}\n".encode())
                code = 3
            else:
                cut = not ended(process, deadline)
                if cut:
                    end(process)
                code = process.returncode
        # A check that failed is a finished row, and is told; a program that was cut is not finished, whatever it says.
        finished = not cut and code in (0, 1)
        if "command" in step and finished:
            os.chmod(printed.name, 0o644)
            os.replace(printed.name, record)
        else:
            os.unlink(printed.name)
        finished = finished and record.exists()
        return self.note(step, seconds=round(time.monotonic() - started, 1), code=INTERRUPTED if cut else code, finished=finished)


def ended(process, deadline):
    """Waits for the process until the deadline or a signal; whether it ended by itself."""
    while not stop.asked:
        left = float("inf") if deadline is None else deadline - time.monotonic()
        try:
            process.wait(max(0.0, min(left, 0.2)))
            return True
        except subprocess.TimeoutExpired:
            if left <= 0:
                return False
    return False


def end(process):
    for number, patience in ((signal.SIGTERM, PATIENCE), (signal.SIGKILL, None)):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
        try:
            process.wait(patience)
            return
        except subprocess.TimeoutExpired:
            continue


def chosen(step, words):
    return any(word in step["record"] for word in words)


def work(options):
    steps = steps_of(options.list)
    for word in [*options.only, *options.again]:
        if not any(chosen(s, [word]) for s in steps):
            raise Failure(f"no step's record has '{word}' in its name")
    if not options.dry_run:
        options.folder.mkdir(parents=True, exist_ok=True)
    evidence = Evidence(options.folder, options.parity or newest_parity())
    deadline = None if options.slot is None else time.monotonic() + options.slot
    steps = [s for s in steps if not options.only or chosen(s, options.only)]
    worst, left = 0, 0
    for step in steps:
        again = chosen(step, options.again)
        if not again and evidence.finished(step):
            worst = max(worst, evidence.ended[step["record"]]["code"])
            continue
        others = evidence.others(step)
        if options.dry_run:
            left += 1
            print(f"{step['record']}: {' '.join(evidence.words(step))}" + (" (what is there was measured otherwise: --again)" if others else ""))
            continue
        if stop.asked or deadline is not None and time.monotonic() >= deadline:
            left += 1
            continue
        if why := evidence.why_not_these_tests(step):
            worst = max(worst, 2)
            print(f"{step['record']}: {why}", flush=True)
            continue
        if again:
            evidence.begin_again(step)
        elif others:
            worst = max(worst, 2)
            print(f"{step['record']}: was measured by other words, another build or another run; --again {step['record']} measures it anew",
                  flush=True)
            continue
        missing = [step[w] for w in ("tunings", "tunings_of") if w in step and not (options.folder / step[w]).exists()]
        if missing:
            left += 1
            print(f"{step['record']}: waits for {missing[0]}", flush=True)
            continue
        attempt = evidence.run(step, deadline)
        ended = "finished" if attempt["finished"] else "cut, goes on later" if attempt["code"] == INTERRUPTED else f"ended with {attempt['code']}"
        print(f"{step['record']}: {ended} after {attempt['seconds']:.0f} s", flush=True)
        if attempt["finished"]:
            worst = max(worst, attempt["code"])
        elif attempt["code"] == INTERRUPTED:
            left += 1
        else:
            worst = max(worst, attempt["code"] if attempt["code"] in (2, 3) else 3)
            print(f"{step['record']}: {options.folder / 'evidence.log'} says why", flush=True)
    done = sum(evidence.finished(s) for s in steps)
    print(f"{done} of {len(steps)} steps are finished")
    return worst if worst >= 2 or options.dry_run else INTERRUPTED if left else worst


def main():
    parser = argparse.ArgumentParser(prog="evidence.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", metavar="LIST.toml")
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("--slot", type=float, metavar="SECONDS", help="end within about so many seconds (default: no end)")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="only steps whose record has a WORD in its name")
    parser.add_argument("--again", nargs="+", default=[], metavar="WORD", help="measure such steps anew; what is there is kept as *.before")
    parser.add_argument("--parity", type=pathlib.Path, metavar="FILE", help="the built program (default: the newest build*/parity here)")
    parser.add_argument("--dry-run", action="store_true", help="print what is left to do")
    options = parser.parse_args()
    if options.slot is not None and not options.slot > 0:
        parser.error("--slot: more than 0 seconds")
    options.folder = options.folder.absolute()
    if options.parity:
        options.parity = options.parity.absolute()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, stop)
    try:
        return work(options)
    except (Failure, OSError) as e:
        print(f"evidence: {e}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
