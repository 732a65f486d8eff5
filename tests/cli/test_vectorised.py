# SPDX-License-Identifier: BSD-3-Clause
"""variants/vectorised.py counts packed and scalar instructions of innermost loops, in text that is known and in what the compiler makes."""
import importlib.util
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "variants/vectorised.py"
spec = importlib.util.spec_from_file_location("vectorised", SCRIPT)
counter = importlib.util.module_from_spec(spec)
spec.loader.exec_module(counter)
compiler = shutil.which(os.environ.get("CXX", "c++"))
on_x86 = pytest.mark.skipif(platform.machine() != "x86_64" or not shutil.which("objdump") or not compiler, reason="needs c++ and objdump of x86-64")

LOOPS = """
a.o:     file format elf64-x86-64

Disassembly of section .text:

0000000000000010 <parity::openmp::sums(double*) [clone ._omp_fn.0]>:
  10:	vaddsd %xmm0,%xmm1,%xmm2
  14:	xor    %eax,%eax
  18:	vmulpd (%rdi),%ymm0,%ymm1
  1c:	vfmadd231pd (%rsi),%ymm0,%ymm1
  20:	vmovapd %ymm1,(%rdi)
  24:	jne    18 <parity::openmp::sums(double*) [clone ._omp_fn.0]+0x8>
  28:	vsubss %xmm0,%xmm1,%xmm2
  2c:	jmp    28 <parity::openmp::sums(double*) [clone ._omp_fn.0]+0x18>
  30:	jb     14 <parity::openmp::sums(double*) [clone ._omp_fn.0]+0x4>
  34:	call   39 <parity::openmp::sums(double*) [clone ._omp_fn.0]+0x29>
			35: R_X86_64_PLT32	parity::helper(double const&)-0x4
  39:	ret

0000000000000040 <parity::helper(double const&)>:
  40:	divps  %xmm0,%xmm1
  44:	vdivss %xmm0,%xmm1,%xmm2
  48:	jne    40 <parity::helper(double const&)>
  4c:	jmp    60 <parity::later()>

0000000000000050 <parity::not_called(double const&)>:
  50:	divps  %xmm0,%xmm1
  54:	jne    50 <parity::not_called(double const&)>

0000000000000060 <parity::later()>:
  60:	sqrtsd %xmm0,%xmm1
  64:	jne    60 <parity::later()>

0000000000000070 <Kokkos::Impl::ParallelFor<parity::F, Kokkos::RangePolicy<Kokkos::Impl::IsGraphKernelTag> >::execute() const>:
  70:	mulps  %xmm0,%xmm1
  74:	jne    70 <Kokkos::Impl::ParallelFor<parity::F, Kokkos::RangePolicy<Kokkos::Impl::IsGraphKernelTag> >::execute() const>
"""


def test_loops_in_known_text():
    """The first addition is in no innermost loop: its loop goes from 14 to 30 and holds two others."""
    found = counter.functions(LOOPS)
    sums = found["parity::openmp::sums(double*) [clone ._omp_fn.0]"]
    assert sorted(counter.innermost_loops(sums.code)) == [(0x18, 0x24), (0x28, 0x2c)]
    assert counter.counted(sums.code) == {("p", "d"): 2, ("s", "s"): 1}
    assert counter.counted(found["parity::helper(double const&)"].code) == {("p", "s"): 1, ("s", "s"): 1}


def test_kernels_are_regions_and_what_they_call():
    names = counter.names_of_kernels(counter.functions(LOOPS))
    assert {n.split("(")[0] for n in names} == {"parity::openmp::sums", "parity::helper", "parity::later"}


@pytest.mark.parametrize("mnemonic, kind", [
    ("vaddps", ("p", "s")), ("mulsd", ("s", "d")), ("vfnmadd213pd", ("p", "d")), ("vfmsub132ss", ("s", "s")), ("vsqrtpd", ("p", "d")),
    ("vmaxps", ("p", "s")), ("vmovapd", None), ("vaddsubps", None), ("paddd", None), ("vcvtss2sd", None), ("vxorps", None), ("add", None)])
def test_what_counts_as_arithmetic(mnemonic, kind):
    found = counter.ARITHMETIC.match(mnemonic)
    assert (found.groups() if found else None) == kind


SOURCE = """
#include <cstddef>
namespace parity::openmp {
void independent(double* a, const double* b, std::ptrdiff_t n) {
#pragma omp parallel for simd
  for (std::ptrdiff_t i = 0; i < n; ++i) a[i] = 2.5 * b[i] + a[i];
}
void chain(float* a, std::ptrdiff_t rows, std::ptrdiff_t n) {
#pragma omp parallel for
  for (std::ptrdiff_t j = 0; j < rows; ++j)
    for (std::ptrdiff_t i = 1; i < n; ++i) a[j * n + i] = a[j * n + i] * a[j * n + i - 1];
}
}
"""


@on_x86
def test_what_the_compiler_makes(tmp_path):
    (tmp_path / "a.cpp").write_text(SOURCE)
    subprocess.run([compiler, "-O3", "-mavx2", "-mfma", "-fopenmp", "-c", "a.cpp"], cwd=tmp_path, check=True)
    counts = {re.search(r"openmp::(\w+)", name)[1]: found for name, found in counter.kernels(tmp_path / "a.o")}
    assert set(counts) == {"independent", "chain"}
    assert counts["independent"]["p", "d"] > 0
    assert counts["chain"]["s", "s"] > 0 and counts["chain"]["p", "s"] == 0
    done = subprocess.run([sys.executable, SCRIPT, "a.o"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "| `independent` | 1 of 1 | 0 / 0 |" in done.stdout and "| `chain` | 0 of 1 |" in done.stdout, done.stdout


@on_x86
@pytest.mark.parametrize("make, says", [
    (lambda folder: [], "give a build directory"), (lambda folder: ["--help"], "give a build directory"),
    (lambda folder: ["nothing.o"], "nothing.o is not there"), (lambda folder: [folder], "PARITY_UNITY"),
    (lambda folder: [SCRIPT], "format")])
def test_what_it_refuses(tmp_path, make, says):
    done = subprocess.run([sys.executable, SCRIPT, *map(str, make(tmp_path))], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and says in done.stderr and done.stderr.startswith("vectorised.py: "), done.stderr


@on_x86
def test_every_native_row_of_this_build_is_there():
    build = pathlib.Path(os.environ["PARITY"]).parent
    if not (build / "CMakeFiles/parity_openmp.dir/variants/openmp/diffusion/openmp_fused.cpp.o").is_file():
        pytest.skip("the objects of this build are not where CMake leaves them one by one")
    done = subprocess.run([sys.executable, SCRIPT, str(build)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    titles = set(re.findall(r"^\| `([\w.-]+)` \|", done.stdout, re.M))
    native = {p.stem.replace("_", "-") for study in counter.STUDIES for p in (ROOT / "variants/openmp" / study).glob("openmp_*.cpp")}
    assert native <= titles and {"kokkos-fused", "kokkos-fused-tiled", "kokkos-register-tile"} <= titles
