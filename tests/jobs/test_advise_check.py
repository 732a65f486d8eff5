# SPDX-License-Identifier: BSD-3-Clause
"""jobs/advise_check.py with a stand-in for 'parity': it keeps to its time, measures and predicts apart, and says what recording costs."""
import csv
import importlib.util
import json
import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "jobs" / "advise_check.py"
STEPS = 257
# A step takes 60 us, as a graph 25 and fused 10; 30 % more while it is recorded all the time, a twentieth of that for a twentieth of it. Of
# a traced process whose blocks are asked for, the first 30 of 40 take twice as long and more, and lie in the one window of its trace, which
# shows two of them.
STAND_IN = f"""#!{sys.executable}
import json, os, sys, time
words = sys.argv[1:]
def after(word): return words[words.index(word) + 1]
def blocks(seconds, in_window):
    return [{STEPS} * seconds * (2 + 0.01 * k if in_window and k < 30 else 1) for k in range(40)]
def measurement(kernel, mechanism, n, seconds):
    return json.dumps(dict(type="measurement", kernel=kernel, mechanism=mechanism, problem=dict(nx=n), host_seconds=dict(
        median={STEPS} * seconds, samples=[blocks(seconds, os.environ.get("SHARE") and after("--time-cap") == "1.25")]))) + "\\n"
def trace():
    begin, lines = 1.0, [dict(window="all", t=10**9)]
    for k, s in enumerate(blocks(60e-6 * 1.015, True)[:30]):
        if k in (3, 5):
            lines += [dict(e="tally", t=round(1e9 * begin), k=0), dict(e="tally", t=round(1e9 * (begin + s) - 5e3), k=600, wait=1)]
        begin += s + 1e-4
    return "".join(json.dumps(line) + "\\n" for line in [*lines, dict(window="none", t=round(1e9 * begin))])
time.sleep(float(os.environ.get("SLOW", 0)) if "rows" in " ".join(words) else 0)
if words[0] == "measure":
    open(after("--output"), "w").write("{{}}\\n")
elif words[0] == "trace":
    open(after("--output"), "w").write(trace())
    os.environ["SHARE"] = after("--share") if "--share" in words else "0.05"
    program = words[words.index("--output") + (4 if "--share" in words else 2):]
    os.execvp(program[0], program)
elif words[0] == "diffusion":
    with open(after("--json"), "w") as out:
        for variant in after("--variants").split(","):
            kernel, _, mechanism = variant.partition("+")
            seconds = 25e-6 if mechanism else 10e-6 if "fused" in kernel else 60e-6
            out.write(measurement(kernel, mechanism or "stream", int(after("--nx")), seconds * (1 + 0.3 * float(os.environ.get("SHARE", 0)))))
elif words[0] == "advise":
    assert os.path.exists(words[1]) and os.path.exists(after("--machine"))
    way = lambda name, step: dict(name=name, step=dict(value=step), saved=dict(value=66e-6 - step, low=20e-6, high=50e-6))
    print(json.dumps(dict(programs=[dict(steps=[dict(refused=None, operations=[1], repetitions=3, without_recording=dict(value=66e-6), wall=dict(value=90e-6),
                                                     counted=dict(step=dict(value=67e-6)),
                                                     ways=[way("graph", 26e-6), way("fused on chip", 10e-6)])])])))
"""


@pytest.fixture
def check(tmp_path):
    parity = tmp_path / "parity"
    parity.write_text(STAND_IN)
    parity.chmod(0o755)

    def run(*words, **options):
        return subprocess.run([sys.executable, "-B", SCRIPT, tmp_path / "out", "--parity", parity, *map(str, words)], text=True,
                              capture_output=True, timeout=600, **options)

    return run


def test_measures_now_and_predicts_later(check, tmp_path):
    done = check("--parts", "slowed,parity", "--slowed", 2, "--measure-only")
    assert done.returncode == 0 and not (tmp_path / "out/check.csv").exists(), done.stderr
    assert len(list((tmp_path / "out").glob("*.trace.jsonl.gz"))) == 20 + 2 + 1 and not list((tmp_path / "out").glob("*.trace.jsonl"))
    done = check("--evaluate")
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "out/check.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 20
    for r in rows:
        saved, truth = (40, 35) if r["way"] == "graph" else (56, 50)
        assert float(r["saved_predicted_us"]) == pytest.approx(saved) and float(r["saved_measured_us"]) == pytest.approx(truth)
        assert float(r["error"]) == pytest.approx(saved / truth - 1, rel=1e-3)
        assert [float(r[c]) for c in ("now_recorded_us", "now_counted_us", "now_measured_low_us", "now_measured_high_us")] == [90, 67, 60, 60]
        assert float(r["now_own_clock_us"]) == pytest.approx(60 * 1.015)
    text = (tmp_path / "out/check.txt").read_text()
    for share, slower in (("usual", "1.5 %"), ("1", "30.0 %")):
        assert f"traced, share {share}: slower by {slower}" in text, text


def test_keeps_to_its_time(check, tmp_path):
    # One call alone would take longer than the test waits.
    done = check("--parts", "parity,slowed", "--seconds", 8, "--measure-only", env={"SLOW": "3600", "PATH": "/usr/bin:/bin"})
    assert done.returncode == 0, done.stderr
    notes = json.loads((tmp_path / "out/measured.json").read_text())["notes"]
    assert any("took too long: rows" in n for n in notes), notes


def test_says_how_a_program_ended_that_was_to_be_killed(check, tmp_path):
    """The stand-in ends before it is killed."""
    assert check("--parts", "killed", "--measure-only", env={"PATH": "/usr/bin:/bin"}).returncode == 0
    notes = json.loads((tmp_path / "out/measured.json").read_text())["notes"]
    assert any("ended by itself: exit code" in n for n in notes) and not any("killed by SIGKILL" in n for n in notes), notes


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("advise_check", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_where_nothing_was_gained_there_is_no_error(script):
    assert script.relative(1.0, 0.0) == "" and script.relative(1.0, "") == "" and script.relative(3.0, 2.0) == 0.5
    row = ["p", 16, "graph", "", 1.0, "", 1.0, "", "", "", 0.0, "", 1.0, "", "", 1.0, 1.0, ""]
    assert len(script.table([row])) == 2 and "0 of 0 measured gains" in script.told([row])


def test_blocks_that_lie_in_no_window(script):
    """Two windows, and blocks with pauses of unknown length between them. What may touch a window does not count."""
    own = [0.1 + 0.001 * k for k in range(20)]
    begins, t = [], 1.0
    for k, s in enumerate(own):
        begins.append(t)
        t += s + 0.05 * (k % 3)
    windows = [[0.5, begins[3]], [begins[10], begins[13]]]
    seen = [(begins[k], own[k] - 5e-6) for k in (1, 2, 10, 12)]
    alone = script.unrecorded(windows, seen, own)
    truth = {k for k in range(20) if not any(begins[k] < end and begins[k] + own[k] > begin for begin, end in windows)}
    assert set(alone) <= truth and {4, 5, 14, 19} <= set(alone), alone
    assert 19 not in script.unrecorded(windows, seen, own, ended=False)
    # One block that fits by chance is not enough, and neither is one that fits several.
    assert script.unrecorded(windows, seen[:1], own) == [] and script.unrecorded(windows, seen, [0.1] * 20) == []
    # Recorded to the end.
    assert script.unrecorded([[0.5, None]], seen, own) == []


def test_bad_use(check):
    for words, says in ((["--parts", "nothing"], "'nothing' is none of"), (["--parts", "cupy:0"], "'cupy:0' is none of"),
                        (["--evaluate"], "measured.json")):
        done = check(*words)
        assert done.returncode != 0 and says in done.stderr and "Traceback" not in done.stderr, done.stderr
