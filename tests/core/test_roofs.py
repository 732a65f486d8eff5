# SPDX-License-Identifier: BSD-3-Clause
"""The roofs study, as the plan has it. No test looks at how fast this machine is."""
import pathlib

import pytest
from record_files import metric, rows

pytestmark = pytest.mark.usefixtures("two_threads")

FAST = ["measure", pathlib.Path(__file__).resolve().parents[2] / "jobs/plans/roofs.toml", "--output", "r.jsonl", "--repeats", 1, "--quiet"]
MOVED = {"read": 1, "copy": 2, "triad": 3}


@pytest.mark.parametrize("precision", ["float", "double"])
def test_every_quantity_is_measured_and_verified(parity, tmp_path, precision):
    done = parity(*FAST, "--set", "bytes=4096", "--set", f"precision={precision}")
    assert done.returncode == 0, done.stdout + done.stderr
    found = rows(tmp_path / "r.jsonl")
    assert {r["problem"]["quantity"] for r in found} == {"read", "copy", "triad", "multiply-add", "exponential", "dependent"}
    for r in found:
        quantity, seconds = r["problem"]["quantity"], r["host_seconds"]["median"]
        assert r["verification"]["passed"] and seconds > 0
        if quantity in MOVED:
            # 512 MiB go through the arrays, which are as many as the quantity has.
            assert r["model"]["bytes"] == pytest.approx(2**29, rel=0.01)
            assert metric(r, "bandwidth") == pytest.approx(1e-9 * r["model"]["bytes"] / seconds)
        elif quantity == "dependent":
            assert metric(r, "latency") == pytest.approx(1e9 * seconds / (16 * 2**17))
        else:
            assert metric(r, "rate") > 0


def test_bad_input_names_the_fix(refused):
    refused(*FAST, "--set", "quantity=coppy", says="did you mean copy")
    refused(*FAST, "--set", "bytes=16", says="from 4096")


def test_one_value_has_no_working_set(parity, tmp_path):
    """Asked for at two sizes it is measured once."""
    done = parity(*FAST, "--set", "bytes=4096,8192", "--set", "quantity=dependent", "--set", "precision=float", "--variants", "openmp-roofs")
    assert done.returncode == 0, done.stderr
    assert len({str(r["problem"]) for r in rows(tmp_path / "r.jsonl")}) == 1
