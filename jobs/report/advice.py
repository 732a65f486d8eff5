# SPDX-License-Identifier: BSD-3-Clause
"""The timeline and the ways of what 'parity advise --format json' wrote: every time and every verdict here is the program's."""
import json

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .drawing import INK, WIDE, image
from .records import Failure

KNOWN = 1  # the form of the document
MOST_STEPS = 3  # of a program
SHADES = ("#0072B2", "#E69F00", "#56B4E9", "#D55E00", "#009E73", "#CC79A7", "#999999")
HATCHES = ("", "//", "..", "\\\\", "", "xx", "")
WANTED = "give a file that 'parity advise --format json' wrote"


def read(path):
    """The programs of one document."""
    with open(path, encoding="utf-8", errors="replace") as file:
        try:
            document = json.load(file)
        except (json.JSONDecodeError, RecursionError):
            raise Failure(f"{path}: is no JSON; {WANTED}", 2)
    if not isinstance(document, dict) or document.get("advice") != KNOWN:
        raise Failure(f"{path}: is no advice of form {KNOWN}; {WANTED}", 2)
    try:
        return [(p["program"], ", ".join(p["devices"]) or p["processor"], p["doubts"], p["steps"]) for p in document["programs"]]
    except (KeyError, TypeError) as e:
        raise Failure(f"{path}: a program has no {e}; {WANTED}", 2)


def timeline(title, events):
    """A lane a thread and a stream, a bar an event; its kind is told by colour and by hatch."""
    lanes = sorted({e["lane"] for e in events})
    kinds = list(dict.fromkeys(e["kind"] for e in events))
    figure = Figure(figsize=(WIDE, 0.5 * len(lanes) + 1.4), layout="constrained")
    axes = figure.subplots()
    for k, kind in enumerate(kinds):
        for n, lane in enumerate(lanes):
            bars = [(1e6 * e["begin"], 1e6 * e["seconds"]) for e in events if e["kind"] == kind and e["lane"] == lane]
            axes.broken_barh(bars, (n - 0.4, 0.8), facecolors=SHADES[k % len(SHADES)], hatch=HATCHES[k % len(HATCHES)], edgecolor=INK, linewidth=0.3,
                             label=kind if n == 0 else None)
    handles = [Rectangle((0, 0), 1, 1, facecolor=SHADES[k % len(SHADES)], hatch=HATCHES[k % len(HATCHES)], edgecolor=INK) for k in range(len(kinds))]
    axes.legend(handles, kinds, fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))
    axes.set_yticks(range(len(lanes)), lanes, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("µs")
    axes.set_title(title, fontsize=10)
    return image(figure, f"timeline of {title}")


def us(interval):
    """µs with its interval, as the terminal shows it."""
    if interval is None or interval["value"] is None:
        return "-"
    ends = ["-" if interval[end] is None else f"{1e6 * interval[end]:.2f}" for end in ("low", "high")]
    return f"{1e6 * interval['value']:.2f} [{', '.join(ends)}]"


def sections(paths):
    """[(title, note, verdict, why nothing is predicted, rows of a table of ways, timeline or nothing)] of each program's first steps."""
    made = []
    for path in paths:
        for program, device, doubts, steps in read(path):
            for k, step in enumerate(steps[:MOST_STEPS]):
                try:
                    title = f"{program}, step {k + 1} of {len(steps)}"
                    note = f"{device}; {len(step['operations'])} operations, found {step['repetitions']} times; {us(step['wall'])} µs a step"
                    drawn = timeline(title, step["timeline"]) if step["timeline"] else ""
                    ways = [[w["name"], w["means"], us(w["step"]), us(w["saved"]), w["worth"]] for w in step["ways"]]
                    made.append((title, "; ".join([note, *map(str, doubts)]), step["verdict"], step["refused"] or "nothing is predicted", ways, drawn))
                except (KeyError, TypeError) as e:
                    raise Failure(f"{path}: a step has no {e}; {WANTED}", 2)
    return made
