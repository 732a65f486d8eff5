# SPDX-License-Identifier: BSD-3-Clause
"""Signals end every command at any point, with a true message, without partial files; closed pipes end it quietly."""
import os
import signal
import subprocess
import time

import numpy as np
import pytest

PARITY = os.environ["PARITY"]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
OTHERS = [signal.SIGQUIT, signal.SIGUSR1, signal.SIGALRM, signal.SIGRTMAX]
LIMIT = 60  # only ends a hang: the speed depends on the machine


def all_heard():
    """Restores signals that the parent of the tests ignores, as nohup does."""
    for each in SIGNALS + OTHERS:
        signal.signal(each, signal.SIG_DFL)


def start(tmp_path, *arguments, preexec_fn=all_heard, **options):
    return subprocess.Popen([PARITY, *map(str, arguments)], cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=preexec_fn, **options)


def wait_for(condition, process):
    while not condition():
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


def partial(tmp_path):
    return [name for name in os.listdir(tmp_path) if "partial" in name]


def ends(process, tmp_path, how, says):
    _, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == 128 + how, errors
    assert errors.count("\n") == 1 and f"stopped by signal {int(how)}" in errors and says in errors, errors
    assert partial(tmp_path) == []


@pytest.mark.parametrize("how", SIGNALS)
def test_a_command_that_waits_for_its_input_ends(tmp_path, how):
    """It never reaches a check for signals: it reads a pipe without a writer."""
    os.mkfifo(tmp_path / "in.jsonl")
    process = start(tmp_path, "export", "in.jsonl", "--output", "out.json")
    writer = os.open(tmp_path / "in.jsonl", os.O_WRONLY)
    os.write(writer, b'{"type":"env')
    time.sleep(0.1)
    process.send_signal(how)
    ends(process, tmp_path, how, "nothing was written")
    os.close(writer)
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize("how", SIGNALS)
def test_what_went_to_a_pipe_is_not_called_nothing(tmp_path, how):
    """Nobody reads further, so it blocks with most of the field unwritten."""
    np.save(tmp_path / "in.npy", np.ones((64, 64, 64), np.float32))
    process = start(tmp_path, "filter", "in.npy", "-", "--steps", 1, "--memory", 1, errors="replace")
    assert len(os.read(process.stdout.fileno(), 256)) > 0
    process.send_signal(how)
    ends(process, tmp_path, how, "what went to standard output is not whole")


@pytest.mark.parametrize("how", SIGNALS + OTHERS)
def test_one_long_kernel_ends_and_leaves_no_partial_file(tmp_path, how):
    """One sample takes hours, and nothing within it checks for signals."""
    process = start(tmp_path, "diffusion", "--nx", 512, "--ny", 512, "--nz", 8, "--steps", 100000000, "--variants", "openmp-plane",
                    "--json", "r.jsonl", "--csv", "r.csv")
    wait_for(lambda: len(partial(tmp_path)) == 2, process)
    process.send_signal(how)
    ends(process, tmp_path, how, "--json and --csv were not written")
    assert os.listdir(tmp_path) == []


def test_a_run_under_nohup_goes_on(tmp_path):
    os.mkfifo(tmp_path / "in.jsonl")
    process = start(tmp_path, "findings", "--merit", "in.jsonl", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    writer = os.open(tmp_path / "in.jsonl", os.O_WRONLY)
    process.send_signal(signal.SIGHUP)
    os.close(writer)
    _, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == 2 and "holds no measurement" in errors


def test_a_reader_that_goes_away_is_no_crash(tmp_path):
    """As 'parity list ... | head -1': quiet, with the exit code of SIGPIPE, and no partial file of another output."""
    process = start(tmp_path, "diffusion", "--nx", 8, "--ny", 8, "--nz", 1, "--steps", 2, "--repeats", 2, "--variants", "openmp-plane",
                    "--csv", "r.csv", "--json", "-")
    process.stdout.close()
    errors = process.stderr.read()
    assert process.wait(timeout=LIMIT) == 128 + signal.SIGPIPE
    assert "parity:" not in errors and "terminate" not in errors and partial(tmp_path) == []


def test_a_full_disk_behind_standard_output_is_said(tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    with open("/dev/full", "w") as full:
        done = subprocess.run([PARITY, "list"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT)
    assert done.returncode == 2 and done.stderr == "parity: standard output cannot be written: No space left on device\n"


def test_a_closed_standard_output_gets_nothing_into_files(tmp_path):
    """Otherwise the next file that is opened would get its number."""
    np.save(tmp_path / "x.npy", np.ones((8, 8), np.float32))
    done = subprocess.run(["sh", "-c", '"$0" filter x.npy y.npy --steps 2 >&-', PARITY], cwd=tmp_path, timeout=LIMIT)
    assert done.returncode == 0 and np.load(tmp_path / "y.npy").shape == (8, 8)
    assert os.path.getsize(tmp_path / "y.npy") == os.path.getsize(tmp_path / "x.npy")
