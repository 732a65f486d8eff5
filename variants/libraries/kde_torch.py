#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The same direct sum in PyTorch on a GPU, eager and compiled, for comparison with 'parity kde' on the same card.

    python3 variants/libraries/kde_torch.py --output kde_torch.jsonl [--n 262144]

Writes JSON lines with the median of CUDA event times, pairs a second and the error at 64 samples. Each time is that of a new
data set on the device: a direct sum prepares nothing, so that there is no second figure. Compiling is left out, as Parity's is.
"""
import argparse
import json

import torch


def density(x, h):
    n = x.numel()
    d = (x[:, None] - x[None, :]) / h
    return torch.exp(-0.5 * d * d).sum(dim=1) / (n * h * (2 * torch.pi) ** 0.5)


def median_seconds(run, repeats):
    seconds = []
    for _ in range(repeats):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        run()
        stop.record()
        torch.cuda.synchronize()
        seconds.append(1e-3 * start.elapsed_time(stop))
    return sorted(seconds)[len(seconds) // 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", required=True)
    parser.add_argument("--n", type=int, default=262144)
    parser.add_argument("--bandwidth", type=float, default=0.01)
    options = parser.parse_args()
    torch.manual_seed(1)
    x = torch.randn(options.n, device="cuda")
    double = x.double()
    places = torch.linspace(0, options.n - 1, 64, device="cuda").long()
    h = options.bandwidth
    exact = torch.exp(-0.5 * ((double[places][:, None] - double[None, :]) / h) ** 2).sum(1) / (options.n * h * (2 * torch.pi) ** 0.5)
    versions = {"torch.compile": torch.compile(density), "torch.compile max-autotune": torch.compile(density, mode="max-autotune-no-cudagraphs")}
    with open(options.output, "x") as out:
        for name, run in versions.items():
            f = run(x, h)
            torch.cuda.synchronize()
            seconds = median_seconds(lambda: run(x, h), 9)
            record = {"library": name, "version": torch.__version__, "device": torch.cuda.get_device_name(), "n": options.n,
                      "bandwidth": h, "precision": "float", "seconds": seconds, "pairs_per_second": options.n ** 2 / seconds,
                      "error": float(((f[places].double() - exact).abs() / exact).max())}
            out.write(json.dumps(record) + "\n")
            print(f"{name:<30} {1e3 * seconds:10.3f} ms  {record['pairs_per_second']:.3e} pairs/s  error {record['error']:.1e}")


if __name__ == "__main__":
    main()
