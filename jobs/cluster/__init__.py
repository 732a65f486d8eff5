# SPDX-License-Identifier: BSD-3-Clause
"""What stands behind jobs/submit.sh and jobs/*.sbatch. Python 3.6 or newer and its standard library: login nodes have little more."""
