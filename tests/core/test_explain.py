# SPDX-License-Identifier: BSD-3-Clause
"""parity explain: what it says of the committed records, and that no time explains itself. Nothing here needs a GPU."""
import csv
import json
import pathlib
import statistics

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
H200 = ROOT / "jobs" / "results" / "h200"
ROWS = H200 / "original_works/table4.jsonl"
COSTS = H200 / "launch_model.jsonl"
TERMS = ["launches", "memory", "L2", "L1", "instructions", "blocks", "latency", "around"]


def explained(parity, tmp_path, files, kernels=H200 / "kernels.csv", costs=COSTS):
    """(rows of the CSV with numbers as such, what was printed)."""
    done = parity("explain", *files, costs, "--kernels", kernels, "--csv", "e.csv")
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "e.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file)), done.stdout


ALL = ["original_works/table4", "original_works/figures_short", "frontier/graphs", "pairs/pairs", "pairs/kde_pairs"]


@pytest.mark.parametrize("study, files, least", [("diffusion", ALL, 395), ("diffusion", ALL[:1], 171), ("kde", ALL, 3)])
def test_the_committed_records_of_the_h200(parity, tmp_path, study, files, least):
    """Half of the rows within 15 %, at most 10 % of them beyond 30 %."""
    rows, _ = explained(parity, tmp_path, [H200 / f"{f}.jsonl" for f in files])
    rest = [abs(float(r["rest_share"])) for r in rows if r["study"] == study]
    assert len(rest) >= least
    assert statistics.median(rest) <= 0.15, statistics.median(rest)
    assert sum(r > 0.30 for r in rest) <= 0.10 * len(rest), sum(r > 0.30 for r in rest) / len(rest)


def test_terms_add_up(parity, tmp_path):
    rows, _ = explained(parity, tmp_path, [ROWS])
    for r in rows:
        terms = {t: float(r[t + "_s"]) for t in TERMS}
        assert all(seconds >= 0 for seconds in terms.values()), r
        assert sum(terms.values()) == pytest.approx(float(r["modelled_s"]), rel=1e-6)
        assert float(r["rest_s"]) == pytest.approx(float(r["measured_s"]) - float(r["modelled_s"]), rel=1e-6, abs=1e-12)
        assert r["reason"] in ("not explained", max(terms, key=terms.get))
    assert {r["reason"] for r in rows} >= {"launches", "memory", "instructions", "blocks"}


def test_no_time_explains_itself(parity, tmp_path):
    """Three times the measured time of every row of an algorithm, and what its rows are modelled as stays the same."""
    kernels = ("cuda-fused", "kokkos-fused")
    slower = []
    for line in ROWS.read_text().splitlines():
        record = json.loads(line)
        if record["type"] == "measurement" and record["variant"].split("+")[0] in kernels:
            record["host_seconds"] = [[3 * s for s in block] for block in record["host_seconds"]]
        slower.append(json.dumps(record))
    (tmp_path / "slower.jsonl").write_text("\n".join(slower) + "\n")
    before, _ = explained(parity, tmp_path, [ROWS])
    after, _ = explained(parity, tmp_path, ["slower.jsonl"])
    assert len(before) == len(after)
    changed = 0
    for old, new in zip(before, after):
        of = old["variant"].split("+")[0].split("/")[0]
        if of in kernels:
            assert float(new["measured_s"]) == pytest.approx(3 * float(old["measured_s"]))
            assert new["modelled_s"] == old["modelled_s"], old["variant"]
        changed += new["modelled_s"] != old["modelled_s"]
    assert changed > 0, "the fitted latencies of the others do come from these rows"


def test_rates_are_not_extrapolated(parity, tmp_path):
    """Beyond the largest copy that was measured its rate stands in, and that is said."""
    shorter = []
    for line in COSTS.read_text().splitlines():
        record = json.loads(line)
        if not (record.get("problem", {}).get("quantity") == "copy" and record["problem"]["bytes"] > 1 << 25):
            shorter.append(line)
    (tmp_path / "shorter.jsonl").write_text("\n".join(shorter) + "\n")
    done = parity("explain", H200 / "pairs/pairs.jsonl", "shorter.jsonl", "--kernels", H200 / "kernels.csv", "--csv", "e.csv")
    assert done.returncode == 0 and "rows are beyond what was measured" in done.stdout, done.stderr
    with open(tmp_path / "e.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {r["clamped"] for r in rows if r["problem"].startswith("512x512x64")} == {"1"}
    assert len({r["memory_rate"] for r in rows if r["memory_rate"]}) == 1


def test_without_counters_nothing_is_guessed(parity, tmp_path):
    done = parity("explain", ROWS, COSTS, "--csv", "e.csv")
    assert done.returncode == 0 and ": not explained: " in done.stdout, done.stderr
    with open(tmp_path / "e.csv", encoding="utf-8") as file:
        assert not list(csv.DictReader(file))


@pytest.mark.parametrize("text, says", [("kernel\n", "line 1: must be kernel,"), (None, "cannot be read"),
                                        ("{}a,,float,1,field,2,100,100,128,1,many,0,0,0,,x\n", "line 2: 'many' is no number")])
def test_a_damaged_table_is_refused(parity, tmp_path, text, says):
    if text is not None:
        header = (H200 / "kernels.csv").read_text().splitlines()[0] + "\n"
        (tmp_path / "k.csv").write_text(text.format(header))
    done = parity("explain", ROWS, COSTS, "--kernels", "k.csv", "--csv", "e.csv")
    assert done.returncode == 2 and says in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert not (tmp_path / "e.csv").exists() or (tmp_path / "e.csv").read_text() == ""
