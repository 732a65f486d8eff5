#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Explains the times of a host from first principles: measures its roofs, its launches and rows of the diffusion study one after the
# other, executes small ones instruction by instruction, and prints what each time is made of. Three to five minutes on a quiet machine.
#   jobs/explain_host.sh [RESULTS]        a folder, by default jobs/results/local/explain; what is there is measured again
set -euo pipefail
case ${1:-} in
  --help | -h) sed -n '3,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  -*) echo "explain_host: '$1' is no folder; --help explains" >&2; exit 2 ;;
esac
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
results=${1:-$here/jobs/results/local/explain}
build=${PARITY_BUILD:-$here/build}
python=$("$here/cmake/bootstrap.sh" --deps)/python/bin/python
export OMP_PROC_BIND=${OMP_PROC_BIND:-spread} OMP_PLACES=${OMP_PLACES:-cores}

mkdir -p "$results"
rm -f "$results"/{roofs,launch,rows}.jsonl "$results/loops.csv" "$results/explain.txt"
"$build/parity" measure "$here/jobs/plans/roofs.toml" --output "$results/roofs.jsonl"
"$build/parity" measure "$here/jobs/plans/explain_host_launch.toml" --output "$results/launch.jsonl"
"$build/parity" measure "$here/jobs/plans/explain_host.toml" --output "$results/rows.jsonl"
"$python" "$here/variants/host_work.py" "$build" --plans "$here"/jobs/plans/explain_host_work{,_tiles,_passes}.toml >"$results/loops.csv"
"$build/parity" explain "$results"/{rows,launch,roofs}.jsonl --loops "$results/loops.csv" --all --csv "$results/explain.csv" >"$results/explain.txt"
grep 'median' "$results/explain.txt"
echo "explain_host: $results/explain.txt"
