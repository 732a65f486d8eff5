# SPDX-License-Identifier: BSD-3-Clause
"""jobs/report: the contents of the page, and one line that names file and line of damaged records; never a traceback."""
import copy
import html
import json
import os
import re
import subprocess
import sys
import urllib.parse

import pytest
from conftest import PARITY, ROOT
from record_files import LAUNCH, row, skipped

sys.path.insert(0, str(ROOT / "jobs"))
sys.dont_write_bytecode = True

from report import answers, command, drawing, figures, links, page, records, screen  # noqa: E402  (the path comes first)

FIELD = {"nx": 16, "ny": 16, "nz": 4, "steps": 8, "alpha": 0.1, "halo": 2, "precision": "float"}
DENSITY = {"n": 1024, "bandwidth": 0.1, "distribution": "normal", "precision": "float"}
RATE = [{"name": "throughput", "value": 1.5, "unit": "Gpt/s", "better": "higher"}]
OLDEST, OLDER, NEWER = (f"2026-01-0{day}T00:00:00Z-a-1" for day in (1, 2, 3))


def good():
    """Results of every study."""
    return copy.deepcopy([row("diffusion", "kokkos-fused", [0.1, 0.14, 0.11], FIELD, twin="openmp-fused", metrics=RATE),
                          row("diffusion", "openmp-fused", [0.1, 0.2, 0.4], FIELD), row("kde", "openmp-direct", [0.1, 0.2, 0.4], DENSITY),
                          row("launch", "cuda-kernel", [2e-6, 2.1e-6, 1.9e-6], LAUNCH)])


def of_run(rows, run, **identity):
    return [{**r, "run": {**r["run"], "id": run, **identity}} for r in rows]


def lines(rows):
    return "".join(json.dumps(r) + "\n" for r in rows).encode()


@pytest.fixture
def read(monkeypatch, tmp_path):
    """read(text): the records of a file."""
    monkeypatch.setenv("PARITY", str(PARITY))

    def of(text):
        (tmp_path / "r.jsonl").write_bytes(text)
        return records.read([tmp_path / "r.jsonl"])

    return of


@pytest.fixture
def page_of(read):
    """page_of(text): the page, or the line of a failure."""

    def draw(text):
        try:
            return page.of(read(text))
        except records.Failure as e:
            assert "\n" not in str(e) and str(e).isprintable() and e.code == 2, str(e)
            return str(e)

    return draw


@pytest.fixture
def report(monkeypatch, tmp_path):
    """report(*arguments): the exit code of the command in a separate folder."""
    monkeypatch.setenv("PARITY", str(PARITY))
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["report.py", *arguments])
        return command.main("")

    return run


def section(text, name):
    return text.split(f"<section id={name}>")[1].split("</section>")[0]


def test_the_first_screen(page_of):
    """Devices, a list of sections, checks, noise, and the answers with their records and explanations."""
    text = page_of(lines(good()))
    head = text.split("<section id=pairs>")[0]
    assert "<b>CPU A</b>: 4 rows of 1 run, unknown, commit c0ffee" in head and "4 of 4 rows passed their check" in head
    assert "<p>3 of 4 rows on CPU A are noisy.</p>" in head and "the processes disagree by more than 10 %" in head
    assert re.findall("href='#([^']+)'", head) == re.findall(r"<section id=([\w-]+)", text)
    said = section(text, "answers")
    assert "<b>Diffusion filter, best rate, 16 x 16 x 4, N = 8, float:</b>" in said
    assert "Kokkos 1.5 Gpt/s (<code>kokkos-fused</code>)" in said and "r.jsonl:1</a>" in said and re.search(r"noisy, fastest start [\d.]+ [^:<]+: 110000.00 \[", said)
    for words in ("1 is parity, below 1 Kokkos is slower", "N: steps.", "Gpt/s: ", "[n = 1]: ", "A value is the median"):
        assert words in " ".join(said.split()), words
    names = re.findall(r"<section id=([\w-]+)", text)
    assert names[:3] == ["pairs", "answers", "costs"], "in the order of README.md"
    assert "<section id=answers>" not in page_of(lines([skipped("diffusion", "cuda-fused", "no GPU", FIELD)]))


def test_a_lost_launch_is_called_not_measurable(page_of):
    rows = [row("launch", variant, [5e-7, 2e-6, 5e-7, 4e-7, -1e-6], {**LAUNCH, "quantity": "null-overhead"}, twin=twin)
            for variant, twin in (("openmp-kernel", ""), ("kokkos-kernel", "openmp-kernel"))]
    said = section(page_of(lines(rows)), "answers")
    assert said.count("not measurable here, the interval contains 0") == 2 and len(re.findall(r" below [0-9.]+ µs \(", said)) == 2
    assert not re.search(r"\[-|µs -", said), "no time below zero"


def test_a_launch_is_of_the_run_whose_ratio_is_known_best(read):
    """Not the latest run nor one without an interval; kernels without arguments have priority over all others."""
    def both(run, portable, **problem):
        return [row("launch", "cuda-kernel", [2e-6] * len(portable), {**LAUNCH, **problem}, run=run),
                row("launch", "kokkos-kernel", portable, {**LAUNCH, **problem}, run=run, twin="cuda-kernel")]

    rows = both("1", [4e-6, 4.1e-6, 4e-6]) + both("2", [3e-6, 5e-6, 4e-6]) + both("3", [2e-6]) + both("4", [2e-6] * 3, argument_bytes=64)
    (answer,) = answers.of(read(lines(rows)))[0]["answers"]
    assert answer["what"] == "Launch, what the launching call costs" and [r["run"]["id"] for s in answer["sides"] for r in s["rows"]] == ["1", "1"]
    assert answer["ratio"].startswith("0.50 [")


def test_what_failed_is_said_with_its_row(page_of):
    """With its deviation; also modified sources, missing twins, results of one process."""
    rows = good()
    rows[0]["run"] = {**rows[0]["run"], "id": "dirty", "modified": True}
    rows[1] = row("diffusion", "openmp-fused", [], FIELD, error=2.0)
    rows[2] = row("kde", "openmp-direct", [0.1], DENSITY)
    rows[3] = row("launch", "cuda-kernel", [-1e-9, -1e-9, 2e-9], LAUNCH)
    rows.append(row("launch", "cuda-kernel-cooperative", [1e-6, 1e-6, 1e-6], LAUNCH))
    rows[4]["verification"].update(error=2.0, caveat="20 µs came back as 40")
    text = page_of(lines(rows))
    said = section(text, "failed")
    assert "1 × row that failed its check" in said and "diffusion/openmp-fused, 16 x 16 x 4, N = 8, float: error 2.0e+00; a test <a class=record" in said
    assert "unreliable" not in said and "dirty" not in said, "red is for failures"
    said = section(text, "remarks")
    assert "row whose time is unreliable" in said and "launch/cuda-kernel-cooperative, dispatch 1x128, x100: 20 µs came back as 40" in said
    assert "c0ffee (modified): run dirty on CPU A" in said and "diffusion/kokkos-fused without openmp-fused: 1 row" in said
    assert "1 × file with rows of one start" in said and "1 × row lost in noise" in said
    assert "<td class=wrong>WRONG</td>" in text


def test_skipped_rows_stand_together_by_their_reason(page_of):
    """With the number of problems, and a note if other processes measured them; separately per device; long lists are folded."""
    other = {**FIELD, "nx": 32}
    rows = good() + [skipped("diffusion", "cuda-fused", "no GPU", FIELD), skipped("diffusion", "cuda-fused", "no GPU", FIELD, starts=[2]),
                     skipped("diffusion", "cuda-fused", "no GPU", other), skipped("kde", "cuda-<direct>", "no GPU", DENSITY),
                     skipped("diffusion", "openmp-fused", "busy", FIELD, starts=[4])]
    rows += of_run([skipped("diffusion", "cuda-fused", "no GPU", FIELD)], "elsewhere", device="CPU B")
    said = section(page_of(lines(rows)), "skipped")
    assert re.findall("<summary>(.*?)</summary>", said) == ["3 rows on CPU A: no GPU", "1 row on CPU A: busy", "1 row on CPU B: no GPU"]
    assert [html.unescape(x) for x in re.findall("<li>(.*?) <a", said)] == [
        "diffusion/cuda-fused, 2 problems", "kde/cuda-<direct>, n = 1024, h = 0.1, normal, float",
        "diffusion/openmp-fused, 16 x 16 x 4, N = 8, float; 1 of 1 measured in other starts of the program",
        "diffusion/cuda-fused, 16 x 16 x 4, N = 8, float"]
    assert "r.jsonl:5</a>" in said and "asked for and could not run: 5." in said and "<section id=skipped>" not in page_of(lines(good()))
    many = [skipped("diffusion", "cuda-fused", f"reason {i % 5}", {**FIELD, "nx": 16 + i}) for i in range(6)]
    text = page_of(lines(many))
    assert re.findall("<details class=many><summary>(.*?)</summary>", text) == ["5 reasons, the most frequent one: reason 0 (2)"]
    assert "0 of 0 rows passed" in text and "nothing is missing" not in text


def test_devices_and_runs_share_no_table(page_of):
    """Devices also share no picture of pairs; of the runs of one device, commit and problem the latest is drawn."""
    rows = good()[:2]
    text = page_of(lines(rows + of_run(rows, "another", device="CPU B", commit="beef") + of_run(rows, "later")))
    assert "<h2>commit c0ffee on CPU A</h2>" in text and "<h2>commit beef on CPU B</h2>" in text
    assert text.count("<td>kokkos-fused</td><td>openmp-fused</td>") == 3
    assert all(table.split("</table>")[0].count("<td>kokkos-fused</td>") <= 1 for table in text.split("<table")[1:])
    assert section(text, "pairs").count("<svg") == 2


def intervals_in(axes):
    """(place, low, high) of every interval that is drawn over lines."""
    found = []
    for line in axes.get_lines():
        if line.get_gid() == "intervals":
            x, y = ([float(v) for v in data] for data in line.get_data())
            found += [(x[k], y[k], y[k + 1]) if x[k] == x[k + 1] else (y[k], x[k], x[k + 1]) for k in range(0, len(x), 3)]
    return found


def test_the_picture_of_pairs_has_their_intervals(read, tmp_path):
    """The title states the finding, and numbers link to their records. A ratio of one process has no interval. The axis has 0 and 1."""
    rows = good()[:2] + [row("diffusion", "kokkos-fused-tuned", [0.05, 0.06, 0.05], FIELD, twin="openmp-fused")]
    found = read(lines(rows))
    (group,) = page.groups(found)
    (axes,) = group.figure().axes

    def drawn_as(what):
        return sorted(tuple(float(x) for x in line.get_xdata()) for line in axes.get_lines() if line.get_gid() == what)

    speeds = [p["ratio"] for p in found["pairs"]]
    assert len(speeds) == 2 and drawn_as("interval") == sorted((s["low"], s["high"]) for s in speeds)
    assert drawn_as("mark") == sorted((s["value"],) for s in speeds) and axes.get_xlim()[0] == 0 and axes.get_xlim()[1] >= max(1, *(s["value"] for s in speeds))
    first, tuned = (s["value"] for s in speeds)
    assert group.finding == f"Kokkos has {first:.2f} (noisy) of OpenMP's speed in first versions, {tuned:.2f} (noisy) in tuned ones"
    drawn = section(page.of(found, folder=tmp_path), "pairs")
    assert all(f">{line}</text>" in drawn for line in drawing.fitted(group.finding, "")[0].split("\n"))
    assert all(f">{records.ratio(s)}</a>" in drawn for s in speeds if s["low"] < s["high"])
    assert 'href="r.jsonl#L1" title="r.jsonl:1">' in drawn and 'title="r.jsonl:2">1</a>' in drawn and "prefers-color-scheme:dark" in page.of(found)
    (group,) = page.groups(read(lines([row("diffusion", v, [0.1], FIELD, twin=t) for v, t in (("kokkos-fused", "openmp-fused"), ("openmp-fused", ""))])))
    (axes,) = group.figure().axes
    assert drawn_as("interval") == [] and drawn_as("mark") == [(1.0,)]


def test_the_finding_compares_like_with_like(read):
    """Algorithms with one version are separate, and a tuned version is not compared with a first one."""
    timed = {"kokkos-fused": 0.2, "cuda-fused": 0.1, "kokkos-resident": 1.0, "cuda-resident": 0.1, "kokkos-fused-tuned": 0.1, "kokkos-split-tuned": 0.1, "cuda-split": 0.05}
    rows = [row("diffusion", variant, [seconds] * 3, FIELD, twin=variant.replace("kokkos", "cuda") * variant.startswith("kokkos"))
            for variant, seconds in timed.items()]
    (group,) = page.groups(read(lines(rows)))
    assert group.finding == "Kokkos has 0.50 of CUDA's speed in first versions" and group.columns == [0, 1, 2, 3, 5]
    (group,) = page.groups(read(lines([r for r in rows if "resident" in r["variant"]])))
    assert group.finding == "Kokkos has 0.10 of CUDA's speed in algorithms of one form"


@pytest.mark.parametrize("launches, shares", [(True, ("30 %", "50 %", "20 %")), (False, ("50 %",))])
def test_a_time_is_divided(page_of, launches, shares):
    """The parts are launches, bytes and the rest; a part that no result has gets no column."""
    timed = row("diffusion", "openmp-fused", [0.02], FIELD, model={"launches": 20, "submissions": 20, "bytes": 1e8},
                metrics=[*RATE, {"name": "copy_bandwidth", "value": 1e10, "unit": "B/s", "better": "neither"}])
    text = page_of(lines([timed] + [row("launch", "openmp-kernel", [3e-4], {**LAUNCH, "quantity": "null-overhead"})] * launches))
    assert "".join(f"<th>{h}</th>" for h in (("launches", "bytes", "rest") if launches else ("bytes",))) in text and ("<th>rest</th>" in text) == launches and "".join(f"<td>{s}</td>" for s in shares) in text


def points_in(found, title):
    """{panel: {(label, x, y)}} of the figure with this title, as drawn; and True if all intervals match the document."""
    panels = {}
    for figure in (f for o in found["origins"] for f in figures.sweeps(o["rows"]) if f["title"].startswith(title)):
        for panel, axes in zip(figure["panels"], drawing.figure_of(figure).axes):
            here = panels.setdefault(panel["title"], set())
            for line in axes.get_lines():
                if line.get_gid() != "intervals":
                    here |= {(line.get_label(), float(x), round(float(y), 6)) for x, y in zip(*line.get_data())}
            wanted = [(p[0], p[2], p[3]) for line in panel.get("lines", []) for p in line["points"] if p[2] is not None]
            if "lines" in panel:
                assert sorted(intervals_in(axes)) == sorted(wanted)
            assert not axes.patches, "no bars"
    return panels


def of_three_runs(make):
    """make(run, seconds): results of the newest run, which took 9 µs, between those of older runs, which took 1."""
    return lines([*make(OLDER, 1e-6), *make(NEWER, 9e-6), *make(OLDEST, 1e-6)])


def test_sweeps_are_of_the_latest_run(read):
    """Only its fastest tunings are drawn, with their intervals; results of another device have a separate figure."""
    sizes = (16, 32, 64)

    def rows(run, seconds):
        problems = [{**FIELD, "nx": n, "ny": n, "nz": 1} for n in sizes]
        return [row("diffusion", "openmp-baseline", [n * n * seconds * slower * part for part in (1, 0.9, 1.1)], p, run=run, tuning=tuning)
                for n, p in zip(sizes, problems) for tuning, slower in (("1", 2), ("2", 1))] + [
            row("diffusion", "openmp-baseline+graph-two", [2 * n * n * seconds] * 3, p, run=run, mechanism="graph-two", capture_seconds=n * n * 1e-6)
            for n, p in zip(sizes, problems)]

    text = of_three_runs(rows)
    found = points_in(read(text), "Diffusion filter over the grid size, nz = 1, N = 8, float")
    assert found["kernels"] == {(v, n, y) for n in sizes for v, y in (("openmp-baseline", 9), ("openmp-baseline+graph-two", 18))}
    assert found["kernels and capture"] == {(v, n, y) for n in sizes for v, y in (("openmp-baseline", 9), ("openmp-baseline+graph-two", 19))}
    both = read(text + lines(of_run(rows(NEWER, 5e-6), NEWER + "0", device="CPU B")))
    assert [o["text"] for o in both["origins"] if figures.sweeps(o["rows"])] == ["commit c0ffee on CPU A", "commit c0ffee on CPU B"]


def test_names_that_mean_something_elsewhere(page_of):
    """Names with a meaning for a drawing library or a browser. (Parity itself refuses those with a meaning for a terminal.)"""
    rows = good()
    for n, name in enumerate(["$x_{", "<b>&"]):
        rows.append(row("diffusion", "kokkos-" + name, [0.1, 0.2, 0.3], dict(FIELD, precision=name), tuning=name))
        rows.append(row("something", "openmp-" + name, [0.1, 0.2, 0.3], {name: n, "word": name}))
    drawn = page_of(lines(rows))
    assert "<svg" in drawn and "kokkos-<b>" not in drawn and "kokkos-&lt;b&gt;" in drawn


@pytest.mark.parametrize("samples", [[0.0, 0.0, 0.0], [-1e-9, 1e-9, 2e-9], [1e-320, 1e-320, 1e-320], [1e300, 1e300, 1e300]])
def test_times_that_are_none(page_of, samples):
    rows = good()
    rows[1] = row("diffusion", "openmp-fused", samples, FIELD)
    rows[2] = row("kde", "openmp-direct", samples, DENSITY)
    page_of(lines(rows))


def test_numbers_lead_to_their_records(report, tmp_path):
    """The linked line of the file holds the result of the number; the page requests nothing from a network."""
    (tmp_path / "r.jsonl").write_bytes(lines(good()))
    (tmp_path / "r.toml").write_text("")
    assert report("r.jsonl", "--output", "r.html") == 0
    text = (tmp_path / "r.html").read_text()
    found = re.findall(r'<a class=record href="([^"]+\.jsonl[^"]*)">([^<]+)</a>', text) + re.findall(r'<a href="([^"]+#L\d+)" title="([^"]+)"', text)
    for href, name in found:
        path, _, line = urllib.parse.unquote(href).partition("#L")
        assert json.loads((tmp_path / path).read_text().splitlines()[int(line) - 1])["type"] == "measurement" and name == f"{path}:{line}"
    assert len(found) > 3 and 'r.toml">r.toml</a>' in text and not re.search(r"(?:src|href)=.?(?:https?:)?//", text)


def test_a_plan_is_that_of_its_records(tmp_path):
    """A plan with the records' name in the same folder; a job's only plan; else one of jobs/plans. A plan.toml of other records is not linked."""
    def plan_of(name):
        links.plan_of.cache_clear()
        found = links.plan_of(str(tmp_path / name))
        return found and found.relative_to(tmp_path if tmp_path in found.parents else ROOT).as_posix()

    (tmp_path / "plan.toml").write_text("")
    assert plan_of("kde.jsonl") is None and plan_of("records.jsonl") is None and plan_of("local.jsonl") == "jobs/plans/local.toml"
    (tmp_path / "kde.toml").write_text("")
    (tmp_path / "settings.txt").write_text("")
    assert plan_of("records.jsonl") == plan_of("") == "plan.toml" and plan_of("kde.jsonl") == "kde.toml"
    assert plan_of(ROOT / "jobs/results/h200/original_works/equation_3.jsonl") == "jobs/plans/launch_equation_3.toml"
    for file, plan in links.PLANS.items():
        assert (links.RESULTS / file).is_file() and (ROOT / f"jobs/plans/{plan}.toml").is_file(), file


def test_a_damaged_file_among_others(report, tmp_path, capsys):
    """The others are drawn; the page, the message and the exit code report the damaged one."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in/good.jsonl").write_bytes(lines(good()))
    (tmp_path / "in/bad.jsonl").write_bytes(lines(good()[:1]) + b"{nothing\n" + lines(good()[1:]))
    (tmp_path / "in/libraries.jsonl").write_text('\n{"library": "scikit-learn", "n": 1024, "time_s": 0.123456}\n \r\n\n')
    assert report("in", "--output", "out.html") == 2
    said = capsys.readouterr().err
    assert said.startswith("report: in/bad.jsonl: line 2 is not a Parity record") and said.count("\n") == 1
    text = (tmp_path / "out.html").read_text()
    assert "1 × file that could not be read" in text and "in/bad.jsonl: line 2" in text
    assert "<tr><td>scikit-learn</td><td>1024</td><td>0.1235</td></tr>" in section(text, "libraries")
    (tmp_path / "in/good.jsonl").write_bytes(b"{nothing\n")
    assert report("in", "--output", "none.html") == 2 and not (tmp_path / "none.html").exists()
    with pytest.raises(SystemExit, match="2"):
        report("in", "--output", "folder")


def test_a_python_without_its_packages_finds_the_one_that_has_them(tmp_path):
    """-S: no installed packages. The other Python gets the same arguments; if there is none, one line says so."""
    asked = [sys.executable, "-S", ROOT / "jobs/report.py", "--output", "file of mine", "r.jsonl"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PARITY"))} | {"PARITY_DEPS": str(tmp_path)}

    def run():
        return subprocess.run(asked, cwd=tmp_path, env=environment, text=True, capture_output=True)

    done = run()
    assert done.returncode == 3 and done.stdout == "" and re.fullmatch(r"report: this Python .* has no \w+: 'cmake/bootstrap.sh --python' makes .*\n", done.stderr), done
    python = tmp_path / "python/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\nshift\necho "$# $1 $2"\nexit 7\n')
    python.chmod(0o755)
    done = run()
    assert (done.returncode, done.stdout, done.stderr) == (7, "3 --output file of mine\n", "")


def test_a_text(report, tmp_path):
    (tmp_path / "r.jsonl").write_bytes(lines(good()[:1]))
    (tmp_path / "t.txt").write_text("so <much>\n")
    assert report("r.jsonl", "--text", "Findings", "t.txt", "--output", "r.html") == 0
    text = (tmp_path / "r.html").read_text()
    assert "<h2>Findings</h2><pre>so &lt;much&gt;" in text


@pytest.mark.parametrize("mask,before,after", [(0o027, None, 0o640), (0o077, None, 0o600), (0o022, 0o600, 0o600), (0o022, 0o664, 0o664), (0o027, "link", 0o640)])
def test_the_mode_of_the_page(report, tmp_path, mask, before, after):
    """A new file has the mode that the umask allows; a replaced one keeps its mode."""
    (tmp_path / "r.jsonl").write_bytes(lines(good()[:1]))
    if before == "link":
        (tmp_path / "r.html").symlink_to("elsewhere.html")
    elif before:
        (tmp_path / "r.html").touch(before)
        (tmp_path / "r.html").chmod(before)
    old = os.umask(mask)
    try:
        assert report("r.jsonl", "--output", "r.html") == 0 and os.umask(mask) == mask
    finally:
        os.umask(old)
    assert oct((tmp_path / "r.html").lstat().st_mode & 0o7777) == oct(after) and not (tmp_path / "elsewhere.html").exists()


def test_a_folder_of_somebody_else(tmp_path):
    """Files in the current folder are neither imported nor read as settings of matplotlib."""
    (tmp_path / "r.jsonl").write_bytes(lines(good()))
    for name in ("numpy", "matplotlib", "report", "jinja2"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(9)\n")
    (tmp_path / "matplotlibrc").write_text("text.usetex: True\nfont.weight: bold\n")
    drawn = {}
    for folder in (tmp_path, tmp_path / "empty"):
        folder.mkdir(exist_ok=True)
        subprocess.run([sys.executable, "-B", ROOT / "jobs/report.py", tmp_path / "r.jsonl", "--output", tmp_path / "r.html"], cwd=folder, check=True)
        drawn[folder] = (tmp_path / "r.html").read_text()
    assert len(set(drawn.values())) == 1


@pytest.mark.parametrize("arguments,says", [
    (["missing.jsonl"], "missing.jsonl: No such file"),
    (["r.jsonl", "--text", "Title", "missing.txt"], "missing.txt: No such file"),
    (["r.jsonl", "--output", "/nowhere/r.html"], "/nowhere/r.html: cannot be written: No such file"),
])
def test_files_that_are_not_there(report, tmp_path, capsys, arguments, says):
    (tmp_path / "r.jsonl").write_bytes(lines(good()[:1]))
    assert report(*arguments) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and said[0].startswith("report: ") and says in said[0], said
    assert [p.name for p in tmp_path.iterdir()] == ["r.jsonl"]


def test_joules_stand_beside_the_times(page_of):
    rows = good()
    for r in rows[:2]:
        r["metrics"] = RATE + [{"name": "step_energy", "value": 0.0125, "unit": "J", "better": "lower"}]
    text = page_of(lines(rows))
    assert "<th>step_energy J</th>" in text and text.count("<td>0.0125</td>") == 2


def test_a_headline_of_noisy_times_alone_is_marked():
    """A range with one quiet ratio is not."""
    def cells(quiet):
        return [("fused", [(0, [0.56], quiet), (1, [0.8], quiet)]), ("column", [(0, [0.25], False)])]

    assert drawing.finding_of(cells(True), "cuda") == "Kokkos has 0.25 to 0.56 of CUDA's speed in first versions, 0.80 in tuned ones"
    assert drawing.finding_of(cells(False), "cuda") == "Kokkos has 0.25 to 0.56 (all noisy) of CUDA's speed in first versions, 0.80 (noisy) in tuned ones"


def test_the_page_of_noisy_times_says_so(page_of):
    quiet, noisy = [0.1, 0.1001, 0.1002], [0.1, 0.2, 0.4]
    for times, marked in ((quiet, False), (noisy, True)):
        rows = [row("diffusion", name, times, FIELD, twin=twin, metrics=RATE) for name, twin in (("kokkos-fused", "openmp-fused"), ("openmp-fused", ""))]
        assert (" (noisy)" in page_of(lines(rows))) == marked


@pytest.mark.parametrize("times, preempted, said", [([0.1, 0.1001, 0.1002], 0, "The machine was quiet"), ([0.1, 0.1001, 0.1002], 1, "Noise: all processes agree within 10 %, but"),
                                                    ([0.1], 1, "Noise: some results have too few processes to say"), ([0.1, 0.2, 0.4], 0, "Noise: 1 of 1 results vary")])
def test_a_machine_is_quiet_by_several_processes_that_had_it_to_themselves(read, times, preempted, said):
    one = row("diffusion", "openmp-fused", times, FIELD)
    one["preemptions"] = [[50.0 * preempted for _ in s] for s in one["host_seconds"]["samples"]]
    assert screen.busy(read(lines([one])))[0].startswith(said)


@pytest.mark.parametrize("files", [["h200/pairs"], ["h200/pairs/pairs.jsonl", "h200/launch_model.jsonl"], ["cpu/kokkos/versions/pairs_3.4.01.jsonl"], ["h200/launch_model.jsonl"]])
def test_the_screen_holds_the_first_numbers_of_the_page(monkeypatch, files):
    """At most 24 lines of 100 columns, including the line of the report; the speeds are those of the page's first picture."""
    monkeypatch.setenv("PARITY", str(PARITY))
    found = records.read(command.files_of(ROOT / "jobs/results" / f for f in files)[0])
    said = screen.of(found)
    assert len(said) <= 23 and max(map(len, said)) <= 100 and said[0].startswith(("Noise: ", "The machine was quiet")), "\n".join(said)
    lead = max((g for g in page.groups(found) if g.study != "launch"), key=lambda g: g.weight, default=None)
    shown = {a["algorithm"]: [c and records.text(c["speed"], ".2f") for c in a["cells"][:2]] for a in lead.algorithms} if lead else {}
    lines = [re.split("  +", s.strip()) for s in said if s.startswith("  ")][1:]
    assert sum(shown.get(name) == [None if s == "-" else s for s in speeds[:2]] for name, *speeds in lines) >= min(len(shown), 6)
