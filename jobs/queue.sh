# SPDX-License-Identifier: BSD-3-Clause
# Functions of jobs/submit.sh for SLURM: options, limits, submission, the missing parts of an earlier submission.
# shellcheck shell=bash disable=SC2034,SC2154
submitted=() after=() options=()

old_run() { # puts the missing slices of an earlier submission into 'array'; empty: only the report is missing
  local option k missing='' job jobs said
  for option in --plan --slices --results --nodes --gpus --tasks; do
    [ -z "${given[$option]:-}" ] || fail 2 "$option is settled for ${given[--resume]}; only --time and --site can be given with --resume"
  done
  load_run "${given[--resume]}" "$target" 9
  plan=$run/plan.toml site_file=${given[--site]:-$site_file}
  read_site "${given[--site]:-$run/site.sh}"
  [ -z "${given[--site]:-}" ] || [ -z "$(setting BUILD)" ] || { build=$(build_folder) parity=$build/$program; }
  for ((k = 1; k <= slices; ++k)); do [ "$(code_of "$(name_of "$k")")" = 0 ] || missing+=,$k; done
  array=${missing#,}
  if [ -z "$missing" ] && [ "$(code_of report)" = 0 ]; then say "nothing is missing in $run"; exit 0; fi
  jobs=$(sed -n 's/^# [a-z]*: job //p' "$run/submission.txt" 2>/dev/null | tr '\n' ' ') || true
  for job in $jobs; do
    said=$(squeue -h -j "$job" 2>&1) || [[ $said == *nvalid\ job\ id* ]] || fail 3 "the queue does not answer, so it is unknown whether job $job of $run still runs: ${said##*error: }"
    [ -z "$said" ] || [[ $said == *nvalid\ job\ id* ]] || fail 2 "job $job of $run is still in the queue; wait for it, or end it first: scancel $jobs"
  done
  # Build again after a failed build or a corrected site file; ninja rebuilds only changes.
  if [ -x "$parity" ] && [[ $(code_of build)${given[--site]:+, corrected} =~ ^(none|0$) ]]; then given[--no-build]=yes; fi
}
options_of() { # NAME...: account, partition and other settings of the site
  local each value
  options=()
  for each; do
    value=$(setting "${each%=*}")
    [ -z "$value" ] || options+=("--${each#*=}=$value")
  done
}
side() { # [CPUS]: puts the options of build and report jobs into 'options'
  options_of ACCOUNT=account PARTITION=partition ${1:+CPUS=cpus-per-task}
  words BUILD_OPTIONS
  options+=(${found[@]+"${found[@]}"})
  [ -z "${given[--resume]:-}" ] || [ -z "${given[--time]:-}" ] || options+=("--time=${given[--time]}")
}
measuring() { # NODES TASKS GPUS: puts the options of a measuring job into 'options'
  local gpu each
  options_of ACCOUNT=account PARTITION=partition CPUS=cpus-per-task
  [ $(($1 * $2)) = 1 ] || options+=("--nodes=$1" "--ntasks=$(($1 * $2))" "--ntasks-per-node=$2")
  gpu=$(setting GPU "$([ "$target" = host ] || echo "--gres=gpu:$target:%g")")
  read -ra gpu <<<"${gpu//%g/$3}"
  options+=(${gpu[@]+"${gpu[@]}"})
  [ "$(setting EXCLUSIVE no)" = no ] || options+=(--exclusive)
  for each in "$(setting TIME)" "${given[--time]:-}"; do [ -z "$each" ] || options+=("--time=$each"); done
  words OPTIONS
  options+=(${found[@]+"${found[@]}"} ${after[@]+"${after[@]}"})
}
minutes() { # TIME as sbatch takes it; prints nothing without a limit
  local days=0 h=0 m=0 s=0 text=$1
  [[ $text =~ ^([0-9]+-)?[0-9]+(:[0-9]+){0,2}$ ]] || return 0
  if [[ $text == *-* ]]; then days=${text%%-*}; IFS=: read -r h m s <<<"${text#*-}"
  elif [[ $text == *:*:* ]]; then IFS=: read -r h m s <<<"$text"
  else IFS=: read -r m s <<<"$text"; fi
  echo $((days * 1440 + 10#${h:-0} * 60 + 10#${m:-0} + (10#${s:-0} > 0)))
}
limits() { # refuses jobs that SLURM would refuse without a reason or never start; prints the resources of an array
  local each most limit time=${SBATCH_TIMELIMIT:-01:00:00} partition=${SBATCH_PARTITION:-} shares was=''
  most=$(scontrol show config 2>/dev/null | sed -n 's/^MaxArraySize *= *//p') || true
  [ -z "$most" ] || [ "$slices" -lt "$most" ] || fail 2 "--slices is $slices, and arrays of this cluster have at most $((most - 1)) tasks (MaxArraySize): give fewer"
  for each in ${options[@]+"${options[@]}"}; do
    case $was:$each in
      *:--time=*) time=${each#*=} ;; *:--partition=*) partition=${each#*=} ;;
      -t:* | --time:*) time=$each ;; -p:* | --partition:*) partition=$each ;;
      *:-t?*) time=${each#-t} ;; *:-p?*) partition=${each#-p} ;;
    esac
    was=$each
  done
  [ -n "$partition" ] || partition=$(sinfo -h -o %P 2>/dev/null | sed -n 's/\*$//p') || true
  limit=$(sinfo -h -p "$partition" -o %l 2>/dev/null | sort -u) || true
  if [ -n "$limit" ] && [[ $limit != *$'\n'* ]] && [ -n "$(minutes "$limit")" ] && [ "$(minutes "$time")" -gt "$(minutes "$limit")" ] 2>/dev/null; then
    fail 2 "the time limit $time is beyond the $limit that partition '$partition' allows, and the jobs would wait for ever: give less (--time, SITE_TIME) or another partition (SITE_PARTITION)"
  fi
  [ "$slices" -gt 1 ] && [[ $array == *[-,]* ]] || return 0
  shares=$(sinfo -h -p "$partition" -o %h 2>/dev/null | sort -u) || true
  case " ${options[*]-} $shares " in
    *" --exclusive "* | *EXCLUSIVE*) say "each of the $slices slices has whole nodes of its own; --slices 1 takes one after the other" ;;
    *) [ "$target" != host ] || say "slices on one node disturb each other's times; SITE_EXCLUSIVE=yes gives each a node, --slices 1 needs one" ;;
  esac
}
offers() { sinfo -h -o "$1" 2>/dev/null | sort -u | tr '\n' ' ' | sed 's/ *$//'; }
undo() { # after a refusal, removes submitted jobs and a new folder of results
  [ ${#submitted[@]} = 0 ] || scancel "${submitted[@]}" || true
  [ -n "${given[--resume]:-}" ] || rm -rf "$run"
}
refused() { # STAGE WORDS: prints SLURM's message in one line, with the setting to correct
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
submit() { # STAGE SCRIPT OPTIONS...: puts the job's number into 'job'
  local stage=$1 script=jobs/$2.sbatch log=${run//%/%%}/log/${1/%sweep/sweep-%a}.txt said # SLURM expands %u and similar
  shift 2
  local words=(sbatch --parsable "--job-name=$target-$stage" "--output=$log" "$@" "$script" "$run")
  if [ -n "$dry" ]; then
    printf '%s\n' "$(quoted "${words[@]}")"
    (
      unset SLURM_SUBMIT_DIR SLURM_ARRAY_TASK_ID
      if [ "$stage" = sweep ]; then line "# in task K of ${array/#1-/1 to }:"; SLURM_ARRAY_TASK_ID=K; fi
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
