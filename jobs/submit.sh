#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Submits what leads from a clone to a report: build, a sweep over a plan's slices, the report of the merged records.
#
#   jobs/submit.sh TARGET --site FILE [options]      TARGET: host p100 v100 a100 h100
#   jobs/submit.sh --resume RUN [--time T]           what is missing of an earlier submission
#
#   --site FILE      settings of your cluster: a copy of jobs/sites/example.sh
#   --plan FILE      what to measure (default: jobs/plans/cluster.toml; host: cluster_host.toml)
#   --slices N       tasks of the array (default 4); 1: one job that measures and reports
#   --time T         time limit of each measuring job, as sbatch takes it
#   --results DIR    where the folder of results goes (default: SITE_RESULTS, or results/ in the clone)
#   --no-build       build-TARGET is built already
#   --profile        also a job that profiles a short plan
#   --dry-run        prints what would be submitted, and beneath each job the lines that it would run; does nothing
set -euo pipefail
called_from=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source jobs/job.sh

usage() { sed -n '3,17s/^# \{0,1\}//p' jobs/submit.sh; }
absolute() { case $1 in /*) echo "$1" ;; *) echo "$called_from/$1" ;; esac; }

target='' plan='' slices=4 time_limit='' results='' resume='' build_first=yes profile='' dry_run='' site_file='' given=''
while [ $# -gt 0 ]; do
  case $1 in
    --site | --plan | --slices | --time | --results | --resume)
      [ $# -gt 1 ] || fail 2 "$1 needs a value; jobs/submit.sh --help explains"
      given="$given $1"
      case $1 in
        --site) site_file=$(absolute "$2") ;;
        --plan) plan=$(absolute "$2") ;;
        --slices) slices=$2 ;;
        --time) time_limit=$2 ;;
        --results) results=$(absolute "$2") ;;
        --resume) resume=$(absolute "$2") ;;
      esac
      shift ;;
    --no-build) build_first= ;;
    --profile) profile=yes ;;
    --dry-run) dry_run=yes ;;
    --help | -h) usage; exit 0 ;;
    -*) fail 2 "$1 is no option; jobs/submit.sh --help explains" ;;
    *)
      [ -z "$target" ] || fail 2 "'$target' and '$1' are two targets; give one"
      target=$1 ;;
  esac
  shift
done

tasks=
if [ -n "$resume" ]; then
  for option in --site --plan --slices --results; do
    case "$given " in *" $option "*) fail 2 "$option is settled for $resume; only --time can be given with --resume" ;; esac
  done
  load_run "$resume"
  # The sweep's tasks that have not ended with 0, as SLURM writes a list of them.
  for task in $(seq "$slices"); do
    name=sweep-$task
    if [ "$slices" = 1 ]; then name=measure; fi
    [ "$(cat "$run/log/$name.exit_code" 2>/dev/null || true)" = 0 ] || tasks=$tasks${tasks:+,}$task
  done
  if [ -z "$tasks" ]; then
    say "nothing is missing in $run"
    exit 0
  fi
  jobs=$(sed -n 's/^# [a-z]*: job //p' "$run/submission.txt" 2>/dev/null | tr '\n' ' ')
  for id in $jobs; do
    if squeue -h -j "$id" 2>/dev/null | grep -q .; then fail 2 "job $id of $run is still in the queue; wait for it, or end it first: scancel $jobs"; fi
  done
  if [ "$(cat "$run/log/build.exit_code" 2>/dev/null || true)" = 0 ] || [ -x "$build/parity" ]; then build_first=; fi
  load_site "$run/site.sh"
else
  [ -n "$target" ] || fail 2 "name a target: $targets (jobs/submit.sh --help explains)"
  is_target "$target" || fail 2 "'$target' is no target; give one of: $targets"
  [ -n "$site_file" ] || fail 2 "name your site file with --site; jobs/sites/example.sh is there to be copied"
  [[ $slices =~ ^[1-9][0-9]{0,3}$ ]] || fail 2 "--slices is '$slices'; give a number from 1 to 9999"
  plan=${plan:-$(default_plan)}
  [ -f "$plan" ] || fail 2 "plan '$plan' does not exist; jobs/plans/ has some"
  load_site "$site_file"
  build=$(absolute "${PARITY_BUILD:-$root/build-$target}")
  run=${results:-$(cd "$root" && realpath -m "$(site_word RESULTS results)")}/$target-$(date +%Y%m%d-%H%M%S)
  while [ -e "$run" ]; do run=$run-again; done # two submissions in one second
  tasks=1-$slices
fi
command -v sbatch >/dev/null || [ -n "$dry_run" ] || fail 3 "there is no sbatch here; run this on a login node of a SLURM cluster (--dry-run works anywhere)"
if [ -z "$resume$dry_run" ]; then make_run "$run" "$target" "$site_file" "$plan" "$build" "$slices"; fi

# --- the jobs --------------------------------------------------------------------------------------------------------

submitted=()
# What SLURM said of a refused job, in one line, with the setting to correct.
refused() {
  local what=$1 said=$2 hint=
  case $said in
    *artition*) hint="; partitions here: $(sinfo -h -o %R 2>/dev/null | sort -u | tr '\n' ' ')(SITE_PARTITION)" ;;
    *ccount*) hint=' (SITE_ACCOUNT)' ;;
    *onfiguration*not*available* | *nvalid*gres* | *eature*) hint="; GPUs here: $(sinfo -h -o %G 2>/dev/null | sort -u | tr '\n' ' ')(SITE_GPU, SITE_CPUS)" ;;
    *--time* | *ime*limit*) hint=' (--time, SITE_TIME)' ;;
  esac
  said=${said##*sbatch: error: }
  if [ ${#submitted[@]} -gt 0 ]; then scancel "${submitted[@]}" 2>/dev/null || true; fi
  if [ -z "$resume" ]; then rm -rf "$run"; fi
  fail 2 "SLURM refuses the $what job: ${said//$'\n'/ }$hint; nothing is left in the queue, correct $site_file"
}

# submit WHAT STAGE SCRIPT OPTIONS...: leaves the job's number in 'id'. A dry run prints the stage's lines beneath.
submit() {
  local what=$1 stage_function=$2 script=$3 text word said number=%j
  shift 3
  if [ "$what" = sweep ]; then number=%A_%a; fi
  text="sbatch --parsable --job-name=parity-$target-$what --output=$(quoted "$run/log/slurm-$what-$number.out")"
  for word in "$@"; do text="$text $(quoted "$word")"; done
  text="$text $script $(quoted "$run")"
  if [ -n "$dry_run" ]; then
    id=$(tr '[:lower:]' '[:upper:]' <<<"$what")_JOB
    printf '%s\n' "$text"
    if [ "$what" = sweep ]; then printf '  # in task K of 1 to %s:\n' "$slices"; fi
    if [ "$what" = profile ]; then printf '  # with the profilers that there are:\n'; fi
    (
      stage=$what task=K place=$run
      if [ "$what" = sweep ]; then place=$run/slices/K; fi
      line "source $(quoted "$run/site.sh")"
      enter_site
      $stage_function
    )
    echo
    return
  fi
  said=$(eval "$text" 2>&1) || refused "$what" "$said"
  id=$(tail -n 1 <<<"$said")
  id=${id%%;*}
  [[ $id =~ ^[0-9]+$ ]] || refused "$what" "$said"
  submitted+=("$id")
  printf '%s\n' "# $what: job $id" "$text" | tee -a "$run/submission.txt"
}

# options NAME...: sbatch's options from the site's settings.
add_setting() { # OPTION SETTING
  local value
  value=$(site_word "$2")
  if [ -n "$value" ]; then options+=("$1=$value"); fi
}
common_options() {
  options=()
  add_setting --account ACCOUNT
  add_setting --partition PARTITION
  add_setting --cpus-per-task CPUS
}
side_options() { # of jobs that need no GPU
  common_options
  site BUILD_OPTIONS
  options+=(${reply[@]+"${reply[@]}"})
}
measuring_options() {
  local words default=
  common_options
  if [ "$target" != host ]; then default=--gres=gpu:$target:1; fi
  read -ra words <<<"$(site_word GPU "$default")"
  # The script's own --gres gives way to a request of another style.
  case " ${words[*]-} " in *" --gres"*) ;; *) if [ "$target" != host ]; then options+=(--gres=none); fi ;; esac
  options+=(${words[@]+"${words[@]}"})
  add_setting --time TIME
  if [ -n "$time_limit" ]; then options+=("--time=$time_limit"); fi
  site OPTIONS
  options+=(${reply[@]+"${reply[@]}"})
}

[ -z "$dry_run" ] || printf '# nothing is submitted; folder of results: %s (plan %s, site %s)\n' "$run" "$plan" "$site_file"
after=()
if [ -n "$build_first" ]; then
  side_options
  submit build build_stage jobs/build.sbatch "${options[@]}"
  after=("--dependency=afterok:$id" --kill-on-invalid-dep=yes)
fi
measuring_options
if [ "$slices" = 1 ]; then
  submit measure measure_and_report "jobs/$target.sbatch" "${options[@]}" ${after[@]+"${after[@]}"}
else
  submit sweep measure_stage jobs/sweep.sbatch "--array=$tasks" "${options[@]}" ${after[@]+"${after[@]}"}
  sweep=$id
fi
if [ -n "$profile" ]; then
  submit profile profile_stage jobs/profile.sbatch "${options[@]}" ${after[@]+"${after[@]}"}
fi
if [ "$slices" -gt 1 ]; then
  side_options
  submit report report_stage jobs/report.sbatch "${options[@]}" "--dependency=afterany:$sweep"
fi
[ -n "$dry_run" ] || printf 'results: %s\nwatch:   squeue --me\n' "$run"
