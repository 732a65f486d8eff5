#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a GoogleTest program in parts side by side, and goes on where it was ended.

    shards.py PROGRAM --output FILE [--filter FILTER] [--parts N] [--jobs N] [--resume]

Each part is a process with one of N shards of the tests (GTEST_TOTAL_SHARDS). FILE gets a line when a part is over: how many tests passed,
were skipped and failed, and how long it took; beneath it the failed ones with what they said, and why tests were skipped. A part that was
ended in its middle has no line, and --resume runs it again; parts that have one are not run again. The file's first lines are the program's
build, the filter and the number of parts: with others --resume refuses.

Exit code: 0 all tests passed; 1 one failed, or a part ended without saying how; 2 wrong usage, or no test has such a name; 143 ended by a
signal, parts are left.
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

PART = re.compile(r"part (\d+): (\d+) passed, (\d+) skipped, (\d+) failed, ([0-9.]+) s")
RESULT = re.compile(r"\[ *(OK|SKIPPED|FAILED) *\] (\S+?),?(?: where GetParam\(\) = .*)? \(\d+ ms\)$")
running, ended, lock = set(), threading.Event(), threading.Lock()


def tests_of(program, words):
    asked = subprocess.run([program, "--gtest_list_tests", *words], text=True, capture_output=True)
    if asked.returncode:
        raise SystemExit(f"shards: {program} --gtest_list_tests ended with {asked.returncode}: {asked.stderr.strip()[-200:]}")
    return sum(line.startswith("  ") for line in asked.stdout.splitlines())


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


def run(program, words, part, parts):
    environment = {**os.environ, "GTEST_TOTAL_SHARDS": str(parts), "GTEST_SHARD_INDEX": str(part), "GTEST_COLOR": "no"}
    environment.setdefault("OMP_NUM_THREADS", "1")  # the parts share the processors
    began = time.monotonic()
    with lock:
        if ended.is_set():
            return None
        process = subprocess.Popen([program, *words], env=environment, text=True, errors="replace", stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        running.add(process)
    output, _ = process.communicate()
    with lock:
        running.discard(process)
    if ended.is_set():
        return None
    tests, broken, said = told(output)
    how = collections.Counter(t[1] for t in tests)
    failed = [(name, said) for name, result, said in tests if result == "FAILED"]
    if broken or process.returncode not in (0, 1):
        failed.append((broken or "outside a test", said + [f"the program ended with {process.returncode}"]))
    lines = [f"part {part}: {how['OK']} passed, {how['SKIPPED']} skipped, {len(failed)} failed, {time.monotonic() - began:.1f} s"]
    for name, said in failed:
        lines += [f"  FAILED {name}", *("    " + line[:300] for line in said[:20])]
    for name, result, said in tests:
        if result == "SKIPPED":
            lines.append(f"  skipped {name}: " + "; ".join(line[:200] for line in said if line and not re.match(r"\S+:\d+: Skipped", line)))
    return lines


def stop(*_):
    with lock:
        ended.set()
        for process in running:
            process.kill()


def main():
    parser = argparse.ArgumentParser(prog="shards.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, required=True, metavar="FILE")
    parser.add_argument("--filter", default="*", help="which tests, as --gtest_filter takes it (default: all)")
    parser.add_argument("--parts", type=int, default=64, metavar="N")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="parts at work side by side (default: the processors)")
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args()
    if options.parts < 1 or options.jobs < 1:
        parser.error("--parts and --jobs: at least 1")
    program, words = str(options.program.absolute()), [f"--gtest_filter={options.filter}"]
    try:
        build = hashlib.sha256(options.program.read_bytes()).hexdigest()[:16]
        number = tests_of(program, words)
    except OSError as e:
        parser.error(f"{e.filename}: {e.strerror}")
    if number == 0:
        parser.error(f"no test is called {options.filter}")
    head = [f"program {options.program.name} {build}", f"filter {options.filter}", f"{number} tests in {options.parts} parts"]
    lines = []
    if options.resume and options.output.exists():
        lines = options.output.read_text(encoding="utf-8").splitlines()
        if lines[:3] != head:
            parser.error(f"{options.output} is of another program, filter or number of parts")
    done = {int(m[1]): m for m in map(PART.fullmatch, lines) if m}
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    # As a whole, since a part's lines may have been cut with the program.
    temporary = options.output.with_name(options.output.name + ".part")

    def write():
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
        os.replace(temporary, options.output)

    if not lines:
        lines = list(head)
    write()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        parts = [pool.submit(run, program, words, part, options.parts) for part in range(options.parts) if part not in done]
        for part in concurrent.futures.as_completed(parts):
            if told_by_part := part.result():
                lines += told_by_part
                write()
                print(told_by_part[0], flush=True)
    done = [m for m in map(PART.fullmatch, lines) if m]
    passed, skipped, failed = (sum(int(m[k]) for m in done) for k in (2, 3, 4))
    print(f"{len(done)} of {options.parts} parts: {passed} passed, {skipped} skipped, {failed} failed")
    if len(done) < options.parts:
        return 143
    if passed + skipped + failed < number:
        print(f"shards: {number - passed - skipped - failed} tests of {number} did not say how they ended", file=sys.stderr)
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
