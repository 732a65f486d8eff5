# SPDX-License-Identifier: BSD-3-Clause
"""What a reader looks for first, of one device: best rates and their ratio, the speed-up over the original program, what a launch costs, and
what to do about it. Pages show it as Markdown, the report as its first table."""
import dataclasses
import itertools
import re
import subprocess

from . import links, records, studies

ORIGINAL = "cupy-baseline"  # what Bezençon et al. began with
LAUNCHES = (("dispatch", "what the launching call costs", "cuda-traditional"), ("null-overhead", "one more empty loop", "openmp-parallel-for"))
FLOORS = ("roofs",)  # studies of the machine and not of code
WAYS = ("one by one", "CUDA graph", "dependent launches", "grid barriers", "fused")  # the guide's columns
KERNELS = "16"  # launches of a step, of which the guide is shown
GUIDE = re.compile(r"^ +([0-9.]+) +" + KERNELS + r"((?: +(?:[0-9.]+\*?|-)){5}) +(\d+|never)$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Answer:
    what: str
    native: str  # names in backticks
    portable: str
    ratio: str
    sides: tuple  # rows that native and portable come from: the one that is named first, then what it is compared with
    measured: tuple = (None, None)  # rows that native and portable are of
    intervals: bool = False  # whether native and portable have theirs

    @property
    def rows(self):
        return [row for side in self.sides for row in side]


def doubt(row, has_interval=False):
    """What a value would hide without its interval and a word on it, or nothing."""
    if not row or not row.time.noisy:
        return ""
    said = "not measurable here, the interval contains 0" if row.time.holds_zero else "noisy"
    return said if has_interval else f"{said}: {row.result.text('.2f')} {studies.unit(row.study)}"


def best_rates(found, device):
    for b in (b for b in found.best if b.device == device):
        def cell(row, gain, original=b.original):
            if not row:
                return "not measured"
            over = f"; {gain.value:.1f} times `{original.variant}`" if gain else ""
            return f"{row.metrics[0].text} {row.metrics[0].unit}, `{row.variant}`{over}"

        yield b.study, Answer(f"{studies.title(b.study)}, best rate, {studies.problem(b.native or b.portable)}", cell(b.native, b.native_gain),
                              cell(b.portable, b.portable_gain), b.ratio.text(".2f") if b.ratio else "-",
                              tuple([r] if r else [] for r in (b.native, b.portable)), (b.native, b.portable))


def least(speed_up):
    """The lower end of its interval; what has none comes after all that have one."""
    factor = records.estimate_of(speed_up["factor"])
    return (factor.low is not None, factor.value if factor.low is None else factor.low)


def speed_ups(found, device):
    """Over the original work's own program, of the latest records that have it: both sides of one problem, the one with the highest lower
    end of native code's interval. The value alone would choose the luckiest point of a wide one."""
    runs = {r.id: r for r in found.runs}
    # Some records have the original program's rows alone.
    having = [o for o in found.origins if o.rows and o.rows[0].run in runs and runs[o.rows[0].run].device == device
              and any(s["baseline"] == ORIGINAL and s["variant"].startswith(("cuda-", "kokkos-")) for s in o.speed_ups)]
    if not having:
        return
    origin = max(having, key=lambda o: max(runs[m.run].time for m in o.rows))
    of = {}  # problem -> {side: its speed-up}
    for s in origin.speed_ups:
        side = s["variant"].split("-")[0]
        if s["baseline"] == ORIGINAL and side in ("cuda", "kokkos"):
            here = of.setdefault(s["problem"], {})
            here[side] = max(here.get(side, s), s, key=least)
    problem = max(of, key=lambda p: (len(of[p]), "cuda" in of[p], least(of[p].get("cuda") or of[p]["kokkos"])))

    def cell(side):
        s = of[problem].get(side)
        if s:
            return f"{records.estimate_of(s['factor']).text('.1f')}, `{s['variant']}`"
        return "largest on another problem" if any(side in here for here in of.values()) else "not measured"

    def row(variant):
        return next((m for m in origin.rows if m.variant == variant
                     and "{nx}x{ny}x{nz} N={steps} {precision}".format(**m.problem) == problem), None)

    sides = tuple([r for v in (of[problem][side]["variant"], ORIGINAL) if (r := row(v))] if side in of[problem] else [] for side in ("cuda", "kokkos"))
    where = next((studies.problem(r) for side in sides for r in side), problem)
    yield Answer(f"Diffusion filter, speed-up over the original `{ORIGINAL}`, {where}", cell("cuda"), cell("kokkos"), "-", sides)


def certainty(estimate):
    """What has an interval comes first, the narrowest before all."""
    return (estimate.low is not None, 0.0 if estimate.low is None else (estimate.low - estimate.high) / estimate.value)


def launches(found, device):
    """Of each quantity a plain launch of both sides, one block of kernels without arguments first: of the records in which its ratio is known best,
    after those without a remark."""
    runs = {r.id: r for r in found.runs}
    for quantity, words, native in LAUNCHES:
        pairs = [p for p in found.pairs if p.native.study == "launch" and p.native.run in runs and runs[p.native.run].device == device
                 and p.native.problem["quantity"] == quantity and p.native.variant == native and p.portable.variant == "kokkos-range"]
        if pairs:
            p = max(pairs, key=lambda p: (-p.native.problem["argument_bytes"], -p.native.problem["blocks"], not links.remark(p.native.origin[0]),
                                             *certainty(p.ratio), runs[p.native.run].time))
            yield Answer(f"Launch, {words}", f"{p.native.result.text('.2f')} µs, `{p.native.variant}`",
                         f"{p.portable.result.text('.2f')} µs, `{p.portable.variant}`", p.ratio.text(".2f"), ([p.native], [p.portable]),
                         (p.native, p.portable), intervals=True)


def of(found, device, without=FLOORS):
    """The filter's rates, its speed-up and what a launch costs are looked for first."""
    rates = [(study, a) for study, a in best_rates(found, device) if study not in without]
    return [*(a for study, a in rates if study == "diffusion"), *speed_ups(found, device), *launches(found, device),
            *(a for study, a in rates if study != "diffusion")]


@dataclasses.dataclass(frozen=True)
class Guide:
    lines: list  # (µs of a kernel, [µs of a step by each way], the steps from which a graph pays)
    row: object  # the first of the rows that it comes from; None where no file has a guide
    refused: list  # (row, why) of newer costs, of which there is none
    commit: str = ""
    starts: tuple = ()  # the fewest and the most that a row comes from

    def stretches(self, word_of):
        """[(word, where)] of the kernels that follow each other with one word; without a word they are left out."""
        shortest, longest = self.lines[0][0], self.lines[-1][0]

        def where(first, last):
            if first == shortest:
                return "of every duration" if last == longest else f"of up to {last} µs"
            return f"of {first} µs and more" if last == longest else f"of {first} to {last} µs"

        found = [(word, [us for us, *_ in group]) for word, group in itertools.groupby(self.lines, lambda line: word_of(line[1]))]
        return [(word, where(times[0], times[-1])) for word, times in found if word]

    @property
    def advice(self):
        """Sentences: which way is the cheapest, which others pay, and where none does."""
        def cheapest(ways):
            worth = [(float(way.rstrip("*")), name) for way, name in zip(ways, WAYS) if is_worth(way)]
            return min(worth)[1] if worth else None

        best = self.stretches(cheapest)
        said = [f"'{way}' is the cheapest way for kernels {where}." for way, where in best]
        others = [f"'{name}' for kernels {where}" for k, name in enumerate(WAYS) if name not in dict(best)
                  for _, where in self.stretches(lambda ways: is_worth(ways[k]))]
        if others:
            said.append(f"Also at least 10 % cheaper than one by one: {', '.join(others)}.")
        none = self.stretches(lambda ways: not any(map(is_worth, ways)))
        return " ".join(said + [f"No way is 10 % cheaper than one by one for kernels {where}." for _, where in none])


def is_worth(way):
    """As 'parity explain' marks what takes at least 10 % less than launching one by one."""
    return way.endswith("*")


def guide(found, device):
    """What 'parity explain' says of the latest costs of launches and graphs of a device, and which newer ones it does not; or None. It reads
    all of a file, so that of a file of several runs its words would be no run's."""
    runs = {r.id: r for r in found.runs}
    runs_of, first = {}, {}
    for m in found.measurements:
        runs_of.setdefault(m.origin[0], set()).add(m.run)
        if m.study == "launch" and m.problem.get("quantity") == "graph-repeat" and m.variant == "cuda-graph" and m.run in runs and runs[m.run].device == device:
            first.setdefault((m.origin[0], m.run), m)
    latest = {}
    for m in sorted(first.values(), key=lambda m: runs[m.run].time):
        latest[m.origin[0]] = m
    refused = []
    for file, row in sorted(latest.items(), key=lambda of: runs[of[1].run].time, reverse=True):
        if len(runs_of[file]) > 1:
            refused.append((row, f"has rows of {len(runs_of[file])} runs"))
            continue
        done = subprocess.run([records.executable(), "explain", "--", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        lines = [(m[1], m[2].split(), m[3]) for m in GUIDE.finditer(done.stdout.decode(errors="replace"))]
        if done.returncode == 0 and lines:
            # A graph that saves less than 10 % pays for its making some time, and is no advice.
            lines = [(us, ways, pays if is_worth(ways[WAYS.index("CUDA graph")]) else "-") for us, ways, pays in lines]
            starts = [m.time.blocks for m in found.measurements if m.origin[0] == file and m.timed and m.study == "launch"]
            return Guide(lines, row, refused, runs[row.run].commit, (min(starts), max(starts)))
        said = done.stderr.decode(errors="replace").strip().splitlines()
        refused.append((row, records.shown(said[-1].removeprefix("parity: ").removeprefix(f"{file}: ")) if said else "lacks quantities of the guide"))
    return Guide([], None, refused) if refused else None
