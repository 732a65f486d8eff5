#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs a command with the CUDA 12.4 of 'cmake/bootstrap.sh --cuda-12' in front of any other.
#   cmake/with_cuda_12.sh cmake -S . -B build-h100 -DPARITY_ENABLE_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=90
# Or sourced: sets up the shell.
set -euo pipefail
toolkit=${PARITY_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/parity}/cuda-12
if [ ! -f "$toolkit/.complete" ]; then
  echo "with_cuda_12: no toolkit in $toolkit; run cmake/bootstrap.sh --cuda-12" >&2
  exit 3
fi
unset CUDA_PATH CUDA_ROOT LIBRARY_PATH CPATH CUDAHOSTCXX
export PATH=$toolkit/bin:$PATH CUDACXX=$toolkit/bin/nvcc CUDAToolkit_ROOT=$toolkit CUDA_HOME=$toolkit
if [ "${BASH_SOURCE[0]}" = "$0" ]; then exec "$@"; fi
