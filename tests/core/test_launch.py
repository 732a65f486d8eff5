# SPDX-License-Identifier: BSD-3-Clause
"""parity launch, launch plans and findings, as a user types them. Nothing here needs a GPU."""
import json
import re

import pytest
from record_files import LAUNCH, row, rows, sample_count, write

# One thread: on a busy machine two threads that wait for each other take milliseconds.
FAST = ["--repeats", 5, "--starts", 1, "--quiet", "--omp-threads", 1]


def quantities(done, file, asked):
    """The results: events were counted, and a delay that did not come back in time is only a caveat, on any machine."""
    found = rows(file)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(found) == asked and all(r["verification"]["passed"] for r in found), done.stdout
    assert ("unreliable, because" in done.stdout) == any(r["verification"].get("caveat") for r in found), done.stdout
    return found


def test_figures_of_the_host_with_their_checks(parity, tmp_path):
    done = parity("launch", "--quantities", "null-overhead,latency", "--variants", "openmp-kernel,kokkos-kernel", *FAST,
                  "--json", "l.jsonl", "--csv", "l.csv", "--verbose")
    measured = quantities(done, tmp_path / "l.jsonl", 4)
    asked = {(v, q) for v in ("openmp-kernel", "kokkos-kernel") for q in ("null-overhead", "latency")}
    assert {(r["variant"], r["problem"]["quantity"]) for r in measured} == asked
    for r in measured:
        said = r["verification"]["reference"]
        assert r["study"] == "launch" and "injected delay" in said and "came back as" in said
        assert sample_count(r) == 5 and 0 < r["host_seconds"]["median"]
    assert "came back as" in done.stdout
    assert (tmp_path / "l.csv").read_text().startswith("study,variant,kernel,mechanism,tuning,family,quantity,")


# Kokkos variants with this quantity on a host: both ranges, mdrange, team and reduce (which does not compute), and graph.
VARIANTS = {"fusion-overhead": 6, **dict.fromkeys(
    ("node", "graph-create", "graph-instantiate", "graph-first-launch", "graph-dispatch", "graph-latency", "graph-repeat"), 1)}


@pytest.mark.parametrize("quantity", ["fusion-overhead", "total-overhead", "throughput", "copy", "node",
                                      "graph-create", "graph-instantiate", "graph-first-launch", "graph-dispatch", "graph-latency",
                                      "graph-repeat"])
def test_every_quantity_of_a_host(parity, tmp_path, quantity):
    done = parity("launch", "--quantities", quantity, "--variants", "kokkos-*", "--launches", 7, "--threads", 3,
                  "--unit-ns", 1000, "--units", 3, "--bytes", 4112, "--json", "l.jsonl", *FAST)
    found = quantities(done, tmp_path / "l.jsonl", VARIANTS.get(quantity, 5))
    assert quantity in done.stdout and "kokkos" in done.stdout and "came back" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100 and not re.search(r" -[\d.]+ .s|\[-", done.stdout), "no time below zero"
    assert all(r["problem"]["quantity"] == quantity for r in found)


@pytest.mark.parametrize("arguments, message", [
    (["--argument-bytes", "100"], "--argument-bytes is 100: give one of 0, 64, 256"),
    (["--quantities", "fusion-overhead", "--launches", "5"], "must differ"),
    (["--topology", "ring"], "--topology is 'ring'; did you mean line? (give line, fork)"),
    (["--bytes", "20"], "multiple of 16"),
])
def test_bad_input_names_the_fix(refused, arguments, message):
    refused("launch", *arguments, says=message)


@pytest.mark.parametrize("arguments, reason", [
    (["--variants", "openmp-kernel", "--quantities", "dispatch"], "it has no 'dispatch'"),
    (["--variants", "openmp-kernel", "--quantities", "fusion-overhead", "--unit", "nanosleep"], "nanosleep is a GPU's"),
    (["--variants", "openmp-kernel", "--quantities", "null-overhead", "--argument-bytes", "64"], "at most 0 bytes"),
    (["--variants", "kokkos-kernel", "--quantities", "null-overhead", "--devices", "2"], "one GPU"),
    (["--variants", "kokkos-graph", "--quantities", "graph-update-node"], "arguments in its graphs cannot be replaced"),
])
def test_what_cannot_run_here_has_a_reason(parity, arguments, reason):
    done = parity("launch", *arguments, *FAST)
    assert done.returncode == 3 and reason in done.stdout, done.stdout + done.stderr


def test_a_host_forks_no_graph_that_never_ends(parity):
    if not re.search(r"default execution space (OpenMP|Serial|Threads)", parity("--version").stdout):
        pytest.skip("Kokkos is on a GPU here")
    done = parity("launch", "--variants", "kokkos-graph", "--quantities", "graph-dispatch", "--topology", "fork", "--launches", "9", *FAST)
    assert done.returncode == 3 and "of at most 8" in done.stdout, done.stdout + done.stderr


def test_plan_is_measured_resumed_and_read_by_findings(parity, tmp_path):
    (tmp_path / "p.toml").write_text('study = "launch"\nvariants = ["openmp-kernel", "kokkos-kernel"]\n'
                                     '[[axes]]\nquantity = ["null-overhead", "latency"]\n'
                                     '[[axes]]\nquantity = ["fusion-overhead"]\nlaunches = [10]\nunit_ns = [1000]\n'
                                     '[measure]\nrepeats = 6\nstarts = 3\n')
    dry = parity("measure", "p.toml", "--dry-run")
    assert dry.returncode == 0 and "6 rows" in dry.stdout, dry.stdout + dry.stderr
    done = parity("measure", "p.toml", "--output", "r.jsonl", "--quiet", "--omp-threads", 1)
    found = quantities(done, tmp_path / "r.jsonl", 6)
    assert all(r["starts"] == [1, 2, 3] for r in found) and "6 rows measured" in done.stdout
    again = parity("measure", "p.toml", "--output", "r.jsonl", "--resume", "--quiet", "--omp-threads", 1)
    assert "6 kept" in again.stdout, again.stdout
    shown = parity("findings", "r.jsonl")
    assert shown.returncode == 0 and "Fig 2" in shown.stdout
    blocks = re.findall(r"^ .*\bquantity=(\S+).*\n +Kokkos / native.*\n +kokkos-kernel / openmp-kernel ", shown.stdout, re.M)
    # A ratio has no interval if noise made a sample of a process negative or zero.
    samples = [(r["problem"]["quantity"], b) for r in rows(tmp_path / "r.jsonl") for b in r["host_seconds"]["samples"]]
    certain = {"null-overhead", "latency", "fusion-overhead"} - {q for q, b in samples if min(b) <= 0}
    assert certain <= set(blocks) <= {"null-overhead", "latency", "fusion-overhead"} and "latency" in blocks and len(blocks) == len(set(blocks))


def test_findings_mark_what_is_lost_in_noise(parity, tmp_path):
    write(tmp_path / "r.jsonl", [row("launch", "cuda-kernel", samples, {**LAUNCH, "quantity": q}, family="cuda") for q, samples in
                                 {"fusion-overhead": [2e-6, 2.1e-6, 2.2e-6], "other-overhead": [5e-6, 6e-6, 12e-6]}.items()])
    done = parity("findings", "r.jsonl")
    assert done.returncode == 0 and re.search(r"cuda-kernel +spin .* n\.m\. 6 us \(noisy\)", done.stdout), done.stdout
    assert done.stdout.count("n.m. ") == 1 and "n.m.: not measurable here" in done.stdout


def diffusion(seconds, **fields):
    return row("diffusion", "openmp-fused", [seconds], {"nx": 64, "ny": 64, "nz": 64, "steps": 10, "halo": 2, "precision": "float"},
               model={"launches": 20, "submissions": 20, "bytes": 1e8},
               metrics=[{"name": "throughput", "value": 1.0, "unit": "Gpt/s", "better": "higher"},
                        {"name": "copy_bandwidth", "value": 1e10, "unit": "B/s", "better": "neither"}], **fields)


@pytest.mark.parametrize("launches, copies, shares", [(True, True, ["30 %", "50 %", "20 %"]), (True, False, ["30 %", "not measured", "not measured"]),
                                                      (False, True, ["not measured", "50 %", "not measured"])])
def test_findings_divide_a_time(parity, tmp_path, launches, copies, shares):
    """The parts are launches at the cost of one, bytes at the speed of a copy, and the rest."""
    timed = diffusion(0.02)
    timed["metrics"] = timed["metrics"][:1 + copies]
    write(tmp_path / "r.jsonl", [timed] + [row("launch", "openmp-kernel", [3e-4], {**LAUNCH, "quantity": "null-overhead"})] * launches)
    done = parity("findings", "r.jsonl", "--json", "f.json")
    table = done.stdout[done.stdout.index("where the time goes"):]
    assert done.returncode == 0 and max(map(len, table.splitlines())) <= 100, done.stdout + done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("  openmp-fused ")]
    assert re.findall(r"not measured|-?\d+ %", line) == shares
    assert ("jobs/plans/launch_local.toml" in done.stdout) == (not launches)
    (found,) = json.loads((tmp_path / "f.json").read_text())["split"]
    assert found["measured us"] == pytest.approx(2e4) and found["bytes us"] == (pytest.approx(1e4) if copies else None)
    assert found["launches us"] == (pytest.approx(6e3) if launches else None)
    assert found["rest us"] == (pytest.approx(4e3) if launches and copies else None)
