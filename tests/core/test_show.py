# SPDX-License-Identifier: BSD-3-Clause
"""parity show: the two kernels of a pair, from the compiled sources."""
import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def show(parity):
    def run(*arguments, width):
        done = parity("show", *arguments, env={**os.environ, "COLUMNS": str(width)})
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def source(path):
    return (ROOT / "variants" / path).read_text().split("\n", 1)[1].rstrip("\n")  # without the licence line


def test_kernels_stand_under_one_another_in_a_narrow_terminal(show):
    out = show("fused", width=120)
    assert source("diffusion/fused/kokkos.cpp") in out and source("diffusion/fused/cuda.cu") in out
    assert "diffusion/fused/kokkos.cpp: " in out and "lines of code" in out and "--tuned" in out


def test_kernels_stand_beside_one_another_in_a_wide_one(show):
    out = show("kokkos-fused", "--tuned", width=260)
    lines = [line.split(" | ", 1) for line in out.split("\n") if " | " in line]
    assert "\n".join(left.rstrip() for left, _ in lines[1:]).startswith(source("diffusion/fused/kokkos_tuned.cpp"))
    assert lines[1][1] == source("diffusion/fused/cuda_tuned.cu").split("\n")[0]


def test_openmp_side(show):
    assert source("diffusion/fused/openmp.cpp") in show("diffusion/fused", "--openmp", width=120)


def test_the_tuned_version_stands_beside_openmp_which_has_one_version(show):
    out = show("fused", "--openmp", "--tuned", width=120)
    assert source("diffusion/fused/kokkos_tuned.cpp") in out and source("diffusion/fused/openmp.cpp") in out


def test_like_is_shown_with_like(show):
    """The only Kokkos version is shown with the only OpenMP version, and not with another version in CUDA."""
    out = show("temporal", width=120)
    assert source("diffusion/temporal/kokkos.cpp") in out and source("diffusion/temporal/openmp.cpp") in out and "temporal/cuda.cu: " not in out
    assert source("diffusion/temporal/cuda_tuned.cu") in show("temporal", "--tuned", width=120)


@pytest.mark.parametrize("more", [(), ("--openmp",)])
def test_an_algorithm_without_a_tuned_version_says_so(refused, more):
    refused("show", "kde/binned", "--tuned", *more, says="binned has no tuned version; leave out --tuned ('parity list kde' shows its versions)")


def test_unknown_algorithm(refused):
    refused("show", "fuzed", says="did you mean fused")
