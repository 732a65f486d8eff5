# SPDX-License-Identifier: BSD-3-Clause
# Checks that the built program fits the target, the node and its processors; sourced by jobs/job.sh.
# shellcheck shell=bash disable=SC2154
processor() { sed -n 's/^model name[[:space:]]*: *//p' "$1" | head -n 1; } # FILE, as /proc/cpuinfo
extensions() { sed -nE 's/^(flags|Features)[[:space:]]*: *//p' "$1" | head -n 1 | tr ' ' '\n' | grep -E '^(avx|sse|fma|bmi|f16c|amx|sha|vaes|gfni|sve|asimd)' | sort -u; }
other_processor() { # explains what -march=native for another node's processor means on this one
  local built=$build/processor.txt lacks more fix="build where it is measured (SITE_BUILD_OPTIONS), or give -DPARITY_NATIVE_ARCH=OFF in SITE_CMAKE"
  [ -s "$built" ] || return 0
  lacks=$(comm -23 <(extensions "$built") <(extensions /proc/cpuinfo) | xargs) more=$(comm -13 <(extensions "$built") <(extensions /proc/cpuinfo) | xargs)
  if [ -n "$lacks" ]; then say "WARNING: $parity was built for $(processor "$built"), and $(processor /proc/cpuinfo) here lacks its $lacks: an illegal instruction may end it; $fix"
  elif [ -n "$more" ]; then say "WARNING: $parity was built for $(processor "$built") and does not use $more of $(processor /proc/cpuinfo) here: host code may be slower; $fix"; fi
}
illegal() { fail 3 "$parity met an instruction that $(processor /proc/cpuinfo) on $HOSTNAME does not have: it was built on another kind of node; build where it is measured (SITE_BUILD_OPTIONS), or give -DPARITY_NATIVE_ARCH=OFF in SITE_CMAKE"; }
hardware_threads() { # reports requested processors that share cores
  local all cores
  all=$(nproc 2>/dev/null) cores=$(lscpu -p=CPU,CORE 2>/dev/null | awk -F, -v allowed="$(taskset -cp $$ 2>/dev/null | sed 's/.*: //')" '
    BEGIN { n = split(allowed, part, ","); for (k = 1; k <= n; ++k) { split(part[k], end, "-"); for (c = end[1]; c <= (end[2] == "" ? end[1] : end[2]); ++c) mine[c] = 1 } }
    /^[0-9]/ && ($1 in mine) { seen[$2] = 1 } END { print length(seen) }') || return 0
  [ "${cores:-0}" -gt 0 ] && [ "$all" -gt "$cores" ] || return 0
  say "the $all processors of this job are hardware threads of $cores cores: SITE_CPUS counts what SLURM counts; for a thread a core give SITE_OPTIONS=(--hint=nomultithread)"
}
need_parity() { # checks that the program exists, runs here, and has the backends that the target needs
  local version code=0
  if [ -n "$dry" ]; then return; fi
  [ -x "$parity" ] || fail 3 "there is no $parity: build it with: $resume"
  version=$("$parity" --version 2>&1) || code=$?
  [ "$code" != 132 ] || illegal
  other_processor
  case $target:$version in
    host:*) ;;
    mi*:*HIP*) ;;
    mi*) fail 3 "the Kokkos of $parity has no HIP, which $target needs: load another (SITE_MODULES, Kokkos_ROOT in site_setup) and build again, in another SITE_BUILD" ;;
    *"CUDA:   not in this build"*) fail 3 "$parity has no CUDA, which $target needs: it is a build for another target; name another with SITE_BUILD or PARITY_BUILD, or build it again" ;;
  esac
}
