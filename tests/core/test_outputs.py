# SPDX-License-Identifier: BSD-3-Clause
"""Possible outputs: links, long names, pipes, devices, standard output; refusals take one line."""
import json
import os
import pathlib
import resource
import stat
import subprocess

import numpy as np
import pytest
from record_files import POINT, row, write

PARITY = os.environ["PARITY"]
WIDTHS = pathlib.Path(__file__).parents[2] / "jobs/results/h200/original_works/kde_widths.jsonl"
FAST = ["--nx", 8, "--ny", 8, "--nz", 1, "--steps", 2, "--repeats", 2, "--variants", "openmp-plane,kokkos-fused"]


@pytest.fixture
def records(tmp_path):
    write(tmp_path / "r.jsonl", [row("diffusion", "kokkos-fused", [2e-3] * 3, POINT, twin="openmp-fused"),
                                 row("diffusion", "openmp-fused", [1e-3] * 3, POINT)])
    return "r.jsonl"


def exported(text):
    return len(json.loads(text)["measurements"]) == 2


def test_a_link_stays_and_its_target_is_replaced(parity, records, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there/e.json").write_text("old")
    (tmp_path / "there/e.json").chmod(0o640)
    (tmp_path / "one.json").symlink_to("two.json")
    (tmp_path / "two.json").symlink_to("there/e.json")
    assert parity("export", records, "--output", "one.json").returncode == 0
    assert (tmp_path / "one.json").is_symlink() and (tmp_path / "two.json").is_symlink()
    assert exported((tmp_path / "there/e.json").read_text())
    assert stat.S_IMODE((tmp_path / "there/e.json").stat().st_mode) == 0o640
    assert os.listdir(tmp_path / "there") == ["e.json"]


def test_a_dangling_link_is_followed_and_a_loop_refused(parity, refused, records, tmp_path):
    (tmp_path / "new.json").symlink_to("later.json")
    assert parity("export", records, "--output", "new.json").returncode == 0
    assert (tmp_path / "new.json").is_symlink() and exported((tmp_path / "later.json").read_text())
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    refused("export", records, "--output", "a", says="a: cannot be written: its symbolic links form a loop")


@pytest.mark.parametrize("name,says", [
    ("n" * 256, "File name too long"), ("folder", "is a folder"), ("new/", "give a file name"), ("", "name is empty"),
    ("none/x.json", "there is no folder none/"), ("/proc/x.json", "no file can be made in /proc/")],
    ids=["long", "folder", "slash", "empty", "nowhere", "closed"])
def test_what_cannot_be_a_file_is_refused(refused, records, tmp_path, name, says):
    (tmp_path / "folder").mkdir()
    refused("export", records, "--output", name, says=says)
    assert sorted(os.listdir(tmp_path)) == ["folder", "r.jsonl"]


def test_devices_and_standard_output_are_written_directly(parity, records):
    assert parity("export", records, "--output", "/dev/null").returncode == 0
    for name in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        done = parity("export", records, "--output", name)
        assert done.returncode == 0 and exported(done.stdout), name


def test_records_of_measure_go_to_standard_output(parity, refused, tmp_path):
    (tmp_path / "p.toml").write_text('variants = ["openmp-plane"]\n[axes]\nsize = [[8, 8, 1]]\nsteps = [2]\n[measure]\nrepeats = 2\n')
    done = parity("measure", "p.toml", "--output", "-")
    assert done.returncode == 0 and [json.loads(line)["type"] for line in done.stdout.splitlines()] == ["environment", "measurement"]
    assert "1 rows measured" in done.stderr
    assert parity("measure", "p.toml", "--output", "/dev/null").returncode == 0
    refused("measure", "p.toml", "--output", "-", "--resume", says="--resume needs a file")
    assert os.listdir(tmp_path) == ["p.toml"]


def test_every_table_comes_as_json_and_csv_on_standard_output(parity, refused, records, tmp_path):
    (tmp_path / "p.toml").write_text('variants = ["openmp-plane"]\n[axes]\nsize = [[8, 8, 1]]\nsteps = [2]\n[measure]\nrepeats = 2\n')
    commands = {"merit": ["findings", "--merit", records], "compare": ["compare", records, records], "findings": ["findings", records],
                "dry run": ["measure", "p.toml", "--dry-run"]}
    for name, command in commands.items():
        json_text, csv_text = parity(*command, "--json", "-"), parity(*command, "--csv", "-")
        assert json_text.returncode == csv_text.returncode == 0, json_text.stderr + csv_text.stderr
        assert json.loads(json_text.stdout), name
        lines = csv_text.stdout.splitlines()
        assert len(lines) > 1 and all(line.count(",") == lines[0].count(",") for line in lines if '"' not in line), name
        assert csv_text.stderr, name  # the readable table
    assert json.loads(parity("findings", records, "--json", "-").stdout)["pairs"][0]["ratio"] == pytest.approx(0.5)
    ratio = [r for r in json.loads(parity("findings", "--merit", records, "--json", "-").stdout) if r["metric"].startswith("ratio:")]
    assert ratio[0]["value"] == pytest.approx(0.5)
    table = parity("diffusion", *FAST, "--csv", "-")
    assert table.stdout.startswith("study,variant,") and len(table.stdout.splitlines()) == 3 and "baseline time / time" in table.stderr
    refused("findings", "--merit", records, "--json", "-", "--csv", "-", says="the same place")
    (tmp_path / "w.jsonl").write_text("".join(s for s in WIDTHS.read_text().splitlines(keepends=True) if "kokkos-" not in s and "cuda-split" not in s))
    refused("findings", "w.jsonl", "--csv", "t.csv", says="no pair for --csv, which holds pairs alone; omit --csv, or take each result from 'parity export'")
    assert json.loads(parity("findings", "w.jsonl", "--json", "-").stdout) == {"pairs": [], "split": [], "skipped": []}
    assert sorted(os.listdir(tmp_path)) == ["p.toml", "r.jsonl", "w.jsonl"]


@pytest.mark.parametrize("study, portable, native, point", [
    ("diffusion", "kokkos-gone", "cuda-gone", POINT), ("kde", "kokkos-split-graph", "cuda-split-graph", {"n": 4000, "bandwidth": 0.01, "precision": "float"})])
def test_records_of_variants_that_are_gone_are_read(parity, tmp_path, study, portable, native, point):
    write(tmp_path / "gone.jsonl", [row(study, portable, [2e-3] * 3, point, twin=native), row(study, native, [1e-3] * 3, point)])
    for command in (["findings"], ["findings", "--merit"], ["export"]):
        done = parity(*command, "gone.jsonl")
        assert done.returncode == 0 and native in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("command", [
    ["findings", "--merit", "r.jsonl", "--json"], ["findings", "--merit", "r.jsonl", "--csv"], ["findings", "r.jsonl", "--csv"], ["findings", "folder", "--json"],
    ["compare", "other.jsonl", "r.jsonl", "--csv"], ["compare", "r.jsonl", "other.jsonl", "--json"],
    ["export", "r.jsonl", "--output"], ["findings", "r.jsonl", "--tunings"]], ids=" ".join)
def test_measurements_are_not_replaced_by_what_is_made_of_them(refused, records, tmp_path, command):
    text = (tmp_path / records).read_bytes()
    (tmp_path / "other.jsonl").write_bytes(text)
    (tmp_path / "folder").mkdir()
    os.link(tmp_path / records, tmp_path / "folder" / "records.jsonl")
    os.symlink("r.jsonl", tmp_path / "link")
    for name in ("r.jsonl", "./r.jsonl", "link", "folder/records.jsonl"):
        refused(*command, name, says=f"{command[-1]} {name}: is read by this command, and would be replaced")
    assert (tmp_path / records).read_bytes() == text


def test_outputs_of_a_measurement_stay_apart(refused, tmp_path):
    (tmp_path / "p.toml").write_text('variants = ["openmp-plane"]\n[axes]\nsize = [[8, 8, 1]]\nsteps = [2]\n[measure]\nrepeats = 2\n')
    (tmp_path / "t.toml").write_text('[tunings]\n"diffusion/openmp-plane" = "2"\n')
    measure = ["measure", "p.toml", "--tunings", "t.toml"]
    for output in ("p.toml", "t.toml"):
        for option in ("--output", "--json", "--csv"):
            refused(*measure, option, output, says=f"{option} {output}: is read by this command")
    refused("diffusion", *FAST, "--tunings", "t.toml", "--csv", "t.toml", says="--csv t.toml: is read by this command")
    refused(*measure, "--output", "r.jsonl", "--json", "./r.jsonl", says="--output and --json go to the same place")
    refused(*measure, "--output", "-", "--json", "-", says="--output and --json go to the same place")
    refused("diffusion", *FAST, "--json", "x", "--csv", "./x", says="--json and --csv go to the same place")
    assert sorted(os.listdir(tmp_path)) == ["p.toml", "t.toml"]


@pytest.mark.parametrize("arguments", [["density", "x.npy", "-"], ["filter", "f.npy", "-", "--steps", "1"], ["export", "r.jsonl"],
                                       ["findings", "--merit", "r.jsonl", "--csv", "-"], ["diffusion", *map(str, FAST), "--json", "-"]], ids=lambda a: a[0])
def test_a_result_for_a_closed_standard_output_is_refused(records, tmp_path, arguments):
    np.save(tmp_path / "x.npy", np.arange(9.0))
    np.save(tmp_path / "f.npy", np.ones((8, 8)))
    done = subprocess.run(["sh", "-c", '"$0" "$@" >&-', PARITY, *arguments], cwd=tmp_path, stderr=subprocess.PIPE, text=True, timeout=1800)
    assert done.returncode == 2 and done.stderr.splitlines()[-1] == "parity: standard output: cannot be written: it is closed"


@pytest.mark.parametrize("name", ["out.npy", "out.csv", "out.nc", "out.json", "out.jsonl"])
def test_a_limit_of_the_size_of_files_is_said_and_leaves_nothing(parity, records, tmp_path, name):
    """ulimit -f: without a handler the system's signal would end the program without a message."""
    random = np.random.default_rng(1)
    if name == "out.nc":
        if os.environ.get("PARITY_NETCDF", "1") in ("0", "OFF", ""):
            pytest.skip("built without NetCDF")
        import netCDF4
        with netCDF4.Dataset(tmp_path / "in.nc", "w") as f:
            f.createDimension("y", 64)
            f.createDimension("x", 64)
            f.createVariable("v", "f8", ("y", "x"))[:] = random.normal(size=(64, 64))
    np.save(tmp_path / "f.npy", random.normal(size=(64, 64)))
    command = {"out.npy": ["filter", "f.npy", name, "--steps", 1], "out.nc": ["filter", "in.nc", name, "--steps", 1],
               "out.json": ["export", records, "--output", name], "out.csv": ["density", "x.npy", name],
               "out.jsonl": ["diffusion", *FAST, "--json", name]}[name]
    np.save(tmp_path / "x.npy", random.normal(size=99))
    before = set(os.listdir(tmp_path))
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    assert name != "out.jsonl" or parity("diffusion", *FAST, preexec_fn=limit).returncode == 0, "it writes no file"
    done = parity(*command, preexec_fn=limit)
    assert done.returncode == 2 and done.stderr.startswith(f"parity: {name}: cannot be written: File too large") and done.stderr.count("\n") == 1, (done.returncode, done.stderr)
    assert set(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("command, values, says", [(["filter", "-", "in.npy", "--steps", "1"], np.ones((8, 8)), "is the input too"),
                                                   (["density", "-", "in.npy"], np.arange(9.0), "is both input and output")], ids=["filter", "density"])
def test_an_input_behind_a_redirection_is_not_replaced(parity, tmp_path, command, values, says):
    np.save(tmp_path / "in.npy", values)
    before = (tmp_path / "in.npy").read_bytes()
    with open(tmp_path / "in.npy", "rb") as file:
        done = parity(*command, stdin=file)
    assert done.returncode == 2 and says in done.stderr and (tmp_path / "in.npy").read_bytes() == before
    assert parity(command[0], "in.npy", *command[2:], "--force").returncode == 0, "but where it is asked for"
