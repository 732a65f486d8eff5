#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# read_site.sh DESCRIPTOR FILE: the settings of a site file, for jobs/cluster/site.py; words that end with a zero byte.
set -eu
exec 3>&"$1"
# shellcheck source=sites/example.sh
source "$2"
set +u # an empty array is 'unbound' to old shells
for parity_name in $(compgen -v SITE_); do
  printf 'variable %s\0' "$parity_name"
  parity_words="${parity_name}[@]"
  for parity_word in "${!parity_words}"; do printf 'value %s\0' "$parity_word"; done
done >&3
if declare -F site_setup >/dev/null; then printf 'function site_setup\0' >&3; fi
printf end >&3 # a file that calls 'exit' does not come here
