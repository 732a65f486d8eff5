#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# enter_site.sh DESCRIPTOR FILE SITE_FILE TARGET PYTHON [MODULE...]: reads a site file, loads modules, runs site_setup, and
# hands over what that changed (jobs/cluster/shell_state.py). A failure is one line; SITE_FILE is the name it gives the user.
set -euo pipefail
answer=$1 file=$2 site_file=$3 target=$4 python=$5
shift 5
modules=("$@")
state=$(dirname "${BASH_SOURCE[0]}")/shell_state.py

fail() {
  printf 'failure %s' "$*" >&"$answer"
  exit 2
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

load_module() { # NAME: one module, or several in one word
  local name=$1 words said before loaded errors=${TMPDIR:-/tmp}/parity-module.$$
  read -ra words <<<"$name"
  before=${LOADEDMODULES:-}
  printf '+ module load %s\n' "${words[*]}"
  set +eu # the module command is not written for strict shells
  module load "${words[@]}" 2>"$errors"
  loaded=$?
  set -eu
  # Old module commands return 0 whatever happens: then nothing has changed, and the module was not there before.
  if [ "$before" = "${LOADEDMODULES:-}" ] && [[ ":$before" != *":$name"* ]]; then loaded=1; fi
  said=$(grep -v '^[[:space:]]*$' "$errors" | head -n 1 || true)
  rm -f "$errors"
  [ $loaded = 0 ] || fail "module '$name' cannot be loaded on $(hostname) (${said:-no reason given}); 'module avail' lists what there is: correct SITE_MODULES in $site_file"
}

# shellcheck source=sites/example.sh
source "$file"
if [ ${#modules[@]} -gt 0 ]; then
  find_modules || fail "there is no 'module' command on $(hostname); leave SITE_MODULES empty or use site_setup ($site_file)"
  for name in "${modules[@]}"; do load_module "$name"; done
fi
if declare -F site_setup >/dev/null; then
  printf '+ site_setup %s\n' "$target"
  site_setup "$target" # not in a condition: there the shell would pass over errors within
fi
if [ -n "${Kokkos_ROOT:-}" ]; then export Kokkos_ROOT; fi
exec "$python" -I "$state" "$answer"
