# SPDX-License-Identifier: BSD-3-Clause
# Alps (CSCS), for example Daint: jobs get whole nodes of four GH200; software comes in uenvs. A draft from public
# documentation, not run there.
# shellcheck shell=bash disable=SC2034
SITE_TARGETS=(h100 host) # the compiler treats GH200 as an H100
SITE_ACCOUNT=yourproject
SITE_PARTITION=normal
SITE_TIME=00:30:00
SITE_GPU_H100=--gpus-per-node=%g
SITE_CPUS=72 # cores of one of the four Grace processors
SITE_EXCLUSIVE=yes
SITE_OPTIONS=(--uenv=prgenv-gnu/24.11:v1 --view=default) # 'uenv image find' lists the available ones
SITE_BUILD_OPTIONS=(--uenv=prgenv-gnu/24.11:v1 --view=default)
SITE_MPI=cray_shasta
SITE_RESULTS=${SCRATCH:-$HOME}/parity
# The uenv provides compilers, CUDA, CMake and MPI; the environment of jobs/README.md provides Kokkos and the rest.
site_setup() { source "$HOME/spack/share/spack/setup-env.sh" && spack env activate -d "jobs/spack/$1"; }
