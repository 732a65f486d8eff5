# SPDX-License-Identifier: BSD-3-Clause
"""No program or library loads others from the current folder: each element of a RUNPATH is absolute or begins with $ORIGIN."""
import os
import pathlib
import re
import subprocess

BUILD = pathlib.Path(os.environ["PARITY"]).parent


def runpaths(folder):
    """{file: elements of its RUNPATH} of loadable files below the folder, except for CMake's own probes."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink() and "CMakeFiles" not in path.parts and (os.access(path, os.X_OK) or ".so" in path.name):
            with open(path, "rb") as file:
                if file.read(4) != b"\x7fELF":
                    continue
            shown = subprocess.run(["readelf", "-d", path], text=True, capture_output=True, check=True, env={**os.environ, "LC_ALL": "C"}).stdout
            found[path.name] = [part for line in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", shown) for part in line.split(":")]
    return found


def test_what_is_built_and_installed_loads_nothing_from_the_current_folder(tmp_path):
    subprocess.run(["cmake", "--install", BUILD, "--prefix", tmp_path / "installed"], check=True, capture_output=True)
    for folder in (BUILD, tmp_path / "installed"):
        found = runpaths(folder)
        assert "parity" in found and ("libparity_trace.so" in found or not (BUILD / "libparity_trace.so").exists())
        wrong = {name: parts for name, parts in found.items() if not all(re.match(r"/|\$ORIGIN(/|$)|\$\{ORIGIN\}", part) for part in parts)}
        assert not wrong
