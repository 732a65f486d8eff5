# SPDX-License-Identifier: BSD-3-Clause
# What jobs/submit.sh and jobs/*.sbatch share: folder of results, signals, requeue, exit codes.
# shellcheck shell=bash disable=SC2034,SC2154
if declare -F start >/dev/null; then return 0; fi # a dry run has it already
set -euo pipefail
dry=${dry:-} run='' id='' doing='' outcome='' reason='' child='' told='' steps=''
# shellcheck source=site.sh
source "$(dirname "${BASH_SOURCE[0]}")/site.sh"

say() { printf 'parity-job: %s\n' "$*" || true; } # a full disk must not end the job here
fail() { outcome=$1; printf 'parity-job: %s\n' "$2" >&2 || true; exit "$1"; } # CODE TEXT
finish() { outcome=$1; exit "$1"; }
no_space() { fail 2 "cannot write to $run ($(df -Ph "${run%/*}" 2>/dev/null | awk 'NR == 2 {print $4}') free): free some space, or name another place with SITE_RESULTS or --results"; }
absolute() { case $1 in /*) printf '%s' "$1" ;; *) printf '%s/%s' "$PWD" "$1" ;; esac; }
quoted() { local text; printf -v text '%q ' "$@"; text=${text//\\,/,} text=${text//\\\*/*}; printf '%s' "${text% }"; }

# run COMMAND...: prints a line and runs it; a dry run only prints it. run_to FILE COMMAND...: its output goes to a file.
line() { printf '%s %s\n' "${dry:-+}" "$*" || true; }
run() { line "$(quoted "$@")"; [ -n "$dry" ] || "$@"; }
run_to() { local file=$1; shift; line "$(quoted "$@") >$(quoted "$file")"; [ -n "$dry" ] || "$@" >"$file"; }

# --- folder of results ----------------------------------------------------------------------------------------------
make_run() { # PLAN: a folder with plan, site and settings, whole or not at all; an array's tasks make it once
  local part="$run.$$.$RANDOM" name
  [ -f "$1" ] || fail 2 "plan '$1' does not exist; jobs/plans/ has some"
  [ ! -d "$run" ] || return 0
  { mkdir -p "$part/log" && cp "$1" "$part/plan.toml" && cp "$site_file" "$part/site.sh" &&
    for name in target build slices site_file nodes tasks gpus; do printf '%s=%q\n' "$name" "${!name}"; done >"$part/settings.sh" &&
    { mv -T "$part" "$run" || [ -d "$run" ]; }; } 2>/dev/null || { rm -rf "$part"; no_space; }
  rm -rf "$part"
}
load_run() { # FOLDER [TARGET]
  local file bad="$1 is no folder of a Parity job"
  for file in settings.sh plan.toml site.sh; do [ -r "$1/$file" ] || fail 2 "$bad (it has no $file); jobs/submit.sh makes one"; done
  run=$1 target='' build='' slices='' site_file='' nodes=1 tasks=1 gpus=1
  # shellcheck disable=SC1091
  source "$run/settings.sh"
  [[ -n $target && -n $build && $slices =~ ^[0-9]+$ ]] || fail 2 "$bad (its settings.sh is not whole); jobs/submit.sh makes one"
  [ "${2:-$target}" = "$target" ] || fail 2 "$run holds results of $target, not of $2"
  parity=$build/parity
}
default_plan() { if [ "$target" = host ]; then echo jobs/plans/pairs_host.toml; else echo jobs/plans/cluster.toml; fi; }
rows_in() { grep -c '"type":"measurement"' "$1" 2>/dev/null || true; }
save_environment() { # variables by their names alone: a secret's name can be anything
  local name
  date -u +%FT%TZ; uname -a
  printf '# commit\n'; git log -1 --format='%H %cI %s'; git status --short | head -n 20
  printf '# modules\n%s\n' "${LOADEDMODULES:-none}"
  printf '# GPU\n'; nvidia-smi; printf '# processor\n'; lscpu; printf '# parity\n'; "$parity" --version; printf '# environment\n'
  for name in SLURM_{JOB_ID,JOB_NAME,JOB_PARTITION,JOB_NODELIST,JOB_NUM_NODES,JOB_GPUS,NTASKS,CPUS_PER_TASK,CPU_BIND,ARRAY_JOB_ID,ARRAY_TASK_ID,RESTART_COUNT} \
    OMP_{NUM_THREADS,PROC_BIND,PLACES} GOMP_CPU_AFFINITY KMP_AFFINITY CUDA_{VISIBLE_DEVICES,HOME,LAUNCH_BLOCKING,MPS_PIPE_DIRECTORY} \
    Kokkos_ROOT SPACK_ENV VIRTUAL_ENV CONDA_DEFAULT_ENV CMAKE_PREFIX_PATH PATH LD_LIBRARY_PATH MODULEPATH; do
    [ -z "${!name:-}" ] || printf '%s=%s\n' "$name" "${!name}"
  done
}

# --- a job's beginning, its signals, its end ------------------------------------------------------------------------
start() { # STAGE [RUN]: the folder of results (the one named, or one of its own), the site, its modules
  local results job=${SLURM_ARRAY_JOB_ID:-${SLURM_JOB_ID:-by-hand-$(date +%Y%m%d-%H%M%S)}}
  id=$1 task=${SLURM_ARRAY_TASK_ID:-}
  if [ -n "$dry" ]; then line "source $(quoted "$run/site.sh")"; enter_site; return; fi
  trap ended EXIT
  trap 'stopped USR1' USR1
  trap 'stopped TERM' TERM INT
  # sbatch carries over what the submitting shell has set for itself; the site file may set it for jobs.
  if [ -n "${SLURM_JOB_ID:-}" ]; then unset -v "${!OMP_@}" "${!GOMP_@}" "${!KMP_@}" SRUN_CPUS_PER_TASK; fi
  if [ -z "${2:-}" ]; then
    target=${PARITY_TARGET:-host} slices=${SLURM_ARRAY_TASK_MAX:-1} nodes=${SLURM_JOB_NUM_NODES:-1} gpus=1
    [[ " $targets " == *" $target "* ]] || fail 2 "PARITY_TARGET is '$target'; give one of: $targets"
    [ "${SLURM_ARRAY_TASK_COUNT:-1}" = "$slices" ] || fail 2 "some tasks of an array alone need the folder of results that they belong to: sbatch --array=... jobs/sweep.sbatch RUN"
    site_file=${PARITY_SITE:-jobs/sites/example.sh} tasks=$((${SLURM_NTASKS:-1} / nodes))
    if [ "$tasks" = 0 ]; then tasks=1; fi
    read_site "$site_file"
    results=$(setting RESULTS "${PARITY_RESULTS:-results}") build=$(absolute "${PARITY_BUILD:-build-$target}")
    run=$(absolute "$results")/$target-$job
    make_run "${PARITY_PLAN:-$(default_plan)}"
    set -- "$1" "$run"
  fi
  load_run "$(absolute "$2")"
  { mkdir -p "$run/log" && rm -f "$run/log/$id.exit_code" && head -c 1048576 /dev/zero >"$run/.space.$id"; } 2>/dev/null ||
    { rm -f "$run/.space.$id"; no_space; } # room for a job's results
  rm -f "$run/.space.$id"
  say "$target $id${task:+ of $slices}, job $job${SLURM_RESTART_COUNT:+, start $((SLURM_RESTART_COUNT + 1))}; results in $run"
  read_site "$run/site.sh"
  enter_site
  export OMP_PROC_BIND=${OMP_PROC_BIND:-spread} OMP_PLACES=${OMP_PLACES:-cores}
  if [ -n "${SLURM_CPUS_PER_TASK:-}" ]; then # srun has not heard of the job's --cpus-per-task since SLURM 22.05
    export OMP_NUM_THREADS=${OMP_NUM_THREADS:-$SLURM_CPUS_PER_TASK} SRUN_CPUS_PER_TASK=${SRUN_CPUS_PER_TASK:-$SLURM_CPUS_PER_TASK}
  fi
  { save_environment 2>&1 || true; } | sed -E 's#//[^[:space:]]*@#//#g' >"$run/environment-$id.txt" || no_space
}
need_parity() {
  [ -n "$dry" ] || [ -x "$parity" ] || fail 3 "there is no $parity: build it with 'sbatch jobs/build.sbatch' (PARITY_TARGET=$target), or submit with jobs/submit.sh $target"
}
stoppable() { # COMMAND...: in the background, so that a signal to the job reaches it; its exit code
  local code=0
  [ -z "$reason" ] || return 143
  "$@" &
  child=$! told=''
  [ -z "$reason" ] || stop_child # a signal came a moment before
  while wait "$child" || code=$?; kill -0 "$child" 2>/dev/null; do code=0; done # a signal ends 'wait', not the command
  if [ "$code" -gt 128 ]; then code=0; wait "$child" || code=$?; fi
  if [ "$code" -lt 0 ]; then code=143; fi # bash 5.2 loses the code if a signal comes just as the command ends
  child=''
  return "$code"
}
run_stoppable() { line "$(quoted "$@")"; [ -n "$dry" ] || stoppable "$@"; }
stopped() { reason=${reason:-$1}; if [ -n "$child" ]; then stop_child; fi; }
stop_child() {
  [ -z "$told" ] || return 0
  told=1
  if [ -z "$steps" ]; then kill -TERM "$child" 2>/dev/null || true; return 0; fi
  scancel --signal=TERM "$steps" >/dev/null 2>&1 || true # srun answers a signal of its own by killing: its tasks are told first
  (sleep 30; kill -TERM "$child" 2>/dev/null) &
}
job_number() { printf '%s' "${SLURM_ARRAY_JOB_ID:-${SLURM_JOB_ID:-}}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}"; }
go_on_later() { # ROWS: the time limit is near; the job goes back into the queue if it has finished rows
  local resume="go on with: jobs/submit.sh --resume $run"
  [ "$1" -gt 0 ] || fail 143 "the time limit came before a single row was finished; ask for more time (--time, SITE_TIME), or less (--plan)"
  [ "$(setting REQUEUE yes)" = yes ] && [ -n "$(job_number)" ] || fail 143 "the time limit came; finished rows are kept, $resume"
  say "the time limit is near; finished rows are kept, and the job goes back into the queue for the rest"
  trap - EXIT TERM
  scontrol requeue "$(job_number)" || { trap ended EXIT; fail 143 "SLURM does not queue the job again; $resume"; }
  sleep 300 # SLURM ends this job
  exit 143
}
ended() {
  local code=$?
  trap - EXIT
  if [ -z "$outcome" ] && [ "$doing" = site_setup ]; then
    if [ "$code" = 0 ]; then code=2; say "site_setup $target (in $site_file) ends the shell; use 'return' there instead of 'exit'"
    else say "site_setup $target (in $site_file) failed; the lines above say why"; fi
    if [ "$code" = 1 ]; then code=3; fi # 1 would mean that a check failed
  elif [ -z "$outcome" ]; then
    say "a line of this job failed with $code; the lines above say which"
    code=3
  fi
  if [ -d "$run/log" ]; then
    { echo "$code" >"$run/log/$id.exit_code"; } 2>/dev/null || true
    say "$id ended with $code after $SECONDS s; results in $run"
  fi
  exit "$code"
}
