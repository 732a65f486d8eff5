# SPDX-License-Identifier: BSD-3-Clause
"""NetCDF fields filtered by several ranks: the output of one process, complete or not at all."""
import os

import netCDF4
import numpy as np
import pytest
from mpirun import PARITY, all_have_begun, killed, limited, needs_mpi, ranks, said

pytestmark = [needs_mpi, pytest.mark.skipif(os.environ.get("PARITY_NETCDF", "ON") == "OFF", reason="this build has no NetCDF")]
COUNTS = [1, 3, 7]
CLASSIC = ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"]
TOGETHER = os.environ.get("PARITY_NETCDF_OF_ALL_RANKS", "OFF") not in ("OFF", "", "0")
needs_parallel = pytest.mark.skipif(not TOGETHER, reason="this build's NetCDF is one process's")
STEPS = ["--steps", 5, "--variant", "openmp-fused"]


def written(path, form, shape=(3, 5, 12, 9), records=False, dtype="f4", seed=1, gaps=False, **storage):
    """A field u, a packed field p with planes of odd size, and variables that are no fields; every plane has different values."""
    random = np.random.default_rng(seed)
    with netCDF4.Dataset(path, "w", format=form) as file:
        names = ["time", "lev", "y", "x"]
        for name, n in zip(names, shape):
            file.createDimension(name, None if records and name == "time" else n)
        file.createVariable("time", "f8", ("time",))[:] = np.arange(shape[0])
        u = file.createVariable("u", dtype, names, fill_value=-999.0 if gaps else None, **storage)
        values = 280 + random.standard_normal(shape)
        if gaps:
            values = np.ma.masked_array(values, np.zeros(shape, bool))
            values[1, 2, 3:5, 2] = values[2, 4, 0, 0] = np.ma.masked
        u[:] = values
        p = file.createVariable("p", "i2", names, **storage)
        p.scale_factor, p.add_offset = 0.001, 1.0
        p[:] = random.standard_normal(shape)
        file.createVariable("name", "i4", ("x",))[:] = np.arange(shape[-1])
        file.history = "made by a test"


def filtered(tmp_path, count, *options, name="in.nc"):
    out = tmp_path / f"out{count}.nc"
    done = ranks(tmp_path, count, PARITY, "filter", name, out.name, "--quiet", *STEPS, *options)
    assert done.returncode == 0 and said(done) == [], (done.stdout, done.stderr)
    return out


def contents(path):
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        return {name: (v.dtype, v.dimensions, v.filters(), v.chunking(), v.__dict__, v[:].tobytes()) for name, v in file.variables.items()}, file.__dict__


@pytest.mark.parametrize("form", CLASSIC)
@pytest.mark.parametrize("records", [False, True])
def test_a_classic_file_has_the_same_bytes(tmp_path, form, records):
    """Planes of an odd number of bytes, whose neighbours another rank would write, and dimensions that ranks split anywhere."""
    written(tmp_path / "in.nc", form, records=records, dtype="f8" if records else "f4")
    found = {filtered(tmp_path, count, "--variable", "p,u").read_bytes() for count in COUNTS}
    assert len(found) == 1
    assert found != {(tmp_path / "in.nc").read_bytes()}
    assert not list(tmp_path.glob("*partial*"))


def test_few_planes_and_missing_values(tmp_path):
    written(tmp_path / "in.nc", "NETCDF3_64BIT_OFFSET", gaps=True)
    found = {filtered(tmp_path, count, "--variable", "u", "--missing", "keep").read_bytes() for count in COUNTS}
    assert len(found) == 1
    with netCDF4.Dataset(tmp_path / "flat.nc", "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("y", 16), file.createDimension("x", 12)
        file.createVariable("u", "f4", ("y", "x"))[:] = np.random.default_rng(2).standard_normal((16, 12))
    assert len({filtered(tmp_path, count, name="flat.nc").read_bytes() for count in COUNTS}) == 1


@needs_parallel
@pytest.mark.parametrize("storage", [{}, {"chunksizes": (1, 1, 12, 9)}, {"zlib": True, "shuffle": True, "chunksizes": (1, 1, 6, 9)},
                                     {"zlib": True, "fletcher32": True, "chunksizes": (2, 3, 5, 4)}, {"endian": "big"},
                                     {"endian": "big", "zlib": True, "chunksizes": (2, 3, 5, 4)}])
@pytest.mark.parametrize("records", [False, True])
def test_netcdf_4_has_the_same_contents(tmp_path, storage, records):
    if records and "chunksizes" not in storage:
        pytest.skip("records are in chunks")
    written(tmp_path / "in.nc", "NETCDF4", records=records, **storage)
    expected = contents(filtered(tmp_path, 1, "--variable", "u,p"))
    assert expected != contents(tmp_path / "in.nc")
    for count in COUNTS[1:]:
        assert contents(filtered(tmp_path, count, "--variable", "u,p")) == expected, count


@pytest.mark.skipif(TOGETHER, reason="this build's NetCDF is one of several ranks")
def test_netcdf_4_of_one_process_says_what_to_do(tmp_path):
    written(tmp_path / "in.nc", "NETCDF4")
    done = ranks(tmp_path, 2, PARITY, "filter", "in.nc", "out.nc", "--variable", "u", *STEPS)
    assert done.returncode == 2 and len(said(done)) == 1, done.stderr
    assert "needs a parallel NetCDF library" in said(done)[0] and "nccopy -k cdf5" in said(done)[0]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.nc"]


FORMS = ["NETCDF3_64BIT_DATA", pytest.param("NETCDF4", marks=needs_parallel)]


@pytest.mark.parametrize("form", FORMS)
def test_what_is_wrong_is_said_once_and_leaves_nothing(tmp_path, form):
    written(tmp_path / "in.nc", form)
    with netCDF4.Dataset(tmp_path / "in.nc", "a") as file:
        file["u"][2, 4, 3, 1] = np.inf
    there = (tmp_path / "in.nc").read_bytes()
    for words, says in [(["--variable", "u"], "infinity at time 2, lev 4, row 3, column 1"), (["--variable", "q"], "has no variable 'q'"),
                        ([], "name one or several with --variable"), (["--variable", "time"], "dimension(s)")]:
        done = ranks(tmp_path, 3, PARITY, "filter", "in.nc", "out.nc", "--quiet", *STEPS, *words)
        assert done.returncode == 2 and len(said(done)) == 1 and says in said(done)[0], (words, done.stderr)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.nc"]
    assert (tmp_path / "in.nc").read_bytes() == there


@pytest.mark.parametrize("form", FORMS)
def test_a_killed_rank_leaves_nothing(tmp_path, form):
    written(tmp_path / "in.nc", form, shape=(2, 2, 64, 64))
    name = f"killed_{os.getpid()}.nc"
    killed(tmp_path, 2, 1, name, PARITY, "filter", "in.nc", name, "--variable", "u", "--steps", 1000000000, "--alpha", 1e-9,
           "--variant", "openmp-fused", when=lambda: all_have_begun(tmp_path, name), after=0.5)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.nc"]


@pytest.mark.parametrize("form", FORMS)
def test_a_rank_out_of_memory_ends_all(tmp_path, form):
    written(tmp_path / "in.nc", form, shape=(2, 2, 4000, 4000))
    done = limited(tmp_path, 2, 700000, PARITY, "filter", "in.nc", "out.nc", "--variable", "u", "--quiet", *STEPS)
    assert done.returncode in (2, 3) and len(said(done)) == 1 and "rank 1 of 2" in said(done)[0] and "memory" in said(done)[0], done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.nc"]
