#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures plans one after the other, each into FOLDER/PLAN.jsonl, and stops after some seconds; the next call goes on where it was.
#   jobs/measure_all.sh FOLDER SECONDS PLAN.toml...
# PARITY: the program (build/parity); PARITY_OPTIONS: more options of 'parity measure'. Exit code: 0 all plans are finished; 143 the
# time is over and rows are left; 1 rows failed their check; 2 or 3 a plan cannot be measured (the others are tried all the same).
set -euo pipefail
case ${1:-} in --help | -h) sed -n '3,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac
if [ $# -lt 3 ] || ! [[ $2 =~ ^[0-9]+$ ]]; then echo "measure_all.sh: give a folder, seconds and plans; see --help" >&2; exit 2; fi
folder=$1 limit=$2 worst=0
shift 2
mkdir -p "$folder"
parity=${PARITY:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/build/parity}
for plan in "$@"; do
  left=$((limit - SECONDS))
  if [ $left -le 0 ]; then worst=143; break; fi
  code=0
  # A row in the middle of its check ends first; a minute later the process is killed, which costs the row.
  # shellcheck disable=SC2086  # several options in one variable
  timeout --preserve-status --kill-after=60 $left "$parity" measure "$plan" --resume --quiet \
    --output "$folder/$(basename "$plan" .toml).jsonl" ${PARITY_OPTIONS:-} || code=$?
  case $code in
    0) echo "$plan: finished" ;;
    137 | 143) echo "$plan: stopped, goes on in the next call"; worst=143; break ;;
    *) echo "$plan: exit code $code" >&2; if [ $code -gt $worst ]; then worst=$code; fi ;;
  esac
done
exit $worst
