# SPDX-License-Identifier: BSD-3-Clause
"""What each reader of records shows of the pairs, as (portable, native, ratio, difference) in the printed digits."""
import csv
import html
import io
import json
import re

LINE = re.compile(r"^  (\S+)\s+/ (\S+)\s+(\S+ \[[^\]]+\](?: n=\d+)?)\s+[\d.]+ [mun]?s\s+(\S+ \[[^\]]+\]) ns")
CELLS = re.compile(r"<tr><td>([^<]+)</td><td>([^<]+)</td><td>([^<]+ \[[^<]+)</td><td>([^<]+)</td>")


def name(row):
    return row["variant"] + ("/" + row["tuning"] if row["tuning"] else "")


def problem(row):
    """As parity prints it."""
    return ",".join(f"{k}={v if isinstance(v, str) else json.dumps(v)}" for k, v in sorted(row["problem"].items()))


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


def figures_of_export(document):
    """Every number of the pairs, with the problem, as merit prints it."""
    lines = []
    for p in document["pairs"]:
        row, native = (document["measurements"][p[side]] for side in ("portable", "native"))
        for metric, value in (("ratio", p["ratio"]["value"]), ("ratio_low", p["ratio"]["low"]), ("ratio_high", p["ratio"]["high"]),
                              ("starts", p["ratio"]["starts"]), ("samples", p["samples"])):
            if value is None:
                continue  # there is no interval
            lines.append(f"merit {row['study']}/{name(row)} {problem(row)} {metric}:{name(native)} {value:.6g} 1")
    return sorted(lines)


def figures_of_merit(text):
    return sorted(line for line in text.splitlines() if re.search(r" (ratio|ratio_low|ratio_high|starts|samples):", line))


def of_csv(text):
    """(portable, native, ratio, low, high, samples) in full precision."""
    found = []
    for r in csv.DictReader(io.StringIO(text)):
        if r["twin"]:
            found.append((r["variant"] + ("/" + r["tuning"] if r["tuning"] else ""), r["twin"],
                          *(float(r[k]) if r[k] else None for k in ("pair_ratio", "pair_low", "pair_high")), int(r["pair_starts"]),
                          int(r["pair_samples"])))
    return sorted(found)


def numbers_of_export(document):
    rows = document["measurements"]
    return sorted((name(rows[p["portable"]]), name(rows[p["native"]]), p["ratio"]["value"], p["ratio"]["low"], p["ratio"]["high"],
                   p["ratio"]["starts"], p["samples"]) for p in document["pairs"])
