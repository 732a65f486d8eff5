# SPDX-License-Identifier: BSD-3-Clause
"""parity trace: programs leave a readable trace, however they end."""
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
PROGRAM = pathlib.Path(__file__).with_name("traced_program.py")
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_PROC_BIND": "false"}


def read(path):
    """The header, the events and the end (if any) of a trace: a killed program's trace stops anywhere."""
    text = path.read_bytes().decode()  # UTF-8 for all labels
    head, *lines = text.split("\n")
    events = [json.loads(line.rstrip(",")) for line in lines[:-1] if line != "]}"]
    ended = text.endswith("\n]}\n") and json.loads(text)["traceEvents"] == events
    return json.loads(head + "]}"), events, events[-1]["args"] if ended and events[-1]["name"] == "end" else None


@pytest.fixture
def trace(parity, tmp_path):
    """trace(*arguments of the test's program, code=0) -> the events of its trace."""

    def run(*arguments, code=0, ended=True, options=()):
        done = parity("trace", "--output", "t.json", *options, PROGRAM, *arguments, env=ENVIRONMENT)
        assert done.returncode == code, (done.returncode, done.stderr)
        head, events, end = read(tmp_path / "t.json")
        assert len(head["arguments"]) == 1 and head["host"] and head["processor"]
        assert bool(end) == ended and (not ended or f"parity trace: {end['events']} events" in done.stderr and end["events"] == len(events) - 1)
        return events

    return run


def names(events, kind):
    return [e["name"] for e in events if e.get("cat") == "kokkos_" + kind]


def test_labels_of_a_program_are_in_its_trace_with_their_times(trace):
    events = trace("return", 40)
    assert names(events, "for").count("smooth") == 40 and names(events, "for").count("add") == 40
    assert names(events, "reduce") == ["sum"] * 40 and names(events, "region") == ["step"] * 40
    assert len([e for e in events if e.get("cat") == "kokkos_deep_copy" and e["args"]["bytes"] == 8000]) == 4
    # Everything in a step lies within its region.
    spans = [(e["ts"], e["ts"] + e["dur"]) for e in events if e.get("cat") == "kokkos_region"]
    inner = [e for e in events if e["name"] in ("smooth", "add", "sum")]
    assert all(any(begin <= e["ts"] and e["ts"] + e["dur"] <= end for begin, end in spans) for e in inner)
    assert events[-1]["args"]["lost"] == 0 and events[-1]["args"]["open"] == 0


def test_a_stretch_is_recorded_and_the_rest_counted(trace):
    """20000 loops or slightly more, in whole steps; then counts that only grow, at intervals."""
    events = trace("return", 400000)
    loops = len(names(events, "for")) + len(names(events, "reduce"))
    counts = [(e["ts"], e["args"]["count"]) for e in events if e["ph"] == "C"]
    assert 20000 <= loops < 400000 and len(counts) > 3 and counts == sorted(counts)
    assert loops <= counts[0][1] and counts[-1][1] <= 1200000 and events[-1]["args"]["open"] == 0
    assert all(later - earlier > 40000 for (earlier, _), (later, _) in zip(counts, counts[1:]))  # us


def test_a_stretch_that_the_user_chooses(trace):
    events = trace("return", 400000, options=("--after", 0.05, "--for", 0.05))
    times = [e["ts"] for e in events if e.get("cat") == "kokkos_for"]
    assert min(times) > 50_000 and any(e["ph"] == "C" for e in events)


@pytest.mark.parametrize("end", ["ABRT", "KILL", "SEGV", "BUS", "TERM", "chained"])
def test_a_program_ends_by_its_signal_and_leaves_its_trace(trace, parity, end):
    """This holds even if the program handles the signal. Only SIGKILL leaves no record of itself."""
    number = signal.SIGILL if end == "chained" else signal.Signals["SIG" + end]
    events = trace(end, code=-number, ended=False)
    assert len(names(events, "reduce")) > 0
    assert [e["args"]["signal"] for e in events if e["name"] == "signal"] == ([] if end == "KILL" else [number])
    if end != "KILL":
        doubts = json.loads(parity("advise", "t.json", "--format", "json").stdout)["programs"][0]["doubts"]
        assert any(d.startswith("a signal ended the program: ") for d in doubts), doubts


def test_programs_that_end_otherwise_leave_their_trace(trace):
    assert names(trace("exit", 40, code=7), "reduce") == ["sum"] * 40
    assert "after main" in names(trace("late", 40, options=("--force",)), "region")
    assert not any(e["name"] == "signal" for e in trace("handled", code=5, ended=False, options=("--force",)))  # the program handles it itself
    assert trace("open", options=("--force",))[-1]["args"]["open"] == 2


@pytest.mark.parametrize("how, whose", [("fork", "parent"), ("exec", "process")])
def test_a_child_has_a_file_of_its_own(trace, tmp_path, how, whose):
    """The same for a program that execs another one."""
    events = trace(how, 40, ended=how == "fork")
    (other,) = tmp_path.glob("t.json.*")
    head, child, end = read(other)
    assert end and names(events if how == "fork" else child, "reduce") == ["sum"] * 40 and head[whose] == read(tmp_path / "t.json")[0]["process"]
    assert names(child, "region") == (["child"] if how == "fork" else ["step"] * 40) and other.name == f"t.json.{head['process']}"


def test_a_wrapper_leads_to_its_children(parity, tmp_path):
    ranks = {**ENVIRONMENT, "OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4"}  # parity itself is not a rank
    assert parity("trace", "--output", "t.json", "sh", "-c", f"{PROGRAM} return; echo after", env=ranks).stdout == "done\nafter\n"
    done = parity("advise", "t.json", "--format", "json")
    (program,) = json.loads(done.stdout)["programs"]
    assert program["program"].startswith("python") and program["steps"] and read(*tmp_path.glob("t.json.*"))[0]["rank"] == "3"


def test_threads_and_their_last_words(trace):
    events = trace("threads", 500)
    assert names(events, "region").count("of a thread") == 4000 and names(events, "region").count("end of a thread") == 8
    assert len({e["tid"] for e in events if e.get("cat") == "kokkos_region"}) == 8


def test_labels_become_json(trace):
    (label,) = names(trace("labels"), "region")
    assert label.startswith('quote " backslash \\ newline \n byte \ufffd latin \ufffd snowman \u2603')


def test_a_file_that_cannot_grow_ends_with_a_whole_line(parity, tmp_path):
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    done = parity("trace", "--output", "t.json", PROGRAM, "return", 4000, env=ENVIRONMENT, preexec_fn=limit)
    assert done.returncode == 0, done.stderr  # the program's exit code
    assert "could not be written to its end" in done.stderr
    assert (tmp_path / "t.json").stat().st_size <= 20000 and (tmp_path / "t.json").read_bytes().endswith(b"\n")
    _, events, _ = read(tmp_path / "t.json")
    written, lost = map(int, re.search(r"(\d+) events in .*, (\d+) lost", done.stderr).groups())
    assert written == len(events) and lost > 10000 and parity("advise", "t.json").returncode == 0


def test_code_signals_output_and_ranks_are_the_programs(parity):
    assert parity("trace", "sh", "-c", "echo --help; exit 5").returncode == 5
    done = parity("trace", "--force", "sh", "-c", "kill -TERM $$")
    assert done.returncode == -signal.SIGTERM and done.stderr == ""
    assert parity("trace", "--force", "echo", "--help", "--device", "7", "--", "x").stdout == "--help --device 7 -- x\n"
    assert parity("trace", "--force", "--output", "t.json", "--", "echo", "--", "x").stdout == "-- x\n"
    signals = ("grep", "-h", "Sig[BI]", "/proc/self/status")
    assert parity("trace", "--force", *signals).stdout == subprocess.run(signals, text=True, capture_output=True).stdout


def test_what_it_cannot_do_is_said(refused, parity, tmp_path):
    refused("trace", says="no program to trace")
    refused("trace", "--outptu", "x", "true", says="--outptu is no option")
    refused("trace", "no-such-program", says="no-such-program cannot be started")
    refused("--device", "0", "trace", "true", says="give them to the program")
    refused("trace", "--output", "no/such/folder.json", "true", says="cannot be written")
    assert not list(tmp_path.iterdir())
    (tmp_path / "there").write_text("mine\n")
    refused("trace", "--output", "there", "true", says="--force to replace it")
    os.symlink("elsewhere", tmp_path / "link")
    refused("trace", "--output", "link", "true", says="--force to replace it")
    refused("trace", "--force", "--output", "there", "no-such-program", says="cannot be started")
    assert (tmp_path / "there").read_text() == "mine\n"
    refused("trace", "--force", "--output", "/dev/null", "true", says="it is no file")
    done = parity("trace", "true", env={**ENVIRONMENT, "KOKKOS_TOOLS_LIBS": "/other/tool.so"})
    assert done.returncode == 2 and "KOKKOS_TOOLS_LIBS names another tool" in done.stderr


def test_a_name_with_the_process(parity, tmp_path):
    assert parity("trace", "--output", "t.%p.json", "--quiet", PROGRAM, "return", env=ENVIRONMENT).stderr == ""
    (path,) = tmp_path.glob("t.*.json")
    assert read(path)[0]["process"] == int(path.name.split(".")[1])


def test_the_library_is_found_where_it_is_installed(tmp_path):
    for folder in ("bin", "lib"):
        (tmp_path / folder).mkdir()
    shutil.copy(PARITY, tmp_path / "bin")
    command = [tmp_path / "bin" / "parity", "trace", "--output", tmp_path / "t.json", PROGRAM, "return"]
    done = subprocess.run(command, text=True, capture_output=True, env=ENVIRONMENT)
    assert done.returncode == 3 and "libparity_trace.so is neither in" in done.stderr
    shutil.copy(PARITY.parent / "libparity_trace.so", tmp_path / "lib")
    assert subprocess.run(command, capture_output=True, env=ENVIRONMENT).returncode == 0
    assert read(tmp_path / "t.json")[2]


def test_a_program_that_records_nothing(parity, refused, tmp_path):
    assert parity("trace", "--output", "t.json", "true").returncode == 0
    refused("advise", "t.json", says="used neither Kokkos nor")


@pytest.mark.parametrize("holds, old", [(b"KOKKOS_PROFILE_LIBRARY", True), (b"KOKKOS_PROFILE_LIBRARY 'KOKKOS_TOOLS_LIBS=", False), (b"libkokkoscore.so.3.4\0", True),
                                        (b"libkokkoscore.so.3.7\0", False), (b"libkokkoscore.so.4.6\0", False), (b"", False), (1048560 * b"x" + b"KOKKOS_PROFILE_LIBRARY", True)])
def test_only_a_kokkos_before_3_7_gets_the_variable_that_newer_ones_warn_of(parity, tmp_path, holds, old):
    """For the program alone and behind a launcher; its file contains 'holds', like the names that a Kokkos reads."""
    (tmp_path / "program").write_bytes(b"#!/bin/sh\nenv; exit\n" + holds)
    (tmp_path / "program").chmod(0o755)
    environment = {k: v for k, v in ENVIRONMENT.items() if not k.startswith("KOKKOS_")}
    for launcher in ([], ["env"]):
        said = parity("trace", "--force", "--quiet", *launcher, "./program", env=environment).stdout
        assert ("KOKKOS_PROFILE_LIBRARY=/" in said) == old and "KOKKOS_TOOLS_LIBS=/" in said
