# SPDX-License-Identifier: BSD-3-Clause
"""parity kde and KDE plans, as a user types them."""
import json

import pytest
from record_files import metric, row, rows, times

pytestmark = pytest.mark.usefixtures("two_threads")


def test_comparison_verifies_and_prints_rates_and_ratios(parity, tmp_path):
    done = parity("kde", "--n", 1500, "--bandwidth", 0.05, "--distribution", "bimodal", "--variants", "openmp-*,kokkos-*",
                  "--repeats", 3, "--json", "r.jsonl", "--csv", "r.csv")
    assert done.returncode == 0, done.stderr
    assert "Gpair/s" in done.stdout and "portable / native" in done.stdout
    measured = rows(tmp_path / "r.jsonl")
    assert {"kde"} == {r["study"] for r in measured}
    for r in measured:
        assert r["verification"]["passed"]
        assert metric(r, "throughput") == pytest.approx(1500 ** 2 / r["host_seconds"]["median"] / 1e9)
    names = [r["variant"] for r in measured]
    assert "openmp-polynomial" in names and "kokkos-transform" in names
    header, *lines = (tmp_path / "r.csv").read_text().splitlines()
    assert header.startswith("study,variant,kernel,mechanism,tuning,family,precision,") and ",throughput Gpair/s," in header
    for parameter in ("n", "bandwidth", "distribution", "seed", "tolerance"):
        assert parameter in header.split(",")
    assert len(lines) == len(measured)


@pytest.mark.parametrize("precision", ["float", "double"])
@pytest.mark.parametrize("n", [1, 2, 31, 257])
def test_odd_sizes(parity, n, precision):
    done = parity("kde", "--n", n, "--bandwidth", 0.3, "--precision", precision, "--variants", "openmp-*,kokkos-*",
                  "--repeats", 1, "--quiet")
    assert done.returncode == 0, done.stdout + done.stderr


def test_plan_is_measured_and_resumed(parity, tmp_path):
    plan = tmp_path / "p.toml"
    plan.write_text('study = "kde"\nvariants = ["openmp-polynomial", "kokkos-register-tile"]\n'
                    '[axes]\nn = [100, 300]\nbandwidth = [0.1]\ndistribution = ["normal", "clustered"]\n'
                    '[measure]\nrepeats = 2\n')
    dry = parity("measure", plan, "--dry-run")
    assert dry.returncode == 0 and "8 rows" in dry.stdout
    done = parity("measure", plan, "--output", "r.jsonl", "--quiet")
    assert done.returncode == 0 and "8 rows measured" in done.stdout, done.stdout + done.stderr
    lines = (tmp_path / "r.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "r.jsonl").write_text("".join(lines[:-3]))  # of the second start
    again = parity("measure", plan, "--output", "r.jsonl", "--resume", "--quiet")
    assert "3 rows measured, 5 kept" in again.stdout
    assert len(rows(tmp_path / "r.jsonl")) == 8


def record(n, width, seconds):
    problem = {"n": n, "bandwidth": 0.01, "distribution": "lognormal", "precision": "float", "seed": 1, "tolerance": 1e-7}
    metrics = [{"name": "throughput", "value": n * n / seconds * 1e-9, "unit": "Gpair/s", "better": "higher"},
               {"name": "pair_ceiling", "value": 1e4, "unit": "Gpair/s", "better": "neither"},
               {"name": "occupancy", "value": 0.5, "unit": "1", "better": "neither"}]
    return row("kde", "cuda-original-fixed", [seconds], problem, tuning=str(width), tuning_axes="block width", metrics=metrics,
               device_seconds=times([seconds]), setup_seconds=0.5, load_seconds=0.25, store_seconds=0.125)


def test_findings_print_the_tables_of_the_original_work(parity, tmp_path):
    data = [record(4000, 2, 4e-3), record(4000, 32, 1e-3), record(4000, 64, 5e-4), record(8000, 32, 3e-3), record(8000, 64, 2e-3)]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(r) + "\n" for r in data))
    done = parity("findings", "r.jsonl")
    assert done.returncode == 0, done.stderr
    # 8000 with width 2 was not measured: four times 4000's time, marked.
    assert "16*" in done.stdout.replace("1.600e-02*", "16*"), done.stdout
    # The kernel's time with allocation and both copies: 0.5, 0.25 and 0.125 s of them; what was not measured has none.
    whole = done.stdout.split("time with allocation and both copies")[1].splitlines()
    assert whole[2].split() == ["4000", "8.790e-01", "8.760e-01", "8.755e-01"] and whole[3].split()[:2] == ["8000", "-"], done.stdout
    assert "speed-up" in done.stdout and "efficiency" in done.stdout and "50 %" in done.stdout
    assert "8.000" in done.stdout  # 4 ms / 0.5 ms
    assert "cuda-original-fixed" in done.stdout and "DeRosa" in done.stdout


@pytest.mark.parametrize("arguments, says", [
    (("--n", 0), "--n is 0: give a whole number from 1 to"),
    (("--n", -5), "--n is -5: give a whole number from 1 to"),
    (("--n", "many"), "--n"),
    (("--bandwidth", 0), "--bandwidth is 0: give a number from 1e-12"),
    (("--bandwidth", "nan"), "bandwidth"),
    (("--distribution", "lognormla"), "did you mean lognormal"),
    (("--variants", "kokos-split"), "did you mean kokkos-split"),
    (("--variants", "openmp-polynomial/3"), "no tuning"),
    (("--variants", "openmp-polynomial+graph-two"), "no launch mechanism is called 'graph-two'"),
    (("--tolerance", 0), "tolerance"),
    (("--block-width", 2000), "--block-width"),
    (("--variants", "openmp-*", "--block-width", 64), "--block-width: none of the variants has one"),
    (("--csv", "missing/x.csv"), "missing/x.csv"),
])
def test_bad_usage_is_one_clear_line(refused, arguments, says):
    refused("kde", *arguments, says=says)


@pytest.mark.parametrize("text, says", [
    ('study = "kde"\n[axes]\nsize = [[1, 1, 1]]\n', "size"),
    ('study = "kde"\n[axes]\nn = [0]\n', "p.toml: axes.n is 0: give a whole number from 1"),
    ('study = "kde"\n[axes]\nbandwidth = []\n', "empty"),
    ('study = "kde"\n[axes]\ndistribution = ["gauss"]\n', "axes.distribution is 'gauss' (give lognormal, normal"),
    ('study = "kdee"\n', "the studies of this build are"),
    ('study = "kde"\n[tunings]\n"kde/kokkos-splt" = "1"\n', "did you mean kokkos-split"),
    ('study = "kde"\n[tunings]\n"kd/kokkos-split" = "1"\n', "no study"),
])
def test_bad_plans_are_one_clear_line(refused, tmp_path, text, says):
    (tmp_path / "p.toml").write_text(text)
    refused("measure", "p.toml", says=says)


def test_nothing_that_can_run_ends_with_3(parity):
    done = parity("kde", "--variants", "kokkos-symmetric", "--precision", "double")
    assert done.returncode == 3 and len(done.stderr.strip().splitlines()) == 1
