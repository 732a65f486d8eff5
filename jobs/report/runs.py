# SPDX-License-Identifier: BSD-3-Clause
"""Where the records were measured, and what keeps rows of several runs from being compared."""
import html


def lines_of(run):
    """Everything about one run."""
    rows = "".join(f"<tr><td>{html.escape(k)}</td><td style='text-align:left'>{html.escape(v)}</td></tr>" for k, v in run.lines.items() if v)
    return f"<div class=wide><table>{rows}</table></div>"


def table(runs):
    if not runs:
        return ""
    # Parity's own record says most; a CuPy run adds one of its own.
    own = sorted([r for r in runs if r.complete] or runs, key=lambda r: r.time, reverse=True)
    text = lines_of(own[0])
    if len(own) > 1:
        text += "".join(f"<details><summary>{html.escape(', '.join(filter(None, [r.place, r.device, r.commit])))}</summary>{lines_of(r)}</details>"
                        for r in own[1:])
    differing = [what for what in own[0].compared if len({r.compared[what] for r in own}) > 1]
    if differing:
        text += f"<p class=wrong>The runs differ in: {', '.join(differing)}. Compare rows of one run only.</p>"
    return text
