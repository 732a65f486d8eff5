# SPDX-License-Identifier: BSD-3-Clause
"""parity trace: programs that end in every way leave a trace that can be read."""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess

import pytest

PARITY = pathlib.Path(os.environ["PARITY"])
PROGRAM = PARITY.parent / "tests" / "traced_program"
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_PROC_BIND": "false"}


def lines_of(path):
    """Every line of a trace. A killed program may leave an unfinished last one."""
    text = path.read_bytes().decode()  # UTF-8 whatever the labels are
    whole = text.split("\n")
    return [json.loads(line) for line in whole[:-1]], whole[-1]


@pytest.fixture
def trace(parity, tmp_path):
    """trace(*arguments of the test's program, code=0) -> the lines of its trace."""

    def run(*arguments, code=0, ended=True, **options):
        options.setdefault("env", ENVIRONMENT)
        done = parity("trace", "--output", "t.jsonl", PROGRAM, *arguments, **options)
        assert done.returncode == code, (done.returncode, done.stderr)
        lines, rest = lines_of(tmp_path / "t.jsonl")
        assert lines.pop(0)["traced"] == [str(PROGRAM), *map(str, arguments)] and "parity_trace" in lines[0]
        assert not ended or (rest == "" and lines[-1]["end"] is True and "events in the trace" in done.stderr), rest
        return lines

    return run


def events(lines, word):
    names = {line["n"]: line["name"] for line in lines if "name" in line}
    return [names[line["n"]] for line in lines if line.get("e") == word]


def test_labels_of_a_program_are_in_its_trace_with_their_times(trace):
    lines = trace("return", 40)
    assert events(lines, "for").count("smooth") == 40 and events(lines, "for").count("add") == 40
    assert events(lines, "reduce") == ["sum"] * 40 and events(lines, "region") == ["step"] * 40
    copies = [line for line in lines if line.get("e") == "deep_copy" and line["b"] == 8000]
    assert len(copies) == 4
    # What a step holds lies in it.
    names = {line["n"]: line["name"] for line in lines if "name" in line}
    spans = [(line["t"], line["t"] + line["d"]) for line in lines if line.get("e") == "region"]
    inner = [line for line in lines if line.get("e") in ("for", "reduce") and names[line["n"]] in ("smooth", "add", "sum")]
    assert all(any(begin <= line["t"] and line["t"] + line["d"] <= end for begin, end in spans) for line in inner)
    header, end = lines[0], lines[-1]
    assert header["arguments"][1:] == ["return", "40"] and header["host"] and header["processor"]
    assert header["seconds_an_event"] > 0 and end["events"] == len([1 for line in lines if "e" in line])
    assert end["lost"] == 0 and end["open"] == 0 and end["recording"]["samples"] > 0
    assert end["recording"]["share"] == pytest.approx(end["recording"]["seconds_a_call"] * end["recording"]["calls"] / end["seconds"], rel=0.01)
    assert end["recording"]["calls"] == 2 * end["events"]


def test_a_share_of_the_time(parity, tmp_path):
    """Everything, then launches counted, then nothing, and again: the fence that ends a window is still whole, and regions, too."""
    done = parity("trace", "--output", "t.jsonl", "--share", "0.3", PROGRAM, "return", 300000, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    lines, rest = lines_of(tmp_path / "t.jsonl")
    assert rest == "" and lines[-1]["end"] and lines[-1]["open"] == 0
    windows = [(line["window"], line["t"]) for line in lines if "window" in line]
    words = [word for word, _ in windows]
    assert words[:2] == ["all", "counts"] and {*zip(words, words[1:])} <= {("all", "counts"), ("counts", "none"), ("none", "counts"),
                                                                            ("counts", "all"), ("all", "none")}
    ends = [t for _, t in windows[1:]] + [1e18]
    at = lambda t: next((word for (word, begin), end in zip(windows, ends) if begin <= t < end), "all")  # noqa: E731
    slack = 5_000_000  # ns: what began before a window's end

    def beside(recorded, word):  # at most one a window: what had begun when the program lost its processor for long
        return sum(at(line["t"] - slack) != word and at(line["t"]) != word for line in recorded)

    loops = [line for line in lines if line.get("e") in ("for", "reduce")]
    assert len(loops) > 1000 and beside(loops, "all") <= len(windows)
    tallies = [line for line in lines if line.get("e") == "tally"]
    assert len(tallies) > 100 and beside(tallies, "counts") <= len(windows)
    assert {line["k"] % 32 for line in tallies} == {0}
    regions = [line for line in lines if line.get("e") == "region"]
    assert all(one["t"] + one["d"] <= next_one["t"] for one, next_one in zip(regions, regions[1:])), "each ends before the next"
    # Where the writing thread gets no processor for long, events are lost, and counted.
    assert abs(3 * len(regions) - len(loops)) < 60 + 3 * lines[-1]["lost"]


def test_programs_that_end_otherwise_leave_their_trace(trace):
    assert events(trace("exit", 40, code=7), "reduce") == ["sum"] * 40


@pytest.mark.parametrize("end, number", [("abort", signal.SIGABRT), ("kill", signal.SIGKILL)])
def test_a_killed_program_leaves_whole_lines(trace, end, number):
    lines = trace(end, code=-number, ended=False)
    assert len(events(lines, "reduce")) > 0 and "end" not in lines[-1]


@pytest.mark.parametrize("end, number, where", [("fault", signal.SIGSEGV, "traced_program"), ("sent", signal.SIGBUS, None), ("abort", signal.SIGABRT, None)])
def test_which_signal_ended_a_program_is_said_and_where(parity, tmp_path, end, number, where):
    """By the program's own exit code, on standard error, in the trace and by those who read it."""
    done = parity("trace", "--output", "t.jsonl", PROGRAM, end, env=ENVIRONMENT)
    assert done.returncode == -number
    (said,) = [line for line in done.stderr.splitlines() if line.startswith("parity trace:")]
    (line,) = [line for line in lines_of(tmp_path / "t.jsonl")[0] if "signal" in line]
    assert line["signal"] == number.name and line.get("in") == where and (where is None) == ("at" not in line)
    assert said == (f"parity trace: {number.name} ended the program" + (f", in {where} at {line['at']}" if where else "") +
                    f"; its trace until then is kept: {tmp_path / 't.jsonl'}")
    advice = parity("advise", "t.jsonl", "--format", "json")
    doubts = json.loads(advice.stdout)["programs"][0]["doubts"]
    assert any(d.startswith(f"{number.name} ended the program") for d in doubts), doubts
    done = parity("trace", "--quiet", "--force", "--output", "t.jsonl", PROGRAM, end, env=ENVIRONMENT)
    assert done.returncode == -number and "parity trace" not in done.stderr


def test_a_signal_that_the_program_handles_is_its_own(trace):
    lines = trace("handled", code=5, ended=False)
    assert not any("signal" in line for line in lines)


@pytest.mark.parametrize("end, number, where", [("chained", signal.SIGSEGV, "traced_program"), ("chained_short", signal.SIGILL, None)])
def test_a_program_ends_by_its_signal_whoever_handles_it(trace, end, number, where):
    """A handler that hands on does so once."""
    (line,) = [line for line in trace(end, code=-number, ended=False) if "signal" in line]
    assert line["signal"] == number.name and (where is None or line["in"] == where)


def test_a_child_has_a_file_of_its_own(trace, tmp_path):
    lines = trace("fork", 40)
    assert events(lines, "reduce") == ["sum"] * 40 and "child" not in events(lines, "region")
    (other,) = tmp_path.glob("t.jsonl.*")
    child, rest = lines_of(other)
    assert rest == "" and events(child, "region") == ["child"] and child[-1]["end"] is True
    assert other.name == f"t.jsonl.{child[0]['process']}" and child[0]["parent"] == lines[0]["process"]


def test_a_program_that_becomes_another_goes_on_in_the_same_file(trace):
    lines = trace("exec", 40)
    headers = [k for k, line in enumerate(lines) if "parity_trace" in line]
    assert len(headers) == 2 and lines[0]["process"] == lines[headers[1]]["process"]
    assert events(lines[headers[1]:], "reduce") == ["sum"] * 40


def test_threads_and_their_last_words(trace):
    lines = trace("threads", 500)
    assert events(lines, "region").count("of a thread") == 4000
    assert events(lines, "region").count("end of a thread") == 8
    assert len({line["th"] for line in lines if line.get("e") == "region"}) == 8


def test_exit_handlers_are_recorded(trace):
    assert "after main" in events(trace("late", 40), "region")


def test_labels_become_json(trace):
    (label,) = events(trace("labels"), "region")
    assert label.startswith('quote " backslash \\ newline \n byte \ufffd latin \ufffd snowman \u2603')


def test_what_never_ends_is_counted(trace):
    assert trace("open")[-1]["open"] == 2


def test_a_file_that_cannot_grow_ends_with_a_whole_line(parity, tmp_path):
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    done = parity("trace", "--output", "t.jsonl", PROGRAM, "return", 4000, env=ENVIRONMENT, preexec_fn=limit)
    assert done.returncode == 0, done.stderr  # the program's own
    assert "could not be written to its end" in done.stderr
    assert (tmp_path / "t.jsonl").stat().st_size <= 20000
    lines, rest = lines_of(tmp_path / "t.jsonl")
    written, lost = map(int, re.search(r"(\d+) events in the trace, (\d+) lost", done.stderr).groups())
    assert rest == "" and written == len([1 for line in lines if "e" in line])
    parity("trace", "--output", "whole.jsonl", PROGRAM, "return", 4000, env=ENVIRONMENT)
    assert lost > 0 and written + lost == lines_of(tmp_path / "whole.jsonl")[0][-1]["events"]


def test_code_signals_output_and_ranks_are_the_programs(parity):
    assert parity("trace", "sh", "-c", "echo --help; exit 5").returncode == 5
    done = parity("trace", "--force", "sh", "-c", "kill -TERM $$")
    assert done.returncode == -signal.SIGTERM and done.stderr == ""
    assert parity("trace", "--force", "echo", "--help", "--device", "7", "--", "x").stdout == "--help --device 7 -- x\n"
    signals = ("grep", "-h", "Sig[BI]", "/proc/self/status")
    assert parity("trace", "--force", *signals).stdout == subprocess.run(signals, text=True, capture_output=True).stdout
    # Not one of the ranks, which only its program may join.
    ranks = {**ENVIRONMENT, "OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}
    assert parity("trace", "--force", "true", env=ranks).returncode == 0


def test_what_it_cannot_do_is_said(refused, parity, tmp_path):
    refused("trace", says="no program to trace")
    refused("trace", "--outptu", "x", "true", says="--outptu is no option")
    refused("trace", "no-such-program", says="no-such-program cannot be started")
    refused("--device", "0", "trace", "true", says="give them to the program")
    refused("trace", "--output", "no/such/folder.jsonl", "true", says="cannot be written")
    assert not list(tmp_path.iterdir())
    (tmp_path / "there").write_text("mine\n")
    refused("trace", "--output", "there", "true", says="--force to replace it")
    refused("trace", "--force", "--output", "there", "no-such-program", says="cannot be started")
    assert (tmp_path / "there").read_text() == "mine\n"
    refused("trace", "--force", "--output", "/dev/null", "true", says="it is no file")
    done = parity("trace", "true", env={**ENVIRONMENT, "KOKKOS_TOOLS_LIBS": "/other/tool.so"})
    assert done.returncode == 2 and "KOKKOS_TOOLS_LIBS names another tool" in done.stderr


def test_a_name_with_the_process(parity, tmp_path):
    assert parity("trace", "--output", "t.%p.jsonl", "--quiet", PROGRAM, "return", env=ENVIRONMENT).returncode == 0
    (path,) = tmp_path.glob("t.*.jsonl")
    assert lines_of(path)[0][1]["process"] == int(path.name.split(".")[1])


def test_the_library_is_found_where_it_is_installed(tmp_path):
    for folder in ("bin", "lib"):
        (tmp_path / folder).mkdir()
    shutil.copy(PARITY, tmp_path / "bin")
    command = [tmp_path / "bin" / "parity", "trace", "--output", tmp_path / "t.jsonl", PROGRAM, "return"]
    done = subprocess.run(command, text=True, capture_output=True, env=ENVIRONMENT)
    assert done.returncode == 3 and "libparity_trace.so is neither in" in done.stderr
    shutil.copy(PARITY.parent / "libparity_trace.so", tmp_path / "lib")
    assert subprocess.run(command, capture_output=True, env=ENVIRONMENT).returncode == 0
    assert lines_of(tmp_path / "t.jsonl")[0][-1]["end"] is True


def test_a_program_that_records_nothing(parity, refused, tmp_path):
    assert parity("trace", "--output", "t.jsonl", "true").returncode == 0
    refused("advise", "t.jsonl", says="used neither Kokkos nor")


def test_parity_itself(parity, tmp_path):
    done = parity("trace", "--output", "t.jsonl", PARITY, "diffusion", "--nx", "16", "--ny", "16", "--nz", "16", "--steps", "8",
                  "--variants", "kokkos-baseline", "--repeats", "3", "--starts", "1", env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    lines, rest = lines_of(tmp_path / "t.jsonl")
    assert rest == "" and len([1 for line in lines if "parity_trace" in line]) == 1
    assert any("parity::diffusion::" in line.get("name", "") for line in lines)


CUDA_PROGRAM = """
#include <cuda_runtime.h>
__global__ void halve(float* x) { x[threadIdx.x] *= 0.5f; }
__global__ void twice(float* x) { x[threadIdx.x] *= 2.0f; }
int main() {
  float* x = nullptr;
  if (cudaMalloc(&x, 256 * sizeof(float)) != cudaSuccess) return 9;
  for (int k = 0; k < 500; ++k) {
    halve<<<1, 256>>>(x);
    twice<<<1, 256>>>(x);
    cudaDeviceSynchronize();
  }
  return 0;
}
"""


def test_kernels_of_a_cuda_program(parity, tmp_path):
    """Each launch is there with its kernel and its time on the device, and the step of both is found."""
    nvcc, version = shutil.which("nvcc"), parity("--version").stdout
    if not nvcc or "gpu     none" in parity("list").stdout or not re.search(r"CUPTI \d", version):
        pytest.skip("needs a GPU, nvcc, and a build with CUDA and CUPTI")
    (tmp_path / "p.cu").write_text(CUDA_PROGRAM)
    subprocess.run([nvcc, "p.cu", "-o", "p"], cwd=tmp_path, check=True)
    done = parity("trace", "--share", "1", "--output", "t.jsonl", "./p")
    assert done.returncode == 0, done.stderr
    lines, rest = lines_of(tmp_path / "t.jsonl")
    assert rest == "" and lines[-1]["end"] and lines[-1]["lost"] == 0
    kernels = events(lines, "kernel")
    assert len(kernels) == 1000 and sum("halve" in name for name in kernels) == sum("twice" in name for name in kernels) == 500
    launched = {line["c"] for line in lines if line.get("e") == "launch"}
    assert all(line["c"] in launched and line["d"] > 0 for line in lines if line.get("e") == "kernel")
    (program,) = json.loads(parity("advise", "t.jsonl", "--format", "json").stdout)["programs"]
    assert program["devices"] and [op["kind"] for op in program["steps"][0]["operations"]].count("launch") == 2
