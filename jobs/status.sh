# SPDX-License-Identifier: BSD-3-Clause
# jobs/submit.sh --status RUN: progress of the plan, states of its jobs, reasons for waiting; sourced by jobs/submit.sh.
# shellcheck shell=bash disable=SC2154
seconds() { awk -F'[-:]' '{ s = $NF + 60 * $(NF - 1); if (NF > 2) s += 3600 * $(NF - 2); if (NF > 3) s += 86400 * $(NF - 3); print s }' <<<"$1"; } # [D-][H:]M:S
job_of() { sed -n "s/^# $1: job //p" "$run/submission.txt" 2>/dev/null | tail -n 1 || true; } # STAGE: prints its last job
queued() { # JOB [TASK]: prints "STATE|ELAPSED|REASON|START|NODES", nothing if it is not in the queue
  [ -n "$1" ] || return 0
  local said
  if said=$(squeue -h -r -j "$1${2:+_$2}" -o '%T|%M|%r|%S|%N' 2>&1); then head -n 1 <<<"$said"
  elif [[ $said != *nvalid\ job\ id* ]]; then echo "UNKNOWN||${said##*error: }||"; fi
}
waits() { # REASON START JOB: prints them in words
  local words="waits: $1"
  case $1 in
    Priority | Resources) words="waits for a free place ($1)" ;;
    Dependency) words="waits for the job before it" ;;
    DependencyNeverSatisfied) words="never begins: the job before it failed; scancel it, and go on with: $resume" ;;
    *Limit*) words="waits: $1, a limit of the partition or of your account; ask for less time or fewer nodes" ;;
    JobHeld*) words="is held: scontrol release $3" ;;
  esac
  [ "$2" = N/A ] || words+=", expected to begin at $2"
  printf '%s' "$words"
}
state_of() { # JOB TASK NAME DONE ALL: prints the state from the queue or the exit code
  local state elapsed why begins where
  IFS='|' read -r state elapsed why begins where <<<"$(queued "$1" "$2")"
  case $state in
    '') case $(code_of "$3") in
        none) if [ -e "$run/log/$3.txt" ]; then printf 'did not run to its end (log/%s.txt)' "$3"; else printf 'has not begun'; fi ;;
        0) printf 'done' ;;
        *) printf 'ended with %s (log/%s.txt)' "$(code_of "$3")" "$([ -e "$run/log/$3.txt" ] && echo "$3" || echo measure)" ;;
      esac ;;
    UNKNOWN) printf 'unknown, the queue does not answer: %s' "$why" ;;
    PENDING) waits "$why" "$begins" "$1${2:+_$2}" ;;
    *)
      printf '%s on %s for %s' "$(tr '[:upper:]' '[:lower:]' <<<"$state")" "$where" "$elapsed"
      if [ "${4:-0}" -gt 0 ] && [ "${5:-0}" -gt "$4" ]; then printf ', about %s min left' $((($(seconds "$elapsed") * ($5 - $4) / $4 + 59) / 60)); fi
      ;;
  esac
}
status() { # RUN
  local k name rows sum=0 all=0 stage job
  load_run "$1"
  printf '%s, %s slice%s, %s\n' "$target" "$slices" "$([ "$slices" = 1 ] || echo s)" "$run"
  stage=$([ "$slices" = 1 ] && echo measure || echo sweep)
  job=$(job_of build)
  [ -z "$job" ] || printf '  %-12s %s\n' build "$(state_of "$job" '' build)"
  job=$(job_of "$stage")
  for ((k = 1; k <= slices; ++k)); do
    name=$(name_of "$k") rows=$([ ! -x "$parity" ] || rows_of "$k")
    sum=$((sum + ${rows% *} + 0)) all=$((all + ${rows#* } + 0))
    # shellcheck disable=SC2046,SC2086
    printf '  %-12s %13s  %s\n' "$name" "${rows:+${rows% *} of ${rows#* } rows}" "$(state_of "$job" "$([ "$slices" = 1 ] || echo "$k")" "$name" ${rows% *} ${rows#* })"
  done
  printf '  %-12s %s\n' report "$(state_of "$([ "$slices" = 1 ] || job_of report)" '' report)"
  printf '%s of %s rows are done\n' "$sum" "$([ "$all" = 0 ] && echo "an unknown number of" || echo "$all")"
}
