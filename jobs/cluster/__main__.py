# SPDX-License-Identifier: BSD-3-Clause
"""python3 jobs/cluster submit ARGUMENTS... | TARGET STAGE [RUN]. What an old Python reads first must be old Python."""
import os
import sys

if sys.version_info < (3, 6):
    sys.stderr.write("parity-job: python3 is Python %d.%d here; load one that is 3.6 or newer\n" % sys.version_info[:2])
    sys.exit(3)
sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # this folder's own names are not to hide others

if sys.argv[1] == "submit":
    from cluster.submit import main
else:
    from cluster.job import main
sys.exit(main(sys.argv[2:] if sys.argv[1] == "submit" else sys.argv[1:]))
