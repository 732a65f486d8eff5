#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs a command with the distribution's CUDA toolkit in front of any other: its nvcc finds nvlink and ptxas through
# PATH, and another toolkit's headers must not come first.
#   cmake/with_debian_cuda.sh cmake -S . -B build-p100 ...
# Or sourced: sets up the shell.
set -euo pipefail
deps=${PARITY_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/parity}
unset CUDA_HOME CUDA_PATH CUDA_ROOT LIBRARY_PATH
export PATH=/usr/bin:/bin:$PATH CPATH=$deps/cuda-headers CUDAToolkit_ROOT=/usr
export CUDACXX=/usr/bin/nvcc CUDAHOSTCXX=g++-11 NVCC_WRAPPER_DEFAULT_COMPILER=g++-11
if [ "${BASH_SOURCE[0]}" = "$0" ]; then exec "$@"; fi
