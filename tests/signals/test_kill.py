# SPDX-License-Identifier: BSD-3-Clause
"""Some runs of tests/kill.py, without its limit of a second: that depends on the machine."""
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
sys.dont_write_bytecode = True

import kill  # noqa: E402  (the path comes first)


def test_commands_that_are_ended_leave_nothing_half_written():
    wrong = kill.kill(pathlib.Path(os.environ["PARITY"]), runs=60, limit=kill.HANG, seed=1)
    assert not wrong, "\n".join(wrong)
