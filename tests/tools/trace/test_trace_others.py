# SPDX-License-Identifier: BSD-3-Clause
"""Traces from other users, private data in a trace, and folders that others may write to."""
import json
import os
import pathlib
import shutil
import sqlite3
import sys

import pytest

PROGRAM = pathlib.Path(__file__).with_name("traced_program.py")


def test_a_trace_goes_to_the_file_that_was_made(parity, tmp_path):
    """A file that takes its name meanwhile is not written to, nor is a file that exists under a child's name."""
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "swap.sh").write_text(f"#!/bin/sh\nrm t.json; ln -s victim t.json; ln victim t.json.$$; exec {sys.executable} {PROGRAM} return 40\n")
    done = parity("trace", "--output", "t.json", "sh", "swap.sh", env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0 and (tmp_path / "victim").read_text() == "mine"
    (trace,) = [p for p in tmp_path.glob("t.json.*") if p.stat().st_ino != os.stat(tmp_path / "victim").st_ino]
    assert "smooth" in trace.read_text()


def test_a_trace_ends_where_its_name_is_taken_while_it_is_written(parity, tmp_path):
    (tmp_path / "victim").write_text("")
    code = f"import os,sys\nsys.argv=['x','return','40']\nexec(open({str(PROGRAM)!r}).read())\n" \
           "import time; time.sleep(0.3); os.rename('t.json','old'); os.link('victim','t.json'); steps(40); time.sleep(0.3)\n"
    done = parity("trace", "--output", "t.json", sys.executable, "-c", code)
    assert done.returncode == 0 and (tmp_path / "victim").read_text() == "" and "could not be written to its end" in done.stderr


@pytest.mark.parametrize("how", ["closed", "own file"])
def test_the_last_line_goes_to_standard_error_alone(parity, tmp_path, how):
    """The program may have closed it, and its own file may have got the descriptor."""
    code = f"import os,sys\nos.close(2)\n{'' if how == 'closed' else 'os.open(chr(100), os.O_CREAT | os.O_RDWR)'}\n" \
           f"sys.argv=['x','return','40']\nexec(open({str(PROGRAM)!r}).read())\n"
    done = parity("trace", "--output", "t.json", sys.executable, "-c", code)
    assert done.returncode == 0 and done.stderr == "" and (how == "closed" or (tmp_path / "d").read_bytes() == b"")


def test_a_program_that_leaves_at_once_is_said(parity, tmp_path):
    code = f"import os,sys\nsys.argv=['x','return','0']\nexec(open({str(PROGRAM)!r}).read())\nsteps(40)\nos._exit(0)\n"
    assert parity("trace", "--output", "t.json", sys.executable, "-c", code).returncode == 0
    done = parity("advise", "t.json")
    # The machine determines whether the first events are there.
    assert done.returncode in (0, 2) and "left by _exit" in done.stdout + done.stderr, done.stdout + done.stderr


def test_a_trace_and_its_advice_hold_the_programs_name_alone(parity, tmp_path):
    words = [sys.executable, PROGRAM, "return", "40", "--token=secret"]
    for options, shown in (([], False), (["--command-line"], True)):
        assert parity("trace", "--force", *options, "--output", "t.json", *words[:-1], env={**os.environ, "OMP_NUM_THREADS": "1"}).returncode == 0
        head = json.loads((tmp_path / "t.json").read_text().split("\n")[0] + "]}")
        assert head["arguments"] == ([str(w) for w in words[:-1]] if shown else [os.path.basename(sys.executable)])
    # Older traces contain the whole command line.
    advised = parity("advise", "t.json").stdout
    assert str(PROGRAM) not in advised and os.path.basename(sys.executable) in advised
    shown = json.loads(parity("advise", "t.json", "--command-line", "--format", "json").stdout)  # the table truncates long lines
    assert shown["programs"][0]["program"].endswith(f"{PROGRAM} return 40")


def test_names_in_a_trace_control_no_terminal(parity, tmp_path):
    """Names of the program, its device, its rank and its kernels."""
    evil = "\x1b]0;owned\x07\x9b31m"
    events = [{"ph": "X", "cat": "kokkos_for", "name": "loop" + evil, "ts": 10.0 * k, "dur": 5, "tid": 1, "args": {}} for k in range(60)]
    head = {"parity_trace": 2, "arguments": ["prog" + evil], "processor": "cpu" + evil, "host": "h" + evil, "rank": "1" + evil, "process": 1}
    for number in (1, 2):
        (tmp_path / f"t{number}.json").write_text(json.dumps({**head, "traceEvents": events}))
    done = parity("advise", ".")
    assert done.returncode == 0 and "prog\\x1b]0;owned" in done.stdout
    assert all(c.isprintable() or c == "\n" for c in done.stdout + done.stderr)


@pytest.mark.parametrize("text", ['{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1,"tid":%s}]}', '{"parity_trace":2,"arguments":%s,"traceEvents":[]}',
                                  '[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1,"args":{"device":%s}}]'])
def test_deep_traces_are_no_crash(parity, tmp_path, text):
    deep = "[" * 300_000 + "]" * 300_000
    (tmp_path / "t.json").write_text(text % deep)
    assert parity("advise", "t.json").returncode in (0, 2)


def test_numbers_in_a_trace_of_any_size_are_no_crash(parity, tmp_path):
    numbers = ["1e308", "-1e308", "1e19", "-1", '"nan"', '"inf"', "99999999999999999999999"]
    for n in numbers:
        event = f'{{"ph":"X","cat":"kernel","name":"k","ts":{n},"dur":{n},"tid":{n},"args":{{"device":{n},"stream":{n},"bytes":{n},"correlation":{n}}}}}'
        count = f'{{"ph":"C","name":"count","ts":{n},"args":{{"count":{n}}}}}'
        (tmp_path / "t.json").write_text(f'{{"parity_trace":2,"process":{n},"traceEvents":[{",".join([event, count] * 9)}]}}')
        assert parity("advise", "t.json").returncode in (0, 2)


@pytest.fixture
def nsys(tmp_path):
    """The tables of an Nsight Systems export that Parity reads, without rows."""
    file = sqlite3.connect(tmp_path / "e.sqlite")
    file.executescript("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                       "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT);")
    return file


ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS start, x AS end, x AS globalTid, 1 AS correlationId, 1 AS nameId, 1 AS id, " \
          "'cudaLaunchKernel' AS value, 'n' AS name, 1 AS globalPid, 1 AS demangledName, 1 AS deviceId, 1 AS streamId FROM c"


@pytest.mark.parametrize("name", ["CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_KERNEL", "TARGET_INFO_GPU", "StringIds", "stringids"])
def test_an_export_has_tables_and_no_views(refused, nsys, name):
    nsys.executescript(f"DROP TABLE IF EXISTS {name}; CREATE VIEW {name} AS {ENDLESS};")
    nsys.close()
    refused("advise", "e.sqlite", says="is no table")


@pytest.mark.parametrize("table, columns, says", [
    ("KERNEL", "", None), ("CONCURRENT_KERNEL", "", None), ("KERNEL_V2", "", None), ("CONCURRENT_KERNEL_V9", "", None),
    ("KERNEL_V3", "mangledName INT", "no such column: demangledName"), ("KERNEL", "demangledName INT", None), ("KERNEL_NEXT", "", "unknown"), ("DEVICE_GRAPH", "", "unknown"),
    ("SYNCHRONIZATION", "", None)])
def test_tables_of_any_version_are_read_or_named(parity, nsys, table, columns, says):
    columns = columns or "demangledName INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT"
    nsys.execute("INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel'), (2, 'smooth')")
    nsys.execute(f"CREATE TABLE CUPTI_ACTIVITY_KIND_{table} (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT, {columns})")
    for k in range(40):
        nsys.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({9000 * k}, {9000 * k + 3000}, {77 << 24}, {k + 1}, 1)")
        nsys.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_{table} (start, end, deviceId, streamId, correlationId, globalPid, {columns.split()[0]}) "
                     f"VALUES ({9000 * k + 4000}, {9000 * k + 8000}, 0, 7, {k + 1}, {77 << 24}, 2)")
    nsys.commit()
    nsys.close()
    done = parity("advise", "e.sqlite")
    text = " ".join(done.stdout.split())
    assert done.returncode == 0 and ("smooth" in text) == (says is None and table != "SYNCHRONIZATION"), done.stdout + done.stderr
    assert "is not read" not in text if says is None else f"a table is not read ({says}): CUPTI_ACTIVITY_KIND_{table}" in text, done.stdout


def test_a_kernels_gpu_is_the_one_that_the_process_called_by_its_number(parity, nsys):
    """CUDA_VISIBLE_DEVICES=1 makes GPU 1 of the machine device 0 of the process."""
    nsys.executescript("CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT); INSERT INTO TARGET_INFO_GPU VALUES (0, 'GPU of others'), (1, 'GPU of its own');"
                       "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INT, cudaId INT, pid INT); INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 76), (1, 0, 77);"
                       "INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel'), (2, 'smooth');"
                       "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT, demangledName INT)")
    for k in range(40):
        nsys.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({9000 * k}, {9000 * k + 3000}, {77 << 24}, {k + 1}, 1)")
        nsys.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({9000 * k + 4000}, {9000 * k + 8000}, 0, 7, {k + 1}, {77 << 24}, 2)")
    nsys.commit()
    nsys.close()
    done = parity("advise", "e.sqlite")
    assert done.returncode == 0 and "GPU of its own" in done.stdout and "GPU of others" not in done.stdout, done.stdout + done.stderr


def test_an_export_has_no_huge_texts_and_stays_alone(parity, refused, nsys, tmp_path):
    nsys.execute("INSERT INTO StringIds VALUES (1, CAST(zeroblob(100000000) AS TEXT))")
    nsys.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 3, 4, 1)")
    nsys.execute("PRAGMA user_version = 1")
    nsys.commit()
    nsys.execute("PRAGMA journal_mode = WAL").fetchall()
    nsys.close()
    (tmp_path / "read").mkdir()
    shutil.copy(tmp_path / "e.sqlite", tmp_path / "read" / "e #%3f?.sqlite")
    refused("advise", "read/e #%3f?.sqlite", says="too big")
    assert os.listdir(tmp_path / "read") == ["e #%3f?.sqlite"]
