#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# task.sh FILE COMMAND...: runs one of several tasks that srun or mpirun starts. The first task creates FILE and writes its exit code there: a
# launcher has its own codes, and 1 from srun does not mean a failed check.
set -uo pipefail
file=$1
shift
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${PALS_RANKID:-${MV2_COMM_WORLD_RANK:-${SLURM_PROCID:-0}}}}}
[ "$rank" = 0 ] || exec "$@"
: >"$file" || exit 3
child=
trap '[ -z "$child" ] || kill -TERM "$child" 2>/dev/null' TERM
"$@" &
child=$!
wait "$child"
code=$?
# A signal ends 'wait' before the command ends.
while kill -0 "$child" 2>/dev/null; do
  wait "$child"
  code=$?
done
echo "$code" >"$file"
exit "$code"
