#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Submits all jobs from a clone to a report: build, a sweep over a plan's slices, the report of the merged records.
#
#   jobs/submit.sh TARGET --site FILE [options]      TARGET: host p100 v100 a100 h100 mi250
#   jobs/submit.sh --resume RUN [--time T] [--site FILE]   submits the missing parts of an earlier submission
#   jobs/submit.sh --status RUN                      results done, slices, reasons for waiting, time left
#
#   --site FILE      settings of your cluster, a script that the jobs run: a copy of one of jobs/sites
#   --plan FILE      the plan to measure (default: jobs/plans/cluster.toml; host: pairs_host.toml)
#   --slices N       tasks of the array (default 4); 1: one job that measures and reports
#   --nodes N        nodes of each measuring job (default: SITE_NODES, or 1)
#   --gpus N         GPUs of each node, with a task for each (default: SITE_GPUS, or 1)
#   --tasks N        tasks of each node (default: SITE_TASKS, or one a GPU); several need a plan with ranks (jobs/RANKS.md)
#   --time T         time limit of each measuring job, as sbatch takes it; with --resume, of the others too
#   --results DIR    parent of the folder of results (default: SITE_RESULTS, or results/ in the clone)
#   PARITY=FILE      variable: a program of your own kernels (miniapp/OWN_KERNELS.md), not called parity; needs --plan
#   --no-build       the program of the target is built already
#   --profile        also a job that profiles a short plan
#   --dry-run        prints the jobs, and below each job the lines that it would run; submits nothing
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=job.sh
source "$here/job.sh"
# shellcheck source=queue.sh
source "$here/queue.sh"

declare -A given=()
target=''
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) sed -n '3,/--dry-run/s/^# \{0,1\}//p' "$here/submit.sh"; exit 0 ;;
    --no-build | --profile | --dry-run) given[$1]=yes ;;
    --site | --plan | --slices | --nodes | --gpus | --tasks | --time | --results | --resume | --status)
      [ $# -gt 1 ] || fail 2 "$1 needs a value; jobs/submit.sh --help explains"
      given[$1]=$2
      case $1 in --site | --plan | --results | --resume | --status) given[$1]=$(absolute "$2") ;; esac
      shift
      ;;
    -*) fail 2 "$1 is no option; jobs/submit.sh --help explains" ;;
    *) [ -z "$target" ] || fail 2 "'$target' and '$1' are two targets; give one"; target=$1 ;;
  esac
  shift
done
[ -z "${PARITY_BUILD:-}" ] || PARITY_BUILD=$(absolute "$PARITY_BUILD")
[ -z "${PARITY:-}" ] || PARITY=$(absolute "$PARITY")
cd "$here/.."
[ -z "${given[--dry-run]:-}" ] || dry=' '
if [ -n "${given[--status]:-}" ]; then
  # shellcheck source=status.sh
  source jobs/status.sh
  status "${given[--status]}"
  exit 0
fi

new_run() { # chooses the folder of a new submission, without creating it
  local gpu results each value said code=0
  [ -n "$target" ] || fail 2 "name a target: $targets (jobs/submit.sh --help explains)"
  [[ " $targets " == *" $target "* ]] || fail 2 "'$target' is no target; give one of: $targets"
  site_file=${given[--site]:-} slices=${given[--slices]:-4} plan=${given[--plan]:-$(default_plan)}
  [ -n "$site_file" ] || fail 2 "name your site file with --site; jobs/sites/ has some to be copied"
  number "$slices" || fail 2 "--slices is '$slices'; give a number from 1 to 9999"
  [ -f "$plan" ] || fail 2 "plan '$plan' does not exist; jobs/plans/ has some"
  read_site "$site_file"
  for each in nodes gpus tasks; do
    value=${given[--$each]:-$(setting "${each^^}")}
    [ -z "$value" ] || number "$value" || fail 2 "--$each is '$value'; give a number from 1 to 9999"
    printf -v "$each" %s "$value"
  done
  [ "$target" != host ] || [ -z "${given[--gpus]:-}" ] || fail 2 "--gpus is for targets with a GPU; for host give --tasks"
  if [ "$target" = host ]; then gpus=1; fi
  nodes=${nodes:-1} gpus=${gpus:-1} tasks=${tasks:-${gpus:-1}}
  [ $((nodes * tasks)) = 1 ] || [ -n "${given[--plan]:-}" ] ||
    fail 2 "$((nodes * tasks)) tasks on $nodes node$([ "$nodes" = 1 ] || echo s) need a plan whose problems they share (an axis of ranks; jobs/RANKS.md): name it with --plan"
  gpu=$(setting GPU %g)
  [ "$gpus" = 1 ] || [[ $gpu == *%g* ]] || fail 2 "SITE_GPU is '$gpu', which asks for GPUs whatever --gpus says: write %g in the place of the number of a node's"
  build=$(build_folder) results=${given[--results]:-$(absolute "$(setting RESULTS results)")}
  program=parity
  if [ -n "${PARITY:-}" ] && [ "${PARITY##*/}" != parity ]; then
    [ -x "$PARITY" ] && [ -n "${given[--plan]:-}" ] || fail 2 "PARITY is '$PARITY': name a program of yours that is built, and its plan with --plan"
    build=${PARITY%/*} program=${PARITY##*/} given[--no-build]=yes
  fi
  parity=$build/$program run=$results/$target-$(date +%Y%m%d-%H%M%S)
  while [ -e "$run" ]; do run+=-again; done # two submissions in the same second
  if [ -x "$parity" ]; then said=$("$parity" measure "$plan" --check 2>&1) || code=$?; fi
  [ "$code" != 2 ] || [[ $said == *--check* ]] || fail 2 "$parity cannot measure this plan: ${said#parity: } (if it is an old program, build it anew first)"
}

array=''
if [ -n "${given[--resume]:-}" ]; then old_run; else new_run; array=1-$slices; fi
[[ $run != *[\\$'\n']* ]] || fail 2 "the folder of results is '${run//$'\n'/ }': SLURM takes no backslash and no new line in a name; give another with --results or SITE_RESULTS"
[ -n "$dry" ] || command -v sbatch >/dev/null || fail 3 "there is no sbatch here; run this on a login node of a SLURM cluster (--dry-run works anywhere)"
measuring "$nodes" "$tasks" "$gpus"
limits
if [ -n "$dry" ]; then echo "# nothing is submitted; folder of results: $run (plan $plan, site $site_file)"
elif [ -z "${given[--resume]:-}" ]; then make_run "$plan"
elif [ -n "${given[--site]:-}" ]; then
  part=$(mktemp "$run/.part.XXXXXX") && cp "$site_file" "$part" && replace "$part" "$run/site.sh" || no_space
  part=$(mktemp "$run/.part.XXXXXX") && write_settings >"$part" && replace "$part" "$run/settings.txt" || no_space
fi
# The sweep waits for the build, the report for the sweep.
if [ -z "${given[--no-build]:-}" ] && [ -n "$array" ]; then
  side CPUS
  submit build build ${options[@]+"${options[@]}"}
  after=("--dependency=afterok:$job" --kill-on-invalid-dep=yes)
fi
measuring "$nodes" "$tasks" "$gpus"
if [ -z "$array" ]; then after=()
elif [ "$slices" = 1 ]; then submit measure sweep ${options[@]+"${options[@]}"}
else submit sweep sweep "--array=$array" ${options[@]+"${options[@]}"}; after=("--dependency=afterany:$job"); fi
if [ -n "${given[--profile]:-}" ]; then measuring 1 1 1; submit profile profile ${options[@]+"${options[@]}"}; fi
side
[ "$slices" = 1 ] && [ -n "$array" ] || submit report report ${options[@]+"${options[@]}"} ${after[@]+"${after[@]}"}
[ -n "$dry" ] || printf 'results: %s\nwatch:   jobs/submit.sh --status %s\n' "$run" "$(quoted "$run")"
