# SPDX-License-Identifier: BSD-3-Clause
"""parity filter checks exactly what it leaves in a file; the file determines the meaning of stored numbers and dimensions."""
import os
import re
import resource
import shutil
import subprocess

import numpy as np
import pytest
from test_filter import TOLERANCE, error, masked_reference, reference

netCDF4 = pytest.importorskip("netCDF4")
import hdf5_files  # noqa: E402
from test_filter_netcdf import dataset, needs_netcdf  # noqa: E402

pytestmark = [pytest.mark.usefixtures("two_threads"), needs_netcdf]
FIELD = np.random.default_rng(38).random((3, 17, 21))


def stored(path, name="v"):
    with netCDF4.Dataset(path) as f:
        f.set_auto_mask(False)
        return np.asarray(f[name][:], "f8")


@pytest.mark.parametrize("kind,scale", [("f4", None), ("f8", None), ("i2", 1e-4), ("u2", 1e-4), ("i4", 1e-6), ("u4", 1e-6), ("i1", 0.01), ("f4", 0.5)])
@pytest.mark.parametrize("storage", [{}, {"zlib": True, "shuffle": True, "chunksizes": (2, 17, 5)}], ids=["contiguous", "chunks"])
def test_variables_of_the_other_byte_order(parity, tmp_path, kind, scale, storage):
    with dataset(tmp_path / "in.nc", {"z": 3, "y": 17, "x": 21}) as f:
        v = f.createVariable("v", np.dtype(kind).newbyteorder(">"), ("z", "y", "x"), endian="big", fill_value=False, **storage)
        if scale:
            v.scale_factor = scale
        v[:] = FIELD
    before = stored(tmp_path / "in.nc")
    for memory in [[], ["--memory", 0.1]]:
        done = parity("filter", "in.nc", "out.nc", "--steps", 3, *memory)
        assert done.returncode == 0, done.stderr
        assert np.abs(stored(tmp_path / "out.nc") - reference(before, 3)).max() < (0.51 * scale if scale and kind != "f4" else TOLERANCE[kind])


def test_the_other_byte_order_around_gaps(parity, tmp_path):
    with dataset(tmp_path / "in.nc", {"y": 17, "x": 21}) as f:
        v = f.createVariable("v", ">f4", ("y", "x"), endian="big", fill_value=-999.0)
        v[:] = np.ma.masked_array(FIELD[0], FIELD[0] > 0.9)
    done = parity("filter", "in.nc", "out.nc", "--steps", 3, "--missing", "keep")
    assert done.returncode == 0, done.stderr
    before, after = (np.where(v == -999, np.nan, v) for v in (stored(tmp_path / "in.nc"), stored(tmp_path / "out.nc")))
    assert np.isnan(before).any() and np.array_equal(np.isnan(before), np.isnan(after))
    assert np.nanmax(np.abs(after - masked_reference(before, 3))) < 2e-5


@pytest.mark.parametrize("base,fields,attributes", [
    ("H5T_IEEE_F32LE_g", [("fields", 15, 10, 5, 0, 10), ("ebias", 15), ("precision", 16), ("size", 2)], {}),
    ("H5T_IEEE_F32LE_g", [("fields", 23, 15, 8, 0, 15), ("precision", 24), ("size", 3)], {}),
    ("H5T_STD_I32LE_g", [("precision", 24), ("size", 3)], {"scale_factor": 1e-5}),
    ("H5T_NATIVE_LDOUBLE_g", [], {}),
], ids=["half", "24 bits", "whole, 24 bits", "long double"])
def test_types_that_the_library_cannot_write_are_refused(refused, tmp_path, base, fields, attributes):
    hdf5_files.write(tmp_path / "in.nc", FIELD[0], base, fields=fields, **attributes)
    refused("filter", "in.nc", "out.nc", "--steps", 1, "--variable", "v", says="variable 'v' h")
    assert os.listdir(tmp_path) == ["in.nc"]


def test_a_type_of_fewer_digits_is_found_out(refused, tmp_path):
    """The type has the size of a float but uses half of its digits: HDF5 rounds, and the library does not report it."""
    hdf5_files.write(tmp_path / "in.nc", FIELD[0], fields=[("fields", 31, 23, 8, 9, 14)])
    refused("filter", "in.nc", "out.nc", "--steps", 1, says="what is stored is not what was written", code=1)
    assert os.listdir(tmp_path) == ["in.nc"]


@pytest.mark.parametrize("how,least,most", [("scaleoffset", 2e-4, 1e-3), ("packing", 0.004, 0.005), ("quantizing", 0, 1)])
def test_what_storing_loses_is_named(parity, tmp_path, how, least, most):
    if how == "scaleoffset":
        hdf5_files.write(tmp_path / "in.nc", FIELD[0], scaleoffset=3)
    elif how == "quantizing" and not netCDF4.__has_quantization_support__:
        pytest.skip("this netCDF4 does not quantize")
    else:
        with dataset(tmp_path / "in.nc", {"y": 17, "x": 21}) as f:
            quantized = {"zlib": True, "significant_digits": 3, "quantize_mode": "BitGroom"} if how == "quantizing" else {}
            v = f.createVariable("v", "f4" if quantized else "i2", ("y", "x"), **quantized)
            if how == "packing":
                v.scale_factor = 0.01
            v[:] = FIELD[0]
    done = parity("filter", "in.nc", "out.nc", "--steps", 2)
    assert done.returncode == 0, done.stderr
    said = re.search(r"stored to within (\S+) by its (lossy filter|packing)", done.stdout)
    loss, off = float(said[1]) if said else 0, np.abs(stored(tmp_path / "out.nc") - reference(stored(tmp_path / "in.nc"), 2)).max()
    assert least <= loss <= most and abs(off - loss) < 0.06 * off + 1e-6  # an older library does not quantize again


def test_a_filter_that_loses_the_field_is_refused(refused, tmp_path):
    hdf5_files.write(tmp_path / "in.nc", FIELD[0].round(), scaleoffset=0)
    refused("filter", "in.nc", "out.nc", "--steps", 40, says="what is stored is not what was written", code=1)
    assert os.listdir(tmp_path) == ["in.nc"]


@pytest.mark.parametrize("form", ["npy", "NETCDF4", "NETCDF3_CLASSIC", "NETCDF3_64BIT_DATA"])
def test_a_file_system_that_loses_a_bit_is_found_out(tmp_path, form):
    """One of the last values changes on its way to the disk."""
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    (tmp_path / "flip.c").write_text("""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define FLIP(name) ssize_t name(int f, const void* from, size_t n, off_t at) { \\
  ssize_t (*next)(int, const void*, size_t, off_t) = dlsym(RTLD_NEXT, #name); \\
  char *copy = malloc(n + 1); memcpy(copy, from, n); if (n > 700) copy[n - 400] ^= 1; \\
  ssize_t done = next(f, copy, n, at); free(copy); return done; }
FLIP(pwrite) FLIP(pwrite64)
ssize_t write(int f, const void* from, size_t n) {
  ssize_t (*next)(int, const void*, size_t) = dlsym(RTLD_NEXT, "write");
  char* copy = malloc(n + 1); memcpy(copy, from, n); if (n > 700) copy[n - 400] ^= 1;
  ssize_t done = next(f, copy, n); free(copy); return done; }
""")
    made = subprocess.run(["cc", "-shared", "-fPIC", "-O1", "flip.c", "-o", "flip.so", "-ldl"], cwd=tmp_path, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    if form == "npy":
        np.save(tmp_path / "in.npy", FIELD)
    else:
        with dataset(tmp_path / "in.nc", {"z": 3, "y": 17, "x": 21}, form) as f:
            f.createVariable("v", "f8", ("z", "y", "x"))[:] = FIELD
    end = "npy" if form == "npy" else "nc"
    done = subprocess.run([os.environ["PARITY"], "filter", f"in.{end}", f"out.{end}", "--steps", "1"], cwd=tmp_path, capture_output=True,
                          text=True, env={**os.environ, "LD_PRELOAD": str(tmp_path / "flip.so")})
    assert done.returncode == 1 and "what is stored is not what was written" in done.stderr, (done.stdout, done.stderr)
    assert not (tmp_path / f"out.{end}").exists() and not list(tmp_path.glob("*partial*"))


@pytest.mark.parametrize("kind,agrees,differs", [
    ("i1", ["false", "FALSE", "0", 0], ["true", "True", "TRUE", "t", "yes", "1", 1, "maybe", 2]),
    ("i2", ["f"], ["true", np.int8(1)]), ("i4", ["no"], ["TRUE"]),
    ("u1", ["true", "True", "1", 1, "yes"], ["false", "False", "F", "0", 0, "no", "maybe"]),
    ("u2", ["TRUE"], ["false"]), ("u4", [np.int8(1)], [np.int8(0)])])
def test_unsigned_is_read_in_both_directions(parity, refused, tmp_path, kind, agrees, differs):
    for word in agrees + differs:
        with dataset(tmp_path / "in.nc", {"y": 12, "x": 12}) as f:
            v = f.createVariable("v", kind, ("y", "x"))
            v.set_auto_maskandscale(False)
            v.setncatts({"_Unsigned": word, "scale_factor": 0.5})
            v[:] = np.full((12, 12), 60)
        if word in differs and not any(word is a for a in agrees):
            refused("filter", "in.nc", "out.nc", "--steps", 1, says="is _Unsigned (")
            assert not (tmp_path / "out.nc").exists()
        else:
            assert parity("filter", "in.nc", "out.nc", "--steps", 1).returncode == 0
            os.unlink(tmp_path / "out.nc")


A, B = "alpha", "beta"  # names without a meaning


@pytest.mark.parametrize("attributes,coordinates,says", [
    ({"mesh": "mesh2d", "location": "face"}, {}, "v:mesh is 'mesh2d'"),
    ({"CDI_grid_type": "unstructured"}, {}, "v:CDI_grid_type"),
    ({"grid_mapping": "crs"}, {"crs": ((), {"grid_mapping_name": "healpix"})}, "crs:grid_mapping_name is 'healpix'"),
    ({}, {"lat": ((A,), {"units": "degrees_north"}), "lon": ((A,), {"units": "degrees_east"})}, "both lat and lon are along it"),
    ({"coordinates": "p q"}, {"p": ((B,), {"standard_name": "longitude"}), "q": ((B,), {"standard_name": "latitude"})}, "both q and p"),
    ({}, {"id": ((A,), {"cf_role": "timeseries_id"})}, "id:cf_role is 'timeseries_id'"),
    ({"featureType": "trajectoryProfile"}, {}, ":featureType"),
    ({"cdm_data_type": "Station"}, {}, ":cdm_data_type"),
    ({}, {A: ((A,), {"standard_name": "height"})}, "'alpha' is vertical (alpha:standard_name is 'height')"),
    ({}, {B: ((B,), {"standard_name": "ocean_s_coordinate_g1"})}, "'beta' is no horizontal axis"),
    ({}, {A: ((A,), {"standard_name": "time"})}, "'alpha' is time"),
    ({}, {A: ((A,), {"units": "days"})}, "'alpha' is time (alpha:units is 'days')"),
    ({}, {A: ((A,), {"axis": "z"})}, "'alpha' is vertical (alpha:axis is 'z')"),
    ({}, {A: ((A,), {"cartesian_axis": "T"})}, "'alpha' is time (alpha:cartesian_axis"),
    ({}, {A: ((A,), {"_CoordinateAxisType": "GeoZ"})}, "'alpha' is vertical (alpha:_CoordinateAxisType"),
    ({}, {A: ((A,), {"positive": "Down"})}, "'alpha' is vertical (alpha:positive"),
    ({}, {A: ((A,), {"compress": "lat lon"})}, "'alpha' is no horizontal axis (alpha:compress"),
    ({"coordinates": "zt"}, {"zt": ((B,), {"standard_name": "altitude"})}, "'beta' is vertical (zt:standard_name"),
    *(({}, {A: ((A,), {"units": units})}, f"'alpha' is {kind} (alpha:units is '{units}')") for kind, all_units in {
        "time": ["DAYS SINCE 2000-01-01", "days after 2000-01-01", "s @ 2000-01-01", "ms", "microseconds"],
        "vertical": ["level", "Layer", "sigma_level", "mb", "Pascal", "hectopascals", "HPA"]}.items() for units in all_units),
    ({"featuretype": "timeSeries"}, {}, ":featuretype is 'timeSeries'"),
    ({}, {A: ((A,), {"_CoordinateZisPositive": "up"})}, "'alpha' is vertical (alpha:_CoordinateZisPositive is 'up')"),
    ({}, {A: ((A,), {"Standard_Name": "Height"})}, "'alpha' is vertical (alpha:Standard_Name"),
    ({"coordinates": "p q"}, {"p": ((A,), {"units": "degrees"}), "q": ((A,), {"units": "degrees"})}, "both p and q are along it; q:units is 'degrees'"),
    ({}, {"lat": ((A,), {}), "lon": ((A,), {})}, "both lat and lon are along it"),
    ({}, {"p": ((A,), {"_CoordinateAxisType": "Lat"}), "q": ((A,), {"_CoordinateAxisType": "Lon"})}, "both p and q are along it; q:_CoordinateAxisType"),
    ({}, {"p": ((B,), {"standard_name": "projection_x_coordinate"}), "q": ((B,), {"standard_name": "projection_y_coordinate"})},
     "both q and p are along it; p:standard_name is 'projection_x_coordinate'"),
], ids=lambda v: v if isinstance(v, str) else "")
def test_dimensions_that_are_no_plane_are_refused(parity, refused, tmp_path, attributes, coordinates, says):
    with dataset(tmp_path / "in.nc", {"n": 2, A: 9, B: 8}) as f:
        for name, (dimensions, what) in coordinates.items():
            f.createVariable(name, "f8", dimensions).setncatts(what)
        f.createVariable("v", "f4", ("n", A, B))[:] = FIELD[:2, :9, :8]
        (f if set(attributes) & {"featureType", "featuretype", "CF:featureType", "cdm_data_type"} else f["v"]).setncatts(attributes)
    refused("filter", "in.nc", "out.nc", "--steps", 2, "--variable", "v", says=says)
    assert os.listdir(tmp_path) == ["in.nc"]
    refused("filter", "in.nc", "out.nc", "--steps", 2, "--variable", "v", "--plane", f"{B},{A}", says="its last two dimensions are alpha,beta")
    refused("filter", "in.nc", "out.nc", "--steps", 2, "--variable", "v", "--plane", A, says="its last two dimensions are alpha,beta")
    done = parity("filter", "in.nc", "out.nc", "--steps", 2, "--variable", "v", "--plane", f"{A},{B}", "--boundary", "x=periodic,y=periodic")
    assert done.returncode == 0, done.stderr
    assert error(stored(tmp_path / "out.nc"), FIELD[:2, :9, :8], 2) < 2e-5


@pytest.mark.parametrize("attributes,coordinates", [
    ({}, {A: ((A,), {"axis": "Y"}), B: ((B,), {"axis": "X"})}),
    ({"coordinates": "lat lon t"}, {"lat": ((A, B), {"units": "degrees_north"}), "lon": ((A, B), {"units": "degrees_east"}),
                                   "t": ((A,), {"units": "seconds since 2000-01-01", "axis": "T"})}),
    ({}, {A: ((A,), {"standard_name": "projection_y_coordinate", "units": "m"}), B: ((B,), {"standard_name": "grid_longitude", "units": "degrees"})}),
    ({"grid": "sgrid", "location": "face"}, {}),
    ({"CDI_grid_type": "gaussian"}, {A: ((A,), {"units": "degrees_north", "positive": "up"})}),
    ({"featureType": "grid"}, {}),
    ({"featureType": "profile"}, {A: ((A,), {"axis": "Y"}), B: ((B,), {"units": "degrees_east"})}),
    ({"coordinates": "n"}, {"n": (("n",), {"units": "days since 2000-01-01", "axis": "T"})}),
    ({"coordinates": "lat tilt"}, {"lat": ((A,), {"units": "degrees"}), "lon": ((B,), {"units": "degrees"}), "tilt": ((B,), {"units": "degrees"})}),
    ({}, {A: ((A,), {"units": "m from the coast"}), "latent": ((A,), {}), "longwave": ((A,), {})}),
], ids=["axis", "swath", "projection", "sgrid", "gaussian", "no feature", "features beside", "leading time", "angles apart", "other words"])
def test_planes_are_filtered(parity, tmp_path, attributes, coordinates):
    with dataset(tmp_path / "in.nc", {"n": 2, A: 9, B: 8}) as f:
        for name, (dimensions, what) in coordinates.items():
            f.createVariable(name, "f8", dimensions).setncatts(what)
        f.createVariable("v", "f4", ("n", A, B))[:] = FIELD[:2, :9, :8]
        (f if "featureType" in attributes else f["v"]).setncatts(attributes)
    done = parity("filter", "in.nc", "out.nc", "--steps", 2, "--variable", "v", "--boundary", "x=periodic,y=periodic")
    assert done.returncode == 0, done.stderr


def limited(path, kind, values, **attributes):
    """Raw stored numbers, on a plane whose result stays far from the limits."""
    with dataset(path, {"y": 16, "x": 20}) as f:
        v = f.createVariable("v", kind, ("y", "x"))
        v.set_auto_maskandscale(False)
        v.setncatts(attributes)
        v[:] = values


FLAT = np.full((16, 20), 6)  # the filter does not change it, so it may lie on a limit


@pytest.mark.parametrize("kind,values,attributes", [
    ("f4", FLAT / 10, {"valid_max": 0.6}), ("f4", FLAT / 10, {"valid_min": np.float32(0.6)}), ("f4", FLAT / 10, {"valid_range": np.array([0.6, 0.6])}),
    ("i2", FLAT * 10, {"scale_factor": 0.01, "valid_max": 0.6}), ("i2", FLAT * 10, {"scale_factor": np.float32(0.01), "valid_min": np.float32(0.6)}),
    ("i2", FLAT * 10, {"scale_factor": 0.01, "valid_max": np.int16(60)}), ("i2", FLAT * 10, {"scale_factor": 0.01, "valid_max": np.int32(100000)}),
    ("i2", FLAT * 10, {"scale_factor": -0.01, "add_offset": 1.0, "valid_range": np.array([0.4, 0.4])}),
    ("u1", FLAT * 10, {"scale_factor": 0.5, "add_offset": 273.15, "valid_range": np.array([200.0, 310.0])}),
    ("f4", FLAT / 10, {"missing_value": np.array([1e20, -99.99])}), ("f4", FLAT / 10, {"missing_value": np.array([np.nan, 1e300])}),
    ("f4", FLAT / 10, {"scale_factor": 2.0, "valid_max": 1.2}), ("f4", FLAT / 10, {"scale_factor": 2.0, "valid_max": np.float32(0.6)}),
], ids=str)
def test_a_value_on_its_limit_is_valid(parity, tmp_path, kind, values, attributes):
    limited(tmp_path / "in.nc", kind, values, **attributes)
    done = parity("filter", "in.nc", "out.nc", "--steps", 2)
    assert done.returncode == 0, done.stderr
    assert np.allclose(stored(tmp_path / "out.nc"), stored(tmp_path / "in.nc"), rtol=1e-6)


@pytest.mark.parametrize("kind,value,attributes,says", [
    ("f4", 7, {"valid_max": 6.5}, "(7, beyond its valid_max 6.5)"),
    ("f4", 7, {"valid_range": np.array([0, 6.5])}, "(7, beyond its valid_range 6.5)"),
    ("i2", 61, {"scale_factor": 0.01, "valid_max": np.int16(60)}, "(0.61 (stored 61), beyond its valid_max 60)"),
    ("i2", 61, {"scale_factor": -0.01, "add_offset": 1.0, "valid_min": 0.4}, "(0.39 (stored 61), beyond its valid_min 0.4)"),
    ("f4", 1e20, {"missing_value": 1e20}, "(1e+20, its missing_value)"),
    ("f8", 1e20, {"missing_value": np.float32(1e20)}, "(1.00000002e+20, its missing_value)"),
    ("f4", netCDF4.default_fillvals["f4"], {}, "(9.96920997e+36, its type's default _FillValue)"),
], ids=str)
def test_a_missing_value_is_named_with_its_attribute(refused, tmp_path, kind, value, attributes, says):
    values = FLAT.astype("f8")
    values[2, 3] = value
    limited(tmp_path / "in.nc", kind, values, **attributes)
    refused("filter", "in.nc", "out.nc", "--steps", 1, says="missing value at plane 0, row 2, column 3 " + says)


@pytest.mark.parametrize("attributes,says", [
    ({"scale_factor": np.float32(0.01), "valid_max": 0.6}, "valid_max of another type than its values and its scale_factor"),
    ({"scale_factor": 0.01, "valid_range": np.array([1, 2, 3], "i2")}, "has 3 numbers in valid_range"),
], ids=str)
def test_limits_of_unknown_units_are_refused(refused, tmp_path, attributes, says):
    limited(tmp_path / "in.nc", "i2", FLAT, **attributes)
    refused("filter", "in.nc", "out.nc", "--steps", 1, says=says)


@pytest.mark.parametrize("kind,value,attributes,says", [
    ("u1", 255, {"missing_value": np.int8(-1)}, "has missing_value -1, which"), ("i1", -1, {"missing_value": np.uint8(255)}, "has missing_value 255"),
    ("i2", -999, {"missing_value": np.uint16(64537)}, "has missing_value 64537"), ("i2", -9999, {"missing_value": -99.99}, "has missing_value -99.99"),
    ("i1", -56, {"valid_max": np.int16(200)}, "has valid_max 200"), ("i1", -56, {"valid_range": np.array([-100, 255], "i2")}, "has valid_range 255"),
    ("u1", 200, {"valid_min": np.int16(-128)}, "has valid_min -128"),
], ids=str)
def test_numbers_that_the_stored_type_cannot_hold_are_refused(refused, tmp_path, kind, value, attributes, says):
    values = FLAT.copy()
    values[2, 3] = value
    limited(tmp_path / "in.nc", kind, values, scale_factor=0.01, **attributes)
    refused("filter", "in.nc", "out.nc", "--steps", 1, says=says)
    assert os.listdir(tmp_path) == ["in.nc"]


def test_planes_of_missing_values_alone_are_counted(parity, tmp_path):
    field = FIELD.astype("f4")
    field[1] = np.nan
    field[2, 3, 4] = np.nan
    np.save(tmp_path / "in.npy", field)
    done = parity("filter", "in.npy", "out.npy", "--steps", 1, "--missing", "keep")
    assert done.returncode == 0 and "missing points: 1 plane\n  missing altogether, and left as it was: 1 plane\n" in done.stdout, done.stdout


def test_many_variables_take_time_in_proportion(parity, tmp_path):
    def seconds(count):
        with dataset(tmp_path / f"{count}.nc", {"y": 8, "x": 8}) as f:
            for k in range(count):
                v = f.createVariable(f"v{k}", "f4", ("y", "x"))
                v.units, v.coordinates = "K", "lat lon"
                if k == 3:
                    v[:] = FIELD[0, :8, :8]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = parity("filter", f"{count}.nc", "out.nc", "--steps", 1, "--variable", "v3")
        assert done.returncode == 0, done.stderr
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    few = seconds(200)
    assert seconds(2000) < 30 * few + 1  # a quadratic cost would take 100 times as long, and half a minute


def test_who_holds_a_lock_is_not_damaged(parity, refused, tmp_path):
    with dataset(tmp_path / "in.nc", {"y": 17, "x": 21}) as f:
        f.createVariable("v", "f8", ("y", "x"))[:] = FIELD[0]
    with netCDF4.Dataset(tmp_path / "in.nc", "a"):
        refused("filter", "in.nc", "out.nc", "--steps", 1, says="another program has it open for writing")
    with open(tmp_path / "in.nc", "r+b") as f:
        f.truncate(3000)
    refused("filter", "in.nc", "out.nc", "--steps", 1, says="it is damaged or cut short")
    assert os.listdir(tmp_path) == ["in.nc"]


def test_what_the_library_says_in_two_words_is_explained(parity, refused, tmp_path):
    hdf5_files.write(tmp_path / "in.nc", FIELD[0], killed=True)
    refused("filter", "in.nc", "out.nc", "--steps", 1, says="h5clear -s")
    with dataset(tmp_path / "in.nc", {"z": 3, "y": 17, "x": 21}) as f:
        f.createVariable("v", "f8", ("z", "y", "x"), fletcher32=True, chunksizes=(1, 17, 21))[:] = FIELD
    there = bytearray((tmp_path / "in.nc").read_bytes())
    there[there.find(FIELD[2].tobytes()) + 99] ^= 4
    (tmp_path / "in.nc").write_bytes(there)
    refused("filter", "in.nc", "out.nc", "--steps", 1, "--memory", 0.055, says="variable 'v' cannot be read at z 2")
    with dataset(tmp_path / "in.nc", {"n": 17}) as f:
        f.createVariable("v", "f8", ("n", "n"))[:] = FIELD[0, :, :17]
    refused("filter", "in.nc", "out.nc", "--steps", 1, says="one dimension twice")
    assert os.listdir(tmp_path) == ["in.nc"]


def test_files_without_an_order_of_creation_are_named(refused, tmp_path):
    hdf5_files.write(tmp_path / "in.nc", FIELD[0], order=False)
    done = refused("filter", "in.nc", "out.nc", "--steps", 1, says="in.nc: ")
    assert "no order of creation" in done.stderr and "nccopy" in done.stderr
    assert os.listdir(tmp_path) == ["in.nc"]


def test_chunks_in_memory_are_within_the_limit(tmp_path):
    """Chunks over all planes: the library would cache 31 MiB of them for each of input and output."""
    with dataset(tmp_path / "in.nc", {"t": 500, "y": 128, "x": 128}) as f:
        f.createVariable("v", "f4", ("t", "y", "x"), zlib=True, complevel=1, chunksizes=(500, 32, 32))[:] = np.ones((500, 128, 1)) * FIELD[0, 0, 0]

    def peak(memory):
        # A shell in between: the peak of a process starts with that of its parent.
        done = subprocess.run(["sh", "-c", f'"$PARITY" filter in.nc out.nc --steps 2 --timings --memory {memory}; exit $?'], cwd=tmp_path,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return float(re.search(r"peak memory +([\d.]+) MiB", done.stdout).group(1))

    assert peak(16) < 16 + 45  # 45 MiB for the program itself and for a chunk in transit
