# SPDX-License-Identifier: BSD-3-Clause
"""Every number in a page has a source that says the same: jobs/report/numbers.py."""
import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "jobs"))
sys.dont_write_bytecode = True

from report import numbers  # noqa: E402  (the path comes first)

EXPLAIN = "jobs/results/h200/explain.txt"


def test_every_number_has_a_source_that_says_the_same():
    faults = numbers.check()
    assert not faults, "\n" + "\n".join(faults)


@pytest.mark.parametrize("page", [
    "A launch takes 3.1 µs.",
    "It is at 0.97 of the native row.",
    "| | a |\n|---|---|\n| x | 12 |",
    "- one\n- 40 % of it",
    "<!-- from: jobs/results/h200/explain.txt | grep 'median' -->\n7.4 % are left.\n\nA comment covers one paragraph: 7.4 %.",
    "<!-- given: 3; a setting -->\nOf 3 rows 4 are wrong.",
    "<!-- parity: pairs x -->\n1.23\n<!-- /parity -->\n\nOutside 1.23 of it.",
])
def test_a_number_without_a_source_is_found(page):
    found = numbers.faults(page)
    assert len(found) == 1 and "CONTRIBUTING.md" in found[0] and "page:" in found[0], found


@pytest.mark.parametrize("page", [
    "Kokkos 4.6.01, CUDA 11.8 to 12.4, g++ 12.2, #4056, Table 4, Figures 2 to 4, 2026-11-22, commit 820b194, `--steps 20`, P100, float32.",
    "512 x 512 x 64, N = 1025, h = 0.01, n = 2 048 000, 128², 13-point, [x.jsonl:3](x.jsonl#L3), a 95 % interval.",
    "```\n12.5 µs\n```",
    "<!-- parity: pairs x -->\n1.23\n<!-- /parity -->",
    "## 2. A heading\n\nNo number.",
])
def test_what_only_names_something_needs_none(page):
    assert numbers.faults(page) == []


@pytest.mark.parametrize("page", [
    f"<!-- from: {EXPLAIN} | grep 'diffusion: 1420 rows' -->\nHalf of the 1420 rows have at most 7.4 % left (1.0 % more than 30 %).",
    f"<!-- from: {EXPLAIN} | grep '^ +cuda +launch ' -->\n3.14 µs a launch, 3.1 µs, 3140 ns, 0.00314 ms.",
    f"<!-- from: {EXPLAIN} | grep '^ +cuda +launch '; 2.7 = 8.45 / 3.14 -->\n2.7 times a launch.",
    "<!-- from: jobs/results/cpu/kde_libraries.jsonl | grep scipy -->\nscipy takes 16 s, 16.1 s, 16140 ms.",
    "<!-- from: jobs/results/h200/pairs/counters.csv | grep '^cuda-fused-wrap' -->\n75.6 % of the issue slots.",
    "<!-- given: 30 µs; their Table 4 -->\nPublished are 30 µs.",
    "By this. 3.14 µs a launch. <!-- from: jobs/results/h200/explain.txt | grep '^ +cuda +launch ' -->",
])
def test_a_source_proves_and_a_changed_number_is_found(page):
    assert numbers.faults(page) == []
    body = page.index("-->") + 3 if page.startswith("<!--") else 0
    end = page.rindex("<!--") if not page.startswith("<!--") else len(page)
    for match in numbers.NUMBER.finditer(page, body, end):
        digit = match.end("fraction") if match["fraction"] else match.end("digits")
        changed = page[:digit - 1] + str((int(page[digit - 1]) + 4) % 10) + page[digit:]
        assert len(numbers.faults(changed)) == 1, changed


def test_a_comment_that_hides_the_text_after_it_is_found():
    page = "<!-- given: 3; a setting -->{}<!-- given: 4;\na setting -->\nOf 3 rows 4 are wrong."
    assert numbers.faults(page.format("\n")) == []
    (fault,) = numbers.faults(page.format(" "))
    assert fault.startswith("page:1: a comment begins behind the end of another")


def test_a_tables_row_is_compared_with_lines_of_its_name():
    page = ("<!-- from: jobs/results/h200/pairs/counters.csv -->\n| row | issue % |\n|---|---|\n| `cuda-fused-wrap/` | {} |\n"
            "| `kokkos-fused-wrap-tiled/` | {} |\n")
    assert numbers.faults(page.format(75.64, 79.85)) == []
    assert len(numbers.faults(page.format(79.85, 75.64))) == 1, "each is in the file, but not in its row"


@pytest.mark.parametrize("page,says", [
    ("<!-- from: jobs/results/nothing.jsonl -->\n3.1 µs", "jobs/results/nothing.jsonl: there is no such file"),
    ("<!-- from: /etc/hostname -->\n3.1 µs", "there is no such file"),
    (f"<!-- from: {EXPLAIN} | grep 'no such line' -->\n3.1 µs", "no such line"),
    ("<!-- from: `rm -r jobs` -->\n3.1 µs", "is no command of parity"),
    ("<!-- given: their Table 4 -->\n3.1 µs", "wants numbers"),
    ("<!-- given: 3.1 µs -->\n3.1 µs", "whose they are"),
    (f"<!-- from: {EXPLAIN} | grep '^ +cuda +launch '; 2.5 = 8.45 / 3.14 -->\n2.5 times", "is wrong: it is 2.69"),
    (f"<!-- from: {EXPLAIN} | grep '^ +cuda +launch '; 2.2 = 7.00 / 3.14 -->\n2.2 times", "7.00 of '2.2 = 7.00 / 3.14' is not in the source"),
    (f"<!-- from: {EXPLAIN} | grep '^ +cuda +launch ' -->\n3.14 ms a launch", "'3.14 ms' is not in the sources"),
    ("<!-- given: 30 µs; their Table 4 -->\nPublished are 30 ms.", "'30 ms' is not in the sources"),
])
def test_sources_that_prove_nothing_are_named(page, says):
    found = numbers.faults(page)
    assert len(found) == 1 and says in found[0], found


def test_a_changed_number_of_a_committed_page_is_found():
    """Of a page whose sources are single lines, every one; a record's own digits, not a neighbour's."""
    page = ROOT / "jobs/results/h200/intervals/README.md"
    text, name = page.read_text(), page.relative_to(ROOT).as_posix()
    assert numbers.faults(text, name) == []
    shares = re.findall(r"\((\d\d\.\d) %\) \|", text)
    assert len(shares) == 13
    for share in shares:
        changed = text.replace(f"({share} %)", f"({float(share) + 0.5:.1f} %)")
        assert len(numbers.faults(changed, name)) == 1, share
