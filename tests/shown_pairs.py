# SPDX-License-Identifier: BSD-3-Clause
"""What each reader of records shows of the pairs, as (portable, native, ratio, difference) in the printed digits."""
import html
import re

LINE = re.compile(r"^  (\S+)\s+/ (\S+)\s+(\S+ \[[^\]]+\](?: n=\d+)?)\s+[\d.]+ [mun]?s\s+(\S+ \[[^\]]+\]) ns")
CELLS = re.compile(r"<tr><td>([^<]+)</td><td>([^<]+)</td><td>([^<]+ \[[^<]+)</td><td>([^<]+)</td>")


def name(row):
    return row["variant"] + ("/" + row["tuning"] if row["tuning"] else "")


def ratio_text(ratio):
    if ratio["low"] is None:
        return f"{ratio['value']:.3f} [n = {ratio['starts']}]"
    return f"{ratio['value']:.3f} [{ratio['low']:.3f}, {ratio['high']:.3f}] n={ratio['starts']}"


def difference_text(d):
    if d["low"] is None:
        return f"{1e9 * d['value']:+.0f} [n = {d['starts']}]"
    return f"{1e9 * d['value']:+.0f} [{1e9 * d['low']:+.0f}, {1e9 * d['high']:+.0f}]"


def of_text(text):
    """Of findings, and of a study's command with --verbose."""
    return sorted(m.groups() for m in map(LINE.match, text.splitlines()) if m)


def of_page(page):
    found = [tuple(map(html.unescape, m)) for table in page.split("<table class=pairs>")[1:] for m in CELLS.findall(table.split("</table>")[0])]
    return sorted(found)


def of_export(document):
    rows = document["measurements"]
    return sorted((name(rows[p["portable"]]), name(rows[p["native"]]), ratio_text(p["ratio"]),
                   difference_text(p["difference"])) for p in document["pairs"])
