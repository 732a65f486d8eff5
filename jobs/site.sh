# SPDX-License-Identifier: BSD-3-Clause
# Reads a site file and loads its modules; sourced by jobs/common.sh. A site file is a script that the user names, and runs as the user.
# shellcheck shell=bash disable=SC2034,SC2154
targets="host p100 v100 a100 h100 mi250"
settings="ACCOUNT PARTITION TIME CPUS GPU NODES GPUS TASKS MPI EXCLUSIVE OPTIONS BUILD_OPTIONS MODULES CMAKE BUILD PYTHON RESULTS REQUEUE KOKKOS_TOOLS TARGETS"

words() { # NAME: puts the words of SITE_NAME_TARGET, or else of SITE_NAME, into 'found'
  local name all
  found=()
  for name in "SITE_$1_${target^^}" "SITE_$1"; do
    declare -p "$name" >/dev/null 2>&1 || continue
    all="${name}[@]"
    set +u; found=("${!all}"); set -u # old shells treat an empty array as unbound
    return
  done
}
setting() { local found; words "$1"; printf '%s' "${found[0]:-${2:-}}"; } # NAME [DEFAULT]: prints its first word
unset CDPATH # it makes 'cd' print its target, and may lead elsewhere
number() { [[ $1 =~ ^[1-9][0-9]{0,3}$ ]]; }
read_site() { # FILE: refuses implausible settings with one line
  local said name known='' each bad="site file '$1'"
  [ -f "$1" ] || fail 2 "$bad does not exist; copy jobs/sites/example.sh, fill it in and name it with --site"
  ! LC_ALL=C grep -q $'\r$\|^\xef\xbb\xbf' "$1" || fail 2 "$bad has carriage returns or a byte-order mark; remove them: sed -i '1s/^\\xef\\xbb\\xbf//; s/\\r\$//' $(quoted "$1")"
  said=$(bash -n "$1" 2>&1) || fail 2 "site file is no shell file: ${said%%$'\n'*}"
  said=$(bash -euc 'source "$1"; printf "\nend"' - "$1" 2>&1) && [[ $said == *$'\nend' ]] ||
    fail 2 "$bad cannot be read: $(said=${said:-it ends the shell}; printf '%s' "${said##*$'\n'}")"
  # shellcheck source=sites/example.sh
  source "$1" >/dev/null
  for each in $settings; do known+=" SITE_$each"; for name in $targets; do known+=" SITE_${each}_${name^^}"; done; done
  for name in $(compgen -v SITE_); do
    [[ " $known " == *" $name "* ]] || fail 2 "$bad: $name is no setting; there are SITE_{${settings// /,}}, also with _P100 and so on"
  done
  words TARGETS
  [ ${#found[@]} = 0 ] || [[ " ${found[*]} " == *" $target "* ]] || fail 2 "$bad is for the targets ${found[*]}, not for $target"
  for each in REQUEUE EXCLUSIVE; do
    case $(setting "$each" yes) in yes | no) ;; *) fail 2 "$bad: SITE_$each is '$(setting "$each")'; give yes or no" ;; esac
  done
  for each in "CPUS processors of a task" "NODES nodes of a measuring job" "GPUS GPUs of a node" "TASKS tasks of a node"; do
    name=${each%% *}
    number "$(setting "$name" 1)" || fail 2 "$bad: SITE_$name is '$(setting "$name")'; give the number of ${each#* }"
  done
  [[ $(setting MPI pmix) =~ ^[A-Za-z0-9_]+$ ]] || fail 2 "$bad: SITE_MPI is '$(setting MPI)'; give one of what 'srun --mpi=list' names, or mpirun"
}
find_modules() { # batch shells may lack the 'module' command
  local init
  for init in "" "${MODULESHOME:-}/init/bash" "${LMOD_PKG:-}/init/bash" /etc/profile.d/lmod.sh /etc/profile.d/modules.sh; do
    # shellcheck disable=SC1090
    if [ -r "$init" ]; then set +eu; source "$init"; set -eu; fi
    ! declare -F module >/dev/null || return 0
  done
  fail 2 "there is no 'module' command on $HOSTNAME; leave SITE_MODULES empty or use site_setup ($site_file)"
}
load_modules() { # NAME...: old module commands always return 0
  local name before code
  for name; do
    line "module load $name"
    [ -z "$dry" ] || continue
    declare -F module >/dev/null || find_modules
    before=${LOADEDMODULES:-}
    # shellcheck disable=SC2086  # several modules may be in one word
    { set +eu; module load $name; code=$?; set -eu; } # the module command does not work in strict shells
    if [ "$before" = "${LOADEDMODULES:-}" ] && [[ ":$before" != *":$name"* ]]; then code=1; fi
    [ "$code" = 0 ] || fail 2 "module '$name' cannot be loaded on $HOSTNAME; 'module avail' lists what there is: correct SITE_MODULES in $site_file${resume:+, and go on with: $resume --site $(quoted "$site_file")}"
  done
}
enter_site() {
  words MODULES
  load_modules ${found[@]+"${found[@]}"}
  if declare -F site_setup >/dev/null; then doing=site_setup; run site_setup "$target"; doing=''; fi
  set -euo pipefail
  if [ -n "${Kokkos_ROOT:-}" ]; then export Kokkos_ROOT; fi
}
