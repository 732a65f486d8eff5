# SPDX-License-Identifier: BSD-3-Clause
"""Records of before: every command still reads them, under the present names."""
import json
import pathlib

import pytest
import shown_pairs

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "jobs" / "results" / "h200"
LAUNCHES = pathlib.Path(__file__).with_name("launch_study_schema_1.jsonl")  # rows of 44b71ba


def lines_of(file, wanted, count):
    """The environment and the first rows that are wanted, as they stand in a file of results."""
    lines = (RESULTS / file).read_text().splitlines()
    chosen = [line for line in lines[1:] if wanted(json.loads(line))][:count]
    assert json.loads(lines[0])["type"] == "environment" and len(chosen) == count
    return lines[:1] + chosen


@pytest.fixture
def old(tmp_path):
    """old.jsonl: filters with pairs and graphs, a sweep of block widths, and launches, each with its run's environment."""
    filters = lines_of("cluster_job.jsonl", lambda r: r["problem"]["steps"] > 0 and r["kernel"] in (
        "kokkos-fused", "cuda-fused-2d", "kokkos-baseline", "cuda-baseline", "cuda-copy", "kokkos-copy"), 24)
    widths = lines_of("kde_widths.jsonl", lambda r: r["variant"] == "cuda-seed-fixed", 40)
    launches = LAUNCHES.read_text().splitlines()
    (tmp_path / "old.jsonl").write_text("\n".join(filters + widths + launches) + "\n")
    return [json.loads(line) for line in filters + widths + launches]


@pytest.fixture
def document(parity, old):
    done = parity("export", "old.jsonl")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_export_makes_them_rows_of_the_present_schema(old, document):
    before = [r for r in old if r["type"] == "measurement"]
    assert all(r["schema"] == 1 for r in before)
    for was, now in zip(before, document["measurements"], strict=True):
        assert now["schema"] == 3 and now["problem"] == was["problem"] and now["verification"]["passed"] == was["verification"]["passed"]
        assert now["host_seconds"]["samples"] == [was["host_seconds"]["samples"]]
        assert now["host_seconds"]["median"] == pytest.approx(was["host_seconds"]["median"], 1e-12)
        assert now["host_seconds"]["low"] is None and now["host_seconds"]["high"] is None, "one process says nothing of the next"
        assert now["capture_seconds"] == was.get("record_seconds", 0)
        assert now["end_to_end_seconds"] == pytest.approx(was["end_to_end_seconds"], 1e-12)
        assert now["variant"] == was["variant"].replace("-seed-", "-original-")
        metrics = {m["name"]: m["value"] for m in now["metrics"]}
        if now["study"] == "diffusion":
            p = now["problem"]
            assert metrics["throughput"] == pytest.approx(p["nx"] * p["ny"] * p["nz"] * p["steps"] / was["host_seconds"]["median"] / 1e9)
            assert metrics["floor_share"] == pytest.approx(was["floor_share"])
            assert metrics["copy_bandwidth"] == was["copy_bandwidth"]
        elif now["study"] == "kde":
            assert metrics["throughput"] == pytest.approx(was["pairs"] / was["host_seconds"]["median"] / 1e9)
            assert metrics["occupancy"] == was["occupancy"] and now["tuning_axes"] == "block width"
        else:
            assert metrics["time"] == pytest.approx(1e6 * was["host_seconds"]["median"])
    assert len(document["runs"]) == 3 == len({r["id"] for r in document["runs"]})
    assert {m["run"]["id"] for m in document["measurements"]} == {r["id"] for r in document["runs"]}
    assert all(r["device"] == "NVIDIA H200" and r["commit"] and r["complete"] for r in document["runs"])


def test_their_pairs_are_the_same_everywhere(parity, draw, document):
    expected = shown_pairs.of_export(document)
    assert len(expected) >= 4 and any("+graph-two" in p for p, _, _, _ in expected)
    findings = parity("findings", "old.jsonl")
    assert findings.returncode == 0, findings.stderr
    assert shown_pairs.of_text(findings.stdout) == expected
    assert "cuda-original-fixed" in findings.stdout and "Zhang, Wahib and Matsuoka" in findings.stdout
    merit = parity("merit", "old.jsonl")
    assert merit.returncode == 0 and shown_pairs.figures_of_merit(merit.stdout) == shown_pairs.figures_of_export(document)
    assert f"merit rows - verified {len(document['measurements'])} rows" in merit.stdout
    done, page = draw("old.jsonl")
    assert done.returncode == 0, done.stderr
    assert shown_pairs.of_page(page) == expected and "cuda-original-fixed by block width" in page and "What launches cost" in page
    assert "NVIDIA H200" in page


def test_compare_and_merge_read_them(parity, old, document, tmp_path):
    count = len(document["measurements"])
    same = parity("compare", "old.jsonl", "old.jsonl")
    assert same.returncode == 0 and f"{count} rows in common: 0 faster, 0 slower" in same.stdout
    done = parity("merge", "old.jsonl", "--output", "all.jsonl")
    assert done.returncode == 0 and f"{count} rows of 1 files" in done.stdout, done.stderr
    assert json.loads(parity("export", "all.jsonl").stdout)["pairs"] == document["pairs"]
    # Rows of both schemas, under old and present names, are the same rows.
    present = [json.dumps(m) for m in document["measurements"]]
    (tmp_path / "present.jsonl").write_text("\n".join(present) + "\n")
    same = parity("compare", "old.jsonl", "present.jsonl")
    assert same.returncode == 0 and f"{count} rows in common" in same.stdout, same.stdout + same.stderr


def test_explain_reads_them(parity, tmp_path):
    done = parity("explain", RESULTS / "cluster_job.jsonl", RESULTS / "launch_model_44b71ba.jsonl")
    assert done.returncode == 0 and "NVIDIA H200" in done.stdout, done.stderr


def test_every_committed_record_is_read(parity):
    """But for those of libraries, which are no rows of parity's."""
    files = [f for f in sorted(RESULTS.glob("*.jsonl")) if f.name != "kde_torch.jsonl"]
    assert len(files) > 15
    for file in files:
        done = parity("merit", file)
        assert done.returncode in (0, 1) and "merit rows - verified" in done.stdout, (file, done.stderr)


def test_old_names_of_variants_are_accepted(parity, tmp_path):
    done = parity("kde", "--variants", "cuda-seed-fixed,openmp-direct", "--n", 100, "--repeats", 1, "--quiet")
    assert done.returncode == 0 and "cuda-original-fixed" in done.stdout, done.stdout + done.stderr
    assert "cuda-seed" not in done.stdout
    (tmp_path / "p.toml").write_text('study = "kde"\nvariants = ["kde/cuda-seed-verbatim", "cuda-seed-fixed", "openmp-direct"]\n'
                                     '[axes]\nn = [100]\n')
    dry = parity("measure", "p.toml", "--dry-run")
    assert dry.returncode == 0 and "cuda-original-verbatim" in dry.stdout and "cuda-original-fixed" in dry.stdout, dry.stdout + dry.stderr
