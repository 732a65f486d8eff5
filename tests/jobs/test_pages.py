# SPDX-License-Identifier: BSD-3-Clause
"""The tables and pictures in pages are what the committed records say: made again here, and compared."""
import json
import re
import subprocess
import sys

import pytest
from conftest import PARITY, ROOT

sys.path.insert(0, str(ROOT / "jobs"))
sys.dont_write_bytecode = True

from report import command, links, pages, records  # noqa: E402  (the path comes first)


@pytest.fixture(scope="module")
def book():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PARITY", str(PARITY))
        yield pages.Book()


@pytest.fixture
def of_records(book, monkeypatch):
    monkeypatch.setenv("PARITY", str(PARITY))
    monkeypatch.setattr(pages, "Book", lambda: book)


def test_pages_are_what_the_records_say(of_records, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # pages name files from the top folder, whoever starts this from wherever
    assert command.rebuild(check=True) == 0, capsys.readouterr().out


def test_each_device_has_a_page_with_every_file_of_records():
    for folder in (p for p in links.RESULTS.iterdir() if p.is_dir() and p.name != "local"):
        page = (folder / "README.md").read_text()
        assert f"<!-- parity: records jobs/results/{folder.name} -->" in page
        for file in folder.rglob("*.jsonl"):
            assert f"({file.relative_to(folder).as_posix()})" in page, file


def test_plans_of_records_exist():
    for file, plan in links.known_plans().items():
        assert (links.RESULTS / file).is_file() and (ROOT / f"jobs/plans/{plan}.toml").is_file(), file


def test_remarks_stand_with_their_records():
    assert links.remarks()
    for file, remark in links.remarks().items():
        assert (links.RESULTS / file).is_file(), file
        device, _, name = file.partition("/")
        page = (links.RESULTS / device / "README.md").read_text()
        assert f"**{remark}**" in page.split(f"### [{name}]({name})\n")[1].split("\n### ")[0], file


def test_numbers_of_the_summary_lead_to_their_records():
    """The number's link, and that of what it is compared with, is a row of the variant that is named, on the row's problem."""
    readme = (ROOT / "README.md").read_text()
    block = re.search(r"<!-- parity: summary .*?-->(.*?)<!-- /parity -->", readme, re.S)[1]
    rows = [line.strip("| ").split(" | ") for line in block.strip().splitlines()[2:]]
    assert len(rows) == 6
    for what, *sides, _, plan in rows:
        assert "](jobs/plans/" in plan
        found = [re.fullmatch(r"\[.*[0-9].*\]\((\S+)#L(\d+)\), `([a-z0-9+-]+)`", side).groups() for side in sides]
        found += [(file, line, name) for name, file, line in re.findall(r"\[`([a-z0-9+-]+)`\]\((\S+)#L(\d+)\)", what)]
        assert len(found) == 2 + ("speed-up" in what)
        for file, line, name in found:
            record = json.loads((ROOT / file).read_text().splitlines()[int(line) - 1])
            assert record["variant"] == name, what
            if "N = " in what:
                assert f"N = {record['problem']['steps']}, {record['problem']['precision']}" in what


@pytest.fixture
def page(of_records, monkeypatch):
    """page(block): the file that holds it, the only page there is."""
    def write(block):
        file = ROOT / "build-page-of-a-test.md"
        file.write_text(f"before\n\n{block}\n<!-- /parity -->\n\nafter\n")
        monkeypatch.setattr(pages, "pages_with_blocks", lambda: [file])
        return file

    yield write
    (ROOT / "build-page-of-a-test.md").unlink(missing_ok=True)
    (ROOT / "build-picture-of-a-test.svg").unlink(missing_ok=True)


PAIRS = "<!-- parity: pairs jobs/results/h200/pairs/pairs.jsonl -->"


def test_a_number_that_was_changed_by_hand_is_found(page, capsys):
    file = page(PAIRS)
    assert command.rebuild(check=True) == 1
    assert command.rebuild(check=False) == 0 and command.rebuild(check=True) == 0
    text = file.read_text()
    assert text.startswith("before\n") and text.endswith("after\n") and "| `cuda-fused-2d` |" in text
    number = re.search(r"\| (0\.\d\d)", text)[1]
    file.write_text(text.replace(number, "0.11", 1))
    capsys.readouterr()
    assert command.rebuild(check=True) == 1 and "is not what the records say: jobs/report.py --pages" in capsys.readouterr().out
    assert command.rebuild(check=False) == 0 and file.read_text() == text


def test_its_ratios_are_those_that_parity_prints(book):
    """By the program's own words for one pair."""
    line = pages.output("findings jobs/results/h200/pairs/pairs.jsonl | grep 'kokkos-fused/.* nx=1024 ny=1024 nz=16 precision=double'")
    ratio = float(re.search(r"cuda-fused-2d/\S+ +([\d.]+)", line)[1])
    row = re.search(r"\| `cuda-fused-2d` \|(.*)", pages.pairs(book, "jobs/results/h200/pairs/pairs.jsonl"))[1]
    shown = float(row.split("|")[5].split(",")[0])  # 1024² double, idiomatic
    assert abs(shown - ratio) <= 0.0055, "two digits of three"


def test_a_picture_is_made_beside_its_page(page):
    file = page("<!-- parity: picture jobs/results/h200/pairs/pairs.jsonl build-picture-of-a-test.svg -->")
    assert command.rebuild(check=False) == 0 and "](build-picture-of-a-test.svg)" in file.read_text()
    picture = ROOT / "build-picture-of-a-test.svg"
    assert picture.read_text().lstrip().startswith("<svg") and "cuda-fused-2d" in picture.read_text()
    picture.write_text("<svg/>")
    assert command.rebuild(check=True) == 1


@pytest.mark.parametrize("block,says", [
    ("<!-- parity: pairs jobs/results/nothing.jsonl -->", "jobs/results/nothing.jsonl: "),
    ("<!-- parity: poem jobs/results -->", "'poem' is no kind of block"),
    ("<!-- parity: output findings jobs/results/h200/pairs/pairs.jsonl | grep no-such-row -->", "prints no such line"),
])
def test_blocks_that_mean_nothing_are_named(page, capsys, block, says):
    file = page(block)
    assert command.rebuild(check=False) == 2 and says in capsys.readouterr().err
    assert file.read_text() == f"before\n\n{block}\n<!-- /parity -->\n\nafter\n"


def test_damaged_records_change_no_page(tmp_path, monkeypatch):
    monkeypatch.setenv("PARITY", str(PARITY))
    (tmp_path / "good.jsonl").write_bytes((links.RESULTS / "h200/pairs/grid_barrier.jsonl").read_bytes())
    (tmp_path / "bad.jsonl").write_text("{nothing\n")
    with pytest.raises(records.Failure, match="bad.jsonl: line 1"):
        pages.Book(tmp_path)


def tracked_pages():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, text=True, capture_output=True, check=True).stdout
    return [ROOT / name for name in listed.splitlines() if (ROOT / name).is_file()]


def anchors(page):
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def test_links_lead_somewhere():
    found = 0
    for page in tracked_pages():
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            if re.match(r"\w+://", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            assert file.exists(), f"{page.relative_to(ROOT)}: {target}"
            if anchor and file.suffix == ".md":
                assert anchor in anchors(file), f"{page.relative_to(ROOT)}: {target}"
            found += 1
    assert found > 100


def commands():
    """Lines of code blocks that begin with parity, of all pages but those about results, which are of their time."""
    for page in tracked_pages():
        if "results" in page.parts or page.name == "CHANGELOG.md":
            continue
        for block in re.findall(r"^```\w*\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
            for line in block.splitlines():
                words = line.split("  #")[0].split()
                if words and words[0] == "parity" and len(words) > 1 and re.fullmatch(r"[a-z]+", words[1]):
                    yield page, words[1:]


def test_commands_in_pages_exist():
    """Each command of each page, its options and its plans."""
    help_of, found = {}, 0
    for page, words in commands():
        if words[0] not in help_of:
            done = subprocess.run([PARITY, words[0], "--help"], text=True, capture_output=True)
            help_of[words[0]] = set(re.findall(r"--[a-z][a-z-]*", done.stdout)) if done.returncode == 0 else None
        assert help_of[words[0]] is not None, f"{page.name}: parity {words[0]}"
        for word in words[1:]:
            if word.startswith("--"):
                assert word.split("=")[0] in help_of[words[0]] | {"--omp-threads", "--device"}, f"{page.name}: parity {' '.join(words)}: {word}"
            elif word.startswith("jobs/plans/") and "*" not in word:
                assert (ROOT / word).is_file(), f"{page.name}: {word}"
        found += 1
    assert found > 40


def test_problems_that_lack_a_parameter_have_labels():
    """Rows of one rank beside those of several: their problems do not say how many."""
    problems = [{"nx": 8, "ny": 8}, {"nx": 8, "ny": 16, "ranks_y": 2}, {"nx": 16, "ny": 8, "ranks_x": 2}]
    names = pages.varying(problems)
    assert set(names) == {"nx", "ny", "ranks_x", "ranks_y"}
    assert [pages.label(p, names) for p in problems] == ["8²", "nx=8 ny=16 ranks_y=2", "nx=16 ny=8 ranks_x=2"]


def test_the_first_page_is_short():
    lines = (ROOT / "README.md").read_text().splitlines()
    assert len(lines) <= 130
    assert sum(line.startswith("| ") and "](jobs/results/" in line and "#L" in line for line in lines) == 6, "rows of results with their records"
    assert "](jobs/results/h200/pairs.svg)" in "\n".join(lines)
