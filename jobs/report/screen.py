# SPDX-License-Identifier: BSD-3-Clause
"""The page's first numbers for a terminal, in 23 lines of 100 columns: the cells of each algorithm, best rates, the cost of a launch, and how busy
the machine was."""
from . import answers, page
from .drawing import CELLS
from .records import ratio

LINES, COLUMNS = 23, 100
BUSY = 0.1  # share of samples during which other programs took a processor
SHORT = {"what the launching call costs": "Launching call", "one more empty loop": "One empty loop"}


def cut(said, width):
    return said if len(said) <= width else said[:width - 1] + "…"


def listed(names, width):
    """As many names as fit: "a, b and 6 more"."""
    for n in range(len(names), 0, -1):
        said = ", ".join(names[:n]) + (f" and {len(names) - n} more" if n < len(names) else "")
        if len(said) <= width:
            return said
    return f"{len(names)} names"


def cell_text(cell, algorithm):
    return "-" if not cell else "1" if cell["row"] is algorithm["native"] else ratio(cell["speed"])


def line(first, cells, widths=(18, 18, 18, 18)):
    room = COLUMNS - sum(widths) - len(widths)
    return (f"{cut(first, room):<{room}}" + "".join(f" {c:<{width}}" for c, width in zip(cells, widths))).rstrip()


def cells(groups, most):
    """The algorithms with the most cells of each group: at most four of each group but the first, which gets the remaining lines. Algorithms with one
    version appear only if there are no others."""
    shown = {id(g): [a for a in g.algorithms if not a["cells"][2]] or g.algorithms for g in groups}
    columns = [k for k in range(len(CELLS)) if any(a["cells"][k] for algorithms in shown.values() for a in algorithms)][:4]
    rooms = [min(len(shown[id(g)]), 4) for g in groups[1:]]
    made = [line("", [CELLS[k] for k in columns])]
    for group, room in zip(groups, [most - 1 - len(groups) - sum(rooms), *rooms]):
        chosen = sorted(shown[id(group)], key=lambda a: -sum(map(bool, a["cells"])))[:room]
        more = len(group.algorithms) - len(chosen)
        made.append(group.title + (f"; the report has {more} more" if more else ""))
        made += [line("  " + group.name(a), [cell_text(a["cells"][k], a) for k in columns]) for a in group.algorithms if any(a is c for c in chosen)]
    return made


def costs(device):
    """A line for each best rate and launch: native, Kokkos, relative speed."""
    made = []
    for answer in device["answers"]:
        study, what, *words = answer["what"].split(", ")
        if what == "best rate":
            first, sides = f"{study.split()[0]}, {words[-1]}", [f"{s['text']} {s['variant'].partition('-')[2]}" for s in answer["sides"]]
        elif what in SHORT:
            first, sides = SHORT[what], [s["text"] for s in answer["sides"]]
        else:
            continue
        made.append(line(first, [*(cut(s, 30) for s in sides), answer["ratio"]], (30, 30, 17)))
    return [line("", ("native", "Kokkos", "Kokkos / native"), (30, 30, 17)), *made] if made else []


def busy(found):
    timed = [r for r in found["rows"] if r["passed"] and r["time_s"]["starts"]]
    noisy = list(dict.fromkeys(r["name"] for r in timed if r["time_s"]["noisy"]))
    count = sum(r["time_s"]["noisy"] for r in timed)
    preempted = page.preempted(timed)
    if count:
        said = f"Noise: {count} of {len(timed)} results vary by over 10 %"
    elif any(r["time_s"]["low"] is None for r in timed):  # a single process says nothing about others
        said = "Noise: some results have too few processes to say"
    elif (page.preempted_part(timed) or 0) > BUSY:
        said = "Noise: all processes agree within 10 %, but others ran beside them"
    else:
        said = "The machine was quiet: all processes agree within 10 %"
    said += f"; {preempted}" * bool(preempted)
    return [said + (": " + listed(noisy, COLUMNS - 2 - len(said)) if count else "")]


def of(found):
    """The text for the first device of the page."""
    groups = sorted((g for g in page.groups(found) if g.study != "launch"), key=lambda g: g.weight, reverse=True)
    leading = answers.of(found)
    device = next((a for a in leading if groups and a["device"] == groups[0].run["device"]), leading[0] if leading else None)
    first = {}
    for group in groups:
        if group.run["device"] == groups[0].run["device"]:
            first.setdefault(group.study, group)
    wrong = sum(not r["passed"] for r in found["rows"])
    end = (costs(device) if device else []) + [f"WRONG: {wrong} results failed their check; the report names them"] * bool(wrong)
    missing = [cut(line, COLUMNS) for line in found.get("missing", [])[:1]]
    # The noise of the machine comes before any ratio.
    head = missing + busy(found) + ["Speed relative to the fastest native version: 1 is parity, below 1 slower; [95 % interval]"] * bool(first)
    return head + (cells(list(first.values()), LINES - len(end) - len(head)) if first else []) + end
