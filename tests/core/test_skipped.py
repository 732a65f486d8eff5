# SPDX-License-Identifier: BSD-3-Clause
"""A variant that cannot run gives a record with its reason, once per process, in every command that reads records."""
import json

import pytest
from record_files import POINT, key, lines, records, row, skipped, skips, write

PLAN = """
variants = ["openmp-fused", "openmp-fused+graph-two", "kokkos-fused"]
[axes]
size = [[9, 8, 2], [11, 7, 1]]
steps = [3]
[measure]
repeats = 6
starts = 3
"""
WHY = "nothing to capture"


@pytest.fixture
def measured(parity, tmp_path):
    """A finished plan with one variant that is skipped on both problems."""
    (tmp_path / "p.toml").write_text(PLAN)
    done = parity("measure", "p.toml", "--output", "r.jsonl", "--json", "j.jsonl")
    assert done.returncode == 0 and "4 rows measured, 0 kept from before, 2 skipped" in done.stdout, done.stdout + done.stderr
    return tmp_path / "r.jsonl"


def starts_of(path):
    found = {}
    for r in skips(path):
        found.setdefault(key(r), []).extend(r["starts"])
    return sorted(found.values())


def exported(parity, *files):
    done = parity("export", *files)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_each_start_says_what_it_skipped(parity, measured, tmp_path):
    assert starts_of(measured) == [[1, 2, 3], [1, 2, 3]]
    (environment,) = [r for r in records(measured) if r["type"] == "environment"]
    for r in skips(measured):
        assert (r["study"], r["variant"], r["kernel"], r["mechanism"]) == ("diffusion", "openmp-fused+graph-two", "openmp-fused", "graph-two")
        assert WHY in r["reason"] and r["problem"]["steps"] == 3 and "host_seconds" not in r
        assert r["run"]["id"] == environment["id"] == lines(measured)[0]["run"]["id"]
    assert starts_of(tmp_path / "j.jsonl") == [[1, 2, 3], [1, 2, 3]] and len(skips(tmp_path / "j.jsonl")) == 2, "one line a row"
    found = exported(parity, "r.jsonl")
    assert [s["starts"] for s in found["skipped"]] == [[1, 2, 3]] * 2 and len(found["measurements"]) == 4
    assert {s["name"] for s in found["skipped"]} == {"openmp-fused+graph-two"} and all(WHY in s["reason"] for s in found["skipped"])
    assert found["skipped"][0]["place"].startswith("r.jsonl: line ")


def test_nothing_is_doubled_by_a_resume(parity, measured):
    before = measured.read_text()
    done = parity("measure", "p.toml", "--output", "r.jsonl", "--resume")
    assert done.returncode == 0 and "0 rows measured, 4 kept from before, 2 skipped" in done.stdout
    assert measured.read_text() == before
    done = parity("measure", "p.toml", "--output", "r.jsonl", "--resume", "--starts", 5, "--repeats", 10)
    assert done.returncode == 0 and measured.read_text().startswith(before)
    assert starts_of(measured) == [[1, 2, 3, 4, 5]] * 2


def test_where_nothing_can_run_the_file_says_why(parity, tmp_path):
    (tmp_path / "p.toml").write_text(PLAN.replace('"openmp-fused", ', "").replace(', "kokkos-fused"', ""))
    done = parity("measure", "p.toml", "--output", "r.jsonl")
    assert done.returncode == 3 and "nothing of this plan can run here" in done.stderr
    assert starts_of(tmp_path / "r.jsonl") == [[1], [1]], "no other start is tried"
    assert len(exported(parity, "r.jsonl")["skipped"]) == 2
    done = parity("findings", "--merit", "r.jsonl")
    assert done.returncode == 2 and "holds no measurement; diffusion/openmp-fused+graph-two was skipped: " in done.stderr and WHY in done.stderr


def test_slices_are_merged_with_what_they_skipped(parity, tmp_path):
    (tmp_path / "p.toml").write_text(PLAN)
    for k in (1, 2):
        assert parity("measure", "p.toml", "--slice", f"{k}/2", "--output", f"{k}.jsonl").returncode == 0
    done = parity("export", "--records", "1.jsonl", "2.jsonl", "--output", "all.jsonl")
    assert done.returncode == 0 and done.stdout == "4 rows and 2 that were skipped of 2 files: all.jsonl\n", done.stdout + done.stderr
    assert starts_of(tmp_path / "all.jsonl") == [[1, 2, 3], [1, 2, 3]]
    before = (tmp_path / "all.jsonl").read_text()
    done = parity("measure", "p.toml", "--output", "all.jsonl", "--resume")
    assert done.returncode == 0 and (tmp_path / "all.jsonl").read_text() == before, "each in the run of its slice"


def test_a_merge_neither_doubles_nor_loses_them(parity, tmp_path):
    write(tmp_path / "a.jsonl", [row("diffusion", "kokkos-fused", [1e-3], POINT), skipped("diffusion", "openmp-fused", "busy", POINT)])
    write(tmp_path / "same.jsonl", [skipped("diffusion", "openmp-fused", "busy", POINT)])
    write(tmp_path / "other.jsonl", [row("diffusion", "openmp-fused", [1e-3], POINT, run="another")])
    done = parity("export", "--records", "a.jsonl", "same.jsonl", "--output", "m.jsonl")
    assert done.returncode == 2 and "a.jsonl and same.jsonl both hold the row diffusion/openmp-fused/ " in done.stderr
    done = parity("export", "--records", "a.jsonl", "other.jsonl", "--output", "m.jsonl")
    assert done.returncode == 0 and done.stdout == "2 rows of 2 files: m.jsonl\n", "another run measured it"
    done = parity("export", "--records", "other.jsonl", "--output", "a.jsonl")
    assert done.returncode == 2 and "holds rows that none of the files has" in done.stderr
    write(tmp_path / "b.jsonl", [skipped("diffusion", "openmp-fused", "busy", POINT, starts=[2])])
    done = parity("export", "--records", "b.jsonl", "--output", "same.jsonl")
    assert done.returncode == 2 and "holds rows that none of the files has" in done.stderr and len(skips(tmp_path / "same.jsonl")) == 1


def test_compare_says_where_a_row_went(parity, tmp_path):
    both = row("diffusion", "kokkos-fused", [1e-3] * 3, POINT)
    write(tmp_path / "a.jsonl", [both, row("diffusion", "openmp-fused", [1e-3] * 3, POINT)])
    write(tmp_path / "b.jsonl", [both, skipped("diffusion", "openmp-fused", "no memory left", POINT), skipped("diffusion", "openmp-plane", "busy", POINT)])
    done = parity("compare", "a.jsonl", "b.jsonl", "--json", "c.json")
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert text.count("b: skipped diffusion/openmp-fused/") == text.count(": no memory left") == 1, done.stdout
    assert "openmp-plane" not in done.stdout, "it had no time before"
    assert [r["name"].split("/")[1] for r in json.loads((tmp_path / "c.json").read_text()) if r["change"] == "skipped"] == ["openmp-fused"]
    assert "skipped" not in parity("compare", "b.jsonl", "a.jsonl").stdout


def test_findings_end_with_them(parity, tmp_path):
    write(tmp_path / "r.jsonl", [row("diffusion", "kokkos-fused", [1e-3] * 3, POINT, twin="openmp-fused"), row("diffusion", "openmp-fused", [1e-3] * 3, POINT),
                                 skipped("diffusion", "cuda-fused", "no GPU", POINT), skipped("kde", "cuda-direct", "no GPU", {"n": 10})])
    done = parity("findings", "r.jsonl", "--json", "f.json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("\nrows that were skipped, and why: 2\n  skipped diffusion/cuda-fused kde/cuda-direct: no GPU\n")
    table = json.loads((tmp_path / "f.json").read_text())["skipped"]
    assert [(r["row"], r["problem"], r["starts"], r["reason"]) for r in table][1] == ("kde/cuda-direct", "n=10", "1", "no GPU")
