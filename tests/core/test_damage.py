# SPDX-License-Identifier: BSD-3-Clause
"""Damaged records: every command names file and line, in one printable line, and exits with 2; none reads damage as data."""
import copy
import json
import os
import re

import pytest
from record_files import DENSITY, LAUNCH, POINT, row, skipped, write


def records():
    environment = {"schema": 4, "type": "environment", "id": "run", "commit": "c0ffee", "modified": False, "host": "h", "time": "now",
                   "cpu": "CPU A", "gpu": None, "no_gpu_because": "none", "kokkos": "3.4", "kokkos_default": "OpenMP", "omp_threads": 2}
    metrics = [{"name": "throughput", "value": 1.5, "unit": "Gpt/s", "better": "higher"}]
    return copy.deepcopy([
        environment,
        row("diffusion", "kokkos-fused", [2e-3, 2.1e-3, 1.9e-3], POINT, twin="openmp-fused", metrics=metrics),
        row("diffusion", "openmp-fused", [1e-3] * 3, POINT),
        row("kde", "kokkos-direct", [3e-4, 3e-4, 3.3e-4], DENSITY, twin="openmp-direct", tuning="32", tuning_axes="block width"),
        row("kde", "kokkos-direct", [3e-4, 3e-4, 3.3e-4], DENSITY, twin="openmp-direct", tuning="64", tuning_axes="block width"),
        row("launch", "kokkos-kernel", [2.5e-6, 2.4e-6, 2.6e-6], LAUNCH, twin="openmp-kernel"),
        skipped("diffusion", "cuda-fused", "no GPU", POINT)])


def readers(tmp_path):
    (tmp_path / "plan.toml").write_text('variants = ["reference-loop"]\n[axes]\nsize = [[8, 8, 1]]\nsteps = [1]\n[measure]\nrepeats = 1\n')
    return [["findings", "--merit", "r.jsonl"], ["compare", "r.jsonl", "r.jsonl"], ["findings", "r.jsonl"],
            ["export", "r.jsonl", "--output", "e.json"], ["export", "--records", "r.jsonl", "--output", "m.jsonl"],
            ["measure", "plan.toml", "--output", "r.jsonl", "--resume", "--threads", 1]]


def clear(done):
    """Requires one printable line for a user: no text of an exception, no control character."""
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("parity: "), done.stderr
    assert lines[0].isprintable() and len(lines[0]) < 500, done.stderr
    assert not re.search(r"json\.exception|parse_error|type_error|out_of_range|terminate|basic_string|std::", lines[0]), done.stderr
    return lines[0]


DAMAGE = {
    "a broken line": lambda text: text.replace('"study"', '"study', 1),
    "a control character": lambda text: text.replace("kokkos-fused", "kokkos\\u001b[31mfused", 1),
    "a huge text": lambda text: text.replace("kokkos-fused", "k" * 100000, 1),
    "a huge number": lambda text: text.replace("[0.002]", "[1e999]", 1),
    "a list for a text": lambda text: text.replace('"variant": "kokkos-fused"', '"variant": ["kokkos-fused"]', 1),
    "deep nesting": lambda text: text.replace('"floor": false', '"floor": ' + "[" * 100000 + "]" * 100000, 1),
    "a schema to come": lambda text: text.replace('"schema": 3, "type": "measurement"', '"schema": 5, "type": "measurement"', 1),
    "a schema of before 1.0": lambda text: text.replace('"schema": 3, "type": "measurement"', '"schema": 2, "type": "measurement"', 1),
    "fewer starts than blocks": lambda text: text.replace('"starts": [1, 2, 3]', '"starts": [1, 2]', 1),
    "another type": lambda text: text.replace('"type": "measurement"', '"type": "measuremend"', 1),
    "no type": lambda text: text.replace('"type": "measurement"', '"tipe": "measurement"', 1),
    "no verdict": lambda text: text.replace('"tolerance": 1.0', '"tolernce": 1.0', 1),
    "no reason": lambda text: text.replace('"reason"', '"raison"', 1),
    "a negative cost": lambda text: text.replace('"floor": false', '"floor": false, "model": {"bytes": -1}', 1),
    "a list for a GPU": lambda text: text.replace('"gpu": null', '"gpu": []', 1),
}


@pytest.mark.parametrize("damage", DAMAGE, ids=str)
def test_damage_is_named_by_every_command(parity, tmp_path, damage):
    text = "".join(json.dumps(r) + "\n" for r in records())
    broken = DAMAGE[damage](text)
    assert broken != text
    line = 1 + next(k for k, (a, b) in enumerate(zip(text.split("\n"), broken.split("\n"))) if a != b)
    for command in readers(tmp_path):
        (tmp_path / "r.jsonl").write_bytes(broken.encode(errors="surrogateescape"))
        done = parity(*command)
        assert done.returncode == 2, (command, done.stdout, done.stderr)
        assert f"r.jsonl: line {line}" in clear(done), (command, done.stderr)
        assert (tmp_path / "r.jsonl").read_bytes() == broken.encode(errors="surrogateescape")  # --resume removed nothing
        assert not {"e.json", "m.jsonl"} & set(os.listdir(tmp_path))


def test_a_parameter_that_a_command_needs_is_named_with_its_line(parity, tmp_path):
    lines = records()
    del lines[1]["problem"]["nx"]
    write(tmp_path / "r.jsonl", lines)
    message = clear(parity("findings", "r.jsonl"))
    assert "r.jsonl: line 2: problem.nx of diffusion/kokkos-fused is no whole number" in message
    lines = records()
    lines[5]["problem"]["quantity"] = 7
    write(tmp_path / "r.jsonl", lines)
    assert "r.jsonl: line 6: problem.quantity" in clear(parity("findings", "r.jsonl"))


def test_a_path_that_is_no_text_is_exported(parity, tmp_path):
    """The path names a run without an identity; results without the header of their run are refused."""
    name = os.fsdecode(b"r\xff.jsonl")
    header, *lines = records()[:-1]
    del header["id"]
    for r in lines:
        del r["run"]
    write(tmp_path / name, lines)
    done = parity("export", name, "--output", "e.json")
    assert done.returncode == 2 and "line 1: the header of its run, an environment, is not above it" in clear(done)
    write(tmp_path / name, [header, *lines])
    done = parity("export", name, "--output", "e.json")
    assert done.returncode == 0, done.stderr
    assert len(json.loads((tmp_path / "e.json").read_text())["measurements"]) == len(lines)


def test_an_unfinished_last_line_is_not_read_and_said(parity, tmp_path):
    write(tmp_path / "r.jsonl", records())
    with (tmp_path / "r.jsonl").open("a") as f:
        f.write('{"type": "measurement", "stu')
    for command in (["findings", "--merit", "r.jsonl"], ["export", "r.jsonl"], ["findings", "r.jsonl"], ["export", "--records", "r.jsonl", "--output", "m.jsonl"]):
        done = parity(*command)
        assert done.returncode == 0
        assert done.stderr == "parity: r.jsonl: its last line is cut after 28 bytes and not read: the row is measured again with --resume\n"
    assert json.loads(parity("export", "r.jsonl").stdout)["cut"] == ["r.jsonl"]
    assert len(rows_of_export(parity, tmp_path)) == len([r for r in records() if r["type"] == "measurement"])


def test_resume_keeps_a_last_line_without_its_end(parity, tmp_path):
    readers(tmp_path)
    measure = ["measure", "plan.toml", "--output", "m.jsonl", "--threads", 1]
    assert parity(*measure).returncode == 0
    whole = (tmp_path / "m.jsonl").read_text()
    for cut, kept in (("\n", "1 kept"), ("}\n", "0 kept")):
        (tmp_path / "m.jsonl").write_text(whole.removesuffix(cut))
        done = parity(*measure, "--resume")
        assert done.returncode == 0 and kept in done.stdout, done.stdout
        again = (tmp_path / "m.jsonl").read_text()
        assert again.count("\n") == whole.count("\n") and again.endswith("}\n") and (kept[0] == "0" or again == whole)


def test_a_last_line_without_its_end_is_read(parity, tmp_path):
    """Editors may leave a file so."""
    write(tmp_path / "r.jsonl", records())
    text = (tmp_path / "r.jsonl").read_text()
    (tmp_path / "r.jsonl").write_text(text.rstrip("\n"))
    assert parity("findings", "--merit", "r.jsonl").stderr == ""
    assert len(rows_of_export(parity, tmp_path)) == len([r for r in records() if r["type"] == "measurement"])


def rows_of_export(parity, tmp_path):
    assert parity("export", "r.jsonl", "--output", "e.json").returncode == 0
    return json.loads((tmp_path / "e.json").read_text())["measurements"]
