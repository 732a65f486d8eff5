# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a test program: each test counts once, a failure and an end without a word are told, what was ended goes on."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Stands for a GoogleTest program: what happens to a test is in its name.
FAKE = """#!{python}
import os, sys, time
here = os.path.dirname(__file__)
if "--version" in sys.argv and os.path.exists(here + "/version"):
    print(open(here + "/version").read())
    sys.exit()
pattern = [a for a in sys.argv if a.startswith("--gtest_filter=")][0].split("=", 1)[1]
tests = [t for t in open(here + "/tests").read().split() if pattern in ("*", t)]
if "--gtest_list_tests" in sys.argv:
    print("Suite.")
    for t in tests: print("  " + t)
    sys.exit()
tests = [t for t in tests if not t.startswith("DISABLED_")]
parts, part = int(os.environ["GTEST_TOTAL_SHARDS"]), int(os.environ["GTEST_SHARD_INDEX"])
failed = False
print(*(os.environ.get(n) for n in ("OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES")), file=open(here + "/threads", "w"))
if os.path.exists(here + "/no_device"):
    print("no GPU", flush=True)
    sys.exit(1)
for t in tests[part::parts]:
    print("[ RUN      ] Suite." + t, flush=True)
    open(here + "/groups", "a").write(str(os.getpgid(0)) + "\\n")
    open(here + "/ran", "a").write(t + "\\n")
    if t.startswith("wait") and not os.path.exists(here + "/go"): time.sleep(600)
    if t.startswith("crash"): os.abort()
    if t.startswith("fail"):
        print("file.cpp:7: Failure\\nit is 2")
        failed = True
        print("[  FAILED  ] Suite." + t + ", where GetParam() = \\"x y\\" (3 ms)", flush=True)
    elif t.startswith("skip"): print("file.cpp:9: Skipped\\nno such device\\n\\n[  SKIPPED ] Suite." + t + " (0 ms)", flush=True)
    else: print("[       OK ] Suite." + t + " (12 ms)", flush=True)
    if t.startswith("leave"): sys.exit(0)
sys.exit(1 if failed else 0)
"""


class Program:
    def __init__(self, folder):
        self.folder, self.file = folder, folder / "unit_tests"
        self.file.write_text(FAKE.replace("{python}", sys.executable))
        self.file.chmod(0o755)
        self.record = folder / "record.txt"

    def tests(self, *names):
        (self.folder / "tests").write_text("\n".join(names))

    def ran(self):
        return sorted((self.folder / "ran").read_text().split())

    def command(self, *options):
        return [sys.executable, str(ROOT / "tests/shards.py"), str(self.file), "--output", str(self.record), "--jobs", "3", *options]

    def __call__(self, *options):
        return subprocess.run(self.command(*options), text=True, capture_output=True)


@pytest.fixture
def program(tmp_path):
    return Program(tmp_path)


def test_every_test_runs_once_and_skips_say_why(program):
    names = [f"good{n}" for n in range(7)] + ["skip1"]
    program.tests(*names)
    run = program("--parts", "5")
    assert run.returncode == 0, run.stderr
    assert program.ran() == sorted(names)
    assert run.stdout.splitlines()[-1] == "5 of 5 parts: 7 passed, 1 skipped, 0 failed, 0 missing"
    assert "  skipped Suite.skip1: no such device" in program.record.read_text()


@pytest.mark.parametrize("parts, jobs, side_by_side", [(2, 1, 1), (2, 2, 2), (1, 2, 1)])
def test_parts_share_the_processors(program, parts, jobs, side_by_side):
    """With the caller's threads each, bound to one place, they would wait for each other at every barrier. One that is alone has all."""
    program.tests("good", "good2")
    own = sorted(os.sched_getaffinity(0))[:2]
    run = subprocess.run(["taskset", "-c", ",".join(map(str, own)), *program.command("--parts", str(parts), "--jobs", str(jobs))], text=True, capture_output=True,
                         env={**os.environ, "OMP_NUM_THREADS": "16", "OMP_PROC_BIND": "true", "OMP_PLACES": "cores"})
    assert run.returncode == 0, run.stderr
    assert (program.folder / "threads").read_text().split() == [str(max(1, len(own) // side_by_side)), "None", "None"]


def test_a_failure_is_told_with_what_was_said(program):
    program.tests("good", "fail1")
    run = program("--parts", "2")
    assert run.returncode == 1
    text = program.record.read_text()
    assert "part 1: 0 passed, 0 skipped, 1 failed" in text and "  FAILED Suite.fail1" in text and "    it is 2" in text


def test_a_crash_is_a_failure_and_tests_behind_it_are_missed(program):
    program.tests("good1", "crash", "good2")
    run = program("--parts", "1")
    assert run.returncode == 1
    assert "FAILED Suite.crash" in program.record.read_text() and "ended with -6" in program.record.read_text()
    assert "1 passed, 0 skipped, 1 failed, 1 missing" in run.stdout and "  MISSING Suite.good2" in program.record.read_text()


def test_a_program_that_ends_badly_before_any_test_is_a_failure(program):
    program.tests("good1", "good2")
    (program.folder / "no_device").touch()
    run = program("--parts", "1")
    assert run.returncode == 1
    text = program.record.read_text()
    assert "part 0: 0 passed, 0 skipped, 1 failed, 2 missing" in text
    assert "FAILED outside a test\n    no GPU\n    the program ended with 1" in text


def test_a_program_that_leaves_after_its_first_test_is_no_success(program):
    program.tests("leave", "good")
    run = program("--parts", "1")
    assert run.returncode == 1
    text = program.record.read_text()
    assert "part 0: 1 passed, 0 skipped, 0 failed, 1 missing" in text and "  MISSING Suite.good" in text


def test_disabled_tests_do_not_count(program):
    program.tests("good1", "DISABLED_slow", "good2")
    run = program("--parts", "2")
    assert run.returncode == 0, run.stdout
    assert "2 tests in 2 parts" in program.record.read_text() and "2 passed" in run.stdout
    program.record.unlink()
    program.tests("DISABLED_slow")
    assert "no test is called" in program().stderr


def test_what_was_ended_goes_on_with_the_parts_that_are_left(program):
    program.tests("good1", "wait", "good2")
    process = subprocess.Popen(program.command("--parts", "3"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    while not (program.record.exists() and program.record.read_text().count("part ") == 2 and "wait" in program.ran()):
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 143
    process.stdout.close()
    (program.folder / "go").touch()
    run = program("--parts", "3", "--resume")
    assert run.returncode == 0, run.stderr
    assert program.ran() == ["good1", "good2", "wait", "wait"]
    assert run.stdout.splitlines()[-1] == "3 of 3 parts: 3 passed, 0 skipped, 0 failed, 0 missing"


def test_a_signal_to_the_whole_group_leaves_no_failure_behind(program):
    """As evidence.py ends a step. Which process hears the signal first is chance: the parts must not hear it at all."""
    program.tests("wait1", "wait2", "wait3")
    process = subprocess.Popen(program.command("--parts", "3"), stdout=subprocess.DEVNULL, start_new_session=True)
    while not (program.folder / "ran").exists() or len(program.ran()) < 3:
        assert process.poll() is None
        time.sleep(0.02)
    groups = [int(g) for g in (program.folder / "groups").read_text().split()]
    assert process.pid not in groups
    os.killpg(process.pid, signal.SIGTERM)
    assert process.wait() == 143
    assert "part " not in program.record.read_text()
    for group in groups:
        with pytest.raises(ProcessLookupError):
            os.killpg(group, 0)
    (program.folder / "go").touch()
    run = program("--parts", "3", "--resume")
    assert run.returncode == 0 and "3 passed" in run.stdout, run.stdout


@pytest.mark.parametrize("options", [[], ["--resume"]])
def test_what_is_there_and_no_record_stays_as_it_is(program, options):
    program.tests("good")
    program.record.write_bytes(b"mine\xff\n")
    run = program(*options)
    assert run.returncode == 2 and ("is of another program" if options else "is there already") in run.stderr.splitlines()[-1]
    assert program.record.read_bytes() == b"mine\xff\n" and "Traceback" not in run.stderr


@pytest.mark.parametrize("options", [[], ["--resume"]])
def test_a_place_that_takes_no_file_has_one_clear_line(program, options):
    program.tests("good")
    program.record = program.folder / "nodir" / "x.txt"
    run = program(*options)
    assert run.returncode == 2 and "No such file or directory" in run.stderr.splitlines()[-1] and "Traceback" not in run.stderr
    program.record = program.folder
    run = program(*options)
    assert run.returncode == 2 and ("Is a directory" if options else "is there already") in run.stderr.splitlines()[-1]


def test_a_failure_of_an_earlier_slot_is_not_forgotten(program):
    program.tests("fail1", "good")
    assert program("--parts", "2").returncode == 1
    again = program("--parts", "2", "--resume")
    assert again.returncode == 1 and program.ran() == ["fail1", "good"]


@pytest.mark.parametrize("options", [["--parts", "3"], ["--parts", "2", "--filter", "good"]])
def test_other_words_are_refused(program, options):
    program.tests("good", "fine")
    assert program("--parts", "2").returncode == 0
    refused = program(*options, "--resume")
    assert refused.returncode == 2 and "is of another program, filter or number of parts" in refused.stderr


def test_another_program_is_refused(program):
    program.tests("good")
    assert program("--parts", "1").returncode == 0
    program.file.write_text(program.file.read_text() + "# newer\n")
    assert program("--parts", "1", "--resume").returncode == 2


def test_the_record_says_of_which_build_the_tests_are(program):
    program.tests("good")
    assert program("--parts", "1").returncode == 0
    head = re.fullmatch(r"program unit_tests [0-9a-f]{16}: (.*)", program.record.read_text().splitlines()[0])
    assert head and head[1] == "says no build"
    (program.folder / "version").write_text("parity 0 (one)\nC++: x\n")
    assert program("--parts", "1", "--resume").returncode == 2, "what was measured is not said to be of a build"
    program.record.unlink()
    assert program("--parts", "1").returncode == 0
    assert re.fullmatch(r"program unit_tests [0-9a-f]{16}: parity 0 \(one\)", program.record.read_text().splitlines()[0])


@pytest.mark.parametrize("options, word", [(["--filter", "nobody"], "no test is called nobody"), (["--parts", "0"], "at least 1")])
def test_wrong_words_have_one_clear_line(program, options, word):
    program.tests("good")
    run = program(*options)
    assert run.returncode == 2 and word in run.stderr.splitlines()[-1] and not program.record.exists()


def test_a_program_that_is_not_there(program):
    os.unlink(program.file)
    run = program()
    assert run.returncode == 2 and "No such file" in run.stderr
