# SPDX-License-Identifier: BSD-3-Clause
"""The part of 'parity trace' that asks CUPTI, with a CUPTI and a GPU that are simulated: needs CUPTI's headers, and no GPU."""
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACE = ROOT / "tests" / "trace"
ENDS = {"return": 0, "fork": 0, "threads": 0, "kill": -9}


def headers():
    for folder in (os.environ.get("PARITY_CUPTI_INCLUDE"), "/usr/local/cuda/include", "/usr/local/cuda/extras/CUPTI/include",
                   *map(str, sorted(pathlib.Path("/usr/local").glob("cuda-*/include"))), *map(str, pathlib.Path(
                       os.environ.get("PARITY_DEPS", "/nonexistent")).glob("cuda*/include"))):
        if folder and (pathlib.Path(folder) / "cupti_activity.h").exists() and (pathlib.Path(folder) / "cuda.h").exists():
            return folder
    return None


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Where the simulated CUPTI, the library with it, and the program are."""
    if not (include := headers()):
        pytest.skip("CUPTI's headers are not here")
    out = tmp_path_factory.mktemp("cupti")
    common = [os.environ.get("CXX", "g++"), "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror"]
    library = [*common, "-fPIC", "-shared", "-fvisibility=hidden", "-isystem", include, "-I", ROOT / "miniapp", "-I", ROOT / "variants"]
    for command in ([*library, TRACE / "simulated_cupti.cpp", "-o", out / "libsimulated.so", "-pthread"],
                    [*library, '-DPARITY_CUPTI_NAME="none"', '-DPARITY_CUPTI_LIBRARY="none"', *(ROOT / "miniapp/trace").glob("*.cpp"),
                     ROOT / "variants/cuda/trace/cupti_events.cpp", "-o", out / "libparity_trace.so", "-ldl", "-pthread", "-Wl,-z,nodelete"],
                    [*common, TRACE / "simulated_cuda_program.cpp", "-o", out / "program", "-ldl", "-pthread"]):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return out


@pytest.fixture
def run(built, tmp_path):
    """run(end, seconds, by_driver, host, kernel, share) -> what the program printed and the lines of its trace."""

    def call(end="return", seconds=1.5, by_driver=0, host=5000, kernel=1000, share="auto"):
        path = tmp_path / "t.jsonl"
        path.unlink(missing_ok=True)
        done = subprocess.run([str(built / "program"), str(built / "libsimulated.so"), end, *map(str, (seconds, by_driver, host, kernel))],
                              capture_output=True, text=True, timeout=60,
                              env={**os.environ, "CUDA_INJECTION64_PATH": str(built / "libparity_trace.so"), "PARITY_TRACE_FILE": str(path),
                                   "PARITY_TRACE_CUPTI": str(built / "libsimulated.so"), "PARITY_TRACE_SHARE": share})
        assert done.returncode == ENDS[end], done.stderr
        # The shell that would become the program is not there: its number is in the file's name.
        (path,) = tmp_path.glob("t.jsonl*")
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        path.rename(tmp_path / "t.jsonl")
        return json.loads(done.stdout) if done.stdout else {}, lines

    return call


@pytest.mark.parametrize("by_driver", [0, 1], ids=["runtime", "driver"])
def test_a_step_of_counted_launches_is_that_of_the_programs_own_clock(run, parity, by_driver):
    """Where all is recorded it takes longer. A call in which a window begins may miss its record. The driver's call in one of the runtime's is counted once."""
    said, lines = run(by_driver=by_driver)
    assert said["faults"] == 0 and said["left"] >= 2, said
    assert [line["window"] for line in lines if "window" in line][:2] == ["all", "counts"] and lines[-1]["end"] and lines[-1]["lost"] == 0
    done = json.loads(parity("advise", "t.jsonl", "--format", "json").stdout)
    step = done["programs"][0]["steps"][0]
    assert len(step["operations"]) == 4 and step["missing"] <= 2 and done["programs"][0]["devices"] == ["Simulated GPU 1"]
    assert step["counted"]["step"]["value"] == pytest.approx(said["step"], rel=0.15), (step["counted"], said)
    assert step["wall"]["value"] > 1.2 * step["counted"]["step"]["value"]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("share", ["auto", "0.5", "1"])
def test_however_it_ends_the_trace_is_whole(run, parity, end, share):
    said, lines = run(end, seconds=0.7, share=share)
    assert said.get("faults", 0) == 0 and sum(line.get("e") == "kernel" for line in lines) > 100
    assert (end == "kill") == ("end" not in lines[-1])
    assert any("window" in line for line in lines) == (share != "1")
    assert parity("advise", "t.jsonl").returncode == 0
