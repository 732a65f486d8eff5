# SPDX-License-Identifier: BSD-3-Clause
# Perlmutter (NERSC): four A100 a GPU node, AMD processors. A draft from public documentation, not run there.
# shellcheck shell=bash disable=SC2034
SITE_TARGETS=(a100 host)
SITE_ACCOUNT=m0000 # your project; for a100 with the suffix _g if your project has one
SITE_TIME=00:30:00
SITE_CPUS=32 # hardware threads: a quarter of a GPU node
SITE_GPU_A100="--constraint=gpu --gpus-per-node=%g"
SITE_OPTIONS=(--qos=shared)
SITE_OPTIONS_HOST=(--qos=regular --constraint=cpu --hint=nomultithread)
SITE_BUILD_OPTIONS=(--qos=shared --constraint=gpu --gpus-per-node=1)
SITE_BUILD_OPTIONS_HOST=(--qos=shared --constraint=cpu)
SITE_MODULES=(PrgEnv-gnu cmake)
SITE_MODULES_A100=(PrgEnv-gnu cudatoolkit craype-accel-nvidia80 cmake)
SITE_MPI=cray_shasta
# Kokkos, Kokkos Kernels and the small libraries: for a100 the environment of jobs/README.md, with Cray MPICH as its external MPI.
site_setup() { source "$HOME/spack/share/spack/setup-env.sh" && spack env activate -d "jobs/spack/$1"; }
