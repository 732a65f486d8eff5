#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Starts jobs/cluster, the Python behind jobs/submit.sh and jobs/*.sbatch.
#   jobs/job.sh submit ARGUMENTS...      what jobs/submit.sh does
#   jobs/job.sh TARGET STAGE [RUN]       what a job does; TARGET -: the folder's own, or PARITY_TARGET
set -euo pipefail
command -v python3 >/dev/null || {
  echo "parity-job: there is no python3 on $HOSTNAME; put Python 3.6 or newer into the PATH (a module, or your administrator)" >&2
  exit 3
}
exec python3 -B "$(dirname "${BASH_SOURCE[0]}")/cluster" "$@"
