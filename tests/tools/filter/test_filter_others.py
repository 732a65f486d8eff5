# SPDX-License-Identifier: BSD-3-Clause
"""Inputs from other users and folders that they may write to: only the output changes, and it gets no more permissions than it should."""
import os

import numpy as np
import pytest

needs_netcdf = pytest.mark.skipif(os.environ.get("PARITY_NETCDF", "1") in ("0", "OFF", ""), reason="built without NetCDF")
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="makes files of another user")
SOMEBODY = 12345


def bytes_of(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file() and not p.is_symlink()}


def field(path, **variables):
    """A NetCDF-4 file with variables of 8 x 9 points."""
    netCDF4 = pytest.importorskip("netCDF4")
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("y", 8), f.createDimension("x", 9)
        for name, value in variables.items():
            f.createVariable(name, "f4", ("y", "x"))[:] = value


@needs_netcdf
@pytest.mark.parametrize("wanted", ["there", "plain"])
@pytest.mark.parametrize("how", ["raw", "virtual", "linked file", "linked group"])
def test_an_input_names_no_file_that_an_output_writes(refused, tmp_path, how, wanted):
    """This holds for the filtered variable and all others; the output begins as a copy of the input."""
    field(tmp_path / "other.nc", there=2.0)
    import hdf5_files
    (tmp_path / "victim").write_bytes(b"precious" * 100)
    field(tmp_path / "in.nc", plain=1.0)
    if how == "raw":
        hdf5_files.add_elsewhere(tmp_path / "in.nc", "there", (8, 9), raw=tmp_path / "victim")
    elif how == "virtual":
        hdf5_files.add_elsewhere(tmp_path / "in.nc", "there", (8, 9), source=tmp_path / "other.nc")
    else:
        hdf5_files.change(tmp_path / "in.nc", ("H5Lcreate_external", tmp_path / "other.nc", "/there" if how == "linked file" else "/", "file",
                                               "there", 0, 0))
    before = bytes_of(tmp_path)
    refused("filter", "in.nc", "out.nc", "--variable", wanted, "--steps", 1, says="other file" if "linked" not in how else "another file")
    assert bytes_of(tmp_path) == before


@needs_netcdf
@pytest.mark.parametrize("calls,says", [
    ([("H5Lcreate_soft", "/nowhere", "file", "lost", 0, 0)], "'/lost' is a link that leads nowhere"),
    ([("H5Gcreate2", "file", "g", 0, 0, 0), ("H5Lcreate_hard", "file", "/g", "file", "/g/round", 0, 0)], "leads back to a group around it"),
    ([("H5Gcreate2", "file", "g", 0, 0, 0), ("H5Lcreate_soft", "/", "file", "/g/round", 0, 0)], "leads back to a group around it"),
], ids=["nowhere", "hard", "soft"])
def test_links_that_lead_nowhere_or_round(refused, tmp_path, calls, says):
    field(tmp_path / "in.nc", plain=1.0)
    import hdf5_files
    hdf5_files.change(tmp_path / "in.nc", *calls)
    refused("filter", "in.nc", "out.nc", "--variable", "plain", "--steps", 1, says=says)
    assert os.listdir(tmp_path) == ["in.nc"]


@needs_netcdf
@pytest.mark.parametrize("large", ["t", "lon"])
def test_a_chunk_is_measured_before_it_is_held(refused, tmp_path, large):
    """The file has a few kilobytes; a chunk of a compressed variable, or of its coordinates, takes a gigabyte."""
    netCDF4 = pytest.importorskip("netCDF4")
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as f:
        f.createDimension("time", None), f.createDimension("y", 8), f.createDimension("x", 8)
        for name in ("t", "lon"):
            v = f.createVariable(name, "f4", ("time", "y", "x"), zlib=True, chunksizes=(4_000_000 if name == large else 1, 8, 8))
            v.units = "degrees_east" if name == "lon" else "K"
        f["t"].coordinates = "lon"
    with netCDF4.Dataset(tmp_path / "in.nc", "a") as f:
        f[("lon" if large == "t" else "t")][:] = np.ones((1, 8, 8))
    assert os.stat(tmp_path / "in.nc").st_size < 50000
    refused("filter", "in.nc", "out.nc", "--variable", "t", "--steps", 1, "--memory", 200, says=f"holds a chunk of variable '{large}' whole, 976.6 MiB")
    assert os.listdir(tmp_path) == ["in.nc"]


@needs_root
@pytest.mark.parametrize("command", ["filter", "density", "trace", "measure"])
@pytest.mark.parametrize("kind", ["link", "file", "fifo"])
def test_what_others_put_into_a_shared_folder_is_no_output(refused, tmp_path, command, kind):
    shared = tmp_path / "shared"
    shared.mkdir(), shared.chmod(0o1777)
    target, output = tmp_path / "start-up", shared / ("out.jsonl" if command == "measure" else "out.npy")
    target.write_text("mine")
    {"link": lambda: output.symlink_to(target), "file": output.touch, "fifo": lambda: os.mkfifo(output)}[kind]()
    os.chown(output, SOMEBODY, SOMEBODY, follow_symlinks=False)
    np.save(tmp_path / "in.npy", np.random.default_rng(0).normal(size=(8, 9)).astype("f4"))
    np.save(tmp_path / "s.npy", np.arange(99.0))
    (tmp_path / "p.toml").write_text('variants = ["openmp-plane"]\n[axes]\nsize = [[8, 8, 1]]\nsteps = [2]\n[measure]\nrepeats = 2\n')
    arguments = {"filter": ["in.npy", output, "--steps", 1], "density": ["s.npy", output], "trace": ["--force", "--output", output, "true"],
                 "measure": ["p.toml", "--output", output]}[command]
    refused(command, *arguments, says="of another user (number 12345) in a folder where all may write")
    assert target.read_text() == "mine" and os.lstat(output).st_uid == SOMEBODY


def test_links_of_the_user_and_of_the_folders_owner_stay(parity, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir(), shared.chmod(0o1777)
    (shared / "out.npy").symlink_to(tmp_path / "real.npy")
    np.save(tmp_path / "in.npy", np.ones((8, 9), "f4"))
    assert parity("filter", "in.npy", shared / "out.npy", "--steps", 1).returncode == 0
    assert (shared / "out.npy").is_symlink() and (tmp_path / "real.npy").stat().st_size > 0


@needs_root
def test_a_strangers_file_gives_an_output_no_rights(parity, tmp_path):
    """It gets no more than a new file, and no more than before; a message names the previous owner."""
    np.save(tmp_path / "in.npy", np.ones((8, 9), "f4"))
    for mode, becomes in ((0o777, 0o644), (0o666, 0o644), (0o600, 0o600)):
        (tmp_path / "out.npy").touch()
        (tmp_path / "out.npy").chmod(mode), os.chown(tmp_path / "out.npy", SOMEBODY, SOMEBODY)
        done = parity("filter", "in.npy", "out.npy", "--steps", 1, umask=0o022)
        there = os.stat(tmp_path / "out.npy")
        assert done.returncode == 0 and there.st_mode & 0o777 == becomes and there.st_uid == 0
        assert done.stderr == "parity: out.npy: replaces a file and does not keep its owner (number 12345), group, access list and attributes\n"


def test_an_output_is_as_open_as_the_one_it_replaces(parity, tmp_path):
    """A new output is as open as any new file; a message says that other names of the old one remain."""
    np.save(tmp_path / "in.npy", np.ones((8, 9), "f4"))
    out, others = tmp_path / "out.npy", [g for g in os.getgroups() if g != os.getgid()] or ([1] if os.getuid() == 0 else [])
    for umask in (0o022, 0o077):
        assert parity("filter", "in.npy", "out.npy", "--steps", 1, umask=umask).returncode == 0
        assert out.stat().st_mode & 0o777 == 0o666 & ~umask
        out.unlink()
    out.touch()
    out.chmod(0o660)
    if others:
        os.chown(out, -1, others[0])
    os.link(out, tmp_path / "second.npy")
    try:
        os.setxattr(out, "user.source", b"campaign 7")
    except OSError:
        pass  # this file system does not support them
    before, names = out.stat(), os.listxattr(out)
    done = parity("filter", "in.npy", "out.npy", "--steps", 1, umask=0o077)
    assert done.returncode == 0 and done.stderr == "parity: out.npy: replaces a file and does not keep its other names, which have the old contents\n"
    after = out.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid) and os.listxattr(out) == names


def test_access_lists_are_kept_and_taken_over(parity, tmp_path):
    """A new output in a folder with a default ACL is like any new file there; a replaced one keeps its own ACL."""
    none = 0xFFFFFFFF
    acl = b"\2\0\0\0" + b"".join(tag.to_bytes(2, "little") + rights.to_bytes(2, "little") + who.to_bytes(4, "little")
                                 for tag, rights, who in ((1, 6, none), (2, 6, 1), (4, 4, none), (16, 6, none), (32, 0, none)))
    np.save(tmp_path / "in.npy", np.ones((8, 9), "f4"))
    try:
        os.setxattr(tmp_path, "system.posix_acl_default", acl)
    except OSError:
        pytest.skip("no access lists on this file system")
    (tmp_path / "any").touch()
    assert parity("filter", "in.npy", "out.npy", "--steps", 1, umask=0o077).returncode == 0
    for name in ("out.npy", "any"):
        assert os.getxattr(tmp_path / name, "system.posix_acl_access") == os.getxattr(tmp_path / "any", "system.posix_acl_access")
    os.setxattr(tmp_path / "out.npy", "system.posix_acl_access", acl)
    assert parity("filter", "in.npy", "out.npy", "--steps", 1).returncode == 0
    assert os.getxattr(tmp_path / "out.npy", "system.posix_acl_access") == acl
