# SPDX-License-Identifier: BSD-3-Clause
"""'parity instructions' executes rows one instruction after the other, and variants/host_work.py makes what 'parity explain --loops' takes of it."""
import csv
import pathlib
import platform
import re
import subprocess
import sys

import pytest

from conftest import PARITY

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "variants"))
sys.dont_write_bytecode = True

import host_work  # noqa: E402  (the path comes first)

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="instructions are executed one by one on x86-64 only")
PLAN = """study = "diffusion"
variants = ["openmp-fused", "openmp-fused-wrap"]
[axes]
size = [[24, 3, 1], [24, 7, 1], [24, 8, 1]]
steps = [1]
precision = ["float"]
"""


@pytest.fixture
def counted(parity, tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    done = parity("--threads", 1, "instructions", "plan.toml", "--output", "i.csv", "--quiet")
    assert done.returncode == 0 and "6 rows counted, 0 skipped: i.csv" in done.stdout, done.stderr
    return tmp_path / "i.csv"


def test_a_row_more_is_the_same_instructions_more(counted):
    """Of a field with four rows more, each instruction that loops over rows is executed four times what one row more does."""
    with open(counted, encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert {(r["study"], r["precision"], r["points_in_row"]) for r in lines} == {("diffusion", "float", "24")}
    for kernel in ("openmp-fused", "openmp-fused-wrap"):
        of = [r for r in lines if r["kernel"] == kernel]
        small, middle, large = sorted({float(r["flops"]) for r in of})
        assert middle - small == 4 * (large - middle) > 0
        total = {flops: sum(int(r["times"]) for r in of if float(r["flops"]) == flops) for flops in (small, middle, large)}
        one = total[large] - total[middle]
        assert one > 24 and abs(total[middle] - total[small] - 4 * one) <= 0.1 * 4 * one, total


def test_work_of_an_operation(counted, parity, tmp_path):
    work = host_work.executed(pathlib.Path(PARITY).resolve().parent, counted)
    assert set(work) == {("diffusion", k, "float", 24) for k in ("openmp-fused", "openmp-fused-wrap")}
    for found in work.values():
        assert 0.05 < sum(found.values()) < 50 and found.get("division", 0) < 0.1, found
    with pytest.raises(SystemExit, match="are no instructions of"):
        text = counted.read_text().splitlines()
        (tmp_path / "other.csv").write_text("\n".join([text[0], *(line.replace(line.split(",")[5], "1") for line in text[1:])]) + "\n")
        host_work.executed(pathlib.Path(PARITY).resolve().parent, tmp_path / "other.csv")


@pytest.mark.parametrize("mnemonic, operands, says", [
    ("idivl", "0x8(%rsp)", "division"), ("div", "%rcx", "division"), ("vdivps", "%ymm0,%ymm1,%ymm2", "vector"), ("vdivss", "%xmm0,%xmm1,%xmm2", "scalar"),
    ("vmovups", "%zmm3,(%rax)", "vector_memory"), ("vaddps", "-0x4(%rsi,%rax,4),%ymm1,%ymm2", "vector_memory"), ("vmulps", "%ymm0,%ymm1,%ymm2", "vector"),
    ("vmovss", "(%rax),%xmm1", "scalar"), ("vfmadd231ss", "%xmm0,%xmm1,%xmm2", "scalar"), ("add", "$0x1,%rax", "scalar")])
def test_what_counts_as_what(mnemonic, operands, says):
    assert host_work.kind(mnemonic, operands) == says


def host_work_of(*arguments, folder=None):
    return subprocess.run([sys.executable, ROOT / "variants/host_work.py", *arguments], capture_output=True, text=True, cwd=folder)


@pytest.mark.parametrize("variant, counted", [("openmp-fused", True), ("cuda-fused-2d", False)])
def test_rows_of_plans_are_counted_and_the_others_go_by_their_loops(tmp_path, variant, counted):
    """Also where nothing of a plan can be counted, as on a GPU; and from within the build."""
    (tmp_path / "plan.toml").write_text(PLAN.replace('"openmp-fused", "openmp-fused-wrap"', f'"{variant}"'))
    done = host_work_of(".", "--plans", tmp_path / "plan.toml", folder=pathlib.Path(PARITY).resolve().parent)
    assert done.returncode == 0, done.stderr
    source = {(r["kernel"], r["precision"], r["points_in_row"]): r["source"].split(", ")[0] for r in csv.DictReader(done.stdout.splitlines())}
    of_loops = "machine code of openmp_fused.cpp.o"
    assert source.get(("openmp-fused", "float", "24")) == ("executed instructions of parity" if counted else None)
    assert source.get(("openmp-fused", "float", "")) == (None if counted else of_loops) and source["openmp-fused", "double", ""] == of_loops
    assert ("loops in the machine code stand in for the rest" in done.stderr) == (not counted)


def test_a_plan_that_cannot_be_read_makes_no_table(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN.replace("steps", "stepz"))
    done = host_work_of(pathlib.Path(PARITY).resolve().parent, "--plans", tmp_path / "plan.toml")
    assert done.returncode == 1 and done.stdout == "" and "stepz" in done.stderr and "leave --plans away" in done.stderr


def test_every_row_of_the_local_report_is_counted(parity):
    """All host variants of its plan but those without a model of loops, by plans that jobs/local.sh names, with its length of rows and precision."""
    named = re.search(r"--plans .*/local_work\{(.*?)\}", (ROOT / "jobs/local.sh").read_text())[1].split(",")

    def rows_of(plan):
        done = parity("--threads", 1, "measure", ROOT / "jobs/plans" / plan, "--dry-run")
        assert done.returncode == 0, done.stderr
        found = re.findall(r"^(\d+)x\S+ N=\d+ (\w+) +((?:openmp|kokkos)-[a-z0-9-]+)", done.stdout, re.MULTILINE)
        return set(found)

    local = rows_of("local.toml")
    counted = set().union(*(rows_of(f"local_work{suffix}.toml") for suffix in named))
    assert ("128", "float", "kokkos-plane-lanes") in local
    # One copies, the other does no steps.
    assert {row for row in local - counted if row[2] not in ("kokkos-copy", "openmp-spectral")} == set()


@pytest.mark.parametrize("arguments, says", [
    ([], "give a build directory"), (["."], "give a build directory"), (["BUILD", "--plans"], "--plans with the plans to count"),
    (["BUILD", "a.csv", "b.csv"], "give one file"), (["BUILD", "--plans", "none.toml"], "none.toml is not there"), (["BUILD", "none.csv"], "none.csv is not there")])
def test_bad_use_of_the_table(arguments, says):
    build = pathlib.Path(PARITY).resolve().parent
    done = host_work_of(*[build if a == "BUILD" else a for a in arguments])
    assert done.returncode == 1 and done.stdout == "" and says in done.stderr and done.stderr.count("\n") == 1


def test_two_lengths_tell_of_a_third(parity, tmp_path):
    """Of rows of 32 and 64 points follows what rows of 96 and 128 execute, but for the rest of a vector loop; one length alone is far off. Rows of 16 enter no
    loop of vectors that have 16 values."""
    (tmp_path / "plan.toml").write_text(PLAN.replace("[24, 3, 1], [24, 7, 1], [24, 8, 1]", ", ".join(
        f"[{n}, {rows}, 1]" for n in (16, 32, 64, 96, 128) for rows in (4, 8))))
    assert parity("--threads", 1, "instructions", "plan.toml", "--output", "i.csv", "--quiet").returncode == 0
    work = host_work.executed(pathlib.Path(PARITY).resolve().parent, tmp_path / "i.csv")
    for kernel in ("openmp-fused", "openmp-fused-wrap"):
        all_of = {n: n * sum(work["diffusion", kernel, "float", n].values()) for n in (16, 32, 64, 96, 128)}
        for n in (96, 128):
            line = all_of[64] + (n - 64) * (all_of[64] - all_of[32]) / 32
            assert line == pytest.approx(all_of[n], rel=0.02), (kernel, n)
        assert all_of[16] / 16 > 1.3 * all_of[128] / 128, kernel


def test_a_row_that_takes_too_long_is_skipped(parity, tmp_path):
    """By what a smaller one took, before it runs; or while it runs. What was counted is kept, and the command does not end with 0."""
    large = PLAN.replace("[24, 3, 1], [24, 7, 1], [24, 8, 1]", "SIZES").replace(', "openmp-fused-wrap"', "")
    for sizes, rows in (("[24, 3, 1], [1024, 512, 4]", 1), ("[1024, 512, 4]", 0)):
        (tmp_path / "plan.toml").write_text(large.replace("SIZES", sizes))
        done = parity("--threads", 1, "instructions", "plan.toml", "--output", "i.csv", "--limit", 2)
        assert done.returncode == 3 and "skipped openmp-fused: would take more than 2 s (--limit)" in done.stdout, (done.stdout, done.stderr)
        assert done.stderr.strip().splitlines()[-1] == ("parity: a row would take more than 2 s, one instruction after the other: make the problems "
                                                        "smaller, or --limit larger"), done.stderr
        assert (f"{rows} rows counted, 1 skipped: i.csv" in done.stdout) == (tmp_path / "i.csv").exists() == (rows > 0)
        (tmp_path / "i.csv").unlink(missing_ok=True)
    done = parity("instructions", "--help")
    assert "--limit" in done.stdout and "14 microseconds" in " ".join(done.stdout.split())


def test_bad_use(refused, tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    refused("--threads", 2, "instructions", "plan.toml", says="give --threads 1")
    refused("--threads", 1, "instructions", "none.toml", says="none.toml")
    for limit in ("0", "-1", "soon"):
        refused("--threads", 1, "instructions", "plan.toml", "--limit", limit, says="--limit")
    refused("--threads", 1, "instructions", "plan.toml", "--output", "plan.toml", says="plan.toml")
    (tmp_path / "empty.toml").write_text('study = "launch"\nvariants = ["openmp-parallel-for"]\n[axes]\nquantity = ["latency"]\n')
    refused("--threads", 1, "instructions", "empty.toml", says="nothing of this plan can be counted", code=3)
    assert not (tmp_path / "instructions.csv").exists()
