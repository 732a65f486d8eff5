# SPDX-License-Identifier: BSD-3-Clause
"""parity advise on traces with known answers: of a simulated GPU, and of a Kokkos program on the host."""
import dataclasses
import json
import math
import pathlib
import random
import sqlite3
import subprocess

import pytest
import trace_simulator as sim
from conftest import PARITY
from trace_simulator import US, Machine, Op

PROGRAM = pathlib.Path(__file__).with_name("traced_program.py")
MACHINE = Machine()


class Advice:
    """advise(trace) -> the steps of its one program; 'text' is the same output for people."""

    def __init__(self, parity):
        self.parity, self.words = parity, []

    def __call__(self, path, words=()):
        self.words = ["advise", path, *words]
        done = self.parity(*self.words, "--format", "json")
        assert done.returncode == 0, done.stderr
        (self.program,) = json.loads(done.stdout)["programs"]
        assert [w for s in self.program["steps"] for w in s["ways"] if not w["step"]["low"] <= w["step"]["value"] <= w["step"]["high"]] == []
        return self.program["steps"]

    @property
    def text(self):
        return self.parity(*self.words).stdout


@pytest.fixture
def advise(parity):
    return Advice(parity)


def way(step, name):
    (found,) = [w for w in step["ways"] if w["name"] == name]
    return found


def holds(interval, truth):
    slack = 1e-3 * abs(truth) + 2e-9  # times in a trace are whole nanoseconds
    return interval["low"] - slack <= truth <= (math.inf if interval["high"] is None else interval["high"]) + slack


def step_of(length, seed, least=1.0, most=4.0, host=0.1, wait=False, copies=0):
    """A step whose first kernel occurs once, so that no shorter sequence repeats."""
    chance = random.Random(seed)
    ops = [Op("launch", "first" if k == 0 else f"kernel {chance.randrange(4)}", chance.uniform(least, most) * US, host * US) for k in range(length)]
    for _ in range(copies):
        ops.insert(chance.randrange(1, len(ops) + 1), Op("copy", "", 1.5 * US, host * US))
    return ops + ([Op("wait", host=host * US)] if wait else [])


@pytest.mark.parametrize("lengths", [range(1, 11), range(11, 21), range(21, 31), range(31, 41)], ids=lambda r: f"{r[0]}-{r[-1]}")
def test_steps_of_any_length_are_found(advise, tmp_path, lengths):
    """After a warm-up, with random launches and an occasional copy in between; some of the kernels' records are missing."""
    for length in lengths:
        step = step_of(length, seed=length)
        run = sim.traced(MACHINE, step, 120, warm_up=37, noise=0.004, every=25, interleaved=Op("copy", "", 5 * US))
        chance = random.Random(length)
        path = sim.write_trace(tmp_path / "t.json", run, drop=lambda e: e[0] == "kernel" and chance.random() < 0.004)
        found = advise(path)[0]
        assert len(found["operations"]) == length, length
        names = [op["name"] for op in found["operations"]]
        assert sorted(names) == sorted(op.name for op in step) and 80 * 0.6 < found["repetitions"] <= 122  # a random launch in between may look like a repetition
        first = names.index("first")
        assert names[first:] + names[:first] == [op.name for op in step]


def test_two_loops_are_two_sequences_and_what_never_repeats_is_none(advise, tmp_path):
    run = sim.traced(MACHINE, step_of(5, seed=1), 100).all((Op("launch", name, 2 * US) for name in ("other", "another", "third")), 100)
    assert sorted(len(s["operations"]) for s in advise(sim.write_trace(tmp_path / "t.json", run))) == [3, 5]
    run = sim.Run(MACHINE).all(Op("launch", f"kernel {k}", US) for k in range(200))
    assert advise(sim.write_trace(tmp_path / "t.json", run)) == [] and "nothing to advise on" in advise.text


def test_the_parts_of_a_step(advise, tmp_path):
    step = [Op("launch", "a", 10 * US, US), Op("launch", "b", 20 * US, US), Op("copy", "", 4 * US, US), Op("wait", host=US)]
    (found,) = advise(sim.write_trace(tmp_path / "t.json", sim.traced(MACHINE, step, 50)))
    truth = sim.seconds_a_step(MACHINE, step)
    assert found["wall"]["value"] == pytest.approx(truth, rel=1e-3)
    assert found["computing"]["value"] == pytest.approx(30 * US, rel=1e-3) and found["copying"]["value"] == pytest.approx(4 * US, rel=1e-3)
    assert found["launching"]["value"] == pytest.approx(2 * MACHINE.call, rel=2e-3)
    assert found["copying_calls"]["value"] == pytest.approx(MACHINE.copy_call, rel=2e-3)
    host = 4 * US + 2 * MACHINE.call + MACHINE.copy_call
    assert found["waiting"]["value"] == pytest.approx(truth - host, rel=2e-3)
    assert [op["kind"] for op in found["operations"]] == ["launch", "launch", "copy_call", "wait"]


CASES = {"nothing helps": dict(length=1, least=300, most=400), "short kernels": dict(length=12, least=0.95, most=1.5), "long kernels": dict(length=6, least=15, most=40),
         "one kernel": dict(length=1, least=1, most=3), "many": dict(length=40, least=0.95, most=3), "waits": dict(length=8, wait=True),
         "waits, long": dict(length=3, least=10, most=30, wait=True), "copies": dict(length=10, copies=2),
         "copies and waits": dict(length=10, copies=2, wait=True), "a busy host": dict(length=8, host=3.0)}
MACHINES = [MACHINE, Machine("Other 2", call=4 * US, gap=1.5 * US, null=1.4 * US, node_gap=0.3 * US, graph_base=2 * US, wake=4 * US),
            Machine("Third 3", call=1.2 * US, gap=0.2 * US, null=0.7 * US, node_gap=0.05 * US, graph_call=5 * US)]


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
@pytest.mark.parametrize("case", CASES)
def test_predictions_hold_what_really_happens(advise, tmp_path, machine, case):
    """For each way, the predicted interval of the step contains the truth, and advice for or against it is right."""
    step = step_of(seed=3, **{**CASES[case], "least": max(CASES[case].get("least", 1.0), 1e6 * machine.null)})
    (found,) = advise(sim.write_trace(tmp_path / "t.json", sim.traced(machine, step, 80)))
    now = sim.seconds_a_step(machine, step)
    assert found["refused"] is None and holds(found["without_recording"], now)
    assert case != "nothing helps" or {w["worth"] for w in found["ways"]} == {"no"} and advise.text.startswith("Leave the launches as they are")
    for predicted in found["ways"]:
        if predicted["name"] == "fused on chip":  # it takes at most as long as the longest
            continue
        truth = sim.seconds_a_step(machine, step, predicted["name"])
        assert holds(predicted["step"], truth), (predicted["name"], truth, predicted)
        assert predicted["worth"] != "yes" or now - truth > 0.04 * now, predicted
        assert predicted["worth"] != "no" or now - truth < 0.06 * now, predicted
    assert "\nby model " in advise.text


def test_without_times_nothing_is_predicted(advise, tmp_path):
    run = sim.traced(MACHINE, step_of(4, seed=1), 60)
    chance = random.Random(1)
    path = sim.write_trace(tmp_path / "t.json", run, untimed=lambda e: e[0] == "kernel" and chance.random() < 0.2)
    (found,) = advise(path)
    assert "have no times in the trace" in found["refused"] and found["ways"] == [] and found["missing"] > 20
    assert advise.text.startswith("Nothing is predicted: ")
    path = sim.write_trace(tmp_path / "t.json", run, drop=lambda e: e[0] == "kernel")
    assert "have no times in the trace" in advise(path)[0]["refused"]
    path.write_text(sim.write_trace(path, run).read_text().replace('"device": 0', '"device": 1', 50))
    assert "several GPUs" in advise(path)[0]["refused"]


def test_a_killed_programs_trace_is_read(advise, tmp_path):
    path = sim.write_trace(tmp_path / "t.json", sim.traced(MACHINE, step_of(4, seed=1), 60), truncated=True)
    path.write_text(path.read_text()[:-20])
    assert len(advise(path)) == 1 and advise.program["ended"] is False and "was killed" in advise.text


def test_what_is_no_trace_is_refused(refused, tmp_path):
    for name, text, says in (("empty", "", "holds no event"), ("records", '{"type": "environment"}\n', "this is no trace"), ("words", "no trace\n", "no JSON"),
                             ("older", '{"parity_trace": 1}\n{"e": "for", "n": 5}\n', "no JSON"), ("packed", "\x1f\x8b", "gunzip it first"),
                             ("newer", '{"parity_trace": 3, "traceEvents": []}', "another version"),
                             ("base", "SQLite format 3\0" + 99 * "x", "no export of Nsight Systems that can be read")):
        (tmp_path / name).write_bytes(text.encode("latin-1"))
        refused("advise", name, says=says)
    refused("advise", "missing", says="missing: cannot be read")
    (tmp_path / "folder").mkdir()
    refused("advise", "folder", says="folder: holds no trace")
    sim.write_trace(tmp_path / "t", sim.traced(MACHINE, step_of(4, seed=1), 60))
    refused("advise", "t", "--format", "xml", says="--format is 'xml': give text or json")
    refused("advise", "t", "--step-time", "0", says="--step-time")


def test_what_cannot_be_tried_is_refused_in_one_line(parity, refused, tmp_path):
    """Hostile traces, and one without any times; then the missing requirements here, unless there is a GPU."""
    run = sim.traced(MACHINE, step_of(4, seed=1), 60)

    def changed(name, change):
        path = sim.write_trace(tmp_path / name, run)
        trace = json.loads(path.read_text())
        kernels = [e for e in trace["traceEvents"] if e.get("cat") == "kernel"]
        change(kernels)
        path.write_text(json.dumps(trace))

    changed("backwards", lambda kernels: [e.update(dur=-1) for e in kernels])
    changed("devices", lambda kernels: [e["args"].update(device=1) for e in kernels[::2]])
    changed("long", lambda kernels: [e.update(ts=e["ts"] * 1e6, dur=1e4) for e in kernels])
    sim.write_trace(tmp_path / "none", sim.Run(MACHINE).all(Op("launch", f"kernel {k}", US) for k in range(200)))
    for name, says in (("backwards", "have no times in the trace"), ("devices", "several GPUs"), ("long", "0.05 s is the most"),
                       ("none", "no sequence of launches, copies and waits repeats: nothing can be tried")):
        refused("advise", "--try", name, says=says)
    refused("advise", "--try", "none", "none", says="--try, --apart")
    # A kernel of an hour and a cut end do not change the step.
    changed("hour", lambda kernels: kernels[40].update(dur=3.6e9))
    path = sim.write_trace(tmp_path / "cut", run, truncated=True)
    path.write_text(path.read_text()[:-20])
    for name in ("hour", "cut"):
        done = parity("advise", "--try", name)
        assert (done.returncode == 3 and done.stderr.startswith("parity: --try replays the step on a GPU") and done.stderr.count("\n") == 1
                or done.returncode == 0 and done.stdout.startswith("The replay as recorded takes ")), done


@pytest.mark.parametrize("write", [sim.write_pytorch, sim.write_nsys])
def test_traces_by_others_give_the_same_advice(advise, tmp_path, write):
    """Steps with copies and waits, from our recorder, PyTorch's profiler and Nsight Systems: every figure agrees within a nanosecond."""
    step = step_of(7, seed=3, wait=True, copies=1)
    run = sim.traced(MACHINE, step, 80)
    (ours,) = advise(sim.write_trace(tmp_path / "t.json", run))
    (theirs,) = advise(write(tmp_path / "other", run))
    assert advise.program["devices"] == [MACHINE.name] and " times faster, " in advise.text.splitlines()[0]
    assert [op["name"] for op in theirs["operations"]] == [op["name"] for op in ours["operations"]] and theirs["missing"] == 0
    for mine, other in zip(ours["ways"], theirs["ways"], strict=True):
        assert mine["name"] == other["name"] and mine["worth"] == other["worth"]
        for end in ("low", "value", "high"):
            assert other["step"][end] == pytest.approx(mine["step"][end], abs=1.1e-9 * len(step))


def test_nsight_systems_tells_pageable_memory_from_pinned(parity, tmp_path):
    """It uses the memory kinds of a copy, which the export names in a separate table."""
    for name, kind in (("pageable", 0), ("pinned", 1)):
        data = sqlite3.connect(sim.write_nsys(tmp_path / name, sim.traced(MACHINE, step_of(3, seed=1, copies=1), 60)))
        for column, value in (("srcKind", 2), ("dstKind", kind)):
            data.execute(f"ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY ADD COLUMN {column} DEFAULT {value}")
        data.execute("CREATE TABLE ENUM_CUDA_MEM_KIND (id, name, label)")
        data.executemany("INSERT INTO ENUM_CUDA_MEM_KIND VALUES (?, ?, '')", [(k, f"CUDA_MEMOPR_MEMORY_KIND_{w}") for k, w in enumerate(("PAGEABLE", "PINNED", "DEVICE"))])
        data.commit()
        data.close()
    gone = [line for line in parity("advise", "pageable", "pinned").stdout.splitlines() if line.startswith("  gone ")]
    assert len(gone) == 1 and gone[0].endswith(" pageable"), gone


def test_a_call_of_the_driver_within_one_of_the_runtime_is_the_runtimes(advise, tmp_path):
    """Its correlation number maps to that of the outer call, which identifies the kernel."""
    path = sim.write_trace(tmp_path / "t.json", sim.traced(MACHINE, step_of(4, seed=1), 60))
    (plain,) = advise(path)
    trace, events = json.loads(path.read_text()), []
    for e in trace["traceEvents"]:
        events.append(e)
        if e.get("cat") == "kernel":
            e["args"]["correlation"] += 100000
        if e.get("cat") == "cuda_runtime":
            events.append({**e, "cat": "cuda_driver", "name": "cuLaunchKernel", "ts": e["ts"] + 0.1 * e["dur"], "dur": 0.8 * e["dur"],
                           "args": {"correlation": e["args"]["correlation"] + 100000}})
    path.write_text(json.dumps({**trace, "traceEvents": events}))
    (nested,) = advise(path)
    assert nested["ways"] == plain["ways"] and len(nested["operations"]) == 4


def test_processes_of_a_folder(parity, tmp_path):
    """A listing, and advice on the busiest process. A wrapper's own file is empty: its children's are in the same folder. Other files are ignored."""
    (tmp_path / "all").mkdir()
    for rank, length in enumerate((4, 9, 6)):
        run = sim.traced(MACHINE, step_of(length, seed=length), 80)
        sim.write_trace(tmp_path / "all" / f"t.json.{rank}", run, head={"rank": str(rank), "process": 100 + rank, "arguments": [f"./of_rank_{rank}"]})
    (tmp_path / "all" / "t.json").write_text("")
    (tmp_path / "all" / "notes.txt").write_text("mine")
    for what in ("all", "all/t.json"):
        text = parity("advise", what).stdout
        assert text.startswith("3 processes; the busiest, which this is about, is rank 1\n") and "of_rank_1 on Simulated GPU 1" in text
        assert [text.count(f"of_rank_{rank}") for rank in range(3)] == [1, 2, 1]
    assert len(json.loads(parity("advise", "all", "--format", "json").stdout)["programs"]) == 3
    (tmp_path / "all/below").mkdir()
    (tmp_path / "all/none.json").write_text("")
    named = parity("advise", "all").stderr
    assert "not read: all/below: is no file\n" in named and "not read: all/none.json: is empty\n" in named and "t.json:" not in named
    piped = subprocess.run([PARITY, "advise", "/dev/stdin"], input=(tmp_path / "all/t.json.1").read_text(), text=True, capture_output=True)
    assert piped.returncode == 2 and piped.stderr == "parity: /dev/stdin: is a pipe: write the trace into a file first\n"


def test_the_first_line_says_what_to_do_and_what_it_saves(advise, tmp_path):
    step = [Op("launch", "_ZN2at6native29vectorized_elementwise_kernelILi4EfEEvif", 1 * US, 3 * US),
            Op("launch", "void (anonymous namespace)::sweep<float, 3>(float*, int)", 1 * US, 3 * US), Op("launch", "operator()<int> " + 200 * "long", US, 3 * US)]
    (found,) = advise(sim.write_trace_with_rest(tmp_path / "t.json", MACHINE, step, recording=US))
    lines = advise.text.splitlines()
    times = found["without_recording"]["value"] / way(found, "graph")["step"]["value"]
    assert lines[0].startswith(f"Capture this step as one CUDA graph: {times:.1f} times faster, ") and max(map(len, lines)) <= 100
    names = [line[43:] for line in lines if line.startswith("launch ")]
    assert sorted(names)[::2] == ["at::native::vectorized_elementwise_kernel", "sweep"] and sorted(names)[1].startswith("operator() longlong")


def test_loops_on_a_host(advise, parity, tmp_path):
    """Predicts the saving from fusing two neighbouring loops: at most the shortest loop."""
    assert parity("trace", "--output", "t.json", PROGRAM, "return", 400).returncode == 0
    (step,) = advise(tmp_path / "t.json")
    assert [op["name"] for op in step["operations"]] == ["smooth", "add", "sum", "fence"] and step["repetitions"] >= 350
    saved = way(step, "fused")["saved"]
    assert saved["low"] <= saved["value"] <= saved["high"] and saved["high"] > 0 and "Fuse neighbouring loops" in advise.text
    (short,) = advise(tmp_path / "t.json", words=("--step-time", 1e-9))
    assert 0 < way(short, "fused")["step"]["low"] and "inf" not in advise.text  # there launches cost more than this step


REST = {"short kernels": dict(length=12, least=0.95, most=1.5), "long kernels": dict(length=6, least=15, most=40),
        "a busy host": dict(length=8, host=3.0), "waits": dict(length=8, wait=True)}


@pytest.mark.parametrize("case", REST)
def test_a_step_that_recording_slows_is_taken_from_the_rest_of_the_run(advise, tmp_path, case):
    """Recording more than doubles a step; different work in the rest of the run is excluded. The predictions contain the truth."""
    step = step_of(seed=3, **REST[case])
    path = sim.write_trace_with_rest(tmp_path / "t.json", MACHINE, step, recording=4 * US, pause=0.1)
    (found,) = advise(path)
    now = sim.seconds_a_step(MACHINE, step)
    assert found["without_recording"]["value"] == pytest.approx(now, rel=0.05), found["counted"]
    assert found["wall"]["value"] > 1.5 * now or case in ("long kernels", "waits")
    assert found["counted"]["samples"] >= 3 and 1000 <= found["counted"]["steps"] <= 1200
    for name in ("graph", "fused"):
        predicted, truth = way(found, name), sim.seconds_a_step(MACHINE, step, name)
        slack = 0.01 * now
        assert predicted["saved"]["low"] - slack <= now - truth <= predicted["saved"]["high"] + slack, (name, now - truth, predicted)
    assert "from the rest of the run, 1" in advise.text


def test_a_step_time_from_elsewhere(advise, tmp_path):
    """A step time from the user overrides the recorded one."""
    step = step_of(10, seed=2)
    run = sim.Run(dataclasses.replace(MACHINE, recording=4 * US)).all(step, 300)
    now = sim.seconds_a_step(MACHINE, step)
    path = sim.write_trace(tmp_path / "t.json", run)
    (found,) = advise(path, words=("--step-time", now))
    assert "as --step-time says" in advise.text and way(found, "fused on chip")["step"]["value"] < 5.1 * US
    (found,) = advise(path)
    assert found["counted"] is None and holds(found["without_recording"], now) and "from the recorded part alone" in advise.text
    # One launch takes its part of the step, without the overhead of recording.
    assert way(found, "fused on chip")["step"]["value"] <= 1.01 * found["without_recording"]["value"] / len(step)


def test_kernels_that_stay_apart(advise, tmp_path):
    step = [Op("launch", "halo left", 1.2 * US), Op("launch", "halo right", 1.4 * US), *(Op("launch", f"work {k}", 2 * US) for k in range(4))]
    path = sim.write_trace(tmp_path / "t.json", sim.traced(MACHINE, step, 80))
    one, two = (way(advise(path, words=words)[0], "fused") for words in ((), ("--apart", "HALO")))
    assert "1 instead of 6 launches" in one["means"] and "2 instead of 6 launches" in two["means"] and one["step"]["value"] < two["step"]["value"]


def test_a_step_of_equal_parts(advise, tmp_path):
    """Eight layers of three kernels and a copy: by default the layer is found, and the whole with a hint."""
    layer = [Op("launch", f"kernel {k}", 1.5 * US) for k in range(3)]
    path = sim.write_trace(tmp_path / "t.json", sim.traced(MACHINE, layer * 8 + [Op("copy", "", 2 * US)], 80))
    assert [len(advise(path, words=words)[0]["operations"]) for words in ((), ("--least-operations", "20"))] == [3, 25]
    assert advise.parity("advise", path, "--least-operations", "0").returncode != 0
