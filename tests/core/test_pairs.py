# SPDX-License-Identifier: BSD-3-Clause
"""All readers of records show the same pairs: the same ratio, interval and number of samples."""
import json
import pathlib

import pytest
import shown_pairs
from record_files import DENSITY, LAUNCH, POINT, lines, row, write

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "jobs/results/h200"


def constructed():
    def portable(samples, **more):
        return row("diffusion", more.pop("variant", "kokkos-fused"), samples, more.pop("problem", POINT), twin="cuda-fused", **more)

    def native(samples, **more):
        return row("diffusion", more.pop("variant", "cuda-fused"), samples, more.pop("problem", POINT), **more)

    other = {**POINT, "steps": 20}
    return [
        # Two tunings of each: only the fastest counts.
        portable([5e-3, 5.1e-3, 4.9e-3], tuning="1x1x64"), portable([2e-3, 2.25e-3, 1.75e-3], tuning="1x2x128"),
        native([9e-3, 9.1e-3, 8.9e-3], tuning="8x8"), native([3e-3, 3.1e-3, 2.9e-3, 3e-3, 3e-3], tuning="32x8"),
        # A wrong result does not count, however fast.
        portable([1e-6, 1e-6, 1e-6], tuning="9x9x9", error=2.0), native([], tuning="7x7", error=2.0),
        # Mechanisms: Kokkos' graph against the native capture of the same schedule, and the capture of both.
        portable([1.5e-3, 1.5e-3, 1.6e-3], variant="kokkos-fused+kokkos-graph-two", mechanism="kokkos-graph-two", tuning="1x2x128"),
        portable([1.25e-3, 1.25e-3, 1.3e-3], variant="kokkos-fused+graph-two", mechanism="graph-two", tuning="1x2x128"),
        native([1e-3, 1.1e-3, 0.9e-3], variant="cuda-fused+graph-two", mechanism="graph-two", tuning="32x8"),
        native([5e-4] * 3, variant="cuda-fused+kokkos-graph-two", mechanism="kokkos-graph-two", tuning="32x8"),  # a schedule of Kokkos' graph is not a native capture
        portable([1.4e-3] * 3, variant="kokkos-fused+kokkos-graph-whole", mechanism="kokkos-graph-whole"),  # its twin was not measured
        # Another problem, and another run with both sides.
        portable([4e-3, 4e-3, 4.5e-3], problem=other), native([4e-3, 4.25e-3, 4e-3], problem=other),
        portable([8e-3] * 3, run="two", tuning="1x2x128"), native([2e-3] * 3, run="two", tuning="32x8"),
        # A run with only one side.
        portable([1e-3] * 3, run="three"),
        # The other studies, and a lower bound hidden by noise: a difference that is not positive.
        row("kde", "kokkos-direct", [3e-4, 3e-4, 3.3e-4], DENSITY, twin="openmp-direct"),
        row("kde", "openmp-direct", [2e-4, 2e-4, 2.2e-4], DENSITY),
        row("launch", "kokkos-kernel", [2.5e-6, 2.4e-6, 2.6e-6], LAUNCH, twin="cuda-kernel"),
        row("launch", "cuda-kernel", [2e-6, 2.1e-6, 1.9e-6], LAUNCH),
        row("launch", "kokkos-kernel", [1e-6, 1e-6, 1e-6], {**LAUNCH, "blocks": 4}, twin="cuda-kernel"),
        row("launch", "cuda-kernel", [-1e-8, -1e-8, 1e-8], {**LAUNCH, "blocks": 4}),
    ]


def test_readers_of_constructed_records(parity, draw, tmp_path):
    """Compares export, findings and the report."""
    write(tmp_path / "c.jsonl", constructed())
    document = json.loads(parity("export", "c.jsonl").stdout)
    assert shown_pairs.of_text(parity("findings", "c.jsonl").stdout) == shown_pairs.of_export(document)
    done, page = draw("c.jsonl")
    assert done.returncode == 0 and shown_pairs.of_page(page) == shown_pairs.of_export(document), done.stderr
    measured = document["measurements"]
    found = [(measured[p["portable"]]["run"]["id"], shown_pairs.name(measured[p["portable"]]), shown_pairs.name(measured[p["native"]]),
              round(p["ratio"]["value"], 9), p["samples"]) for p in document["pairs"]]
    assert found == [
        ("run", "kokkos-fused/1x2x128", "cuda-fused/32x8", 1.5, 3),
        ("run", "kokkos-fused+kokkos-graph-two/1x2x128", "cuda-fused+graph-two/32x8", round(1 / 1.5, 9), 3),
        ("run", "kokkos-fused+graph-two/1x2x128", "cuda-fused+graph-two/32x8", 0.8, 3),
        ("run", "kokkos-fused", "cuda-fused", 1.0, 3),
        ("two", "kokkos-fused/1x2x128", "cuda-fused/32x8", 0.25, 3),
        ("run", "kokkos-direct", "openmp-direct", round(2 / 3, 9), 3),
        ("run", "kokkos-kernel", "cuda-kernel", 0.8, 3)]
    assert document["pairs"][0]["difference"]["value"] == pytest.approx(-1e-3), "the portable row is faster"
    assert not any(measured[c["native"]]["mechanism"].startswith("kokkos") for c in document["cells"])
    cells = next(c["cells"] for c in document["cells"] if measured[c["native"]]["variant"] == "cuda-fused")
    assert [c and round(c["speed"]["value"], 9) for c in cells] == [1.5, None, None, 1.0, None, None], "of two tunings the faster"
    for p in document["pairs"]:
        assert p["ratio"]["low"] <= p["ratio"]["value"] <= p["ratio"]["high"]


def test_what_has_one_form_is_no_first_version(parity):
    """This holds in tables and in merit; and a tuned version without a tuned twin has no pair."""
    frontier = RESULTS / "frontier/frontier.jsonl"
    table = parity("findings", frontier).stdout.split("speed relative to")[1].split("\n\n")[0]
    versions, one_form = table.split("algorithm of one form")
    assert "Kokkos, tuned" in versions and " temporal " in versions
    assert " plane-registers " in one_form and " plane-registers " not in versions
    assert "/idiomatic" not in parity("findings", "--merit", frontier).stdout
    pairs = shown_pairs.of_text(parity("findings", RESULTS / "pairs/kde_pairs.jsonl").stdout)
    assert pairs and not any(portable.startswith("kokkos-split-tuned") for portable, *_ in pairs)


def test_the_list_says_the_tier_of_each_variant(parity):
    variants = {(v["study"], v["name"]): v for v in json.loads(parity("list", "--json").stdout)["variants"]}
    tiers = {name: v["tier"] for (_, name), v in variants.items()}
    assert [tiers[name] for name in ("kokkos-fused", "cuda-fused-tuned", "kokkos-fused-team", "kokkos-resident", "openmp-fused")] == \
        ["first", "tuned", "further", "only", "only"]
    for (study, name), v in variants.items():
        native = variants.get((study, v["twin"]))
        assert not native or native["tier"] in (v["tier"], "only") or (v["tier"], native["tier"]) == ("further", "first"), name


def test_export_into_a_file_and_its_refusals(parity, refused, draw, tmp_path):
    write(tmp_path / "c.jsonl", constructed())
    assert parity("export", "c.jsonl", "--output", "e.json").stdout == ""
    assert (tmp_path / "e.json").read_text() == parity("export", "c.jsonl").stdout
    with (tmp_path / "c.jsonl").open("a") as f:
        f.write('{"type": "measurement"}\n')
    (tmp_path / "empty.jsonl").write_text("")
    for file, says in (("c.jsonl", "c.jsonl: line"), ("missing.jsonl", "missing.jsonl: No such file"), ("empty.jsonl", "holds no measurement")):
        refused("export", file, says=says)
        done, page = draw(file)
        assert done.returncode == 2 and page is None
        assert len(done.stderr.splitlines()) == 1 and says in done.stderr, done.stderr


def test_the_report_without_parity_is_one_line_and_code_3(draw, tmp_path):
    import os

    write(tmp_path / "c.jsonl", constructed())
    done, page = draw("c.jsonl", env={**os.environ, "PARITY": str(tmp_path / "gone")})
    assert done.returncode == 3 and page is None and len(done.stderr.splitlines()) == 1 and "PARITY" in done.stderr


def test_real_rows_go_through_export_unchanged(parity, tmp_path):
    assert parity("diffusion", "--nx", 16, "--ny", 16, "--nz", 1, "--steps", 3, "--repeats", 3, "--variants", "kokkos-fused,openmp-fused",
                  "--json", "r.jsonl").returncode == 0
    exported = json.loads(parity("export", "r.jsonl").stdout)["measurements"]
    places = [m.pop("place") for m in exported]
    assert places == ["r.jsonl: line 2: ", "r.jsonl: line 3: "]
    for shown, read in zip(exported, lines(tmp_path / "r.jsonl"), strict=True):
        assert [*map(len, read["preemptions"])] == [*map(len, read["host_seconds"]["samples"])]
        assert read["host_seconds"]["samples"] == shown["host_seconds"]["samples"] and read["run"]["id"] == shown["run"]["id"]
        for field in read.keys() - {"host_seconds", "device_seconds", "run", "end_to_end_seconds"}:
            assert read[field] == shown[field], field


def test_versions_of_kokkos_are_columns(parity, draw, tmp_path):
    """Each pair comes from one run; a version without a pair has an empty cell, and results of several versions never have one origin."""
    rows = []
    for version, first, tuned in (("5.2.2", 2.0, 1.0), ("4.6.01", 4.0, 1.25), ("5.0.2", 2.5, None)):
        for variant, seconds in (("kokkos-fused", first), ("kokkos-fused-tuned", tuned), ("cuda-fused", 1.0), ("cuda-fused-tuned", 1.0)):
            if seconds:
                made = row("diffusion", variant, [seconds, seconds * 1.01, seconds * 0.99], POINT, twin=variant.replace("kokkos", "cuda") * variant.startswith("kokkos"))
                rows.append({**made, "tier": "tuned" if "tuned" in variant else "first", "run": {**made["run"], "id": version, "kokkos": version}})
    write(tmp_path / "v.jsonl", rows)
    said = parity("findings", "v.jsonl").stdout
    block = said[said.index("pairs by version of Kokkos on CPU A"):].split("\n\n")[0].splitlines()
    table = [line.split() for line in block if not line.startswith("pairs ")]
    assert [line[0] for line in table if line[0] != "run,"] == ["Kokkos", "kokkos-fused", "kokkos-fused-tuned"], said
    assert table[-3][1:] == ["4.6.01", "5.0.2", "5.2.2"]
    assert [w for w in table[-2][1:] if w[0].isdigit() and w[-1] != "]"] == ["0.25", "0.40", "0.50"] and table[-1][-4:-3] == ["-"], said
    assert max(map(len, said.splitlines())) <= 100 and said.count("== commit c0ffee on CPU A, Kokkos ") == 3
    done, page = draw("v.jsonl")
    assert done.returncode == 0, done.stderr
    shown = page.split("<section id=versions>")[1].split("</section>")[0]
    assert shown.index("4.6.01") < shown.index("5.0.2") < shown.index("5.2.2") and shown.count("<tr><td>kokkos-fused") == 2 and "<td>-</td>" in shown
    assert "Kokkos 5.2.2 has " in page
    write(tmp_path / "one.jsonl", [r for r in rows if r["run"]["kokkos"] == "5.2.2"])
    assert "by version" not in parity("findings", "one.jsonl").stdout and "id=versions" not in draw("one.jsonl")[1]
