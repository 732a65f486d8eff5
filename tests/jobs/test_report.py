# SPDX-License-Identifier: BSD-3-Clause
"""jobs/report on damaged records: one line that names file and line, or a page; never a traceback."""
import copy
import csv
import html
import json
import os
import random
import re
import subprocess
import sys
import types

import pytest
from conftest import PARITY, ROOT
from record_files import row, skipped

sys.path.insert(0, str(ROOT / "jobs"))
sys.dont_write_bytecode = True

from report import advice, answers, command, comparison, drawing, explained, launches, links, overview, page, records  # noqa: E402  (the path comes first)
from report import sweeps, widths  # noqa: E402

RESULTS = ROOT / "jobs/results/h200"
FIELD = {"nx": 16, "ny": 16, "nz": 4, "steps": 8, "alpha": 0.1, "halo": 2, "precision": "float"}
DENSITY = {"n": 1024, "bandwidth": 0.1, "distribution": "normal", "precision": "float"}


def launch_row():
    return next(r for r in map(json.loads, (ROOT / "tests/cli/launch_study_schema_1.jsonl").read_text().splitlines()) if r.get("variant") == "cuda-traditional")


def good():
    """Rows of every study."""
    metrics = [{"name": "throughput", "value": 1.5, "unit": "Gpt/s", "better": "higher"}]
    rows = [row("diffusion", "kokkos-fused", [0.1, 0.2, 0.3], FIELD, twin="openmp-fused", metrics=metrics),
            row("diffusion", "openmp-fused", [0.1, 0.2, 0.4], FIELD), row("kde", "openmp-direct", [0.1, 0.2, 0.4], DENSITY), launch_row()]
    return [copy.deepcopy(r) for r in rows]


@pytest.fixture
def page_of(monkeypatch, tmp_path):
    """page_of(rows): the page, or the line and exit code of a failure."""
    monkeypatch.setenv("PARITY", str(PARITY))
    file = tmp_path / "r.jsonl"

    def draw(text):
        file.write_bytes(text)
        try:
            return page.of(records.read([file]))
        except records.Failure as e:
            assert "\n" not in str(e) and str(e).isprintable() and e.code == 2, str(e)
            return str(e)

    return draw


def lines(rows):
    return "".join(json.dumps(r) + "\n" for r in rows).encode()


def test_rows_of_every_study_are_drawn(page_of):
    assert page_of(lines(good())).count("<img") >= 2


DAMAGE = [
    (1, "problem", "nx", None), (1, "problem", "nx", "wide"), (1, "problem", "nz", 1.5), (1, "problem", "precision", 7),
    (2, "problem", "bandwidth", "narrow"), (2, "problem", "n", -1), (3, "problem", "quantity", None), (3, "problem", "blocks", "many"),
    (1, "setup_seconds", None, None), (1, "setup_seconds", None, 1e308),
]


@pytest.mark.parametrize("index,field,name,value", DAMAGE)
def test_what_a_figure_needs_is_missing(page_of, tmp_path, index, field, name, value):
    """Parity reads it, since another program may have written it; the report says where it is."""
    rows = good()
    if name is None:
        rows[index][field] = value
        rows[index]["load_seconds"] = value
    elif value is None:
        del rows[index][field][name]
    else:
        rows[index][field][name] = value
    said = page_of(lines(rows))
    assert said.startswith(f"{tmp_path}/r.jsonl: line {index + 1}: "), said[:300]


def test_names_that_mean_something_elsewhere(page_of):
    """To a drawing library, to a browser. (Parity itself refuses what would mean something to a terminal.)"""
    rows = good()
    for n, name in enumerate(["$x_{", "<b>&"]):
        rows.append(row("diffusion", "kokkos-" + name, [0.1, 0.2, 0.3], dict(FIELD, precision=name), tuning=name))
        rows.append(row("something", "openmp-" + name, [0.1, 0.2, 0.3], {name: n, "word": name}))
    drawn = page_of(lines(rows))
    assert "<img" in drawn and "kokkos-<b>" not in drawn and "kokkos-&lt;b&gt;" in drawn


@pytest.mark.parametrize("samples", [[0.0, 0.0, 0.0], [-1e-9, 1e-9, 2e-9], [1e-320, 1e-320, 1e-320], [1e300, 1e300, 1e300]])
def test_times_that_are_none(page_of, samples):
    rows = good()
    rows[1] = row("diffusion", "openmp-fused", samples, FIELD)
    rows[2] = row("kde", "openmp-direct", samples, DENSITY)
    page_of(lines(rows))


def mutated(text, dice):
    """One record with a value in place of another, a line without its end, or a byte that is wrong."""
    found = text.split(b"\n")
    n = dice.randrange(len(found) - 1)
    if dice.random() < 0.2:
        at = dice.randrange(len(text))
        return dice.choice([text[:at], text[:at] + bytes([dice.randrange(256)]) + text[at + 1:]])
    record = json.loads(found[n])
    place = record
    for _ in range(dice.randrange(3)):
        inner = [v for v in (place.values() if isinstance(place, dict) else place) if isinstance(v, (dict, list)) and v]
        place = dice.choice(inner) if inner else place
    if dice.random() < 0.05:
        found[n] = b'{"x": ' * 5000 + found[n] + b"}" * 5000
        return b"\n".join(found)
    key = dice.choice(list(place) if isinstance(place, dict) else range(len(place)))
    if dice.random() < 0.2:
        del place[key]
    else:
        place[key] = dice.choice([None, 0, -1, 1e308, -1e308, 1e-320, 2**63, 10**30, 1.5, True, "", "x", "$\\", "\u0007", "²", [], {}, [[]],
                                  {"samples": []}, copy.deepcopy(record), float("inf")])
    found[n] = json.dumps(record).encode()
    return b"\n".join(found)


def test_mutated_records(page_of):
    dice, text = random.Random(1), lines(good())
    pages = sum("<html" in page_of(mutated(text, dice)) for _ in range(60))
    assert 0 < pages < 60


@pytest.mark.parametrize("deep", [b'{"library": %s}', b'{"library": "x", "value": %s}', b"%s", b'{"type": "measurement", "problem": %s}'])
def test_lines_nested_deep(page_of, tmp_path, deep):
    """Beyond what Python's parser bears, and within: as any other damage."""
    for depth in (100, 900, 100000):
        said = page_of(lines(good()) + deep % (b"[" * depth + b"]" * depth) + b"\n")
        assert said.startswith(f"{tmp_path}/r.jsonl: line 5 is not a Parity record"), said[:300]
        said = page_of(deep % (b"[" * depth + b"]" * depth) + b"\n")
        assert said.startswith(f"{tmp_path}/r.jsonl: line 1 is not a Parity record"), said[:300]


def test_the_committed_records_at_once(monkeypatch):
    """With the times of other libraries among them. Every figure is made; rendering them all would take half a minute."""

    def image(figure, text):
        assert max(110 * figure.get_size_inches()) < 2**16, text  # more cannot be rendered
        drawing.plt.close(figure)
        return "<img>"

    for module in (comparison, launches, sweeps, widths):
        monkeypatch.setattr(module, "image", image)
    monkeypatch.setenv("PARITY", str(PARITY))
    files = command.files_of([RESULTS.parent])
    assert len(files) > 20
    found = records.read(files)
    drawn = page.of(found)
    assert drawn.count("<img") > 20 and "<h2>Other libraries</h2>" in drawn and "scikit-learn" in drawn and not found.refused
    # Nothing is dropped: each run, device and commit, each row once.
    for origin in found.origins:
        assert f"<h2>{origin.text}</h2>" in drawn and f"{len(origin.rows)} rows" in drawn
    assert sum(len(o.rows) for o in found.origins) == len(found.measurements)
    for what in ("that failed its check", "of sources that differed"):
        assert what in drawn


def test_numbers_beside_an_axis_are_short():
    """Those of bytes stood in each other's way; an axis of few powers had one number."""
    assert [drawing.short(x) for x in (0, 0.01, 2000, 65536, 262144, 2**20, 2**28, 2**31, 1e13)] == \
        ["0", "0.01", "2000", "65536", "262k", "1.05M", "268M", "2.15G", "1e+13"]
    for high, wanted in ((6000, ["2000", "5000"]), (1e6, [])):
        figure, axes = drawing.plt.subplots()
        axes.plot([2**14, 2**28], [1500, high])
        drawing.panels(axes, "bytes", "µs")
        figure.canvas.draw()
        assert [t.get_text() for t in axes.get_yticklabels(minor=True) if t.get_text() and 1500 <= t.get_position()[1] <= high] == wanted
        spans = [t.get_window_extent() for t in axes.get_xticklabels() if t.get_text()]
        assert len(spans) > 3 and all(a.x1 < b.x0 for a, b in zip(spans, spans[1:]))
        drawing.plt.close(figure)


def test_devices_and_runs_share_no_table(page_of):
    """Nor a picture of pairs."""
    rows = good()[:2]
    other = [{**r, "run": {**r["run"], "id": "another", "device": "CPU B", "commit": "beef"}} for r in good()[:2]]
    third = [{**r, "run": {**r["run"], "id": "later"}} for r in good()[:2]]
    text = page_of(lines(rows + other + third))
    assert "<h2>commit c0ffee on CPU A</h2>" in text and "<h2>commit beef on CPU B</h2>" in text
    assert text.count("<td>kokkos-fused</td><td>openmp-fused</td>") == 3
    for table in text.split("<table")[1:]:
        assert table.split("</table>")[0].count("<td>kokkos-fused</td>") <= 1
    pictures = text.split("<div class=group")[1:]
    assert len(pictures) == 3 and all(g.count("data-name=") == 1 for g in pictures)


def test_dirty_sources_and_failed_rows_come_first(page_of):
    rows = good()
    rows[0]["run"] = {**rows[0]["run"], "id": "dirty", "modified": True}
    rows[1]["verification"]["error"] = 2
    rows[1]["host_seconds"] = {"samples": []}
    rows[1]["metrics"] = []
    head = page_of(lines(rows)).split("<section class=origin>")[0]
    assert "c0ffee (modified)" in head and "1 × row that failed its check" in head and "1 × portable variant without its native twin" in head


def test_answers_stand_before_everything_else(page_of):
    """Rates with what they belong to, or nothing: of rows without a rate there is no such table."""
    text = page_of(lines(good()))
    said = text.split("<section id=answers>")[1].split("</section>")[0]
    assert text.index("<section id=answers>") < text.index("<h2>Portable code beside") and "<h2>In a minute: CPU A</h2>" in said
    assert "best rate, 16 x 16 x 4, N = 8, float" in said and "<code>kokkos-fused</code>" in said and "r.jsonl:1</a>" in said
    assert "What to do about launches" not in said
    assert "<section id=answers>" not in page_of(lines([skipped("diffusion", "cuda-fused", "no GPU", FIELD)]))


def test_answers_are_those_of_the_records_and_lead_there(monkeypatch, tmp_path):
    """Costs of launches, and what the program's guide says of sixteen of them; every link leads to a line that there is, or to a plan."""
    monkeypatch.setenv("PARITY", str(PARITY))
    files = [RESULTS / "launch_model.jsonl", RESULTS / "original_works/equation_3_six_starts.jsonl", RESULTS / "frontier/frontier.jsonl"]
    text = page.of(records.read(files), folder=tmp_path)
    said = text.split("<section id=answers>")[1].split("</section>")[0]
    printed = subprocess.run([PARITY, "explain", files[0]], stdout=subprocess.PIPE, text=True, check=True).stdout
    guide = [line.split() for line in printed.split("what pays?")[1].splitlines() if line.split()[1:2] == ["16"]]
    shown = [re.findall(r"<td>(?:<b>)?([^<]*)", line) for line in said.split("µs of a kernel")[1].splitlines() if line.startswith("<tr>")]
    assert len(guide) == 7 and shown == [[us, *ways, pays if ways[1].endswith("*") else "-"] for us, _, *ways, pays in guide]
    note = re.sub(r"<[^>]*>", "", " ".join(said.split()))
    assert "Modelled, not measured: by parity explain, from the costs of launches in launch_model.jsonl:" in note
    assert re.search(r"line \d+: (commit \w+)\)", printed)[1] + ", 2 to 3 starts a row." in note
    (launch,) = [line for line in said.splitlines() if "what the launching call costs" in line]
    assert re.search(r"\[[0-9.]+, [0-9.]+\] µs, <code>cuda-traditional</code>.*[0-9.]+\] µs, <code>kokkos-range</code>.*>[0-9.]+ \[[0-9.]+, [0-9.]+\]<", launch), launch
    assert said.count("best rate, ") == 2 and "frontier.toml" in said and "launch_model.toml" in said and "launch_equation_3.toml" in said
    for address in re.findall('href="([^"]*)"', said):
        path, _, line = address.partition("#L")
        target = tmp_path / path
        assert target.is_file() and (not line or int(line) <= len(target.read_text().splitlines())), address
        assert bool(line) == path.endswith(".jsonl")


def test_a_plan_is_that_of_its_records(monkeypatch, tmp_path):
    """Of the records' name beside them; of a job's folder its only one; else of jobs/plans. A plan.toml of other records is no link."""
    monkeypatch.setenv("PARITY", str(PARITY))

    def plan_of(name):
        links.plan_of.cache_clear()
        found = links.plan_of(str(tmp_path / name))
        return found and found.relative_to(tmp_path if tmp_path in found.parents else ROOT).as_posix()

    (tmp_path / "plan.toml").write_text("")
    assert plan_of("kde.jsonl") is None and plan_of("records.jsonl") is None and plan_of("roofs.jsonl") == "jobs/plans/roofs.toml"
    (tmp_path / "records.jsonl").write_bytes(lines(good()))
    assert "plan.toml" not in page.of(records.read([tmp_path / "records.jsonl"]), folder=tmp_path)
    for name in ("kde.toml", "roofs.toml"):
        (tmp_path / name).write_text("")
    assert plan_of("kde.jsonl") == "kde.toml" and plan_of("roofs.jsonl") == "roofs.toml" and plan_of("records.jsonl") is None
    (tmp_path / "settings.sh").write_text("")
    assert plan_of("records.jsonl") == plan_of("") == "plan.toml" and plan_of("kde.jsonl") == "kde.toml"


def test_the_first_table_says_how_it_is_read(page_of):
    """Above it, what a ratio means; below it, which problem it is of, what units are, and which line a link leads to."""
    above, below = " ".join(page_of(lines(good())).split("<section id=answers>")[1].split()).split("<table", 1)
    assert "1 is parity; above 1 the portable row is faster" in above
    said = below.split("</table>")[1].split("</section>")[0]
    for words in ("N: steps.", "h: bandwidth.", "Gpt/s: ", "Gpair/s: ", "[n = 1]: ",
                  "the problem where native code is fastest among those that one run measured on both sides; of several such runs the latest",
                  "A value is the median of all starts of the program. Its link leads to the line of the first start"):
        assert words in said, words


def test_a_list_of_sections_leads_to_each(page_of):
    text = page_of(lines(good()))
    said = text.split("<nav")[1].split("</nav>")[0]
    named = re.findall(r"<section id=([\w-]+)", text)
    assert re.findall("href='#([^']+)'", said) == named and {"answers", "pairs", "origins", "runs"} <= set(named)
    assert ">Portable code beside its native twin</a>" in said and text.index("<nav") < text.index("<section")


def test_the_table_of_launches_leads_to_its_plan(page_of, tmp_path):
    text = lines([row("launch", "cuda-traditional", [5e-7] * 3, LAUNCH)])
    assert page_of(text).split("<section id=costs>")[1].split("</section>")[0].count("<td>-</td></tr>") == 1
    (tmp_path / "r.toml").write_text("")
    links.plan_of.cache_clear()
    assert 'r.toml">r.toml</a></td></tr>' in page_of(text).split("<section id=costs>")[1].split("</section>")[0]


@pytest.mark.parametrize("reference,shown", [("word " * 150 + "end", "word " * 150 + "end"), ("longer word " * 150, "longer word " * 83 + "…")])
def test_why_a_row_failed_is_said_in_whole_words(page_of, reference, shown):
    """With its deviation."""
    rows = [row("launch", "cuda-traditional", [], LAUNCH, error=2.0)]
    rows[0]["verification"]["reference"] = reference
    said = page_of(lines(rows)).split("<section id=failed>")[1].split("</section>")[0]
    assert f": error 2.0e+00; {shown} <a class=record" in said


def said_of_noise(text):
    return [html.unescape(x) for x in re.findall("<li>(run of .*?)</li>", text)]


def test_noisy_rows_are_counted_by_run(page_of):
    """Rows that failed have no time; a row of one start has no interval."""
    steady, wide = [0.1, 0.101, 0.1, 0.1, 0.101], [0.1, 0.2, 0.1, 0.1, 0.3]
    rows = [row("diffusion", "openmp-fused", steady, FIELD), row("diffusion", "kokkos-fused", wide, FIELD), row("kde", "openmp-direct", [0.1], DENSITY),
            row("kde", "kokkos-direct", [], DENSITY, error=2.0)]
    text = page_of(lines(rows))
    assert said_of_noise(text) == ["run of unknown time, r.jsonl: 1 of 3 rows is noisy, 1 has no interval"]
    assert "<p>1 of 3 rows on CPU A is noisy, by run:</p>" in text and "interval is wider than 10 % of the time" in text
    assert text.index("<div id=noise>") < text.index("<section class=origin>")
    several = [{**r, "run": {**r["run"], "id": f"run {k}"}} for k in range(5) for r in rows[:2]]
    text = page_of(lines(several))
    assert len(said_of_noise(text)) == 5 and "<summary>5 of 10 rows on CPU A are noisy, by run</summary>" in text


def test_as_many_rows_are_noisy_as_the_program_says(monkeypatch, tmp_path):
    monkeypatch.setenv("PARITY", str(PARITY))
    (tmp_path / "plan.toml").write_text('variants = ["openmp-plane", "reference-loop"]\n[axes]\nsize = [[64, 16, 8], [64, 17, 8]]\nsteps = [1, 2]\n'
                                        "[measure]\nrepeats = 5\nstarts = 5\n")
    done = subprocess.run([PARITY, "measure", tmp_path / "plan.toml", "--output", tmp_path / "r.jsonl"], text=True, capture_output=True, check=True)
    said = re.search(r"^(\d+) of (\d+) rows? (?:is|are) noisy", done.stdout + done.stderr, re.MULTILINE)
    (found,) = overview.noise(records.read([tmp_path / "r.jsonl"]))
    assert (found.noisy, found.without_interval) == (int(said[1]) if said else 0, 0)
    assert found.rows == (int(said[2]) if said else 8)


def test_a_noisy_value_has_its_interval_beside_it(page_of):
    """And says where the interval contains 0; the ratio of the same rows may be narrow."""
    rates = [{"name": "throughput", "value": 1.5, "unit": "Gpt/s", "better": "higher"}]
    problem = {**LAUNCH, "quantity": "null-overhead"}
    rows = [row("diffusion", "kokkos-fused", [0.1, 0.2, 0.1, 0.1, 0.1], FIELD, twin="openmp-fused", metrics=rates),
            row("diffusion", "openmp-fused", [0.1, 0.1, 0.1, 0.1, 0.1], FIELD, metrics=rates),
            row("launch", "openmp-parallel-for", [5e-7, 2e-6, 5e-7, 4e-7, -1e-6], problem),
            row("launch", "kokkos-range", [5e-7, 2e-6, 5e-7, 4e-7, -1e-6], problem, twin="openmp-parallel-for")]
    said = page_of(lines(rows)).split("<section id=answers>")[1].split("</section>")[0]
    doubts = re.findall(r"<code>([a-z-]*)</code>[^<]*<span class=doubt>(.*?)</span>", said)
    assert [name for name, _ in doubts] == ["kokkos-fused", "openmp-parallel-for", "kokkos-range"], said
    assert re.fullmatch(r"noisy: [0-9.]+ \[[0-9.]+, [0-9.]+\] µs a step", doubts[0][1])
    assert [text for _, text in doubts[1:]] == ["not measurable here, the interval contains 0"] * 2
    assert len(re.findall(r"0\.50 \[-[0-9.]+, [0-9.]+\] µs, ", said)) == 2


def speed_up(variant, problem, value, low, high):
    return {"baseline": "cupy-baseline", "variant": variant, "problem": problem,
            "factor": {"value": value, "low": low, "high": high, "starts": 1 if low is None else 5, "noisy": False}}


SMALL, LARGE = "16x16x4 N=8 float", "32x16x4 N=8 float"


@pytest.mark.parametrize("found,problem,native,portable", [
    ([speed_up("cuda-a", SMALL, 80.3, 42.5, 129.6), speed_up("kokkos-a", SMALL, 60.0, 30.0, 92.0), speed_up("cuda-b", LARGE, 80.1, 53.3, 108.6),
      speed_up("kokkos-b", LARGE, 63.9, 42.2, 86.9)], LARGE, "80.1 [53.3, 108.6], `cuda-b`", "63.9 [42.2, 86.9], `kokkos-b`"),  # not the highest value
    ([speed_up("cuda-a", SMALL, 90.0, None, None), speed_up("kokkos-a", SMALL, 9.0, 8.0, 10.0), speed_up("cuda-b", LARGE, 2.0, 1.0, 4.0),
      speed_up("kokkos-b", LARGE, 3.0, 2.0, 4.0)], LARGE, "2.0 [1.0, 4.0], `cuda-b`", "3.0 [2.0, 4.0], `kokkos-b`"),  # one with an interval
    ([speed_up("cuda-a", SMALL, 9.0, 8.0, 10.0), speed_up("cuda-b", LARGE, 3.0, 2.0, 4.0), speed_up("kokkos-b", LARGE, 2.0, 1.0, 4.0)], LARGE,
     "3.0 [2.0, 4.0], `cuda-b`", "2.0 [1.0, 4.0], `kokkos-b`"),  # one with both sides
    ([speed_up("cuda-a", SMALL, 9.0, 8.0, 10.0), speed_up("kokkos-b", LARGE, 99.0, 98.0, 100.0)], SMALL, "9.0 [8.0, 10.0], `cuda-a`",
     "largest on another problem"),
    ([speed_up("kokkos-b", LARGE, 9.0, None, None)], LARGE, "not measured", "9.0 [n = 1], `kokkos-b`"),
])
def test_the_speed_up_shows_both_sides_of_one_problem(found, problem, native, portable):
    """Of those with the highest lower end of native code's interval, not the luckiest of wide ones."""
    rows = [types.SimpleNamespace(run="r", study="diffusion", variant=v, problem={**FIELD, "nx": nx}, place=v)
            for v in ("cuda-a", "cuda-b", "kokkos-a", "kokkos-b", "cupy-baseline") for nx in (16, 32)]
    everything = types.SimpleNamespace(runs=[types.SimpleNamespace(id="r", device="GPU", time="2026")],
                                       origins=[types.SimpleNamespace(rows=rows, speed_ups=found)])
    (said,) = answers.speed_ups(everything, "GPU")
    assert (said.native, said.portable) == (native, portable)
    assert said.what.endswith(f"{problem[:2]} x 16 x 4, N = 8, float") and {r.problem["nx"] for r in said.rows} == {int(problem[:2])}
    assert not list(answers.speed_ups(everything, "another"))


def test_a_launch_is_of_the_record_whose_ratio_is_known_best(monkeypatch):
    """Neither the latest record nor one without an interval, nor one with a remark; of kernels without arguments, whatever is known of others."""
    monkeypatch.setattr(links, "remark", lambda file: "others were at work" if file == "beside" else "")

    def pair(run, low, high, argument_bytes=0):
        result = types.SimpleNamespace(text=lambda form: run)
        native, portable = (types.SimpleNamespace(run=run, study="launch", variant=v, result=result, problem={**LAUNCH, "argument_bytes": argument_bytes},
                                                  origin=(run, 1))
                            for v in ("cuda-traditional", "kokkos-range"))
        return types.SimpleNamespace(native=native, portable=portable, ratio=records.Estimate(0.8, low, high, 3 if low else 1, False))

    pairs = [pair("narrow", 0.79, 0.81), pair("later", 0.7, 0.9), pair("latest", None, None), pair("arguments", 0.8, 0.8, 64), pair("beside", 0.8, 0.8)]
    runs = [types.SimpleNamespace(id=p.native.run, device="GPU", time=f"2026-01-0{day}") for day, p in enumerate(pairs, 1)]
    for shown in (pairs, pairs[::-1]):
        (said,) = answers.launches(types.SimpleNamespace(runs=runs, pairs=shown), "GPU")
        assert [r.run for r in said.rows] == ["narrow"] * 2 and said.native.startswith("narrow ")


def test_the_guide_says_which_newer_costs_it_is_not_of(monkeypatch, tmp_path):
    """'parity explain' reads a whole file: of several runs or devices its words would be no run's. What it refuses has its reason."""
    monkeypatch.setenv("PARITY", str(PARITY))
    first, *rows = (RESULTS / "launch_model.jsonl").read_text().splitlines()

    def run(day, device="NVIDIA H200", only=""):
        environment = json.loads(first)
        environment["time"], environment["gpu"]["name"] = f"2026-11-{day}T00:00:00Z", device
        of = environment["id"]
        return [line.replace(of, f"{of}-{day}-{device}") for line in [json.dumps(environment), *(r for r in rows if only in r)]]

    def guide_of(device="NVIDIA H200"):
        files = sorted(str(p) for p in tmp_path.glob("*.jsonl"))
        found = records.read(files)
        text = page.of(found, folder=tmp_path)
        assert text.index("<section id=unused>") > text.index("<section id=pairs>")
        return answers.guide(found, device), text.split("<section id=unused>")[1].split("</section>")[0], "<table class=guide>" in text

    def write(name, *runs):
        (tmp_path / name).write_text("".join(line + "\n" for r in runs for line in r))

    write("devices.jsonl", run(25), run(24, "GPU B"))
    none, said, is_there = guide_of()
    assert none.lines == [] and none.row is None and [why for _, why in none.refused] == ["has rows of 2 runs"]
    assert said.count(": has rows of 2 runs</li>") == 2 and "<li>GPU B: " in said and not is_there  # of both devices

    write("one.jsonl", run(22))
    write("runs.jsonl", run(20), run(26))
    write("part.jsonl", run(23, only='"graph-repeat"'))
    write("older.jsonl", run(21))
    found, said, is_there = guide_of()
    assert found.row.origin[0].endswith("one.jsonl") and len(found.lines) == 7
    assert [row.origin[0].rsplit("/")[-1] for row, _ in found.refused] == ["runs.jsonl", "devices.jsonl", "part.jsonl"]
    assert found.refused[0][0].origin[1] > 1 + len(rows)  # of its latest run
    assert found.refused[2][1].startswith("quantities of launches are missing")
    assert said.count(": has rows of 2 runs</li>") == 3 and ": quantities of launches are missing" in said and is_there


@pytest.mark.parametrize("lines,says", [
    ([("0.5", "50 20* 45 28* 8*"), ("2.0", "57 44* 53 52 32*"), ("5.0", "100 96 99 98 91"), ("10.0", "180 170 175 178 170")],
     "'fused' is the cheapest way for kernels of up to 2.0 µs. Also at least 10 % cheaper than one by one: 'CUDA graph' for kernels of up to 2.0 µs, "
     "'grid barriers' for kernels of up to 0.5 µs. No way is 10 % cheaper than one by one for kernels of 5.0 µs and more."),
    ([("0.5", "50 20* - 28* 30*"), ("1.0", "50 40* - 28* 30*"), ("2.0", "50 49 - 28* 30*")],
     "'CUDA graph' is the cheapest way for kernels of up to 0.5 µs. 'grid barriers' is the cheapest way for kernels of 1.0 µs and more. "
     "Also at least 10 % cheaper than one by one: 'fused' for kernels of every duration."),
    ([("0.5", "50 49 50 50 50")], "No way is 10 % cheaper than one by one for kernels of every duration."),
])
def test_the_guide_says_in_words_what_its_stars_say(lines, says):
    assert answers.Guide([(us, ways.split(), "2") for us, ways in lines], None, []).advice == says


def test_skipped_rows_stand_together_by_their_reason(page_of):
    """With the number of problems, and whether other starts of the program measured them; of each device apart."""
    other = {**FIELD, "nx": 32}
    rows = good() + [skipped("diffusion", "cuda-fused", "no GPU", FIELD), skipped("diffusion", "cuda-fused", "no GPU", FIELD, starts=[2]),
                     skipped("diffusion", "cuda-fused", "no GPU", other), skipped("kde", "cuda-<direct>", "no GPU", DENSITY),
                     skipped("diffusion", "openmp-fused", "busy", FIELD, starts=[4])]
    rows.append({**skipped("diffusion", "cuda-fused", "no GPU", FIELD, run="elsewhere")})
    rows[-1]["run"] = {**rows[-1]["run"], "device": "CPU B"}
    head = page_of(lines(rows)).split("<section class=origin>")[0]
    said = head.split("<section id=skipped>")[1].split("</section>")[0]
    assert re.findall("<summary>(.*?)</summary>", said) == ["3 rows on CPU A: no GPU", "1 row on CPU A: busy", "1 row on CPU B: no GPU"]
    found = [html.unescape(x) for x in re.findall("<li>(.*?) <a", said)]
    assert found == ["diffusion/cuda-fused, 2 problems", "kde/cuda-<direct>, n = 1024, h = 0.1, normal, float",
                     "diffusion/openmp-fused, 16 x 16 x 4, N = 8, float; 1 of 1 measured in other starts of the program",
                     "diffusion/cuda-fused, 16 x 16 x 4, N = 8, float"]
    assert "r.jsonl:5</a>" in said and "asked for and could not run: 5." in said
    assert "<section id=skipped>" not in page_of(lines(good()))


def test_many_reasons_are_folded_into_one_line(page_of):
    """So that the first screen has the answers; they are all there when it is opened."""
    rows = good() + [skipped("diffusion", "cuda-fused", f"reason {i}", {**FIELD, "nx": 16 + i}) for i in range(5)] + [skipped("kde", "cuda-direct", "reason 3", DENSITY)]
    said = page_of(lines(rows)).split("<section id=skipped>")[1].split("</section>")[0]
    assert re.findall("<details class=many><summary>(.*?)</summary>", said) == ["5 reasons, the most frequent one: reason 3 (2)"]
    assert said.count("<details") == said.count("</details>") == 6


def test_skipped_rows_alone_are_a_page(page_of):
    """Nothing was measured, and the page says why."""
    text = page_of(lines([skipped("diffusion", "cuda-fused", "no GPU", FIELD)]))
    assert "<summary>1 row on CPU A: no GPU</summary>" in text and "0 of 0 rows passed" in text and "nothing is missing" not in text


def test_a_skipped_row_without_its_problem_is_damage(page_of, tmp_path):
    text = page_of(lines([*good(), skipped("diffusion", "cuda-fused", "no GPU", {"nx": 16})]))
    assert text.startswith(f"{tmp_path}/r.jsonl: line 5: its problem has no whole number 'ny'")


def test_skipped_rows_are_a_table(tmp_path, monkeypatch):
    monkeypatch.setenv("PARITY", str(PARITY))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.jsonl").write_bytes(lines([*good(), skipped("diffusion", "cuda-fused", "no GPU, no toolkit", FIELD, starts=[1, 3], tuning="8x8")]))
    monkeypatch.setattr(sys, "argv", ["report.py", "r.jsonl", "--output", "out"])
    assert command.main("") == 0
    (found,) = csv.DictReader((tmp_path / "out/skipped.csv").open())
    assert found == {"device": "CPU A", "run": "run", "study": "diffusion", "problem": "16 x 16 x 4, N = 8, float", "row": "cuda-fused/8x8", "starts": "1 3",
                     "reason": "no GPU, no toolkit", "record": "r.jsonl:5"}


def test_a_damaged_file_among_others(tmp_path, monkeypatch, capsys):
    """The others are drawn; the page, the message and the exit code say what is not."""
    monkeypatch.setenv("PARITY", str(PARITY))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in/good.jsonl").write_bytes(lines(good()))
    (tmp_path / "in/bad.jsonl").write_bytes(lines(good()[:1]) + b"{nothing\n" + lines(good()[1:]))
    monkeypatch.setattr(sys, "argv", ["report.py", "in", "--output", "out"])
    assert command.main("") == 2
    said = capsys.readouterr().err
    assert said.startswith("report: in/bad.jsonl: line 2 is not a Parity record") and said.count("\n") == 1
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["best_rates.csv", "best_rates.md", "pairs.csv", "pairs.md", "pairs.svg", "report.html"]
    head = (tmp_path / "out/report.html").read_text().split("<section class=origin>")[0]
    assert "1 × file that could not be read" in head and "in/bad.jsonl: line 2" in head
    (tmp_path / "in/good.jsonl").write_bytes(b"{nothing\n")
    monkeypatch.setattr(sys, "argv", ["report.py", "in", "--output", "none"])
    assert command.main("") == 2 and not (tmp_path / "none").exists()


def test_a_python_without_its_packages_finds_the_one_that_has_them(tmp_path):
    """-S: no installed packages. What the other Python is asked for is what this one was; where there is none, or it has none either, one line says so."""
    command = [sys.executable, "-S", ROOT / "jobs/report.py", "--synthetic", "field of mine.npy"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PARITY"))} | {"PARITY_DEPS": str(tmp_path)}

    def run():
        return subprocess.run(command, cwd=tmp_path, env=environment, text=True, capture_output=True)

    done = run()
    assert done.returncode == 3 and done.stdout == "" and re.fullmatch(r"report: this Python .* has no \w+: 'cmake/bootstrap.sh --python' makes .*\n", done.stderr), done
    python = tmp_path / "python/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\nshift\necho "$# $1 $2"\nexit 7\n')
    python.chmod(0o755)
    done = run()
    assert (done.returncode, done.stdout, done.stderr) == (7, "2 --synthetic field of mine.npy\n", "")
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    done = run()
    assert done.returncode == 3 and done.stderr.count("\n") == 1, done


def test_two_files_are_compared_by_parity(tmp_path, monkeypatch):
    """With its own words; files without a row in common are not."""
    monkeypatch.setenv("PARITY", str(PARITY))
    monkeypatch.chdir(tmp_path)
    fast = [row("diffusion", "openmp-fused", [0.1, 0.101, 0.102], FIELD)]
    slow = [row("diffusion", "openmp-fused", [0.2, 0.201, 0.202], FIELD, run="later")]
    slow[0]["run"]["device"] = "CPU B"
    (tmp_path / "a.jsonl").write_bytes(lines(fast))
    (tmp_path / "b.jsonl").write_bytes(lines(slow))
    (tmp_path / "c.jsonl").write_bytes(lines(good()[2:3]))
    said = subprocess.run([PARITY, "compare", "a.jsonl", "b.jsonl"], text=True, capture_output=True)
    assert said.returncode == 1 and "1 slower" in said.stdout
    monkeypatch.setattr(sys, "argv", ["report.py", "a.jsonl", "b.jsonl", "c.jsonl", "--output", "r.html"])
    assert command.main("") == 0
    text = html.unescape((tmp_path / "r.html").read_text())
    assert said.stdout.strip() in text and "<h2>parity compare a.jsonl b.jsonl</h2>" in text and "<h2>parity compare a.jsonl c.jsonl" not in text


def test_the_same_records_make_the_same_files(tmp_path, monkeypatch):
    monkeypatch.setenv("PARITY", str(PARITY))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.jsonl").write_bytes(lines(good()))
    for folder in ("a", "b"):
        monkeypatch.setattr(sys, "argv", ["report.py", "r.jsonl", "--output", folder])
        assert command.main("") == 0
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes(), file.name


LAUNCH = {"quantity": "dispatch", "blocks": 1, "threads": 128, "argument_bytes": 0, "launches": 100, "unit": "spin", "units": 5, "unit_ns": 5000,
          "topology": "line", "devices": 1, "bytes": 1048576}
OLDEST, OLDER, NEWER = (f"2026-01-0{day}T00:00:00Z-a-1" for day in (1, 2, 3))


def of_three_runs(make):
    """make(run, seconds): rows of the newest run that took 9 us between those of older ones that took 1."""
    return lines([*make(OLDER, 1e-6), *make(NEWER, 9e-6), *make(OLDEST, 1e-6)])


@pytest.fixture
def drawn(monkeypatch):
    """What is drawn in the panel of each title: (name, value) of bars, (name, x, y) of points."""
    found = {}

    def image(figure, text):
        for axes in figure.axes:
            here = found.setdefault(axes.get_title(), set())
            here |= {(words[0], float(words[1])) for words in (t.get_text().split() for t in axes.texts) if len(words) == 2}
            for handle, label in zip(*axes.get_legend_handles_labels()):
                line = handle if hasattr(handle, "get_xdata") else handle[0]
                here |= {(label, float(x), round(float(y), 6)) for x, y in zip(line.get_xdata(), line.get_ydata())}
        drawing.plt.close(figure)
        return "<img>"

    for module in (comparison, launches, sweeps, widths):
        monkeypatch.setattr(module, "image", image)
    return found


def findings(tmp_path):
    done = subprocess.run([PARITY, "findings", tmp_path / "r.jsonl"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_launch_figures_are_those_of_findings(page_of, drawn, tmp_path):
    """Of several runs the latest, wherever it stands in the file."""
    def rows(run, seconds):
        return [row("launch", "cuda-traditional", [seconds] * 3, {**LAUNCH, "quantity": q}, run=run) for q in ("fusion-overhead", "dispatch")] + [
            row("launch", "cuda-graph", [n * seconds] * 3, {**LAUNCH, "quantity": "graph-latency", "launches": n}, run=run) for n in (1, 2, 4)] + [
            row("launch", "cuda-grid-sync", [n * seconds] * 3, {**LAUNCH, "quantity": "barrier", "blocks": n}, run=run) for n in (1, 2, 4)] + [
            row("launch", "cuda-traditional", [n * seconds] * 3, {**LAUNCH, "argument_bytes": n}, run=run) for n in (8, 64)] + [
            row("launch", "cuda-traditional", [n * seconds] * 3, {**LAUNCH, "quantity": "copy", "bytes": n}, run=run) for n in (1, 2, 4)]

    page_of(of_three_runs(rows))
    said = findings(tmp_path)
    assert "9.00 [9.00, 9.00]" in said and "1.00 [" not in said and " 36.000" in said
    assert drawn["Figure 3: wait units"] == {("fusion-overhead", 9.0), ("dispatch", 9.0)}
    assert drawn["graph-latency"] == {("cuda-graph", 1, 9), ("cuda-graph", 2, 18), ("cuda-graph", 4, 36)}
    assert drawn["barrier"] == {("cuda-grid-sync 128 threads", n, 9 * n) for n in (1, 2, 4)}
    assert drawn["dispatch"] == {("cuda-traditional", 1, 9), ("cuda-traditional", 8, 72), ("cuda-traditional", 64, 576)}
    assert drawn["copy"] == {("cuda-traditional 1x128", n, 9 * n) for n in (1, 2, 4)}


def test_sweeps_are_of_the_latest_run(page_of, drawn, tmp_path):
    """Of its tunings the fastest; rows of another device are in a figure of their own."""
    sizes = (16, 32, 64)

    def rows(run, seconds):
        problems = [{**FIELD, "nx": n, "ny": n, "nz": 1} for n in sizes]
        return [row("diffusion", "openmp-baseline", [n * n * seconds * slower] * 3, p, run=run, tuning=tuning)
                for n, p in zip(sizes, problems) for tuning, slower in (("1", 2), ("2", 1))] + [
            row("diffusion", "openmp-baseline+graph-two", [2 * n * n * seconds] * 3, p, run=run, mechanism="graph-two") for n, p in zip(sizes, problems)]

    other = [{**r, "run": {**r["run"], "id": NEWER + "0", "device": "CPU B"}} for r in rows(NEWER, 5e-6)]
    text = page_of(of_three_runs(rows) + lines(other))
    assert text.count("<h3>Diffusion filter over the grid size") == 2 and "on CPU A</h2>" in text and "on CPU B</h2>" in text
    both = {(variant, n, value) for n in sizes for variant, value in (("openmp-baseline", 9), ("openmp-baseline+graph-two", 18),
                                                                     ("openmp-baseline", 5), ("openmp-baseline+graph-two", 10))}
    assert drawn["kernels and capture"] == both and "not compared with any other" in findings(tmp_path)


def test_block_widths_are_those_of_findings(page_of, drawn, tmp_path):
    def rows(run, seconds):
        metrics = [{"name": "occupancy", "value": 0.5, "unit": "1", "better": "neither"}]
        return [row("kde", "cuda-direct", [seconds * 1024 / w] * 3, {**DENSITY, "n": n}, run=run, tuning=str(w), tuning_axes="block width", metrics=metrics)
                for n in (1024, 2048) for w in (32, 64, 128, 256, 512)]

    newest = rows("2026-01-04T00:00:00Z-a-1", 9e-6)
    for r in newest:
        r["host_seconds"]["samples"] = [[9e-6]] * 3  # all widths alike: no speed-up
    page_of(lines(newest) + of_three_runs(rows))
    assert {y for points in drawn.values() for name, _, y in points if name.startswith("n = ")} == {1}
    said = findings(tmp_path).split("speed-up over the narrowest block")[1].split("efficiency")[0]
    assert said.count("1.000") == 10


@pytest.mark.parametrize("arguments,says", [
    (["missing.jsonl"], "missing.jsonl: No such file"),
    (["r.jsonl", "--field", "missing.npy", "r.jsonl"], "missing.npy: No such file"),
    (["r.jsonl", "--field", "r.jsonl", "r.jsonl"], "r.jsonl: "),
    (["r.jsonl", "--text", "Title", "missing.txt"], "missing.txt: No such file"),
    (["r.jsonl", "--output", "/nowhere/r.html"], "/nowhere/r.html: cannot be written: No such file"),
])
def test_files_that_are_not_there(tmp_path, monkeypatch, capsys, arguments, says):
    (tmp_path / "r.jsonl").write_bytes(lines(good()[:1]))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PARITY", str(PARITY))
    monkeypatch.setattr(sys, "argv", ["report.py", *arguments])
    assert command.main("") == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and said[0].startswith("report: ") and says in said[0], said
    assert [p.name for p in tmp_path.iterdir()] == ["r.jsonl"]


EXPLAIN = ("study,variant,problem,mechanism,precision,measured_s,modelled_s,launches_s,memory_s,L2_s,rest_s,rest_share,reason,clamped,flops,memory_bytes,"
           "memory_rate,L2_bytes,L2_rate,L1_bytes,L1_rate,instructions,instruction_rate\n")


def explain_line(k, study="diffusion", problem="16x16x4 N=8 float", measured="1e-3", rest="1e-4", reason="memory", bytes_="1e6"):
    return f"{study},kokkos-v{k},{problem},stream,float,{measured},9e-4,2e-4,6e-4,1e-4,{rest},0.1,{reason},0,2e6,{bytes_},4e12,,,,,1e5,1e12\n"


@pytest.fixture
def explain_file(tmp_path):
    def write(text):
        (tmp_path / "explain.csv").write_text(text)
        return tmp_path / "explain.csv"

    return write


def test_rooflines_and_waterfalls_are_of_the_programs_columns(explain_file):
    file = explain_file(EXPLAIN + explain_line(1) + explain_line(2, rest="-3e-4", reason="not explained") + explain_line(3, study="kde", problem="n=4"))
    rows = explained.read(file)
    assert [r.variant for r in rows] == ["kokkos-v1", "kokkos-v2", "kokkos-v3"] and rows[1].rest == -3e-4
    assert rows[0].terms == {"launches": 2e-4, "memory": 6e-4, "L2": 1e-4} and rows[0].known["memory_rate"] == 4e12 and "L1_rate" not in rows[0].known
    drawn = explained.figures([file])
    assert [title for title, _, _ in drawn] == ["Roofline: diffusion, float", "Roofline: kde, float",
                                                "Where the time goes: diffusion, 16x16x4 N=8 float", "Where the time goes: kde, n=4"]
    assert "2 rows" in drawn[2][1] and "1 of them not explained" in drawn[2][1] and all("<img" in image for _, _, image in drawn)


def test_without_bytes_there_is_no_roofline_and_many_problems_are_counted(explain_file):
    drawn = explained.figures([explain_file(EXPLAIN + "".join(explain_line(k, problem=f"p{k}", bytes_="") for k in range(11)))])
    assert len(drawn) == explained.MOST_PROBLEMS and "3 problems with fewer rows" in drawn[-1][1]


@pytest.mark.parametrize("text,says", [
    ("", "has no column study"), ("a,b\n1,2\n", "has no column study"), (EXPLAIN, "holds no row"),
    (EXPLAIN + explain_line(1, measured="many"), "line 2: measured_s is 'many', which is no number"),
    (EXPLAIN + explain_line(1, measured="0"), "line 2: measured_s is no time")])
def test_other_files_than_explains_are_refused(explain_file, text, says):
    with pytest.raises(records.Failure, match=re.escape(says)):
        explained.figures([explain_file(text)])


def test_the_page_has_them_where_they_are_given(page_of, explain_file, monkeypatch, tmp_path):
    (tmp_path / "good.jsonl").write_bytes(lines(good()))
    monkeypatch.setenv("PARITY", str(PARITY))
    found = records.read([tmp_path / "good.jsonl"])
    drawn = explained.figures([explain_file(EXPLAIN + explain_line(1))])
    assert "<section id=explained>" in page.of(found, explained=drawn) and "<section id=explained>" not in page.of(found)


def test_joules_stand_beside_the_times(page_of):
    rows = good()
    for r in rows[:2]:
        r["metrics"] = [{"name": "throughput", "value": 1.5, "unit": "Gpt/s", "better": "higher"},
                        {"name": "step_energy", "value": 0.0125, "unit": "J", "better": "lower"}]
    text = page_of(lines(rows))
    assert "<th>step_energy J</th>" in text and text.count("<td>0.0125</td>") == 2


def advised(**other):
    interval = {"value": 2e-5, "low": 1.5e-5, "high": 2.5e-5}
    step = {"repetitions": 40, "operations": [{}, {}], "wall": interval, "verdict": "a graph would save a third", "refused": None,
            "ways": [{"name": "graph", "means": "one launch <a step>", "step": interval, "saved": {"value": 1e-5, "low": None, "high": None}, "worth": "yes"}],
            "timeline": [{"kind": "kernel", "name": "k", "lane": "device 0 stream 7", "begin": 0.0, "seconds": 1e-5},
                         {"kind": "launch", "name": "k", "lane": "thread 1", "begin": 0.0, "seconds": 2e-6}], **other}
    return {"advice": 1, "programs": [{"program": "solver", "devices": ["GPU"], "processor": "CPU", "doubts": ["3 events were lost"], "steps": [step]}]}


def test_the_advice_of_a_trace_is_drawn(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(advised()))
    ((title, note, verdict, table, drawn),) = advice.sections([tmp_path / "a.json"])
    assert title == "solver, step 1 of 1" and verdict == "a graph would save a third" and "<img" in drawn
    assert "GPU; 2 operations, found 40 times; 20.00 [15.00, 25.00] µs a step; 3 events were lost" == note
    assert "<td>one launch &lt;a step&gt;</td><td>20.00 [15.00, 25.00]</td><td>10.00 [-, -]</td><td>yes</td>" in table
    (tmp_path / "a.json").write_text(json.dumps(advised(ways=[], refused="no figures of this device", timeline=[])))
    ((_, _, _, table, drawn),) = advice.sections([tmp_path / "a.json"])
    assert "no figures of this device" in table and drawn == ""


@pytest.mark.parametrize("text,says", [("{", "is no JSON"), ("[]", "is no advice of form 1"), ('{"advice": 2}', "is no advice of form 1"),
                                       ('{"advice": 1, "programs": [{}]}', "has no 'program'"),
                                       (json.dumps(advised(wall=3)), "a step has no")])
def test_other_files_than_advices_are_refused(tmp_path, text, says):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(records.Failure, match=re.escape(says)):
        advice.sections([tmp_path / "a.json"])


def test_the_page_has_the_advice_where_it_is_given(tmp_path, monkeypatch):
    (tmp_path / "good.jsonl").write_bytes(lines(good()))
    (tmp_path / "a.json").write_text(json.dumps(advised()))
    monkeypatch.setenv("PARITY", str(PARITY))
    found = records.read([tmp_path / "good.jsonl"])
    assert "<section id=advice>" in page.of(found, advice=advice.sections([tmp_path / "a.json"])) and "<section id=advice>" not in page.of(found)
