# SPDX-License-Identifier: BSD-3-Clause
"""The options of jobs/report.py; the page is written whole or not at all."""
import argparse
import os
import sys
import tempfile

from . import field, page, records


def write(path, text):
    temporary = None
    try:
        with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(os.path.abspath(path)), delete=False, encoding="utf-8") as f:
            temporary = f.name
            f.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as e:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        raise records.Failure(f"{path}: cannot be written: {e.strerror}", 2)


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
        return failed(e, e.code)
    except OSError as e:
        return failed(f"{e.filename}: {e.strerror}" if e.filename else e, 2)
    except Exception as e:  # a user can do nothing with where in the program it was
        return failed(f"{' '.join(options.records)}: these records cannot be drawn ({type(e).__name__}: {e}); a mistake of the report, "
                      "please send them to its authors", 3)
    return 0


def failed(why, code):
    print(f"report: {' '.join(str(why).split())}", file=sys.stderr)
    return code
