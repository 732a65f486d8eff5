#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Submits what leads from a clone to a report; --help explains (jobs/cluster/submit.py).
exec bash "$(dirname "${BASH_SOURCE[0]}")/job.sh" submit "$@"
