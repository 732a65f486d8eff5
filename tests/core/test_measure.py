# SPDX-License-Identifier: BSD-3-Clause
"""parity measure, diffusion, compare and list: plans, records, interruption, refusals."""
import os
import signal
import subprocess
import time

import pytest
from record_files import hurry, key, metric, records, rows, sample_count, timed_plan

PARITY = os.environ["PARITY"]

PLAN = """
variants = ["openmp-fused", "kokkos-plane", "reference-loop"]
[axes]
size = [[20, 12, 2], [33, 17, 3]]
steps = [4, 5]
precision = ["float", "double"]
[measure]
repeats = 4
"""

SLOW_ROWS = 60
SLOW = timed_plan(SLOW_ROWS // 2, 1)


def test_a_plan_gives_verified_rows(parity, refused, tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    done = parity("measure", "plan.toml", "--output", "r.jsonl")
    assert done.returncode == 0, done.stderr
    all_records = records(tmp_path / "r.jsonl")
    assert all_records[0]["type"] == "environment" and all_records[0]["schema"] == 4
    for k in ("commit", "cxx", "kokkos", "cpu", "omp_threads", "time"):
        assert k in all_records[0]
    measured = rows(tmp_path / "r.jsonl")
    assert len(measured) == 2 * 2 * 2 * 3 and len({key(r) for r in measured}) == len(measured)
    for r in measured:
        assert r["verification"]["passed"] and 0 <= r["verification"]["error"] <= r["verification"]["tolerance"]
        assert sample_count(r) == 4 and r["starts"] == [1, 2, 3, 4] and len(set(r["processes"])) == 4
        assert r["setup_seconds"] > 0 and r["model"]["bytes"] > 0 and metric(r, "copy_bandwidth") > 0
        assert r["run"]["id"] == all_records[0]["id"] and r["run"]["commit"] == all_records[0]["commit"]
    refused("measure", "plan.toml", "--output", "r.jsonl", says="r.jsonl: holds records already; add --resume")
    assert records(tmp_path / "r.jsonl") == all_records


def test_axes_are_set_on_the_command_line(parity, refused, tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    done = parity("measure", "plan.toml", "--set", "precision=float", "--set", "size=[8, 9, 2], [9, 8, 2]", "--set", "steps=2,3", "--output", "r.jsonl")
    assert done.returncode == 0, done.stderr
    found = {tuple(r["problem"][k] for k in ("nx", "ny", "nz", "steps", "precision")) for r in rows(tmp_path / "r.jsonl")}
    assert found == {(nx, ny, 2, steps, "float") for nx, ny in ((8, 9), (9, 8)) for steps in (2, 3)}
    for word, says in [("steps", "--set is 'steps'; give AXIS=VALUES"), ("steps=", "give AXIS=VALUES"), ("step=2", "did you mean steps"),
                       ("nx=8", "the plan has size = [nx, ny, nz]"), ("size=8,9,2", "must be a list of [nx, ny, nz]"),
                       ("steps=0", "plan.toml: axes.steps"), ("precision=half", "axes.precision")]:
        refused("measure", "plan.toml", "--set", word, "--output", "x.jsonl", says=says)


SEVERAL = """
[[axes]]
variants = ["openmp-fused"]
size = [[20, 12, 2]]
steps = [4, 5]
[[axes]]
variants = ["kokkos-fused", "openmp-fused"]
size = [[20, 12, 2]]
steps = [5]
[[axes]]
study = "kde"
variants = ["kokkos-direct"]
n = [500]
[[axes]]
study = "launch"
variants = ["openmp-kernel"]
quantity = ["null-overhead"]
[measure]
repeats = 3
starts = 3
"""


def test_a_plan_of_several_studies(parity, refused, tmp_path):
    """Each [[axes]] has its study and variants; a problem in two of them is measured once, with the variants of both."""
    (tmp_path / "plan.toml").write_text(SEVERAL)
    done = parity("measure", "plan.toml", "--set", "precision=double", "--output", "r.jsonl", "--csv", "r.csv")
    assert done.returncode == 0, done.stderr
    assert {(r["study"], r["variant"], r["problem"].get("steps")) for r in rows(tmp_path / "r.jsonl")} == {
        ("diffusion", "openmp-fused", 4), ("diffusion", "openmp-fused", 5), ("diffusion", "kokkos-fused", 5), ("kde", "kokkos-direct", None),
        ("launch", "openmp-kernel", None)}
    assert all(r["problem"].get("precision", "double") == "double" for r in rows(tmp_path / "r.jsonl"))
    assert "4 problems, 5 rows, 5 done" in parity("measure", "plan.toml", "--set", "precision=double", "--output", "r.jsonl", "--check").stdout
    heads = (tmp_path / "r.csv").read_text().splitlines()[0].split(",")
    assert [heads.count(name) for name in ("nx", "n", "quantity", "precision")] == [1, 1, 1, 1]
    refused("measure", "plan.toml", "--set", "pressure=1", says="--set: 'pressure' is no axis of the launch study")
    # --variants narrows it: a word applies to the studies that have it.
    for words, expected in (("openmp-fused", "2 problems, 2 rows"), ("kde/kokkos-direct,openmp-kernel", "2 problems, 2 rows"), ("launch/*", "1 problems")):
        assert parity("measure", "plan.toml", "--variants", words, "--check").stdout.startswith(expected), words
    refused("measure", "plan.toml", "--variants", "openmp-fused,nonsense", "--check", says="no diffusion variant is called 'nonsense'")


def test_the_dry_run_runs_nothing(parity, tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    done = parity("measure", "plan.toml", "--dry-run", "--output", "r.jsonl")
    assert done.returncode == 0 and "24 rows" in done.stdout and "KiB" in done.stdout
    assert not (tmp_path / "r.jsonl").exists()


def test_two_runs_into_one_file_are_refused(parity, refused, tmp_path):
    (tmp_path / "plan.toml").write_text(SLOW)
    first = subprocess.Popen([PARITY, "measure", "plan.toml", "--output", "r.jsonl"], cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        while not (tmp_path / "r.jsonl").exists():
            assert first.poll() is None, "it ended before a test could look"
            time.sleep(0.005)
        refused("measure", "plan.toml", "--output", "r.jsonl", "--resume", says="another run is writing")
        assert first.poll() is None  # still running
    finally:
        first.terminate()
        assert first.wait(timeout=300) == 128 + signal.SIGTERM
    hurry(tmp_path / "plan.toml")
    assert parity("measure", "plan.toml", "--output", "r.jsonl", "--resume").returncode == 0
    assert len(rows(tmp_path / "r.jsonl")) == SLOW_ROWS


@pytest.mark.parametrize("plan,says", [
    ("variant = ['openmp-plane']", "did you mean variants"),
    ("variants = 'openmp-plan'", "did you mean openmp-plane"),
    ("variants = [3]", "must be a string"),
    ("study = 'kde2'", "the studies of this build"),
    ("[axes]\nsize = []", "axes.size: is empty"),
    ("[axes]\nsize = [[1, 2]]", "[nx, ny, nz]"),
    ("[axes]\nsize = [[1, 8, 8]]", "smaller than its halo"),
    ("[axes]\nsizes = [[8, 8, 8]]", "did you mean size"),
    ("[measure]\nrepeats = 0", "plan.toml: measure.repeats is 0: give a whole number from 1 to"),
    ("[tunings]\n'kokkos-fuse' = '1x1x1'", "did you mean kokkos-fused"),
    ("[tunings]\n'openmp-plane' = '1x1x1'", "is no tuning of openmp-plane"),
    ("", "axes: is missing; say which problems to measure"),
    ("[axes]\nsteps = [2]", "variants: is missing; say which to measure"),
    ("variants = ['openmp-plane']\n[axes]\n" + "".join(f"{axis} = {list(range(8, 108))}\n" for axis in ("nx", "ny", "nz", "steps")), "the lists make 1e+08 problems"),
    ("variants = ['openmp-plane']\n[axes]\nsize = [[100000, 100000, 1000]]", "reduce nx, ny or nz"),
], ids=str)
def test_bad_plans_are_refused(refused, tmp_path, plan, says):
    (tmp_path / "plan.toml").write_text(plan)
    refused("measure", "plan.toml", "--output", "r.jsonl", says=says)
    assert os.listdir(tmp_path) == ["plan.toml"]


@pytest.mark.parametrize("arguments,says", [
    (["measure"], "plan is required"),
    (["diffusion", "--nx", "16,0"], "--nx is 0: give a whole number from 1 to"),
    (["diffusion", "--seed", "9000000000000000001"], "--seed is 9000000000000000001: give a whole number from 0 to"),
    (["diffusion", "--steps", 2000000000000], "--steps is 2000000000000"),
    (["diffusion", "--alpha", 1], "--alpha is 1"),
    (["diffusion", "--nx", 3, "--halo", 4], "at least 4"),
    (["diffusion", "--variants", "openmp-pane"], "did you mean openmp-plane"),
    (["diffusion", "--nx", 200000, "--ny", 200000, "--nz", 200], "memory"),
    (["diffusion", "--json", "nowhere/x.json"], "nowhere/x.json: cannot be written"),
], ids=str)
def test_bad_commands_are_refused(refused, tmp_path, arguments, says):
    refused(*arguments, says=says)
    assert os.listdir(tmp_path) == []


def test_what_cannot_run_here_is_exit_code_3(parity):
    if "gpu     none" not in parity("list").stdout:
        pytest.skip("this machine has a GPU")
    done = parity("diffusion", "--nx", 8, "--ny", 8, "--nz", 1, "--steps", 2, "--variants", "cuda-*", "--verbose")
    names, reason = " ".join(done.stdout[done.stdout.index("  skipped "):].split()).split(": ", 1)
    assert done.returncode == 3 and "cuda-fused" in names.split() and reason


@pytest.mark.usefixtures("two_threads")
def test_one_comparison(parity, tmp_path):
    done = parity("diffusion", "--nx", 32, "--ny", 18, "--nz", 2, "--steps", 7, "--repeats", 5, "--json", "r.jsonl", "--csv", "r.csv",
                  "--variants", "openmp-*,kokkos-*", "--baseline", "openmp-fused")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "" and "\x1b" not in done.stdout and "\r" not in done.stdout
    ratios, table = done.stdout.split("\n  variant ")
    assert "Kokkos, first" in ratios and "pairs: native time" not in done.stdout and "kokkos-plane" in table and " us [" in table
    assert max(map(len, done.stdout.splitlines())) <= 100, done.stdout
    listed = [line.split()[0] for line in parity("list", "diffusion", "--available").stdout.splitlines() if line.startswith("  diffusion/")]
    wanted = {name.removeprefix("diffusion/") for name in listed if name.startswith(("diffusion/openmp-", "diffusion/kokkos-"))
              and not name.endswith(("-exchange", "-overlap", "-deep"))}  # these are for several ranks unless a user names them
    assert {r["variant"] for r in rows(tmp_path / "r.jsonl")} == wanted and len(wanted) > 20
    table = (tmp_path / "r.csv").read_text().splitlines()
    assert len(table) == len(wanted) + 1 and all(line.count(",") == table[0].count(",") for line in table)


def test_lists_of_values_measure_their_product(parity, tmp_path):
    done = parity("diffusion", "--nx", "16,24", "--ny", 12, "--nz", 1, "--steps", "2,3,4", "--precision", "float,double", "--repeats", 2,
                  "--variants", "openmp-fused,kokkos-fused", "--json", "r.jsonl", "--csv", "r.csv")
    assert done.returncode == 0, done.stderr
    measured = rows(tmp_path / "r.jsonl")
    assert len(measured) == 2 * 3 * 2 * 2 == len({key(r) for r in measured}) == len((tmp_path / "r.csv").read_text().splitlines()) - 1
    assert {(r["problem"]["nx"], r["problem"]["steps"], r["problem"]["precision"]) for r in measured} == {
        (nx, n, p) for nx in (16, 24) for n in (2, 3, 4) for p in ("float", "double")}
    assert done.stdout.count("Kokkos, first") == 12


def test_tune_prints_lines_that_work(parity, tmp_path):
    problem = ["--nx", 24, "--ny", 18, "--nz", 2, "--steps", 7, "--repeats", 3, "--variants", "openmp-plane,kokkos-fused-tile"]
    done = parity("diffusion", *problem, "--tune")
    assert done.returncode == 0, done.stderr
    table = done.stdout[done.stdout.index("[tunings]"):]
    (tmp_path / "t.toml").write_text(table)
    again = parity("diffusion", *problem, "--tunings", "t.toml")
    assert again.returncode == 0, again.stderr
    chosen = table.split('"diffusion/kokkos-fused-tile" = "')[1].split('"')[0]
    assert f"kokkos-fused-tile/{chosen}" in again.stdout
