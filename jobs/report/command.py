# SPDX-License-Identifier: BSD-3-Clause
"""The options of jobs/report.py; files are written atomically."""
import argparse
import os
import pathlib
import stat
import sys
import tempfile

from . import page, records, screen

INCOMPLETE = 4  # part of the plan was not measured; the page says which part


def mode_for(path):
    """Mode of the user's own file of this name, else the mode that the umask allows."""
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


def plain(path):
    """True for a regular file: a link leads elsewhere, and a pipe or a device may never end."""
    return stat.S_ISREG(path.lstat().st_mode)


def files_of(paths):
    """(files of records, [(skipped file, reason)]). A folder stands for its records.jsonl, or else for every file of records below it."""
    found, left_out = [], []
    for path in map(pathlib.Path, paths):
        own = path / "records.jsonl"
        within = [own] if os.path.lexists(own) else sorted(path.rglob("*.jsonl")) if path.is_dir() else []
        found += [p for p in within if plain(p)] if within else [path]
        left_out += [(str(p), f"{p}: no plain file: in a folder of results links, pipes and devices are not read") for p in within if not plain(p)]
    return list(dict.fromkeys(found)), left_out


def missing(files):
    """The lines of jobs/report.sbatch about missing parts of the plan: the first line sums up."""
    said = dict.fromkeys(path.parent / "missing.txt" for path in files)
    return [line for file in said if os.path.lexists(file) and plain(file) for line in file.read_text(errors="replace").splitlines()]


def main(usage):
    parser = argparse.ArgumentParser(prog="report.py", description=usage, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", help="records of 'parity measure' or 'parity diffusion --json', or folders of them")
    parser.add_argument("--output", default="report.html", metavar="FILE.html", help="the page (default: report.html)")
    parser.add_argument("--text", nargs=2, action="append", default=[], metavar=("TITLE", "FILE"),
                        help="what 'parity findings' printed, to go into the report")
    options = parser.parse_args()
    if not options.output.endswith(".html"):
        parser.error(f"--output {options.output} is no FILE.html")
    try:
        files, left_out = files_of(options.records)
        if not files:
            raise records.Failure(left_out[0][1], 2)
        found = records.read(files)
        found["refused"] += left_out
        found["missing"] = missing(files)
        write(options.output, page.of(found, options.text, os.path.dirname(options.output)))
        print("\n".join(screen.of(found)))
    except records.Failure as e:
        return failed(e, e.code)
    except OSError as e:
        return failed(f"{e.filename}: {e.strerror}" if e.filename else e, 2)
    except Exception as e:  # a traceback does not help the user
        return failed(f"{' '.join(options.records)}: these records cannot be drawn ({type(e).__name__}: {e}); a mistake of the report, "
                      "please send them to its authors", 3)
    for _, why in found["refused"]:
        failed(f"{why}; its rows are left out, and the page says so", 2)
    return 2 if found["refused"] else INCOMPLETE if found["missing"] else 0


def failed(why, code):
    print(f"report: {' '.join(str(why).split())}", file=sys.stderr)
    return code
