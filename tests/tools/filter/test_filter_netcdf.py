# SPDX-License-Identifier: BSD-3-Clause
"""parity filter on NetCDF files: values as in an independent numpy implementation, everything else unchanged, and refusals."""
import os
import resource
import signal
import subprocess
import time
import unicodedata

import numpy as np
import pytest
from test_filter import error, masked_reference

netCDF4 = pytest.importorskip("netCDF4")
needs_netcdf = pytest.mark.skipif(os.environ.get("PARITY_NETCDF", "1") in ("0", "OFF", ""), reason="built without NetCDF")
pytestmark = [pytest.mark.usefixtures("two_threads"), needs_netcdf]


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


@pytest.mark.parametrize("variables", ["u", "v", "t", "u,v,t"])
@pytest.mark.parametrize("memory", [[], ["--memory", 0.09]])
def test_netcdf_keeps_everything_else(parity, tmp_path, winds, variables, memory):
    tolerance = {"u": 2e-5, "v": 1e-13, "t": 0.00501 / 280}
    filtered = variables.split(",")
    done = parity("filter", "in.nc", "out.nc", "--steps", 9, "--variable", variables, "--boundary", "y=periodic", *memory)
    assert done.returncode == 0, done.stderr
    with netCDF4.Dataset(winds) as before, netCDF4.Dataset(tmp_path / "out.nc") as after:
        assert after.title == "test winds" and after["u"].units == "m s-1" and after["t"].dtype == np.int16 and after["u"].filters()["zlib"]
        for name in before.variables:
            before[name].set_auto_scale(name in filtered)
            after[name].set_auto_scale(name in filtered)
            if name in filtered:
                assert error(np.asarray(after[name][:]), np.asarray(before[name][:]), 9) < tolerance[name]
            else:
                assert np.ma.allequal(before[name][:], after[name][:]) or name == "nans"


@pytest.mark.parametrize("arguments,says", [
    ([], "name one or several with --variable"),
    (["--variable", "w"], "no variable 'w'"),
    (["--variable", "label"], "holds text"),
    (["--variable", "count"], "whole numbers without scale_factor"),
    (["--variable", "gappy"], "missing value at plane 0, row 3, column 4"),
    (["--variable", "nans"], "NaN"),
    (["--variable", "u,u"], "names 'u' twice"),
], ids=str)
def test_unsuitable_netcdf_is_refused(refused, tmp_path, winds, arguments, says):
    refused("filter", "in.nc", "out.nc", "--steps", 2, *arguments, says=says)
    assert os.listdir(tmp_path) == ["in.nc"]


def test_packed_values_that_no_longer_fit_are_refused(refused, tmp_path):
    with dataset(tmp_path / "in.nc", {"y": 8, "x": 8}) as f:
        t = f.createVariable("t", "i1", ("y", "x"), fill_value=-128)
        t.scale_factor = 1.0
        field = np.full((8, 8), 127)
        field[5, 5] = -127  # its diagonal neighbours overshoot
        t[:] = field
    refused("filter", "in.nc", "out.nc", "--steps", 1, says="cannot be packed")


@pytest.mark.parametrize("format", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"])
@pytest.mark.parametrize("records", [False, True])
def test_classic_files_cut_short_are_refused(parity, refused, tmp_path, format, records):
    """The library reads them as if they were complete: planes repeat an old buffer."""
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


def test_missing_values_of_netcdf_are_kept(parity, tmp_path, winds):
    done = parity("filter", "in.nc", "out.nc", "--steps", 4, "--variable", "gappy,nans", "--missing", "keep", "--boundary", "y=periodic")
    assert done.returncode == 0, done.stderr
    with netCDF4.Dataset(winds) as before, netCDF4.Dataset(tmp_path / "out.nc") as after:
        for f in (before, after):
            f.set_auto_mask(False)
        assert after["gappy"][3, 4] == -999 and np.count_nonzero(after["gappy"][:] == -999) == 1
        field = np.where(before["gappy"][:] == -999, np.nan, before["gappy"][:].astype("f8"))
        result = np.where(after["gappy"][:] == -999, np.nan, after["gappy"][:])
        assert np.nanmax(np.abs(result - masked_reference(field, 4))) < 2e-5 * np.nanmax(np.abs(field))
        assert np.array_equal(np.isnan(after["nans"][:]), np.isnan(before["nans"][:]))


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
    done = parity("filter", "in.nc", "out.nc", "--steps", 5, "--boundary", "y=periodic", *memory)
    assert done.returncode == 0, done.stderr
    with netCDF4.Dataset(tmp_path / "out.nc") as f:
        assert error(np.asarray(f["v"][:]), field, 5) < 2e-5
        assert f["v"].chunking() == list(chunks) and f["v"].filters()["complevel"] == 4 and f["v"].filters()["shuffle"]
        assert f.dimensions["time"].isunlimited() and np.array_equal(f["time"][:], np.arange(7))


def test_coordinates_are_no_fields(parity, tmp_path):
    """A curvilinear grid: the one field has two-dimensional latitudes and longitudes."""
    with dataset(tmp_path / "in.nc", {"y": 9, "x": 8}) as f:
        for name, units in (("lat", "degrees_north"), ("lon", "degrees_east"), ("area", "m2")):
            f.createVariable(name, "f4", ("y", "x")).units = units
            f[name][:] = 1
        v = f.createVariable("v", "f4", ("y", "x"))
        v.coordinates, v.cell_measures = "lat lon", "area: area"
        v[:] = np.random.default_rng(1).normal(size=(9, 8))
    done = parity("filter", "in.nc", "out.nc", "--steps", 2)
    assert done.returncode == 0, done.stderr


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


@pytest.mark.parametrize("attributes,says", [
    ({"missing_value": "-1", "scale_factor": 0.5}, "its attribute missing_value is text"),
    ({"scale_factor": 0.5, "add_offset": "273.15"}, "its attribute add_offset is text"),
    ({"scale_factor": [0.5, 2.0]}, "has 2 numbers in scale_factor; give one"),
], ids=str)
@pytest.mark.parametrize("strings", [False, True])
def test_attributes_that_are_not_understood_are_refused(refused, tmp_path, attributes, says, strings):
    """If they were ignored, stored numbers would change their meaning. strings: netCDF-4's string type instead of characters."""
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


def test_variables_in_groups_are_named_as_what_they_are(refused, tmp_path):
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as f:
        g = f.createGroup("forecast")
        g.createDimension("y", 8)
        g.createDimension("x", 8)
        g.createVariable("v", "f4", ("y", "x"))[:] = 1
    refused("filter", "in.nc", "out.nc", "--steps", 1, says="groups are not read")
    refused("filter", "in.nc", "out.nc", "--steps", 1, "--variable", "forecast/v", says="groups are not read")


@pytest.mark.parametrize("form", ["nc", "npy"])
@pytest.mark.parametrize("change", ["cut", "written"])
def test_an_input_that_changes_while_it_is_read_is_refused(tmp_path, change, form):
    """HDF5 returns zeros for data that is gone."""
    field = np.random.default_rng(7).normal(size=(40, 64, 64)).astype("f4")
    given, output = tmp_path / f"in.{form}", tmp_path / f"out.{form}"
    for steps in (1000, 10000, 100000):  # until the change happens during a run
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


@pytest.mark.parametrize("stored", ["NFC", "NFD"])
def test_letters_with_marks_are_one_name_however_they_are_written(parity, tmp_path, stored):
    """Names of a variable, its dimensions and the coordinates in its attribute. The library composes names that it writes; others do not."""
    netCDF4 = pytest.importorskip("netCDF4")
    names = "h\u00f6he", "l\u00e4nge", "gr\u00f6\u00dfe"
    with netCDF4.Dataset(tmp_path / "in.nc", "w", format="NETCDF3_CLASSIC") as f:
        for name, size in zip(names[1:], (9, 8), strict=True):
            f.createDimension(name, size)
            f.createVariable(name, "f8", (name,)).units = "m"
        f.createVariable(names[0], "f4", names[1:]).coordinates = unicodedata.normalize("NFD", " ".join(names[1:]))
        f[names[0]][:] = np.random.default_rng(1).random((9, 8))
        f.createVariable("other", "f4", names[1:])[:] = 1
    raw = (tmp_path / "in.nc").read_bytes()
    for name in names[:2]:  # the same length as before with the file's padding
        old, new = (len(n).to_bytes(4, "big") + n.ljust(8, b"\0") for n in (unicodedata.normalize(k, name).encode() for k in ("NFC", stored)))
        raw = raw.replace(old, new)
    (tmp_path / "in.nc").write_bytes(raw)
    for given in ("NFC", "NFD"):
        words = [unicodedata.normalize(given, w) for w in (names[0], ",".join(names[1:]))]
        done = parity("filter", "in.nc", "out.nc", "--steps", "1", "--variable", words[0], "--plane", words[1], "--force")
        assert done.returncode == 0 and done.stdout.count("is in 'm'") == 2, done.stdout + done.stderr


@pytest.mark.parametrize("given,names", [("a, b", ["a, b"]), ("a", ["a"]), ("c, a", ["c", "a"]), ("c,a, b", ["c", "a, b"]), ("d,e,c", ["d,e", "c"])])
def test_names_may_hold_commas(parity, tmp_path, given, names):
    netCDF4 = pytest.importorskip("netCDF4")
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as f:
        f.createDimension("la, t", 9), f.createDimension("x", 8)
        for name in ("a", "a, b", "c", "d,e"):
            f.createVariable(name, "f4", ("la, t", "x"))[:] = np.random.default_rng(1).random((9, 8))
    done = parity("filter", "in.nc", "out.nc", "--steps", "1", "--variable", given, "--plane", "la, t,x")
    assert done.returncode == 0, done.stderr
    assert len(names) == 1 or all(f"out.nc ({name}): " in done.stdout for name in names), done.stdout
    with netCDF4.Dataset(tmp_path / "in.nc") as before, netCDF4.Dataset(tmp_path / "out.nc") as after:
        assert [n for n in before.variables if not np.array_equal(before[n][:], after[n][:])] == sorted(names)


def test_what_the_library_cannot_write_is_the_outputs_trouble(parity, tmp_path):
    """A compressed field of constants grows; HDF5 does not report a limit or a full disk."""
    field = np.ones((16, 50, 50))
    field[:, ::7, ::5] = 0
    with dataset(tmp_path / "in.nc", {"z": 16, "y": 50, "x": 50}) as f:
        f.createVariable("t", "f8", ("z", "y", "x"), zlib=True)[:] = field
    most = os.path.getsize(tmp_path / "in.nc") + 100
    done = parity("filter", "in.nc", "out.nc", "--steps", 30, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
    assert done.returncode == 2 and done.stderr == "parity: out.nc: cannot be written: File too large\n", done.stderr
    assert os.listdir(tmp_path) == ["in.nc"]


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_nothing_of_a_refused_file_goes_to_an_open_one(tmp_path, name):
    with dataset(tmp_path / "in.nc", {"y": 9, "x": 8}) as f:
        f.createVariable("t", "f4", ("y", "x"))[:] = 1
    with open(tmp_path / "out.nc", "wb") as out:
        done = subprocess.run([os.environ["PARITY"], "filter", "in.nc", name, "--steps", "1"], cwd=tmp_path, stdout=out, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "NetCDF is written to a regular file only" in done.stderr, done.stderr
    assert (tmp_path / "out.nc").stat().st_size == 0
