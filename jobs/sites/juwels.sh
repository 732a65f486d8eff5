# SPDX-License-Identifier: BSD-3-Clause
# JUWELS (JSC): Cluster with four V100 a GPU node, Booster with four A100; jobs get whole nodes. A draft from public documentation,
# not run there.
# shellcheck shell=bash disable=SC2034
SITE_TARGETS=(v100 a100 host)
SITE_ACCOUNT=yourbudget
SITE_PARTITION="batch"
SITE_PARTITION_V100=gpus
SITE_PARTITION_A100=booster # submit from a login node of the Booster
SITE_TIME=00:30:00
SITE_GPU=--gres=gpu:%g
SITE_GPU_HOST=
SITE_CPUS=10
SITE_OPTIONS=(--hint=nomultithread)
SITE_BUILD_OPTIONS_V100=(--partition=batch)
SITE_BUILD_OPTIONS_A100=(--gres=gpu:4)
SITE_MODULES=("Stages/2025" GCC OpenMPI CMake Ninja)
SITE_MODULES_V100=("Stages/2024" GCC CUDA OpenMPI CMake Ninja) # CUDA 13 cannot build for V100
SITE_MODULES_A100=("Stages/2025" GCC CUDA OpenMPI CMake Ninja)
SITE_RESULTS=${SCRATCH:-$HOME}/parity
# Compute nodes have no network: install Kokkos and the libraries on a login node first (jobs/README.md).
site_setup() { source "$HOME/spack/share/spack/setup-env.sh" && spack env activate -d "jobs/spack/$1"; }
