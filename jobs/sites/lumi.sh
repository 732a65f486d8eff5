# SPDX-License-Identifier: BSD-3-Clause
# LUMI-G (CSC): four MI250X a node, which SLURM counts as eight GPUs. Parity has no native HIP: target mi250 measures only Kokkos.
# A draft from public documentation, not run there.
# shellcheck shell=bash disable=SC2034
SITE_TARGETS=(mi250 host)
SITE_ACCOUNT=project_465000000
SITE_PARTITION=small-g
SITE_PARTITION_HOST=small
SITE_TIME=00:30:00
SITE_CPUS=7 # a GPU's share of the cores that jobs may use
SITE_GPU_MI250=--gpus-per-node=%g
SITE_OPTIONS=(--hint=nomultithread)
SITE_BUILD_OPTIONS=(--partition=small) # building for a GPU needs none
SITE_MODULES=("LUMI/24.03" "partition/G" PrgEnv-amd rocm buildtools cray-python)
SITE_MODULES_HOST=("LUMI/24.03" "partition/C" PrgEnv-gnu buildtools cray-python)
SITE_PYTHON=$HOME/parity-python/bin/python3 # cray-python has no matplotlib: a venv with cmake/python.txt
SITE_MPI=cray_shasta
SITE_RESULTS=/scratch/${SITE_ACCOUNT}/parity
# A Kokkos with HIP for gfx90a (built as in cmake/README.md), and the small libraries in the same prefix.
site_setup() { export CMAKE_PREFIX_PATH=$HOME/parity-$1:${CMAKE_PREFIX_PATH:-} Kokkos_ROOT=$HOME/parity-$1; }
