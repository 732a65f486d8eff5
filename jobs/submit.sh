#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Submits what leads from a clone to a report: build, a sweep over a plan's slices, the report of the merged records.
#
#   jobs/submit.sh TARGET --site FILE [options]      TARGET: host p100 v100 a100 h100
#   jobs/submit.sh --resume RUN [--time T]           what is missing of an earlier submission
#
#   --site FILE      settings of your cluster: a copy of jobs/sites/example.sh
#   --plan FILE      what to measure (default: jobs/plans/cluster.toml; host: pairs_host.toml)
#   --slices N       tasks of the array (default 4); 1: one job that measures and reports
#   --nodes N        nodes of each measuring job (default: SITE_NODES, or 1)
#   --gpus N         GPUs of each node, with a task for each (default: SITE_GPUS, or 1)
#   --tasks N        tasks of each node (default: SITE_TASKS, or one a GPU); several need a plan with ranks (jobs/RANKS.md)
#   --time T         time limit of each measuring job, as sbatch takes it
#   --results DIR    where the folder of results goes (default: SITE_RESULTS, or results/ in the clone)
#   --no-build       build-TARGET is built already
#   --profile        also a job that profiles a short plan
#   --dry-run        prints what would be submitted, and beneath each job the lines that it would run; does nothing
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=common.sh
source "$here/common.sh"

declare -A given=()
target='' submitted=()
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) sed -n '3,19s/^# \{0,1\}//p' "$here/submit.sh"; exit 0 ;;
    --no-build | --profile | --dry-run) given[$1]=yes ;;
    --site | --plan | --slices | --nodes | --gpus | --tasks | --time | --results | --resume)
      [ $# -gt 1 ] || fail 2 "$1 needs a value; jobs/submit.sh --help explains"
      given[$1]=$2
      case $1 in --site | --plan | --results | --resume) given[$1]=$(absolute "$2") ;; esac
      shift
      ;;
    -*) fail 2 "$1 is no option; jobs/submit.sh --help explains" ;;
    *) [ -z "$target" ] || fail 2 "'$target' and '$1' are two targets; give one"; target=$1 ;;
  esac
  shift
done
build=$(absolute "${PARITY_BUILD:-}")
cd "$here/.."
[ -z "${given[--dry-run]:-}" ] || dry=' '

new_run() { # the folder of a new submission, not made yet
  local gpu results each value
  [ -n "$target" ] || fail 2 "name a target: $targets (jobs/submit.sh --help explains)"
  [[ " $targets " == *" $target "* ]] || fail 2 "'$target' is no target; give one of: $targets"
  site_file=${given[--site]:-} slices=${given[--slices]:-4} plan=${given[--plan]:-$(default_plan)}
  [ -n "$site_file" ] || fail 2 "name your site file with --site; jobs/sites/example.sh is there to be copied"
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
  [ -n "${PARITY_BUILD:-}" ] || build=$PWD/build-$target
  parity=$build/parity results=${given[--results]:-$(absolute "$(setting RESULTS results)")}
  run=$results/$target-$(date +%Y%m%d-%H%M%S)
  while [ -e "$run" ]; do run+=-again; done # two submissions in one second
}
old_run() { # what is missing of an earlier submission, in 'array'
  local option k missing='' jobs job name
  for option in --site --plan --slices --results --nodes --gpus --tasks; do
    [ -z "${given[$option]:-}" ] || fail 2 "$option is settled for ${given[--resume]}; only --time can be given with --resume"
  done
  load_run "${given[--resume]}" "$target"
  for ((k = 1; k <= slices; ++k)); do
    name=sweep-$k
    if [ "$slices" = 1 ]; then name=measure; fi
    [ "$(cat "$run/log/$name.exit_code" 2>/dev/null)" = 0 ] || missing+=,$k
  done
  if [ -z "$missing" ]; then say "nothing is missing in $run"; exit 0; fi
  jobs=$(sed -n 's/^# [a-z]*: job //p' "$run/submission.txt" 2>/dev/null | tr '\n' ' ') || true
  for job in $jobs; do
    [ -z "$(squeue -h -j "$job" 2>/dev/null)" ] || fail 2 "job $job of $run is still in the queue; wait for it, or end it first: scancel $jobs"
  done
  if [ -x "$parity" ] || [ "$(cat "$run/log/build.exit_code" 2>/dev/null)" = 0 ]; then given[--no-build]=yes; fi
  plan=$run/plan.toml array=${missing#,}
  read_site "$run/site.sh"
}
offers() { sinfo -h -o "$1" 2>/dev/null | sort -u | tr '\n' ' ' | sed 's/ *$//'; }
undo() { # after a refusal nothing is left, neither jobs nor a new folder of results
  [ ${#submitted[@]} = 0 ] || scancel "${submitted[@]}" || true
  [ -n "${given[--resume]:-}" ] || rm -rf "$run"
}
refused() { # STAGE WORDS: what SLURM said, in one line, with the setting to correct
  local hint='' said=${2##*sbatch: error: }
  case $2 in
    *artition*) hint="; partitions here: $(offers %R) (SITE_PARTITION)" ;;
    *ccount*) hint=" (SITE_ACCOUNT)" ;;
    *onfiguration*not*available* | *nvalid*gres* | *eature*) hint="; GPUs here: $(offers %G) (SITE_GPU, SITE_CPUS)" ;;
    *--time* | *ime*limit*) hint=" (--time, SITE_TIME)" ;;
  esac
  undo
  fail 2 "SLURM refuses the $1 job: ${said//$'\n'/ }$hint; nothing is left in the queue, correct $site_file"
}
submit() { # STAGE SCRIPT OPTIONS...: its number, in 'job'
  local stage=$1 script=jobs/$2.sbatch log=${run//%/%%}/log/${1/%sweep/sweep-%a}.txt said # %u and the like are SLURM's
  shift 2
  local words=(sbatch --parsable "--job-name=parity-$target-$stage" "--output=$log" "$@" "$script" "$run")
  if [ -n "$dry" ]; then
    printf '%s\n' "$(quoted "${words[@]}")"
    (
      unset SLURM_SUBMIT_DIR SLURM_ARRAY_TASK_ID
      if [ "$stage" = sweep ]; then line "# in task K of 1 to $slices:"; SLURM_ARRAY_TASK_ID=K; fi
      # shellcheck source=sweep.sbatch
      source "$script" "$run"
    )
    echo
    job=${stage^^}_JOB
    return
  fi
  said=$("${words[@]}" 2>&1) || refused "$stage" "$said"
  job=${said##*$'\n'} job=${job%%;*}
  [[ $job =~ ^[0-9]+$ ]] || refused "$stage" "$said"
  submitted+=("$job")
  { printf '# %s: job %s\n%s\n' "$stage" "$job" "$(quoted "${words[@]}")" | tee -a "$run/submission.txt"; } 2>/dev/null || { undo; no_space; }
}

array='' after=()
if [ -n "${given[--resume]:-}" ]; then old_run; else new_run; array=1-$slices; fi
[[ $run != *[\\$'\n']* ]] || fail 2 "the folder of results is '${run//$'\n'/ }': SLURM takes no backslash and no new line in a name; give another with --results or SITE_RESULTS"
if [ -n "$dry" ]; then
  echo "# nothing is submitted; folder of results: $run (plan $plan, site $site_file)"
else
  command -v sbatch >/dev/null || fail 3 "there is no sbatch here; run this on a login node of a SLURM cluster (--dry-run works anywhere)"
  [ -n "${given[--resume]:-}" ] || make_run "$plan"
fi

common=()
for each in ACCOUNT=account PARTITION=partition CPUS=cpus-per-task; do
  value=$(setting "${each%=*}")
  [ -z "$value" ] || common+=("--${each#*=}=$value")
done
words BUILD_OPTIONS
side=(${common[@]+"${common[@]}"} ${found[@]+"${found[@]}"})
measuring() { # NODES TASKS GPUS: the options of a measuring job, in 'options'
  local gpu each
  options=(${common[@]+"${common[@]}"})
  [ $(($1 * $2)) = 1 ] || options+=("--nodes=$1" "--ntasks=$(($1 * $2))" "--ntasks-per-node=$2")
  gpu=$(setting GPU "$([ "$target" = host ] || echo "--gres=gpu:$target:%g")")
  read -ra gpu <<<"${gpu//%g/$3}"
  options+=(${gpu[@]+"${gpu[@]}"})
  for each in "$(setting TIME)" "${given[--time]:-}"; do [ -z "$each" ] || options+=("--time=$each"); done
  words OPTIONS
  options+=(${found[@]+"${found[@]}"} ${after[@]+"${after[@]}"})
}
# The build comes first, the sweep waits for it, the report for the sweep.
if [ -z "${given[--no-build]:-}" ]; then
  submit build build ${side[@]+"${side[@]}"}
  after=("--dependency=afterok:$job" --kill-on-invalid-dep=yes)
fi
measuring "$nodes" "$tasks" "$gpus"
if [ "$slices" = 1 ]; then
  submit measure sweep ${options[@]+"${options[@]}"}
else
  submit sweep sweep "--array=$array" ${options[@]+"${options[@]}"}
  sweep=$job
fi
if [ -n "${given[--profile]:-}" ]; then measuring 1 1 1; submit profile profile ${options[@]+"${options[@]}"}; fi
[ "$slices" = 1 ] || submit report report ${side[@]+"${side[@]}"} "--dependency=afterany:$sweep"
[ -n "$dry" ] || printf 'results: %s\nwatch:   squeue --me\n' "$run"
