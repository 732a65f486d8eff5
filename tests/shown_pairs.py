# SPDX-License-Identifier: BSD-3-Clause
"""The pairs as each reader of records shows them: (portable, native, ratio, difference) in the printed digits."""
import html
import re

LINE = re.compile(r"^  (\S+) / (\S+)\s+(\S+ \[[^\]]+\])\s+(\d+)\s+-?[\d.]+ [mun]?s\s+(\S+ [mun]?s \[[^\]]+\])$", re.M)
CELLS = re.compile(r"<tr><td>([^<]+)</td><td>([^<]+)</td><td>([^<]+ \[[^<]+)</td><td>([^<]+)</td>")


def name(row):
    return row["variant"] + ("/" + row["tuning"] if row["tuning"] else "")


def ratio_text(ratio):
    if ratio["low"] is None:
        return f"{ratio['value']:.3f} [n = {ratio['starts']}]"
    return f"{ratio['value']:.3f} [{ratio['low']:.3f}, {ratio['high']:.3f}] n={ratio['starts']}"


def difference_text(d):
    """The difference in the unit of its largest number."""
    ends = [e for e in (d["value"], d["low"], d["high"]) if e is not None]
    power = next((p for p in (0, 3, 6) if max(map(abs, ends)) * 10 ** p >= 1), 9)
    unit, said = {0: "s", 3: "ms", 6: "us", 9: "ns"}[power], [f"{e * 10 ** power:+.3g}" for e in ends]
    return f"{said[0]} {unit} [" + (f"n = {d['starts']}]" if len(ends) == 1 else f"{said[1]}, {said[2]}]")


def of_text(text):
    """The pairs in the text of findings, and of a study's command with --verbose."""
    return sorted((portable, native, ratio if "n = " in ratio else f"{ratio} n={starts}", difference)
                  for portable, native, ratio, starts, difference in LINE.findall(text))


def of_page(page):
    found = [tuple(map(html.unescape, m)) for table in page.split("<table class=pairs>")[1:] for m in CELLS.findall(table.split("</table>")[0])]
    return sorted(found)


def of_export(document):
    rows = document["measurements"]
    return sorted((name(rows[p["portable"]]), name(rows[p["native"]]), ratio_text(p["ratio"]),
                   difference_text(p["difference"])) for p in document["pairs"])
