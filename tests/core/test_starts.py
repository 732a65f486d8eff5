# SPDX-License-Identifier: BSD-3-Clause
"""A result is measured in several processes, which give its interval; runs of different commits are not mixed."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest
from record_files import POINT, key, lines, records, row, rows, whole, write

PARITY = os.environ["PARITY"]
PLAN = """
variants = ["openmp-fused", "kokkos-fused"]
[axes]
size = [[9, 8, 2], [11, 7, 1]]
steps = [3]
precision = ["float", "double"]
[measure]
repeats = 10
starts = 3
"""
ROWS = 8


@pytest.fixture
def plan(tmp_path):
    (tmp_path / "p.toml").write_text(PLAN)
    return tmp_path / "p.toml"


def starts_of(written):
    """For each result, the numbers of the processes in its lines; from a file, or from lines of text."""
    found = {}
    for r in [whole(json.loads(line), {}) for line in written] if isinstance(written, list) else lines(written):
        found.setdefault(key(r), []).extend(r["starts"])
    return found


def test_each_start_adds_a_line_to_every_row(parity, plan, tmp_path):
    done = parity("measure", "p.toml", "--output", "r.jsonl", "--json", "j.jsonl", "--csv", "c.csv")
    assert done.returncode == 0, done.stderr
    assert f"{ROWS} rows measured, 0 kept from before" in done.stdout
    assert set(map(tuple, starts_of(tmp_path / "r.jsonl").values())) == {(1, 2, 3)} and len(starts_of(tmp_path / "r.jsonl")) == ROWS
    written = lines(tmp_path / "r.jsonl")
    assert all(len(r["host_seconds"]["samples"]) == 1 and len(r["host_seconds"]["samples"][0]) == 4 for r in written), "3 x 4 are 10 at least"
    processes = [r["processes"][0] for r in written]
    assert all(len(set(processes[k * ROWS:(k + 1) * ROWS])) == 1 for k in range(3)) and len(set(processes)) == 3, "a process each"
    assert len({r["run"]["id"] for r in written}) == 1 and [r["type"] for r in records(tmp_path / "r.jsonl")].count("environment") == 1
    merged = rows(tmp_path / "j.jsonl")
    assert len(merged) == ROWS
    for r in merged:
        blocks = [line["host_seconds"]["samples"][0] for line in written if key(line) == key(r)]
        assert r["starts"] == [1, 2, 3] and r["host_seconds"]["samples"] == blocks
    assert parity("findings", "--merit", "r.jsonl").stdout == parity("findings", "--merit", "j.jsonl").stdout
    # A result that only lacks its first process, as after a shortage of memory, is measured and reported.
    kept = [line for line in (tmp_path / "r.jsonl").read_text().splitlines(keepends=True)
            if json.loads(line).get("starts") != [1] or json.loads(line)["variant"] != "openmp-fused"]
    (tmp_path / "s.jsonl").write_text("".join(kept))
    again = parity("measure", "p.toml", "--output", "s.jsonl", "--resume", "--json", "k.jsonl")
    assert again.returncode == 0 and f"{ROWS // 2} rows measured, {ROWS // 2} kept from before" in again.stdout, again.stdout + again.stderr
    assert len(rows(tmp_path / "k.jsonl")) == ROWS // 2
    header, *cells = [line.split(",") for line in (tmp_path / "c.csv").read_text().splitlines()]
    assert all(dict(zip(header, c))["starts"] == "3" and 6 <= int(dict(zip(header, c))["samples"]) <= 12 for c in cells), "half are quiet, at least"


def test_a_killed_measuring_process_ends_its_parent_and_loses_nothing(parity, plan, tmp_path):
    """The parent passes its signal on as an exit code; test_kill.py kills parents."""
    process = subprocess.Popen([PARITY, "measure", "p.toml", "--output", "r.jsonl", "--repeats", "100000", "--time-cap", "9", "--quiet"], cwd=tmp_path,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    file = tmp_path / "r.jsonl"
    while not file.exists() or file.read_bytes().count(b"\n") < 2:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    (child,) = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(child), signal.SIGKILL)
    assert process.wait() == 128 + signal.SIGKILL and "the measuring process was ended by signal 9" in process.stderr.read()
    before = file.read_text().rpartition("\n")[0]
    done = parity("measure", "p.toml", "--output", "r.jsonl", "--resume")
    assert done.returncode == 0 and f"{ROWS} rows measured" in done.stdout, done.stdout + done.stderr
    assert file.read_text().startswith(before) and all(sorted(s) == [1, 2, 3] for s in starts_of(file).values())


def test_the_parent_writes_and_the_measuring_process_measures(plan, tmp_path):
    """The parent has the file of records but no computing threads and no shared memory; the measuring process has no file."""
    process = subprocess.Popen([PARITY, "measure", "p.toml", "--output", "r.jsonl", "--repeats", "100000", "--time-cap", "99", "--quiet"], cwd=tmp_path,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "2"})
    while not (tmp_path / "r.jsonl").exists() or not (tmp_path / "r.jsonl").read_bytes():
        assert process.poll() is None
        time.sleep(0.01)
    (child,) = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    files = {pid: {os.path.realpath(f) for f in pathlib.Path(f"/proc/{pid}/fd").iterdir()} for pid in (process.pid, child)}
    file = os.path.realpath(tmp_path / "r.jsonl")
    assert file in files[process.pid] and file not in files[child]
    assert not any("memfd" in f for f in files[process.pid] | files[child])
    assert len(os.listdir(f"/proc/{process.pid}/task")) == 2, "its first thread, and one that waits for signals"
    process.send_signal(signal.SIGINT)
    assert process.wait() == 128 + signal.SIGINT


def test_a_plan_that_changes_while_it_is_measured_ends_the_run(plan, tmp_path):
    with subprocess.Popen([PARITY, "measure", "p.toml", "--output", "r.jsonl", "--repeats", "100000", "--time-cap", "1", "--quiet"], cwd=tmp_path,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "r.jsonl").exists() or not (tmp_path / "r.jsonl").read_bytes():
            assert process.poll() is None
            time.sleep(0.01)
        plan.write_text(PLAN.replace("openmp-fused", "openmp-plane\", \"openmp-fused"))
        assert process.wait() == 2 and process.stderr.read() == "parity: the plan or its tunings changed while they were measured; start again\n"


def test_a_plan_from_a_pipe_is_one_start_s(parity, tmp_path):
    """Other processes would find the pipe empty."""
    done = parity("measure", "/dev/stdin", "--output", "r.jsonl", input=PLAN)
    assert done.returncode == 2 and done.stderr == "parity: /dev/stdin: is no regular file, and every start of the program reads it; give a file, or --starts 1\n"
    assert os.listdir(tmp_path) == []
    done = parity("measure", "/dev/stdin", "--output", "r.jsonl", "--starts", 1, input=PLAN)
    assert done.returncode == 0 and f"{ROWS} rows measured" in done.stdout, done.stderr


def test_an_error_stands_in_a_line_of_its_own(plan, tmp_path):
    """It must not follow the line of progress on the terminal."""
    ours, theirs = os.openpty()
    process = subprocess.Popen([PARITY, "measure", "p.toml", "--output", "r.jsonl", "--repeats", "100000", "--time-cap", "99"], cwd=tmp_path,
                               stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown = b""
    while b" rows: " not in shown and b" rows, " not in shown:
        shown += os.read(ours, 4096)
    (child,) = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(child), signal.SIGKILL)
    try:
        while piece := os.read(ours, 4096):
            shown += piece
    except OSError:  # no process has the terminal open any more
        os.close(ours)
    assert process.wait() == 128 + signal.SIGKILL and shown.endswith(b"\r\x1b[Kparity: the measuring process was ended by signal 9 (Killed)\r\n"), shown[-200:]


def test_a_stop_reaches_the_measuring_process(plan, tmp_path):
    process = subprocess.Popen([PARITY, "measure", "p.toml", "--output", "r.jsonl", "--repeats", "100000", "--time-cap", "99", "--quiet"], cwd=tmp_path,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (tmp_path / "r.jsonl").exists():
        assert process.poll() is None
        time.sleep(0.01)
    child = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0]
    for number, stopped in ((signal.SIGTSTP, True), (signal.SIGCONT, False)):
        process.send_signal(number)
        for pid in (child, process.pid):
            while (pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T") != stopped:
                time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 128 + signal.SIGTERM


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor leaves OpenMP nothing to bind")
@pytest.mark.parametrize("settings", [{}, {"OMP_PROC_BIND": "true"}, {"OMP_PROC_BIND": "spread", "OMP_PLACES": "threads"}])
def test_every_start_has_the_processors_of_the_first(parity, plan, tmp_path, settings):
    """OpenMP binds the first thread, and a new process would inherit its processor."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("OMP_")}
    done = parity("measure", "p.toml", "--output", "r.jsonl", env={**clean, **settings})
    assert done.returncode == 0, done.stderr
    environments = [r for r in records(tmp_path / "r.jsonl") if r["type"] == "environment"]
    assert [e["omp_threads"] for e in environments] == [len(os.sched_getaffinity(0))]


def test_a_comparison_has_intervals_and_leaves_nothing_behind(parity, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    done = parity("diffusion", "--nx", 9, "--ny", 8, "--nz", 2, "--steps", 3, "--repeats", 6, "--starts", 3, "--variants", "openmp-fused,kokkos-fused",
                  "--json", "j.jsonl", env={**os.environ, "TMPDIR": str(scratch)})
    assert done.returncode == 0, done.stderr
    assert all(r["starts"] == [1, 2, 3] and [len(b) for b in r["host_seconds"]["samples"]] == [2, 2, 2] for r in rows(tmp_path / "j.jsonl"))
    assert len(re.findall(r"(?m)^  (?:openmp|kokkos)-fused +[\d.]+ [mu]?s [\[(]", done.stdout)) == 2 and "[n = " not in done.stdout
    assert os.listdir(scratch) == []


@pytest.mark.parametrize("repeats", [1, 2])
def test_too_few_starts_have_no_interval(parity, tmp_path, repeats):
    done = parity("diffusion", "--nx", 9, "--ny", 8, "--nz", 2, "--steps", 3, "--repeats", repeats, "--variants", "openmp-fused,kokkos-fused",
                  "--json", "j.jsonl", "--csv", "c.csv")
    assert done.returncode == 0, done.stderr
    assert f"n = {repeats}" in done.stdout and f"[n = {repeats}]" in done.stdout and "no 95 % intervals" in done.stdout
    assert "0.0 %" not in done.stdout
    header, *cells = [line.split(",") for line in (tmp_path / "c.csv").read_text().splitlines()]
    for c in cells:
        line = dict(zip(header, c))
        assert line["low_s"] == line["high_s"] == line["ratio_low"] == "" and line["starts"] == str(repeats)


@pytest.mark.parametrize("after", [1, ROWS, ROWS + 3])
def test_a_run_that_was_cut_goes_on_in_the_start_where_it_was(parity, plan, tmp_path, after):
    """The file is cut as if the machine had stopped after so many lines."""
    assert parity("measure", "p.toml", "--output", "r.jsonl").returncode == 0
    text = (tmp_path / "r.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "r.jsonl").write_text("".join(text[:1 + after]))
    done = parity("measure", "p.toml", "--output", "r.jsonl", "--resume")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "r.jsonl").read_text().startswith("".join(text[:1 + after])), "what was there is kept"
    assert all(sorted(s) == [1, 2, 3] for s in starts_of(tmp_path / "r.jsonl").values()) and len(lines(tmp_path / "r.jsonl")) == 3 * ROWS
    complete = sum(s == [1, 2, 3] for s in starts_of(text[1:1 + after]).values())
    assert f"{ROWS - complete} rows measured, {complete} kept" in done.stdout


def test_more_starts_of_merged_slices(parity, plan, tmp_path):
    """Each problem continues in the run of the slice that measured it."""
    for k in (1, 2):
        assert parity("measure", "p.toml", "--slice", f"{k}/2", "--output", f"s{k}.jsonl").returncode == 0
    assert parity("export", "--records", "s1.jsonl", "s2.jsonl", "--output", "r.jsonl").returncode == 0
    done = parity("measure", "p.toml", "--output", "r.jsonl", "--resume", "--starts", 5, "--variants", "openmp-fused,kokkos-fused,openmp-plane")
    assert done.returncode == 0 and f"{ROWS + ROWS // 2} rows measured, 0 kept" in done.stdout, done.stdout + done.stderr
    assert {tuple(s) for s in starts_of(tmp_path / "r.jsonl").values()} == {(1, 2, 3, 4, 5)}
    document = json.loads(parity("export", "r.jsonl").stdout)
    assert len({(m["problem"]["nx"], m["problem"]["precision"], m["run"]["id"]) for m in document["measurements"]}) == ROWS // 2, "a new row, too"
    assert len(document["measurements"]) == ROWS + ROWS // 2 and [p["ratio"]["starts"] for p in document["pairs"]] == [5] * (ROWS // 2)
    assert f"0 rows measured, {ROWS + ROWS // 2} kept" in parity("measure", "p.toml", "--output", "r.jsonl", "--resume", "--starts", 5).stdout


@pytest.mark.parametrize("name, value", [("commit", "0123456789ab"), ("modified", None), ("cpu", "Another CPU"), ("cxx", "GNU 1.0")])
def test_rows_of_another_commit_build_or_device_are_not_gone_on_with(parity, refused, plan, tmp_path, name, value):
    file = tmp_path / "r.jsonl"
    assert parity("measure", "p.toml", "--output", "r.jsonl", "--starts", 1).returncode == 0
    old = records(file)
    old[0][name] = (not old[0]["modified"]) if value is None else value
    old[0]["id"] = "before"
    for r in old[1:]:
        r["run"]["id"] = "before"
    write(file, old)
    before = file.read_text()
    refused("measure", "p.toml", "--output", "r.jsonl", "--resume", says="give another --output, or --mixed")
    assert file.read_text() == before
    done = parity("measure", "p.toml", "--output", "r.jsonl", "--mixed")
    assert done.returncode == 0, done.stderr
    assert file.read_text().startswith(before)
    mine = [r for r in lines(file) if r["run"]["id"] != "before"]
    assert len(mine) == 3 * ROWS and len({r["run"]["id"] for r in mine}) == 1, "a row of another run with too few starts is measured anew"
    # Two results per key, of two runs: no ratio or interval mixes them.
    document = json.loads(parity("export", "r.jsonl").stdout)
    assert len(document["measurements"]) == 2 * ROWS
    for pair in document["pairs"]:
        sides = [document["measurements"][pair[side]]["run"]["id"] for side in ("portable", "native")]
        assert sides[0] == sides[1]
    assert f"{ROWS} kept" in parity("measure", "p.toml", "--output", "r.jsonl", "--mixed").stdout


def test_two_modified_trees_of_one_commit_are_two(tmp_path):
    """Runs the build's script on a separate tree."""
    tree = tmp_path / "tree"
    tree.mkdir()
    script = (pathlib.Path(PARITY).resolve().parent / "write_build_info_of_parity_here.cmake").read_text()
    (tmp_path / "w.cmake").write_text(re.sub(r"set\(SOURCE_DIR .*\)", f"set(SOURCE_DIR [==[{tree}]==])", script, count=1))

    def git(*arguments):
        subprocess.run(["git", "-C", tree, "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments], check=True, capture_output=True)

    def written():
        subprocess.run(["cmake", f"-DOUTPUT={tmp_path / 'o.cpp'}", "-P", tmp_path / "w.cmake"], check=True)
        text = (tmp_path / "o.cpp").read_text()
        return re.search(r"dirty = \*/ (true|false)", text)[1] == "true", re.search(r'changes = \*/ "(.*?)"', text)[1]

    git("init")
    (tree / "miniapp").mkdir()
    (tree / "miniapp/a.cpp").write_text("1")
    git("add", ".")
    git("commit", "-m", "first")
    assert written() == (False, "")
    (tree / "my.jsonl").write_text("a record")  # files that are not sources do not change the program
    assert written() == (False, "")
    found = []
    for tracked, untracked in (("2", None), ("3", None), ("3", "1"), ("3", "2")):
        (tree / "miniapp/a.cpp").write_text(tracked)
        if untracked:
            (tree / "miniapp/b.cpp").write_text(untracked)
        assert written() == written()
        found.append(written())
    assert all(dirty and len(changes) == 12 for dirty, changes in found) and len(set(found)) == 4, found


def test_the_best_tunings_of_a_sweep_are_measured_anew(parity, refused, tmp_path):
    assert parity("diffusion", "--nx", 9, "--ny", 8, "--nz", 2, "--steps", 3, "--repeats", 1, "--variants", "kokkos-fused-tile/*,openmp-plane/*", "--json",
                  "real.jsonl").returncode == 0
    names = {}
    for r in rows(tmp_path / "real.jsonl"):
        names.setdefault(r["variant"], []).append(r["tuning"])
    assert all(len(t) > 1 for t in names.values()), names
    # By construction the last tuning of each variant is the fastest.
    sweep = [{**r, "host_seconds": {"samples": [[1.0 - 0.01 * k]]}} for r in rows(tmp_path / "real.jsonl")
             for k in [names[r["variant"]].index(r["tuning"])]]
    write(tmp_path / "sweep.jsonl", sweep)
    done = parity("findings", "sweep.jsonl", "--tunings", "t.toml")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "t.toml").read_text()
    for variant, tunings in names.items():
        assert f'"diffusion/{variant}" = "{tunings[-1]}" # ' in text and f"{len(tunings)} tried" in text
    (tmp_path / "p.toml").write_text('variants = ["kokkos-fused-tile", "openmp-plane", "openmp-fused"]\n[axes]\nsize = [[9, 8, 2], [9, 9, 2]]\nsteps = [3]\n'
                                     "[measure]\nrepeats = 1\n")
    assert parity("measure", "p.toml", "--tunings", "t.toml", "--output", "r.jsonl").returncode == 0
    for r in rows(tmp_path / "r.jsonl"):
        if r["variant"] in names:
            tuned = r["problem"]["ny"] == 8
            assert r["tuning"] == names[r["variant"]][-1 if tuned else 0], "the problem of the sweep, and no other"
    refused("findings", "r.jsonl", "--tunings", "/nowhere/t.toml", says="/nowhere")
    refused("measure", "p.toml", "--tunings", "p.toml", "--output", "x.jsonl", says="holds no [tunings]")
    (tmp_path / "bad.toml").write_text("[[tuned]]\n[tuned.tunings]\n")
    refused("measure", "p.toml", "--tunings", "bad.toml", "--output", "x.jsonl", says="problem")


def test_a_merged_row_beside_its_own_lines_counts_once(parity, plan, tmp_path):
    assert parity("measure", "p.toml", "--output", "lines.jsonl", "--json", "merged.jsonl").returncode == 0
    alone = json.loads(parity("export", "lines.jsonl").stdout)
    for files in (["lines.jsonl", "merged.jsonl"], ["merged.jsonl", "lines.jsonl"], ["merged.jsonl"]):
        document = json.loads(parity("export", *files).stdout)
        assert [p["ratio"] for p in document["pairs"]] == [p["ratio"] for p in alone["pairs"]], files
        assert [(m["starts"], m["host_seconds"]) for m in document["measurements"]] == [
            (m["starts"], m["host_seconds"]) for m in alone["measurements"]], files


@pytest.mark.parametrize("before, after, said", [
    ("GPU-a", "GPU-a", "the same GPU: GPU-a"), ("GPU-a", "GPU-b", "another GPU: GPU-a before, GPU-b after"),
    (None, "GPU-b", "whether the GPU was the same is not recorded"), ("no GPU", "no GPU", None)])
def test_compare_says_whether_the_gpu_is_the_same(parity, tmp_path, before, after, said):
    for name, uuid in (("before", before), ("after", after)):
        gpu = None if uuid == "no GPU" else {"name": "NVIDIA H200", **({"uuid": uuid} if uuid else {})}
        write(tmp_path / f"{name}.jsonl", [{"schema": 3, "type": "environment", "id": "run", "kokkos_default": "Cuda", "gpu": gpu},
                                           row("diffusion", "openmp-fused", [1.0, 1.0, 1.0], POINT)])
    done = parity("compare", "before.jsonl", "after.jsonl")
    assert done.returncode == 0, done.stderr
    assert said in done.stdout if said else "GPU" not in done.stdout


def test_compare_counts_the_intervals_that_hold_the_other_run(parity, plan, tmp_path):
    """The times are set by the test: a busy machine can make an interval of any width."""
    assert parity("measure", "p.toml", "--output", "b.jsonl").returncode == 0
    for name, floats in (("b", 1e-3), ("faster", 0.9e-3)):
        rows = records(tmp_path / "b.jsonl")
        for r in rows:
            if r["type"] == "measurement":
                time = floats if r["problem"]["precision"] == "float" else 1e-3
                r["host_seconds"]["samples"] = [[time * (1 + 0.01 * (start - 2))] * 10 for start in r["starts"]]
        write(tmp_path / f"{name}.jsonl", rows)
    same, less = (parity("compare", "b.jsonl", f"{name}.jsonl").stdout for name in ("b", "faster"))
    assert f"{2 * ROWS} of {2 * ROWS} intervals hold the other run's time (100.0 %)" in same
    assert f"{ROWS} of {2 * ROWS} intervals hold the other run's time (50.0 %)" in less


@pytest.mark.parametrize("starts", [1, 3])
def test_wrong_rows_of_before_are_kept_and_not_measured(parity, plan, tmp_path, starts):
    file = tmp_path / "r.jsonl"
    assert parity("measure", "p.toml", "--output", "r.jsonl", "--starts", starts).returncode == 0
    old = records(file)
    old[1]["verification"].update(error=1.0, passed=False)
    write(file, old)
    done = parity("measure", "p.toml", "--output", "r.jsonl", "--resume", "--starts", starts, "--json", "j.jsonl")
    assert done.returncode == 1 and f"0 rows measured, {ROWS} kept" in done.stdout, done.stdout + done.stderr
    assert rows(tmp_path / "j.jsonl") == []
