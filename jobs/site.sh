# SPDX-License-Identifier: BSD-3-Clause
# Reads a site file (jobs/sites/example.sh explains the settings); sourced by jobs/job.sh. The caller sets target (or leaves
# it empty) and site_file.
# shellcheck shell=bash disable=SC2034  # 'doing' is read in jobs/job.sh

targets="host p100 v100 a100 h100"
target=${target:-} site_file=${site_file:-}
site_settings="ACCOUNT PARTITION TIME CPUS GPU OPTIONS BUILD_OPTIONS MODULES CMAKE PYTHON RESULTS REQUEUE KOKKOS_TOOLS"

# fail CODE MESSAGE: one line that names the fix, in the log and in SLURM's own output.
fail() {
  local code=$1
  shift
  printf 'parity-job: %s\n' "$*" >&2
  if [ -n "${slurm_output:-}" ]; then printf 'parity-job: %s\n' "$*" >&"$slurm_output"; fi
  exit "$code"
}

is_target() { case " $targets " in *" $1 "*) ;; *) return 1 ;; esac; }

# A setting of the site, for the target if there is one: site GPU reads SITE_GPU_P100, then SITE_GPU.
# Several words go to the array 'reply'.
site() {
  local suffix name
  suffix=_$(tr '[:lower:]' '[:upper:]' <<<"$target")
  reply=()
  for name in "SITE_$1$suffix" "SITE_$1"; do
    declare -p "$name" >/dev/null 2>&1 || continue
    eval "reply=(\"\${${name}[@]}\")"
    return
  done
}
site_word() {
  site "$1"
  echo "${reply[0]:-${2:-}}"
}

# load_site FILE: reads the settings and refuses what cannot be meant.
load_site() {
  local file=$1 said name base known target_name
  [ -f "$file" ] || fail 2 "site file '$file' does not exist; copy jobs/sites/example.sh, fill it in and name it with --site"
  said=$(bash -n "$file" 2>&1) || fail 2 "site file is no shell file: $(head -n 1 <<<"$said")"
  said=$(bash -euc 'source "$1"' site "$file" 2>&1) || fail 2 "site file '$file' cannot be read: $(tail -n 1 <<<"$said")"
  # shellcheck source=sites/example.sh
  source "$file"
  for name in $(compgen -v SITE_); do
    base=${name#SITE_}
    known=
    for target_name in '' $targets; do
      target_name=${target_name:+_$(tr '[:lower:]' '[:upper:]' <<<"$target_name")}
      case " $site_settings " in *" ${base%"$target_name"} "*) known=yes ;; esac
    done
    [ -n "$known" ] || fail 2 "site file '$file': $name is no setting; there are SITE_{${site_settings// /,}}, also with _P100 and so on"
  done
  name=$(site_word REQUEUE yes)
  [[ $name =~ ^(yes|no)$ ]] || fail 2 "site file '$file': SITE_REQUEUE is '$name'; give yes or no"
  name=$(site_word CPUS 1)
  [[ $name =~ ^[1-9][0-9]{0,3}$ ]] || fail 2 "site file '$file': SITE_CPUS is '$name'; give the number of processor cores of a job"
}

# Batch shells may start without the 'module' command.
find_modules() {
  command -v module >/dev/null && return
  local init
  for init in "${MODULESHOME:-}/init/bash" "${LMOD_PKG:-}/init/bash" /etc/profile.d/lmod.sh /etc/profile.d/modules.sh; do
    [ -r "$init" ] || continue
    set +eu # these files are not written for strict shells
    # shellcheck disable=SC1090
    source "$init"
    set -eu
    command -v module >/dev/null && return
  done
  return 1
}

# Loads the site's modules and runs its site_setup. line: prints and runs one line (jobs/job.sh).
enter_site() {
  local name said before loaded
  site MODULES
  if [ ${#reply[@]} -gt 0 ] && [ -z "${dry_run:-}" ]; then
    find_modules || fail 2 "there is no 'module' command on $(hostname); leave SITE_MODULES empty or use site_setup ($site_file)"
  fi
  for name in ${reply[@]+"${reply[@]}"}; do
    before=${LOADEDMODULES:-}
    set +eu # the module command is not written for strict shells
    line "module load $name" 2>"${TMPDIR:-/tmp}/parity-module.$$"
    loaded=$?
    set -eu
    # Old module commands return 0 whatever happens: then nothing has changed, and the module was not there before.
    if [ -z "${dry_run:-}" ] && [ "$before" = "${LOADEDMODULES:-}" ] && [[ ":$before" != *":$name"* ]]; then loaded=1; fi
    said=$(grep -v '^[[:space:]]*$' "${TMPDIR:-/tmp}/parity-module.$$" | head -n 1 || true)
    rm -f "${TMPDIR:-/tmp}/parity-module.$$"
    [ $loaded = 0 ] || fail 2 "module '$name' cannot be loaded on $(hostname) (${said:-no reason given}); 'module avail' lists what there is: correct SITE_MODULES in $site_file"
  done
  if declare -F site_setup >/dev/null; then
    # Not 'line ... || fail': there the shell would pass over errors within.
    doing="site_setup $target (in $site_file)"
    line "site_setup $target"
    doing=''
  fi
}
