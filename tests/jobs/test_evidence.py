# SPDX-License-Identifier: BSD-3-Clause
"""The driver that measures a list of steps in slots: what is finished stays, what is cut goes on, builds never mix."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest
from conftest import PARITY, ROOT
from record_files import key, lines

DRIVER = ROOT / "jobs/evidence.py"
FAKE = """#!/bin/sh
# Stands for parity: finishes when there is a file 'go', and says what it was called with.
case $1 in --version) cat "$FAKE/version"; exit ;; esac
echo "$*" >>"$FAKE/calls"
for last; do output=$next; next=$last; done
while [ $# -gt 0 ]; do [ "$1" != --output ] || output=$2; shift; done
echo row >>"$output"
[ -e "$FAKE/go" ] || { sleep 600 & trap 'kill $!; exit 143' TERM; echo $$ >"$FAKE/waits"; wait; }
echo last >>"$output"
exit $(cat "$FAKE/code" 2>/dev/null || echo 0)
"""
SWEEP = '[[step]]\nrecord = "a/sweep.jsonl"\nplan = "local"\noptions = ["--starts", "1"]\n'
TUNINGS = '[[step]]\nrecord = "a/tunings.toml"\ntunings_of = "a/sweep.jsonl"\n'
TUNED = '[[step]]\nrecord = "a/tuned.jsonl"\nplan = "local"\ntunings = "a/tunings.toml"\n'


class Driven:
    def __init__(self, folder):
        self.folder, self.results = folder, folder / "results"
        self.environment = dict(os.environ, FAKE=str(folder))
        (folder / "parity").write_text(FAKE)
        (folder / "parity").chmod(0o755)
        self.version("one")

    def version(self, text):
        (self.folder / "version").write_text(f"parity 0 ({text})\n")

    def go(self):
        (self.folder / "go").touch()

    def calls(self):
        file = self.folder / "calls"
        return file.read_text().splitlines() if file.exists() else []

    def command(self, text, *options, parity=None):
        (self.folder / "list.toml").write_text(text)
        return [sys.executable, str(DRIVER), str(self.folder / "list.toml"), str(self.results), "--parity", str(parity or self.folder / "parity"),
                *options]

    def __call__(self, text, *options, parity=None):
        return subprocess.run(self.command(text, *options, parity=parity), text=True, capture_output=True, env=self.environment)


@pytest.fixture
def driven(tmp_path):
    return Driven(tmp_path)


def test_steps_run_once_and_tunings_are_handed_on(driven):
    driven.go()
    first = driven(SWEEP + TUNINGS + TUNED)
    assert first.returncode == 0, first.stdout + first.stderr
    assert "3 of 3 steps are finished" in first.stdout
    sweep, tunings, tuned = driven.calls()
    assert sweep.startswith("measure jobs/plans/local.toml --starts 1 ") and "--resume" not in sweep
    assert tunings == f"tunings {driven.results}/a/sweep.jsonl --output {driven.results}/a/tunings.toml"
    assert f"--tunings {driven.results}/a/tunings.toml" in tuned
    assert driven(SWEEP + TUNINGS + TUNED).returncode == 0
    assert len(driven.calls()) == 3


def test_a_slot_that_is_over_cuts_the_step_and_the_next_goes_on(driven):
    for slot in (1, 4, 16, 64):  # however long the program takes to start
        cut = driven(SWEEP + TUNINGS, "--slot", str(slot))
        if (driven.results / "a/sweep.jsonl").exists():
            break
    assert cut.returncode == 143, cut.stdout + cut.stderr
    assert "cut, goes on later" in cut.stdout and "0 of 2 steps" in cut.stdout
    assert (driven.results / "a/sweep.jsonl").read_text() == "row\n"
    driven.go()
    done = driven(SWEEP + TUNINGS)
    assert done.returncode == 0, done.stdout
    assert driven.calls()[-2].endswith("--resume")
    attempts = [json.loads(line) for line in (driven.results / "evidence.jsonl").read_text().splitlines()]
    assert [(a["record"], a["code"], a["finished"]) for a in attempts if a["code"] is not None][-3:] == [
        ("a/sweep.jsonl", 143, False), ("a/sweep.jsonl", 0, True), ("a/tunings.toml", 0, True)]


def test_a_driver_that_is_stopped_stops_its_step(driven):
    process = subprocess.Popen(driven.command(SWEEP + TUNINGS), env=driven.environment, stdout=subprocess.PIPE, text=True)
    while not (driven.folder / "waits").exists() or not (driven.folder / "waits").read_text():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate()
    assert process.returncode == 143 and "0 of 2" in out
    with pytest.raises(ProcessLookupError):
        os.kill(int((driven.folder / "waits").read_text()), 0)
    assert len(driven.calls()) == 1


# Stands for a signal that comes while a step begins: the step's process is there, and the driver does not know it yet.
EARLY = """import os, signal, subprocess, sys
sys.path.insert(0, {jobs!r})
import evidence
class Early(subprocess.Popen):
    def __init__(self, *words, **how):
        super().__init__(*words, **how)
        if how.get("start_new_session"):
            print("began", self.pid, flush=True)
            os.kill(os.getpid(), signal.{name})
subprocess.Popen = Early
sys.exit(evidence.main())
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_driver_that_is_stopped_while_a_step_begins_stops_it(driven, name):
    (driven.folder / "early.py").write_text(EARLY.format(jobs=str(DRIVER.parent), name=name))
    command = driven.command(SWEEP + TUNINGS)
    command[command.index(str(DRIVER))] = str(driven.folder / "early.py")
    done = subprocess.run(command, env=driven.environment, text=True, capture_output=True)
    assert done.returncode == 143 and "0 of 2" in done.stdout and "cut, goes on later" in done.stdout, done.stdout + done.stderr
    (began,) = [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("began")]
    with pytest.raises(ProcessLookupError):
        os.kill(began, 0)


def test_another_build_or_other_words_never_mix(driven):
    driven.go()
    assert driven(SWEEP).returncode == 0
    driven.version("two")
    other = driven(SWEEP)
    assert other.returncode == 2 and "--again a/sweep.jsonl" in other.stdout
    assert len(driven.calls()) == 1
    driven.version("one")
    assert driven(SWEEP.replace('"1"', '"2"')).returncode == 2
    assert len(driven.calls()) == 1
    again = driven(SWEEP.replace('"1"', '"2"'), "--again", "sweep")
    assert again.returncode == 0, again.stdout
    assert "--resume" not in driven.calls()[1]
    (before,) = (driven.results / "a").glob("*.before")
    assert before.read_text() == "row\nlast\n"


@pytest.mark.parametrize("step", [SWEEP, TUNINGS, '[[step]]\nrecord = "a/text.txt"\ncommand = ["echo", "new"]\n'])
def test_a_record_of_somebody_else_stays_as_it_is(driven, step):
    driven.go()
    for name in ("sweep.jsonl", "tunings.toml", "text.txt"):
        (driven.results / "a").mkdir(parents=True, exist_ok=True)
        (driven.results / "a" / name).write_text("old\n")
    done = driven((SWEEP if step == TUNINGS else "") + step)
    assert done.returncode == 2 and "another run; --again" in done.stdout
    assert driven.calls() == [] and all(p.read_text() == "old\n" for p in (driven.results / "a").iterdir())


def test_a_driver_that_was_killed_goes_on_with_its_record(driven):
    process = subprocess.Popen(driven.command(SWEEP), env=driven.environment, stdout=subprocess.DEVNULL)
    while not (driven.folder / "waits").exists() or not (driven.folder / "waits").read_text():
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    os.kill(int((driven.folder / "waits").read_text()), signal.SIGTERM)
    driven.go()
    assert driven(SWEEP).returncode == 0 and driven.calls()[-1].endswith("--resume")


TESTS = '[[step]]\nrecord = "tests.txt"\ncommand = ["{unit_tests}", "--brief"]\n'
# Stands for unit_tests: it says its version or that of before, which lists its tests, and writes down when it runs them.
FAKE_TESTS = """#!/bin/sh
case $1 in --version) cat "$FAKE/version_of_tests"; exit $(cat "$FAKE/code_of_tests" 2>/dev/null || echo 0) ;; esac
echo "$*" >>"$FAKE/tested"
echo passed
"""


@pytest.fixture
def tested(driven):
    (driven.folder / "unit_tests").write_text(FAKE_TESTS)
    (driven.folder / "unit_tests").chmod(0o755)
    driven.go()
    return driven


@pytest.mark.parametrize("inside", [False, True])
def test_unit_tests_of_the_same_build_are_run(tested, inside):
    if inside:
        (tested.folder / "tests").mkdir()
        (tested.folder / "unit_tests").rename(tested.folder / "tests/unit_tests")
    (tested.folder / "version_of_tests").write_text("parity 0 (one)\n")
    done = tested(TESTS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tested.folder / "tested").read_text() == "--brief\n" and (tested.results / "tests.txt").read_text() == "passed\n"


@pytest.mark.parametrize("version, code, says", [
    ("parity 0 (two)\n", 0, "is of another build: 'parity 0 (two)', and parity 'parity 0 (one)'"),
    ("parity 0 (one)\nKokkos: 4\n", 0, "is of another build: 'Kokkos: 4'"),
    ("Suite.\n  Test\n", 0, "does not say of which build it is: build it anew"), ("", 0, "does not say of which build it is"),
    ("parity 0 (one)\n", 7, "--version ended with 7"), ("parity 0 (one) more\n", 0, "'parity 0 (one) more'"),
])
def test_unit_tests_of_another_build_are_refused(tested, version, code, says):
    (tested.folder / "version_of_tests").write_text(version)
    (tested.folder / "code_of_tests").write_text(str(code))
    tested.results.mkdir()
    (tested.results / "tests.txt").write_text("old\n")
    refused = tested(TESTS + SWEEP, "--again", "tests")
    assert refused.returncode == 2 and "1 of 2 steps are finished" in refused.stdout, refused.stdout + refused.stderr
    (line,) = [line for line in refused.stdout.splitlines() if line.startswith("tests.txt: ")]
    assert f"{tested.folder}/unit_tests" in line and says in line
    assert not (tested.folder / "tested").exists() and (tested.results / "tests.txt").read_text() == "old\n"
    assert len(tested.calls()) == 1, "the others are tried all the same"


def test_unit_tests_that_are_not_there_are_told(driven):
    driven.go()
    done = driven(TESTS + SWEEP)
    assert done.returncode == 2 and f"tests.txt: {driven.folder}/unit_tests: No such file" in done.stdout and len(driven.calls()) == 1, done.stdout


def test_the_programs_of_a_build_say_the_same_version():
    tests = pathlib.Path(PARITY).parent / "tests/unit_tests"
    if not tests.exists():
        pytest.skip("this build has no unit tests")
    parity, asked = (subprocess.run([program, "--version"], text=True, capture_output=True).stdout.split() for program in (PARITY, tests))
    assert asked[:2] == parity[:2] and "(commit" in asked
    assert asked == parity, "build both: ninja parity unit_tests"


@pytest.mark.parametrize("code,finished,ends", [(1, True, 1), (2, False, 2), (3, False, 3), (77, False, 3)])
def test_how_a_step_ended_is_how_the_driver_ends(driven, code, finished, ends):
    driven.go()
    (driven.folder / "code").write_text(str(code))
    done = driven(SWEEP + TUNINGS.replace("tunings_of", "#") + 'command = ["true"]\n')
    assert done.returncode == ends, done.stdout
    assert ("1 of 2" in done.stdout) != finished
    # What failed is tried again, what is finished is not and is still told.
    assert driven(SWEEP).returncode == ends
    assert len(driven.calls()) == (1 if finished else 2)


def test_a_command_leaves_its_output_whole_or_not_at_all(driven):
    step = '[[step]]\nrecord = "text.txt"\ncommand = ["sh", "-c", "echo half; exit 3"]\n'
    assert driven(step).returncode == 3
    assert {p.name for p in driven.results.iterdir()} == {"evidence.jsonl", "evidence.log"}
    step = '[[step]]\nrecord = "text.txt"\ncommand = ["{parity}", "--version"]\n'
    assert driven(step).returncode == 0
    assert (driven.results / "text.txt").read_text() == "parity 0 (one)\n"


def test_a_program_that_is_not_there_is_told_and_the_others_run(driven):
    steps = '[[step]]\nrecord = "no.txt"\ncommand = ["no-such-program"]\n[[step]]\nrecord = "yes.txt"\ncommand = ["echo", "yes"]\n'
    done = driven(steps)
    assert done.returncode == 3 and "1 of 2 steps" in done.stdout
    assert "no-such-program: No such file" in (driven.results / "evidence.log").read_text()
    assert {p.name for p in driven.results.iterdir()} == {"evidence.jsonl", "evidence.log", "yes.txt"}


def test_a_program_that_was_cut_is_not_finished_whatever_it_says(driven):
    step = '[[step]]\nrecord = "text.txt"\ncommand = ["sh", "-c", "trap \'exit 0\' TERM; echo half; sleep 600 & wait"]\n'
    cut = driven(step, "--slot", "2")
    assert cut.returncode == 143 and "0 of 1" in cut.stdout
    assert not (driven.results / "text.txt").exists()


@pytest.mark.parametrize("text,said", [
    ("", "no [[step]]"), ("[[step", "list.toml: Expected"), ('[[step]]\nplan = "local"\n', "'record' must name a file"),
    ('[[step]]\nrecord = "../x"\nplan = "local"\n', "'record' must name a file"),
    ('[[step]]\nrecord = "x"\n', "needs one of command, plan"), (SWEEP + 'command = ["true"]\n', "needs one of"),
    ('[[step]]\nrecord = "x"\nplan = "no"\n', "there is no jobs/plans/no.toml"), (SWEEP + SWEEP, "an earlier step writes the same"),
    (TUNINGS, "no earlier step writes 'a/sweep.jsonl'"), (SWEEP + 'colour = 1\n', "unknown word 'colour'"),
    ('[[step]]\nrecord = "x"\ncommand = [1]\n', "list of words"),
])
def test_a_list_that_says_nothing_that_can_be_run_is_refused(driven, text, said):
    refused = driven(text)
    assert refused.returncode == 2 and said in refused.stderr, refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert not driven.results.exists()


def test_words_that_choose_nothing_are_refused(driven):
    assert "no step's record has 'zzz'" in driven(SWEEP, "--only", "zzz").stderr
    assert driven(SWEEP, "--slot", "0").returncode == 2


@pytest.mark.parametrize("file", sorted(p.name for p in (ROOT / "jobs/evidence").glob("*.toml")))
def test_committed_lists_can_be_run(driven, file):
    listed = driven((ROOT / "jobs/evidence" / file).read_text(), "--dry-run")
    assert listed.returncode == 0, listed.stderr
    assert "0 of" in listed.stdout and not driven.results.exists()


def test_a_real_plan_is_cut_and_ends_with_every_row_once(driven):
    """The first slot is shorter than the plan; however fast the machine is, each row is there once in the end."""
    step = ('[[step]]\nrecord = "r.jsonl"\nplan = "kokkos_versions_kde"\n'
            'options = ["--starts", "1", "--repeats", "3", "--variants", "openmp-direct,kokkos-range"]\n')
    for doubled in range(12):
        done = driven(step, "--slot", str(0.1 * 2**doubled), parity=PARITY)
        assert done.returncode in (0, 143), done.stdout + done.stderr
        if done.returncode == 0:
            break
    assert done.returncode == 0
    names = [key(r) for r in lines(driven.results / "r.jsonl")]
    assert len(names) == len(set(names)) == 8
