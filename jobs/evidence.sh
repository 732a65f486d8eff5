#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures again what README and pictures state about a GPU, each record in some minutes; the next call continues where this one stopped.
#   jobs/evidence.sh FOLDER SECONDS [PART...]       parts (default: all but scaling): pairs kde frontier launch kokkos scaling
#   and for the original works: functions works cupy widths works-large cupy-large widths-large
# 'scaling' takes one GPU and then all of this machine, one rank each, with mpirun; 'functions' also launches on several GPUs if there are any.
# Tunings come from jobs/results/h200/pairs. PARITY: the program (build/parity); PYTHON: one with CuPy, for 'cupy'. Each record is
# compared with the committed one of the same GPU that it would replace: FILE.compared. It exits with 0 if everything was measured, with 1 if a result
# is wrong or a native one is more than 3 % slower than before, with 143 if the time ran out, else with the worst exit code of parity.
set -uo pipefail
unset CDPATH # it makes 'cd' print its target, and may lead elsewhere
case ${1:-} in --help | -h) sed -n '3,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac
if [ $# -lt 2 ] || ! [[ $2 =~ ^[0-9]+$ ]]; then echo "evidence.sh: give a folder and seconds; see --help" >&2; exit 2; fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1 limit=$2 worst=0
shift 2
parts=" ${*:-pairs kde frontier functions launch works cupy widths works-large cupy-large widths-large kokkos} "
parity=${PARITY:-$here/../build/parity} tunings=$here/results/h200/pairs start=()

run() { # PART FILE COMMAND...: runs it if the part is wanted, within the time left
  local file=$2 left=$((limit - SECONDS)) code=0 began=$SECONDS
  [[ $parts == *" $1 "* ]] || return 0
  if [ $left -le 0 ]; then worst=143; return; fi
  mkdir -p "$folder/$(dirname "$file")"
  timeout --preserve-status --kill-after=60 $left "${start[@]+"${start[@]}"}" "${@:3}" --resume --output "$folder/$file.jsonl" >>"$folder/$file.log" 2>&1 || code=$?
  echo "$file: exit code $code after $((SECONDS - began)) s"
  if [ $code -eq 0 ]; then compare "$file" || code=$?; fi
  if [ $code -gt $worst ]; then worst=$code; fi
}
gpus() { grep -oE '"name": ?"[^"]*"' "$1" | sort -u; }
compare() { # FILE: compares it with the committed record if both are of the same GPU
  local new=$folder/$1.jsonl old=$folder/$1.before code=0
  git -C "$here" show "HEAD:./results/h200/$1.jsonl" >"$old" 2>/dev/null && [ "$(gpus "$old")" = "$(gpus "$new")" ] || { rm -f "$old"; return 0; }
  "$parity" compare --native --factor 1.03 "$old" "$new" >"$folder/$1.compared" 2>&1 || code=$?
  if [ $code -eq 1 ]; then echo "$1: a result is wrong, or a native one more than 3 % slower than the committed one: see $folder/$1.compared, and find out why" >&2; fi
  return $code
}
record() { run "$1" "$2" "$parity" measure "$here/plans/$3.toml" --quiet "${@:4}"; } # PART FILE PLAN OPTION...
cupy() { run "$1" "$2" "${PYTHON:-python3}" "$here/../variants/cupy/diffusion.py" "$here/plans/$3.toml" "${@:4}"; }
grids() { printf 'size='; for n in "$@"; do printf '[%s, %s, 64], ' "$n" "$n"; done; } # planes of N x N points
list() { local IFS=,; echo "$*"; }

three=(--starts 3 --repeats 15)
frontier=cuda-plane-registers,cuda-plane-cluster/2,cuda-plane-cluster/4,cuda-temporal-tuned/1,cuda-temporal-tuned/2,kokkos-plane-registers/1x1,kokkos-resident,kokkos-temporal-tuned,cuda-fused-column-tuned
record pairs pairs/pairs pairs "${three[@]}" --time-cap 0.3 --tunings "$tunings/pairs_tunings.toml"
record kde pairs/kde_pairs kde_pairs "${three[@]}" --time-cap 0.3 --tunings "$tunings/kde_pairs_tunings.toml"
record kde kde_1e8 kde_methods --set n=100000000 --set precision=float --variants kokkos-transform --starts 3 --repeats 3
record frontier frontier/frontier frontier --starts 3 --repeats 27 --time-cap 0.3 --variants $frontier
record frontier frontier/frontier_large frontier --starts 3 --repeats 9 --time-cap 0.3 --set 'size=[4096, 4096, 16]' --set steps=257 --variants cuda-temporal-tuned/1,cuda-temporal-tuned/2,kokkos-temporal-tuned,cuda-fused-column-tuned
record frontier frontier/frontier_sizes frontier --starts 3 --repeats 9 --time-cap 0.2 --variants $frontier \
  --set 'size=[100, 100, 64], [127, 129, 64], [128, 132, 64], [255, 257, 64], [1000, 600, 64], [1024, 608, 64], [1440, 721, 64], [1440, 736, 64]'
record frontier frontier/graphs frontier --starts 3 --repeats 9 --time-cap 0.3 --variants "$(list cuda-fused{,-wrap,-column}-tuned+graph-unrolled)"
record functions original_works/equation_3 launch_equation_3 --starts 6 --repeats 54 --time-cap 1
record launch launch_model launch_model "${three[@]}" --time-cap 0.3
record works original_works/figure2 figure2 --set "$(grids 8 16 32 64 128)"
record works original_works/figure3 figure3
cupy cupy original_works/figure2_cupy figure2 --repeats 3 --set "$(grids 8 16 32 64 128 256)"
cupy cupy original_works/figure3_cupy figure3 --repeats 3
record widths original_works/kde_widths kde_widths --starts 3 --repeats 3 --set n=4000,8000,16000,32000,64000,128000,256000
# Runs that take seconds use one process: they vary by less than 1 %.
graphs=$(list {kokkos,cuda}-baseline{,+graph-unrolled} cuda-baseline+graph-copy kokkos-baseline+kokkos-graph-{copy,unrolled})
kernels=$(list {kokkos,cuda}-{laplacian,shared-memory,halo-update,field-update,fused,fused+graph-unrolled} kokkos-fused+kokkos-graph-unrolled)
record works-large original_works/figure2 figure2 --repeats 3 --set "$(grids 256)" --variants "$graphs,$kernels,kokkos-laplacian-1d,cuda-laplacian-1d,kokkos-blas"
for n in 512 1024; do record works-large original_works/figure2_large figure2 --repeats 1 --set "$(grids $n)" --variants "$graphs,$kernels"; done
record works-large pairs/energy pairs --energy --starts 1 --repeats 1 --set 'size=[1024, 1024, 64]' --variants "$(list {kokkos,cuda}-{baseline,fused,fused-tuned})"
for n in 512 1024; do
  cupy cupy-large original_works/figure2_cupy_large figure2 --repeats 1 --set "$(grids $n)" \
    --variants "$(list cupy-{baseline{,+graph-copy,+graph-unrolled},laplacian-2d,shared-memory,halo-update,field-update,fused-2d})"
done
# Narrower blocks take 20 s a run; their times follow from smaller sizes.
record widths-large original_works/kde_widths_large kde_widths --repeats 1 --set n=512000,1024000 \
  --variants "$(list {cuda-original-fixed,kokkos-direct-tuned}/{16,32,64,128,256,512,1024})"
record kokkos kokkos/graphs kokkos_graphs "${three[@]}" --time-cap 0.3
record kokkos kokkos/block_size pairs --starts 3 --repeats 9 --time-cap 0.2 --set 'size=[128, 128, 64], [512, 512, 64]' --set steps=32 \
  --variants 'kokkos-baseline,kokkos-baseline-tuned/*,cuda-baseline-tuned/*'
for ranks in 1 "$(nvidia-smi -L 2>/dev/null | wc -l)"; do
  start=(mpirun -n "$ranks" --bind-to none)
  record scaling "scaling/weak_$ranks" scaling_weak --repeats 5 --time-cap 0.25 \
    --variants "$(list {kokkos,cuda}-fused-overlap {kokkos,cuda}-fused-deep/4 kokkos-temporal-tuned cuda-temporal-tuned/2)"
  record scaling "scaling/kde_$ranks" kde_pairs --repeats 5 --time-cap 0.5 --variants kokkos-ring,cuda-ring --set n=262144,1048576 --set "ranks=$ranks"
done
exit $worst
