# SPDX-License-Identifier: BSD-3-Clause
"""python3 jobs/cluster submit ARGUMENTS... | TARGET STAGE [RUN]. What an old Python reads first must be old Python."""
import os
import sys

if sys.version_info < (3, 6):
    sys.stderr.write("parity-job: python3 is Python %d.%d here; load one that is 3.6 or newer\n" % sys.version_info[:2])
    sys.exit(3)
here = os.path.dirname(os.path.abspath(__file__))
# The names of this folder's files, such as 'site', are not to hide others.
sys.path = [os.path.dirname(here)] + [p for p in sys.path if os.path.abspath(p) != here]

if sys.argv[1] == "submit":
    from cluster.submit import main
else:
    from cluster.job import main
sys.exit(main(sys.argv[2:] if sys.argv[1] == "submit" else sys.argv[1:]))
