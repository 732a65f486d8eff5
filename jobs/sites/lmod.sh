# SPDX-License-Identifier: BSD-3-Clause
# A university's cluster with Lmod and mixed GPUs: replace every name, they are guesses ('module avail', 'sinfo -o "%P %G %f"').
# Not run there.
# shellcheck shell=bash disable=SC2034
SITE_ACCOUNT=yourgroup
SITE_PARTITION=gpu
SITE_PARTITION_HOST=cpu
SITE_TIME=01:00:00
SITE_CPUS=8
SITE_GPU_MI250=--gres=gpu:mi250x:%g # other GPUs use the default, gpu:p100:1 and so on
SITE_EXCLUSIVE_HOST=yes             # a node for each slice, since other jobs disturb times
SITE_BUILD_OPTIONS=(--partition=cpu)
SITE_CMAKE=(-DPARITY_NATIVE_ARCH=OFF) # nodes differ, and the build runs on a different node
SITE_MODULES=("gcc/12" "cuda/12.4" cmake ninja openmpi "kokkos/4.6-cuda" "python/3.11")
SITE_MODULES_HOST=("gcc/12" cmake ninja openmpi "kokkos/4.6-openmp" "python/3.11")
SITE_MODULES_MI250=("rocm/6.2" cmake ninja openmpi "kokkos/4.6-hip" "python/3.11")
SITE_RESULTS=${SCRATCH:-$HOME}/parity
