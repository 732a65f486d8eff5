# SPDX-License-Identifier: BSD-3-Clause
"""The report in a real headless browser: it is drawn, requests nothing from a network, has no errors, fits wide and narrow screens and paper."""
import contextlib
import json
import os
import shutil
import subprocess
import sys

import pytest
from conftest import PARITY, ROOT
from record_files import row, skipped

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FIELD = {"nx": 16, "ny": 16, "nz": 4, "steps": 8, "alpha": 0.1, "halo": 2, "precision": "float"}
RATE = [{"name": "throughput", "value": 1.5, "unit": "Gpt/s", "better": "higher"}]


@pytest.fixture(scope="session")
def browser():
    done = subprocess.run([ROOT / "tests/setup.sh", "--browser"], text=True, capture_output=True, stdin=subprocess.DEVNULL)
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


def measured(nx, device):
    """For one problem: three native kernels, and the first and tuned Kokkos version of each."""
    rows = []
    for k, name in enumerate(("fused", "plane", "baseline")):
        for variant, seconds in ((f"openmp-{name}", 0.1), (f"kokkos-{name}", 0.2), (f"kokkos-{name}-tuned", 0.11)):
            rows.append(row("diffusion", variant, [(seconds + 0.01 * k) * part * nx for part in (1, 1.02, 1.01)], {**FIELD, "nx": nx, "ny": nx}, metrics=RATE,
                            twin="" if variant.startswith("openmp") else f"openmp-{name}", run=device[-1]))
    for r in rows:
        r["run"] = {**r["run"], "device": device}
    return rows


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    """The page of two devices with sweeps and skipped variants."""
    folder = tmp_path_factory.mktemp("report")
    rows = [r for nx in (16, 32, 64) for r in measured(nx, "CPU A")] + measured(16, "CPU B") + [
        skipped("diffusion", variant, reason, FIELD, run="A") for variant, reason in (("kokkos-one", "no GPU"), ("kokkos-two", "no GPU"), ("cuda-c", "its halo is <3>"))]
    (folder / "pairs.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    subprocess.run([sys.executable, "-B", ROOT / "jobs/report.py", "pairs.jsonl", "--output", "out.html"], cwd=folder, check=True,
                   env={**os.environ, "PARITY": str(PARITY)})
    return folder / "out.html"


@pytest.fixture
def opened(browser):
    """opened(file, width): a page; its list 'heard' collects complaints and requests, and must be empty at the end."""
    with contextlib.ExitStack() as stack:
        heard = []

        def open_(file, width=1280):
            context = stack.enter_context(contextlib.closing(browser.new_context(viewport={"width": width, "height": 900})))
            page = context.new_page()
            page.set_default_timeout(60000)
            page.on("console", lambda m: heard.append(f"console: {m.text}"))
            page.on("pageerror", lambda e: heard.append(f"error: {e}"))
            page.on("request", lambda r: heard.append(f"request: {r.url}") if r.url.partition("#")[0] != file.as_uri() and not r.url.startswith("data:") else None)
            page.goto(file.as_uri())
            page.heard = heard
            return page

        yield open_


@pytest.mark.parametrize("medium,width", [("screen", 1280), ("screen", 400), ("print", 718)])  # 718: A4 with its margins
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_drawn(opened, report, medium, width, scheme):
    """Only scrollable parts reach beyond the edge, on paper nothing does; texts have enough contrast with their background."""
    page = opened(report, width)
    page.emulate_media(media=medium, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#pairs svg").count() == 4 and page.locator("#origins svg").count() >= 1
    for what in ("#pairs svg text", "#pairs td a", "#answers li", "#origins svg text", "#skipped li"):
        seen = page.evaluate("w => { const e = document.querySelector(w), b = e.getBoundingClientRect(), s = getComputedStyle(e);"
                             "const t = e.closest('svg') ? s.fill : s.color, p = getComputedStyle(document.body).backgroundColor;"
                             "const l = c => c.match(/\\d+/g).slice(0, 3).reduce((a, v) => a + +v, 0) / 765;"
                             "return [b.width > 0 && b.height > 0 && parseFloat(s.fontSize) * (e.closest('svg') ? e.getCTM().a : 1), Math.abs(l(t) - l(p))] }", what)
        assert seen[0] >= 9 and seen[1] > 0.3, (what, seen)
    if medium == "print":
        assert page.evaluate("[...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth + 1).length") == 0
        assert page.pdf().startswith(b"%PDF")
    assert page.heard == []


@pytest.mark.parametrize("foreign", ["<script>document.title = 'ran'</script>", "<p onclick=\"document.title = 'ran'\">click</p>", "<img src='http://127.0.0.1:1/seen'>",
                                     "<base href='http://127.0.0.1:1/'>"])
def test_what_a_record_might_smuggle_in_does_nothing(opened, report, tmp_path, foreign):
    """As if the escaping of texts had failed."""
    (tmp_path / "r.html").write_text(report.read_text().replace("</header>", foreign + "</header>"))
    page = opened(tmp_path / "r.html")
    page.locator("p").first.dispatch_event("click")
    page.evaluate("document.querySelectorAll('[onclick]').forEach(e => e.click())")
    assert page.title() == "Parity report" and page.evaluate("document.baseURI").startswith("file:")
    assert any("Content Security Policy" in said for said in page.heard), page.heard  # a blocked image also appears as a request
