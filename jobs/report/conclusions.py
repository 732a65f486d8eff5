# SPDX-License-Identifier: BSD-3-Clause
"""What Bezençon et al. concluded, beside what these records say: their Table 4, break-even, speed-up. As 'parity findings' prints it."""
import html

from .records import estimate_of


def table(title, columns, rows):
    if not rows:
        return ""
    head = "".join(f"<th>{html.escape(c)}</th>" for c in columns)
    body = "\n".join("<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) + "</tr>" for row in rows)
    return f"<h4>{html.escape(title)}</h4><div class=wide><table><tr>{head}</tr>\n{body}</table></div>"


def or_(value, otherwise, form="{}"):
    return otherwise if value is None else form.format(value)


def tables(origin):
    text = table("Grid size from which a kernel beats the baseline's graph versions (Table 4)",
                 ["kernel", "precision", "nz", "steps", "from n", "certain from", "published (P100)"],
                 [[t["kernel"], t["precision"], t["nz"], t["steps"], or_(t["from"], f"not to {t['largest']}"),
                   or_(t["certain_from"], f"not to {t['largest']}" if t["has_intervals"] else "no intervals"), t["published"]]
                  for t in origin.thresholds])
    text += table("Steps from which a graph pays for its capture (Figure 3; published: 65 for the baseline)",
                  ["variant", "grid", "precision", "capture µs", "computed", "measured", "certain"],
                  [[b["variant"], b["grid"], b["precision"], f"{1e6 * b['capture_s']:.1f}", or_(b["computed"], "-", "{:.0f}"),
                    or_(b["measured"], "never"), or_(b["certain"], "never" if b["has_intervals"] else "no intervals")] for b in origin.break_even])
    return text + table("Largest speed-up over a baseline, by the lower end of its interval (published: 30 over CuPy on a P100)", ["variant", "baseline", "problem", "times"],
                        [[s["variant"], s["baseline"], s["problem"], estimate_of(s["factor"]).text(".3f")] for s in origin.speed_ups])
