#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what tests need in addition to Parity's own dependencies (cmake/bootstrap.sh).
#   tests/setup.sh             the Python packages of the tests
#   tests/setup.sh --slurm     SLURM and environment modules, for the tests of jobs/; starts no service
#   tests/setup.sh --browser   a headless browser, for the tests of the report
set -euo pipefail
unset CDPATH # it makes 'cd' print its target, and may lead elsewhere
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
missing=()
need() { PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null || missing+=("$2"); } # PROGRAM PACKAGE
# Packages must not start services during installation: tests start what they need themselves.
without_services() {
  local policy=/usr/sbin/policy-rc.d root=(sudo -n)
  if [ "$(id -u)" = 0 ]; then root=(env); fi
  if [ ! -e $policy ]; then
    printf '#!/bin/sh\nexit 101\n' | "${root[@]}" tee $policy >/dev/null || return 0
    # shellcheck disable=SC2064  # expands now
    trap "${root[*]} rm -f $policy" EXIT
    "${root[@]}" chmod +x $policy
  fi 2>/dev/null
}

case ${1:-} in
  --slurm)
    for each in slurmctld=slurmctld slurmd=slurmd munged=munge sbatch=slurm-client setfacl=acl; do need "${each%=*}" "${each#*=}"; done
    [ -e /etc/profile.d/modules.sh ] || [ -e /etc/profile.d/lmod.sh ] || missing+=(environment-modules)
    if [ ${#missing[@]} -gt 0 ]; then without_services; fi
    ;;
  --browser)
    for each in chromium-headless-shell chromium chromium-browser google-chrome; do ! command -v $each >/dev/null || exit 0; done
    missing=(chromium-headless-shell)
    ;;
  '')
    "$here/cmake/bootstrap.sh" --pip "$here/cmake/python.txt"
    exec "$here/cmake/bootstrap.sh" --pip "$here/tests/python.txt"
    ;;
  --help | -h) sed -n '3,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  *) echo "setup: '$1' is no option; --help explains" >&2; exit 2 ;;
esac
[ ${#missing[@]} = 0 ] || "$here/cmake/bootstrap.sh" --packages "${missing[@]}"
