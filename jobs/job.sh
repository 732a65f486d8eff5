# SPDX-License-Identifier: BSD-3-Clause
# What the job scripts share: the folder of results, the site, the stages. Sourced in the top folder of the clone.
#   start TARGET STAGE [RUN]   opens the folder of results RUN, or makes one, and enters the site
#   *_stage                    what a job does; with dry_run set, only prints the lines
# shellcheck shell=bash
set -euo pipefail
root=$PWD
source jobs/site.sh

say() { printf 'parity-job: %s\n' "$*"; }
tell() { # also in SLURM's own output
  say "$*"
  if [ -n "${slurm_output:-}" ]; then say "$*" >&"$slurm_output"; fi
}
quoted() { printf '%q' "$1"; }

# line TEXT: prints a line of shell and runs it; a dry run only prints.
line() {
  if [ -n "${dry_run:-}" ]; then
    printf '  %s\n' "$*"
  else
    printf '+ %s\n' "$*"
    eval "$*"
  fi
}

# --- the folder of results -------------------------------------------------------------------------------------------

no_space() {
  local free
  free=$(df -h --output=avail "$(dirname "$1")" 2>/dev/null | tail -n 1 | tr -d ' ' || true)
  fail 2 "cannot write to $1${free:+ ($free free)}: free some space, or name another place with SITE_RESULTS or --results"
}

# make_run RUN TARGET SITE PLAN BUILD SLICES: plan, site and settings in a new folder, whole or not at all; the same folder
# made twice at once (an array's tasks) is made once.
make_run() {
  local run=$1 target=$2 site=$3 plan=$4 build=$5 slices=$6 part
  case $build in /*) ;; *) build=$root/$build ;; esac
  [ -f "$plan" ] || fail 2 "plan '$plan' does not exist; jobs/plans/ has some"
  [ -d "$run" ] && return
  part=$run.$$.$RANDOM
  # shellcheck disable=SC2064  # now
  trap "rm -rf $(quoted "$part")" EXIT
  if ! { mkdir -p "$part/log" && cp "$plan" "$part/plan.toml" && cp "$site" "$part/site.sh" &&
    printf '%s=%q\n' target "$target" build "$build" slices "$slices" site_file "$site" >"$part/settings.sh" &&
    mv -T "$part" "$run"; } 2>/dev/null && [ ! -d "$run" ]; then
    rm -rf "$part"
    no_space "$run"
  fi
  rm -rf "$part"
  trap - EXIT
}

default_plan() { if [ "$target" = host ]; then echo jobs/plans/cluster_host.toml; else echo jobs/plans/cluster.toml; fi; }

load_run() {
  local file
  for file in settings.sh plan.toml site.sh; do
    [ -r "$1/$file" ] || fail 2 "$1 is no folder of a Parity job (it has no $file); jobs/submit.sh makes one"
  done
  run=$(cd "$1" && pwd)
  local wanted=$target
  # shellcheck disable=SC1091
  source "$run/settings.sh"
  [ -z "$wanted" ] || [ "$wanted" = "$target" ] || fail 2 "$1 holds results of $target, not of $wanted"
}

# SLURM_JOB_ID of an array's last task is the number of the whole array: requeuing it would start finished tasks again.
this_job() { echo "${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}"; }

# What a reader of the results wants to know of where they come from; not what is secret.
save_environment() {
  {
    echo "# date and place"; date -u +%Y-%m-%dT%H:%M:%SZ; hostname; uname -a
    echo "# commit"; git -C "$root" log -1 --format='%H %cI %s' 2>&1 || true; git -C "$root" status --short 2>&1 | head -n 20 || true
    echo "# modules"; tr ':' '\n' <<<"${LOADEDMODULES:-none}"
    echo "# job"; if [ -n "${SLURM_JOB_ID:-}" ]; then scontrol show job "$(this_job)" 2>&1 || true; fi
    echo "# GPU"; nvidia-smi 2>&1 || true
    echo "# processor"; lscpu 2>&1 || true
    echo "# parity"; "$build/parity" --version 2>&1 || true
    echo "# environment"; env | grep -E '^[A-Za-z_][A-Za-z0-9_]*=' | grep -viE '^[^=]*(token|secret|passw|credential|key|auth|cookie)' | sort
  } >"$1"
}

# --- a job's life ----------------------------------------------------------------------------------------------------

# start TARGET STAGE [RUN]; TARGET -: the folder's own, or PARITY_TARGET.
start() {
  job=${SLURM_ARRAY_JOB_ID:-${SLURM_JOB_ID:-by-hand-$(date +%Y%m%d-%H%M%S)}}
  target=${1#-} stage=$2
  if [ -n "${3:-}" ]; then
    load_run "$3"
  else
    target=${target:-${PARITY_TARGET:-host}}
    is_target "$target" || fail 2 "PARITY_TARGET is '$target'; give one of: $targets"
    [ "${SLURM_ARRAY_TASK_COUNT:-1}" = "${SLURM_ARRAY_TASK_MAX:-1}" ] ||
      fail 2 "some tasks of an array alone need the folder of results that they belong to: sbatch --array=... jobs/sweep.sbatch RUN"
    site_file=${PARITY_SITE:-jobs/sites/example.sh}
    load_site "$site_file"
    run=$(site_word RESULTS "${PARITY_RESULTS:-$root/results}")/$target-$job
    make_run "$run" "$target" "$site_file" "${PARITY_PLAN:-$(default_plan)}" "${PARITY_BUILD:-$root/build-$target}" "${SLURM_ARRAY_TASK_MAX:-1}"
    load_run "$run"
  fi
  task=${SLURM_ARRAY_TASK_ID:-}
  place=$run
  if [ "$stage" = sweep ]; then place=$run/slices/${task:-1}; fi
  id=$stage${task:+-$task}
  { mkdir -p "$place" "$run/log" && rm -f "$run/log/$id.exit_code" && head -c 1048576 /dev/zero >"$run/.space.$id" && : >>"$run/log/$id.txt"; } \
    2>/dev/null || { rm -f "$run/.space.$id"; no_space "$run"; }
  rm -f "$run/.space.$id"
  exec {slurm_output}>&1 >>"$run/log/$id.txt" 2>&1
  tell "$target $stage${task:+ $task of $slices}, job $job${SLURM_RESTART_COUNT:+, start $((SLURM_RESTART_COUNT + 1))}: log $run/log/$id.txt"
  trap 'ended $?' EXIT
  trap 'stopped limit' USR1
  trap 'stopped term' TERM INT
  load_site "$run/site.sh"
  enter_site
  export OMP_PROC_BIND=${OMP_PROC_BIND:-spread} OMP_PLACES=${OMP_PLACES:-cores}
  if [ -n "${SLURM_CPUS_PER_TASK:-}" ]; then export OMP_NUM_THREADS=${OMP_NUM_THREADS:-$SLURM_CPUS_PER_TASK}; fi
  case $stage in measure | sweep | profile)
    [ -x "$build/parity" ] || fail 3 "there is no $build/parity: build it with 'sbatch jobs/build.sbatch' (PARITY_TARGET=$target), or submit with jobs/submit.sh $target" ;;
  esac
  save_environment "$run/environment-$id.txt" || no_space "$run"
}

ended() {
  trap - EXIT
  if [ -n "${doing:-}" ] && [ "$1" != 0 ]; then tell "$doing failed; the log says why: $run/log/$id.txt"; fi
  { echo "$1" >"$run/log/$id.exit_code"; } 2>/dev/null || true
  tell "$stage${task:+ $task} ended with $1 after $SECONDS s; results in $run"
  exit "$1"
}

child='' woken='' reason=''
stopped() {
  woken=1 reason=${reason:-$1}
  if [ -n "$child" ]; then kill -TERM "$child" 2>/dev/null || true; fi
}

# Runs a line as a child, so that a signal to the job reaches it; its exit code is in 'status'.
line_as_child() {
  status=143
  [ -z "$reason" ] || return 0
  printf '+ %s\n' "$*"
  eval "exec $*" &
  child=$!
  if [ -n "$reason" ]; then kill -TERM "$child" 2>/dev/null || true; fi # it came a moment before
  while :; do
    woken=
    status=0
    wait "$child" || status=$?
    [ -n "$woken" ] || break # otherwise a signal ended only the waiting
  done
  child=
}

count_rows() { grep -c '"type":"measurement"' "$1" 2>/dev/null || true; }

# --- stages ----------------------------------------------------------------------------------------------------------

build_stage() {
  local arguments
  site CMAKE
  arguments=$(for word in ${reply[@]+"${reply[@]}"}; do printf ' %q' "$word"; done)
  if [ "$target" != host ]; then
    # shellcheck disable=SC2016
    line 'Kokkos_ROOT=${Kokkos_ROOT:-$(cmake/bootstrap.sh --kokkos)} && export Kokkos_ROOT' || fail 3 "no Kokkos for $target: load its module (SITE_MODULES) or set Kokkos_ROOT in site_setup ($site_file)"
  fi
  line "cmake --preset $target -B $(quoted "$build") -DPARITY_ENABLE_TESTS=OFF$arguments" || fail 3 "configuring failed; the log says why: $run/log/build.txt"
  line "cmake --build $(quoted "$build") --target parity --parallel $(site_word CPUS 4)" || fail 3 "building failed; the log says why: $run/log/build.txt"
  line "$(quoted "$build/parity") --version"
}

measure_stage() {
  local slice='' before text
  if [ "$stage" = sweep ]; then slice=" --slice ${task:-1}/$slices"; fi
  text="$(quoted "$build/parity") measure $(quoted "$run/plan.toml")$slice --quiet --resume --output $(quoted "$place/records.jsonl")"
  if [ -n "${dry_run:-}" ]; then
    line "$text"
    return
  fi
  before=$(count_rows "$place/records.jsonl")
  line_as_child "$text"
  if [ "$reason" = limit ]; then go_on_later "$before"; fi
  if [ "$status" -gt 3 ]; then say "measuring ended with $status; finished rows are kept: jobs/submit.sh --resume $run"; fi
}

measure_and_report() {
  measure_stage
  local measured=${status:-0}
  if [ "$measured" -le 1 ]; then report_stage; fi
  exit "$measured"
}

# The time limit is near: the job goes back into the queue and runs the rest, unless it gets nowhere.
go_on_later() {
  if [ "$status" -le 3 ]; then return; fi # it had just finished
  if [ "$(count_rows "$place/records.jsonl")" -le "${1:-0}" ]; then
    fail 143 "the time limit came before a single row was finished; ask for more time (--time, SITE_TIME), or less (--plan)"
  fi
  [ "$(site_word REQUEUE yes)${SLURM_JOB_ID:+ in SLURM}" = "yes in SLURM" ] ||
    fail 143 "the time limit came; finished rows are kept, go on with: jobs/submit.sh --resume $run"
  tell "the time limit is near; finished rows are kept, and the job goes back into the queue for the rest"
  trap - EXIT
  scontrol requeue "$(this_job)" || fail 143 "SLURM does not queue the job again; go on with: jobs/submit.sh --resume $run"
  sleep 300 # SLURM ends this shell
  exit 143
}

report_stage() {
  local k code failed=0 python
  if [ "$slices" -gt 1 ]; then
    for k in $([ -n "${dry_run:-}" ] || seq "$slices"); do
      code=$(cat "$run/log/sweep-$k.exit_code" 2>/dev/null || echo none)
      case $code in
        0) ;;
        none) tell "slice $k of $slices did not run to its end (log/sweep-$k.txt); run it with: jobs/submit.sh --resume $run" ;;
        1) tell "slice $k of $slices has rows that failed their check (log/sweep-$k.txt)" ;;
        *) tell "slice $k of $slices ended with $code (log/sweep-$k.txt); run its rest with: jobs/submit.sh --resume $run" ;;
      esac
      if [ "$code" != 0 ]; then failed=$code; fi
    done
    if [ -z "${dry_run:-}" ] && ! ls "$run"/slices/*/records.jsonl >/dev/null 2>&1; then
      fail 3 "no slice has measured anything; see $run/log"
    fi
    line "$(quoted "$build/parity") merge $(quoted "$run")/slices/*/records.jsonl --output $(quoted "$run/records.jsonl")" || fail 2 "the slices cannot be merged; the log says why: $run/log/report.txt"
  fi
  line "$(quoted "$build/parity") merit $(quoted "$run/records.jsonl") >$(quoted "$run/merit.txt")" || true
  line "$(quoted "$build/parity") findings $(quoted "$run/records.jsonl") >$(quoted "$run/findings.txt") || true"
  python=$(site_word PYTHON "$(default_python)")
  if [ -z "${dry_run:-}" ] && ! command -v "$python" >/dev/null; then
    fail 3 "there is no '$python' for the report; correct SITE_PYTHON in $site_file and run: sbatch jobs/report.sbatch $run"
  fi
  line "$(quoted "$python") jobs/report.py $(quoted "$run/records.jsonl") --text Findings $(quoted "$run/findings.txt") --output $(quoted "$run/report.html")" ||
    fail 3 "the report cannot be drawn (SITE_PYTHON needs matplotlib and numpy); correct it in $site_file and run: sbatch jobs/report.sbatch $run"
  [ "$failed" = 0 ] || { [ "$failed" = none ] && exit 1; exit "$failed"; }
}
default_python() {
  local own
  own=$(cmake/bootstrap.sh --deps)/python/bin/python
  if [ -x "$own" ]; then echo "$own"; else echo python3; fi
}

# profile_with TOOL COMMAND...: the plan under a profiler, in a folder of its own: its times are not to be mixed with others.
profile_with() {
  local tool=$1 text
  shift
  text="$* $(quoted "$build/parity") measure $(quoted "$profile_plan") --quiet --output records.jsonl"
  if [ -n "${dry_run:-}" ]; then
    line "(cd $(quoted "$run/profile/$tool") && $text)"
    return
  fi
  rm -rf "$run/profile/$tool"
  mkdir -p "$run/profile/$tool"
  line "(cd $(quoted "$run/profile/$tool") && $text)" || fail $? "profiling with $tool failed; the log says why: $run/log/profile.txt"
  tools="$tools $tool"
}

profile_stage() {
  local library reader names
  profile_plan=$run/profile/plan.toml tools=
  line "mkdir -p $(quoted "$run/profile") && cp $(quoted "${PARITY_PROFILE_PLAN:-jobs/plans/profile.toml}") $(quoted "$profile_plan")"
  library=$(site_word KOKKOS_TOOLS "$(find_library libkp_kernel_timer.so kp_kernel_timer.so)")
  if [ -n "$library" ]; then
    [ -n "${dry_run:-}" ] || [ -r "$library" ] || fail 3 "there is no $library; correct SITE_KOKKOS_TOOLS in $site_file"
    # Kokkos 3 knows the first name only, later ones warn of it.
    names=KOKKOS_TOOLS_LIBS=$(quoted "$library")
    case $([ -n "${dry_run:-}" ] || "$build/parity" --version) in *"Kokkos: 3."*) names="KOKKOS_PROFILE_LIBRARY=$(quoted "$library")" ;; esac
    profile_with kernel-timer "env $names"
    reader=$(PATH=$PATH:$(dirname "$library"):$(dirname "$library")/../bin command -v kp_reader || true)
    if [ -n "$reader" ] && [ -z "${dry_run:-}" ]; then line "$(quoted "$reader") $(quoted "$run/profile/kernel-timer")/*.dat >$(quoted "$run/profile/kernel-timer/kernels.txt")"; fi
  fi
  if [ -n "${dry_run:-}" ] || command -v nsys >/dev/null; then
    profile_with nsys "nsys profile --trace=cuda,nvtx,osrt --output=timeline --stats=true"
  fi
  if [ -n "${dry_run:-}" ] || command -v ncu >/dev/null; then
    profile_with ncu "ncu --set=basic --launch-count=40 --export=kernels"
  fi
  [ -n "${dry_run:-}$tools" ] ||
    fail 3 "there is no profiler: name the kernel timer of kokkos-tools in SITE_KOKKOS_TOOLS ($site_file), or load a module with nsys or ncu"
  [ -n "${dry_run:-}" ] || tell "profiled with$tools: $run/profile"
}
find_library() { # NAMES... in LD_LIBRARY_PATH
  local folder folders name
  IFS=: read -ra folders <<<"${LD_LIBRARY_PATH:-}"
  for folder in ${folders[@]+"${folders[@]}"}; do
    for name in "$@"; do
      if [ -r "$folder/$name" ]; then echo "$folder/$name"; return; fi
    done
  done
}
