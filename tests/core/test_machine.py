# SPDX-License-Identifier: BSD-3-Clause
"""The choice of threads and devices: --threads, --device, OMP_NUM_THREADS; the report of a run on these and on noise."""
import json
import os
import shutil
import subprocess

import numpy as np
import pytest
from record_files import key, records, rows, sample_count

SMALL = ["--nx", 8, "--ny", 8, "--nz", 1, "--steps", 2, "--repeats", 2, "--variants", "openmp-plane"]
PLAN = 'variants = ["openmp-plane"]\n[axes]\nsize = [[8, 8, 1]]\nsteps = [2]\n[measure]\nrepeats = 2\n'


def environment(**changes):
    kept = {k: v for k, v in os.environ.items() if k not in ("OMP_NUM_THREADS", "KOKKOS_NUM_THREADS")}
    return {**kept, **changes}


@pytest.mark.parametrize("arguments", [["--threads", 2, "diffusion", *SMALL], ["diffusion", *SMALL, "--threads", 2], ["diffusion", *SMALL, "--threads=2"]], ids=str)
def test_threads_before_and_after_the_command(parity, tmp_path, arguments):
    done = parity(*arguments, "--json", "r.jsonl", env=environment(OMP_NUM_THREADS="1"))
    assert done.returncode == 0, done.stderr
    assert "ran on 2 OpenMP threads" in done.stdout
    assert records(tmp_path / "r.jsonl")[0]["omp_threads"] == 2


def test_threads_of_every_command_that_computes(parity, tmp_path):
    (tmp_path / "p.toml").write_text(PLAN)
    np.save(tmp_path / "f.npy", np.ones((8, 8), np.float32))
    np.save(tmp_path / "s.npy", np.arange(100.0))
    for arguments in (["kde", "--n", 50, "--repeats", 1, "--variants", "openmp-direct", "--threads", 2], ["measure", "p.toml", "--threads", 2],
                      ["filter", "f.npy", "g.npy", "--steps", 2, "--threads", 2], ["density", "s.npy", "d.npy", "--threads", 2],
                      ["list", "--threads", 2], ["launch", "--quantities", "latency", "--variants", "openmp-kernel", "--repeats", 3, "--omp-threads", 2]):
        done = parity(*arguments, env=environment(OMP_NUM_THREADS="1"))
        assert done.returncode in (0, 1 if arguments[0] == "launch" else 0), (arguments, done.stdout, done.stderr)
        if arguments[0] in ("kde", "measure", "launch"):
            assert "ran on 2 OpenMP threads," in done.stdout
    assert "host    2 OpenMP threads" in parity("list", "--threads", 2, env=environment(OMP_NUM_THREADS="1")).stdout


@pytest.mark.parametrize("text", ["0", "-1", "abc", "2000", "1e1", "", "99999999999999999999", "2 ", "1,2"])
def test_wrong_counts_of_threads_are_one_line(refused, text):
    refused("diffusion", *SMALL, f"--threads={text}", says="--threads")


@pytest.mark.parametrize("text", ["0", "abc", "2000", "99999999999999999999", "-3", "2x", "\x1b[31m"])
def test_a_wrong_variable_is_one_line(parity, text):
    done = parity("diffusion", *SMALL, env=environment(OMP_NUM_THREADS=text))
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("parity: OMP_NUM_THREADS is '") and "--threads" in done.stderr and done.stderr[:-1].isprintable()


@pytest.mark.parametrize("text", ["1", " 2 ", "2,1", ""])
def test_right_variables_are_taken(parity, text):
    done = parity("diffusion", *SMALL, env=environment(OMP_NUM_THREADS=text))
    assert done.returncode == 0 and done.stderr == ""


@pytest.mark.parametrize("text", ["2000", "0", "abc", "1"])
def test_kokkos_has_the_threads_of_openmp(parity, tmp_path, text):
    """Both sides of a pair use the same number, whatever Kokkos' own variable says."""
    done = parity("diffusion", *SMALL[:-1], "kokkos-fused,openmp-fused", "--threads", 2, env=environment(KOKKOS_NUM_THREADS=text))
    assert done.returncode == 0 and done.stderr == "" and "ran on 2 OpenMP threads" in done.stdout
    done = parity("list", env=environment(KOKKOS_NUM_THREADS=text))
    assert done.returncode == 0 and done.stderr == ""


def test_commands_that_read_records_need_no_threads(parity):
    done = parity("findings", "--merit", "none.jsonl", env=environment(OMP_NUM_THREADS="2000"))
    assert done.returncode == 2 and "none.jsonl" in done.stderr


def test_a_device_that_is_not_there(parity, refused):
    gpu = "gpu     none" not in parity("list").stdout
    refused("diffusion", *SMALL, "--device", 1000, says="--device", code=2 if gpu else 3)
    refused("diffusion", *SMALL, "--device", "x", says="--device is 'x': give a whole number from 0")


def test_a_plan_is_overridden(parity, tmp_path):
    (tmp_path / "p.toml").write_text(PLAN)
    done = parity("measure", "p.toml", "--variants", "reference-loop,kokkos-fused", "--repeats", 5, "--time-cap", 3, "--output", "r.jsonl",
                  "--csv", "r.csv", "--json", "j.jsonl")
    assert done.returncode == 0, done.stderr
    measured = rows(tmp_path / "r.jsonl")
    assert {r["variant"] for r in measured} == {"reference-loop", "kokkos-fused"}
    assert all(sample_count(r) == 5 for r in measured)
    assert [key(r) for r in rows(tmp_path / "j.jsonl")] == [key(r) for r in measured] and len((tmp_path / "r.csv").read_text().splitlines()) == 3
    assert "at most 7 repeats" in parity("measure", "p.toml", "--dry-run", "--repeats", 7).stdout
    (tmp_path / "q.toml").write_text(PLAN.replace('variants = ["openmp-plane"]\n', ""))
    assert parity("measure", "q.toml", "--variants", "openmp-plane", "--output", "q.jsonl").returncode == 0


@pytest.mark.parametrize("arguments,says", [
    (["--threads", 2, "diffusion", "--varaints", "x"], "--varaints is no option of 'parity diffusion'; did you mean --variants?"),
    (["difusion"], "'difusion' is no command; did you mean diffusion?"), (["diffusion", "-nx", 5], "-nx is no option; did you mean --nx?"),
    (["diffusion", "--variants", "diffusion/"], "no diffusion variant is called 'diffusion/'"), (["diffusion", "--variants", "/1"], "no diffusion variant is called '/1'"),
    (["list", "kde/"], "'kde/' is no study, algorithm or variant"), (["diffusion", "nx", 5], "not expected: "),
    (["diffusion", "--variants", "openmp-plane", "--baseline", "kokkos-fused"], "--variants says what is"),
    (["filter", "a", "b", "--steps", 2, "--alpha", "0,02"], "--alpha is '0,02': give a number, with a point where it has decimals"),
    (["filter", "a", "b", "--steps", 2, "--steps", 3], "--steps: At Most 1 required but received 2"),
    (["diffusion", "--size", "64"], "--size is no option of 'parity diffusion': in plans it is [nx, ny, nz]; here give --nx, --ny, --nz ("),
    (["filter", "--steps"], "--steps: 1 required"), ([], "A subcommand is required"), (["findings", "--merit", "-r.jsonl"], "-r.jsonl is no option of 'parity findings'"),
], ids=str)
def test_a_wrong_command_line_is_said_in_one_line(refused, arguments, says):
    refused(*arguments, says=says)


def test_a_name_that_begins_with_a_dash(refused, tmp_path):
    (tmp_path / "-r.jsonl").write_text("")
    refused("findings", "--merit", "./-r.jsonl", says="./-r.jsonl: holds no measurement")


def test_list_is_short_and_says_everything_on_demand(parity, refused):
    short = parity("list")
    assert short.returncode == 0 and len(short.stdout.splitlines()) <= 40 and all(len(line) <= 100 for line in short.stdout.splitlines())
    document = json.loads(parity("list", "--json").stdout)
    names = {f"{v['study']}/{v['name']}" for v in document["variants"]}
    assert len(names) == len(document["variants"]) > 90
    assert {v["algorithm"] or v["name"] for v in document["variants"]} <= set(short.stdout.replace("(", "").replace(")", "").split())
    missing = {v["cannot_run_because"] for v in document["variants"] if not v["available"]}
    details = parity("list", "diffusion").stdout
    said = " ".join((details + parity("list", "kde").stdout + parity("list", "launch").stdout).split())
    assert all(f"cannot run here: {reason}" in said for reason in missing)
    assert "diffusion/cuda-fused" in details and "twin:" in details and "tunings (" in details and "launch mechanisms of" in details
    some = parity("list", "cuda-*").stdout
    assert "diffusion/cuda-fused" in some and "kde/cuda-" in some and "kokkos-fused " not in some
    assert "kde/kokkos-split" in parity("list", "kde/kokkos-split").stdout
    available = json.loads(parity("list", "--available", "--json").stdout)["variants"]
    assert available and all(v["available"] for v in available) and "cannot run here" not in parity("list", "--available").stdout
    refused("list", "kokos-fused", says="did you mean kokkos-fused?")


@pytest.mark.parametrize("variable", ["OMP_DYNAMIC=true", "OMP_THREAD_LIMIT=1", "OMP_MAX_ACTIVE_LEVELS=0"])
def test_openmp_may_give_fewer_threads(parity, tmp_path, variable):
    (tmp_path / "x.csv").write_text("".join(f"{k}.5\n" for k in range(100)))
    for command in (["list"], ["density", "x.csv", "o.csv"], ["diffusion", *SMALL]):
        done = parity(*command, env=environment(OMP_NUM_THREADS="2", **dict([variable.split("=")])))
        assert done.returncode == 0, done.stderr


FEWER = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*what)(void*), void* with) {
  static int made;
  int (*create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) = dlsym(RTLD_NEXT, "pthread_create");
  return __atomic_add_fetch(&made, 1, __ATOMIC_SEQ_CST) > atoi(getenv("MOST_THREADS")) ? EAGAIN : create(thread, how, what, with);
}
"""


@pytest.mark.parametrize("command", [["filter", "f.npy", "o.npy", "--steps", "1"], ["density", "x.npy", "d.npy"], ["list"]], ids=lambda c: c[0])
def test_no_more_threads_or_processors_are_said(parity, tmp_path, command):
    """GOMP_CPU_AFFINITY names processors that do not exist."""
    np.save(tmp_path / "f.npy", np.random.default_rng(0).random((3, 9, 11)))
    np.save(tmp_path / "x.npy", np.random.default_rng(0).random(100))
    (tmp_path / "fewer.c").write_text(FEWER)
    if shutil.which("cc") is None or subprocess.run(["cc", "-shared", "-fPIC", "-o", "fewer.so", "fewer.c", "-ldl"], cwd=tmp_path).returncode:
        pytest.skip("no C compiler")
    runs = [parity(*command, env=environment(OMP_NUM_THREADS="2", GOMP_CPU_AFFINITY=f"{os.cpu_count() + 3}-{os.cpu_count() + 7}"))]
    runs += [parity(*command, env=environment(OMP_NUM_THREADS="2", LD_PRELOAD=str(tmp_path / "fewer.so"), MOST_THREADS=str(n))) for n in range(10)]
    for done in runs:
        assert done.returncode in (0, 2, 3) and (done.returncode == 0 or "threads" in done.stderr), (done.returncode, done.stderr)
        assert [n for n in os.listdir(tmp_path) if ".partial-" in n] == []
    assert runs[1].returncode != 0
