# SPDX-License-Identifier: BSD-3-Clause
"""The options of jobs/report.py; the page is written whole or not at all."""
import argparse
import os
import sys
import tempfile

from . import field, page, records


def write(path, text):
    directory = os.path.dirname(os.path.abspath(path))
    with tempfile.NamedTemporaryFile("w", dir=directory, delete=False, encoding="utf-8") as f:
        f.write(text)
    os.chmod(f.name, 0o644)
    os.replace(f.name, path)


def main(usage):
    parser = argparse.ArgumentParser(prog="report.py", description=usage, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="*", help="records of 'parity measure' or 'parity diffusion --json'")
    parser.add_argument("--output", default="report.html")
    parser.add_argument("--field", nargs=2, metavar=("BEFORE", "AFTER"))
    parser.add_argument("--label", default="field")
    parser.add_argument("--text", nargs=2, action="append", default=[], metavar=("TITLE", "FILE"),
                        help="what 'parity explain' or 'parity findings' printed, to go into the report")
    parser.add_argument("--synthetic", metavar="FIELD.npy")
    options = parser.parse_args()
    if options.synthetic:
        return field.write_synthetic(options.synthetic)
    if not options.records:
        parser.error("give the records to report on")
    try:
        write(options.output, page.of(records.read(options.records), options.field, options.label, options.text))
    except records.Failure as e:
        print(f"report: {e}", file=sys.stderr)
        return e.code
