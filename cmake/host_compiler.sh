#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A compiler launcher: compiles files that hold no device code with the host compiler of nvcc_wrapper or beside hipcc. Native host twins
# are then compiled as hand-written host code is, and toml++ never meets nvcc 11.8, which cannot read it.
set -euo pipefail
shift # nvcc_wrapper, hipcc
arguments=()
for argument in "$@"; do
  case $argument in -arch=* | -gencode=*) ;; -fopenmp=*) arguments+=(-fopenmp) ;; *) arguments+=("$argument") ;; esac
done
launcher=()
command -v ccache >/dev/null && launcher=(ccache)
exec ${launcher[@]+"${launcher[@]}"} "${NVCC_WRAPPER_DEFAULT_COMPILER:-g++}" "${arguments[@]}"
