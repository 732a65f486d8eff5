#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a GoogleTest program in parts side by side, and goes on where it was ended.

    shards.py PROGRAM --output FILE [--filter FILTER] [--parts N] [--jobs N] [--resume]

Each part is a process with one of N shards of the tests (GTEST_TOTAL_SHARDS). Parts at work side by side share the processors: each has as
many OpenMP threads as come to it, at least one, bound to no place, whatever the caller's environment says. FILE gets a line when a part is
over: how many tests passed, were skipped and failed, how many are missing since the part ended before them, and how long it took; beneath
it the failed ones with what they said, the missing ones, and why tests were skipped. A program that ends badly although no test of it
failed is a failure 'outside a test'. A part that a signal to this script ended has no line, and --resume runs it again; parts that have one
are not run again. The file's first lines are the program with what it says of its build (--version), the filter and the number of parts:
with others --resume refuses.
Without --resume FILE is a new one.

Exit code: 0 all tests passed or were skipped; 1 one failed or is missing; 2 wrong usage, or no test has such a name; 143 ended by a signal,
parts are left.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

PART = re.compile(r"part (\d+): (\d+) passed, (\d+) skipped, (\d+) failed, (\d+) missing, ([0-9.]+) s")
RESULT = re.compile(r"\[ *(OK|SKIPPED|FAILED) *\] (\S+?),?(?: where GetParam\(\) = .*)? \(\d+ ms\)$")
PLACES = ("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY")
running, ended, lock = set(), threading.Event(), threading.Lock()


def tests_of(program, words):
    """The tests that run, in the order in which shards deal them out: GoogleTest lists those that are disabled too."""
    asked = subprocess.run([program, "--gtest_list_tests", *words], text=True, capture_output=True)
    if asked.returncode:
        raise SystemExit(f"shards: {program} --gtest_list_tests ended with {asked.returncode}: {asked.stderr.strip()[-200:]}")
    tests, suite = [], ""
    for line in asked.stdout.splitlines():
        name = line.split("#")[0].strip()
        if not line.startswith("  "):
            suite = name
        elif not any(n.startswith("DISABLED_") for n in (suite + name).replace("/", ".").split(".")):
            tests.append(suite + name)
    return tests


def version_of(program, words):
    """Of which build of Parity the tests are. Programs that do not know --version list their tests."""
    asked = subprocess.run([program, "--version", "--gtest_list_tests", *words], text=True, capture_output=True)
    first = (asked.stdout.splitlines() or [""])[0]
    return first if asked.returncode == 0 and first.startswith("parity ") else "says no build"


def told(output):
    """(name, how, what was said before) of each test that ended, and of one that did not."""
    tests, name, said = [], None, []
    for line in output.splitlines():
        if line.startswith("[ RUN "):
            name, said = line.split("] ", 1)[1], []
        elif name and (result := RESULT.match(line)) and result[2].rstrip(",") == name:
            tests.append((name, result[1], said))
            name = None
        elif name:
            said.append(line)
    return tests, name, said


def processors():
    """The processors that this process may use: taskset and batch systems give fewer than the machine has."""
    return len(os.sched_getaffinity(0))


def environment_of(part, parts, jobs):
    """Of one part among so many side by side. They share the processors: with the caller's threads, and all bound to the same places, each
    part would wait for the others at every barrier."""
    told = {name: value for name, value in os.environ.items() if name not in PLACES}
    return {**told, "GTEST_TOTAL_SHARDS": str(parts), "GTEST_SHARD_INDEX": str(part), "GTEST_COLOR": "no", "GTEST_ALSO_RUN_DISABLED_TESTS": "0",
            "OMP_NUM_THREADS": str(max(1, processors() // jobs))}


def run(program, words, part, parts, jobs, expected):
    environment = environment_of(part, parts, jobs)
    began = time.monotonic()
    with lock:
        if ended.is_set():
            return None
        # In a session of its own: a signal to this script's group must not end a part before this script knows of it.
        process = subprocess.Popen([program, *words], env=environment, text=True, errors="replace", stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        running.add(process)
    output, _ = process.communicate()
    with lock:
        running.discard(process)
    if ended.is_set():
        return None
    tests, broken, said = told(output)
    how = collections.Counter(t[1] for t in tests)
    failed = [(name, said) for name, result, said in tests if result == "FAILED"]
    if broken or process.returncode not in (0, 1) or process.returncode and not failed:
        failed.append((broken or "outside a test", (said if broken else output.splitlines()[-19:]) + [f"the program ended with {process.returncode}"]))
    missing = [name for name in expected if name != broken and name not in {t[0] for t in tests}]
    lines = [f"part {part}: {how['OK']} passed, {how['SKIPPED']} skipped, {len(failed)} failed, {len(missing)} missing, "
             f"{time.monotonic() - began:.1f} s"]
    for name, said in failed:
        lines += [f"  FAILED {name}", *("    " + line[:300] for line in said[-20:])]
    lines += [f"  MISSING {name}" for name in missing]
    for name, result, said in tests:
        if result == "SKIPPED":
            lines.append(f"  skipped {name}: " + "; ".join(line[:200] for line in said if line and not re.match(r"\S+:\d+: Skipped", line)))
    return lines


def stop(*_):
    with lock:
        ended.set()
        for process in running:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def main():
    parser = argparse.ArgumentParser(prog="shards.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, required=True, metavar="FILE")
    parser.add_argument("--filter", default="*", help="which tests, as --gtest_filter takes it (default: all)")
    parser.add_argument("--parts", type=int, default=64, metavar="N")
    parser.add_argument("--jobs", type=int, default=processors(), metavar="N",
                        help="parts at work side by side (default: the processors that it may use), which share the threads")
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args()
    if options.parts < 1 or options.jobs < 1:
        parser.error("--parts and --jobs: at least 1")
    program, words = str(options.program.absolute()), [f"--gtest_filter={options.filter}"]
    try:
        build = hashlib.sha256(options.program.read_bytes()).hexdigest()[:16]
        tests = tests_of(program, words)
    except OSError as e:
        parser.error(f"{e.filename}: {e.strerror}")
    if not tests:
        parser.error(f"no test is called {options.filter}")
    head = [f"program {options.program.name} {build}: {version_of(program, words)}", f"filter {options.filter}", f"{len(tests)} tests in {options.parts} parts"]
    if not options.resume and options.output.exists():
        parser.error(f"{options.output} is there already: --resume goes on with it, or give another name")
    lines = []
    try:
        if options.output.exists():
            lines = options.output.read_text(encoding="utf-8", errors="replace").splitlines()
            if lines[:3] != head:
                parser.error(f"{options.output} is of another program, filter or number of parts")
    except OSError as e:
        parser.error(f"{e.filename}: {e.strerror}")
    done = {int(m[1]): m for m in map(PART.fullmatch, lines) if m}
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
    # As a whole, since a part's lines may have been cut with the program.
    temporary = options.output.with_name(options.output.name + ".part")

    def write():
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
        os.replace(temporary, options.output)

    if not lines:
        lines = list(head)
    try:
        write()
    except OSError as e:
        parser.error(f"{options.output}: {e.strerror}")
    left = [part for part in range(options.parts) if part not in done]
    side_by_side = min(options.jobs, max(1, len(left)))
    with concurrent.futures.ThreadPoolExecutor(side_by_side) as pool:
        parts = [pool.submit(run, program, words, part, options.parts, side_by_side, tests[part::options.parts]) for part in left]
        for part in concurrent.futures.as_completed(parts):
            if told_by_part := part.result():
                lines += told_by_part
                write()
                print(told_by_part[0], flush=True)
    done = [m for m in map(PART.fullmatch, lines) if m]
    passed, skipped, failed, missing = (sum(int(m[k]) for m in done) for k in (2, 3, 4, 5))
    print(f"{len(done)} of {options.parts} parts: {passed} passed, {skipped} skipped, {failed} failed, {missing} missing")
    if len(done) < options.parts:
        return 143
    return 1 if failed or missing else 0


if __name__ == "__main__":
    sys.exit(main())
