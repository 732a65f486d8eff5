#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws an HTML report from Parity's records. The page holds its plots itself and needs no network.

    report.py RESULTS... --output DIR      the page with its tables (CSV, Markdown) and the pairs as SVG
    report.py RESULTS... --output FILE.html [--field BEFORE AFTER --label TEXT] [--text TITLE FILE]...
    report.py RESULTS... --explained EXPLAIN.csv ...    with rooflines and waterfalls of what 'parity explain --csv' wrote
    report.py RESULTS... --advice ADVICE.json ...       with timelines of what 'parity advise --format json' wrote
    report.py --pages [--check]            makes the tables and pictures of this clone's pages again from jobs/results, or checks them and every number
    report.py --synthetic FIELD.npy        makes a labelled stand-in where no real field can be had

RESULTS are files of records, or folders of them. Rows of several devices, commits and runs stand apart. Files that cannot be read are
named on the page, and the exit code is 2 then. The records are read by the built parity: $PARITY, else the newest build*/parity here,
else the one in PATH.
"""
import sys

from report.command import main

if __name__ == "__main__":
    sys.exit(main(__doc__))
