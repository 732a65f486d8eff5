#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs a command with the CUDA toolkit of cmake/bootstrap.sh first in its paths: 12.4, or 11.8 under the name with_cuda_11.sh.
#   cmake/with_cuda_12.sh cmake -S . -B build-h100 -DPARITY_ENABLE_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=90
# When sourced, it sets up the shell instead.
set -euo pipefail
toolkit=$(basename "${BASH_SOURCE[0]}" .sh)
toolkit=${PARITY_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/parity}/cuda-${toolkit##*_}
if [ ! -f "$toolkit/.complete" ]; then
  echo "with_cuda: no toolkit in $toolkit; run cmake/bootstrap.sh --cuda-12, or --cuda ARCH" >&2
  exit 3
fi
unset CUDA_PATH CUDA_ROOT LIBRARY_PATH CPATH CUDAHOSTCXX
export PATH=$toolkit/bin:$PATH CUDACXX=$toolkit/bin/nvcc CUDAToolkit_ROOT=$toolkit CUDA_HOME=$toolkit
case $toolkit in *-11) export CUDAHOSTCXX=g++-11 NVCC_WRAPPER_DEFAULT_COMPILER=g++-11 ;; esac # the newest compiler that 11.8 accepts
if [ "${BASH_SOURCE[0]}" = "$0" ]; then exec "$@"; fi
