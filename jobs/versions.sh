#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures programs that were built with different versions of Kokkos, one process of each in turn, in three rounds; the next call continues
# where this one stopped.
#   jobs/versions.sh FOLDER SECONDS NAME=PROGRAM...       such as 4.6.01=build-46/parity 5.2.2=build-522/parity
# FOLDER/PART_NAME.jsonl are the records; 'parity findings FOLDER/PART_*.jsonl' prints a column for each version. PARTS: for a GPU, the
# most important first (ladder pairs functors kde frontier), or for a host (ladder host functors). ROUNDS (3); SAMPLES of a filter per round
# (1; of the others 3); SIZES of filters.
# It exits with 0 if everything was measured, with 143 if the time ran out, else with the worst exit code of parity.
set -uo pipefail
unset CDPATH # it makes 'cd' print its target, and may lead elsewhere
case ${1:-} in --help | -h) sed -n '3,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac
usage() { echo "versions.sh: $1; see --help" >&2; exit 2; }
if [ $# -lt 3 ] || ! [[ $2 =~ ^[0-9]+$ ]]; then usage "give a folder, seconds and programs"; fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1 limit=$2 worst=0
shift 2
for program in "$@"; do
  [[ $program == ?*=?* ]] || usage "'$program' is not NAME=PROGRAM"
  [ -x "${program#*=}" ] || usage "${program#*=} cannot be executed"
done
mkdir -p "$folder"
list() { local IFS=,; echo "$*"; }
filters=$(list {kokkos,cuda}-{copy,baseline,laplacian,shared-memory,field-update,fused-1d,fused-wrap,fused-column}{,-tuned})
densities=$(list {kokkos,cuda}-{direct,split,direct-tuned,split-tuned,register-tile,symmetric})
frontier=$(list cuda-plane-{registers,cluster/2,cluster/4} cuda-temporal-tuned/2 kokkos-{plane-registers/1x1,resident,temporal-tuned})
sizes=${SIZES:-}
of_part() { # PART: puts its samples per round, plan and options into 'part'
  local few=${SAMPLES:-1}
  case $1 in
    ladder) part=("$few" ladder ${sizes:+--set "size=$sizes"}) ;;
    pairs) part=("$few" pairs --variants "$filters" --tunings "$here/results/h200/pairs/pairs_tunings.toml" ${sizes:+--set "size=$sizes"}) ;;
    host) part=(3 pairs_host ${sizes:+--set "size=$sizes"}) ;;
    functors) part=(3 kokkos_functors) ;;
    kde) part=(3 kde_pairs --variants "$densities") ;;
    frontier) part=(3 frontier --variants "$frontier" --set "size=${sizes:-[64, 64, 64], [128, 128, 64], [256, 256, 64], [512, 512, 64]}") ;;
    *) usage "'$1' is no part" ;;
  esac
}
read -ra parts <<<"${PARTS:-ladder pairs functors kde frontier}"
for name in "${parts[@]}"; do of_part "$name"; done
for name in "${parts[@]}"; do
  of_part "$name"
  began=$SECONDS
  for ((round = 1; round <= ${ROUNDS:-3}; ++round)); do
    for program in "$@"; do
      left=$((limit - SECONDS)) code=0 file=$folder/${name}_${program%%=*}
      if [ $left -le 0 ]; then echo "versions.sh: the time was over in $name, round $round"; exit 143; fi
      timeout --preserve-status --kill-after=30 $left "${program#*=}" measure "$here/plans/${part[1]}.toml" "${part[@]:2}" --quiet \
        --starts "$round" --repeats $((round * part[0])) --time-cap "$((round / 10)).$((round % 10))" --resume --output "$file.jsonl" >>"$file.log" 2>&1 || code=$?
      if [ $code -gt $worst ]; then worst=$code; fi
      [ $code -eq 0 ] || { echo "$name, ${program%%=*}, round $round: exit code $code"; tail -n 3 "$file.log"; }
    done
  done
  echo "$name: $((SECONDS - began)) s"
done
exit $worst
