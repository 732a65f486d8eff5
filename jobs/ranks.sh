# SPDX-License-Identifier: BSD-3-Clause
# Runs the tasks of a job as ranks of one program; sourced by jobs/sweep.sbatch.
# shellcheck shell=bash disable=SC2034,SC2154
by() { if [ "$1" = mpirun ]; then echo mpirun; else echo "srun --mpi=$1"; fi; }
launcher() { # WAY: puts the command that starts the tasks into 'launch'
  if [ "$1" != mpirun ]; then
    launch=(srun "--mpi=$1" "--nodes=$nodes" "--ntasks=$ranks" "--ntasks-per-node=$tasks" --kill-on-bad-exit=1)
  else # mpirun binds a rank to a core; unbound ranks of a node would bind their threads to the same cores
    launch=(mpirun -n "$ranks" --bind-to none)
    [ "$tasks" = 1 ] || launch=(env OMP_PROC_BIND=false "${launch[@]}")
  fi
}
find_way() { # sets 'way', the launcher: SITE_MPI, or the first of srun's ways and mpirun whose ranks find each other
  local offered tried='' words=$run/log/$id.ranks.txt said
  shape="$ranks tasks on $nodes node$([ "$nodes" = 1 ] || echo s)"
  way=$(setting MPI)
  if [ -n "$dry" ]; then
    [ -n "$way" ] || line "# $shape; by another --mpi, or by mpirun, where this one does not bring them together:"
    way=${way:-pmix}
    return
  fi
  rm -f "$words"
  if [ -n "$way" ]; then say "$shape, by $(by "$way") as SITE_MPI says"; return; fi
  offered=$(srun --mpi=list 2>&1 </dev/null | sed -nE 's/^(srun:)?[[:space:]]*([A-Za-z0-9_]+)[[:space:]]*$/\2/p' | xargs) || true
  for way in pmix cray_shasta pmi2 mpirun; do
    [[ " $offered mpirun " == *" $way "* ]] || continue
    launcher "$way"
    # parity refuses processes that its MPI does not join; ranks find each other quickly or not at all. A launcher may fail and exit with 0.
    said=$(mktemp "$run/.part.XXXXXX") || no_space
    if stoppable timeout -k 30 120 "${launch[@]}" "$parity" --version >"$said" 2>&1 && grep -q '^parity [0-9]' "$said"; then
      rm -f "$said"
      say "$shape, by $(by "$way")${tried:+, since $tried did not bring them together} (srun offers ${offered:-nothing})"
      return
    fi
    { printf '# %s\n' "$(by "$way")"; cat "$said"; } >>"$words"
    rm -f "$said"
    [ -z "$reason" ] || return 143
    tried+=${tried:+ and }$(by "$way")
  done
  fail 3 "neither ${tried// and / nor } starts $shape of $parity: build it with the MPI of this cluster (its module), or name what starts it in SITE_MPI; $words has their words"
}
on_ranks() { # COMMAND...: on all tasks; returns the first rank's exit code if it wrote one
  local said=$run/log/$id.rank_0 code left
  ranks=$((nodes * tasks))
  find_way || return 143
  launcher "$way"
  for left in 2 1 0; do
    code=0
    if [ -z "$dry" ]; then rm -f "$said"; fi
    if [ "$way" != mpirun ]; then steps=$(job_number); fi
    run_stoppable "${launch[@]}" bash jobs/task.sh "$said" "$@" || code=$?
    steps=''
    if [ -n "$dry" ]; then return; fi
    # A requeued job can meet the remains of its own steps: SLURM then starts no task.
    if [ -e "$said" ] || [ -n "$reason" ] || [ "$left" = 0 ]; then break; fi
    say "$(by "$way") ended with $code and started no rank; again in 5 s"
    stoppable sleep 5 || break
  done
  if [ -s "$said" ]; then return "$(cat "$said")"; fi
  [ -z "$reason" ] || return 143
  [ "$code" -gt 3 ] || fail 3 "$(by "$way") ended with $code before the first rank did; the lines above say why"
  return "$code"
}
