# SPDX-License-Identifier: BSD-3-Clause
"""The price of each row in lines of code stands in variants/README.md as variants/lines.py counts it."""
import importlib.util
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("lines", ROOT / "variants/lines.py")
counter = importlib.util.module_from_spec(spec)
spec.loader.exec_module(counter)


@pytest.mark.parametrize("text, lines", [
    ("", 0), ("int a;\n\n  // words\nint b;  // words\n", 2), ("/* one\n two */\nint a; /* three */\nint b;\n", 2),
    ('#include "a.hpp"\n#include <b>\n#pragma once\n', 1), ('const char* s = "//";\nconst char* t = "/*"; int b; // "*/"\n', 2)])
def test_lines_hold_code(tmp_path, text, lines):
    path = tmp_path / "a.cpp"
    path.write_text(text)
    assert counter.lines(path) == lines


def test_every_twin_has_its_rows():
    """A portable row that names a twin has its pair in the table, and both files exist."""
    named = set()
    for path in (ROOT / "miniapp/diffusion/kokkos").glob("kokkos_*.cpp"):
        if "twin_of" in path.read_text():
            named.add(path)
    pairs = counter.pairs()
    assert {p for rows in pairs.values() for p in rows.values()} == named and len(named) > 25
    assert all(counter.source(twin) is None or counter.source(twin).is_file() for twins in pairs for twin in twins)
    assert sum("expert" in rows for rows in pairs.values()) >= 15


def test_what_both_sides_include_counts_for_neither():
    pairs = counter.pairs()["cuda-fused-2d", "openmp-fused"]
    own, everything = map(int, re.findall(r"\d+", counter.cell([pairs["expert"]], [counter.source("cuda-fused-2d")])))
    alone = int(re.findall(r"\d+", counter.cell([pairs["expert"]], []))[1])
    stencil = counter.lines(ROOT / "miniapp/diffusion/stencil.hpp")
    assert own == counter.lines(pairs["expert"]) < everything <= alone - stencil


def test_the_page_has_the_table():
    assert counter.table() in (ROOT / "variants/README.md").read_text(), "python3 variants/lines.py --write puts it there"


def test_the_table_is_put_in_its_place():
    page = f"before\n\n{counter.HEAD}\n|---|\n| old |\n\nafter\n"
    assert counter.with_table(page) == f"before\n\n{counter.table()}\n\nafter\n"


def test_a_fourth_study_is_small():
    """CONTRIBUTING.md says how many files and lines; studies.cpp stands for the two lines more in miniapp/studies.cpp."""
    files = [p for p in (ROOT / "tests/triad").rglob("*") if p.is_file() and p.name != "studies.cpp"]
    lines = sum(len(p.read_text().splitlines()) for p in files)
    more = len((ROOT / "tests/triad/studies.cpp").read_text().splitlines()) - len((ROOT / "miniapp/studies.cpp").read_text().splitlines())
    assert lines <= 300 and more <= 3
    words = " ".join((ROOT / "CONTRIBUTING.md").read_text().split())
    assert f"six new files of {lines} lines and two lines in one file more" in words and len(files) == 6
