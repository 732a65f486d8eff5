#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, and runs every test. Arguments go to ctest (for example -R cli).
# The tests of jobs/ start their own SLURM; without its packages they are skipped, with CI set they fail.
#   tests/run.sh [CTEST_ARGUMENTS...]
# PARITY_BUILD: the build folder; PARITY_CMAKE_ARGS: arguments of CMake; CTEST_PARALLEL_LEVEL: suites at once (3).
set -euo pipefail
unset CDPATH # it makes 'cd' print its target, and may lead elsewhere
case ${1:-} in --help | -h) sed -n '3,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2086  # several arguments in one variable
"$here/cmake/build.sh" "${PARITY_BUILD:-$here/build}" ${PARITY_CMAKE_ARGS:-}

# The line comes last, where it is seen: ctest prints nothing about tests that pass.
skipped=
trap 'if [ -n "$skipped" ]; then echo "$skipped"; fi' EXIT
case "$# $*" in *"-E"*jobs*) ;; "0 "* | *-E* | *jobs*)
  said=$("$here/tests/setup.sh" --slurm 2>&1 | tee -a /dev/stderr) || {
    why=$(tail -n 1 <<<"$said")
    if [ -n "${CI:-}" ]; then echo "tests: no SLURM to test jobs/ with: $why" >&2; exit 3; fi
    skipped="tests of jobs/ under SLURM: skipped, because $why"
  }
  ;;
esac
# Three suites at once, even on two cores: many tests wait, for ranks, for processes, for SLURM.
ctest --test-dir "${PARITY_BUILD:-$here/build}" --output-on-failure --parallel "${CTEST_PARALLEL_LEVEL:-3}" "$@"
