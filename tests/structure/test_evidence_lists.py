# SPDX-License-Identifier: BSD-3-Clause
"""The lists of jobs/evidence/: neither side of a comparison alone has all its tunings, and their heads add up."""
import pathlib
import re

import pytest

try:
    import tomllib
except ImportError:  # before Python 3.11
    import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
H200 = (ROOT / "jobs/evidence/h200.toml").read_text()
# Rows that are measured beside each other, with more than one tuning on either side.
RIVALS = [("cuda-stream-temporal", "kokkos-team-temporal"), ("cuda-fused-2d", "kokkos-fused-tiled")]


def measured(step):
    """The rows of a step: those of its --variants, or of its plan."""
    options = step.get("options", [])
    if "--variants" in options:
        return options[options.index("--variants") + 1].split(",")
    return tomllib.loads((ROOT / f"jobs/plans/{step['plan']}.toml").read_text()).get("variants", [])


def uneven(step):
    """Rivals of which one side alone has tunings that the step names."""
    if "--tunings" in step.get("options", []) or "tunings" in step:
        return []
    rows = measured(step)
    return [pair for pair in RIVALS
            if all(any(r.split("/")[0] == name for r in rows) for name in pair)
            and len({any(r.startswith(name + "/") for r in rows) for name in pair}) == 2]


def minutes(text):
    """What the head says that the first part takes, and the sum of its steps."""
    first = text.split("# --- The first part")[1].split("# --- ")[0]
    seconds = sum(int(s) for line in first.splitlines() if line.startswith("[[step]]") for s in re.findall(r"(\d+) s\b", line))
    return int(re.search(r"of the first part about (\d+) minutes", text.replace("\n# ", " "))[1]), seconds / 60


@pytest.mark.parametrize("step", [s for s in tomllib.loads(H200)["step"] if "plan" in s], ids=lambda s: s["record"])
def test_both_sides_have_their_tunings(step):
    assert not uneven(step)


def test_one_side_alone_with_its_tunings_is_noticed():
    assert uneven({"plan": "frontier", "options": ["--variants", "cuda-stream-temporal/*,kokkos-team-temporal"]})
    assert uneven({"plan": "table4", "options": ["--variants", "kokkos-fused-tiled,cuda-fused-2d/2x128"]})
    assert not uneven({"plan": "energy"})


def test_the_head_says_what_the_first_part_takes():
    said, summed = minutes(H200)
    assert abs(said - summed) < 1
    assert minutes(re.sub(r"about \d+ minutes", "about 13 minutes", H200))[0] == 13
