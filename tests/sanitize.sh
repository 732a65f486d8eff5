#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the host kernels with their unit tests under sanitizers, and runs the tests on small sizes; the first finding ends the run.
#   tests/sanitize.sh asan [GTEST_ARGUMENTS...]   accesses out of bounds and undefined behaviour, in build-asan
#   tests/sanitize.sh tsan [GTEST_ARGUMENTS...]   races between threads, in build-tsan; with LLVM's OpenMP, whose Archer reports its barriers
# PARITY_CMAKE_ARGS: arguments of CMake.
set -euo pipefail
unset CDPATH # it makes 'cd' print its target, and may lead elsewhere
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case ${1:-} in
  --help | -h) sed -n '3,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  asan | tsan) ;;
  *) echo "sanitize: '${1:-}' is neither asan nor tsan; --help explains" >&2; exit 2 ;;
esac
preset=$1
shift
cd "$here"
cmake/bootstrap.sh
deps=$(cmake/bootstrap.sh --deps)
export CCACHE_DIR=${CCACHE_DIR:-$deps/ccache} CCACHE_BASEDIR=$here CCACHE_NOHASHDIR=1
if [ "$preset" = tsan ]; then # TSan does not see the synchronisation of GCC's OpenMP, so every region would be a race
  archer=/usr/lib/llvm-15/lib/libarcher.so
  if ! [ -e $archer ] || ! command -v clang++-15 >/dev/null; then cmake/bootstrap.sh --packages clang-15 libomp-15-dev; fi
  export OMP_TOOL_LIBRARIES=$archer TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1 ${TSAN_OPTIONS:-}"
fi
# shellcheck disable=SC2086  # several arguments in one variable
cmake --preset "$preset" "-DCMAKE_PREFIX_PATH=$(cmake/bootstrap.sh --prefix)" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache ${PARITY_CMAKE_ARGS:-} >"build-$preset.log" 2>&1 ||
  { cat "build-$preset.log" >&2; exit 3; }
mv "build-$preset.log" "build-$preset/configure.log"
ninja -C "build-$preset" --quiet kernel_tests
# Excludes the largest fields, and tests without a host kernel.
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-2} OMP_WAIT_POLICY=passive RC_PARAMS="seed=17 max_success=20"
exec "build-$preset/tests/kernel_tests" --gtest_brief=1 --gtest_filter='-*AgreesAtFullSize*:KdeReference.*:*cuda*:*cupy*' "$@"
