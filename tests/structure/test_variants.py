# SPDX-License-Identifier: BSD-3-Clause
"""A variant's kernel is in the file with its name: variants/<study>/<algorithm>/<cell>. The test only reads text."""
import pathlib
import re

import pytest

VARIANTS = pathlib.Path(__file__).resolve().parents[2] / "variants"
CELLS = {"kokkos": ".cpp", "kokkos_tuned": ".cpp", "cuda": ".cu", "cuda_tuned": ".cu", "openmp": ".cpp"}
KERNEL = re.compile(r"parallel_(for|reduce|scan)\(|__global__|<<<|#pragma omp (parallel|for|barrier)|cudaLaunch\w*\(|cudaGraphAdd\w*\(|KokkosBlas::|KokkosSparse::")
NO_CODE = re.compile(r"//.*|^#include.*", re.M)
LINE = re.compile(r'^PARITY_ALGORITHM\((\w+), "[^"]+", ((?:(?:first|tuned|further|only)\([\w, ]+\)(?:, )?)+)\)$', re.M)
GROUP = re.compile(r"(\w+)\(([\w, ]+)\)")  # a tier and its backends

# Their kernels are in other files: halo packing in the backend, the update of fused_exchange, the passes of temporal, code shared with 'parity density'.
ELSEWHERE = {("exchange", "kokkos"), ("exchange", "cuda"), ("exchange", "openmp"), *((a, cell) for a in ("fused_overlap", "fused_deep") for cell in ("kokkos", "cuda", "openmp")),
             ("temporal_exchange", "kokkos"), ("temporal_exchange", "kokkos_tuned"), ("temporal_exchange", "cuda_tuned"), ("temporal_exchange", "openmp"),
             ("transform", "kokkos"), ("transform_ranks", "kokkos"),
             ("binned", "kokkos")}


def tables():
    return sorted(VARIANTS.glob("*/algorithms.def"))


def listed():
    return [(t.parent / name, cell + "_tuned" * (tier == "tuned")) for t in tables() for name, groups in LINE.findall(t.read_text())
            for tier, cells in GROUP.findall(groups) for cell in cells.split(", ")]


def test_every_line_of_a_table_is_read():
    assert tables()
    for t in tables():
        assert len(LINE.findall(t.read_text())) == t.read_text().count("PARITY_ALGORITHM("), t


def test_every_cell_is_a_file_and_every_file_a_cell():
    assert {folder / (cell + CELLS[cell]) for folder, cell in listed()} == \
        {p for t in tables() for cell, suffix in CELLS.items() for p in t.parent.glob(f"*/{cell}{suffix}")}


@pytest.mark.parametrize("folder, cell", listed(), ids=lambda v: v.name if isinstance(v, pathlib.Path) else v)
def test_the_kernel_is_in_the_file(folder, cell):
    text = NO_CODE.sub("", (folder / (cell + CELLS[cell])).read_text())
    assert bool(KERNEL.search(text)) == ((folder.name, cell) not in ELSEWHERE), "a kernel or a call that launches one"


@pytest.mark.parametrize("folder", sorted({folder for folder, _ in listed()}), ids=lambda f: f.name)
def test_what_a_cell_is_made_of_has_its_own_name(folder):
    """GCC merges instances of a template's template: with two unnamed namespaces it takes one kernel for the other. A step is a plain type."""
    made = [name for p in folder.glob("*.cpp") for name in set(re.findall(r"with_(?!steps)\w+<(openmp::)?(?:\w+::)*([A-Z]\w*)[,>]", p.read_text()))]
    assert len(made) == len(set(made)), made


GLOBAL = re.compile(r"__global__\s+void\s+(?:__launch_bounds__\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*)?(\w+)\s*\(")


def test_a_profiler_can_tell_kernels_apart():
    """Each __global__ function has a unique name; CuPy's belong to another program."""
    files = [p for suffix in ("cu", "cuh") for p in VARIANTS.rglob(f"*.{suffix}") if "cupy" not in p.parts]
    texts = {p: re.sub(r"//.*", "", p.read_text()) for p in files}
    names = [name for text in texts.values() for name in GLOBAL.findall(text)]
    assert len(names) == sum(text.count("__global__") for text in texts.values()) > 60
    assert sorted({name for name in names if names.count(name) > 1 or name in ("kernel", "step")}) == []
