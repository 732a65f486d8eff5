# SPDX-License-Identifier: BSD-3-Clause
"""Where the records were measured, and what keeps rows of several runs from being compared."""
import html


def table(runs):
    if not runs:
        return ""
    # Parity's own record says most; a CuPy run adds one of its own.
    own = [r for r in runs if r.complete] or runs
    lines = {label: text for label, text in own[-1].lines.items() if text}
    if len(own) > 1:
        lines["runs"] = "; ".join(r.place for r in own)
    text = "<table>" + "".join(f"<tr><td>{html.escape(k)}</td><td style='text-align:left'>{html.escape(v)}</td></tr>"
                               for k, v in lines.items()) + "</table>"
    differing = [what for what in own[0].compared if len({r.compared[what] for r in own}) > 1]
    if differing:
        text += f"<p class=wrong>The runs differ in: {', '.join(differing)}. Compare rows of one run only.</p>"
    return text
