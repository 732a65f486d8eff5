#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws an HTML report from Parity's records. The page holds its plots itself and needs no network.

    report.py RESULTS... --output FILE.html [--text TITLE FILE]...

RESULTS are files of records, or folders of them. Results of several devices, commits and runs
stay separate. parity reads the records: $PARITY, else the newest build*/parity here, else the one in PATH.

exit codes: 0 fine; 2 wrong usage, or files that cannot be read, which the page names; 3 cannot run
here; 4 a job's folder says that part of its plan is missing.
"""
import os
import pathlib
import sys


def with_its_packages(missing):
    """Restarts in the Python environment of cmake/bootstrap.sh if this Python lacks the plotting packages."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    python = pathlib.Path(os.environ.get("PARITY_DEPS") or os.path.join(cache, "parity")) / "python/bin/python"
    if os.access(python, os.X_OK) and "PARITY_REPORT_PYTHON" not in os.environ:
        os.environ["PARITY_REPORT_PYTHON"] = str(python)  # restart only once
        os.execv(python, [str(python), *sys.argv])
    print(f"report: this Python ({sys.executable}) has no {missing}: 'cmake/bootstrap.sh --python' makes one that has, or install matplotlib, numpy and "
          "Jinja2", file=sys.stderr)
    return 3


if __name__ == "__main__":
    if sys.version_info < (3, 9):
        print("report: needs Python 3.9 or newer, and this one (%s) is %d.%d: 'cmake/bootstrap.sh --python' makes one, or name another "
              "(SITE_PYTHON)" % (sys.executable, *sys.version_info[:2]), file=sys.stderr)
        sys.exit(3)
    try:
        from report.command import main
    except ModuleNotFoundError as e:
        if (e.name or "").split(".")[0] == "report":
            raise
        sys.exit(with_its_packages(e.name))
    sys.exit(main(__doc__))
