#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The steps of both images, as root in a bare Debian 12: installs parity into /usr/local and its dependencies into /opt/parity/deps.
#   cmake/container/install.sh [ARCH]     ARCH: a GPU as Kokkos names it; without: for processors
set -euo pipefail
unset CDPATH # it makes 'cd' print its target, and may lead elsewhere
case ${1:-} in --help | -h) sed -n '3,4s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac
gpu=${1:-}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export PARITY_DEPS=${PARITY_DEPS:-/opt/parity/deps} DEBIAN_FRONTEND=noninteractive
# The image does not only run on the processor that it is built on.
options=(-DPARITY_NATIVE_ARCH=OFF -DPARITY_ENABLE_TESTS=OFF)
runner=(env)
cmake/bootstrap.sh --python ${gpu:+--cuda "$gpu"}
prefix=$(cmake/bootstrap.sh --prefix ${gpu:+"$gpu"})
if [ -n "$gpu" ]; then
  runner=("$(cmake/bootstrap.sh --with "$gpu")")
  options+=("-DCMAKE_CXX_COMPILER=$prefix/bin/nvcc_wrapper" "-DCMAKE_CXX_FLAGS=-arch=sm_${gpu//[!0-9]/}")
fi
git config --global --add safe.directory "$PWD" # the clone belongs to another user than the image's
"${runner[@]}" cmake -S . -B "$PARITY_DEPS/build-parity" -G Ninja "-DCMAKE_PREFIX_PATH=$prefix" -DCMAKE_INSTALL_PREFIX=/usr/local "${options[@]}"
"${runner[@]}" ninja -C "$PARITY_DEPS/build-parity" install
rm -rf "$PARITY_DEPS"/{build-parity,ccache,download,log} /var/lib/apt/lists/*
parity --version
