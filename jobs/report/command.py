# SPDX-License-Identifier: BSD-3-Clause
"""The options of jobs/report.py; a file is written whole or not at all."""
import argparse
import os
import pathlib
import stat
import sys
import tempfile

from . import page, records, screen


def mode_for(path):
    """That of the user's own file of this name, else what the umask leaves."""
    os.umask(mask := os.umask(0o077))
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return 0o666 & ~mask
    return there.st_mode & 0o666 if stat.S_ISREG(there.st_mode) and there.st_uid == os.geteuid() else 0o666 & ~mask


def write(path, text):
    temporary = None
    try:
        with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(os.path.abspath(path)), delete=False, encoding="utf-8") as f:
            temporary = f.name
            f.write(text)
        os.chmod(temporary, mode_for(path))
        os.replace(temporary, path)
    except OSError as e:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        raise records.Failure(f"{path}: cannot be written: {e.strerror}", 2)


def files_of(paths):
    """A folder without records.jsonl of its own stands for every file of records below it."""
    found = []
    for path in map(pathlib.Path, paths):
        below = sorted(path.rglob("*.jsonl")) if path.is_dir() and not (path / "records.jsonl").exists() else []
        found += below or [path]
    return list(dict.fromkeys(found))


def main(usage):
    parser = argparse.ArgumentParser(prog="report.py", description=usage, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", help="records of 'parity measure' or 'parity diffusion --json', or folders of them")
    parser.add_argument("--output", default="report.html", metavar="FILE.html")
    parser.add_argument("--text", nargs=2, action="append", default=[], metavar=("TITLE", "FILE"),
                        help="what 'parity findings' printed, to go into the report")
    options = parser.parse_args()
    if not options.output.endswith(".html"):
        parser.error(f"--output {options.output} is no FILE.html")
    try:
        found = records.read(files_of(options.records))
        write(options.output, page.of(found, options.text, os.path.dirname(options.output)))
        print("\n".join(screen.of(found)))
    except records.Failure as e:
        return failed(e, e.code)
    except OSError as e:
        return failed(f"{e.filename}: {e.strerror}" if e.filename else e, 2)
    except Exception as e:  # a user can do nothing with where in the program it was
        return failed(f"{' '.join(options.records)}: these records cannot be drawn ({type(e).__name__}: {e}); a mistake of the report, "
                      "please send them to its authors", 3)
    for _, why in found["refused"]:
        failed(f"{why}; its rows are left out, and the page says so", 2)
    return 2 if found["refused"] else 0


def failed(why, code):
    print(f"report: {' '.join(str(why).split())}", file=sys.stderr)
    return code
