# SPDX-License-Identifier: BSD-3-Clause
"""The report in a real browser without a screen: drawn, its controls at work, nothing asked of a network, no error, wide and narrow, printed."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

import pytest
from conftest import PARITY, ROOT
from record_files import skipped

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
RECORDS = ["jobs/results/h200/pairs/kde_pairs.jsonl", "jobs/results/cpu/kokkos/fused_int.jsonl",
           "jobs/results/h200/original_works/equation_3_six_starts.jsonl"]


@pytest.fixture(scope="session")
def browser():
    done = subprocess.run([ROOT / "cmake/bootstrap.sh", "--browser"], text=True, capture_output=True, stdin=subprocess.DEVNULL)
    why = None if done.returncode == 0 else (done.stderr.strip().splitlines() or ["?"])[-1]
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as e:
        why = str(e)
    if why:
        why = "skipped, because there is no browser to test with: " + why
        pytest.fail(why) if os.environ.get("CI") else pytest.skip(why)
    with sync_playwright() as playwright:
        found = next(filter(None, map(shutil.which, BROWSERS)))
        started = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()


def explained_rows(folder):
    """Of four problems, as 'parity explain --csv' writes them."""
    lines = ["study,variant,problem,precision,measured_s,modelled_s,launches_s,memory_s,rest_s,reason,flops,memory_bytes,memory_rate"]
    lines += [f"diffusion,{family}-{k},{n}x{n}x64 N=9 float,float,1e-3,9e-4,2e-4,7e-4,1e-4,memory,2e6,{10**k}e5,4e12"
              for n in (16, 32, 64, 128) for k in (1, 2, 3) for family in ("kokkos", "cuda")]
    (folder / "explain.csv").write_text("\n".join(lines) + "\n")
    return folder / "explain.csv"


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    """The page of two devices, three studies, three commits."""
    folder = tmp_path_factory.mktemp("report")
    lines = (ROOT / "jobs/results/h200/pairs/pairs.jsonl").read_text().splitlines(keepends=True)
    some = [x for x in lines if '"environment"' in x or '"nx":512' in x and '"float"' in x]  # drawn in no time
    measured = json.loads(some[-1])
    (folder / "pairs.jsonl").write_text("".join(some) + "".join(
        json.dumps(skipped("diffusion", variant, reason, measured["problem"], starts=[1, 2], run=measured["run"]["id"])) + "\n"
        for variant, reason in (("kokkos-one", "no GPU"), ("kokkos-two", "no GPU"), ("cuda-three", "its halo is <3>"))))
    subprocess.run([sys.executable, "-B", ROOT / "jobs/report.py", *RECORDS, folder / "pairs.jsonl", "--explained", explained_rows(folder), "--output",
                    folder / "out"], cwd=ROOT, check=True, env={**os.environ, "PARITY": str(PARITY)})
    return folder / "out/report.html"


@pytest.fixture
def opened(browser):
    """opened(file, width): a page; what it complained of or asked for is in its list 'heard', which must be empty at the end."""
    with contextlib.ExitStack() as stack:
        heard = []

        def open_(file, width=1280, **options):
            context = stack.enter_context(contextlib.closing(browser.new_context(viewport={"width": width, "height": 900}, **options)))
            page = context.new_page()
            page.set_default_timeout(60000)
            page.on("console", lambda m: heard.append(f"console: {m.text}"))
            page.on("pageerror", lambda e: heard.append(f"error: {e}"))
            page.on("request", lambda r: heard.append(f"request: {r.url}") if r.url != file.as_uri() and not r.url.startswith("data:") else None)
            page.goto(file.as_uri())
            page.heard = heard
            return page

        yield open_


SHOWN = "[...document.querySelectorAll('.group:not([hidden])')]"


def places(page):
    """Of the marks that are shown: value, and the share of the axis where it is drawn."""
    return page.evaluate(SHOWN + """.flatMap(g => [...g.querySelectorAll('.pair:not([hidden]) .mark svg')].map(s => {
      const plot = s.closest('.plot').getBoundingClientRect(), mark = s.firstElementChild.getBoundingClientRect();
      return [+s.dataset.v, (mark.left + mark.width / 2 - plot.left) / plot.width]; }))""")


@pytest.mark.parametrize("width", [1280, 400])
def test_the_page_is_drawn(opened, report, width):
    page = opened(report, width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "nothing beyond the edge"
    assert page.evaluate(SHOWN + ".length") == 1
    drawn = places(page)
    assert len(drawn) >= 8 and all(0 <= at <= 1 for _, at in drawn)
    by_value = [at for _, at in sorted(drawn)]
    assert all(a <= b for a, b in zip(by_value, by_value[1:])) and by_value[0] < by_value[-1], "a larger ratio stands further right"
    for what in (".group:not([hidden]) .pair[data-name] .who", ".group:not([hidden]) .pair .said a", ".group:not([hidden]) .tick text", "#best td", "#costs td", ".cascade:not([hidden]) li"):
        assert page.evaluate("w => { const e = document.querySelector(w), b = e.getBoundingClientRect();"
                             "return b.width > 0 && b.height > 0 && parseFloat(getComputedStyle(e).fontSize) >= 12 }", what), what
    assert page.evaluate("[...document.images].every(i => i.complete && i.naturalWidth > 100)")
    assert page.heard == []


def test_values_stand_where_the_axis_says(opened, report):
    """Logarithmic first, then linear, then logarithmic again."""
    page = opened(report)
    low, high = page.evaluate(SHOWN + ".map(g => [+g.dataset.low, +g.dataset.high])[0]")
    first = places(page)
    for value, at in first:
        assert at == pytest.approx(page.evaluate("([v, l, h]) => Math.log(v / l) / Math.log(h / l)", [value, low, high]), abs=0.01)
    page.check("#linear")
    for value, at in places(page):
        assert at == pytest.approx(value / high, abs=0.01)
    page.uncheck("#linear")
    assert [p for pair in places(page) for p in pair] == pytest.approx([p for pair in first for p in pair], abs=1e-3)
    assert page.heard == []


def test_controls_choose(opened, report):
    page = opened(report)
    devices = page.evaluate("[...document.getElementById('device').options].map(o => o.value)")
    assert len(devices) == 2
    for device in devices:
        page.select_option("#device", device)
        for value in page.evaluate("[...document.getElementById('group').options].filter(o => !o.disabled).map(o => o.value)"):
            page.select_option("#group", value)
            assert page.evaluate(SHOWN + ".map(g => [g.dataset.group, g.querySelector('.note').textContent.split(',')[0]])") == [[value, device]]
    page.select_option("#device", "NVIDIA H200")
    density = page.evaluate("[...document.getElementById('group').options].filter(o => !o.disabled && /[Dd]ensity/.test(o.textContent)).map(o => o.value)")
    page.select_option("#group", density[0])  # which have rows of that name
    before = len(places(page))
    page.fill("#variants", "register")
    names = page.evaluate(SHOWN + ".flatMap(g => [...g.querySelectorAll('.pair[data-name]:not([hidden])')].map(r => r.dataset.name))")
    assert names and all("register" in n for n in names) and len(places(page)) < before
    page.fill("#variants", "")
    assert len(places(page)) == before
    count = page.evaluate("document.getElementById('cascade').options.length")
    page.select_option("#cascade", str(count - 1))
    assert page.evaluate("[...document.querySelectorAll('.cascade:not([hidden])')].map(c => c.dataset.cascade)") == [str(count - 1)]
    assert page.heard == []


def test_a_mark_says_what_it_is(opened, report):
    """To a pointer and to the keyboard; by shape as well as by colour."""
    page = opened(report)
    mark = page.locator(".group:not([hidden]) .mark").first
    mark.locator("svg > *").hover()
    tip = page.locator("#tip")
    assert tip.is_visible() and re.search(r"kokkos-.* / cuda-.*: \d\.\d+ \[.*µs", tip.inner_text())
    page.mouse.move(0, 0)
    assert not tip.is_visible()
    mark.focus()
    assert tip.is_visible() and tip.inner_text() == mark.get_attribute("data-tip")
    shapes = page.evaluate("[...document.querySelectorAll('.mark')].map(m => [m.classList[1], m.querySelector('svg').firstElementChild.tagName])")
    assert {tuple(s) for s in shapes} == {("idiomatic", "circle"), ("best", "path")}
    assert page.heard == []


def test_on_paper_and_without_its_script(opened, report):
    page = opened(report)
    page.emulate_media(media="print")
    assert not page.locator(".controls").first.is_visible() and page.locator(".group:not([hidden]) .pair").first.is_visible()
    assert page.pdf().startswith(b"%PDF") and len(page.pdf()) > 20000
    still = opened(report, java_script_enabled=False)
    assert still.locator(".group:visible .mark").count() >= 8 and not still.locator(".controls").first.is_visible()
    assert page.heard == []


def test_what_was_skipped_is_said_with_its_reason(opened, report):
    """Folded, and by reason; opened it leads to the records."""
    page = opened(report)
    head, *said = page.evaluate("[...document.querySelectorAll('#skipped summary')].map(s => s.textContent)")
    assert head.startswith(f"{len(said)} reasons, ") and {"2 rows on NVIDIA H200: no GPU", "1 row on NVIDIA H200: its halo is <3>"} <= set(said)
    page.locator("#skipped summary").first.click()
    assert page.locator("#skipped summary").last.is_visible() and not page.locator("#skipped li").first.is_visible()
    reason = page.locator("#skipped .many > details", has_text="2 rows on NVIDIA H200: no GPU")
    reason.locator("summary").click()
    assert reason.locator("li").evaluate_all("all => all.map(e => e.innerText.split(',')[0])") == ["diffusion/kokkos-one", "diffusion/kokkos-two"]
    assert re.search(r" pairs\.jsonl:\d+( |$)", page.locator("#skipped li:visible").first.inner_text())
    narrow = opened(report, 400)
    narrow.locator("#skipped summary").first.click()
    assert narrow.evaluate("document.querySelector('#skipped').scrollWidth <= document.documentElement.clientWidth")
    assert page.heard == [] and narrow.heard == []


@pytest.mark.parametrize("width", [1280, 400])
def test_where_the_time_goes_is_drawn(opened, report, width):
    """A roofline and the first waterfalls at once, the others where they are asked for; wider than a telephone they scroll by themselves."""
    page = opened(report, width)
    assert page.locator("#explained img").count() == 5 and page.locator("#explained img:visible").count() == 3
    page.locator("#explained summary").first.click()
    assert page.locator("#explained img:visible").count() == 4
    assert page.evaluate("document.querySelector('#explained').scrollWidth") <= width
    assert page.evaluate("[...document.querySelectorAll('#explained img')].every(i => /roofline|waterfall/.test(i.alt))")
    assert page.heard == []


@pytest.fixture(scope="session")
def guide(tmp_path_factory):
    """The page of what launches cost, with the guide."""
    file = tmp_path_factory.mktemp("guide") / "report.html"
    subprocess.run([sys.executable, "-B", ROOT / "jobs/report.py", "jobs/results/h200/launch_model.jsonl", "--output", file], cwd=ROOT, check=True,
                   env={**os.environ, "PARITY": str(PARITY)})
    return file


WIDE = """[...document.querySelectorAll('.wide')].filter(w => w.checkVisibility()).map(w => [w.scrollWidth > w.clientWidth + 1, w.tabIndex === 0,
  getComputedStyle(w, '::before').content.includes('scroll sideways')])"""


@pytest.mark.parametrize("width", [1280, 400])
def test_what_is_wider_than_the_page_says_so(opened, guide, width):
    """And takes the keyboard; the guide itself fits a telephone."""
    page = opened(guide, width)
    page.locator("#origins summary").last.click()  # of every quantity of launches
    page.wait_for_function(f"({WIDE}).every(([wider, focus, said]) => wider === focus && wider === said)")
    assert page.evaluate("(() => { const w = document.querySelector('.guide').parentElement; return w.scrollWidth <= w.clientWidth && w.tabIndex; })()") == -1
    assert page.evaluate("parseFloat(getComputedStyle(document.querySelector('.guide td')).fontSize) >= 12")
    if width == 400:
        page.locator(".wide[tabindex]").first.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function("document.activeElement.scrollLeft > 0")
    assert page.evaluate("document.documentElement.scrollWidth") <= width and page.heard == []


def test_the_list_of_sections_leads_there(opened, report):
    page = opened(report)
    for link in page.locator("nav a").all():
        link.click()
        name = link.get_attribute("href")[1:]
        top, hash_ = page.evaluate("n => [document.getElementById(n).getBoundingClientRect().top, location.hash]", name)
        assert top < 900 and hash_ == f"#{name}"
    assert page.locator("nav a").count() >= 6
    page.heard[:] = [h for h in page.heard if not h.startswith(f"request: {report.as_uri()}#")]
    assert page.heard == []


def test_numbers_lead_to_their_records(report):
    """The line of the file holds the row that the number is of."""
    found = 0
    for href, text in re.findall(r'<a class=record href="([^"]+)">([^<]+)</a>', report.read_text()):
        path, _, line = urllib.parse.unquote(href).partition("#L")
        file = (report.parent / path).resolve()
        assert file.is_file(), href
        if line:
            record = json.loads(file.read_text().splitlines()[int(line) - 1])
            assert record["type"] in ("measurement", "skipped") and text == f"{file.name}:{line}"
            found += 1
    assert found > 10
    assert pathlib.Path(ROOT / "jobs/plans/kde_pairs.toml").is_file() and 'jobs/plans/kde_pairs.toml">kde_pairs.toml</a>' in report.read_text()


@pytest.mark.parametrize("fault,heard", [
    ('<img src="https://parity.invalid/a.png">', "request: https://parity.invalid/a.png"), ("<script>nothing()</script>", "error: "),
    ("<script>console.warn('x')</script>", "console: x")])
def test_what_is_listened_for_is_heard(opened, report, tmp_path, fault, heard):
    (tmp_path / "broken.html").write_text(report.read_text().replace("</header>", "</header>" + fault, 1))
    assert any(h.startswith(heard) for h in opened(tmp_path / "broken.html").heard)
