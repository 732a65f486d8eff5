# SPDX-License-Identifier: BSD-3-Clause
"""Times of other people's libraries, as the scripts in variants/libraries/ write them: no records of Parity's, but beside them."""
import html
import json
import pathlib


def rows_of(path):
    """The lines of a file that holds nothing else, else nothing."""
    try:
        found = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    except (OSError, ValueError, RecursionError):  # the last for a line nested too deep
        return []  # who reads the records says what is wrong
    return found if all(map(is_row, found)) else []


def is_row(r):
    return (isinstance(r, dict) and "library" in r and "type" not in r
            and not any(isinstance(v, (dict, list)) for v in r.values()))


def table(rows):
    if not rows:
        return []
    columns = list(dict.fromkeys(name for r in rows for name in r))
    lines = ["<h2>Other libraries</h2><div class=wide><table>", "<tr>" + "".join(f"<th>{html.escape(c)}</th>" for c in columns) + "</tr>"]
    for r in rows:
        cells = (f"{v:.4g}" if isinstance(v, float) else str(v) for v in (r.get(c, "") for c in columns))
        lines.append("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in cells) + "</tr>")
    return ["\n".join(lines) + "</table></div>"]
