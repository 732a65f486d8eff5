# SPDX-License-Identifier: BSD-3-Clause
"""parity filter compared with an independent numpy implementation, and its refusals."""
import itertools
import os
import re
import struct
import subprocess

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("two_threads")


def reference(field, steps, alpha=1 / 64):
    """phi - alpha Lap(Lap phi), periodic, in double precision."""
    phi = np.array(field, dtype=np.float64)

    def laplacian(f):
        return sum(np.roll(f, shift, axis) for shift in (-1, 1) for axis in (-2, -1)) - 4 * f

    for _ in range(steps):
        phi = phi - alpha * laplacian(laplacian(phi))
    return phi


def error(result, field, steps, alpha=1 / 64):
    return np.abs(result - reference(field, steps, alpha)).max() / np.abs(field).max()


TOLERANCE = {"f4": 2e-5, "f8": 1e-13}
SHAPES = [(3, 17, 33), (2, 40, 21), (5, 7), (1, 6, 9)]


@pytest.mark.parametrize("dtype,shape", list(itertools.product(["<f4", "<f8", ">f4", ">f8"], SHAPES)))
@pytest.mark.parametrize("steps,halo", [(7, 3), (12, 2)])
def test_agrees_with_numpy(parity, tmp_path, dtype, shape, steps, halo):
    field = np.random.default_rng(steps).normal(size=shape).astype(dtype)
    np.save(tmp_path / "in.npy", field)
    done = parity("filter", "in.npy", "out.npy", "--steps", steps, "--halo", halo, "--alpha", 0.02)
    assert done.returncode == 0, done.stderr
    result = np.load(tmp_path / "out.npy")
    assert result.dtype == np.dtype(dtype) and result.shape == shape
    assert error(result, field, steps, 0.02) < TOLERANCE[dtype[1:]]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_groups_of_planes(parity, tmp_path, dtype):
    """A field that does not fit the memory allowed is filtered in groups of planes, with the same result to the last bit."""
    field = np.random.default_rng(4).normal(size=(11, 64, 80)).astype(dtype)
    np.save(tmp_path / "in.npy", field)
    assert parity("filter", "in.npy", "whole.npy", "--steps", 6).returncode == 0
    done = parity("filter", "in.npy", "groups.npy", "--steps", 6, "--memory", 0.95)
    assert done.returncode == 0, done.stderr
    planes = int(done.stdout.split(" plane")[0].split()[-1])
    assert 1 <= planes < 11
    assert np.array_equal(np.load(tmp_path / "whole.npy"), np.load(tmp_path / "groups.npy"))


def test_the_input_is_replaced_only_by_force(parity, refused, tmp_path):
    field = np.random.default_rng(5).normal(size=(4, 9, 8))
    np.save(tmp_path / "f.npy", field)
    os.link(tmp_path / "f.npy", tmp_path / "same.npy")
    for output in ("f.npy", "./f.npy", "same.npy"):
        refused("filter", "f.npy", output, "--steps", 3, says="--force")
    assert np.array_equal(np.load(tmp_path / "f.npy"), field)
    assert parity("filter", "f.npy", "f.npy", "--steps", 3, "--force").returncode == 0
    assert error(np.load(tmp_path / "f.npy"), field, 3) < 1e-13


@pytest.mark.parametrize("dtype,shape", [("<f4", (7, 33, 21)), (">f8", (12, 10))])
def test_standard_input_and_output(parity, tmp_path, dtype, shape):
    """Pipes give the same bytes as files; messages go to standard error."""
    field = np.random.default_rng(7).normal(size=shape).astype(dtype)
    np.save(tmp_path / "in.npy", field)
    assert parity("filter", "in.npy", "out.npy", "--steps", 9).returncode == 0
    done = subprocess.run([os.environ["PARITY"], "filter", "-", "-", "--steps", "9"], input=(tmp_path / "in.npy").read_bytes(),
                          capture_output=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (tmp_path / "out.npy").read_bytes()
    assert b"9 steps" in done.stderr


@pytest.mark.parametrize("dtype,plane,value", [("f4", 0, 3e38), ("f4", 2, 3e38), ("f8", 1, 1.5e308), ("f4", 3, -3.3e38)])
def test_values_that_overflow_are_named(refused, tmp_path, dtype, plane, value):
    """Every plane is checked, not only the first of a group."""
    field = np.random.default_rng(8).normal(size=(4, 12, 16)).astype(dtype)
    field[plane, 5, 6] = value
    field[plane, 5, 8] = -value
    np.save(tmp_path / "in.npy", field)
    refused("filter", "in.npy", "out.npy", "--steps", 1, says=f"plane {plane}: values up to {abs(value):.2g} overflow")
    assert os.listdir(tmp_path) == ["in.npy"]


@pytest.mark.parametrize("dtype,offset", [("f4", 1000), ("f4", -101325), ("f8", 1e6)])
@pytest.mark.parametrize("missing", [False, True])
def test_fields_far_from_zero_keep_their_mean(parity, tmp_path, dtype, offset, missing):
    """Kelvins and pascals: rounding errors must not accumulate over thousands of steps."""
    field = (np.random.default_rng(11).normal(size=(3, 16, 20)) + offset).astype(dtype)
    if missing:
        field[1, 4:7, 3] = np.nan
    np.save(tmp_path / "in.npy", field)
    done = parity("filter", "in.npy", "out.npy", "--steps", 20000, *(["--missing", "keep"] if missing else []))
    assert done.returncode == 0, done.stderr
    result = np.load(tmp_path / "out.npy").astype("f8")
    for k in range(3):
        assert abs(np.nanmean(result[k]) - np.nanmean(field[k].astype("f8"))) < 2 * np.finfo(dtype).eps * abs(offset)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_tiny_values_are_filtered(parity, tmp_path, dtype):
    """Traces of a substance, below the smallest normal number, in a separate plane."""
    field = np.random.default_rng(5).random((3, 20, 30))
    field[1] *= 1e-5 * float(np.finfo(dtype).tiny)
    np.save(tmp_path / "in.npy", field.astype(dtype))
    done = parity("filter", "in.npy", "out.npy", "--steps", 300, "--memory", 0.3)
    assert done.returncode == 0, done.stderr
    result, exact = np.load(tmp_path / "out.npy").astype("f8"), reference(np.load(tmp_path / "in.npy"), 300)
    assert np.abs(result[1] - exact[1]).max() < 1e3 * float(np.finfo(dtype).smallest_subnormal)
    assert np.abs(result[[0, 2]] - exact[[0, 2]]).max() < TOLERANCE[dtype]


def masked_reference(field, steps, alpha=1 / 64):
    """Sums over the neighbours that are not NaN, in double precision."""
    phi = np.array(field, dtype=np.float64)
    valid = ~np.isnan(phi)

    def laplacian(f):
        total = np.zeros_like(f)
        for shift in (-1, 1):
            for axis in (-2, -1):
                there = np.roll(f, shift, axis)
                total += np.where(np.isnan(there), 0, there - f)
        return np.where(valid, total, np.nan)

    for _ in range(steps):
        phi = phi - alpha * laplacian(laplacian(phi))
    return phi


@pytest.mark.parametrize("dtype,shape,steps,memory", list(itertools.product(["<f4", ">f8"], [(5, 17, 33), (8, 9)], [7, 12], [[], ["--memory", 0.2]])))
def test_missing_points_stay_missing(parity, tmp_path, dtype, shape, steps, memory):
    rng = np.random.default_rng(steps)
    field = rng.normal(size=shape).astype(dtype)
    holes = rng.random(shape) < 0.2
    if len(shape) == 3:
        holes[1] = False
    field[holes] = np.nan
    np.save(tmp_path / "in.npy", field)
    done = parity("filter", "in.npy", "out.npy", "--steps", steps, "--missing", "keep", *memory)
    assert done.returncode == 0, done.stderr
    result = np.load(tmp_path / "out.npy")
    expected = masked_reference(field, steps)
    assert np.array_equal(np.isnan(result), holes)
    assert np.nanmax(np.abs(result - expected)) / np.nanmax(np.abs(field)) < TOLERANCE[dtype[1:]]
    assert "missing points" in done.stdout


@pytest.mark.parametrize("wavelength,damping", [(2, 0.9), (4, 0.5), (7.5, 0.25), (30, 0.99)])
def test_wavelength_and_damping_choose_the_strength(parity, tmp_path, wavelength, damping):
    """A wave of that length loses that share of its amplitude."""
    n = int(wavelength * 4)
    wave = np.cos(2 * np.pi * np.arange(n) / wavelength) * np.ones((n, 1))
    for name, field in (("x.npy", wave), ("y.npy", wave.T)):
        np.save(tmp_path / name, np.ascontiguousarray(field))
        done = parity("filter", name, "out.npy", "--wavelength", wavelength, "--damping", damping)
        assert done.returncode == 0, done.stderr
        assert np.abs(np.load(tmp_path / "out.npy") - (1 - damping) * field).max() < 1e-12


def test_the_chosen_strength_takes_checkerboards_away(parity, tmp_path):
    """The default used to be the largest stable alpha, which left 24 % of them; the user's alpha is an upper limit."""
    board = (-1.0) ** np.add.outer(np.arange(16), np.arange(16))
    np.save(tmp_path / "b.npy", board)
    for more, most in (((), 1 / 64), (("--alpha", 0.01), 0.01), (("--alpha", 0.03125), 0.03125)):
        done = parity("filter", "b.npy", "o.npy", "--wavelength", 8, "--damping", 0.5, *more)
        assert done.returncode == 0, done.stderr
        steps, alpha = re.search(r"(\d+) steps with alpha (\S+)", done.stdout).groups()
        assert float(alpha) <= most
        left = np.abs(np.load(tmp_path / "o.npy")).max()
        assert abs(left - abs(1 - 64 * float(alpha)) ** int(steps)) < 1e-4
        assert left < 1e-10 or most > 1 / 64


def test_explain_prints_the_response(parity):
    done = parity("filter", "--steps", 20, "--explain")
    assert done.returncode == 0, done.stderr
    rows = {float(line.split()[0]): float(line.split()[1].rstrip("%")) for line in done.stdout.splitlines() if line.endswith("%")}
    for length, kept in rows.items():
        assert abs(kept - 100 * (1 - (4 * np.sin(np.pi / length) ** 2) ** 2 / 64) ** 20) < 1e-4
    assert len(rows) >= 10


def test_explain_says_in_a_line_which_variant_and_why(parity, tmp_path):
    np.save(tmp_path / "in.npy", np.ones((64, 64), "f4"))
    done = parity("filter", "in.npy", "out.npy", "--steps", 2, "--explain")
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("variant: ")]
    name, why = line[len("variant: "):].split(": ")
    assert f"diffusion/{name}, " in done.stdout and why.startswith("preferred for 64 x 64 x 1 float, 2 steps, on a ")
    named = parity("filter", "in.npy", "out.npy", "--force", "--steps", 2, "--explain", "--variant", "openmp-fused")
    assert named.returncode == 0 and "variant: " not in named.stdout


def test_timings_name_every_stage(parity, tmp_path):
    np.save(tmp_path / "in.npy", np.ones((3, 20, 20)))
    done = parity("filter", "in.npy", "out.npy", "--steps", 2, "--timings")
    assert done.returncode == 0
    for stage in ("read", "check input", "filter", "check result", "write", "exact solution", "make durable", "peak memory"):
        assert stage in done.stdout


def test_names_are_shown_on_one_line(parity, tmp_path):
    np.save(tmp_path / "in.npy", np.ones((8, 8)))
    done = parity("filter", "in.npy", "a\n\x1b[2Jb.npy", "--steps", 1)
    assert done.returncode == 0 and done.stdout.startswith("a\\x0a\\x1b[2Jb.npy: ") and done.stdout.count("\n") == 5


def bad_files():
    header = lambda text: b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()
    yield "empty.npy", b"", "is empty"
    yield "text.npy", b"1,2,3\n4,5,6\n", "neither .npy nor NetCDF"
    yield "cut.npy", header("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 5), }") + b"\0" * 60, "truncated"
    yield "long.npy", header("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 5), }") + b"\0" * 90, "after its data"
    yield "huge.npy", b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**31) + b"{" * 100, "header of 2147483648 bytes"
    yield "overflow.npy", header("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }"), "larger than any"
    yield "damaged.npy", header("{'descr': '<f4', 'shape'"), "damaged"


@pytest.mark.parametrize("name,content,says", list(bad_files()), ids=lambda v: v if isinstance(v, str) and "." in v else "")
def test_damaged_files_are_refused(refused, tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    refused("filter", name, "out.npy", "--steps", 2, says=says)
    assert os.listdir(tmp_path) == [name]


@pytest.mark.filterwarnings("ignore:Reading")
@pytest.mark.parametrize("old,new", [(b"(4, 5)", b"(4L, 5L)"), (b"'<f4'", b"'f4'")])
def test_headers_that_numpy_reads(parity, tmp_path, old, new):
    """Headers of Python 2, and headers without a byte order."""
    np.save(tmp_path / "in.npy", np.random.default_rng(1).random((4, 5), "f4"))
    written = (tmp_path / "in.npy").read_bytes()
    header = written[10:128].replace(old, new).rstrip().ljust(117) + b"\n"
    (tmp_path / "in.npy").write_bytes(written[:10] + header + written[128:])
    assert parity("filter", "in.npy", "out.npy", "--steps", 1).returncode == 0
    assert np.load(tmp_path / "out.npy").shape == (4, 5)


@pytest.mark.parametrize("array,says", [
    (np.asfortranarray(np.arange(20.0).reshape(4, 5)), "Fortran order"),
    (np.arange(20.0), "1 dimension"),
    (np.ones((2, 2, 3, 4)), "4 dimension"),
    (np.ones((4, 0, 3)), "empty"),
    (np.ones((4, 5), "i4"), "<i4"),
    (np.zeros((3, 3), dtype=[("a", "f4")]), "several fields"),
    (np.array([[1, 2, 3], [1, np.nan, 3]], "f4"), "NaN at plane 0, row 1, column 1"),
    (np.array([[1, 2, 3], [1, 3, -np.inf]], "f8"), "infinity"),
    (np.ones((1, 5)), "smaller than its halo"),
], ids=str)
def test_unsuitable_arrays_are_refused(refused, tmp_path, array, says):
    np.save(tmp_path / "in.npy", array)
    refused("filter", "in.npy", "out.npy", "--steps", 2, says=says)
    assert os.listdir(tmp_path) == ["in.npy"]


@pytest.mark.parametrize("arguments,says", [
    (["in.npy", "out.npy"], "--steps is required"),
    (["in.npy", "out.npy", "--wavelength", 4], "go together"),
    (["in.npy", "out.npy", "--wavelength", 4, "--damping", 0.5, "--steps", 3], "omit --steps"),
    (["in.npy", "out.npy", "--wavelength", 4, "--damping", 1], "--damping is 1"),
    (["in.npy", "out.npy", "--wavelength", 1e5, "--damping", 0.99], "steps would be needed"),
    (["-", "out.npy", "--steps", 2, "--variable", "u"], "a pipe carries .npy"),
    (["in.npy", "out.npy", "--steps", 2, "--alpha", 0.2], "at most 0.03125"),
    (["in.npy", "out.nc", "--steps", 2], "keeps the input's format"),
    (["in.npy", "out.CSV", "--steps", 2], "keeps the input's format; name it *.npy"),
    (["in.npy", "out.npy", "--steps", 2, "--variable", "u"], "--variable is for NetCDF"),
    (["in.npy", "out.npy", "--steps", 2, "--variant", "kokos-fused"], "did you mean kokkos-fused"),
    (["in.npy", "out.npy", "--steps", 2, "--memory", 0.001], "--memory allows 1.0 KiB; one plane of 30 x 20 needs"),
    ([".", "out.npy", "--steps", 2], "is a folder"),
], ids=str)
def test_bad_options_are_refused(refused, tmp_path, arguments, says):
    np.save(tmp_path / "in.npy", np.random.default_rng(1).normal(size=(2, 20, 30)))
    refused("filter", *arguments, says=says)
    assert os.listdir(tmp_path) == ["in.npy"]
