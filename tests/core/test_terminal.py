# SPDX-License-Identifier: BSD-3-Clause
"""Words and values as people type them at a terminal, and the messages that answer them."""
import gzip
import os
import subprocess

import numpy as np
import pytest
from conftest import ABSENT
from record_files import POINT, row, write

netcdf = pytest.mark.skipif(os.environ.get("PARITY_NETCDF", "1") in ("0", "OFF", ""), reason="built without NetCDF")


@pytest.fixture
def fields(tmp_path):
    """t.nc with u and v of one plane."""
    dataset = pytest.importorskip("netCDF4").Dataset
    with dataset(tmp_path / "t.nc", "w") as file:
        file.createDimension("y", 12)
        file.createDimension("x", 16)
        for k, name in enumerate("uv"):
            file.createVariable(name, "f4", ("y", "x"))[:] = np.random.default_rng(k).normal(size=(12, 16))
    return "t.nc"


# --- options with lists ---------------------------------------------------------------------------------------------------------


@netcdf
@pytest.mark.parametrize("names", ["u", "u,v", "u, v"])
def test_a_list_before_the_files_takes_none_of_them(parity, fields, names):
    done = parity("filter", "--variable", names, fields, "o.nc", "--steps", 1)
    assert done.returncode == 0 and done.stdout.count("o.nc") == names.count(",") + 1, done.stderr


def test_a_list_with_blanks_is_named(refused, tmp_path):
    refused("filter", "a.nc", "b.nc", "--steps", 1, "--variable", "u", "v", says="not expected: v (")


def test_bounds_before_the_files_take_none_of_them(parity, tmp_path):
    np.save(tmp_path / "s.npy", np.linspace(1, 2, 20))
    done = parity("density", "--boundary", "reflect", "--bounds", "0,inf", "s.npy", "d.npy")
    assert done.returncode == 0 and np.load(tmp_path / "d.npy").shape == (1024, 2), done.stderr


@pytest.mark.skipif(not ABSENT, reason="this build has all tools")
def test_a_tool_that_is_left_out_says_with_which_option_it_comes(refused):
    for command in ABSENT:
        refused(command, "in.nc", "out.nc", "--steps", 2, says="configure with -DPARITY_TOOLS=", code=3)


# --- parity filter ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def field(tmp_path):
    np.save(tmp_path / "f.npy", np.random.default_rng(1).normal(size=(1, 16, 24)).astype("f4"))
    return "f.npy"


def test_explain_says_that_checkerboards_stay(parity):
    said = parity("filter", "--steps", 100, "--alpha", 1 / 32, "--explain").stdout
    assert "\ncheckerboards (2 grid points along both axes) keep 100.0%, with another sign after each step: a smaller alpha" in said
    assert all("checkerboards" not in parity("filter", "--steps", 100, *words, "--explain").stdout for words in ([], ["--alpha", 0.02]))
    assert "checkerboards" not in parity("filter", "--steps", 2, "--alpha", 0.001, "--explain").stdout
    assert "checkerboards" not in parity("filter", "--wavelength", 2, "--damping", 0.9, "--explain").stdout


@netcdf
def test_a_pipe_says_that_netcdf_cannot_pass(parity, fields, tmp_path):
    with open(tmp_path / fields, "rb") as file:
        done = parity("filter", "-", "o.nc", "--steps", 1, stdin=file)
    assert done.returncode == 2 and done.stderr == "parity: standard input: is NetCDF, which a pipe cannot carry; give the file's name\n"


def at_a_terminal(tmp_path, arguments, what):
    """Runs with a terminal as standard input or output."""
    import pty

    ours, theirs = pty.openpty()
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, **{w: theirs for w in what}}
    done = subprocess.run([os.environ["PARITY"], *arguments], cwd=tmp_path, stderr=subprocess.PIPE, text=True, timeout=600, **streams)
    os.close(theirs)
    os.close(ours)
    return done


def test_fields_are_not_typed_at_a_terminal(field, tmp_path):
    done = at_a_terminal(tmp_path, ["filter", field, "-", "--steps", "1"], ["stdout"])
    assert done.returncode == 2 and done.stderr == "parity: standard output is a terminal, and fields are no text; give a file name or a pipe\n"
    done = at_a_terminal(tmp_path, ["filter", "-", "o.npy", "--steps", "1"], ["stdin"])
    assert done.returncode == 2 and done.stderr == "parity: standard input is a terminal, and fields are no text; give a file name or a pipe\n"


@pytest.mark.parametrize("fill", [1e305, 1.7e308])
def test_sums_that_overflow_are_the_values_fault(refused, tmp_path, fill):
    """Every value and every result is finite, but their sum over the plane is not. The message used to be 'the mean changed from inf to inf'."""
    np.save(tmp_path / "f.npy", np.full((64, 64), fill) * (1 + 1e-3 * np.random.default_rng(1).random((64, 64)) * (fill < 1e308)))
    refused("filter", "f.npy", "o.npy", "--steps", 2, says="overflow double in the filter; scale the field down")
    assert not (tmp_path / "o.npy").exists()


# --- parity density --------------------------------------------------------------------------------------------------------------


def test_a_compressed_file_is_named(refused, tmp_path):
    (tmp_path / "s.csv.gz").write_bytes(gzip.compress(b"x\n1\n2\n"))
    refused("density", "s.csv.gz", "d.csv", says="s.csv.gz: is compressed with gzip; unpack it first, as in 'zcat FILE | parity density - -'")


def test_a_grid_that_misses_the_peaks_is_named(parity, tmp_path):
    np.save(tmp_path / "s.npy", np.array([0.0, 1, 5]))
    done = parity("density", "s.npy", "d.csv", "--bandwidth", 1e-4)
    assert done.returncode == 0 and "peaks lie between the points; give --grid 5000" in " ".join(done.stdout.split()), done.stdout
    done = parity("density", "s.npy", "d.csv", "--bandwidth", 1e-12)
    assert done.returncode == 0 and " ".join(done.stdout.split()).endswith(": peaks lie between the points; give a larger --bandwidth"), done.stdout
    done = parity("density", "s.npy", "d.csv", "--bandwidth", 0.1)
    assert "peaks lie" not in done.stdout, done.stdout


# --- lists, tables, records --------------------------------------------------------------------------------------------------------


def test_records_come_from_standard_input_too(parity, tmp_path):
    write(tmp_path / "a.jsonl", [row("diffusion", "openmp-plane", [1.0], POINT), row("diffusion", "reference-loop", [2.0], POINT)])
    with open(tmp_path / "a.jsonl") as file:
        done = parity("findings", "--merit", "-", stdin=file)
    assert done.returncode == 0 and done.stdout == parity("findings", "--merit", "a.jsonl").stdout != ""


# --- help --------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["--help"], ["filter", "--help"], ["measure", "--help"], ["findings", "--help"], ["launch", "--help"]])
@pytest.mark.parametrize("columns", [40, 80, 132])
def test_help_fits_the_terminal(parity, arguments, columns):
    wide = parity(*arguments, env={**os.environ, "COLUMNS": "100000"}).stdout
    narrow = parity(*arguments, env={**os.environ, "COLUMNS": str(columns)}).stdout
    assert max(map(len, narrow.splitlines())) <= columns
    assert "".join(narrow.split()) == "".join(wide.split())
