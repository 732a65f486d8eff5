# SPDX-License-Identifier: BSD-3-Clause
"""Heat on an n x n plate by CuPy, as its users write it: whole arrays, a kernel an operation. Prints the seconds of a step by its own clock, a
value a block, as JSON.

  python3 cupy_stencil.py N STEPS [--graph]      --graph: one step captured, then launched once a step
"""
import argparse
import json
import time

import cupy as cp


def main():
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("n", type=int)
    ask.add_argument("steps", type=int)
    ask.add_argument("--graph", action="store_true")
    ask.add_argument("--blocks", type=int, default=5, help="timed ones")
    o = ask.parse_args()

    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        u = cp.random.default_rng(1).random((o.n, o.n), dtype=cp.float32)
        change = cp.empty((o.n - 2, o.n - 2), dtype=cp.float32)
        inner = u[1:-1, 1:-1]

        def step():
            cp.multiply(inner, -4, out=change)
            cp.add(change, u[:-2, 1:-1], out=change)
            cp.add(change, u[2:, 1:-1], out=change)
            cp.add(change, u[1:-1, :-2], out=change)
            cp.add(change, u[1:-1, 2:], out=change)
            cp.multiply(change, 0.1, out=change)
            cp.add(inner, change, out=inner)

        step()
        stream.synchronize()
        advance = step
        if o.graph:
            stream.begin_capture()
            step()
            graph = stream.end_capture()
            advance = lambda: graph.launch(stream)  # noqa: E731
            advance()
        times = []
        for _ in range(o.blocks):
            stream.synchronize()
            begin = time.perf_counter()
            for _ in range(o.steps):
                advance()
            stream.synchronize()
            times.append((time.perf_counter() - begin) / o.steps)
        print(json.dumps({"n": o.n, "graph": o.graph, "seconds": times, "sum": float(u.sum())}))


main()
