#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Gets what is missing, builds, and runs every test. Arguments go to ctest (for example -R cli).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2086  # several arguments in one variable
"$here/cmake/build.sh" "${PARITY_BUILD:-$here/build}" ${PARITY_CMAKE_ARGS:-}
# The tests of jobs/ start a SLURM of their own; without its packages they say so and are skipped.
if [ $# = 0 ]; then "$here/cmake/bootstrap.sh" --slurm || true; fi
ctest --test-dir "${PARITY_BUILD:-$here/build}" --output-on-failure "$@"
