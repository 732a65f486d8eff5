# SPDX-License-Identifier: BSD-3-Clause
"""Includes run downwards: a file includes its own layer of the source layout and lower ones. Only #include lines are read."""
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOPS = ROOT / "miniapp", ROOT / "variants", ROOT / "miniapp/include"
SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh", ".inc", ".def"}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
STUDIES = {p.parent.name for p in (ROOT / "variants").glob("*/algorithms.def")}
CLANG = next(filter(None, map(shutil.which, ("clang++", "clang++-15", "clang++-14"))), None)
BACKENDS = {"kokkos", "cuda", "openmp"}
TOOLS = {"filter", "density", "trace"}
GROUND = {"runtime", "io", "host_device.hpp", "kokkos_compat.hpp"}
# The folders that each folder of miniapp/ may include besides itself and the ground; 'top' is main and the list of studies.
BELOW = {"top": {"commands", "own", *STUDIES, "harness"}, "include": {"harness"}, "own": {"commands", "include", "harness"}, "commands": {"analysis", "harness"}, "analysis": {"harness"},
         "density": {"commands", "kde", "harness"}, "filter": {"commands", "diffusion", "harness"},
         "trace": {"commands", "analysis", "harness"}, "harness": set(), "ground": set(), **{study: {"harness"} for study in STUDIES}}


def floor(parts):
    """The layer of a path below miniapp/."""
    if parts[0] in GROUND:
        return "ground"
    if parts[0] == "tools":
        return parts[1] if parts[1] in TOOLS else "commands"
    if parts[0] == "variant_sources.hpp":
        return "commands"
    return parts[0] if parts[0] in BELOW else "top"


def side(path):
    """(study, folder, backend) of a path below variants/; None if it belongs to all of them."""
    top, *parts = path.parts[1:-1]
    if top == "backend":
        return (parts[1] if len(parts) > 1 and parts[1] in STUDIES else None), None, parts[0]
    if top == "cupy":
        return "diffusion", top, "cuda"
    stem = re.match(r"[a-z]*", path.name).group()
    return top, parts[0] if parts else None, stem if stem in BACKENDS else "cuda" if path.suffix in (".cu", ".cuh") else None


def wrong(path, target):
    """Why 'path' may not include 'target', both relative to the top folder; empty if it may."""
    path, target = pathlib.PurePosixPath(path), pathlib.PurePosixPath(target)
    top, *parts = path.parts
    target_top, *target_parts = target.parts
    portable = "kokkos" in parts[:-1] or path.name == "kokkos.hpp"
    if top == "variants":
        return wrong_of_variant(path, target)
    if target_top == "variants":
        return "" if portable and side(target)[0] in BELOW[floor(parts)] else "only users of a study include its variants"
    own, below = floor(parts), floor(target_parts)
    if below not in (own, "ground") and below not in BELOW[own]:
        return f"{own} stands below {below}"
    return "host code includes portable code" if "kokkos" in target_parts[:-1] and not portable else ""


def wrong_of_variant(path, target):
    """A variant may include its study's contract and formulas, the entry's definition, the runtime, its own folder and backend; no measuring code."""
    study, folder, backend = side(path)
    top, *parts = target.parts
    if top == "variants":
        other_study, other_folder, other_backend = side(target)
        if other_study not in (None, study) or None not in (backend, other_backend) and backend != other_backend:
            return "another side's file"
        return "" if other_folder in (None, folder) else "another algorithm's file"
    if "kokkos" in parts[:-1] and backend not in (None, "kokkos"):
        return "portable code"
    if floor(parts) == "ground":
        return "a variant reads no files" if parts[0] == "io" else ""
    if parts[0] == "harness":
        return "" if parts[1] == "variant.hpp" else "a variant does not know how it is measured"
    return "" if parts[0] == study and parts[1] != "study.hpp" else "not of the variant's study"


def included_by(path):
    """Our own files that a file includes."""
    for name in INCLUDE.findall(path.read_text()):
        for folder in (path.parent, *TOPS):
            if (folder / name).is_file():
                yield (folder / name).resolve()
                break


OF_TOOLS = re.compile(r"(mpi|netcdf|cupti|KokkosBlas|KokkosSparse|KokkosKernels)\w*")


def sources(*tops):
    return sorted(p for top in tops for p in (ROOT / top).rglob("*") if p.suffix in SUFFIXES)


def test_includes_run_downwards():
    pairs = [(a.relative_to(ROOT).as_posix(), b.relative_to(ROOT).as_posix()) for a in sources("miniapp", "variants") for b in included_by(a)]
    assert len(pairs) > 400
    assert not {(why, path, target) for path, target in pairs if (why := wrong(path, target))}


def test_quoted_includes_exist():
    """No build has all sources: those of CUPTI and CUDA are compiled only if these libraries exist."""
    quoted = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
    lost = {(p.relative_to(ROOT).as_posix(), name) for p in sources("miniapp", "variants") for name in quoted.findall(p.read_text())
            if not any((folder / name).is_file() for folder in (p.parent, *TOPS))}
    assert not lost


def test_the_core_knows_no_library_of_a_tool():
    """Only messages.cpp is compiled with MPI; only tools use NetCDF and CUPTI, only a variant uses Kokkos Kernels."""
    found = {p.relative_to(ROOT / "miniapp").as_posix() for p in sources("miniapp") for name in INCLUDE.findall(p.read_text()) if OF_TOOLS.match(name)}
    assert {name for name in found if not name.startswith("tools/")} == {"runtime/messages.cpp"}
    assert [p.name for p in sources("tests/core", "tests/ranks") if any(name.startswith("tools/") for name in INCLUDE.findall(p.read_text()))] == []


def test_native_variants_include_no_kokkos():
    native = {p for p in sources("variants") if side(p.relative_to(ROOT))[2] in ("cuda", "openmp")}
    assert len(native) > 100
    waiting, seen = list(native), set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        assert not [name for name in INCLUDE.findall(path.read_text()) if "kokkos" in name.lower()], path
        waiting += included_by(path)


@pytest.mark.skipif(not CLANG, reason="no Clang is installed")
@pytest.mark.parametrize("standard", [17, 20])
def test_the_studies_compile_with_clang(standard):
    subprocess.run([CLANG, f"-std=c++{standard}", "-fsyntax-only", "-Iminiapp", "miniapp/studies.cpp"], cwd=ROOT, check=True)
