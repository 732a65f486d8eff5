#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, compares portable with native code on this machine, and writes records and an HTML
# report, in jobs/results/local. Results of an earlier call stay there until all is measured again.
#   jobs/local.sh [--verbose] [--gpu] [PLAN]     PLAN: of the main comparison (jobs/plans/local.toml), such as jobs/plans/NAME.toml
#   --verbose: also print what otherwise goes only to local.log in the folder of the records
#   --gpu: download CUDA, build a Kokkos for this machine's NVIDIA GPU and Parity with it in build-gpu, and compare there
# PARITY_RESULTS: another folder for the results. PARITY_BUILD: a build folder; an existing program is used without a build.
# Exit codes: 0 fine, on a busy machine too; 1 a result is wrong, and everything else was done; others as parity's.
set -euo pipefail
unset CDPATH # it makes 'cd' print its target, and may lead elsewhere
umask go-w
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
verbose='' gpu=''
while true; do
  case ${1:-} in
    --help | -h) sed -n '3,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    --verbose) verbose=1 ;;
    --gpu) gpu=1 ;;
    *) break ;;
  esac
  shift
done
case ${1:-} in -*) echo "local: '$1' is no plan; --help explains" >&2; exit 2 ;; esac
[ $# -le 1 ] || { echo "local: '$2' is one argument too many; --help explains" >&2; exit 2; }
plan=${1:-$here/jobs/plans/local.toml}
[ -r "$plan" ] && [ -f "$plan" ] || { echo "local: $plan is no plan that can be read; give one of $here/jobs/plans" >&2; exit 2; }
# The GPU's name and compute capability without its point; the architecture as Kokkos names it.
IFS=, read -r card capability < <(nvidia-smi --query-gpu=name,compute_cap --format=csv,noheader 2>/dev/null) || true
capability=${capability//[!0-9]/}
arch=$(sed -nE "s/^([A-Z]+) .*\b${capability:-none}\b.*/\1$capability/p" <<<$'PASCAL 60 61\nVOLTA 70 72\nTURING 75\nAMPERE 80 86\nADA 89\nHOPPER 90\nBLACKWELL 100 120')
[ -z "$gpu" ] || [ -n "$arch" ] ||
  { echo "local: --gpu: nvidia-smi names no GPU that Kokkos has an architecture for${card:+, but ${card} ($capability)}; cmake/README.md builds for others" >&2; exit 3; }
results=${PARITY_RESULTS:-$here/jobs/results/local}
mkdir -p "$results"
log=$results/local.log
rm -f "$log" # a link there would lead elsewhere
(set -o noclobber && : >"$log") || exit 2

build=${PARITY_BUILD:-$here/build${gpu:+-gpu}}
parity=$build/parity
failed=0

# Runs a command with its output in the log, and prints its time. A measuring command exits with 1 if a result is wrong.
phase() { # NAME COMMAND...
  local code=0 began=$SECONDS what=$1 end=12
  shift
  printf '== %s: %s\n' "$what" "$*" >>"$log"
  if [ -n "$verbose" ]; then
    echo "local: $what"
    "$@" 2>&1 | tee -a "$log" || code=$?
    end=0
  elif [ -t 2 ] && [ "${*:1:2}" = "$parity measure" ]; then # its progress and messages go to the terminal
    "$@" >>"$log" || code=$?
    end=0
  else
    printf 'local: %-24s' "$what"
    "$@" >>"$log" 2>&1 || code=$?
  fi
  [ "$end" != 0 ] || printf 'local: %-24s' "$what"
  printf '%3d min %2d s' $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60))
  if [ "$code" = 1 ] && [ "${*:1:2}" = "$parity measure" ]; then
    failed=1
    echo ", a result is WRONG"
  elif [ "$code" != 0 ]; then
    echo ", failed; all of its output is in $log"
    tail -n "$end" "$log" >&2
    exit "$code"
  else echo; fi
}

build_for_gpu() {
  local prefix with
  prefix=$("$here/cmake/bootstrap.sh" --prefix "$arch") && with=$("$here/cmake/bootstrap.sh" --with "$arch") || return
  "$with" cmake -S "$here" -B "$build" -G Ninja "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_CXX_COMPILER=$prefix/bin/nvcc_wrapper" \
    "-DCMAKE_CXX_FLAGS=-arch=sm_$capability" -DPARITY_ENABLE_TESTS=OFF && "$with" ninja -C "$build" parity
}
if [ -n "${PARITY_BUILD:-}" ] && [ -x "$parity" ]; then
  echo "local: with the program in $PARITY_BUILD"
else
  phase installing "$here/cmake/bootstrap.sh" --python ${gpu:+--cuda "$arch"}
  grep '^bootstrap: no Kokkos' "$log" || true # and the Kokkos that is used instead
  if [ -n "$gpu" ]; then phase building build_for_gpu
  else PARITY_TARGETS=parity phase building "$here/cmake/build.sh" "$build"; fi # the tests take longer than everything else
fi
if [ -n "$arch" ] && "$parity" list 2>/dev/null | grep -E '^  kokkos .* on (OpenMP|Serial|Threads)$' >/dev/null; then
  cat <<END
local: the $card of this machine stays unused: Kokkos runs on the processor here. 'jobs/local.sh --gpu' does these three lines, which use it:
  cmake/bootstrap.sh --cuda $arch && K=\$(cmake/bootstrap.sh --prefix $arch) W=\$(cmake/bootstrap.sh --with $arch)
  \$W cmake -S . -B build-gpu -G Ninja -DCMAKE_PREFIX_PATH=\$K -DCMAKE_CXX_COMPILER=\$K/bin/nvcc_wrapper -DCMAKE_CXX_FLAGS=-arch=sm_$capability
  \$W ninja -C build-gpu parity && PARITY_BUILD=build-gpu jobs/local.sh
END
fi
# Threads that migrate between cores would measure the scheduler.
export OMP_PROC_BIND=${OMP_PROC_BIND:-spread} OMP_PLACES=${OMP_PLACES:-cores}

new=$(mktemp -d "$results/new.XXXXXX")
trap 'rmdir "$new" 2>/dev/null || echo "local: not all was measured; what was is in $new, and earlier results are as they were" >&2' EXIT
measure() { # NAME RECORD PLAN OPTION...
  cp "$3" "$new/$2.toml"
  phase "$1" "$parity" measure "$new/$2.toml" --output "$new/$2.jsonl" "${@:4}"
}
measure "comparing filters" records "$plan"
measure "comparing densities" kde "$here/jobs/plans/kde_local.toml"
measure "costs of launches" launch "$here/jobs/plans/launch_local.toml"
rm -f "$results"/{summary.txt,report.html,plan.toml}
mv "$new"/* "$results"
rmdir "$new"
trap - EXIT

deps=$("$here/cmake/bootstrap.sh" --deps)
python=$deps/python/bin/python
[ -x "$python" ] || phase installing "$here/cmake/bootstrap.sh" --python
export PARITY=$parity MPLCONFIGDIR=${MPLCONFIGDIR:-$deps/matplotlib} # keeps matplotlib's cache outside of the sources, with all other files
report() { "$python" "$here/jobs/report.py" "$results"/{records,kde,launch}.jsonl --output "$results/report.html" >"$results/summary.txt"; }
phase report report
echo
cat "$results/summary.txt"
echo "Report: $results/report.html"
exit "$failed"
