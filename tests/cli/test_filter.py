# SPDX-License-Identifier: BSD-3-Clause
"""parity filter against an independent numpy implementation, and its refusals."""
import itertools
import os
import struct

import numpy as np
import pytest

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


@pytest.mark.parametrize("dtype,shape,steps,halo", list(itertools.product(["<f4", "<f8", ">f4", ">f8"], SHAPES, [7, 12], [2, 3])))
def test_agrees_with_numpy(parity, tmp_path, dtype, shape, steps, halo):
    field = np.random.default_rng(steps).normal(size=shape).astype(dtype)
    np.save(tmp_path / "in.npy", field)
    done = parity("filter", "in.npy", "out.npy", "--steps", steps, "--halo", halo, "--alpha", 0.02)
    assert done.returncode == 0, done.stderr
    result = np.load(tmp_path / "out.npy")
    assert result.dtype == np.dtype(dtype) and result.shape == shape
    assert error(result, field, steps, 0.02) < TOLERANCE[dtype[1:]]


@pytest.mark.parametrize("variant", ["reference-loop", "kokkos-baseline", "kokkos-laplacian", "kokkos-fused", "kokkos-fused-wrap",
                                     "kokkos-team-scratch", "kokkos-team-plane", "openmp-fused", "openmp-plane/2"])
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
    done = parity("filter", "in.npy", "groups.npy", "--steps", 6, "--memory", 0.9)
    assert done.returncode == 0, done.stderr
    planes = int(done.stdout.split(" planes at a time")[0].split()[-1])
    assert 1 <= planes < 11
    assert np.array_equal(np.load(tmp_path / "whole.npy"), np.load(tmp_path / "groups.npy"))


def test_output_may_be_the_input(parity, tmp_path):
    field = np.random.default_rng(5).normal(size=(4, 9, 8))
    np.save(tmp_path / "f.npy", field)
    assert parity("filter", "f.npy", "f.npy", "--steps", 3).returncode == 0
    assert error(np.load(tmp_path / "f.npy"), field, 3) < 1e-13


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
    (["in.npy", "/dev/null", "--steps", 2], "no regular file"),
    (["in.npy", "out.npy", "--steps", 2, "--variable", "u"], "--variable is for NetCDF"),
    (["in.npy", "out.npy", "--steps", 2, "--variant", "kokos-fused"], "did you mean kokkos-fused"),
    (["in.npy", "out.npy", "--steps", 2, "--memory", 0.001], "give more memory"),
    (["in.npy", "out.npy", "--setps", 2], "did you mean --steps"),
    ([".", "out.npy", "--steps", 2], "no regular file"),
], ids=str)
def test_bad_options_are_refused(refused, tmp_path, arguments, says):
    np.save(tmp_path / "in.npy", np.random.default_rng(1).normal(size=(2, 20, 30)))
    refused("filter", *arguments, says=says)
    assert os.listdir(tmp_path) == ["in.npy"]


def test_without_room_nothing_is_left_behind(parity, tmp_path):
    """A file-size limit stands for a full disk."""
    np.save(tmp_path / "in.npy", np.ones((8, 64, 64)))
    import resource
    import signal

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

    done = parity("filter", "in.npy", "out.npy", "--steps", 2, preexec_fn=limit)
    assert done.returncode == 2 and "cannot be written" in done.stderr
    assert os.listdir(tmp_path) == ["in.npy"]


@pytest.fixture
def winds(tmp_path):
    """A NetCDF file with two fields, coordinates, attributes, text and a packed variable."""
    import netCDF4

    rng = np.random.default_rng(6)
    path = tmp_path / "in.nc"
    with netCDF4.Dataset(path, "w") as f:
        f.title = "test winds"
        for name, n in (("time", 2), ("lev", 3), ("lat", 17), ("lon", 24), ("strlen", 5)):
            f.createDimension(name, n)
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
@pytest.mark.parametrize("memory", [[], ["--memory", 0.07]])
def test_netcdf_keeps_everything_else(parity, tmp_path, winds, variable, tolerance, memory):
    import netCDF4

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
    ([], "name one with --variable"),
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
    import netCDF4

    with netCDF4.Dataset(tmp_path / "in.nc", "w") as f:
        f.createDimension("y", 8)
        f.createDimension("x", 8)
        t = f.createVariable("t", "i1", ("y", "x"), fill_value=-128)
        t.scale_factor = 1.0
        field = np.full((8, 8), 127)
        field[5, 5] = -127  # its diagonal neighbours overshoot
        t[:] = field
    refused("filter", "in.nc", "out.nc", "--steps", 1, says="cannot be packed")
