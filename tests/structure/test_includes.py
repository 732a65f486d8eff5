# SPDX-License-Identifier: BSD-3-Clause
"""Includes run downwards: a file includes its own floor of the source layout and those below it. Only #include lines are read."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh", ".inc", ".def"}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
STUDIES = {p.parent.name for p in (ROOT / "miniapp").glob("*/variants.def")}
GROUND = {"runtime", "io", "host_device.hpp", "kokkos_compat.hpp"}
# What each folder of miniapp/ may include besides itself and the ground; 'top' is main, commands and the list of studies.
BELOW = {"top": {"analysis", "trace", "density", "filter", "harness", *STUDIES}, "analysis": {"harness", "trace"}, "density": {"kde", "harness"},
         "filter": {"diffusion", "harness"}, "harness": set(), "trace": set(), "ground": set(), **{study: {"harness"} for study in STUDIES}}


def floor(parts):
    """The floor of a path below miniapp/."""
    if parts[0] in GROUND:
        return "ground"
    return parts[0] if parts[0] in BELOW else "top"


def wrong(path, target):
    """Why 'path' may not include 'target', both relative to the top folder; empty if it may."""
    path, target = pathlib.PurePosixPath(path), pathlib.PurePosixPath(target)
    top, *parts = path.parts
    target_top, *target_parts = target.parts
    portable = "kokkos" in parts[:-1]
    if top == "variants" or portable and parts[0] in STUDIES:
        return wrong_of_variant(path, target)
    if target_top == "variants":
        return "only variants include variants"
    own, below = floor(parts), floor(target_parts)
    if below not in (own, "ground") and below not in BELOW[own]:
        return f"{own} stands below {below}"
    return "host code includes portable code" if "kokkos" in target_parts[:-1] and not portable else ""


def wrong_of_variant(path, target):
    """A variant sees contract and formulas of its study, what an entry is, the runtime, and its own side: not how it is measured."""
    top, *parts = target.parts
    if top == "variants" or "kokkos" in parts[:-1] and floor(parts) != "ground":
        own = path.parts[:2]  # variants/cuda, miniapp/kde
        return "" if target.parts[:2] == own and (top == "miniapp" or target.parts[2] in (path.parts[2], "runtime")) else "another side's file"
    if floor(parts) == "ground":
        return "a variant reads no files" if parts[0] == "io" else ""
    if parts[0] == "harness":
        return "" if parts[1] in ("entry.hpp", "variant.hpp") else "a variant does not know how it is measured"
    study = path.parts[1] if path.parts[0] == "miniapp" else "diffusion" if path.parts[1] == "cupy" else path.parts[2]
    return "" if parts[0] == study and parts[1] != "study.hpp" else "not of the variant's study"


def includes():
    """(includer, included) of our own files, relative to the top folder."""
    for path in sorted(p for top in ("miniapp", "variants") for p in (ROOT / top).rglob("*") if p.suffix in SUFFIXES):
        for name in INCLUDE.findall(path.read_text()):
            for folder in (path.parent, ROOT / "miniapp", ROOT / "variants"):
                if (folder / name).is_file():
                    yield path.relative_to(ROOT).as_posix(), (folder / name).resolve().relative_to(ROOT).as_posix()
                    break


def test_includes_run_downwards():
    pairs = list(includes())
    assert len(pairs) > 400
    assert not [(why, path, target) for path, target in pairs if (why := wrong(path, target))]


def test_native_variants_include_no_kokkos():
    for path in (p for top in ("cuda", "openmp") for p in (ROOT / "variants" / top).rglob("*") if p.suffix in SUFFIXES):
        assert not [name for name in INCLUDE.findall(path.read_text()) if "kokkos" in name.lower()], path
