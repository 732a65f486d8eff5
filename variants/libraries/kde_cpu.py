#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares CPU libraries with Parity on the same machine: density at all samples, time and error of each.

    python3 variants/libraries/kde_cpu.py --parity build/parity --output kde_cpu.jsonl [--n 20000 200000 2048000]

Needs numpy, scipy, scikit-learn and KDEpy. 'seconds' is the time for a new data set, with the library's fit (no import, no
reading), 'prepared_seconds' that of the evaluation at the same samples; Parity's are the results of 'parity kde' and their
metric prepared_time. Times are medians of up to nine. Errors are against a direct sum in double at some samples, relative to
the largest density. Omits and names a library that would exceed --patience seconds, estimated from its time at a smaller size.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cupy"))
import measurement  # noqa: E402  (needs the path above)


def exact(x, q, h):
    return np.array([np.exp(-0.5 * ((p - x) / h) ** 2).sum() for p in q]) / (len(x) * h * np.sqrt(2 * np.pi))


# Each takes samples and bandwidth and returns a function that estimates the density at queries. Work that another set of
# queries can reuse is in the first part.


def with_scipy(x, h):
    from scipy.stats import gaussian_kde
    return gaussian_kde(x, bw_method=h / x.std(ddof=1))


def with_scikit_learn(x, h):
    from sklearn.neighbors import KernelDensity
    tree = KernelDensity(bandwidth=h, rtol=1e-7, atol=1e-9).fit(x[:, None])
    return lambda q: np.exp(tree.score_samples(q[:, None]))


def with_kdepy_fft(x, h):
    # Enough grid points for an interpolation error of about 1e-6.
    from KDEpy import FFTKDE
    grid, f = FFTKDE(bw=h).fit(x).evaluate(2 ** int(np.ceil(np.log2((x.max() - x.min()) / h * 500))))
    return lambda q: np.interp(q, grid, f)


def with_kdepy_tree(x, h):
    from KDEpy import TreeKDE
    tree = TreeKDE(bw=h).fit(x)

    def evaluate(q):
        order = np.argsort(q)
        f = np.empty_like(q)
        f[order] = tree.evaluate(q[order])
        return f

    return evaluate


LIBRARIES = {"scipy": (with_scipy, 2), "scikit-learn": (with_scikit_learn, 1.5), "KDEpy FFTKDE": (with_kdepy_fft, 1),
             "KDEpy TreeKDE": (with_kdepy_tree, 2)}  # and the power of n that predicts its time


def times_of(fit, x, h, samples=9, enough=10):
    """Returns seconds for a new data set and for the evaluation alone, as medians of the same runs, and the densities.

    Stops once the samples, at least three, took 'enough' seconds.
    """
    whole, alone = [], []
    while len(whole) < samples and (len(whole) < 3 or sum(whole) < enough):
        start = time.perf_counter()
        evaluate = fit(x, h)
        fitted = time.perf_counter()
        f = evaluate(x)
        end = time.perf_counter()
        whole.append(end - start)
        alone.append(end - fitted)
    return {"seconds": float(np.median(whole)), "prepared_seconds": float(np.median(alone)), "samples": len(whole)}, f


def parity_rows(executable, n, h, variants):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "r.jsonl")
        subprocess.run([executable, "kde", "--n", str(n), "--bandwidth", str(h), "--distribution", "normal", "--precision",
                        "double", "--variants", variants, "--repeats", "9", "--time-cap", "20", "--quiet", "--json", path],
                       check=True, stdout=subprocess.DEVNULL)
        for row in map(json.loads, filter(str.strip, open(path))):
            if row["type"] == "measurement":
                prepared = measurement.value(row, "prepared_time")
                yield {"library": "parity " + row["variant"], "n": n, "bandwidth": h, "seconds": measurement.seconds(row),
                       **({} if prepared is None else {"prepared_seconds": 1e-6 * prepared}), "error": row["verification"]["error"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parity", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--n", type=int, nargs="+", default=[20000, 200000, 2048000])
    parser.add_argument("--bandwidth", type=float, default=0.05)
    parser.add_argument("--patience", type=float, default=60)
    options = parser.parse_args()
    h, last = options.bandwidth, {}
    with open(options.output, "x") as out:
        def put(record):
            record["threads"] = os.environ.get("OMP_NUM_THREADS", "all")
            out.write(json.dumps(record) + "\n")
            out.flush()
            if "seconds" in record:
                prepared = f"{1e3 * record['prepared_seconds']:>12.2f} ms" if "prepared_seconds" in record else f"{'':>15}"
                print(f"{record['n']:>9} {record['library']:<28} {1e3 * record['seconds']:>12.2f} ms  evaluation alone {prepared}"
                      f"  error {record['error']:.1e}")
            else:
                print(f"{record['n']:>9} {record['library']:<28} left out: {record['left_out']}")

        for n in options.n:
            x = np.random.default_rng(1).normal(size=n)
            places = np.linspace(0, n - 1, 64).astype(int)
            expected = exact(x, x[places], h)
            for name, (fit, power) in LIBRARIES.items():
                if name in last and last[name][1] * (n / last[name][0]) ** power > options.patience:
                    put({"library": name, "n": n, "bandwidth": h, "left_out": "longer than --patience"})
                    continue
                times, f = times_of(fit, x, h)
                last[name] = (n, times["seconds"])
                put({"library": name, "n": n, "bandwidth": h, **times, "error": float(np.abs(f[places] - expected).max() / f.max())})
            variants = "kokkos-transform,kokkos-binned" + (",openmp-register-tile,kokkos-register-tile" if n <= 50000 else "")
            for record in parity_rows(options.parity, n, h, variants):
                put(record)


if __name__ == "__main__":
    main()
