# SPDX-License-Identifier: BSD-3-Clause
"""parity filter against an independent numpy implementation, and its refusals."""
import itertools
import os
import resource
import signal
import struct
import subprocess
import time

import numpy as np
import pytest

try:
    import netCDF4
except ImportError:
    netCDF4 = None

pytestmark = pytest.mark.usefixtures("two_threads")

netcdf = pytest.mark.skipif(os.environ.get("PARITY_NETCDF", "1") in ("0", "OFF", ""), reason="built without NetCDF")


def reference(field, steps, alpha=1 / 32):
    """phi - alpha Lap(Lap phi), periodic, in double precision."""
    phi = np.array(field, dtype=np.float64)

    def laplacian(f):
        return sum(np.roll(f, shift, axis) for shift in (-1, 1) for axis in (-2, -1)) - 4 * f

    for _ in range(steps):
        phi = phi - alpha * laplacian(laplacian(phi))
    return phi


def error(result, field, steps, alpha=1 / 32):
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


@pytest.mark.parametrize("variant", ["reference-loop", "kokkos-baseline", "kokkos-laplacian", "kokkos-fused", "kokkos-fused-wrap",
                                     "kokkos-tile", "kokkos-plane", "openmp-fused", "openmp-plane/2", "openmp-spectral"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_every_variant_filters(parity, tmp_path, variant, dtype):
    field = np.random.default_rng(3).normal(size=(2, 19, 23)).astype(dtype)
    np.save(tmp_path / "in.npy", field)
    done = parity("filter", "in.npy", "out.npy", "--steps", 5, "--variant", variant, "--halo", 3)
    assert done.returncode == 0, done.stderr
    assert variant.split("/")[0] in done.stdout
    assert error(np.load(tmp_path / "out.npy"), field, 5) < TOLERANCE[dtype]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_groups_of_planes(parity, tmp_path, dtype):
    """A field that does not fit the memory allowed goes through in groups, with the same result to the last bit."""
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
    """The same bytes through pipes as through files; messages go to standard error."""
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
    """Every plane is looked at, not only the first of a group."""
    field = np.random.default_rng(8).normal(size=(4, 12, 16)).astype(dtype)
    field[plane, 5, 6] = value
    field[plane, 5, 8] = -value
    np.save(tmp_path / "in.npy", field)
    refused("filter", "in.npy", "out.npy", "--steps", 1, says=f"plane {plane}: values up to {abs(value):.2g} overflow")
    assert os.listdir(tmp_path) == ["in.npy"]


@pytest.mark.parametrize("dtype,offset", [("f4", 1000), ("f4", -101325), ("f8", 1e6)])
@pytest.mark.parametrize("missing", [False, True])
def test_fields_far_from_zero_keep_their_mean(parity, tmp_path, dtype, offset, missing):
    """Kelvins and pascals: rounding in every step must not add up over thousands of steps."""
    field = (np.random.default_rng(11).normal(size=(3, 16, 20)) + offset).astype(dtype)
    if missing:
        field[1, 4:7, 3] = np.nan
    np.save(tmp_path / "in.npy", field)
    done = parity("filter", "in.npy", "out.npy", "--steps", 20000, *(["--missing", "keep"] if missing else []))
    assert done.returncode == 0, done.stderr
    result = np.load(tmp_path / "out.npy").astype("f8")
    for k in range(3):
        assert abs(np.nanmean(result[k]) - np.nanmean(field[k].astype("f8"))) < 2 * np.finfo(dtype).eps * abs(offset)


def masked_reference(field, steps, alpha=1 / 32):
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
    """A wave of that length loses that share."""
    n = int(wavelength * 4)
    wave = np.cos(2 * np.pi * np.arange(n) / wavelength) * np.ones((n, 1))
    for name, field in (("x.npy", wave), ("y.npy", wave.T)):
        np.save(tmp_path / name, np.ascontiguousarray(field))
        done = parity("filter", name, "out.npy", "--wavelength", wavelength, "--damping", damping)
        assert done.returncode == 0, done.stderr
        assert np.abs(np.load(tmp_path / "out.npy") - (1 - damping) * field).max() < 1e-12


def test_explain_prints_the_response(parity):
    done = parity("filter", "--steps", 20, "--explain")
    assert done.returncode == 0, done.stderr
    rows = {float(line.split()[0]): float(line.split()[1].rstrip("%")) for line in done.stdout.splitlines() if line.endswith("%")}
    for length, kept in rows.items():
        assert abs(kept - 100 * (1 - (4 * np.sin(np.pi / length) ** 2) ** 2 / 32) ** 20) < 1e-4
    assert len(rows) >= 10


def test_timings_name_every_stage(parity, tmp_path):
    np.save(tmp_path / "in.npy", np.ones((3, 20, 20)))
    done = parity("filter", "in.npy", "out.npy", "--steps", 2, "--timings")
    assert done.returncode == 0
    for stage in ("read", "check input", "filter", "check result", "write", "exact solution", "make durable", "peak memory"):
        assert stage in done.stdout


def bad_files():
    header = lambda text: b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()
    yield "empty.npy", b"", "is empty"
    yield "text.npy", b"1,2,3\n4,5,6\n", "neither .npy nor NetCDF"
    yield "cut.npy", header("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 5), }") + b"\0" * 60, "truncated"
    yield "long.npy", header("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 5), }") + b"\0" * 90, "after its data"
    yield "magic.npy", b"\x93NUMPY", "no whole .npy"
    yield "huge.npy", b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**31) + b"{" * 100, "header of 2147483648 bytes"
    yield "overflow.npy", header("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }"), "larger than any"
    yield "damaged.npy", header("{'descr': '<f4', 'shape'"), "damaged"
    yield "version.npy", b"\x93NUMPY\x09\x00" + b"\0" * 20, "version 9"
    yield "text.nc", b"CDF\x01 and then nothing of the kind", "NetCDF"


@pytest.mark.parametrize("name,content,says", list(bad_files()), ids=lambda v: v if isinstance(v, str) and "." in v else "")
def test_damaged_files_are_refused(refused, tmp_path, name, content, says):
    if name.endswith(".nc") and os.environ.get("PARITY_NETCDF", "1") in ("0", "OFF", ""):
        pytest.skip("built without NetCDF")
    (tmp_path / name).write_bytes(content)
    output = "out" + os.path.splitext(name)[1]
    refused("filter", name, output, "--steps", 2, says=says)
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("array,says", [
    (np.asfortranarray(np.arange(20.0).reshape(4, 5)), "Fortran order"),
    (np.arange(20.0), "1 dimension"),
    (np.ones((2, 2, 3, 4)), "4 dimension"),
    (np.ones((4, 0, 3)), "empty"),
    (np.ones((4, 5), "i4"), "<i4"),
    (np.array([["a", "b"], ["c", "d"]]), "<U1"),
    (np.ones((4, 5), "f2"), "<f2"),
    (np.zeros((3, 3), dtype=[("a", "f4")]), "several fields"),
    (np.array([[1, 2, 3], [1, np.nan, 3]], "f4"), "NaN at plane 0, row 1, column 1"),
    (np.array([[1, 2, 3], [1, 3, -np.inf]], "f8"), "infinity"),
    (np.ones((1, 5)), "smaller than its halo"),
    (np.ones((5, 1)), "smaller than its halo"),
], ids=str)
def test_unsuitable_arrays_are_refused(refused, tmp_path, array, says):
    np.save(tmp_path / "in.npy", array)
    refused("filter", "in.npy", "out.npy", "--steps", 2, says=says)
    assert os.listdir(tmp_path) == ["in.npy"]


@pytest.mark.parametrize("arguments,says", [
    (["missing.npy", "out.npy", "--steps", 2], "missing.npy: No such file"),
    (["in.npy", "out.npy"], "--steps is required"),
    (["in.npy", "--steps", 2], "input and output are required"),
    (["in.npy", "out.npy", "--wavelength", 4], "go together"),
    (["in.npy", "out.npy", "--damping", 0.5], "go together"),
    (["in.npy", "out.npy", "--wavelength", 4, "--damping", 0.5, "--steps", 3], "leave --steps and --alpha away"),
    (["in.npy", "out.npy", "--wavelength", 1.5, "--damping", 0.5], "--wavelength is 1.5"),
    (["in.npy", "out.npy", "--wavelength", "nan", "--damping", 0.5], "--wavelength is nan"),
    (["in.npy", "out.npy", "--wavelength", 4, "--damping", 1], "--damping is 1"),
    (["in.npy", "out.npy", "--wavelength", 4, "--damping", -0.1], "--damping is -0.1"),
    (["in.npy", "out.npy", "--wavelength", 1e5, "--damping", 0.99], "steps would be needed"),
    (["in.npy", "out.npy", "--steps", 2, "--missing", "ignore"], "--missing"),
    (["-", "out.npy", "--steps", 2, "--variable", "u"], "a pipe carries .npy"),
    (["in.npy", "out.npy", "--steps", 0], "--steps is 0"),
    (["in.npy", "out.npy", "--steps", -3], "--steps is -3"),
    (["in.npy", "out.npy", "--steps", "99999999999999999999"], "--steps"),
    (["in.npy", "out.npy", "--steps", "ten"], "--steps"),
    (["in.npy", "out.npy", "--steps", "2.5"], "--steps"),
    (["in.npy", "out.npy", "--steps", 2, "--alpha", 0], "--alpha is 0"),
    (["in.npy", "out.npy", "--steps", 2, "--alpha", "nan"], "--alpha is nan"),
    (["in.npy", "out.npy", "--steps", 2, "--alpha", 0.2], "at most 0.03125"),
    (["in.npy", "out.npy", "--steps", 2, "--halo", 1], "--halo is 1"),
    (["in.npy", "out.nc", "--steps", 2], "keeps the input's format"),
    (["in.npy", "nowhere/out.npy", "--steps", 2], "nowhere/out.npy: cannot be written"),
    (["in.npy", "out.npy", "--steps", 2, "--variable", "u"], "--variable is for NetCDF"),
    (["in.npy", "out.npy", "--steps", 2, "--variant", "kokos-fused"], "did you mean kokkos-fused"),
    (["in.npy", "out.npy", "--steps", 2, "--memory", 0.001], "--memory allows 1.0 KiB; one plane of 30 x 20 needs"),
    (["in.npy", "out.npy", "--setps", 2], "did you mean --steps"),
    ([".", "out.npy", "--steps", 2], "is a folder"),
], ids=str)
def test_bad_options_are_refused(refused, tmp_path, arguments, says):
    np.save(tmp_path / "in.npy", np.random.default_rng(1).normal(size=(2, 20, 30)))
    refused("filter", *arguments, says=says)
    assert os.listdir(tmp_path) == ["in.npy"]


def test_without_room_nothing_is_left_behind(parity, tmp_path):
    """A file-size limit stands for a full disk."""
    np.save(tmp_path / "in.npy", np.ones((8, 64, 64)))

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

    done = parity("filter", "in.npy", "out.npy", "--steps", 2, preexec_fn=limit)
    assert done.returncode == 2 and "cannot be written" in done.stderr
    assert os.listdir(tmp_path) == ["in.npy"]


def dataset(path, dimensions, form="NETCDF4"):
    """A new NetCDF file with these dimensions."""
    file = netCDF4.Dataset(path, "w", format=form)
    for name, n in dimensions.items():
        file.createDimension(name, n)
    return file


@pytest.fixture
def winds(tmp_path):
    """A NetCDF file with two fields, coordinates, attributes, text and a packed variable."""
    rng = np.random.default_rng(6)
    path = tmp_path / "in.nc"
    with dataset(path, {"time": 2, "lev": 3, "lat": 17, "lon": 24, "strlen": 5}) as f:
        f.title = "test winds"
        f.createVariable("lat", "f4", ("lat",))[:] = np.linspace(-80, 80, 17)
        u = f.createVariable("u", "f4", ("time", "lev", "lat", "lon"), zlib=True)
        u[:] = rng.normal(size=(2, 3, 17, 24))
        u.units = "m s-1"
        f.createVariable("v", "f8", ("lat", "lon"))[:] = rng.normal(size=(17, 24))
        f.createVariable("label", "S1", ("lev", "strlen"))[:] = b"x"
        f.createVariable("count", "i4", ("lat", "lon"))[:] = 1
        t = f.createVariable("t", "i2", ("lev", "lat", "lon"), fill_value=-32768)
        t.scale_factor, t.add_offset = 0.01, 280.0
        t[:] = 280 + 10 * rng.normal(size=(3, 17, 24))
        g = f.createVariable("gappy", "f4", ("lat", "lon"), fill_value=-999.0)
        values = np.ma.masked_array(rng.normal(size=(17, 24)))
        values[3, 4] = np.ma.masked
        g[:] = values
        n = f.createVariable("nans", "f8", ("lat", "lon"))
        n[:] = np.where(rng.random((17, 24)) < 0.1, np.nan, 1.0)
    return path


@netcdf
@pytest.mark.parametrize("variable,tolerance", [("u", 2e-5), ("v", 1e-13), ("t", 0.00501 / 280)])
@pytest.mark.parametrize("memory", [[], ["--memory", 0.09]])
def test_netcdf_keeps_everything_else(parity, tmp_path, winds, variable, tolerance, memory):
    done = parity("filter", "in.nc", "out.nc", "--steps", 9, "--variable", variable, *memory)
    assert done.returncode == 0, done.stderr
    with netCDF4.Dataset(winds) as before, netCDF4.Dataset(tmp_path / "out.nc") as after:
        assert after.title == "test winds" and after["u"].units == "m s-1" and after["t"].dtype == np.int16
        for name in before.variables:
            before[name].set_auto_scale(name == variable)
            after[name].set_auto_scale(name == variable)
            if name == variable:
                assert error(np.asarray(after[name][:]), np.asarray(before[name][:]), 9) < tolerance
            else:
                assert np.ma.allequal(before[name][:], after[name][:]) or name == "nans"


@netcdf
@pytest.mark.parametrize("arguments,says", [
    ([], "name one or several with --variable"),
    (["--variable", "w"], "no variable 'w'"),
    (["--variable", "label"], "holds text"),
    (["--variable", "lat"], "1 dimension"),
    (["--variable", "count"], "whole numbers without scale_factor"),
    (["--variable", "gappy"], "missing value at plane 0, row 3, column 4"),
    (["--variable", "nans"], "NaN"),
], ids=str)
def test_unsuitable_netcdf_is_refused(refused, tmp_path, winds, arguments, says):
    refused("filter", "in.nc", "out.nc", "--steps", 2, *arguments, says=says)
    assert os.listdir(tmp_path) == ["in.nc"]


@netcdf
def test_packed_values_that_no_longer_fit_are_refused(refused, tmp_path):
    with dataset(tmp_path / "in.nc", {"y": 8, "x": 8}) as f:
        t = f.createVariable("t", "i1", ("y", "x"), fill_value=-128)
        t.scale_factor = 1.0
        field = np.full((8, 8), 127)
        field[5, 5] = -127  # its diagonal neighbours overshoot
        t[:] = field
    refused("filter", "in.nc", "out.nc", "--steps", 1, says="cannot be packed")


@netcdf
@pytest.mark.parametrize("format", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"])
@pytest.mark.parametrize("records", [False, True])
def test_classic_files_cut_short_are_refused(parity, refused, tmp_path, format, records):
    """The library reads them as if they were whole: planes repeat an old buffer."""
    field = np.random.default_rng(9).normal(size=(5, 31, 17)).astype("f4")
    with dataset(tmp_path / "in.nc", {"time": None if records else 5, "y": 31, "x": 17}, format) as f:
        f.title = "odd lengths"
        v = f.createVariable("v", "f4", ("time", "y", "x"))
        v.units = "m"
        v[:] = field
        w = f.createVariable("w", "i2", ("time", "x"))
        w[:] = np.arange(85).reshape(5, 17)
    whole = (tmp_path / "in.nc").read_bytes()
    done = parity("filter", "in.nc", "out.nc", "--steps", 3, "--variable", "v")
    assert done.returncode == 0, done.stderr
    with netCDF4.Dataset(tmp_path / "out.nc") as f:
        assert error(f["v"][:], field, 3) < 2e-5 and np.array_equal(f["w"][:], np.arange(85).reshape(5, 17))
    os.unlink(tmp_path / "out.nc")
    for length in (len(whole) - 4, len(whole) - 400, len(whole) // 2, 200, 40, 9):
        (tmp_path / "in.nc").write_bytes(whole[:length])
        refused("filter", "in.nc", "out.nc", "--steps", 3, "--variable", "v", says="in.nc: ")
        assert os.listdir(tmp_path) == ["in.nc"]


@netcdf
def test_several_variables_in_one_run(parity, refused, tmp_path, winds):
    done = parity("filter", "in.nc", "out.nc", "--steps", 9, "--variable", "u,v,t")
    assert done.returncode == 0, done.stderr
    assert [line.split()[1] for line in done.stdout.splitlines()] == ["(u):", "(v):", "(t):"]
    with netCDF4.Dataset(winds) as before, netCDF4.Dataset(tmp_path / "out.nc") as after:
        for name, tolerance in (("u", 2e-5), ("v", 1e-13), ("t", 0.00501 / 280)):
            assert error(np.asarray(after[name][:]), np.asarray(before[name][:]), 9) < tolerance
        assert after["u"].filters()["zlib"]
    refused("filter", "in.nc", "new.nc", "--steps", 9, "--variable", "u,u", says="names 'u' twice")
    refused("filter", "in.nc", "new.nc", "--steps", 9, "--variable", "u,gappy", says="missing value at")
    assert not os.path.exists(tmp_path / "new.nc")


@netcdf
def test_missing_values_of_netcdf_are_kept(parity, tmp_path, winds):
    done = parity("filter", "in.nc", "out.nc", "--steps", 4, "--variable", "gappy,nans", "--missing", "keep")
    assert done.returncode == 0, done.stderr
    with netCDF4.Dataset(winds) as before, netCDF4.Dataset(tmp_path / "out.nc") as after:
        for f in (before, after):
            f.set_auto_mask(False)
        assert after["gappy"][3, 4] == -999 and np.count_nonzero(after["gappy"][:] == -999) == 1
        field = np.where(before["gappy"][:] == -999, np.nan, before["gappy"][:].astype("f8"))
        result = np.where(after["gappy"][:] == -999, np.nan, after["gappy"][:])
        assert np.nanmax(np.abs(result - masked_reference(field, 4))) < 2e-5 * np.nanmax(np.abs(field))
        assert np.array_equal(np.isnan(after["nans"][:]), np.isnan(before["nans"][:]))


@netcdf
@pytest.mark.parametrize("chunks", [(1, 3, 17, 24), (4, 1, 5, 7), (7, 2, 17, 24)])
@pytest.mark.parametrize("memory", [[], ["--memory", 0.12]])
def test_chunks_compression_and_unlimited_dimensions(parity, tmp_path, chunks, memory):
    field = np.random.default_rng(10).normal(size=(7, 3, 17, 24)).astype("f4")
    with dataset(tmp_path / "in.nc", {"time": None, "lev": 3, "lat": 17, "lon": 24}) as f:
        time = f.createVariable("time", "f8", ("time",))
        time.units, time[:] = "days since 2000-01-01", np.arange(7)
        lat = f.createVariable("lat", "f4", ("lat",))
        lat.units, lat[:] = "degrees_north", np.linspace(-80, 80, 17)
        v = f.createVariable("v", "f4", ("time", "lev", "lat", "lon"), zlib=True, complevel=4, shuffle=True, chunksizes=chunks)
        v[:] = field
    done = parity("filter", "in.nc", "out.nc", "--steps", 5, *memory)
    assert done.returncode == 0, done.stderr
    with netCDF4.Dataset(tmp_path / "out.nc") as f:
        assert error(np.asarray(f["v"][:]), field, 5) < 2e-5
        assert f["v"].chunking() == list(chunks) and f["v"].filters()["complevel"] == 4 and f["v"].filters()["shuffle"]
        assert f.dimensions["time"].isunlimited() and np.array_equal(f["time"][:], np.arange(7))


@netcdf
@pytest.mark.parametrize("order,attributes,says", [
    (("lat", "lon", "lev"), {"lev": {"positive": "down"}}, "'lev' is vertical"),
    (("lat", "lon", "lev"), {"lev": {"units": "hPa"}}, "'lev' is vertical"),
    (("lev", "time", "lon"), {"time": {"units": "hours since 1900-01-01"}}, "'time' is time"),
    (("lev", "lat", "time"), {"time": {"axis": "T"}}, "'time' is time"),
])
def test_dimensions_that_are_not_horizontal_are_refused(refused, tmp_path, order, attributes, says):
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as f:
        for name in order:
            f.createDimension(name, 8)
            coordinate = f.createVariable(name, "f4", (name,))
            coordinate[:] = np.arange(8)
            coordinate.setncatts(attributes.get(name, {}))
        f.createVariable("v", "f4", order)[:] = 1
    refused("filter", "in.nc", "out.nc", "--steps", 2, says=says)


@netcdf
def test_coordinates_are_no_fields(parity, tmp_path):
    """A curvilinear grid: two-dimensional latitudes and longitudes beside the one field."""
    with dataset(tmp_path / "in.nc", {"y": 9, "x": 8}) as f:
        for name, units in (("lat", "degrees_north"), ("lon", "degrees_east"), ("area", "m2")):
            f.createVariable(name, "f4", ("y", "x")).units = units
            f[name][:] = 1
        v = f.createVariable("v", "f4", ("y", "x"))
        v.coordinates, v.cell_measures = "lat lon", "area: area"
        v[:] = np.random.default_rng(1).normal(size=(9, 8))
    done = parity("filter", "in.nc", "out.nc", "--steps", 2)
    assert done.returncode == 0, done.stderr


@netcdf
def test_a_result_outside_of_the_valid_range_is_refused(refused, parity, tmp_path):
    field = np.zeros((9, 9), "f4")
    field[4, 4] = 1
    for name, least in (("tight.nc", 0.0), ("wide.nc", -1.0)):
        with dataset(tmp_path / name, {"y": 9, "x": 9}) as f:
            v = f.createVariable("v", "f4", ("y", "x"))
            v.valid_min = np.float32(least)
            v[:] = field
    refused("filter", "tight.nc", "out.nc", "--steps", 1, says="outside of its valid range")
    assert parity("filter", "wide.nc", "out.nc", "--steps", 1).returncode == 0


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_tiny_values_are_filtered(parity, tmp_path, dtype):
    """Traces of a substance, below the smallest normal number, in a plane of their own."""
    field = np.random.default_rng(5).random((3, 20, 30))
    field[1] *= 1e-5 * float(np.finfo(dtype).tiny)
    np.save(tmp_path / "in.npy", field.astype(dtype))
    done = parity("filter", "in.npy", "out.npy", "--steps", 300, "--memory", 0.3)
    assert done.returncode == 0, done.stderr
    result, exact = np.load(tmp_path / "out.npy").astype("f8"), reference(np.load(tmp_path / "in.npy"), 300)
    assert np.abs(result[1] - exact[1]).max() < 1e3 * float(np.finfo(dtype).smallest_subnormal)
    assert np.abs(result[[0, 2]] - exact[[0, 2]]).max() < TOLERANCE[dtype]


def test_the_input_behind_a_redirection_is_not_replaced(parity, tmp_path):
    np.save(tmp_path / "g.npy", np.ones((8, 8)))
    before = (tmp_path / "g.npy").read_bytes()
    with open(tmp_path / "g.npy", "rb") as file:
        done = parity("filter", "-", "g.npy", "--steps", 1, stdin=file)
    assert done.returncode == 2 and "is the input too" in done.stderr and (tmp_path / "g.npy").read_bytes() == before


def test_explain_says_in_a_line_which_variant_and_why(parity, tmp_path):
    np.save(tmp_path / "in.npy", np.ones((64, 64), "f4"))
    done = parity("filter", "in.npy", "out.npy", "--steps", 2, "--explain")
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("variant: ")]
    name, why = line[len("variant: "):].split(": ")
    assert f"diffusion/{name}, " in done.stdout.splitlines()[-1] and why.startswith("preferred for 64 x 64 x 1 float, 2 steps, on a ")
    named = parity("filter", "in.npy", "out.npy", "--force", "--steps", 2, "--explain", "--variant", "openmp-fused")
    assert named.returncode == 0 and "variant: " not in named.stdout


def test_names_are_shown_on_one_line(parity, tmp_path):
    np.save(tmp_path / "in.npy", np.ones((8, 8)))
    done = parity("filter", "in.npy", "a\n\x1b[2Jb.npy", "--steps", 1)
    assert done.returncode == 0 and done.stdout.startswith("a\\x0a\\x1b[2Jb.npy: ") and done.stdout.count("\n") == 1


@netcdf
@pytest.mark.parametrize("attributes,says", [
    ({"_Unsigned": "true", "scale_factor": 0.5}, "is _Unsigned"),
    ({"_Unsigned": "True", "scale_factor": 0.5}, "is _Unsigned"),
    ({"missing_value": "-1", "scale_factor": 0.5}, "its attribute missing_value is text"),
    ({"scale_factor": 0.5, "add_offset": "273.15"}, "its attribute add_offset is text"),
], ids=str)
@pytest.mark.parametrize("strings", [False, True])
def test_attributes_that_are_not_understood_are_refused(refused, tmp_path, attributes, says, strings):
    """Passed over, they would change what the stored numbers mean. strings: netCDF-4's own, which are no characters."""
    with dataset(tmp_path / "in.nc", {"y": 8, "x": 8}, "NETCDF4" if strings else "NETCDF3_CLASSIC") as f:
        v = f.createVariable("v", "i1", ("y", "x"))
        v.set_auto_maskandscale(False)
        for key, value in attributes.items():
            if strings and isinstance(value, str):
                v.setncattr_string(key, value)
            else:
                v.setncattr(key, value)
        v[:] = np.arange(-32, 32, dtype="i1").reshape(8, 8)
    refused("filter", "in.nc", "out.nc", "--steps", 1, "--variable", "v", says=says)
    assert os.listdir(tmp_path) == ["in.nc"]


@netcdf
def test_a_missing_value_of_more_digits_than_the_values_is_seen(refused, tmp_path):
    with dataset(tmp_path / "in.nc", {"y": 8, "x": 8}, "NETCDF3_CLASSIC") as f:
        v = f.createVariable("v", "f4", ("y", "x"))
        v.set_auto_maskandscale(False)
        v.scale_factor, v.missing_value = np.float64(2), np.float64(1e20)  # in float: 100000002004087734272
        field = np.ones((8, 8), "f4")
        field[2, 3] = 1e20
        v[:] = field
    refused("filter", "in.nc", "out.nc", "--steps", 1, says="missing value at plane 0, row 2, column 3")


@netcdf
def test_variables_in_groups_are_named_as_what_they_are(refused, tmp_path):
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as f:
        g = f.createGroup("forecast")
        g.createDimension("y", 8)
        g.createDimension("x", 8)
        g.createVariable("v", "f4", ("y", "x"))[:] = 1
    refused("filter", "in.nc", "out.nc", "--steps", 1, says="groups are not read")
    refused("filter", "in.nc", "out.nc", "--steps", 1, "--variable", "forecast/v", says="groups are not read")


@pytest.mark.parametrize("form", [pytest.param("nc", marks=netcdf), "npy"])
@pytest.mark.parametrize("change", ["cut", "written"])
def test_an_input_that_changes_while_it_is_read_is_refused(tmp_path, change, form):
    """HDF5 gives zeros for what is no longer there."""
    field = np.random.default_rng(7).normal(size=(40, 64, 64)).astype("f4")
    given, output = tmp_path / f"in.{form}", tmp_path / f"out.{form}"
    for steps in (1000, 10000, 100000):  # until the program is caught at work
        if form == "npy":
            np.save(given, field)
        else:
            with dataset(given, {"time": 40, "y": 64, "x": 64}) as f:
                f.createVariable("v", "f4", ("time", "y", "x"))[:] = field
        process = subprocess.Popen([os.environ["PARITY"], "filter", given.name, output.name, "--steps", str(steps), "--memory", "1"],
                                   cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not [n for n in os.listdir(tmp_path) if ".partial-" in n]:
            time.sleep(0.002)
        process.send_signal(signal.SIGSTOP)
        caught = process.poll() is None and not output.exists()
        if caught and change == "cut":
            os.truncate(given, 0)
        elif caught:
            with open(given, "r+b") as f:
                f.seek(-100, os.SEEK_END)
                f.write(bytes(100))
            os.utime(given, (2e9, 2e9))
        process.send_signal(signal.SIGCONT)
        _, errors = process.communicate(timeout=1800)
        if caught:
            break
        os.unlink(output)
    assert process.returncode == 2 and errors.count("\n") == 1 and errors.startswith(f"parity: {given.name}: "), errors
    assert os.listdir(tmp_path) == [given.name]
