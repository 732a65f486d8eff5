# SPDX-License-Identifier: BSD-3-Clause
"""A small network's layers applied again and again by PyTorch. Prints the seconds of a step by its own clock, a
value a block, as JSON.

  python3 torch_loop.py N STEPS [--graph]      --graph: one step captured by torch.cuda.graph, then replayed
"""
import argparse
import json
import time

import torch


def main():
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("n", type=int)
    ask.add_argument("steps", type=int)
    ask.add_argument("--graph", action="store_true")
    ask.add_argument("--blocks", type=int, default=5, help="timed ones")
    o = ask.parse_args()

    torch.manual_seed(1)
    device = torch.device("cuda")
    x = torch.rand(64, o.n, device=device)
    weights = [torch.rand(o.n, o.n, device=device) / o.n for _ in range(4)]
    bias = torch.rand(o.n, device=device)

    @torch.no_grad()
    def step():
        y = x
        for w in weights:
            y = torch.relu(y @ w + bias)
            y = y / (1 + y.abs().mean(1, keepdim=True))
        x.copy_(y)

    for _ in range(3):
        step()
    torch.cuda.synchronize()
    advance = step
    if o.graph:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        advance = graph.replay
        advance()
    times = []
    for _ in range(o.blocks):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(o.steps):
            advance()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) / o.steps)
    print(json.dumps({"n": o.n, "graph": o.graph, "seconds": times, "sum": float(x.sum())}))


main()
