# SPDX-License-Identifier: BSD-3-Clause
"""Closed edges of parity filter compared with a plain loop without flow over these edges, and the edges that a file implies."""
import itertools
import os

import numpy as np
import pytest
from mpirun import PARITY, needs_mpi, ranks, said
from test_filter import TOLERANCE, masked_reference

pytestmark = pytest.mark.usefixtures("two_threads")
BOTH = list(itertools.product(["periodic", "closed"], repeat=2))


def options(x, y):
    return ["--boundary", f"x={x},y={y}"]


def loop(field, steps, x, y, alpha=1 / 64):
    """Sums the differences to the four neighbours; there is none across a closed edge."""
    phi = np.array(field, dtype=np.float64)

    def laplacian(f):
        total = np.zeros_like(f)
        for axis, kind in ((-1, x), (-2, y)):
            flow = np.roll(f, -1, axis) - f  # across the edge after each point
            if kind == "closed":
                np.moveaxis(flow, axis, 0)[-1] = 0
            total += flow - np.roll(flow, 1, axis)
        return total

    for _ in range(steps):
        phi = phi - alpha * laplacian(laplacian(phi))
    return phi


@pytest.mark.parametrize("dtype,shape", list(itertools.product(["f4", "f8"], [(3, 17, 33), (2, 40, 21), (5, 7), (2, 1, 9), (9, 1)])))
@pytest.mark.parametrize("x,y", BOTH)
@pytest.mark.parametrize("steps", [1, 12, 1025])
def test_agrees_with_a_loop_and_keeps_the_sum(parity, refused, tmp_path, dtype, shape, x, y, steps):
    field = np.random.default_rng(steps).normal(size=shape).astype(dtype)
    np.save(tmp_path / "in.npy", field)
    if shape[-2] == 1 and y == "periodic" or shape[-1] == 1 and x == "periodic":
        refused("filter", "in.npy", "out.npy", "--steps", steps, *options(x, y), says="smaller than its halo")
        return
    done = parity("filter", "in.npy", "out.npy", "--steps", steps, *options(x, y))
    assert done.returncode == 0, done.stderr
    result, scale = np.load(tmp_path / "out.npy"), np.abs(field).max()
    assert result.dtype == field.dtype and result.shape == shape
    assert np.abs(result - loop(field, steps, x, y)).max() < TOLERANCE[dtype] * scale
    sums = np.abs(result.sum((-2, -1), dtype="f8") - field.sum((-2, -1), dtype="f8"))
    assert sums.max() < TOLERANCE[dtype] * scale * shape[-1] * shape[-2]


@pytest.mark.parametrize("variant", ["reference-loop", "kokkos-fused", "kokkos-temporal", "kokkos-plane", "openmp-temporal"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_any_variant_serves(parity, tmp_path, variant, dtype):
    field = np.random.default_rng(2).normal(size=(3, 19, 23)).astype(dtype)
    np.save(tmp_path / "in.npy", field)
    done = parity("filter", "in.npy", "out.npy", "--steps", 9, "--variant", variant, *options("closed", "closed"))
    assert done.returncode == 0, done.stderr
    assert np.abs(np.load(tmp_path / "out.npy") - loop(field, 9, "closed", "closed")).max() < TOLERANCE[dtype] * np.abs(field).max()


@pytest.mark.parametrize("x,y", BOTH)
def test_closed_edges_with_missing_points_in_groups_of_planes(parity, tmp_path, x, y):
    field = np.random.default_rng(5).normal(size=(6, 21, 15))
    field[1, 0, 3], field[4, 5:8, 14] = np.nan, np.nan
    np.save(tmp_path / "in.npy", field)
    for name, memory in (("whole.npy", []), ("groups.npy", ["--memory", 0.09 * 2 ** [x, y].count("closed")])):
        done = parity("filter", "in.npy", name, "--steps", 9, "--missing", "keep", *options(x, y), *memory)
        assert done.returncode == 0 and "missing points: 2 planes" in done.stdout, done.stderr
    assert int(done.stdout.split(" at a time")[0].split()[-2]) < 6
    result, around = np.load(tmp_path / "whole.npy"), [(0, 0), (0, int(y == "closed")), (0, int(x == "closed"))]
    assert np.array_equal(result, np.load(tmp_path / "groups.npy"), equal_nan=True)
    expected = masked_reference(np.pad(field, around, constant_values=np.nan), 9)[:, :21, :15]
    assert np.array_equal(np.isnan(result), np.isnan(field)) and np.nanmax(np.abs(result - expected)) < 1e-13


def test_memory_counts_mirrored_planes(refused, tmp_path):
    np.save(tmp_path / "in.npy", np.zeros((2, 2000, 3000), "f4"))
    needs = []
    for x, y, words in (("periodic", "periodic", " needs"), ("periodic", "closed", ", mirrored at closed edges, needs"),
                        ("closed", "closed", ", mirrored at closed edges, needs")):
        done = refused("filter", "in.npy", "out.npy", "--steps", 2, "--memory", 1, *options(x, y), says=f"one plane of 3000 x 2000{words}")
        needs.append(float(done.stderr.split(" needs ")[1].split()[0]))
    plane = 2000 * 3000 * 4 / 2**20  # two for the field, two for gaps, and two for the file's order if axes are mirrored
    assert needs == pytest.approx([4 * plane, (8 + 2) * plane, (16 + 2) * plane], rel=0.05)


@pytest.mark.parametrize("words,says", [
    ("x=open", "x=open not in {x=periodic,x=closed,y=periodic,y=closed}"), ("y=closed,z=closed", "z=closed not in {"),
    ("x=closed,x=periodic", "names an axis twice"), ("y=closed,x=closed,y=closed", "names an axis twice"),
])
def test_bad_edges_are_refused(refused, tmp_path, words, says):
    np.save(tmp_path / "in.npy", np.ones((8, 8)))
    refused("filter", "in.npy", "out.npy", "--steps", 1, f"--boundary={words}", says=says)
    assert os.listdir(tmp_path) == ["in.npy"]


@pytest.mark.parametrize("shape", [(1, 100), (1, 1)])
def test_a_plane_that_is_too_short_is_named_as_it_is(refused, tmp_path, shape):
    np.save(tmp_path / "in.npy", np.ones(shape))
    refused("filter", "in.npy", "out.npy", "--steps", 1, "--boundary", "x=closed", says=f"a plane of {shape[1]} x 1 points")


def test_the_default_takes_checkerboards_away(parity, tmp_path):
    j, i = np.mgrid[:10, :12]
    np.save(tmp_path / "in.npy", (-1.0) ** (i + j))
    for words, left, says in (([], 0, "25% along x or y, 0% along both"), (["--alpha", 1 / 32], 1, "6.25% along x or y, 100% along both")):
        done = parity("filter", "in.npy", "out.npy", "--force", "--steps", 1 if left == 0 else 4, *words)
        assert done.returncode == 0 and f"left of waves of 2 grid points: {says if left else says.replace('25%', '75%')}" in done.stdout, done.stdout
        assert np.abs(np.abs(np.load(tmp_path / "out.npy")) - left).max() < 1e-14


# --- edges in a NetCDF file ---------------------------------------------------------------------------------------------------------

def axis(name, values, **attributes):
    return name, np.asarray(values, "f8"), attributes


def once_round(n, first=0.0):
    return first + np.arange(n) * 360 / n


LAT = axis("lat", np.linspace(-87, 87, 15), units="degrees_north")
RLON = axis("rlon", np.linspace(-20, 20, 18), units="degrees", standard_name="grid_longitude", axis="X")
RLAT = axis("rlat", np.linspace(-10, 12, 15), units="degrees", standard_name="grid_latitude", axis="Y")
FILES = {
    "global": (LAT, axis("lon", once_round(18), units="degrees_east"), "periodic in x ('lon' goes once round), closed in y ('lat' is a latitude)"),
    "global, -180 to 180, westwards": (LAT, axis("lon", once_round(18, -180)[::-1], standard_name="longitude", units="degrees"), "periodic in x ("),
    "global, 0 to 180 to 0": (LAT, axis("lon", (once_round(18) + 180) % 360 - 180, units="degree_E"), "periodic in x ("),
    "global, finer in the west": (LAT, axis("lon", [*range(0, 240, 15), 240, 300], units="degrees_east"), "periodic in x ("),
    "regional": (axis("lat", np.linspace(35, 60, 15), units="degrees_north"), axis("lon", np.linspace(-10, 24, 18), units="degrees_east"),
                 "closed in x ('lon' covers 34 of 360 degrees), closed in y ('lat' is a latitude)"),
    "rotated pole": (RLAT, RLON, "closed in x ('rlon' covers 40 of 360 degrees), closed in y ('rlat' is a latitude)"),
    "rotated pole, global": (RLAT, axis("rlon", once_round(18, 10), units="degrees", standard_name="grid_longitude"), "periodic in x ("),
    "projected": (axis("y", np.arange(15) * 1e3, units="m", standard_name="projection_y_coordinate"), axis("x", np.arange(18) * 1e3, units="m", axis="X"),
                  "closed in x ('x' is in 'm'), closed in y ('y' is in 'm')"),
    "geostationary": (axis("y", np.linspace(-.1, .1, 15), units="rad"), axis("x", np.linspace(-.1, .1, 18), units="rad"), "closed in x ('x' covers 11.46 of"),
    "longitudes first": (axis("lon", once_round(15), units="degrees_east"), axis("lat", np.linspace(-80, 80, 18), units="degrees_north"),
                         "closed in x ('lat' is a latitude), periodic in y ('lon' goes once round)"),
    "NetCDF-Java": (axis("y", LAT[1], _CoordinateAxisType="Lat"), axis("x", once_round(18), _CoordinateAxisType="Lon"),
                    "periodic in x ('x' goes once round), closed in y ('y' is a latitude)"),
    "GFDL": (axis("y", LAT[1], cartesian_axis="Y"), axis("x", once_round(18), units="degrees", cartesian_axis="X"),
             "periodic in x ('x' goes once round), closed in y (nothing says that its coordinate 'y' goes round)"),
    "names": (axis("lat", LAT[1], long_name="latitude"), axis("x", once_round(18), long_name="Longitude"),
                    "periodic in x ('x' goes once round), closed in y ('lat' is a latitude)"),
    "GFDL, by name": (axis("latitude", LAT[1], cartesian_axis="Y"), axis("lon", once_round(18), cartesian_axis="X"),
                      "periodic in x ('lon' goes once round), closed in y ('latitude' is a latitude)"),
    **{f"units {east}": (axis("y", LAT[1], units=north), axis("x", once_round(18), units=east),
                         "periodic in x ('x' goes once round), closed in y ('y' is a latitude)")
       for east, north in (("Degrees_East", "Degrees_North"), ("degE", "degN"), ("degrees_E", "degrees_N"), ("DEGREE_EAST", "degree north"),
                                  ("\u00b0E", "\u00b0 N"), ("\u00baE ", "\u00baN"))},
    "kelvin": (axis("y", np.arange(15), units="degree_kelvin"), axis("x", once_round(18), units="deg", axis="X"),
               "periodic in x ('x' goes once round), closed in y ('y' is in 'degree_kelvin')"),
    "xarray": (axis("lat", LAT[1]), axis("lon", once_round(18)),
               "closed in x (nothing says that its coordinate 'lon' goes round), closed in y (nothing says that its coordinate 'lat' goes round)"),
}


def write(path, y, x, form="NETCDF4", shape=(), dtype="f4", **two_dimensional):
    """A field v on these axes. two_dimensional: coordinates on both axes, with their units."""
    netCDF4 = pytest.importorskip("netCDF4")
    field = np.random.default_rng(7).normal(size=(*shape, len(y[1]), len(x[1]))).astype(dtype)
    with netCDF4.Dataset(path, "w", format=form) as f:
        for k, n in enumerate(shape):
            f.createDimension(f"d{k}", n)
        for name, values, attributes in (y, x):
            f.createDimension(name, len(values))
            if not two_dimensional or attributes:
                f.createVariable(name, "f8", (name,)).setncatts(attributes)
                f[name][:] = values
        for name, (values, units) in two_dimensional.items():
            f.createVariable(name, "f4", (y[0], x[0])).units = units
            f[name][:] = values
        v = f.createVariable("v", dtype, (*(f"d{k}" for k in range(len(shape))), y[0], x[0]))
        v[:] = field
        if two_dimensional:
            v.coordinates = " ".join(reversed(two_dimensional))
    return field


def values_of(path):
    netCDF4 = pytest.importorskip("netCDF4")
    with netCDF4.Dataset(path) as f:
        return np.asarray(f["v"][:])


needs_netcdf = pytest.mark.skipif(os.environ.get("PARITY_NETCDF", "1") in ("0", "OFF", ""), reason="built without NetCDF")


def filtered(parity, tmp_path, field, *words):
    """Returns the message about the edges, after a check of the result against the loop with these edges."""
    done = parity("filter", "in.nc", "out.nc", "--steps", 6, "--variable", "v", *words)
    assert done.returncode == 0, done.stderr
    said_of = " ".join(done.stdout.split("alpha 0.015625\n")[1].split("\n  diffusion/")[0].split())
    both = said_of.split(" in x and y")[0] if " in x and y" in said_of else None
    x, y = (both, both) if both else (said_of.split(" in x")[0], said_of.split("), ")[1].split(" in y")[0])
    assert np.abs(values_of(tmp_path / "out.nc") - loop(field, 6, x, y)).max() < 2e-5 * np.abs(field).max()
    return said_of


@needs_netcdf
@pytest.mark.parametrize("name", FILES)
def test_the_default_is_what_the_file_says(parity, tmp_path, name):
    y, x, says = FILES[name]
    assert says in filtered(parity, tmp_path, write(tmp_path / "in.nc", y, x))


@needs_netcdf
@pytest.mark.parametrize("name,lon,x,y", [
    ("round the globe", lambda j, i: i * 20 + j, "periodic in x ('lon' goes once round)", "closed in y ('lon' covers 14 of 360 degrees)"),
    ("a region", lambda j, i: i * 2.0 + j, "closed in x ('lon' covers 34 of 360 degrees)", "closed in y ("),
    ("over the pole", lambda j, i: np.degrees(np.arctan2(j - 6.6, i - 8.4)), "closed in x ('lon' covers", "closed in y ("),
])
def test_longitudes_of_two_dimensions_decide(parity, tmp_path, name, lon, x, y):
    j, i = np.mgrid[:15, :18]
    field = write(tmp_path / "in.nc", axis("y", j[:, 0]), axis("x", i[0], units="1"), lat=(j * 1.0, "degrees_north"), lon=(lon(j, i), "degrees_east"))
    edges = filtered(parity, tmp_path, field)
    assert edges.startswith(x) and f"), {y}" in edges, edges


@needs_netcdf
@pytest.mark.parametrize("gaps", ["fill", "nan", "ends", "none"])
def test_longitudes_that_nothing_names_or_that_are_missing(parity, tmp_path, gaps):
    netCDF4 = pytest.importorskip("netCDF4")
    j, i = np.mgrid[:15, :18]
    lon = np.where({"ends": (i < 2) | (i > 15), "none": i < 0}.get(gaps, (i == 5) | (i + j == 9)), np.nan if gaps == "nan" else 1e20, i * 20.0)
    field = write(tmp_path / "in.nc", axis("y", j[:, 0]), axis("x", i[0]), lat=(j * 10.0 - 70, "degrees_north"), lon=(lon, "degrees_east"))
    with netCDF4.Dataset(tmp_path / "in.nc", "a") as f:
        f["lon"].missing_value = np.float32(1e20)
        if gaps == "none":
            f["v"].delncattr("coordinates")
    assert filtered(parity, tmp_path, field).startswith("periodic in x ('lon' goes once round), closed in y (")


@needs_netcdf
def test_a_plane_with_time_says_so(parity, tmp_path):
    time = axis("time", np.arange(15), units="days since 2000-01-01")
    field = write(tmp_path / "in.nc", time, axis("lon", once_round(18), units="degrees_east"))
    assert "closed in y ('time' is time (time:units is 'days since 2000-01-01')" in filtered(parity, tmp_path, field, "--plane", "time,lon")


@needs_netcdf
def test_a_repeated_meridian_is_refused_unless_told(parity, refused, tmp_path):
    field = write(tmp_path / "in.nc", LAT, axis("lon", np.linspace(0, 360, 19), units="degrees_east"))
    refused("filter", "in.nc", "out.nc", "--steps", 6, says="'lon' goes round and repeats its first values: leave the last ones out (ncks -d), or say")
    assert os.listdir(tmp_path) == ["in.nc"]
    assert filtered(parity, tmp_path, field, "--boundary", "x=closed") == "closed in x (--boundary), closed in y ('lat' is a latitude)"
    assert filtered(parity, tmp_path, field, "--boundary", "y=periodic,x=periodic") == "periodic in x and y (--boundary)"


# --- several ranks -----------------------------------------------------------------------------------------------------------------

@needs_mpi
def test_ranks_write_what_one_process_writes(tmp_path):
    field = np.random.default_rng(8).normal(size=(5, 23, 17)).astype("f4")
    field[2, 0, 4] = field[4, 9, 16] = np.nan
    np.save(tmp_path / "in.npy", field)
    words = ["--steps", 1025, "--missing", "keep", "--quiet", *options("closed", "closed")]
    found = set()
    for count in (1, 3, 4):
        done = ranks(tmp_path, count, PARITY, "filter", "in.npy", "out.npy", "--force", *words, "--variant", "openmp-fused")
        assert done.returncode == 0 and said(done) == [], done.stderr
        found.add((tmp_path / "out.npy").read_bytes())
    assert len(found) == 1
    expected = masked_reference(np.pad(field, [(0, 0), (0, 1), (0, 1)], constant_values=np.nan), 1025)[:, :23, :17]
    assert np.nanmax(np.abs(np.load(tmp_path / "out.npy") - expected)) < 2e-5 * np.nanmax(np.abs(field))


@needs_mpi
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("x,y", [("closed", "periodic"), ("closed", "closed")])
def test_ranks_that_share_each_plane_close_its_edges(tmp_path, dtype, x, y):
    field = np.random.default_rng(10).normal(size=(2, 75, 45)).astype(dtype)
    np.save(tmp_path / "in.npy", field)
    for count in (3, 4):
        done = ranks(tmp_path, count, PARITY, "filter", "in.npy", "out.npy", "--force", "--steps", 27, "--quiet", "--variant", "openmp-temporal", *options(x, y))
        assert done.returncode == 0 and f"by {count} ranks together" in done.stdout, done.stderr
        assert np.abs(np.load(tmp_path / "out.npy") - loop(field, 27, x, y)).max() < TOLERANCE[dtype] * np.abs(field).max()


@needs_mpi
@needs_netcdf
def test_ranks_take_the_edges_that_the_file_says(tmp_path):
    y, x, says = FILES["rotated pole"]
    field = write(tmp_path / "in.nc", y, x, "NETCDF3_64BIT_DATA", (3, 2), "f8")
    found = set()
    for count in (1, 3, 4):
        done = ranks(tmp_path, count, PARITY, "filter", "in.nc", "out.nc", "--force", "--steps", 7, "--quiet", "--variable", "v", "--variant", "openmp-fused")
        assert done.returncode == 0 and said(done) == [] and says in done.stdout, done.stderr
        found.add((tmp_path / "out.nc").read_bytes())
    assert len(found) == 1
    assert np.abs(values_of(tmp_path / "out.nc") - loop(field, 7, "closed", "closed")).max() < 1e-13 * np.abs(field).max()


@needs_netcdf
@pytest.mark.parametrize("filler,share", [(0, 0.1), (0, 0.3), (0, 0.6), (-1, 0.1), (9999, 0.3)])
def test_longitudes_left_out_anywhere_are_none(parity, tmp_path, filler, share):
    j, i = np.mgrid[0:30, 0:72]
    lon = np.where(np.random.default_rng(3).random(j.shape) < share, filler, i * 5.0 + 1)
    field = write(tmp_path / "in.nc", axis("y", range(30)), axis("x", range(72)), lon=(lon, "degrees_east"))
    assert filtered(parity, tmp_path, field).startswith("periodic in x ('lon' goes once round)")


@needs_netcdf
@pytest.mark.parametrize("blocks", [[(slice(0, 6), slice(0, 7))], [(slice(0, 6), slice(0, 7)), (slice(5, 10), slice(6, 18)), (slice(10, 15), slice(0, 4))]])
def test_zeros_of_left_out_processors_are_no_longitudes(parity, tmp_path, blocks):
    """Ocean models write such zeros over land."""
    j, i = np.mgrid[0:15, 0:18]
    lon, lat = i * 20.0 + 1, -80 + 10.0 * j
    for block in blocks:
        lon[block] = lat[block] = 0
    field = write(tmp_path / "in.nc", axis("y", range(15)), axis("x", range(18)), lon=(lon, "degrees_east"), lat=(lat, "degrees_north"))
    assert filtered(parity, tmp_path, field).startswith("periodic in x ('lon' goes once round)")
