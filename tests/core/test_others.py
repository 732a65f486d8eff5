# SPDX-License-Identifier: BSD-3-Clause
"""Records and plans that other users wrote."""
import os
import time

import pytest


@pytest.mark.parametrize("text", ["%s = 1\n", "[%s]\n", "a = { %s = 1 }\n"])
def test_long_keys_of_a_plan_are_refused(refused, tmp_path, text):
    (tmp_path / "p.toml").write_text(text % ".".join(["a"] * 100_000))
    refused("measure", "p.toml", says="p.toml: a key has more than 100 parts")


@pytest.mark.parametrize("kind", ["fifo", "link", "zero"])
@pytest.mark.parametrize("command", [["findings"], ["export"], ["compare"]], ids=lambda c: c[0])
def test_a_folder_of_results_holds_records_and_nothing_else(parity, tmp_path, kind, command):
    results = tmp_path / "results"
    results.mkdir()
    (tmp_path / "secret").write_text("secret\n")
    path = results / "records.jsonl"
    os.mkfifo(path) if kind == "fifo" else path.symlink_to("/dev/zero" if kind == "zero" else tmp_path / "secret")
    before = time.monotonic()
    done = parity(*command, results, *([results] if command == ["compare"] else []))
    assert done.returncode == 2 and ("is a link; give a file" if kind != "fifo" else "is no regular file; give a file") in done.stderr, done.stderr
    assert "secret" not in done.stderr.replace(str(tmp_path), "") and time.monotonic() - before < 600


def test_a_device_holds_no_records_and_no_plan(refused):
    refused("findings", "/dev/zero", says="/dev/zero: is a device; give a file")
    refused("measure", "/dev/zero", says="/dev/zero: is a device; give a file")
