# SPDX-License-Identifier: BSD-3-Clause
"""Parity for Spack: spack repo add jobs/spack && spack install parity +cuda cuda_arch=90"""
import pathlib

from spack.package import conflicts, depends_on, maintainers, variant, version

try:  # Spack 1
    from spack_repo.builtin.build_systems.cmake import CMakePackage
    from spack_repo.builtin.build_systems.cuda import CudaPackage
except ImportError:
    from spack.package import CMakePackage, CudaPackage


class Parity(CMakePackage, CudaPackage):
    """Portable Kokkos kernels and their hand-written twins in CUDA and OpenMP, measured in one process."""

    git = pathlib.Path(__file__).resolve().parents[4].as_uri()  # the clone that contains this file
    maintainers("parity")
    version("main", branch="main")

    variant("mpi", default=False, description="Several ranks")
    variant("netcdf", default=True, when="+tools", description="NetCDF fields in 'parity filter'")
    variant("tools", default=True, description="filter, density, trace and advise, on top of the comparison")

    depends_on("cxx", type="build")
    depends_on("cmake@3.21:", type="build")
    depends_on("pkgconf", type="build")
    depends_on("kokkos@3.4.01: +openmp +serial")
    depends_on("kokkos-kernels +openmp +serial")
    for release in ("3.4.01", "4.6.01", "4.7.03", "5.0.2"):  # cmake/kokkos_releases.txt, and Debian's
        depends_on(f"kokkos-kernels@{release}", when=f"^kokkos@{release}")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos +cuda +wrapper cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
        depends_on(f"kokkos-kernels +cuda cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
    depends_on("kokkos +cuda_lambda", when="+cuda ^kokkos@:4")  # no variant of Kokkos 5
    for library in ("cli11", "fmt", "nlohmann-json", "tomlplusplus", "fftw ~mpi precision=double"):
        depends_on(library)
    depends_on("utf8proc", when="+tools")
    depends_on("mpi", when="+mpi")
    depends_on("netcdf-c ~mpi", when="+netcdf")
    conflicts("cuda_arch=none", when="+cuda", msg="Which GPU? Give cuda_arch=60 (P100), 70 (V100), 80 (A100) or 90 (H100, H200)")

    def cmake_args(self):
        made = [
            self.define_from_variant("PARITY_ENABLE_CUDA", "cuda"),
            self.define_from_variant("PARITY_ENABLE_MPI", "mpi"),
            self.define("PARITY_ENABLE_NETCDF", self.spec.satisfies("+netcdf")),
            self.define("PARITY_TOOLS", "filter;density;trace" if self.spec.satisfies("+tools") else ""),
            self.define("PARITY_ENABLE_TESTS", False),
            self.define("PARITY_NATIVE_ARCH", False),  # Spack's compiler wrapper sets the target
        ]
        if self.spec.satisfies("+cuda"):
            made += [self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value),
                     self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx)]
        return made
