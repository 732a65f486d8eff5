# SPDX-License-Identifier: BSD-3-Clause
# Shared by jobs/*.sbatch: a job's start, its signals, its continuation after a time limit, its exit code.
# shellcheck shell=bash disable=SC2034,SC2154
if declare -F start >/dev/null; then return 0; fi # a dry run has sourced it already
doing='' reason='' child='' told='' steps='' own_code='' part=''
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=program.sh
source "$(dirname "${BASH_SOURCE[0]}")/program.sh"

save_environment() { # records only the names of variables, since a secret can have any name
  local name
  printf '## start of job %s\n' "$job"; date -u +%FT%TZ; uname -a
  printf '# commit\n'; git log -1 --format='%H %cI %s'; git status --short | head -n 20
  printf '# modules\n%s\n' "${LOADEDMODULES:-none}"
  printf '# GPU\n'; nvidia-smi; printf '# processor\n'; lscpu; printf '# built on\n'; cat "$build/processor.txt"
  printf '# parity\n'; "$parity" --version; printf '# environment\n'
  for name in SLURM_{JOB_ID,JOB_NAME,JOB_PARTITION,JOB_NODELIST,JOB_NUM_NODES,JOB_GPUS,NTASKS,CPUS_PER_TASK,CPU_BIND,ARRAY_JOB_ID,ARRAY_TASK_ID,RESTART_COUNT} \
    OMP_{NUM_THREADS,PROC_BIND,PLACES} GOMP_CPU_AFFINITY KMP_AFFINITY CUDA_{VISIBLE_DEVICES,HOME,LAUNCH_BLOCKING,MPS_PIPE_DIRECTORY} \
    Kokkos_ROOT SPACK_ENV VIRTUAL_ENV CONDA_DEFAULT_ENV CMAKE_PREFIX_PATH PATH LD_LIBRARY_PATH MODULEPATH; do
    [ -z "${!name:-}" ] || printf '%s=%s\n' "$name" "${!name}"
  done
}
start() { # STAGE [RUN]: sets up the folder of results (RUN, or a new one), the site and its modules
  local results job=${SLURM_ARRAY_JOB_ID:-${SLURM_JOB_ID:-by-hand-$(date +%Y%m%d-%H%M%S)}}
  id=$1 task=${SLURM_ARRAY_TASK_ID:-}
  if [ -n "$dry" ]; then line "source $(quoted "$run/site.sh")"; enter_site; return; fi
  trap ended EXIT
  trap 'stopped USR1' USR1
  trap 'stopped TERM' TERM INT
  # sbatch exports variables of the submitting shell; the site file may set them for jobs.
  if [ -n "${SLURM_JOB_ID:-}" ]; then unset -v "${!OMP_@}" "${!GOMP_@}" "${!KMP_@}" SRUN_CPUS_PER_TASK; fi
  if [ -z "${2:-}" ]; then
    target=${PARITY_TARGET:-host} slices=${SLURM_ARRAY_TASK_MAX:-1} nodes=${SLURM_JOB_NUM_NODES:-1} gpus=1
    [[ " $targets " == *" $target "* ]] || fail 2 "PARITY_TARGET is '$target'; give one of: $targets"
    [ "${SLURM_ARRAY_TASK_COUNT:-1}" = "$slices" ] || fail 2 "some tasks of an array alone need the folder of results that they belong to: sbatch --array=... jobs/sweep.sbatch RUN"
    site_file=$(absolute "${PARITY_SITE:-jobs/sites/example.sh}") tasks=$((${SLURM_NTASKS:-1} / nodes))
    if [ "$tasks" = 0 ]; then tasks=1; fi
    read_site "$site_file"
    results=$(setting RESULTS "${PARITY_RESULTS:-results}") build=$(build_folder) program=parity
    run=$(absolute "$results")/$target-$job
    make_run "${PARITY_PLAN:-$(default_plan)}"
    set -- "$1" "$run"
  fi
  load_run "$(absolute "$2")"
  { mkdir -p "$run/log" && rm -f "$run/log/$id.exit_code" && part=$(mktemp "$run/.part.XXXXXX") && head -c 1048576 /dev/zero >"$part"; } 2>/dev/null ||
    { rm -f "$part"; no_space; } # checks the room for a job's results
  say "$target $id${task:+ of $slices}, job $job${SLURM_RESTART_COUNT:+, start $((SLURM_RESTART_COUNT + 1))}; results in $run"
  read_site "$run/site.sh"
  enter_site
  export OMP_PROC_BIND=${OMP_PROC_BIND:-spread} OMP_PLACES=${OMP_PLACES:-cores}
  if [ -n "${SLURM_CPUS_PER_TASK:-}" ]; then # since SLURM 22.05 srun ignores the job's --cpus-per-task
    export OMP_NUM_THREADS=${OMP_NUM_THREADS:-$SLURM_CPUS_PER_TASK} SRUN_CPUS_PER_TASK=${SRUN_CPUS_PER_TASK:-$SLURM_CPUS_PER_TASK}
  fi
  # Keeps the environment of every start of the job.
  { [ ! -f "$run/environment-$id.txt" ] || cat "$run/environment-$id.txt"; { save_environment 2>&1 || true; } | sed -E 's#//[^[:space:]]*@#//#g'; } >"$part" || no_space
  replace "$part" "$run/environment-$id.txt"
}
stoppable() { # COMMAND...: runs it in the background, so that a signal to the job reaches it; returns its exit code
  local code=0
  [ -z "$reason" ] || return 143
  "$@" &
  child=$! told=''
  [ -z "$reason" ] || stop_child # a signal came just before
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
  scancel --signal=TERM "$steps" >/dev/null 2>&1 || true # srun reacts to a signal by killing its tasks, so signal these first
  (sleep 30; kill -TERM "$child" 2>/dev/null) &
}
job_number() { printf '%s' "${SLURM_ARRAY_JOB_ID:-${SLURM_JOB_ID:-}}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}"; }
go_on_later() { # ROWS: requeues the job near its time limit if it has finished results
  [ "$1" -gt 0 ] || fail 143 "the time limit came before a single row was finished; ask for more time (--time, SITE_TIME), or less (--plan)"
  [ "$(setting REQUEUE yes)" = yes ] && [ -n "$(job_number)" ] || fail 143 "the time limit came; finished rows are kept, go on with: $resume"
  say "the time limit is near; finished rows are kept, and the job goes back into the queue for the rest"
  trap - EXIT TERM
  scontrol requeue "$(job_number)" || { trap ended EXIT; fail 143 "SLURM does not queue the job again; go on with: $resume"; }
  sleep 300 # SLURM ends this job meanwhile
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
    rm -f "$part"
    { echo "${own_code:-$code}" >"$run/log/$id.exit_code"; } 2>/dev/null || true
    say "$id ended with $code after $SECONDS s; results in $run"
  fi
  exit "$code"
}
