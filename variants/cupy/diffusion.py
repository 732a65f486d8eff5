#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the diffusion filter in CuPy, the language of Bezencon, Mietz, Vetsch and Maeder (2024), beside Parity's variants.

    diffusion.py PLAN.toml --output RESULTS.jsonl [--resume] [--set AXIS=VALUES] [--variants NAMES] [--starts N] [--repeats N]

Measures the plan's problems with the cupy-* variants that the plan names (all if it names none) and appends records
like those of 'parity measure' to the same file, so that one report shows them together. Needs CuPy with a GPU and
Python 3.11 (or tomli). Exits with 1 after a wrong result, with 2 or 3 and one line if the problem or CuPy cannot run.
"""
import argparse
import dataclasses
import fcntl
import fnmatch
import hashlib
import itertools
import json
import os
import pathlib
import statistics
import sys
import time
import uuid

import numpy as np

import measurement

try:
    import tomllib
except ImportError:
    import tomli as tomllib

MECHANISMS = ("stream", "graph-copy", "graph-two", "graph-unrolled")
DTYPE = {"float": np.float32, "double": np.float64}


@dataclasses.dataclass(frozen=True)
class Kernel:
    """Parts of a step that are kernels of kernels.cuh; the others are array expressions."""

    launches: int  # per step
    words: int  # moved per point and step
    flops: int = 12
    laplacian: str = ""
    halo: bool = False
    update: bool = False
    fused: str = ""  # both Laplacians and the update


# The custom kernels of Table 2 of that work, and its baseline.
KERNELS = {
    "cupy-baseline": Kernel(19, 39),
    "cupy-laplacian-1d": Kernel(9, 11, laplacian="laplacian_1d"),
    "cupy-laplacian-2d": Kernel(9, 11, laplacian="laplacian_2d"),
    "cupy-shared-memory": Kernel(9, 11, laplacian="laplacian_shared"),
    "cupy-halo-update": Kernel(6, 11, laplacian="laplacian_2d", halo=True),
    "cupy-field-update": Kernel(4, 7, laplacian="laplacian_2d", halo=True, update=True),
    "cupy-fused-1d": Kernel(2, 2, 17, fused="fused_1d", halo=True),
    "cupy-fused-2d": Kernel(2, 2, 17, fused="fused_2d", halo=True),
}

LINE, BLOCK, TILE = (256,), (128, 2), (32, 8)  # threads (x, y) per block, the defaults of the native variants


HERE = pathlib.Path(__file__).resolve().parent
MINIAPP = HERE.parents[1] / "miniapp"


def compiler_options(precision):
    return "-std=c++17", f"-DTYPE={precision}", f"-DTILE_COLUMNS={TILE[0]}", f"-DTILE_ROWS={TILE[1]}", f"-I{MINIAPP}", f"-I{HERE / 'nvrtc'}"


def module_of(cp, precision):
    """Compiles the kernels in one precision."""
    # CuPy caches a compiled module by its text, without the included headers.
    headers = [MINIAPP / name for name in ("host_device.hpp", "diffusion/halo.hpp", "diffusion/stencil.hpp")]
    digest = hashlib.sha256(b"".join(h.read_bytes() for h in headers)).hexdigest()
    return cp.RawModule(code=f"{(HERE / 'kernels.cuh').read_text()}\n// {digest}\n", options=compiler_options(precision))


def fail(message, code=2):
    print(f"diffusion.py: {message}", file=sys.stderr)
    sys.exit(code)


def random_field(p):
    """Parity's test field, shape (nz, ny, nx): SplitMix64 of a counter, uniform in [-1, 1)."""
    n = p["nx"] * p["ny"] * p["nz"]
    with np.errstate(over="ignore"):
        z = np.uint64(p["seed"]) * np.uint64(0xDA942042E4DD58B5) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    values = (z >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1.0
    return values.astype(DTYPE[p["precision"]]).reshape(p["nz"], p["ny"], p["nx"])


def exact_solution(p, field):
    """Multiplies every Fourier mode by (1 - alpha lambda^2)^N, in double; uses no stencil."""
    y = np.sin(np.pi * np.arange(p["ny"]) / p["ny"]) ** 2
    x = np.sin(np.pi * np.arange(p["nx"] // 2 + 1) / p["nx"]) ** 2
    decay = p["alpha"] * (4 * (y[:, None] + x[None, :])) ** 2
    factor = np.where(decay < 1, np.exp(p["steps"] * np.log1p(-np.minimum(decay, 1 - 1e-16))), (1 - decay) ** p["steps"])
    return np.fft.irfft2(np.fft.rfft2(field.astype(np.float64)) * factor, s=(p["ny"], p["nx"]))


def gate(p, operations):
    """Error bound of a correct result with so many operations per point and step: miniapp/diffusion/error_bound.hpp."""
    unit = 2.0**-24 if p["precision"] == "float" else 2.0**-53
    n, alpha, modes = p["steps"], p["alpha"], p["nx"] * p["ny"]
    y = np.sin(np.pi * np.arange(p["ny"]) / p["ny"]) ** 2
    x = np.sin(np.pi * np.arange(p["nx"]) / p["nx"]) ** 2
    d = alpha * (4 * (y[:, None] + x[None, :])) ** 2
    mu = np.abs(1 - d)
    with np.errstate(divide="ignore"):
        log_mu = np.where(d < 1, np.log1p(-np.minimum(d, 1)), np.log(mu))
    lost = -np.expm1(2 * log_mu)
    noise = np.where(lost > 1e-14, -np.expm1(2 * n * log_mu) / np.where(lost > 1e-14, lost, 1), n).sum()
    slope = ((n * d * mu ** (n - 1.0)) ** 2).sum()
    safety = np.sqrt(2 * np.log(2e6 * modes * p["nz"]))
    largest = max(64 * alpha, 1.75) * 2.5
    rounded = abs(float(DTYPE[p["precision"]](alpha)) - alpha) / alpha
    return float(safety * (unit * largest * np.sqrt(operations * noise / modes) + rounded * np.sqrt(slope / modes))
                 + 2.0**-50 * (1 + np.log2(modes)))


class Filter:
    """One kernel set under one launch mechanism. Two padded fields alternate as input and output."""

    def __init__(self, cp, p, kernel):
        self.cp, self.p, self.kernel = cp, p, KERNELS[kernel]
        self.h, self.alpha = p["halo"], DTYPE[p["precision"]](p["alpha"])
        self.nx, self.ny, self.nz = p["nx"], p["ny"], p["nz"]
        shape = (self.nz, self.ny + 2 * self.h, self.nx + 2 * self.h)
        self.stream = cp.cuda.Stream(non_blocking=True)
        with self.stream:
            self.fields = [cp.empty(shape, DTYPE[p["precision"]]) for _ in range(2)]
            self.laplacian_field = None if self.kernel.fused else cp.empty(shape, DTYPE[p["precision"]])
        self.graphs, self.mechanism, self.result = [], "stream", 0
        if kernel != "cupy-baseline":
            self.module = module_of(cp, p["precision"])

    def call(self, name, points, block, *arguments):
        """Launches a kernel over points (x, y, z); int arguments become 32-bit integers, others keep their type."""
        blocks = tuple(-(-n // b) for n, b in zip(points, block)) + tuple(points[len(block):])
        values = [np.int32(a) if isinstance(a, int) else a for a in arguments]
        self.module.get_function(name)(blocks, block, tuple(values))

    def load(self, field):
        h = self.h
        host = np.full(self.fields[0].shape, np.nan, self.fields[0].dtype)
        host[:, h:-h, h:-h] = field
        with self.stream:
            self.fields[0].set(host)
            self.fields[1].fill(np.nan)
        self.stream.synchronize()
        self.result = 0

    def update_halo(self, f):
        h, nx, ny = self.h, self.nx, self.ny
        if self.kernel.halo:
            self.call("halo_update", (2 * h * (nx + 2 * h) + 2 * h * ny, self.nz), LINE, f, nx, ny, h)
            return
        f[:, :h, h:-h] = f[:, -2 * h:-h, h:-h]
        f[:, -h:, h:-h] = f[:, h:2 * h, h:-h]
        f[:, :, :h] = f[:, :, -2 * h:-h]
        f[:, :, -h:] = f[:, :, h:2 * h]

    def laplacian(self, f, out, margin):
        """Computes the Laplacian of all points except a margin around each plane."""
        m, height, width = margin, f.shape[1], f.shape[2]
        if self.kernel.laplacian == "laplacian_1d":
            points = self.nz * (height - 2 * m) * (width - 2 * m)
            self.call("laplacian_1d", (points,), LINE, f, out, points, width, height, m)
            return
        if self.kernel.laplacian:
            block = TILE if self.kernel.laplacian == "laplacian_shared" else BLOCK
            self.call(self.kernel.laplacian, (width - 2 * m, height - 2 * m, self.nz), block, f, out, width, height, m)
            return
        rows, columns = slice(m, height - m), slice(m, width - m)
        out[:, rows, columns] = (-4 * f[:, rows, columns] + f[:, rows, m - 1:width - m - 1] + f[:, rows, m + 1:width - m + 1]
                                 + f[:, m - 1:height - m - 1, columns] + f[:, m + 1:height - m + 1, columns])

    def step(self, source):
        f, out, h, nx, ny = self.fields[source], self.fields[1 - source], self.h, self.nx, self.ny
        self.update_halo(f)
        if self.kernel.fused == "fused_1d":
            points = nx * ny * self.nz
            self.call("fused_1d", (points,), LINE, f, out, points, nx, ny, h, self.alpha)
            return
        if self.kernel.fused:
            self.call("fused_2d", (nx, ny, self.nz), BLOCK, f, out, nx, ny, h, self.alpha)
            return
        self.laplacian(f, self.laplacian_field, h - 1)
        self.laplacian(self.laplacian_field, out, h)
        if self.kernel.update:
            self.call("field_update", (nx, ny, self.nz), BLOCK, f, out, nx, ny, h, self.alpha)
            return
        inner = (slice(None), slice(h, -h), slice(h, -h))
        out[inner] = f[inner] - self.alpha * out[inner]

    def record(self, steps):
        """Captures the graph of some steps; -1 stands for the copy of field 1 into field 0."""
        self.stream.begin_capture()
        for source in steps:
            if source < 0:
                self.fields[0][...] = self.fields[1]
            else:
                self.step(source)
        return self.stream.end_capture()

    def prepare(self, mechanism):
        """Captures the graphs, after a plain run has filled the memory pool that provides the temporaries."""
        steps = {"graph-copy": [(0, -1)], "graph-two": [(0,), (1,)], "graph-unrolled": [(0, 1)]}[mechanism]
        with self.stream:
            self.graphs = [self.record(s) for s in steps]
        self.mechanism = mechanism

    def advance(self):
        n = self.p["steps"]
        with self.stream:
            if self.mechanism == "stream":
                for s in range(n):
                    self.step(s % 2)
            elif self.mechanism == "graph-unrolled":
                for _ in range(n // 2):
                    self.graphs[0].launch(self.stream)
                if n % 2:
                    self.step(0)
            else:
                for s in range(n):
                    self.graphs[s % len(self.graphs)].launch(self.stream)
            self.result = 0 if self.mechanism == "graph-copy" else n % 2
            self.update_halo(self.fields[self.result])

    def store(self):
        with self.stream:
            return self.fields[self.result].get()


def error_of(p, field, expected, padded):
    h = p["halo"]
    want = np.pad(expected, ((0, 0), (h, h), (h, h)), mode="wrap")
    worst = np.abs(padded.astype(np.float64) - want).max()
    return float(worst / np.abs(field).max()) if np.isfinite(worst) else None


def copy_bandwidth(cp, nbytes):
    """Bytes per second, read plus written, of a copy of 'nbytes' on the device."""
    a, b = cp.empty(nbytes, cp.uint8), cp.empty(nbytes, cp.uint8)
    copies = int(min(max(2**30 // nbytes, 4), 256))
    start, stop, times = cp.cuda.Event(), cp.cuda.Event(), []
    stream = cp.cuda.Stream(non_blocking=True)
    for _ in range(9):
        start.record(stream)
        for _ in range(copies):
            b.data.copy_from_device_async(a.data, nbytes, stream)
        stop.record(stream)
        stop.synchronize()
        times.append(cp.cuda.get_elapsed_time(start, stop) * 1e-3 / copies)
    return 2.0 * nbytes / statistics.median(times)


def read_plan(path, words=(), chosen=None):
    """Returns problems, cupy variants and options of a plan. words: AXIS=VALUES that replace the plan's; chosen: variants that do."""
    try:
        with open(path, "rb") as f:
            plan = tomllib.load(f)
    except (OSError, tomllib.TOMLDecodeError) as e:
        fail(f"{path}: {e}")

    def as_list(value):
        return value if isinstance(value, list) else [value]

    replaced = {}
    for axis, _, values in (w.partition("=") for w in words):
        try:
            replaced[axis] = tomllib.loads(f"x = [{values}]")["x"]
        except tomllib.TOMLDecodeError:
            replaced[axis] = values.split(",")  # words need no quotes
    problems = [
        {"nx": s[0], "ny": s[1], "nz": s[2], "steps": n, "alpha": float(a), "halo": h, "seed": seed, "precision": precision}
        for axes in ({**a, **replaced} for a in as_list(plan.get("axes", {}))) for precision in as_list(axes.get("precision", ["float"]))
        for s in axes.get("size", [[128, 128, 64]]) for n in as_list(axes.get("steps", [1024]))
        for a in as_list(axes.get("alpha", [0.03125])) for h in as_list(axes.get("halo", [2])) for seed in as_list(axes.get("seed", [1]))]
    wanted = [w.removeprefix("diffusion/") for w in chosen or as_list(plan.get("variants", ["*"]))]
    wanted = [w for w in wanted if w.startswith("cupy")] or ["cupy-*", "cupy-*+*"]
    variants = []
    for kernel, mechanism in itertools.product(KERNELS, MECHANISMS):
        for w in wanted:
            k, _, m = w.partition("+")
            if fnmatch.fnmatch(kernel, k) and fnmatch.fnmatch(mechanism, m or "stream"):
                variants.append((kernel, mechanism))
                break
    if not variants:
        fail(f"{path}: {', '.join(wanted)}: no CuPy variant is called so; there are {', '.join(KERNELS)}, with +{', +'.join(MECHANISMS[1:])}")
    return problems, variants, plan.get("measure", {})


def name(kernel, mechanism):
    return kernel + ("" if mechanism == "stream" else "+" + mechanism)


def model(p, kernel, mechanism):
    """Launches, host calls and memory traffic of one run."""
    launches, words, flops = KERNELS[kernel].launches, KERNELS[kernel].words, KERNELS[kernel].flops
    n, word = p["steps"], np.dtype(DTYPE[p["precision"]]).itemsize
    points = p["nx"] * p["ny"] * p["nz"]
    copied = mechanism == "graph-copy"
    calls = {"stream": launches * n, "graph-copy": n, "graph-two": n, "graph-unrolled": n // 2 + (launches if n % 2 else 0)}
    return {"launches": (launches + copied) * n, "submissions": calls[mechanism],
            "bytes": (words + 2 * copied) * word * points * n, "flops": flops * points * n}


def metrics(p, kernel, bandwidth, seconds):
    """Metrics of a median time. The floor is one read and one write per point and step, the working set all padded fields."""
    padded = (p["nx"] + 2 * p["halo"]) * (p["ny"] + 2 * p["halo"]) * p["nz"] * np.dtype(DTYPE[p["precision"]]).itemsize
    point_steps = p["nx"] * p["ny"] * p["nz"] * p["steps"]
    floor = 2.0 * point_steps * np.dtype(DTYPE[p["precision"]]).itemsize / bandwidth
    return [measurement.metric("throughput", point_steps / seconds * 1e-9, "Gpt/s", "higher"),
            measurement.metric("step_time", 1e6 * seconds / p["steps"], "us", "lower"),
            measurement.metric("floor_share", floor / seconds, "1", "higher"),
            measurement.metric("copy_bandwidth", bandwidth, "B/s"),
            measurement.metric("working_set", float((2 if KERNELS[kernel].fused else 3) * padded), "B")]


class Trial:
    """One variant in measurement: its filter, the times of its phases, its error and its samples."""

    def __init__(self, cp, p, kernel, mechanism, field, expected):
        self.p, self.kernel, self.mechanism, self.field, self.expected = p, kernel, mechanism, field, expected
        self.host, self.device, self.seconds, self.capture, self.gate = [], [], 0.0, 0.0, gate(p, KERNELS[kernel].flops)
        self.setup = seconds_of(lambda: setattr(self, "filter", Filter(cp, p, kernel)))
        f = self.filter
        self.load = seconds_of(lambda: f.load(field))
        self.first = self.last = seconds_of(lambda: (f.advance(), f.stream.synchronize()))
        if mechanism != "stream":
            self.capture = seconds_of(lambda: (f.prepare(mechanism), f.stream.synchronize()))
            f.load(field)
            self.last = seconds_of(lambda: (f.advance(), f.stream.synchronize()))
        self.store = seconds_of(self.verify)

    def verify(self):
        self.error = error_of(self.p, self.field, self.expected, self.filter.store())

    def right(self):
        return self.error is not None and self.error <= self.gate

    def sample(self, cp, begin, end):
        """Times one run by the host's clock, without events, and one by the device's; a long run by both, since events then cost nothing."""
        f, started = self.filter, time.perf_counter()

        def timed():
            begin.record(f.stream)
            f.advance()
            end.record(f.stream)
            f.stream.synchronize()

        f.load(self.field)
        is_long = self.last > measurement.LONG_RUN
        self.last = seconds_of(timed if is_long else lambda: (f.advance(), f.stream.synchronize()))
        self.host.append(self.last)
        if not is_long:
            f.load(self.field)
            timed()
        self.device.append(cp.cuda.get_elapsed_time(begin, end) * 1e-3)
        self.seconds += time.perf_counter() - started

    def stop(self, start):
        """Returns the reason why there are enough samples, or an empty string."""
        if len(self.host) >= start.repeats:
            return "repeats"
        return "time cap" if len(self.host) >= start.least and self.seconds > start.time_cap else ""

    def row(self, run, bandwidth, start):
        return row_of(run, self.p, self.kernel, self.mechanism, self.host, self.device, self.error, self.gate, bandwidth, stop=self.stop(start),
                      setup_seconds=self.setup, capture_seconds=self.capture, load_seconds=self.load, store_seconds=self.store,
                      first_seconds=self.first, start=start.number)


def row_of(run, p, kernel, mechanism, host, device, error, tolerance, bandwidth, **more):
    return measurement.row(run, "diffusion", name(kernel, mechanism), p, host, device, model(p, kernel, mechanism),
                           lambda seconds: metrics(p, kernel, bandwidth, seconds), error, tolerance, "exact Fourier modes (NumPy)", **more)


def seconds_of(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(cp, run, p, variants, start):
    """Yields the results of one problem: prepares and verifies variants, times them in rotating rounds, verifies them again."""
    field = random_field(p)
    expected = exact_solution(p, field)
    bandwidth = copy_bandwidth(cp, field.nbytes)
    trials = [Trial(cp, p, kernel, mechanism, field, expected) for kernel, mechanism in variants]
    right = [t for t in trials if t.right()]
    begin, end = cp.cuda.Event(), cp.cuda.Event()
    for round_ in itertools.count():
        turn = [t for k in range(len(right)) if not (t := right[(k + round_) % len(right)]).stop(start)]
        if not turn:
            break
        for trial in turn:
            trial.sample(cp, begin, end)
    for trial in trials:
        if trial.host:
            trial.verify()
        yield trial.row(run, bandwidth, start)


def this_run(cp, run):
    properties = cp.cuda.runtime.getDeviceProperties(0)
    cuda, driver = (f"{v // 1000}.{v % 1000 // 10}" for v in (cp.cuda.runtime.runtimeGetVersion(), cp.cuda.runtime.driverGetVersion()))
    build = f"variants/cupy/diffusion.py, CuPy {cp.__version__}, NumPy {np.__version__}, Python {sys.version.split()[0]}, CUDA {cuda}"
    card = properties.get("uuid", b"")
    card = f"GPU-{uuid.UUID(bytes=bytes(card))}" if len(card) == 16 else ""
    return measurement.this_run(__file__, build, properties["name"].decode(), driver, card, run)


def open_records(path, resume):
    """Locks the file and cuts an unfinished last line. Returns it, {key: {run: {process number: correct}}} and the environments."""
    try:
        f = open(path, "a+b")
    except OSError as e:
        fail(f"{path}: {e.strerror}")
    try:
        fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        fail(f"{path}: another run is writing to it; wait for it or give another --output")
    f.seek(0)
    text = f.read()
    if text and not resume:
        fail(f"{path}: holds records already; add --resume to go on with them, or give another file")
    complete = text.rfind(b"\n") + 1
    f.truncate(complete)
    done, runs = {}, []
    for record in map(json.loads, filter(bytes.strip, text[:complete].splitlines())):
        if record["type"] == "environment":
            runs.append(record)
        elif record["type"] == "measurement":
            run = record.get("run", {}).get("id") or runs[-1]["id"]
            starts = done.setdefault(measurement.key(*(record[k] for k in ("study", "variant", "problem"))), {}).setdefault(run, {})
            starts.update(dict.fromkeys(record["starts"], measurement.is_right(record)))
    return f, done, runs


def has(runs, run, start):
    """True if this process need not measure a variant: this run has its result, or another has all. runs: those of its key, from open_records."""
    return any(start.number in starts if name == run.id else sum(starts.values()) >= start.count for name, starts in runs.items())


def append(f, record):
    os.write(f.fileno(), (json.dumps(record) + "\n").encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", help="TOML plan, as for 'parity measure'")
    parser.add_argument("--output", required=True, help="file of records (JSON lines)")
    parser.add_argument("--resume", action="store_true", help="keep the records in --output and add the missing rows")
    parser.add_argument("--set", action="append", default=[], metavar="AXIS=VALUES", help="in place of the plan's, such as 'size=[64, 64, 64]'")
    parser.add_argument("--variants", metavar="NAMES", help="measure these in place of the plan's variants, with commas between them")
    for count in ("starts", "repeats"):
        parser.add_argument(f"--{count}", type=int, metavar="N", help="in place of the plan's")
    options = parser.parse_args()
    problems, variants, measuring = read_plan(options.plan, options.set, options.variants and options.variants.split(","))
    start = measurement.Start.of({**measuring, **{k: getattr(options, k) for k in ("starts", "repeats") if getattr(options, k)}})
    try:
        import cupy as cp

        cp.cuda.runtime.getDeviceCount()
    except Exception as e:  # an ImportError, or CuPy's own error if there is no GPU
        fail(f"CuPy cannot run here ({str(e).splitlines()[0] if str(e) else type(e).__name__}); 'pip install cupy-cuda12x' on a machine with a GPU", 3)
    f, done, runs = open_records(options.output, options.resume or start.number > 0)
    if start.number == 0:
        f.close()
        code = start.all()
        print(f"{len(done)} rows were there before: {options.output}")
        return code
    run, wrong = measurement.continued(this_run(cp, start.run), runs), 0
    for p in problems:
        missing = [v for v in variants if not has(done.get(measurement.key("diffusion", name(*v), p), {}), run, start)]
        if missing and run.id not in (r["id"] for r in runs):
            runs.append(measurement.environment(run))
            append(f, runs[-1])
        for record in measure(cp, run, p, missing, start) if missing else ():
            append(f, record)
            right, verdict = measurement.is_right(record), record["verification"]
            wrong += not right
            print(f"{start.number}/{start.count} {p['nx']}x{p['ny']}x{p['nz']} N={p['steps']} {p['precision']:<8} {record['variant']:<32} "
                  + (f"{measurement.value(record, 'step_time'):12.3f} us a step  error {verdict['error']:.1e}" if right
                     else f"WRONG: error {verdict['error']}, tolerance {verdict['tolerance']:.0e}"), flush=True)
        cp.get_default_memory_pool().free_all_blocks()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
