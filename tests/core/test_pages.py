# SPDX-License-Identifier: BSD-3-Clause
"""Links in pages have targets, commands and kernels in pages exist, and pages follow the rules of CONTRIBUTING.md."""
import os
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import PARITY

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pages():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md", ":!.github"], cwd=ROOT, text=True, capture_output=True, check=True).stdout
    return [ROOT / name for name in listed.splitlines() if (ROOT / name).is_file()]


def anchors(page):
    """The anchors that GitHub makes from headings."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def test_links_lead_somewhere():
    found = 0
    for page in pages():
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            path, _, anchor = target.partition("#")
            if re.match(r"\w+://", target):
                continue
            file = (page.parent / path).resolve() if path else page
            assert file.exists(), f"{page.relative_to(ROOT)}: {target}"
            assert not anchor or file.suffix != ".md" or anchor in anchors(file), f"{page.relative_to(ROOT)}: {target}"
            found += 1
    assert found > 50


def commands():
    """Lines of code blocks that begin with parity; pages of results keep older commands."""
    for page in pages():
        if "results" in page.parts or page.name == "CHANGELOG.md":
            continue
        for block in re.findall(r"^```\w*\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
            for line in block.replace("\\\n", " ").splitlines():
                words = line.split(" #")[0].removeprefix("$ ").split()
                if len(words) > 1 and words[0] in ("parity", "build/parity") and re.fullmatch(r"[a-z]+", words[1]):
                    yield page, words[1:]


@pytest.mark.all_tools
def test_commands_in_pages_exist():
    help_of, found = {}, 0
    for page, words in commands():
        if words[0] not in help_of:
            done = subprocess.run([PARITY, words[0], "--help"], text=True, capture_output=True)
            assert done.returncode == 0, f"{page.name}: parity {words[0]}"
            help_of[words[0]] = set(re.findall(r"--[a-z][a-z-]*", done.stdout)) | {"--omp-threads", "--device"}
        for word in words[1:]:
            if word.startswith("--"):
                assert word.split("=")[0] in help_of[words[0]], f"{page.name}: parity {' '.join(words)}: {word}"
            elif word.startswith("jobs/plans/") and "*" not in word:
                assert (ROOT / word).is_file(), f"{page.name}: {word}"
        found += 1
    assert found > 30


def test_the_first_page_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 110


def test_pages_begin_with_their_readers_and_an_example():
    for page in (p for p in pages() if p != ROOT / "README.md"):
        paragraph = page.read_text().split("\n\n")[1]
        assert re.search(r"\bfor (users|readers|people|developers)\b", paragraph, re.IGNORECASE), f"{page.relative_to(ROOT)}: {paragraph}"
        start = page.read_text()[:3000]
        assert "```" in start or "<!-- table" in start or "![" in start, f"{page.relative_to(ROOT)} begins without an example"


def test_comments_of_pages_are_commands():
    """Nobody reads and nothing checks a number in a comment."""
    found = [comment for page in pages() for comment in re.findall(r"<!--.*?-->", page.read_text(), re.DOTALL)]
    assert found and [c for c in found if not re.fullmatch(r"<!-- (table: \w+ .+|end) -->", c)] == []


def test_kernels_in_pages_are_in_their_files():
    """A line '// variants/...' in a block names the file that contains the lines below it, in this order, ten or fewer."""
    shown = 0
    for page in pages():
        for block in re.findall(r"^```cpp\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
            for name, lines in re.findall(r"^// (variants/\S+)\n((?:(?!// variants/).*\n)*)", block, re.MULTILINE):
                if (ROOT / name).is_file():
                    source, lines = iter((ROOT / name).read_text().splitlines()), lines.splitlines()
                    assert len(lines) <= 10 and all(line in source for line in lines), f"{page.name}: {name}"
                    shown += 1
    assert shown == 2


def test_pictures_are_of_the_committed_records():
    pytest.importorskip("matplotlib")
    done = subprocess.run([sys.executable, "jobs/report/pictures.py", "--check"], cwd=ROOT, env={**os.environ, "PARITY": str(PARITY)}, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    drawn = set((ROOT / "jobs/results/h200").glob("*.svg"))
    shown = {(page.parent / target).resolve() for page in pages() for target in re.findall(r"!\[[^\]]*\]\(([^)\s]+\.svg)\)", page.read_text())}
    assert drawn == shown
