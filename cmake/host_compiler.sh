#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A compiler launcher: compiles files without device code with the host compiler that nvcc_wrapper uses or that belongs to hipcc. Native host
# twins are then compiled like hand-written host code, and nvcc 11.8 never reads toml++, which it cannot compile.
set -euo pipefail
shift # drops nvcc_wrapper or hipcc
arguments=()
for argument in "$@"; do
  case $argument in -arch=* | -gencode=*) ;; -fopenmp=*) arguments+=(-fopenmp) ;; *) arguments+=("$argument") ;; esac
done
launcher=()
command -v ccache >/dev/null && launcher=(ccache)
exec ${launcher[@]+"${launcher[@]}"} "${NVCC_WRAPPER_DEFAULT_COMPILER:-g++}" "${arguments[@]}"
