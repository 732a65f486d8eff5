# SPDX-License-Identifier: BSD-3-Clause
"""Programs for the answers to Kokkos' issues (variants/UPSTREAM.md): short, named on the page, and using only Kokkos."""
import pathlib
import re

VARIANTS = pathlib.Path(__file__).resolve().parents[2] / "variants"


def test_programs_are_short_and_need_kokkos_alone():
    programs, page = sorted((VARIANTS / "upstream").iterdir()), (VARIANTS / "UPSTREAM.md").read_text()
    assert [p.name for p in programs if f"`{p.name}`" not in page or p.read_text().count("\n") > 40] == [] and len(programs) == 4
    assert {i for p in programs for i in re.findall(r"#include (\S+)", p.read_text())} == {"<Kokkos_Core.hpp>", "<cstdio>"}
