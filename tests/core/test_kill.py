# SPDX-License-Identifier: BSD-3-Clause
"""Commands that are killed at random moments lose nothing and leave no partial files. PARITY_KILLS: kills of each command (5)."""
import ctypes
import io
import itertools
import os
import random
import signal
import subprocess
import time

import numpy as np
import pytest
from record_files import key, lines

PARITY = os.environ["PARITY"]
KILLS = int(os.environ.get("PARITY_KILLS", 5))
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU, signal.SIGKILL]
HANG = 300  # seconds
assert ctypes.CDLL(None).prctl(36, 1) == 0  # PR_SET_CHILD_SUBREAPER: orphans become children of this process, whatever process 1 does with them
PLAN = """
variants = ["openmp-plane", "reference-loop"]
[axes]
size = [[16, 16, 2], [16, 17, 2], [16, 18, 2], [16, 19, 2], [16, 20, 2]]
steps = [10]
[measure]
repeats = 100000
starts = 3
time_cap = {}
"""
ROWS = 10 * 3
COMMANDS = {
    "filter": (["filter", "field.npy", "out.npy", "--steps", "400"], "out.npy"),
    "filter over a file": (["filter", "field.npy", "old.npy", "--steps", "400"], "old.npy"),
    "density": (["density", "samples.npy", "out.npy", "--at-samples", "--method", "direct"], "out.npy"),
    "measure": (["measure", "plan.toml", "--output", "out.jsonl"], "out.jsonl"),
}


def kill(folder, arguments, number, moment):
    """Starts the command, signals it at that moment, and returns the signal (None: it had ended), its exit code and its messages."""
    process = subprocess.Popen([PARITY, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True, start_new_session=True)
    try:
        process.wait(moment)
        number = None
    except subprocess.TimeoutExpired:
        process.send_signal(number)
    errors = process.communicate(timeout=HANG)[1]
    deadline = time.monotonic() + HANG
    while True:  # every process that it started must end too
        try:
            os.waitpid(-process.pid, os.WNOHANG)
        except ChildProcessError:
            break
        assert time.monotonic() < deadline, f"a process goes on after {number}"
        time.sleep(0.01)
    if number not in (None, signal.SIGKILL):
        assert process.returncode in (0, 128 + number, -number) and len(errors.splitlines()) <= 1, (number, process.returncode, errors)
    return number, process.returncode, errors


def complete_lines(path):
    text = path.read_text() if path.exists() else ""
    return text[: text.rfind("\n") + 1]


def goes_on(folder):
    """Finished results stay, and --resume completes the rest, each result once."""
    path = folder / "out.jsonl"
    kept = complete_lines(path)
    (folder / "plan.toml").write_text(PLAN.format(0))
    done = subprocess.run([PARITY, "measure", "plan.toml", "--output", "out.jsonl", "--resume", "--quiet"], cwd=folder, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert path.read_text().startswith(kept), "finished records are lost"
    found = [(key(r), *r["starts"]) for r in lines(path)]
    assert len(found) == len(set(found)) == ROWS


@pytest.mark.parametrize("name", COMMANDS)
def test_a_kill_loses_nothing(tmp_path, name):
    arguments, output = COMMANDS[name]
    rng = np.random.default_rng(1)
    inputs = {"field.npy": rng.normal(size=(12, 256, 256)).astype("f4"), "samples.npy": rng.normal(size=20000), "old.npy": np.ones(3)}
    chance, signals = random.Random(name), itertools.cycle(SIGNALS)
    longest = 2.0
    for n in range(KILLS + 1):
        folder = tmp_path / str(n)
        folder.mkdir()
        for file, data in inputs.items():
            np.save(folder / file, data)
        (folder / "plan.toml").write_text(PLAN.format(0.05))
        before = {p.name: p.read_bytes() for p in folder.iterdir()}
        if n == 0:  # measures the time and the output of the command without a kill
            begun = time.monotonic()
            assert subprocess.run([PARITY, *arguments], cwd=folder, stdout=subprocess.DEVNULL).returncode == 0
            longest, whole = time.monotonic() - begun, (folder / output).read_bytes()
            continue
        number, code, said = kill(folder, arguments, next(signals), chance.uniform(0, longest))
        after = {p.name: p.read_bytes() for p in folder.iterdir()}
        assert all(after[file] == data for file, data in before.items() if file != output), "an input has changed"
        assert number == signal.SIGKILL or after.keys() <= before.keys() | {output}, "a temporary file stays"
        if name == "measure":
            assert number in (None, signal.SIGKILL) or code == 0 or not (folder / output).exists() or "--resume" in said
            assert number == signal.SIGKILL or not (folder / output).exists() or (folder / output).read_text() == complete_lines(folder / output)
            goes_on(folder)
        elif code == 0 or output in after and after[output] != before.get(output):
            assert after[output] == whole
        else:
            assert after.get(output) == before.get(output), "what was there before is lost"


@pytest.mark.parametrize("arguments", [["--method", "window", "--bandwidth", "5"], ["--bandwidth", "lscv"], ["--method", "direct", "--kernel", "biweight"]])
def test_a_signal_ends_long_sums_and_leaves_nothing(tmp_path, arguments):
    """The sums take hours, and begin within a second of the last sample."""
    samples = io.BytesIO()
    np.save(samples, np.random.default_rng(1).normal(size=3000000))
    with subprocess.Popen([PARITY, "density", "-", "o.npy", "--at-samples", *arguments], cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write(samples.getvalue())
        process.stdin.close()
        time.sleep(1)
        process.terminate()
        try:
            assert process.wait(HANG) == 128 + signal.SIGTERM and len(process.stderr.read().splitlines()) == 1
        finally:
            process.kill()
    assert not list(tmp_path.iterdir())
