# SPDX-License-Identifier: BSD-3-Clause
"""parity compare with several files and with pairs: changes between versions of a library."""
import csv
import json

import pytest

from record_files import POINT, row, write

VERSIONS = ("3.4.1", "4.6.1", "5.2.2")


def record(path, version, portable, native=1.0, problems=(POINT,), passed=True):
    """The records of one build: a native result and its portable twin, three processes each."""
    lines = [{"schema": 3, "type": "environment", "id": "run", "kokkos_default": "OpenMP", "kokkos": version, "commit": "c0ffee"}]
    for problem in problems:
        lines += [row("diffusion", "openmp-fused", [native] * 3, problem),
                  row("diffusion", "kokkos-fused", [portable] * 3, problem, twin="openmp-fused", error=0.0 if passed else 2.0)]
    write(path, lines)


@pytest.fixture
def three(tmp_path):
    for version, portable in zip(VERSIONS, (2.0, 3.0, 2.0)):
        record(tmp_path / f"{version}.jsonl", version, portable)
    return [f"{v}.jsonl" for v in VERSIONS]


def table(said, first):
    """The lines between a heading and the next empty line, as words."""
    lines = said.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith(f"  {first} "))
    return [line.split() for line in lines[start:lines.index("", start)]]


def test_several_files_are_one_table(parity, three):
    done = parity("compare", *three)
    assert done.returncode == 1, "one of them is too slow"
    assert "3.4.1  Kokkos: 3.4.1, default OpenMP\n4.6.1  Kokkos: 4.6.1, default OpenMP\n" in done.stdout
    assert "commit" not in done.stdout, "it is the same in all"
    head, *rows = table(done.stdout, "row")
    assert head == ["row", *VERSIONS]
    assert [r[0] for r in rows] == ["kokkos-fused"], "the native row did not change"
    assert rows[0][1:] == "2 s [2, 2] 3 s [3, 3] x1.500 2 s [2, 2] =".split()
    assert "\n2 rows in all 3 files; since 3.4.1:\n4.6.1: 1 portable rows, 0 faster, 1 slower, median x1.500\n" in done.stdout
    assert "\n5.2.2: 1 native rows, 0 faster, 0 slower, median x1.000\n" in done.stdout
    assert parity("compare", *three, "--factor", 2).returncode == 0
    assert parity("compare", three[0], three[2], three[0]).returncode == 0


def test_pairs_are_compared_by_their_ratios(parity, three, tmp_path):
    done = parity("compare", "--pairs", *three)
    assert done.returncode == 1
    head, pair, *rest = table(done.stdout, "pair")  # in two tables, since the last column does not fit a screen
    assert head + rest[0][1:] == ["pair", *VERSIONS] and pair[:3] == rest[1][:3] == ["kokkos-fused", "/", "openmp-fused"]
    assert pair[3] == "0.500" and pair[6] == "0.333" and pair[9] == "x0.667" and rest[1][-1] == "="
    assert "4.6.1: 1 pairs, 0 larger, 1 smaller, median x0.667\n" in done.stdout
    # A machine that is slower for both sides changes times but no ratio.
    record(tmp_path / "slow.jsonl", "3.4.1", 4.0, native=2.0)
    assert parity("compare", three[0], "slow.jsonl").returncode == 1
    same = parity("compare", "--pairs", three[0], "slow.jsonl")
    assert same.returncode == 0 and "1 pairs, 0 larger, 0 smaller" in same.stdout
    assert "native time / portable time" not in same.stdout, "no heading without a row"


def test_what_varies_and_what_is_wrong(parity, tmp_path):
    problems = [POINT, {**POINT, "precision": "double"}]
    record(tmp_path / "a.jsonl", "1", 2.0, problems=problems)
    record(tmp_path / "b.jsonl", "1", 2.0, problems=problems[:1], passed=False)
    record(tmp_path / "c.jsonl", "1", 2.0, problems=problems)
    done = parity("compare", "a.jsonl", "c.jsonl", "--all")
    assert done.stdout.startswith("a\nc\n\n"), "nothing differs but the name"
    said = [line for line in done.stdout.splitlines() if line.startswith((" precision", "  openmp", "  kokkos"))]
    assert [line.split()[0] for line in said] == ["precision=float", "openmp-fused", "kokkos-fused", "precision=double", "openmp-fused", "kokkos-fused"]
    done = parity("compare", "a.jsonl", "c.jsonl", "b.jsonl")
    assert done.returncode == 1 and "2 rows in all 3 files" in done.stdout
    assert table(done.stdout, "row")[1][-1] == "WRONG"
    assert "b: 1 portable rows, 0 faster, 0 slower, 1 WRONG" in done.stdout


def test_too_few_starts_are_said(parity, tmp_path):
    for name, seconds in (("a", 1.0), ("b", 1.05), ("c", 2.0)):
        write(tmp_path / f"{name}.jsonl", [row("diffusion", "openmp-fused", [seconds], POINT)])
    done = parity("compare", "a.jsonl", "b.jsonl", "c.jsonl")
    assert done.returncode == 1, "twice the time must not pass for lack of starts"
    assert "b: 1 native rows, 0 faster, 0 slower, median x1.050, 1 undecided" in done.stdout
    assert "without an interval, which takes 3 starts of the program" in done.stdout
    assert table(done.stdout, "row")[1][-2:] == ["x2.000", "?"] and "[n = 1] ?" in done.stdout


def test_only_native_rows_may_not_be_slower(parity, tmp_path):
    record(tmp_path / "before.jsonl", "1", 2.0)
    record(tmp_path / "portable.jsonl", "1", 3.0)
    record(tmp_path / "native.jsonl", "1", 2.0, native=1.04)
    record(tmp_path / "wrong.jsonl", "1", 2.0, passed=False)
    done = parity("compare", "--native", "--factor", "1.03", "before.jsonl", "portable.jsonl")
    assert done.returncode == 0 and table(done.stdout, "row")[1][-1] == "x1.500", "it is shown"
    assert parity("compare", "before.jsonl", "native.jsonl").returncode == 0
    done = parity("compare", "--native", "--factor", "1.03", "before.jsonl", "native.jsonl")
    assert done.returncode == 1 and table(done.stdout, "row")[1][0] == "openmp-fused"
    assert parity("compare", "--native", "before.jsonl", "wrong.jsonl").returncode == 1


def test_sheets_have_every_row_and_file(parity, three, tmp_path):
    parity("compare", *three, "--csv", "c.csv", "--json", "c.json")
    rows = list(csv.DictReader((tmp_path / "c.csv").open()))
    assert len(rows) == 6 and json.loads((tmp_path / "c.json").read_text())[0]["file"] == "3.4.1"
    (changed,) = [r for r in rows if r["change"] not in ("", "same")]
    assert (changed["name"], changed["file"], changed["change"]) == ("diffusion/kokkos-fused", "4.6.1", "TOO SLOW")
    assert float(changed["factor"]) == pytest.approx(1.5) and float(changed["time us"]) == pytest.approx(3e6)
    parity("compare", "--pairs", *three, "--csv", "c.csv")
    assert [float(r["ratio"]) for r in csv.DictReader((tmp_path / "c.csv").open())] == pytest.approx([0.5, 1 / 3, 0.5])


def test_nothing_in_common(refused, three, tmp_path):
    write(tmp_path / "other.jsonl", [row("diffusion", "openmp-plane", [1.0] * 3, POINT)])
    refused("compare", *three, "other.jsonl", says="have no rows in common")
    refused("compare", "--pairs", three[0], "other.jsonl", says="have no pairs in common")
    refused("compare", *three, "--csv", three[2], says="is read by this command, and would be replaced")
    refused("compare", *three, "missing.jsonl", says="No such file")
