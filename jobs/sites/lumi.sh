# SPDX-License-Identifier: BSD-3-Clause
# LUMI-G (CSC): four MI250X a node, which are eight GPUs to SLURM. Parity has no native HIP: target mi250 measures Kokkos alone.
# A start from public documentation, not run there.
# shellcheck shell=bash disable=SC2034
SITE_TARGETS=(mi250 host)
SITE_ACCOUNT=project_465000000
SITE_PARTITION=small-g
SITE_PARTITION_HOST=small
SITE_TIME=00:30:00
SITE_CPUS=7 # a GPU's share of the cores that jobs may use
SITE_GPU_MI250=--gpus-per-node=%g
SITE_OPTIONS=(--hint=nomultithread)
SITE_BUILD_OPTIONS=(--partition=small) # no GPU is needed to build for one
SITE_MODULES=("LUMI/24.03" "partition/G" PrgEnv-amd rocm buildtools cray-python)
SITE_MODULES_HOST=("LUMI/24.03" "partition/C" PrgEnv-gnu buildtools cray-python)
SITE_PYTHON=$HOME/parity-python/bin/python3 # cray-python has no matplotlib: a venv with cmake/python.txt
SITE_MPI=cray_shasta
SITE_RESULTS=/scratch/${SITE_ACCOUNT}/parity
# A Kokkos with HIP for gfx90a (cmake/README.md says how it is built), and the small libraries beside it.
site_setup() { export CMAKE_PREFIX_PATH=$HOME/parity-$1:${CMAKE_PREFIX_PATH:-} Kokkos_ROOT=$HOME/parity-$1; }
