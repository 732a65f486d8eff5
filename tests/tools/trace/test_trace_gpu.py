# SPDX-License-Identifier: BSD-3-Clause
"""parity trace harms no program: each runs plain and traced, and both end in the same way with the same output. Needs a GPU, nvcc and a build with
CUDA and CUPTI; uses PyTorch and CuPy if installed. PARITY_TRACE_RUNS: traced runs of each."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

PARITY = os.environ["PARITY"]
RUNS = int(os.environ.get("PARITY_TRACE_RUNS", 3))
AT_ONCE = 6  # more on one GPU slow programs that wait in each step by a factor of 100
TORCH = """
import sys, threading, time, torch
mode = sys.argv[1]
torch.manual_seed(1)
layers = [m for _ in range(8) for m in (torch.nn.Linear(512, 512), torch.nn.ReLU())]
net = torch.nn.Sequential(*layers).cuda()
x, y = (torch.randn(64, 512, device="cuda") for _ in range(2))
adam = torch.optim.Adam(net.parameters(), lr=1e-4, foreach=False, capturable=True)
def step():
    adam.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    adam.step()
    return loss
def stream_of_its_own():
    with torch.cuda.stream(torch.cuda.Stream()):
        a = torch.ones(1000, 1000, device="cuda")
        for k in range(3000): a = a * 2 if k % 2 else a / 2
if mode == "threads":
    threads = [threading.Thread(target=stream_of_its_own) for _ in range(3)]
    for t in threads: t.start()
    for t in threads: t.join()
run = step
if mode == "graph":
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3): step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph): loss = step()
    run = lambda: graph.replay() or loss
if mode == "loader":
    rows = torch.utils.data.TensorDataset(torch.arange(64000.0).reshape(2000, 32))
    for (b,) in torch.utils.data.DataLoader(rows, batch_size=4, num_workers=2): x[:4, :32] = b.cuda(non_blocking=True) / 64000
for block in range(5):
    began = time.perf_counter()
    for _ in range(40): loss = run()
    torch.cuda.synchronize()
    print("us/step %.1f" % ((time.perf_counter() - began) / 40 * 1e6), file=sys.stderr)
print("%.6f" % loss.item(), flush=True)
"""
CUPY = """
import cupy as cp
h = cp.ones((256, 256), cp.float32); h[100:150, 100:150] += 0.1
u, v = cp.zeros_like(h), cp.zeros_like(h)
for k in range(2000):
    u -= 0.1 * (cp.roll(h, -1, 0) - h)
    v -= 0.1 * (cp.roll(h, -1, 1) - h)
    h -= 0.1 * (u - cp.roll(u, 1, 0) + v - cp.roll(v, 1, 1))
print("%.5f" % float(h.sum()))
"""
MODES = {"cuda": "plain waits graph late_graph new_graphs threads no_wait exit kill term", "torch": "train graph threads loader",
         "cupy": "steps", "kokkos": "diffusion"}
PROGRAMS = [f"{which} {mode}" for which, modes in MODES.items() for mode in modes.split()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    version = subprocess.run([PARITY, "--version"], text=True, capture_output=True).stdout
    if not shutil.which("nvcc") or not re.search(r"CUPTI \d", version) or subprocess.run([shutil.which("nvidia-smi") or "false"], capture_output=True).returncode:
        pytest.skip("needs a GPU, nvcc, and a build with CUDA and CUPTI")
    path = tmp_path_factory.mktemp("gpu")
    source = pathlib.Path(__file__).with_name("gpu_program.cu")
    subprocess.run(["nvcc", "-O2", "-arch=native", source, "-o", path / "cuda"], check=True)
    for name, text in (("torch", TORCH), ("cupy", CUPY)):
        (path / f"{name}_steps.py").write_text(text)
    return path


def command(folder, program):
    which, mode = program.split()
    if which == "cuda":
        return [folder / "cuda", mode]
    if which == "kokkos":
        return [PARITY, "diffusion", "--nx", "64", "--ny", "64", "--nz", "16", "--steps", "64", "--variants", "kokkos-baseline", "--starts", "1", "--repeats", "9"]
    if subprocess.run([sys.executable, "-c", f"import {which}"], capture_output=True, cwd="/").returncode:
        pytest.skip(f"{which} is not here")
    return [sys.executable, folder / f"{which}_steps.py", mode]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_traced_program_ends_as_it_does_alone(folder, program, capsys):
    words = command(folder, program)

    def run(number):
        trace = [PARITY, "trace", "--force", "--output", folder / f"{program}.{number}.json"] if number else []
        done = subprocess.run([*trace, *words], text=True, capture_output=True, cwd="/")
        return done.returncode, done.stdout if "kokkos" not in program else "", done.stderr

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        alone, *traced = pool.map(run, range(RUNS + 1))
    assert [t for t in traced if t[:2] != alone[:2]] == []
    for number in range(1, RUNS + 1):
        texts = {p.name: p.read_text() for p in folder.glob(f"{program}.{number}.json*")}
        assert sum(t.count('"cat":"kernel"') + t.count('"cat":"cuda_graph"') for t in texts.values()) > 100
        unended = {name: t[-300:] for name, t in texts.items() if t and '"name":"end"' not in t[-300:]}
        assert unended == {} or program.split()[1] in ("exit", "kill", "term")
    times = [re.findall(r"us/step([\d. ]+)", done[2]) for done in (alone, traced[0])]
    with capsys.disabled():
        print(f"\n{program}: {RUNS} traced runs as alone, exit code {alone[0]}; us a step alone {' '.join(times[0])[:60]}, traced {' '.join(times[1])[:60]}")


def test_a_try_is_held_against_the_trace(folder):
    """The replay is recorded, too: its kernels take as long as the program's."""
    trace = folder / "try.json"
    assert subprocess.run([PARITY, "trace", "--output", trace, *command(folder, "cuda plain")], capture_output=True, cwd="/").returncode == 0
    done = subprocess.run([PARITY, "advise", "--try", "--least-operations", "11", trace], text=True, capture_output=True)
    assert done.returncode == 0 and "tried here" in done.stdout and "could not be held" not in done.stdout, done
