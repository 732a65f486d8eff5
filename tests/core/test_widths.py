# SPDX-License-Identifier: BSD-3-Clause
"""Output of commands fits a terminal of 100 columns: the examples of README and the guides, on small problems and constructed records."""
import pathlib
import re
import shlex

import pytest
from record_files import LAUNCH, POINT, row, skipped, write

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDES = ["README.md", "miniapp/README.md", "miniapp/launch/README.md", "miniapp/harness/README.md", "miniapp/tools/filter/README.md",
          "miniapp/tools/density/README.md", "variants/README.md", "variants/LIST.md", "variants/ORIGINAL_WORKS.md"]
SMALL = {"--nx": "24,16", "--ny": "16", "--nz": "2", "--steps": "4", "--n": "300"}
MEASURING = ["--repeats", "3", "--starts", "3", "--time-cap", "0.01"]
WIDE = 100


def too_wide(text):
    return [line for line in text.splitlines() if len(line) > WIDE]


def commands():
    """The words of each example, once; measuring commands use small problems."""
    found = {}
    for page in GUIDES:
        for block in re.findall(r"^```\w*\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL):
            for line in block.replace("\\\n", " ").splitlines():
                line = re.sub(r"^\$ ", "", line).split(" #")[0]
                if re.match(r"(build/)?parity (list|diffusion|kde|findings|filter|density|compare|show|measure .*--dry-run)\b", line) and "--tun" not in line:
                    words = shlex.split(line)[1:]
                    if words[0] in ("diffusion", "kde"):
                        for name, value in SMALL.items():
                            if name in words:
                                words[words.index(name) + 1] = value
                            elif name != "--n" and words[0] == "diffusion" or name == "--n" and words[0] == "kde":
                                words += [name, value]
                        words += MEASURING
                    found[" ".join(words)] = words
    return list(found.values())


def constructed():
    """Long names, mechanisms, tunings and reasons, times from nanoseconds to hours."""
    rows = []
    for scale in (1e-9, 1e-5, 3.0, 4e3):
        problem = {**POINT, "nx": 1048576, "steps": int(1e9 * scale) + 1, "ranks_x": 12, "messages": "automatic"}
        for name, mechanism in (("shared-memory-overlapping", ""), ("shared-memory-fixed-warps-tuned", "+kokkos-graph-unrolled")):
            rows += [row("diffusion", f"kokkos-{name}{mechanism}", [scale, 1.1 * scale, 1.05 * scale], problem, twin=f"cuda-{name}", tuning="16x16x1024x1",
                         mechanism=mechanism[1:] or "stream"),
                     row("diffusion", f"cuda-{name}{mechanism.replace('kokkos-', '')}", [2 * scale, 2.1 * scale, 2.05 * scale], problem, tuning="16x16x1024x1",
                         mechanism=mechanism[8:] or "stream")]
    for quantity in ("dispatch", "latency", "null-overhead", "fusion-overhead", "other-overhead", "total-overhead"):
        rows += [row("launch", f"{family}-kernel-multi-device", [2e-6 * f, 2.1e-6 * f, 1.9e-6 * f], {**LAUNCH, "quantity": quantity},
                     twin="cuda-kernel-multi-device" if family == "kokkos" else "") for f, family in ((1, "kokkos"), (2, "cuda"))]
    rows += [skipped("diffusion", f"cuda-fused-{k}", "a reason that says at some length what this machine lacks and what a user can do " * 2, POINT) for k in range(40)]
    return rows


@pytest.mark.all_tools
def test_the_examples_of_the_guides(parity, tmp_path):
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(1)
    np.save(tmp_path / "in.npy", rng.random((3, 16, 24), "f4"))
    np.save(tmp_path / "samples.npy", rng.random(500))
    for name in ("run", "sweep", "old", "new", "a", "b", "c", "launch_model", "graphs", "barriers", "figure2", "figure3"):
        write(tmp_path / f"{name}.jsonl", constructed())
    (tmp_path / "jobs").symlink_to(ROOT / "jobs")
    every, ran = commands(), 0
    assert len(every) > 20
    for words in every:
        if any(w.endswith((".nc", ".csv")) and w != "table.csv" for w in words):
            continue
        done = parity(*words)
        assert done.returncode in (0, 1), f"{' '.join(words)}: {done.stderr}"
        assert too_wide(done.stdout) == [], f"parity {' '.join(words)}"
        ran += 1
    assert ran > 15


def test_every_table_of_records(parity, tmp_path):
    write(tmp_path / "r.jsonl", constructed())
    done = parity("findings", "r.jsonl")
    assert done.returncode == 0 and too_wide(done.stdout) == [], done.stderr
    assert "+1.7e+09" not in done.stdout and not re.search(r"\d{6,} ns", done.stdout), "times have the unit that suits them"
    assert "kokkos-shared-memory-fixed-warps-tuned+kokkos-graph-unrolled/16x16x1024x1" in done.stdout, "a name is not cut"


def test_verbose_tables_and_lists(parity):
    helps = [["help", command] for command in re.findall(r"^  ([a-z]+) +[A-Z]", parity("help").stdout, re.M)]
    assert len(helps) > 10
    for words in (["list"], ["list", "diffusion"], ["list", "launch"], ["list", "kde"], ["help"], *helps,
                  ["diffusion", "--nx", 16, "--ny", 16, "--nz", 2, "--steps", 4, "--variants", "fused,kokkos-plane*", "--verbose", *MEASURING]):
        done = parity(*words)
        assert done.returncode == 0 and too_wide(done.stdout) == [], done.stderr


def test_tables_of_files_and_of_ranks(parity, tmp_path):
    """Long names of files, of variants and of differences between the files."""
    names = [f"a-file-whose-name-says-what-the-machine-was-{k}.jsonl" for k in range(4)]
    for k, name in enumerate(names):
        rows = constructed()
        for r in rows[:8]:
            r["host_seconds"]["samples"] = [[(1 + k) * s for s in start] for start in r["host_seconds"]["samples"]]
        environment = {"schema": 3, "type": "environment", "id": "run", "kokkos_default": "OpenMP", "kokkos": f"{k}", "commit": "c0ffee " * 30}
        write(tmp_path / name, [environment, *rows])
    for words in (names, [*names, "--pairs"], [*names, "--all"]):
        done = parity("compare", *words)
        assert done.returncode in (0, 1) and too_wide(done.stdout) == [], done.stderr
    alone = [row("diffusion", f"{side}-shared-memory-fixed-warps-overlap", [4e-3] * 3, {**POINT, "ranks_y": n, "messages": "nccl"}, tuning="1x2x128x16")
             for side in ("kokkos", "cuda") for n in (1, 4)]
    write(tmp_path / "weak.jsonl", alone)
    done = parity("findings", "--scaling", "weak.jsonl")
    assert done.returncode == 0 and too_wide(done.stdout) == [] and "400 us" in done.stdout, done.stdout + done.stderr


def test_code_is_folded(parity):
    for words in (["fused"], ["fused", "--openmp"], ["kde/direct", "--tuned"], ["resident"], ["temporal-exchange"]):
        done = parity("show", *words)
        assert done.returncode == 0 and too_wide(done.stdout) == [], done.stderr


def test_algorithms_are_called_with_either_line(parity, refused):
    for word in ("fused-wrap", "fused_wrap", "diffusion/fused_wrap"):
        said = parity("list", word).stdout
        assert "diffusion/kokkos-fused-wrap" in said and "diffusion/openmp-fused-wrap" in said
    assert parity("show", "fused_wrap").stdout == parity("show", "fused-wrap").stdout != ""
    small = ["--nx", 16, "--ny", 16, "--nz", 1, "--steps", 2, *MEASURING]
    for word in ("fused-wrap", "fused_wrap"):
        said = parity("diffusion", *small, "--variants", word).stdout
        assert " kokkos-fused-wrap " in said and " openmp-fused-wrap " in said and "_" not in said.split("\n\n")[1]
    refused("list", "fused-wrp", says="did you mean fused-wrap?")
    refused("diffusion", "--variants", "fussed", says="did you mean fused?")


def test_help_is_a_word_too(parity):
    assert parity("help").stdout == parity("--help").stdout
    assert parity("help", "list").stdout == parity("list", "--help").stdout


def test_a_folder_names_the_records_below_it(refused, tmp_path):
    (tmp_path / "results/deep").mkdir(parents=True)
    write(tmp_path / "results/deep/a.jsonl", constructed())
    refused("findings", "results", says="give files of records; below it are deep/a.jsonl")


def test_a_busy_machine_is_said_before_any_ratio(parity, tmp_path):
    """No interval is printed if preempted samples caused it; one disturbed result does not mark another."""
    rate = [{"name": "throughput", "value": 1.5, "unit": "Gpt/s", "better": "higher"}]
    rows = [row("diffusion", "kokkos-fused", [1.0, 2.0, 3.0], POINT, twin="openmp-fused", preemptions=[[9.0], [8.0], [7.0]], metrics=rate),
            row("diffusion", "openmp-fused", [1.0, 1.01, 1.02], POINT, preemptions=[[0.0], [0.0], [0.0]], metrics=rate)]
    write(tmp_path / "busy.jsonl", rows)
    said = parity("findings", "busy.jsonl").stdout
    assert said.index("BUSY MACHINE: other programs took its processors during most samples of 1 of 2 results") < said.index("speed relative to")
    assert re.search(r"^  fused +0\.5\d \(busy\) +1$", said, re.M) and re.search(r"kokkos-fused / openmp-fused +\S+ \(busy\)", said)
    assert re.search(r"native time / portable time 0\.5\d+ \(busy\);", said), "nor of the best rates"
    rows[0]["preemptions"] = [[0.0]] * 3
    write(tmp_path / "noisy.jsonl", rows)
    assert "BUSY" not in parity("findings", "noisy.jsonl").stdout


def test_noise_that_hides_a_ratio_is_said(parity, tmp_path):
    write(tmp_path / "r.jsonl", [row("launch", "kokkos-kernel", [1e-6, 1.1e-6, 0.9e-6], LAUNCH, twin="cuda-kernel"),
                                 row("launch", "cuda-kernel", [1e-7, 9e-7, -5e-7], LAUNCH)])
    said = parity("findings", "r.jsonl").stdout
    assert "hidden by noise" in said and not re.search(r"kernel +\d\.\d\d \[", said)


def test_a_host_measures_barriers_without_being_told_the_team(parity):
    done = parity("launch", "--quantities", "barrier", "--launches", 20, *MEASURING)
    assert done.returncode == 0, done.stderr
    if "gpu     none" in parity("list").stdout:
        assert "barrier 1x1 " in done.stdout and "openmp-barrier" in done.stdout, done.stdout + done.stderr
