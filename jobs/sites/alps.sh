# SPDX-License-Identifier: BSD-3-Clause
# Alps (CSCS), for example Daint: four GH200 a node, which are given whole; software comes in uenvs. A start from public
# documentation, not run there.
# shellcheck shell=bash disable=SC2034
SITE_TARGETS=(h100 host) # GH200 is an H100 to the compiler
SITE_ACCOUNT=yourproject
SITE_PARTITION=normal
SITE_TIME=00:30:00
SITE_GPU_H100=--gpus-per-node=%g
SITE_CPUS=72 # cores of one of the four Grace processors
SITE_EXCLUSIVE=yes
SITE_OPTIONS=(--uenv=prgenv-gnu/24.11:v1 --view=default) # 'uenv image find' lists what there is
SITE_BUILD_OPTIONS=(--uenv=prgenv-gnu/24.11:v1 --view=default)
SITE_MPI=cray_shasta
SITE_RESULTS=${SCRATCH:-$HOME}/parity
# The uenv brings compilers, CUDA, CMake and MPI; Kokkos and the rest from the environment of jobs/README.md.
site_setup() { source "$HOME/spack/share/spack/setup-env.sh" && spack env activate -d "jobs/spack/$1"; }
