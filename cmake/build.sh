#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Bootstraps, configures and builds Parity in a build directory (default: build). Further arguments go to CMake.
#   cmake/build.sh [BUILD_DIRECTORY [CMAKE_ARGUMENTS...]]
# PARITY_TARGETS: the targets to build (default: all, with the tests; PARITY_TARGETS=parity: only the program).
set -euo pipefail
unset CDPATH # it makes 'cd' print its target, and may lead elsewhere
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case ${1:-} in
  --help | -h) sed -n '3,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  -*) echo "build: '$1' is no build directory; --help explains" >&2; exit 2 ;;
esac
build=${1:-$here/build}
[ $# -gt 0 ] && shift
"$here/cmake/bootstrap.sh" --python
[ "${PARITY_TARGETS-}" = parity ] || "$here/tests/setup.sh"
deps=$("$here/cmake/bootstrap.sh" --deps)
# Two clones share compiled objects: ccache ignores the path of the clone.
export CCACHE_DIR=${CCACHE_DIR:-$deps/ccache} CCACHE_BASEDIR=$here CCACHE_NOHASHDIR=1
arguments=(-DPARITY_PYTHON="$deps/python/bin/python")
prefix=$("$here/cmake/bootstrap.sh" --prefix)
[ -n "$prefix" ] && arguments+=("-DCMAKE_PREFIX_PATH=$prefix${CMAKE_PREFIX_PATH:+;${CMAKE_PREFIX_PATH//:/;}}")
command -v ccache >/dev/null && arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
# With a GPU and a CUDA toolkit the native CUDA variants join the comparison.
if command -v nvcc >/dev/null && command -v nvidia-smi >/dev/null; then
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d '. ') || capability=
  [ -n "$capability" ] && arguments+=(-DPARITY_ENABLE_CUDA=ON "-DCMAKE_CUDA_ARCHITECTURES=$capability")
fi
echo "build: configuring in $build"
cmake -S "$here" -B "$build" -G Ninja "${arguments[@]}" "$@" >"$build.configure.log" 2>&1 ||
  { cat "$build.configure.log" >&2; exit 3; }
sed -n 's/^-- \(Parity .*\|  .*\)$/build: \1/p' "$build.configure.log"
mv "$build.configure.log" "$build/configure.log"
echo "build: compiling"
read -ra targets <<<"${PARITY_TARGETS:-}"
if [ -t 1 ]; then quiet=(); else quiet=(--quiet); fi
ninja -C "$build" ${quiet[@]+"${quiet[@]}"} ${targets[@]+"${targets[@]}"}
