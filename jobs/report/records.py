# SPDX-License-Identifier: BSD-3-Clause
"""Reads the output of 'parity export', the only source of the report: parity computes every ratio and interval and chooses the results."""
import json
import os
import pathlib
import re
import shutil
import subprocess

CLONE = pathlib.Path(__file__).resolve().parents[2]
PLACE = re.compile(r"(.*): line (\d+): ", re.DOTALL)  # location of a row


class Failure(Exception):
    """One line for the user, and the exit code."""

    def __init__(self, line, code):
        super().__init__(line)
        self.code = code


def executable():
    """$PARITY, the newest build in this clone, or parity in PATH."""
    named = os.environ.get("PARITY")
    if named:
        if not shutil.which(named):
            raise Failure(f"PARITY is '{named}', which is no program; name the built parity", 3)
        return named
    built = [p for p in CLONE.glob("build*/parity") if p.is_file() and os.access(p, os.X_OK)]
    found = max(built, key=lambda p: p.stat().st_mtime, default=None) or shutil.which("parity")
    if not found:
        raise Failure("no parity that reads the records: build it with cmake/build.sh, or name it in PARITY", 3)
    return str(found)


def exported(paths):
    """The document of 'parity export'."""
    parity = executable()
    try:
        # After '--' a file's name may start with a dash.
        done = subprocess.run([parity, "export", "--", *map(str, paths)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as e:
        raise Failure(f"{parity}: {e.strerror}", 3)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise Failure(said[-1].removeprefix("parity: ") if said else f"{parity} export ended with {done.returncode}", 2)
    return json.loads(done.stdout)


def library_rows(path):
    """The lines of a file that holds nothing but times of other libraries, as the scripts in variants/libraries/ write them."""
    try:
        found = [json.loads(line) for line in pathlib.Path(path).read_text().split("\n") if line.strip()]
    except (OSError, ValueError, RecursionError):  # the last for a line nested too deep
        return []  # the reader of the records reports the problem
    return found if all(isinstance(r, dict) and "library" in r and "type" not in r and not any(isinstance(v, (dict, list)) for v in r.values())
                        for r in found) else []


def read(paths):
    """The merged records of files or folders, with references to rows resolved. 'refused' lists the files that cannot be read; if none can be read,
    Failure is raised."""
    libraries = {path: library_rows(path) for path in paths}
    wanted = [path for path in paths if not libraries[path]] or list(paths)
    refused = []
    try:
        document = exported(wanted)
    except Failure as failure:
        if failure.code != 2 or len(wanted) == 1:
            raise
        for path in wanted:
            try:
                exported([path])
            except Failure as alone:
                refused.append((str(path), str(alone)))
        wanted = [path for path in wanted if str(path) not in dict(refused)]
        if not wanted or not refused:  # none can be read, or each can but not all together
            raise failure
        document = exported(wanted)
    document.update(refused=refused, libraries=[r for rows in libraries.values() for r in rows])
    return resolved(document)


def resolved(document):
    """Replaces names and numbers by the runs, rows and pairs that they refer to."""
    del document["measurements"]
    rows, pairs, runs = document["rows"], document["pairs"], {r["id"]: r for r in document["runs"]}

    def row(k):
        return None if k is None else rows[k]

    for k, r in enumerate(rows):
        r["is_baseline"] = r["baseline"] == k
        r["shown"] = {m["name"]: m["text"] for m in r["metrics"]}
    for r in rows + document["skipped"]:
        r["run"], r["words"] = runs[r["run"]], words(r)
        found = PLACE.fullmatch(r["place"])
        r["file"], r["line"] = (found[1], int(found[2])) if found else (r["place"].removesuffix(": "), 0)
    for p in pairs:
        p.update(portable=rows[p["portable"]], native=rows[p["native"]])
    for v in document["versions"]:
        v["lines"] = [[None if k is None else pairs[k] for k in line] for line in v.pop("pairs")]
    for c in document["cells"]:
        c.update(native=rows[c["native"]], cells=[x and {**x, "row": rows[x["row"]]} for x in c["cells"]])
    for b in document["best"]:
        b.update({side: row(b[side]) for side in ("native", "portable", "original")})
    document["best"] = [b for b in document["best"] if b["native"] or b["portable"]]
    for o in document["origins"]:
        o["rows"] = [rows[k] for k in o["rows"]]
        for f in o["functions"]:
            f["rows"] = {quantity: rows[k] for quantity, k in f["rows"].items()}
    document["unpaired"] = [rows[k] for k in document["unpaired"]]
    return document


def grouped(items, key):
    groups = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def title(row):
    """Title of the row's study."""
    return {"diffusion": "Diffusion filter", "kde": "Density"}.get(row["study"], row["study"][:1].upper() + row["study"][1:])


def unit(row):
    """Unit of the row's times in figures."""
    return {"diffusion": "µs a step", "kde": "µs a density"}.get(row["study"], "µs")


NAMED = {"diffusion": (("steps", "N = "), ("precision", "")), "kde": (("n", "n = "), ("bandwidth", "h = "), ("distribution", ""), ("precision", ""))}
STANDARD = {"diffusion": ("alpha", "halo", "seed"), "kde": ("seed", "tolerance")}  # parameters that no title shows


def words(row, without=()):
    """The problem as titles name it, without the parameters in 'without': 512 x 512 x 64, N = 32, float."""
    left = {name: value for name, _, value in (part.partition("=") for part in row["problem_text"].split(",")) if name and name not in without}
    if row["study"] == "launch":
        return launch_words(left)
    said = []
    if row["study"] == "diffusion":
        plane, planes = [left.pop(name) for name in ("nx", "ny") if name in left], left.pop("nz", "")
        said.append(" x ".join([*plane, planes]) if plane else f"nz = {planes}")
    said += [before + left.pop(name) for name, before in NAMED.get(row["study"], ()) if left.get(name)]
    return ", ".join(said + [f"{name} = {value}" for name, value in left.items() if name not in STANDARD.get(row["study"], ())])


def launch_words(problem):
    """dispatch 1x128, x50, and the parameters with unusual values."""
    quantity = problem["quantity"]
    said = [f"{quantity} {problem['blocks']}x{problem['threads']}", f"x{problem['launches']}"] + ["fork"] * (problem.get("topology") == "fork")
    said += [problem[name] + after for name, usual, after in (("argument_bytes", "0", " B"), ("devices", "1", " GPUs")) if problem.get(name, usual) != usual]
    if quantity == "copy":
        said.append(f"{problem['bytes']} B copied")
    if quantity in ("fusion-overhead", "total-overhead", "other-overhead"):
        said.append(f"{problem['units']} x {problem['unit_ns']} ns {problem['unit']}")
    return ", ".join(said)


def number(value, form):
    """A number as text; JSON has null for an infinite value."""
    return "-" if value is None else f"{value:{form}}"


def interval(estimate, form=".3f", factor=1):
    if estimate["low"] is None:
        return f"[n = {estimate['starts']}]"
    return f"[{factor * estimate['low']:{form}}, {factor * estimate['high']:{form}}]"


def text(estimate, form=".3f", factor=1):
    """The value and its interval, as the terminal shows them."""
    if not estimate["starts"]:
        return "-"
    return f"{number(estimate['value'] and factor * estimate['value'], form)} {interval(estimate, form, factor)}"


def ratio(estimate):
    """A ratio as parity's tables show it."""
    if estimate["low"] is None and estimate["starts"] > 2:
        return "lost in noise"
    vague = estimate["low"] is not None and estimate["high"] > 10 * estimate["low"]
    return f"{estimate['value']:.2f} (noisy)" if vague else text(estimate, ".2f")


def difference(estimate):
    """A difference of times, in the unit of the largest of its numbers, as parity's tables show it: +1.7 ms [+1.66, +1.75]."""
    if not estimate["starts"] or estimate["value"] is None:
        return "-"
    largest = max(abs(estimate[end]) for end in ("value", "low", "high") if estimate[end] is not None)
    factor, unit = next(((f, u) for f, u in ((1, "s"), (1e3, "ms"), (1e6, "us")) if largest * f >= 1), (1e9, "ns"))
    return f"{factor * estimate['value']:+.3g} {unit} {interval(estimate, '+.3g', factor)}"


def cost(estimate, form=".2f", factor=1):
    """A time, as text() shows it; for a difference that noise hides its upper bound, if known."""
    if estimate["low"] is None or estimate["low"] > 0:
        return text(estimate, form, factor)
    return f"below {factor * estimate['high']:{form}}" if estimate["high"] > 0 else "lost in noise"


def share(row, part):
    """The share of one part of split_s in the row's time."""
    seconds = row["split_s"][part]
    return "not measured" if seconds is None else f"{100 * seconds / row['time_s']['value']:.0f} %"
