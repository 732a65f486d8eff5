# SPDX-License-Identifier: BSD-3-Clause
"""parity advise BEFORE AFTER: the saving of a change; and graphs that a trace already contains."""
import json
import sqlite3

import pytest
import trace_simulator as sim
from trace_simulator import US, Machine, Op

MACHINE = Machine()
STEP = [Op("launch", f"k{k}", 1.5 * US, 0.1 * US) for k in range(8)] + [Op("wait", host=0.1 * US)]


def graphs(kernels=8, steps_in_one=1, whole=(), kept=True):
    """60 launches of a graph with its kernels under the launch's number; whole: with a record of the graph, too, or (kept=False) only that."""
    t = 0.0
    for c in range(1, 61):
        call, begin = {"correlation": c}, t + 5
        yield {"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 1, "tid": 5, "ts": t, "dur": 3.0, "args": call}
        end = begin + 1.6 * kernels * steps_in_one
        for k in range(kernels * steps_in_one * kept):
            yield {"ph": "X", "cat": "kernel", "name": f"k{k % kernels}", "pid": 0, "tid": 7, "ts": begin + 1.6 * k, "dur": 1.5, "args": {"device": 0, "stream": 7, **call}}
        if whole:
            yield {"ph": "X", "cat": "cuda_graph", "name": "graph", "pid": 0, "tid": 7, "ts": begin, "dur": end - begin, "args": {"device": 0, "stream": 7, **call}}
        yield {"ph": "X", "cat": "cuda_runtime", "name": "cudaStreamSynchronize", "pid": 1, "tid": 5, "ts": t + 3.3, "dur": end - t - 2, "args": {"correlation": 0}}
        t = end + 2.5


def write_pytorch(path, events):
    path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": MACHINE.name}], "traceEvents": list(events)}))


def write_nsys(path, events):
    """As nsys writes graphs with --cuda-graph-trace=node, and (whole) also with =graph."""
    data, names = sqlite3.connect(path), {}
    for table in ("RUNTIME", "KERNEL", "GRAPH_TRACE"):
        data.execute(f"CREATE TABLE CUPTI_ACTIVITY_KIND_{table} (start, end, globalTid, globalPid, correlationId, nameId, demangledName, deviceId, streamId, gridX, gridY, gridZ, blockX, blockY, blockZ)")
    data.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
    data.execute("CREATE TABLE TARGET_INFO_GPU (id, name)")
    data.execute("INSERT INTO TARGET_INFO_GPU VALUES (0, ?)", [MACHINE.name])
    for e in events:
        name, table = names.setdefault(e["name"], len(names) + 1), {"cuda_runtime": "RUNTIME", "kernel": "KERNEL", "cuda_graph": "GRAPH_TRACE"}[e["cat"]]
        times = round(1e3 * e["ts"]), round(1e3 * (e["ts"] + e["dur"]))
        data.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_{table} VALUES (?,?,?,?,?,?,?,0,7,1,1,1,64,1,1)", (*times, 77 << 24 | 5, 77 << 24, e["args"]["correlation"], name, name))
    data.executemany("INSERT INTO StringIds VALUES (?, ?)", [(n, name) for name, n in names.items()])
    data.commit()
    data.close()


@pytest.fixture
def compared(parity, tmp_path):
    """compared(...): the text of a comparison of the step as launches with the trace in 'after'."""
    sim.write_trace(tmp_path / "before", sim.traced(MACHINE, STEP, 60))

    def compare(*words):
        done = parity("advise", "before", "after", *words)
        assert done.returncode == 0 and max(map(len, done.stdout.splitlines())) <= 100, done.stdout + done.stderr
        return done.stdout

    return compare


@pytest.mark.parametrize("write", [write_pytorch, write_nsys])
@pytest.mark.parametrize("whole", [False, True])
def test_kernels_of_a_graph_count_once(parity, compared, tmp_path, write, whole):
    write(tmp_path / "after", graphs(whole=whole))
    text = compared()
    assert text.startswith("1.15 times faster: a step takes 23.4 us -> 20.3 us, 3.10 us saved.\n")
    assert "launches a step: 8 -> 1, 7 saved" in text and "work: the same: 8 -> 8 operations, 12.0 us -> 12.0 us" in text
    (program,) = json.loads(parity("advise", "after", "--format", "json").stdout)["programs"]
    (step,) = program["steps"]
    assert step["computing"]["value"] == pytest.approx(12 * US) and step["refused"] == "its kernels are in graphs already"
    assert sum(op["device"]["value"] for op in step["operations"]) == pytest.approx(12 * US)


@pytest.mark.parametrize("after, says", [
    (dict(steps_in_one=3), ["1.53 times faster", "one step after the change is 3 before it", "8 -> 0.3, 7.7 saved", "work: the same: 8 -> 8 operations"]),
    (dict(kernels=10), ["No difference for sure", "work: not the same: 8 -> 10", "  new        1 times   1.50 us  k8\n", "  new        1 times   1.50 us  k9\n"]),
    (dict(kernels=7), ["work: not the same: 8 -> 7", "  gone       1 times   1.50 us  k7\n"]), (dict(whole=True, kept=False), ["work: not known, since graphs are recorded whole"])])
def test_what_a_change_did(compared, tmp_path, after, says):
    write_pytorch(tmp_path / "after", graphs(**after))
    text = compared()
    assert [s for s in says if s not in text] == [], text


def test_a_graph_is_not_its_warm_up(compared, tmp_path):
    """Its kernels were launched often before it, and it is recorded only as a whole: the step after the change is the graph."""
    events = list(sim.events_of(sim.traced(MACHINE, STEP, 200)))
    later = max(e["ts"] for e in events) + 100
    for e in graphs(whole=True, kept=False):
        events.append({**e, "ts": e["ts"] + later, "args": {**e["args"], "correlation": e["args"]["correlation"] and e["args"]["correlation"] + 100000}})
    write_pytorch(tmp_path / "after", events)
    text = compared()
    assert "8 -> 1, 7 saved" in text and "the step that launches a graph, seen 60 times" in text and "\nnew: a sequence of 9 operations" in text, text


def test_fused_slower_and_unlike_steps(compared, refused, tmp_path):
    sim.write_trace(tmp_path / "after", sim.traced(MACHINE, [Op("launch", "fused", 8 * US), Op("wait")], 60))
    assert "8 -> 1, 7 saved" in compared() and "nothing of it is in both" in compared()
    sim.write_trace(tmp_path / "after", sim.traced(MACHINE, [*STEP[:-1], Op("launch", "k7", 20 * US), STEP[-1]], 60).all([Op("launch", f"other {k}", US) for k in range(3)], 100))
    text = compared()
    assert "times slower: " in text and " lost.\n" in text and "\nnew: a sequence of 3 operations" in text
    for words in (["--apart", "x"], ["--step-time", "1"], ["--format", "json"]):
        refused("advise", "before", "after", *words, says="are for advice on one trace")
    sim.write_trace(tmp_path / "after", sim.traced(MACHINE, STEP[:1], 2))
    refused("advise", "before", "after", says="after: no sequence of launches or loops repeats")


def test_ranks_are_no_before_and_after(refused, parity, tmp_path):
    """Two folders of ranks are: the same rank of both is compared."""
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        for rank in range(2):
            sim.write_trace(tmp_path / folder / f"t.{rank}", sim.traced(MACHINE, STEP, 60 + 40 * (rank == (folder == "one"))), head={"rank": str(rank), "process": 5 + rank})
    refused("advise", "one/t.0", "one/t.1", says="one/t.0 is of rank 0 and one/t.1 of rank 1")
    said = parity("advise", "one", "two").stdout
    assert "before one/t.1: " in said and "after  two/t.1: " in said


def test_times_since_1970_are_subtracted_exactly(compared, tmp_path):
    """Microseconds with fractions that a double cannot represent there; as text, too."""
    for quote in ("", '"'):
        events = list(graphs())
        for e in events:
            ns = round(1e3 * e["ts"]) + 1_795_000_000_000_000_123
            e["ts"] = f"@{ns // 1000}.{ns % 1000:03d}@"
        write_pytorch(tmp_path / "after", events)
        (tmp_path / "after").write_text((tmp_path / "after").read_text().replace('"@', quote).replace('@"', quote))
        assert "20.3 us [20.3 us, 20.3 us]" in compared() and "12.0 us -> 12.0 us" in compared()


def hostile(**change):
    events = list(sim.events_of(sim.traced(MACHINE, STEP, 60)))
    for k, e in enumerate(events):
        for what, (every, value) in change.items():
            if e["cat"] == "kernel" and k % every == 0:
                (e if what == "dur" else e["args"])[what] = value
    return events


@pytest.mark.parametrize("events, says", [(hostile(dur=(3, -5.0)), "events end before they begin: their times are not used"),
                                          (hostile(dur=(100, 3.6e9)), "one event lasts 3600 s, most of the trace: k"),
                                          (hostile(device=(3, 1)), "Nothing is predicted: the trace has several GPUs")])
def test_what_is_odd_in_a_trace_is_a_line(parity, tmp_path, events, says):
    write_pytorch(tmp_path / "t.json", events)
    done = parity("advise", "t.json")
    assert done.returncode == 0 and done.stdout.count(says) == 1, done.stdout


def test_graphs_that_a_wait_ends_together_are_no_slower_step(compared, tmp_path):
    """Ten replays and a wait may be ten earlier steps: no verdict."""
    waits = iter(range(1000))
    write_pytorch(tmp_path / "after", [e for e in graphs(whole=True, kept=False) if e["name"] != "cudaStreamSynchronize" or next(waits) % 10 == 9])
    text = " ".join(compared().split())
    assert "Not known: a step takes" in text and "after the change 10 graphs take" in text and "slower" not in text, text


def relabelled(count=10_000, **change):
    """Calls and kernels with changed fields."""
    return [{**e, **change} if e["cat"] == "cuda_runtime" else e for e in hostile()][:count]


@pytest.mark.parametrize("events, code, says", [
    (relabelled(cat="xpu_runtime"), 0, "such events are not known: xpu_runtime"), (relabelled(cat="HIP_API"), 0, "such events are not known: HIP_API"),
    (relabelled(1, cat="", ph="X"), 2, "but others: none"), (relabelled(1, ph="B"), 2, "but others: pairs of B and E"),
    ([{**e, "pid": 1 + k % 2} for k, e in enumerate(relabelled())], 2, "holds calls of processes 1 and 2")])
def test_what_is_not_read_is_named(parity, tmp_path, events, code, says):
    """An unreadable trace does not prove that the program launched nothing, and two processes in a file are not one."""
    write_pytorch(tmp_path / "t.json", events)
    done = parity("advise", "t.json")
    assert done.returncode == code and says in done.stdout + done.stderr and "used neither" not in done.stderr, done.stdout + done.stderr


def test_a_report_of_nsys_is_exported_first(refused, tmp_path):
    (tmp_path / "t.nsys-rep").write_bytes(b"a report")
    refused("advise", "t.nsys-rep", says="nsys export --type sqlite")


@pytest.mark.parametrize("rank", [1, "1"])
def test_ranks_are_told_apart_by_what_pytorch_says(parity, tmp_path, rank):
    write_pytorch(tmp_path / "t.json", hostile())
    text = (tmp_path / "t.json").read_text()
    (tmp_path / "ranks").mkdir()
    for k, one in enumerate((0, rank)):
        (tmp_path / "ranks" / f"{k}.json").write_text(text.replace('"schemaVersion": 1', '"distributedInfo": ' + json.dumps({"rank": one}), 1))
    out = parity("advise", "ranks").stdout
    assert "  rank 0 " in out and "  rank 1 " in out, out


def test_a_file_that_is_cut_off_says_so(parity, tmp_path):
    write_pytorch(tmp_path / "t.json", hostile())
    (tmp_path / "t.json").write_text((tmp_path / "t.json").read_text()[:40_000])
    assert "or the file was cut off" in parity("advise", "t.json").stdout


def test_many_launches_are_read(parity, tmp_path):
    sim.write_trace(tmp_path / "t.json", sim.traced(MACHINE, STEP, 12_000))
    done = parity("advise", "t.json")
    assert done.returncode == 0 and "seen 12000 times, 100 %" in done.stdout
