#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs every GPU variant on small sizes under NVIDIA's compute-sanitizer, on a machine with a GPU: memcheck (accesses out of bounds),
# racecheck (races in shared memory), initcheck (reads of uninitialised memory). BUILD/gpu_check/ has all of the output.
#   tests/gpu_check.sh [BUILD [TOOL...]]     BUILD: a build of parity with CUDA (default: build)
# Exit codes: 0 nothing found; 1 a finding or a wrong result; 2 wrong usage; 3 no GPU, no program or no compute-sanitizer.
set -euo pipefail
unset CDPATH # it makes 'cd' print its target, and may lead elsewhere
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case ${1:-} in --help | -h) sed -n '3,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac
build=${1:-$here/build}
tools=("${@:2}")
[ ${#tools[@]} != 0 ] || tools=(memcheck racecheck initcheck)
for tool in "${tools[@]}"; do
  [[ " memcheck racecheck initcheck " == *" $tool "* ]] || { echo "gpu_check: '$tool' is none of memcheck, racecheck, initcheck" >&2; exit 2; }
done
[ -x "$build/parity" ] || { echo "gpu_check: no program in $build; cmake/build.sh builds one" >&2; exit 3; }
! "$build/parity" list | grep '^  gpu  *none' >/dev/null || { echo "gpu_check: $build/parity sees no GPU; 'parity list' says why" >&2; exit 3; }
command -v compute-sanitizer >/dev/null || { echo "gpu_check: no compute-sanitizer; it is in NVIDIA's CUDA toolkit: put its folder into PATH" >&2; exit 3; }

mkdir -p "$build/gpu_check"
code=0 number=0
check() { # TOOL STUDY OPTION...: one process with as few runs as possible, on a size that no tile divides
  local log=$build/gpu_check/$((++number))-$1-$2.log ended=0 begun=$SECONDS
  timeout 900 compute-sanitizer --tool "$1" --target-processes all --error-exitcode 97 --print-limit 20 \
    "$build/parity" "${@:2}" --starts 1 --repeats 1 --time-cap 0 --quiet >"$log" 2>&1 || ended=$?
  case $ended in
    0) printf 'gpu_check: %s %s: nothing found, %s s\n' "$1" "$2" $((SECONDS - begun)) ;;
    97) printf 'gpu_check: %s %s: FOUND, in %s\n' "$1" "$2" "$log"; grep -m 20 -A 2 -E '^=+ (Invalid|Error|Uninit|Warning|Program|RACECHECK|ERROR)' "$log" || true ;;
    *) printf 'gpu_check: %s %s: exit code %s, in %s\n' "$1" "$2" "$ended" "$log"; tail -n 3 "$log" ;;
  esac
  [ "$ended" = 0 ] || code=1
}
for tool in "${tools[@]}"; do
  all='cuda-*,kokkos-*'
  # It reports hazards across barriers of 64 threads and mbarriers of one lane, which it does not follow (jobs/results/h200/frontier/README.md).
  [ "$tool" != racecheck ] || all='cuda-[!pt]*,cuda-p*[!r],cuda-t*[!d],kokkos-*' # without cuda-plane-cluster, cuda-temporal-tuned and its exchange
  for precision in float double; do
    check "$tool" diffusion --precision "$precision" --nx 45 --ny 37 --nz 3 --steps 5 --variants "$all"
    check "$tool" diffusion --precision "$precision" --nx 64 --ny 64 --nz 2 --steps 9 --variants "$all" # variants that need whole tiles
    check "$tool" diffusion --precision "$precision" --nx 128 --ny 128 --nz 2 --steps 4 --variants kokkos-resident # its other kernels
    check "$tool" diffusion --precision "$precision" --nx 256 --ny 256 --nz 70 --steps 4 --variants kokkos-resident
    check "$tool" kde --precision "$precision" --n 333 --variants 'cuda-*,kokkos-*'
  done
  [ "$tool" != memcheck ] || check "$tool" diffusion --nx 45 --ny 37 --nz 3 --steps 5 --variants 'cuda-fused+*,kokkos-fused+*' # graphs
  check "$tool" launch --quantities dispatch,node --launches 2 --units 1 --variants 'cuda-*,kokkos-*'
done
exit "$code"
