# SPDX-License-Identifier: BSD-3-Clause
"""The script of the CuPy results: its field and solution, its refusals, and its records, which parity reads like its own. Needs no GPU."""
import ctypes
import ctypes.util
import itertools
import json
import os
import pathlib
import subprocess
import sys
import types

import numpy as np
import pytest
from record_files import records, rows, write

ROOT = pathlib.Path(__file__).resolve().parents[2]
CUPY = ROOT / "variants" / "cupy" / "diffusion.py"
PROBLEM = {"nx": 24, "ny": 18, "nz": 2, "steps": 7, "alpha": 0.03125, "halo": 2, "seed": 1, "precision": "double"}


@pytest.fixture
def cupy(monkeypatch):
    """The script as a module."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(CUPY.parent)
    for name in ("diffusion", "measurement"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import diffusion

    return diffusion


@pytest.fixture
def written(cupy, tmp_path):
    """written(error, ...) -> a file with one environment and one result per mechanism, as the script writes them."""

    def write_rows(*errors):
        run = cupy.measurement.this_run(CUPY, "variants/cupy/diffusion.py, CuPy 13", "GPU A")
        lines = [cupy.measurement.environment(run)]
        for error, mechanism in zip(errors, cupy.MECHANISMS):
            lines.append(cupy.row_of(run, PROBLEM, "cupy-baseline", mechanism, [2e-3, 1.25e-3, 1.5e-3, 1e-3], [1e-3, 1.125e-3, 1e-3, 9e-4],
                                     error, 1e-13, 1e12, stop="repeats", setup_seconds=0.5, capture_seconds=0.25, load_seconds=0.125, store_seconds=0.0625))
        write(tmp_path / "c.jsonl", lines)
        return lines

    return write_rows


def test_the_script_makes_paritys_field_and_solution(cupy):
    p = {**PROBLEM, "nx": 7, "ny": 5, "steps": 9}
    field = cupy.random_field(p)
    assert field.shape == (2, 5, 7) and field.ravel()[:2].tolist() == [0.9430021544357066, -0.5444901292813309]

    def lap(f):
        return sum(np.roll(f, shift, axis) for shift in (-1, 1) for axis in (1, 2)) - 4 * f

    stepped = field
    for _ in range(p["steps"]):
        stepped = stepped - p["alpha"] * lap(lap(stepped))
    assert np.abs(cupy.exact_solution(p, field) - stepped).max() < 1e-14


def test_parity_reads_its_rows_as_its_own(parity, written, tmp_path):
    """Metrics have the same order, units and directions as parity's; parity derives the run from the environment."""
    environment, *lines = written(0.0, 1e-15)
    merit = parity("findings", "--merit", "c.jsonl")
    assert merit.returncode == 0, merit.stderr
    # 24 x 18 x 2 points, 7 steps, 1.375 ms.
    assert f" throughput {24 * 18 * 2 * 7 / 1.375e-3 / 1e9:.6g} Gpt/s" in merit.stdout
    assert "merit diffusion/cupy-baseline+graph-copy " in merit.stdout and "merit rows - verified 2 rows" in merit.stdout
    document = json.loads(parity("export", "c.jsonl").stdout)
    assert parity("diffusion", "--nx", 24, "--ny", 18, "--nz", 2, "--steps", 7, "--precision", "double", "--repeats", 2, "--variants",
                  "openmp-fused", "--json", "p.jsonl").returncode == 0
    (ours,) = json.loads(parity("export", "p.jsonl").stdout)["measurements"]
    for line, read in zip(lines, document["measurements"], strict=True):
        assert read["host_seconds"]["samples"] == line["host_seconds"] and read["device_seconds"]["samples"] == line["device_seconds"]
        assert read["problem"] == ours["problem"] and read["family"] == "cupy" and read["kernel"] == "cupy-baseline"
        assert [read[f"{part}_seconds"] for part in ("setup", "capture", "load", "store")] == [0.5, 0.25, 0.125, 0.0625]
        assert read["model"].items() >= line["model"].items() and read["verification"]["passed"]
        assert [{**m, "value": 0} for m in read["metrics"]] == [{**m, "value": 0} for m in ours["metrics"]]
    (run,) = document["runs"]
    assert {k: run[k] for k in lines[0]["run"]} == lines[0]["run"]
    assert run["build"] == "variants/cupy/diffusion.py, CuPy 13" and run["device"] == "GPU A" and not run["complete"]
    assert environment["id"] == run["id"]


class Array(np.ndarray):
    def set(self, values):
        self[...] = values

    def get(self):
        return np.array(self)


class Nothing:
    """Replaces streams, events and everything else that only a GPU has."""

    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def __getattr__(self, _):
        return lambda *_: Nothing()


def numpy_as_cupy():
    runtime = types.SimpleNamespace(getDeviceCount=lambda: 1, getDeviceProperties=lambda _: {"name": b"NumPy"},
                                    runtimeGetVersion=lambda: 13020, driverGetVersion=lambda: 13000)
    cuda = types.SimpleNamespace(runtime=runtime, Stream=Nothing, Event=Nothing, get_elapsed_time=lambda *_: 1.5)
    return types.SimpleNamespace(__version__="none", cuda=cuda, get_default_memory_pool=Nothing,
                                 empty=lambda shape, dtype: np.empty(shape, dtype).view(Array))


def test_the_whole_script_with_numpy_in_cupys_place(cupy, parity, tmp_path, monkeypatch):
    (tmp_path / "p.toml").write_text("variants = ['cupy-baseline']\n[axes]\nsize = [[8, 9, 2], [7, 6, 1]]\nsteps = [4]\n[measure]\nrepeats = 6\nstarts = 3\n")
    monkeypatch.setitem(sys.modules, "cupy", numpy_as_cupy())
    monkeypatch.setattr(cupy, "copy_bandwidth", lambda *_: 1e10)
    monkeypatch.setattr(cupy.measurement, "git", lambda _, word, *__, **___: "0123456789ab\n" if word == "rev-parse" else "")
    monkeypatch.setattr(sys, "argv", ["diffusion.py", str(tmp_path / "p.toml"), "--output", str(tmp_path / "o.jsonl"), "--resume"])
    names = itertools.count()

    def starts(self):
        """Measures in this process instead of separate ones; each time another run."""
        name = next(names)
        for number in range(1, self.count + 1):
            monkeypatch.setenv(self.VARIABLE, f"{number} run {name}")
            monkeypatch.setattr(cupy.measurement, "PROCESS", f"process {number}")
            code = cupy.main()
        monkeypatch.delenv(self.VARIABLE)
        return code

    monkeypatch.setattr(cupy.measurement.Start, "all", starts)
    assert cupy.main() == 0
    measured = rows(tmp_path / "o.jsonl")
    assert len(measured) == 2 and len(records(tmp_path / "o.jsonl")) == 7
    for r in measured:
        assert r["stop"] == "repeats" and r["starts"] == [1, 2, 3] and [len(b) for b in r["host_seconds"]["samples"]] == [2, 2, 2]
        assert r["setup_seconds"] > 0 and r["first_seconds"] > 0 and len(set(r["processes"])) == 3
    assert "merit rows - verified 2 rows" in parity("findings", "--merit", "o.jsonl").stdout
    assert all(m["host_seconds"]["low"] is not None for m in json.loads(parity("export", "o.jsonl").stdout)["measurements"])
    monkeypatch.setattr(sys, "argv", [*sys.argv[:3], str(tmp_path / "large.jsonl"), "--set", "size=[10, 10, 1], ", "--set", "precision=double",
                                      "--starts", "2", "--repeats", "4"])
    assert cupy.main() == 0
    (large,) = rows(tmp_path / "large.jsonl")
    assert (large["problem"]["nx"], large["problem"]["precision"], large["starts"]) == (10, "double", [1, 2])
    assert [len(b) for b in large["host_seconds"]["samples"]] == [2, 2]
    monkeypatch.setattr(sys, "argv", ["diffusion.py", str(tmp_path / "p.toml"), "--output", str(tmp_path / "o.jsonl"), "--resume"])
    blank = (tmp_path / "o.jsonl").read_bytes().replace(b"\n", b"\n \r\n\n")
    (tmp_path / "o.jsonl").write_bytes(blank)
    assert cupy.main() == 0 and (tmp_path / "o.jsonl").read_bytes() == blank
    (tmp_path / "o.jsonl").write_bytes(blank.replace(b"\n \r\n\n", b"\n"))
    assert cupy.main() == 0 and len(records(tmp_path / "o.jsonl")) == 7  # nothing is missing
    cut = (tmp_path / "o.jsonl").read_text().splitlines(keepends=True)[:-1]
    (tmp_path / "o.jsonl").write_text("".join(cut) + '{"type": "measurement", "study": "diffu')  # a killed run
    assert cupy.main() == 0 and (tmp_path / "o.jsonl").read_text().startswith("".join(cut))
    assert [r["starts"] for r in rows(tmp_path / "o.jsonl")] == [[1, 2, 3]] * 2 and len(records(tmp_path / "o.jsonl")) == 7
    own = json.loads(cut[0])
    (tmp_path / "o.jsonl").write_text("".join(cut).replace("0123456789ab", "ba9876543210").replace(own["id"], "another"))
    assert cupy.main() == 0
    assert sorted(r["starts"] for r in rows(tmp_path / "o.jsonl")) == [[1, 2], [1, 2, 3], [1, 2, 3]], "what another run lacks is measured anew"
    (tmp_path / "o.jsonl").write_text("".join(cut[:-1] + [cut[-1].replace('"passed": true', '"passed": false')])
                                      .replace("0123456789ab", "ba9876543210").replace(own["id"], "another"))
    assert cupy.main() == 0
    assert sorted(r["starts"] for r in rows(tmp_path / "o.jsonl")) == [[1, 2], [1, 2, 3], [1, 2, 3], [1, 2, 3]], "and what is wrong there"
    monkeypatch.setattr(cupy.Filter, "laplacian", lambda *_: None)
    (tmp_path / "o.jsonl").unlink()
    assert cupy.main() == 1
    assert "merit rows - wrong 2 rows" in parity("findings", "--merit", "o.jsonl").stdout


def test_its_gates_are_paritys(cupy, parity, tmp_path):
    """The same bound for the same number of operations, from another program."""
    for k, p in enumerate(({}, {"steps": 40, "precision": "float"}, {"alpha": 0.03, "precision": "float", "nx": 7, "ny": 5})):
        p = {**PROBLEM, **p}
        options = [w for name in ("nx", "ny", "nz", "steps", "alpha", "precision") for w in ("--" + name, p[name])]
        assert parity("diffusion", *options, "--repeats", 1, "--variants", "openmp-fused,openmp-field-update", "--json", f"{k}.jsonl").returncode == 0
        gates = {row["variant"]: row["verification"]["tolerance"] for row in rows(tmp_path / f"{k}.jsonl")}
        assert gates == {"openmp-fused": pytest.approx(cupy.gate(p, 17), rel=1e-9),
                         "openmp-field-update": pytest.approx(cupy.gate(p, 12), rel=1e-9)}


@pytest.mark.parametrize("precision", ["float", "double"])
def test_its_kernels_compile(cupy, precision):
    """Compiles without a standard library, like NVRTC; with NVRTC itself, which needs no GPU, if it is installed."""
    file = CUPY.parent / "kernels.cuh"
    options = cupy.compiler_options(precision)
    words = "struct { int x, y, z; } blockIdx, blockDim, threadIdx; void __syncthreads(); float fma(float, float, float); double fma(double, double, double);\n"
    done = subprocess.run(["c++", "-x", "c++", "-", "-fsyntax-only", "-nostdinc", "-D__CUDACC_RTC__", "-D__global__=", "-D__shared__=static", *options],
                          input=words + file.read_text(), text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    if name := ctypes.util.find_library("nvrtc"):
        nvrtc, program, size = ctypes.CDLL(name), ctypes.c_void_p(), ctypes.c_size_t()
        assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), file.read_bytes(), b"kernels.cu", 0, None, None) == 0
        code = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*map(str.encode, options)))
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        assert code == 0, log.value.decode()


def test_parity_lists_its_kernels(cupy, parity):
    listed = parity("list", "diffusion").stdout.split()
    assert [word for word in listed if word.startswith("diffusion/cupy-")] == [f"diffusion/{kernel}" for kernel in cupy.KERNELS]


def script(tmp_path, *arguments):
    return subprocess.run([sys.executable, CUPY, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=120)


def test_the_script_refuses_in_one_line(tmp_path):
    (tmp_path / "plan.toml").write_text("variants = ['cupy-*']\n[axes]\nsize = [[8, 8, 1]]\n")
    (tmp_path / "bad.toml").write_text("variants = ['cupy-nothing']\n")
    for arguments, code, says in ((("missing.toml", "--output", "o.jsonl"), 2, "missing.toml"),
                                  (("bad.toml", "--output", "o.jsonl"), 2, "cupy-baseline")):
        done = script(tmp_path, *arguments)
        assert done.returncode == code and says in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    try:
        import cupy

        cupy.cuda.runtime.getDeviceCount()
    except Exception:
        done = script(tmp_path, "plan.toml", "--output", "o.jsonl")
        assert done.returncode == 3 and "CuPy cannot run here" in done.stderr, done.stderr
        assert not (tmp_path / "o.jsonl").exists()


def test_a_librarys_script_reads_paritys_rows(tmp_path):
    """Tests the part of variants/libraries/kde_cpu.py that calls parity; the libraries themselves may be absent."""
    code = (f"import sys; sys.path.insert(0, {str(ROOT / 'variants/libraries')!r}); sys.dont_write_bytecode = True; import kde_cpu, json\n"
            f"print(json.dumps(list(kde_cpu.parity_rows({os.environ['PARITY']!r}, 500, 0.1, 'openmp-direct,kokkos-direct'))))")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    read = json.loads(done.stdout)
    assert [r["library"] for r in read] == ["parity kokkos-direct", "parity openmp-direct"]
    assert all(r["n"] == 500 and 0 < r["seconds"] < 100 and r["error"] < 1e-9 for r in read)
