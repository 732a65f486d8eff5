# SPDX-License-Identifier: BSD-3-Clause
# Shared by jobs/submit.sh and the jobs: messages, printed commands, the folder of results and checks of its owner.
# shellcheck shell=bash disable=SC2034,SC2154
set -euo pipefail
umask go-w # nobody else may write to a job's folder, because the job executes its files
dry=${dry:-} run='' id='' outcome='' resume=''
# shellcheck source=site.sh
source "$(dirname "${BASH_SOURCE[0]}")/site.sh"

say() { printf 'parity-job: %s\n' "$*" || true; } # a full disk must not end the job here
fail() { outcome=$1; printf 'parity-job: %s\n' "$2" >&2 || true; exit "$1"; } # CODE TEXT
finish() { outcome=$1; exit "$1"; }
no_space() { fail 2 "cannot write to $run ($(df -Ph "${run%/*}" 2>/dev/null | awk 'NR == 2 {print $4}') free): free some space, or name another place with SITE_RESULTS or --results"; }
absolute() { # PATH; "~" in quotes or in a site file is the home folder too
  case $1 in
    /*) printf '%s' "$1" ;;
    \~ | \~/*) printf '%s%s' "$HOME" "${1#\~}" ;;
    *) printf '%s/%s' "$PWD" "$1" ;;
  esac
}
quoted() { local text; printf -v text '%q ' "$@"; text=${text//\\,/,} text=${text//\\\*/*}; printf '%s' "${text% }"; }

# run COMMAND...: prints a line and runs it; a dry run only prints it. run_to FILE COMMAND...: its output becomes FILE.
line() { printf '%s %s\n' "${dry:-+}" "$*" || true; }
run() { line "$(quoted "$@")"; [ -n "$dry" ] || "$@"; }
run_to() {
  local file=$1 part code=0
  shift
  line "$(quoted "$@") >$(quoted "$file")"
  [ -z "$dry" ] || return 0
  part=$(mktemp "$run/.part.XXXXXX") || no_space
  "$@" >"$part" || code=$?
  replace "$part" "$file"
  return "$code"
}
replace() { chmod "$(printf '%o' $((0666 & ~$(umask))))" "$1" && mv -fT "$1" "$2" || { rm -f "$1"; no_space; }; } # PART FILE: replaces a link FILE instead of following it

# --- folder of results ----------------------------------------------------------------------------------------------
settings_of_run="target build program slices site_file nodes tasks gpus"
write_settings() { for name in $settings_of_run; do printf '%s=%s\n' "$name" "${!name}"; done; }
without_acl() { if command -v setfacl >/dev/null; then setfacl -bk "$1" || true; fi; } # FOLDER: the default ACL of a project folder overrides the umask
make_run() { # PLAN: makes a folder with plan, site and settings atomically; the tasks of an array make it once
  local part="$run.$$.$RANDOM" name
  [ -f "$1" ] || fail 2 "plan '$1' does not exist; jobs/plans/ has some"
  [[ $build$program$site_file != *[[:cntrl:]]* ]] || fail 2 "the name of the program, its folder or the site file has a new line or other control character; give another"
  [ ! -d "$run" ] || return 0
  { mkdir -p "${part%/*}" && mkdir "$part" && without_acl "$part" && mkdir "$part/log" && cp "$1" "$part/plan.toml" && cp "$site_file" "$part/site.sh" &&
    chmod u=rw,go=r "$part/plan.toml" "$part/site.sh" && write_settings >"$part/settings.txt" && chmod -R go-w "$part" &&
    { mv -T "$part" "$run" || [ -d "$run" ]; }; } 2>/dev/null || { rm -rf "$part"; no_space; }
  rm -rf "$part"
}
trusted() { # FOLDER [DEPTH]: refuses files that other people own or may write, and anything but plain files and folders
  local bad why
  bad=$(find "$1/." -maxdepth "${2:-1}" \( ! -user "$EUID" -o -perm /022 -o ! -type f ! -type d \) -print -quit 2>/dev/null) || true
  [ -n "$bad" ] || return 0
  if [ -L "$bad" ]; then why="is a link"
  elif [ ! -O "$bad" ]; then why="belongs to $(stat -c %U "$bad")"
  elif [ ! -f "$bad" ] && [ ! -d "$bad" ]; then why="is no plain file"
  else fail 2 "${bad//\/.\//\/} may be written by others, and a job would run what they write: look at it, then chmod -R go-w $(quoted "$1")"; fi
  fail 2 "${bad//\/.\//\/} $why: jobs run only folders of results that are all yours; submit its plan anew"
}
load_run() { # FOLDER [TARGET [DEPTH]]
  local file text bad="$1 is no folder of a Parity job"
  for file in settings.txt plan.toml site.sh; do [ -e "$1/$file" ] || fail 2 "$bad (it has no $file); jobs/submit.sh makes one"; done
  trusted "$1" "${3:-1}"
  target='' build='' program=parity slices='' site_file='' nodes=1 tasks=1 gpus=1
  while IFS= read -r text; do # read as data, never executed
    case " $settings_of_run " in *" ${text%%[ =]*} "*) printf -v "${text%%[ =]*}" %s "${text#*=}" ;; esac
  done <"$1/settings.txt"
  ! LC_ALL=C grep -q '[[:cntrl:]]' "$1/settings.txt" && [[ " $targets " == *" $target "* && $build == /* ]] && number "$slices" && number "$nodes" && number "$tasks" && number "$gpus" ||
    fail 2 "$bad (its settings.txt is not whole); jobs/submit.sh makes one"
  [ "${2:-$target}" = "$target" ] || fail 2 "$1 holds results of $target, not of $2"
  run=$1 parity=$build/$program resume="jobs/submit.sh --resume $(quoted "$1")"
}
name_of() { if [ "$slices" = 1 ]; then echo measure; else echo "sweep-$1"; fi; } # SLICE: prints the name of its job
records_of() { if [ "$slices" = 1 ]; then echo "$run/records.jsonl"; else echo "$run/slices/$1/records.jsonl"; fi; }
code_of() { cat "$run/log/$1.exit_code" 2>/dev/null || echo none; } # JOB
rows_of() { # SLICE: prints "DONE ALL", counts of the plan's results; nothing if the program cannot tell
  local slice=()
  [ "$slices" = 1 ] || slice=(--slice "$1/$slices")
  "$parity" measure "$run/plan.toml" --check ${slice[@]+"${slice[@]}"} --output "$(records_of "$1")" 2>/dev/null |
    sed -nE 's/^[0-9]+ problems, ([0-9]+) rows, ([0-9]+) done$/\2 \1/p' || true
}
default_plan() { if [ "$target" = host ]; then echo jobs/plans/pairs_host.toml; else echo jobs/plans/cluster.toml; fi; }
build_folder() { absolute "${PARITY_BUILD:-$(setting BUILD "build-$target")}"; }
