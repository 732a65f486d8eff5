# SPDX-License-Identifier: BSD-3-Clause
"""Includes run one way, and what the house forbids occurs nowhere; read from the sources alone."""
import functools
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = (".cpp", ".hpp", ".cu", ".cuh", ".inc", ".def")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
ANGLE = re.compile(r"^\s*#\s*include\s*<([^>]+)>", re.MULTILINE)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
STUDIES = sorted(p.parent.name for p in (ROOT / "miniapp").glob("*/variants.def"))


def files(folder, *suffixes):
    return sorted(p for p in (ROOT / folder).rglob("*") if p.is_file() and p.suffix in suffixes and "__pycache__" not in p.parts)


def code(path):
    """The text without comments; '//' inside a string ends no code."""
    return re.sub(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', lambda m: m.group(1) or "", path.read_text(), flags=re.DOTALL)


def name(path):
    return path.relative_to(ROOT).as_posix()


def resolved(path, include):
    """The included file: beside its includer, or under miniapp/ or variants/; None for a generated header."""
    for folder in (path.parent, ROOT / "miniapp", ROOT / "variants", ROOT):
        found = (folder / include).resolve()
        if found.is_file():
            return found
    assert include == "build_info.hpp", f"{name(path)} includes {include}, which is nowhere"
    return None


@functools.cache
def includes():
    """(includer, included) of every include of our own files."""
    found = set()
    for path in files("miniapp", *SOURCES) + files("variants", *SOURCES):
        for include in INCLUDE.findall(code(path)):
            target = resolved(path, include)
            if target:
                found.add((name(path), name(target)))
        for include in ANGLE.findall(code(path)):  # ours by the compiler's include path
            found.update((name(path), name(at)) for at in (ROOT / "miniapp" / include, ROOT / "variants" / include) if at.is_file())
    return sorted(found)


def floor_of(path):
    """The floor of a file of miniapp/: 'top', 'analysis', a study, 'harness' or 'ground'."""
    parts = path.split("/")
    assert parts[0] == "miniapp", path
    if len(parts) == 2:
        stem = parts[1].split(".")[0]
        return {"main": "top", "studies": "top", "host_device": "ground", "kokkos_compat": "ground"}[stem]
    return {"commands": "top", "analysis": "analysis", "trace": "trace", "harness": "harness", "runtime": "ground", "io": "ground"}.get(parts[1], parts[1])


# What each floor may include besides itself.
BELOW = {
    "top": {"analysis", "density", "filter", "harness", "ground", *STUDIES},
    "analysis": {"harness", "trace", "ground"},
    "density": {"kde", "harness", "ground"},
    "filter": {"diffusion", "harness", "ground"},
    **{study: {"harness", "ground"} for study in STUDIES},
    "harness": {"ground"},
    "trace": {"ground"},
    "ground": set(),
}


def wrong_includes(pairs):
    for path, target in pairs:
        if not path.startswith("miniapp/"):
            continue
        if not target.startswith("miniapp/"):
            yield path, target
            continue
        floor, below = floor_of(path), floor_of(target)
        if below != floor and below not in BELOW[floor]:
            yield path, target
        elif "/kokkos/" in target and "/kokkos/" not in path:  # plain host code
            yield path, target


def is_variant(path):
    """Native or portable; the portable side of density and filter serves an application."""
    return path.startswith("variants/") or any(path.startswith(f"miniapp/{study}/kokkos/") for study in STUDIES)


def reached(pairs, start):
    """All files that 'start' includes, by way of others too."""
    found, rest = set(), set(start)
    while rest:
        found |= rest
        rest = {target for path, target in pairs if path in rest} - found
    return found


def wrong_includes_of_variants(pairs):
    """A study's contract and arithmetic, the harness' entry and variant, the runtime, and their own folder."""
    for path, target in pairs:
        if not is_variant(path):
            continue
        folder, file = pathlib.PurePosixPath(target).parent, pathlib.PurePosixPath(target).name
        parts = path.split("/")
        if parts[0] == "miniapp":
            study, own = parts[1], target.startswith(f"miniapp/{parts[1]}/kokkos/")
        else:
            study = parts[2] if len(parts) > 3 else "diffusion" if parts[1] == "cupy" else ""
            own = target.startswith(f"variants/{parts[1]}/") and target.split("/")[2] in (study, "runtime")
        ground = target.startswith("miniapp/") and floor_of(target) == "ground" and not target.startswith("miniapp/io/")
        entry = str(folder) == "miniapp/harness" and file in ("entry.hpp", "variant.hpp")
        contract = str(folder) == f"miniapp/{study}" and file != "study.hpp"
        if not (own or ground or entry or contract):
            yield path, target


def test_the_sources_are_found():
    assert len(includes()) > 400 and ("miniapp/commands/export.cpp", "miniapp/analysis/pairs.hpp") in includes()
    assert {floor_of(p) for p, _ in includes() if p.startswith("miniapp/")} == set(BELOW)


def test_includes_run_one_way():
    assert not list(wrong_includes(includes()))


@pytest.mark.parametrize("path, target", [
    ("miniapp/runtime/clock.hpp", "miniapp/harness/statistics.hpp"), ("miniapp/harness/plan.cpp", "miniapp/kde/study.hpp"),
    ("miniapp/kde/study.cpp", "miniapp/diffusion/problem.hpp"), ("miniapp/analysis/explain.cpp", "miniapp/kde/problem.hpp"),
    ("miniapp/diffusion/study.cpp", "miniapp/analysis/pairs.hpp"), ("miniapp/harness/plan.cpp", "miniapp/studies.hpp"),
    ("miniapp/kde/study.cpp", "miniapp/density/density.hpp"), ("miniapp/diffusion/registry.cpp", "variants/openmp/diffusion/fused.hpp"),
    ("miniapp/kde/study.cpp", "miniapp/kde/kokkos/samples.hpp"), ("miniapp/host_device.hpp", "miniapp/harness/variant.hpp"), ("miniapp/analysis/pairs.cpp", "miniapp/commands/table.hpp"),
])
def test_an_include_upwards_is_seen(path, target):
    assert list(wrong_includes([(path, target)])) == [(path, target)]


def test_variants_include_contracts_arithmetic_runtime_and_their_own():
    assert list(wrong_includes_of_variants(includes())) == []


# What a variant may know of the harness, by way of its contract: what it is, never how it is measured.
KNOWN_OF_THE_HARNESS = {"entry.hpp", "variant.hpp", "verification.hpp"}


def wrong_knowledge(pairs):
    all_variants = {path for path, _ in pairs if is_variant(path)}
    return sorted(t for t in reached(pairs, all_variants) if t.startswith("miniapp/harness/") and t.split("/")[2] not in KNOWN_OF_THE_HARNESS)


def test_variants_know_nothing_of_plans_and_records():
    assert wrong_knowledge(includes()) == []


@pytest.mark.parametrize("path, target, known", [
    ("miniapp/diffusion/stencil.hpp", "miniapp/harness/study.hpp", "study.hpp"), ("miniapp/kde/gaussian.hpp", "miniapp/harness/plan.hpp", "plan.hpp"),
    ("miniapp/harness/entry.hpp", "miniapp/harness/records.hpp", "records.hpp")])
def test_knowledge_by_way_of_others_is_seen(path, target, known):
    assert f"miniapp/harness/{known}" in wrong_knowledge([*includes(), (path, target)])


@pytest.mark.parametrize("target", ["miniapp/harness/records.hpp", "miniapp/kde/study.hpp", "miniapp/diffusion/stencil.hpp", "miniapp/io/npy.hpp"])
def test_an_include_that_a_portable_variant_may_not_have_is_seen(target):
    path = "miniapp/kde/kokkos/kokkos_range.cpp"
    assert list(wrong_includes_of_variants([(path, target)])) == [(path, target)]


@pytest.mark.parametrize("target", ["miniapp/kde/study.hpp", "miniapp/kde/kokkos/team.hpp", "miniapp/diffusion/stencil.hpp",
                                    "miniapp/harness/records.hpp", "miniapp/analysis/pairs.hpp", "miniapp/io/npy.hpp",
                                    "variants/openmp/kde/direct.hpp", "variants/cuda/diffusion/tile.hpp", "miniapp/commands/table.hpp"])
def test_an_include_that_a_variant_may_not_have_is_seen(target):
    path = "variants/cuda/kde/register_tile.cu"
    assert list(wrong_includes_of_variants([(path, target)])) == [(path, target)]


def test_native_variants_include_no_kokkos():
    for path in files("variants/cuda", *SOURCES) + files("variants/openmp", *SOURCES):
        text = code(path)
        assert not [i for i in INCLUDE.findall(text) + ANGLE.findall(text) if "kokkos" in i.lower()], name(path)
        assert "Kokkos::" not in text and "KOKKOS_" not in text, name(path)


NAMES_OF_STUDIES = re.compile(r"\b(" + "|".join({*STUDIES, "density"} - {"launch"}) + r")\b|\blaunch\b(?! mechanism)")  # 'launch mechanism' is the harness' own word


def test_the_harness_names_no_study():
    """Kernels are named where records and plans of before are read: old_names.cpp and schema_1.cpp."""
    for path in files("miniapp/harness", *SOURCES):
        text = code(path)
        assert [s for s in STRING.findall(text) if NAMES_OF_STUDIES.search(s)] == [], name(path)
        assert not re.search(r"\b(diffusion|kde|launch|density|triad)::", text), name(path)
        if path.name not in ("old_names.cpp", "schema_1.cpp"):
            assert [s for s in STRING.findall(text) if re.search(r"\b(cuda|openmp|kokkos|cupy)-\w", s)] == [], name(path)


def test_only_one_file_looks_at_kokkos_version():
    found = {name(p) for folder in ("miniapp", "variants", "tests") for p in files(folder, *SOURCES) if "KOKKOS_VERSION" in code(p)}
    assert found == {"miniapp/kokkos_compat.hpp"}


def scripts():
    for path in files("jobs", ".sh", ".sbatch", ".py"):
        yield path, path.read_text()


def test_no_script_uses_eval():
    assert len(list(scripts())) > 20
    for path, text in scripts():
        lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
        assert not [line for line in lines if re.search(r"(^|[\s;&|(`])eval[\s(]|\bexec\(", line)], name(path)


LICENCE = "SPDX-License-Identifier: BSD-3-Clause"
def test_every_source_has_an_spdx_line():
    tracked = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=True).stdout.decode().split("\0")
    wanted = (*SOURCES, ".py", ".sh", ".sbatch", ".cmake", ".toml")
    paths = [ROOT / f for f in tracked if (f.endswith(wanted) or f.endswith("CMakeLists.txt") or f == ".ci/run")
             and not f.startswith("tests/fuzz/corpus/")]  # inputs, damaged on purpose
    assert len(paths) > 200
    assert not [name(p) for p in paths if p.is_file() and LICENCE not in "".join(p.read_text().splitlines(True)[:3])]


# Names that no other JSON of ours has.
FIELDS = ("host_seconds", "device_seconds", "setup_seconds", "capture_seconds", "record_seconds", "load_seconds", "store_seconds",
          "end_to_end_seconds", "verification", "tuning_axes", "floor_share", "floor_bytes", "pair_ceiling", "lower_quartile",
          "kokkos_default", "omp_threads")
FIELD = re.compile(rf"""["']({"|".join(FIELDS)})["']""")
WHO_KNOWS_FIELDS = {*(f"miniapp/harness/{f}.cpp" for f in ("measurement", "schema_1", "environment", "records")), "miniapp/commands/export.cpp",
                    "variants/cupy/measurement.py", "jobs/advise_check.py"}
# These are names of metrics as well, which the studies that have them name.
METRICS = {"floor_share", "pair_ceiling"}


def test_fields_of_records_are_named_in_one_place():
    found = {}
    for path in files("miniapp", *SOURCES) + files("variants", *SOURCES, ".py") + files("jobs", ".py", ".sh"):
        used = set(FIELD.findall(path.read_text())) - METRICS
        if used and name(path) not in WHO_KNOWS_FIELDS:
            found[name(path)] = used
    assert found == {}
    for known in WHO_KNOWS_FIELDS:
        assert (ROOT / known).is_file(), known


# Who speaks JSON: the types that are written and read, what one start of the program tells the next and rank 0 the others, the document of 'parity export',
# and who writes files of rows and tables.
JSON = ["miniapp/analysis/trace.cpp", "miniapp/commands/advise.cpp", "miniapp/commands/blocks.cpp", "miniapp/commands/export.cpp", "miniapp/commands/output_files.cpp", "miniapp/commands/sheet.cpp", "miniapp/commands/trace.cpp", "miniapp/harness/environment.cpp",
        "miniapp/harness/environment.hpp", "miniapp/harness/measurement.cpp", "miniapp/harness/measurement.hpp",
        "miniapp/harness/ranks.cpp", "miniapp/harness/records.cpp", "miniapp/harness/records.hpp", "miniapp/harness/schema_1.cpp", "miniapp/harness/schema_1.hpp"]


def test_json_is_spoken_in_few_places():
    speakers = [name(p) for p in files("miniapp", *SOURCES) + files("variants", *SOURCES) if "nlohmann" in code(p)]
    assert speakers == JSON
