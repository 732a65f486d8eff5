#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Puts each fault of mutants.toml into a copy of the sources, builds it, and runs the tests that should notice it.

  tests/mutants/run.py BUILD [--only WORD] [--without-cli] [--record FILE] [--work FOLDER] [--patience SECONDS]

BUILD: a configured build directory, whose options the copy takes. Exit code 1 if a mutant survived, 2 if one is out of date.
FILE gets a line a mutant, with the commit, and "not run" where there is no result; mutants that it has as killed or equivalent are not run
again.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

try:
    import tomllib
except ImportError:  # before Python 3.11
    import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = ("CMAKE_PREFIX_PATH", "PARITY_PYTHON", "CMAKE_CXX_COMPILER", "CMAKE_CXX_COMPILER_LAUNCHER", "CMAKE_CXX_STANDARD",
           "PARITY_ENABLE_CUDA", "PARITY_ENABLE_MPI", "PARITY_ENABLE_NETCDF", "PARITY_WERROR")


class OutOfDate(Exception):
    """A mutant that no longer fits the sources."""


def cached(build):
    """The options of a configured build directory."""
    found = {}
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        name, _, rest = line.partition(":")
        if name in OPTIONS and "=" in rest:
            found[name] = rest.partition("=")[2]
    return found


def run(command, **options):
    return subprocess.run(list(map(str, command)), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)


class Copy:
    """A copy of the tracked sources with a build inside it, as in a clone, so that ccache knows the objects."""

    def __init__(self, work, options, patience):
        self.source, self.build, self.patience = work, work / "build", patience
        self.python = options.get("PARITY_PYTHON") or sys.executable
        files = run(["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"]).stdout.splitlines()
        for name in files:
            if (ROOT / name).is_file():
                self.take(name)
        self.environment = {**os.environ, "CCACHE_BASEDIR": str(self.source), "CCACHE_NOHASHDIR": "1"}
        done = run(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", *(f"-D{k}={v}" for k, v in options.items() if v)],
                   env=self.environment)
        if done.returncode:
            sys.exit(done.stdout)

    def take(self, name):
        """Where it differs, with the time of now: a file that is older than its object would not be compiled again."""
        there = self.source / name
        if not there.is_file() or there.read_bytes() != (ROOT / name).read_bytes():
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, there)
            shutil.copymode(ROOT / name, there)

    def compile(self, unit=True, cli=True, ranks=True):
        """What the tests need."""
        targets = [*(["unit_tests"] if unit else []), *(["parity", "parity_triad"] if cli else []),
                   *(["ranks_tests"] if ranks else [])]
        return run(["ninja", "-C", self.build, *targets] if targets else ["true"], env=self.environment)

    def failures(self, mutant, runs=1):
        """The first test that fails, or None. A test that hangs has noticed something too: one of 'runs' tests has the
        patience for it."""
        try:
            if mutant.get("unit"):
                done = run([self.build / "tests/unit_tests", f"--gtest_filter={mutant['unit']}", "--gtest_fail_fast", "--gtest_brief=1"],
                           timeout=runs * self.patience)
                if "Running 0 tests" in done.stdout or "0 tests from 0" in done.stdout:
                    raise OutOfDate(f"no unit test is called {mutant['unit']}")
                if done.returncode:
                    return next((line for line in done.stdout.splitlines() if "[  FAILED  ]" in line), f"exit code {done.returncode}")
            if mutant.get("ranks"):
                done = run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", mutant["ranks"], self.build / "tests/ranks_tests", "--gtest_color=no"],
                           timeout=runs * self.patience, env={**self.environment, "OMP_NUM_THREADS": "1"})
                if done.returncode:
                    return next((line for line in done.stdout.splitlines() if "[  FAILED  ]" in line), f"exit code {done.returncode}")
            for name in [*(f"cli/{test}" for test in mutant.get("cli", [])), *(f"jobs/{test}" for test in mutant.get("jobs", []))]:
                done = run([self.python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", self.source / "tests" / name], timeout=runs * self.patience,
                           env={**self.environment, "PARITY": str(self.build / "parity"), "PARITY_NETCDF": "OFF",
                                "PARITY_TRIAD": str(self.build / "tests/parity_triad")})
                if done.returncode not in (0, 1):
                    raise OutOfDate(f"{name} cannot be run: {done.stdout[-500:]}")
                if done.returncode == 1:
                    return next((line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))), name)
        except subprocess.TimeoutExpired:
            return "the tests hang"
        return None


def not_run(name):
    return f"{'not run':<27}{name}:"


class Record:
    """A file with a line a mutant, in the order of mutants.toml: result, seconds, commit, name, what noticed it."""

    HEAD = """# Written by tests/mutants/run.py BUILD --record FILE: result, seconds on a machine with other work beside, commit of
# the sources ('+': with changes), mutant, test that noticed it. 'not run': no result of this script, which may be known otherwise.
"""

    def __init__(self, file, names):
        self.file, self.names, self.lines = file, names, {}
        commit = run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"]).stdout.strip()
        changed = run(["git", "-C", ROOT, "diff", "--name-only", "HEAD"]).stdout.split()
        self.commit = commit + ("+" if any(ROOT / name != file for name in changed) else "")
        if file and file.exists():
            for line in file.read_text().splitlines():
                name = next((n for n in names if f"  {n}: " in line + " "), None)
                if name:
                    self.lines[name] = line

    def settled(self, name):
        return self.lines.get(name, "").startswith(("killed", "equivalent"))

    def add(self, name, result, seconds, detail):
        detail = detail.splitlines()[0] if detail else ""
        self.lines[name] = f"{result:<11} {seconds:5.0f} s  {self.commit:<8}  {name}: {detail}".rstrip()
        print(self.lines[name], flush=True)
        if self.file:
            part = self.file.with_name(self.file.name + ".part")
            part.write_text(self.HEAD + "".join(self.lines.get(n, not_run(n)) + "\n" for n in self.names))
            part.replace(self.file)


def outcome(copy, mutant):
    """'killed' with the test, 'survived', or 'equivalent' with the reason."""
    file = copy.source / mutant["file"]
    text = file.read_text()
    if text.count(mutant["was"]) != 1:
        raise OutOfDate(f"its text stands {text.count(mutant['was'])} times in {mutant['file']}")
    try:
        file.write_text(text.replace(mutant["was"], mutant["becomes"]))
        built = copy.compile(*(bool(mutant.get(kind)) for kind in ("unit", "cli", "ranks")))
        if built.returncode:
            raise OutOfDate("it does not compile:\n" + "\n".join(built.stdout.splitlines()[-15:]))
        noticed = copy.failures(mutant)
    finally:
        file.write_text(text)
    if noticed:
        return "killed", noticed
    return ("equivalent", mutant["equivalent"]) if "equivalent" in mutant else ("survived", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="", help="mutants whose name holds this")
    parser.add_argument("--without-cli", action="store_true", help="only mutants that unit tests alone should notice: they take less time")
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE", help="write a line a mutant here; what it has is not run again")
    parser.add_argument("--work", type=pathlib.Path, help="keep the copy here, so that the next run starts sooner")
    parser.add_argument("--patience", type=float, default=900, help="seconds after which a test counts as hanging (900)")
    arguments = parser.parse_args()
    mutants = tomllib.loads((pathlib.Path(__file__).parent / "mutants.toml").read_text())["mutant"]
    record = Record(arguments.record and arguments.record.resolve(), [m["name"] for m in mutants])
    mutants = [m for m in mutants if arguments.only in m["name"] and not (arguments.without_cli and m.get("cli"))]
    if not mutants:
        parser.error(f"no mutant's name holds '{arguments.only}'")
    mutants = [m for m in mutants if not record.settled(m["name"])]
    if not mutants:
        print(f"{arguments.record} has them all")
        return
    if not (arguments.build / "CMakeCache.txt").exists():
        parser.error(f"{arguments.build} is no configured build directory")
    counts = {}
    with tempfile.TemporaryDirectory() as scratch:
        copy = Copy((arguments.work or pathlib.Path(scratch)).resolve(), cached(arguments.build), arguments.patience)
        built = copy.compile(*(any(m.get(kind) for m in mutants) for kind in ("unit", "cli", "ranks")))
        if built.returncode:
            sys.exit(built.stdout)
        for mutant in [{"unit": ":".join(sorted({m["unit"] for m in mutants if m.get("unit")})),
                        **{kind: sorted({name for m in mutants for name in m.get(kind, [])}) for kind in ("cli", "jobs")},
                        "ranks": max(m.get("ranks", 0) for m in mutants)}]:
            failed = copy.failures(mutant, len(mutants))
            if failed:
                sys.exit(f"the tests fail without a fault: {failed}")
        for mutant in mutants:
            begin = time.monotonic()
            try:
                result, detail = outcome(copy, mutant)
            except OutOfDate as e:
                result, detail = "OUT OF DATE", str(e)
            counts[result] = counts.get(result, 0) + 1
            record.add(mutant["name"], result, time.monotonic() - begin, detail)
    print(", ".join(f"{count} {result}" for result, count in counts.items()))
    sys.exit(2 if "OUT OF DATE" in counts else 1 if "survived" in counts else 0)


if __name__ == "__main__":
    main()
