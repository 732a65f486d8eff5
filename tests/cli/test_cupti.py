# SPDX-License-Identifier: BSD-3-Clause
"""The part of 'parity trace' that asks CUPTI, with a CUPTI and a GPU that are simulated: needs CUPTI's headers, and no GPU."""
import json
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACE = ROOT / "tests" / "trace"
# As cmake/bootstrap.sh has it.
DEPS = pathlib.Path(os.environ.get("PARITY_DEPS") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "parity")
ENDS = {"return": 0, "fork": 0, "threads": 0, "kill": -9}


def headers():
    for folder in (os.environ.get("PARITY_CUPTI_INCLUDE"), "/usr/local/cuda/include", "/usr/local/cuda/extras/CUPTI/include",
                   *map(str, sorted(pathlib.Path("/usr/local").glob("cuda-*/include"))), *map(str, sorted(DEPS.glob("cuda*/include")))):
        if folder and (pathlib.Path(folder) / "cupti_activity.h").exists() and (pathlib.Path(folder) / "cuda.h").exists():
            return folder
    return None


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Where the simulated CUPTI, the library with it, and the program are."""
    if not (include := headers()):
        if os.environ.get("CI"):
            pytest.fail("CUPTI's headers are not here: cmake/bootstrap.sh --cuda-12 brings them")
        pytest.skip("CUPTI's headers are not here")
    out = tmp_path_factory.mktemp("cupti")
    common = [os.environ.get("CXX", "g++"), "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror"]
    library = [*common, "-fPIC", "-shared", "-fvisibility=hidden", "-isystem", include, "-I", ROOT / "miniapp", "-I", ROOT / "variants"]
    (out / "last.cpp").write_text("#include <unistd.h>\n__attribute__((destructor)) void end() { usleep(100000); }\n")
    for command in ([*library, out / "last.cpp", "-o", out / "last.so"],
                    [*library, TRACE / "simulated_cupti.cpp", "-o", out / "libsimulated.so", "-pthread", "-Wl,-soname,libcuda.so.1"],
                    [*library, '-DPARITY_CUPTI_NAME="none"', '-DPARITY_CUPTI_LIBRARY="none"', *(ROOT / "miniapp/trace").glob("*.cpp"),
                     ROOT / "variants/cuda/trace/cupti_events.cpp", "-o", out / "libparity_trace.so", "-ldl", "-pthread", "-Wl,-z,nodelete"],
                    [*common, TRACE / "simulated_cuda_program.cpp", "-rdynamic", "-o", out / "program", "-ldl", "-pthread"]):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return out


@pytest.fixture
def run(built, tmp_path):
    """run(end, seconds, by_driver, host, kernel, share) -> what the program printed and the lines of its trace."""

    def call(end="return", seconds=1.5, by_driver=0, host=5000, kernel=1000, share="auto", own="", **more):
        path = tmp_path / "t.jsonl"
        path.unlink(missing_ok=True)
        done = subprocess.run([str(built / "program"), str(built / "libsimulated.so"), end, *map(str, (seconds, by_driver, host, kernel))],
                              capture_output=True, text=True, timeout=60,
                              env={**os.environ, "CUDA_INJECTION64_PATH": str(built / "libparity_trace.so"), "PARITY_TRACE_FILE": str(path),
                                   "PARITY_TRACE_CUPTI": str(built / "libsimulated.so"), "PARITY_TRACE_SHARE": share,
                                   "PARITY_TRACE_OWN_LAUNCHES": own, "LAST_LIBRARY": str(built / "last.so"), **more})
        assert done.returncode == ENDS[end], done.stderr
        # Until the process was gone.
        assert end == "kill" or re.findall(r"^faults: (\d+)$", done.stderr, re.M)[-1] == "0", done.stderr
        # The shell that would become the program is not there: its number is in the file's name.
        (path,) = tmp_path.glob("t.jsonl*")
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        path.rename(tmp_path / "t.jsonl")
        return json.loads(done.stdout) if done.stdout else {}, lines

    return call


@pytest.mark.parametrize("by_driver", [0, 1], ids=["runtime", "driver"])
def test_a_step_of_counted_launches_is_that_of_the_programs_own_clock(run, parity, by_driver):
    """Where all is recorded it takes longer. A call in which a window begins may miss its record. The driver's call in one of the runtime's is counted once."""
    said, lines = run(by_driver=by_driver, SIMULATED_CLOCK="1")
    assert said["faults"] == 0 and said["left"] >= 2, said
    assert [line["window"] for line in lines if "window" in line][:2] == ["all", "counts"] and lines[-1]["end"] and lines[-1]["lost"] == 0
    done = json.loads(parity("advise", "t.jsonl", "--format", "json").stdout)
    step = done["programs"][0]["steps"][0]
    assert len(step["operations"]) == 4 and step["missing"] <= 2 and done["programs"][0]["devices"] == ["Simulated GPU 1"]
    assert step["counted"]["step"]["value"] == pytest.approx(said["step"], rel=0.005), (step["counted"], said)
    # Four launches, which take 2 us longer each.
    assert step["wall"]["value"] - step["counted"]["step"]["value"] == pytest.approx(8e-6, rel=0.1)


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("share", ["auto", "0.5", "1"])
def test_however_it_ends_the_trace_is_whole(run, parity, end, share):
    said, lines = run(end, seconds=0.7, share=share)
    assert said.get("faults", 0) == 0 and sum(line.get("e") == "kernel" for line in lines) > 100
    assert (end == "kill") == ("end" not in lines[-1])
    assert any("window" in line for line in lines) == (share != "1")
    assert parity("advise", "t.jsonl").returncode == 0


def test_cupti_leaves_with_nothing_on_its_way(run):
    """A queue of a thousand kernels, as on a GPU that is behind its host: at the end of a launch they would be asked for before they are over."""
    said, lines = run(seconds=2, host=1000, kernel=20000, share="0.5", SIMULATED_CLOCK="1")
    kernels = [line for line in lines if line.get("e") == "kernel"]
    assert said["left"] >= 2 and len(kernels) > 1000 and all(line["t"] is not None for line in kernels), said


ON_ITS_WAY = {"aside": {}, "copies": {"SIMULATED_COPIES": "1"}, "long": {"SIMULATED_ASIDE": "400"},
              "many calls beside": {"SIMULATED_ASIDE": "400", "host": 300, "kernel": 200}}


@pytest.mark.parametrize("by_driver", [0, 1], ids=["runtime", "driver"])
@pytest.mark.parametrize("more", ON_ITS_WAY.values(), ids=ON_ITS_WAY)
def test_cupti_leaves_when_the_records_of_all_that_was_launched_have_come(run, more, by_driver):
    """What runs on a stream that no wait is for is waited for, however long."""
    said, lines = run(by_driver=by_driver, share="0.5", SIMULATED_CLOCK="1", SIMULATED_UNTIL_LEFT="3", **{"SIMULATED_ASIDE": "10", **more})
    assert said["left"] >= 3 and said["faults"] == 0, said
    kind = "copy" if "SIMULATED_COPIES" in more else "kernel"
    # The program ends with one on its way.
    assert sum(line["t"] is None for line in lines if line.get("e") == kind) <= 1
    assert any(line.get("e") == kind and line["s"] == 8 for line in lines)


def test_where_cupti_is_attached_again_nothing_is_lost(run):
    """It would drop a device's second record."""
    _, lines = run(seconds=2, share="0.5", SIMULATED_CLOCK="1")
    assert len([line for line in lines if line.get("window") == "all"]) >= 2 and lines[-1]["lost"] == 0
    assert len([line for line in lines if "device" in line]) == 1
