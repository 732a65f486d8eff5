#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A compiler launcher: compiles files that hold no device code with nvcc_wrapper's own host compiler. Native host twins
# are then compiled as hand-written host code is, and toml++ never meets nvcc 11.8, which cannot read it.
set -euo pipefail
shift # nvcc_wrapper
arguments=()
for argument in "$@"; do
  case $argument in -arch=* | -gencode=*) ;; *) arguments+=("$argument") ;; esac
done
launcher=()
command -v ccache >/dev/null && launcher=(ccache)
exec ${launcher[@]+"${launcher[@]}"} "${NVCC_WRAPPER_DEFAULT_COMPILER:-g++}" "${arguments[@]}"
