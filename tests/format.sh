#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that every C++ and CUDA source follows .clang-format, that shellcheck and ruff (pyproject.toml) have no complaint about any script,
# and that each file has its SPDX line.
#   tests/format.sh
# Exit codes: 0 clean; 1 not clean; 3 a tool or the clone is missing, or clang-format is not the version that formatted the sources.
set -euo pipefail
unset CDPATH # it makes 'cd' print its target, and may lead elsewhere
case ${1:-} in --help | -h) sed -n '3,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=14 # Debian 12's; other versions break lines differently
formatter=
for each in "clang-format-$version" clang-format; do
  if "$each" --version 2>/dev/null | grep -q "version $version\."; then formatter=$each; break; fi
done
if [ -z "$formatter" ]; then echo "format: no clang-format $version (Debian: apt-get install clang-format-$version)"; exit 3; fi
if [ "$(git rev-parse --show-toplevel 2>/dev/null)" != "$(pwd -P)" ]; then echo "format: which files are sources is asked of git, and this is no clone"; exit 3; fi
if ! command -v shellcheck >/dev/null; then echo "format: no shellcheck (Debian: apt-get install shellcheck)"; exit 3; fi

code=0
git ls-files -z '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs -0 "$formatter" --dry-run --Werror ||
  { echo "format: fix with: git ls-files '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs $formatter -i"; code=1; }
git ls-files -z '*.sh' '*.sbatch' .ci/run | xargs -0 shellcheck -x -P jobs -S warning || code=1
ruff=$(cmake/bootstrap.sh --deps)/python/bin/ruff
if [ -x "$ruff" ]; then
  git ls-files -z '*.py' | xargs -0 "$ruff" check --quiet --no-cache || code=1
elif [ -n "${CI:-}" ]; then
  echo "format: no ruff (tests/setup.sh)"
  exit 3
else
  echo "format: Python is not looked at, because there is no ruff (tests/setup.sh)"
fi
lacking=$(git grep -L SPDX-License-Identifier -- '*.cpp' '*.hpp' '*.cu' '*.cuh' '*.inc' '*.def' '*.py' '*.sh' '*.sbatch' '*.cmake' '*.toml' '*CMakeLists.txt' .ci/run ||
  true)
if [ -n "$lacking" ]; then printf 'format: no SPDX line in\n%s\n' "$lacking"; code=1; fi
[ "$code" != 0 ] || echo "format: sources and scripts are clean"
exit "$code"
