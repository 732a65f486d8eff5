# SPDX-License-Identifier: BSD-3-Clause
"""What a reader looks for first, of one device: best rates and their ratio, the speed-up over the original program, what a launch costs, and
what to do about it. Pages show it as Markdown, the report as its first table."""
import dataclasses
import re
import subprocess

from . import records, studies

ORIGINAL = "cupy-baseline"  # what Bezençon et al. began with
LAUNCHES = (("dispatch", "what the launching call costs", "cuda-traditional"), ("null-overhead", "one more empty loop", "openmp-parallel-for"))
FLOORS = ("roofs",)  # studies of the machine and not of code
KERNELS = "16"  # launches of a step, of which the guide is shown
GUIDE = re.compile(r"^ +([0-9.]+) +" + KERNELS + r"((?: +(?:[0-9.]+\*?|-)){5}) +(\d+|never)$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Answer:
    what: str
    native: str  # names in backticks
    portable: str
    ratio: str
    rows: list  # that it comes from


def best_rates(found, device):
    for b in (b for b in found.best if b.device == device):
        def cell(row, gain, original=b.original):
            if not row:
                return "not measured"
            over = f"; {gain.value:.1f} times `{original.variant}`" if gain else ""
            return f"{row.metrics[0].text} {row.metrics[0].unit}, `{row.variant}`{over}"

        yield b.study, Answer(f"{studies.title(b.study)}, best rate, {studies.problem(b.native or b.portable)}", cell(b.native, b.native_gain),
                              cell(b.portable, b.portable_gain), b.ratio.text(".2f") if b.ratio else "-", [r for r in (b.native, b.portable) if r])


def speed_ups(found, device):
    """The largest over the original work's own program, of the latest records that have it; native and portable apart."""
    runs = {r.id: r for r in found.runs}
    # Some records have the original program's rows alone.
    having = [o for o in found.origins if o.rows and o.rows[0].run in runs and runs[o.rows[0].run].device == device
              and any(s["baseline"] == ORIGINAL and s["variant"].startswith(("cuda-", "kokkos-")) for s in o.speed_ups)]
    if not having:
        return
    origin = max(having, key=lambda o: max(runs[m.run].time for m in o.rows))
    best = {}
    for s in origin.speed_ups:
        if s["baseline"] == ORIGINAL:
            side = s["variant"].split("-")[0]
            if side not in best or records.estimate_of(s["factor"]).value > records.estimate_of(best[side]["factor"]).value:
                best[side] = s

    def cell(side):
        s = best.get(side)
        return f"{records.estimate_of(s['factor']).text('.1f')}, `{s['variant']}`, {s['problem']}" if s else "not measured"

    def row(variant, problem):
        return next((m for m in origin.rows if m.variant == variant
                     and "{nx}x{ny}x{nz} N={steps} {precision}".format(**m.problem) == problem), None)

    rows = [row(v, best[side]["problem"]) for side in ("cuda", "kokkos") if side in best for v in (best[side]["variant"], ORIGINAL)]
    yield Answer(f"Diffusion filter, largest speed-up over `{ORIGINAL}`", cell("cuda"), cell("kokkos"), "", [r for r in rows if r])


def launches(found, device):
    """Of each quantity the latest plain launch of both sides, one block of kernels without arguments first."""
    runs = {r.id: r for r in found.runs}
    for quantity, words, native in LAUNCHES:
        pairs = [p for p in found.pairs if p.native.study == "launch" and p.native.run in runs and runs[p.native.run].device == device
                 and p.native.problem["quantity"] == quantity and p.native.variant == native and p.portable.variant == "kokkos-range"]
        if pairs:
            p = max(pairs, key=lambda p: (runs[p.native.run].time, -p.native.problem["argument_bytes"], -p.native.problem["blocks"]))
            yield Answer(f"Launch, {words}", f"{p.native.result.value:.2f} µs, `{p.native.variant}`",
                         f"{p.portable.result.value:.2f} µs, `{p.portable.variant}`", p.ratio.text(".2f"), [p.native, p.portable])


def of(found, device, without=FLOORS):
    return [a for study, a in best_rates(found, device) if study not in without] + [*speed_ups(found, device), *launches(found, device)]


@dataclasses.dataclass(frozen=True)
class Guide:
    lines: list  # (µs of a kernel, [µs of a step by each way], the steps from which a graph pays)
    row: object  # the first of the rows that it comes from


def guide(found, device):
    """What 'parity explain' says of the latest costs of launches and graphs of a device, or None."""
    runs = {r.id: r for r in found.runs}
    first = {}  # of each file and run
    for m in found.measurements:
        if m.study == "launch" and m.problem.get("quantity") == "graph-repeat" and m.variant == "cuda-graph" and m.run in runs and runs[m.run].device == device:
            first.setdefault((m.origin[0], m.run), m)
    for row in sorted(first.values(), key=lambda m: runs[m.run].time, reverse=True):
        done = subprocess.run([records.executable(), "explain", "--", row.origin[0]], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        lines = [(m[1], m[2].split(), m[3]) for m in GUIDE.finditer(done.stdout.decode(errors="replace"))]
        if done.returncode == 0 and lines:
            return Guide(lines, row)
    return None
