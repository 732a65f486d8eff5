# SPDX-License-Identifier: BSD-3-Clause
# A Debian machine with SLURM but without modules: cmake/bootstrap.sh downloads or builds missing parts, for a GPU also a
# CUDA toolkit and a Kokkos.
# shellcheck shell=bash disable=SC2034
SITE_TARGETS=(host p100 v100 a100 h100)
site_setup() {
  local arch=
  case $1 in
    p100) arch=PASCAL60 ;;
    v100) arch=VOLTA70 ;;
    a100) arch=AMPERE80 ;;
    h100) arch=HOPPER90 ;;
    host) ;;
    *) echo "jobs/sites/debian.sh knows no $1: bring your own Kokkos" >&2; return 3 ;;
  esac
  cmake/bootstrap.sh --python ${arch:+--cuda $arch}
  # shellcheck disable=SC2086  # host: no argument
  Kokkos_ROOT=$(cmake/bootstrap.sh --prefix $arch)
  # shellcheck disable=SC1090  # one of cmake/with_*.sh
  if [ -n "$arch" ]; then source "$(cmake/bootstrap.sh --with $arch)"; fi
  if command -v ccache >/dev/null; then
    export CMAKE_CUDA_COMPILER_LAUNCHER=ccache
    if [ -z "$arch" ]; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache; fi # ccache does not support nvcc_wrapper
  fi
  if [ -n "$Kokkos_ROOT" ]; then export Kokkos_ROOT CMAKE_PREFIX_PATH=$Kokkos_ROOT; else unset Kokkos_ROOT; fi
  # Two clones share compiled objects.
  CCACHE_DIR=${CCACHE_DIR:-$(cmake/bootstrap.sh --deps)/ccache}
  export CCACHE_DIR CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
}
