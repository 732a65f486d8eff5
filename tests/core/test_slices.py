# SPDX-License-Identifier: BSD-3-Clause
"""parity measure --slice, merge and merit: a plan in parts, merged again, as figures of merit."""
import re

import pytest
from record_files import key, metric, records, rows, write

PLAN = """
variants = ["openmp-fused", "kokkos-fused", "reference-loop"]
[axes]
size = [[20, 12, 2], [33, 17, 3], [9, 7, 1]]
steps = [4, 5]
precision = ["float", "double"]
[measure]
repeats = 3
"""


@pytest.fixture
def slices(parity, tmp_path):
    """slices(n): the plan's n slices as files."""

    def measure(n):
        (tmp_path / "plan.toml").write_text(PLAN)
        files = [f"slice{k}.jsonl" for k in range(1, n + 1)]
        for k, file in enumerate(files, 1):
            done = parity("measure", "plan.toml", "--slice", f"{k}/{n}", "--output", file)
            assert done.returncode == 0, done.stderr
        return files

    return measure


@pytest.mark.parametrize("n", [1, 5, 13])
def test_slices_make_the_whole_plan(parity, slices, tmp_path, n):
    files = slices(n)
    done = parity("export", "--records", *files, "--output", "all.jsonl")
    assert done.returncode == 0 and f"36 rows of {n} files" in done.stdout
    merged = rows(tmp_path / "all.jsonl")
    assert len(merged) == 36 and len({key(r) for r in merged}) == 36
    assert parity("measure", "plan.toml", "--output", "all.jsonl", "--resume").stdout.startswith("0 rows measured, 36 kept")
    parts = [len(rows(tmp_path / f)) for f in files]
    assert max(parts) - min(parts) <= 3  # a problem's variants stay together
    environments = [r for r in records(tmp_path / "all.jsonl") if r["type"] == "environment"]
    assert [e["slice"] for e in environments] == [f"{k}/{n}" for k in range(1, n + 1) if parts[k - 1]]
    if n == 13:
        last = parity("measure", "plan.toml", "--slice", "13/13", "--output", "last.jsonl")
        assert last.returncode == 0 and "the plan has only 12" in last.stdout


@pytest.mark.parametrize("text", ["0/4", "5/4", "4", "1/0", "-1/4", "1/4x", "a/b", "1/100001", " "])
def test_bad_slices_are_refused(refused, parity, tmp_path, text):
    (tmp_path / "plan.toml").write_text(PLAN)
    refused("measure", "plan.toml", f"--slice={text}", "--output", "r.jsonl", says="give K/N")
    assert not (tmp_path / "r.jsonl").exists()


def test_merge_loses_and_repeats_nothing(parity, refused, slices, tmp_path):
    one, two = slices(2)
    refused("export", "--records", one, two, one, "--output", "all.jsonl", says="leave one of them out")
    assert not (tmp_path / "all.jsonl").exists()
    assert parity("export", "--records", one, two, "--output", "all.jsonl").returncode == 0
    whole = (tmp_path / "all.jsonl").read_text()
    refused("export", "--records", one, "--output", "all.jsonl", says="would be lost")
    assert (tmp_path / "all.jsonl").read_text() == whole
    assert parity("export", "--records", two, one, "--output", "all.jsonl").returncode == 0  # the same results again: nothing is lost
    (tmp_path / "none.jsonl").write_text("")
    refused("export", "--records", "none.jsonl", "--output", "x.jsonl", says="no measurement")
    refused("export", "--records", "missing.jsonl", "--output", "x.jsonl", says="No such file")


def test_a_folder_of_results_stands_for_its_records(parity, refused, slices, tmp_path):
    (file,) = slices(1)
    (tmp_path / "job").mkdir()
    (tmp_path / "empty").mkdir()
    (tmp_path / file).rename(tmp_path / "job/records.jsonl")
    done = parity("compare", "job", tmp_path / "job")
    assert done.returncode == 0 and "36 rows in all 2 files" in done.stdout
    refused("compare", "job", "empty", says="empty: is a folder without a file records.jsonl")


def test_figures_of_merit(parity, slices, tmp_path):
    (file,) = slices(1)
    done = parity("findings", "--merit", file)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert all(re.fullmatch(r"merit \S+ \S+ \S+ [0-9.e+-]+ \S+", line) for line in lines)
    assert lines[-2:] == ["merit rows - verified 36 rows", "merit rows - wrong 0 rows"]
    figures = {tuple(line.split()[1:4]): float(line.split()[4]) for line in lines[:-2]}
    measured = rows(tmp_path / file)
    for r in measured:
        p, seconds = r["problem"], r["host_seconds"]["median"]
        name = f"diffusion/{r['variant']}" + (f"/{r['tuning']}" if r["tuning"] else "")
        problem = ",".join(f"{k}={p[k]}" for k in sorted(p))
        assert figures[name, problem, "throughput"] == pytest.approx(p["nx"] * p["ny"] * p["nz"] * p["steps"] / seconds / 1e9, 1e-5)
        assert metric(r, "throughput") == pytest.approx(figures[name, problem, "throughput"], 1e-5)
        if r["variant"] == "kokkos-fused":
            (native,) = [n for n in measured if n["variant"] == "openmp-fused" and n["problem"] == p]
            ratio = figures[name, problem, "ratio:openmp-fused"]
            assert ratio == pytest.approx(sorted(n[0] / s[0] for n, s in zip(native["host_seconds"]["samples"], r["host_seconds"]["samples"]))[1],
                                          1e-5), "the median of the starts' ratios"
            assert figures[name, problem, "ratio_low:openmp-fused"] <= ratio <= figures[name, problem, "ratio_high:openmp-fused"]
            assert figures[name, problem, "samples:openmp-fused"] == figures[name, problem, "starts:openmp-fused"] == 3
    assert sum(metric.startswith("ratio:") for _, _, metric in figures) == 12
    measured[3]["verification"]["error"] = 1.0
    write(tmp_path / "wrong.jsonl", measured)
    done = parity("findings", "--merit", "wrong.jsonl")
    assert done.returncode == 1 and "merit rows - wrong 1 rows" in done.stdout
