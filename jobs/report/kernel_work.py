#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the kernels of a step do, from the profiler's counters: the table that 'parity explain --kernels' takes.

    python3 jobs/report/kernel_work.py jobs/results/h200 > jobs/results/h200/kernels.csv

A line is one kernel of a variant's step as it was counted: how often a step launches it, what it grows with (the field, the edge of each
plane, one plane, or the pairs of samples), the problem that was counted, threads of a block, blocks, warp instructions, wavefronts of L1,
bytes between L1 and L2 and bytes of device memory. Times of the profiler are left out, but for one kernel that belongs to no variant:
Kokkos' fill of a View, which has nothing to do but to launch blocks.
"""
import collections
import csv
import pathlib
import sys

COLUMNS = ("kernel", "tuning", "precision", "launches", "grows_with", "fields", "side", "planes", "threads", "blocks", "instructions",
           "l1_wavefronts", "l2_bytes", "memory_bytes", "seconds", "source")
KERNEL, GRID, PRECISION = "kernel", "grid", "precision"
SECTOR = 32  # bytes


def volume(shape):
    product = 1
    for extent in shape.strip("()").replace(",", "x").split("x"):
        product *= int(extent)
    return product


class Counters:
    """The rows of one file of counters, found by the end of a kernel's name and the beginning of its grid."""

    def __init__(self, folder, name, date):
        self.source = f"{name} of {date}"
        with open(folder / name, encoding="utf-8") as file:
            self.rows = list(csv.DictReader(file))

    def find(self, precision, kernel, grid="", block="", nth=0):
        found = [r for r in self.rows if r[PRECISION] == precision and r[GRID].startswith(grid) and r["block"].startswith(block)
                 and r[KERNEL].rstrip(", i").removesuffix(precision).strip().endswith(kernel)]
        if len(found) <= nth:
            raise SystemExit(f"kernel_work: {self.source} has no {precision} kernel '{kernel}' with grid {grid or 'any'}")
        return found[nth]


def line(counters, row, launches, grows_with, seconds=False):
    between = SECTOR * int(row["lts__t_sectors.sum"]) - int(row["dram__bytes.sum"])  # L2's other side is device memory
    return {"launches": launches, "grows_with": grows_with, "side": row["nx"], "planes": row["nz"], "threads": volume(row["block"]),
            "blocks": volume(row[GRID]), "instructions": row["smsp__inst_executed.sum"],
            "l1_wavefronts": row["l1tex__data_pipe_lsu_wavefronts.sum"], "l2_bytes": max(between, 0), "memory_bytes": row["dram__bytes.sum"],
            "seconds": f"{1e-9 * int(row['gpu__time_duration.sum']):.6g}" if seconds else "", "source": counters.source}


def two_stage(variants, family, name, halo, laplacians, update):
    variants[f"{family}-{name}"] = (3, halo + laplacians + update)


def native(c, precision):
    def field(kernel, grid="", nth=0, launches=1):
        return line(c, c.find(precision, "cuda " + kernel, grid, nth=nth), launches, "field")

    def edge(kernel, grid, launches):
        return line(c, c.find(precision, "cuda " + kernel, grid), launches, "edge")

    sides, one = [edge("copy_block", "8x16", 2), edge("copy_block", "9x16", 2)], [edge("halo_update", "", 1)]
    update, tiles = [field("scale"), field("add")], [field("laplacian_2d", "9x513"), field("laplacian_2d", "8x512")]
    variants = {"cuda-copy": (2, [field("copy")]), "cuda-fused-wrap": (2, [field("fused_wrap")]),
                "cuda-fused-1d": (2, one + [field("fused_1d")]), "cuda-fused": (2, one + [field("fused_2d")])}
    two_stage(variants, "cuda", "baseline", sides, [], [field("scale", launches=3), field("add", launches=9)])
    two_stage(variants, "cuda", "laplacian-1d", sides, [field("laplacian_1d"), field("laplacian_1d", nth=1)], update)
    two_stage(variants, "cuda", "laplacian-2d", sides, tiles, update)
    for nth, name in enumerate(("shared-memory", "shared-memory-fixed-warps")):
        shared = [field("laplacian_shared", grid, nth) for grid in ("33x129", "32x128")]
        two_stage(variants, "cuda", name, sides, shared, update)
    two_stage(variants, "cuda", "shared-memory-overlapping", sides, [field("laplacian_shared", "35x171", launches=2)], update)
    two_stage(variants, "cuda", "halo-update", one, tiles, update)
    two_stage(variants, "cuda", "field-update", one, tiles, [field("field_update")])
    return variants


def portable(c, precision):
    def field(kernel, grid="", launches=1):
        return line(c, c.find(precision, kernel, grid), launches, "field")

    def sides(functor):
        return [line(c, c.find(precision, f"{functor} copy_block", grid), 2, "edge") for grid in ("8x16", "9x16")]

    def update(functor):
        return [field(f"{functor} scale"), field(f"{functor} add")]

    one = [line(c, c.find(precision, "kokkos update_halo"), 1, "edge")]
    tiles = [field("KokkosLaplacian laplacian_2d", grid) for grid in ("9x513", "8x512")]
    # Of a sparse product the profiler shortened the name; it is the only one with this grid.
    product = line(c, c.find(precision, "", "16384x1x1", "4x64x1"), 1, "plane")
    variants = {"kokkos-copy": (2, [field("KokkosCopy enqueue_step")]), "kokkos-fused-wrap": (2, [field("KokkosFusedWrap enqueue_step")]),
                "kokkos-fused-1d": (2, one + [field("KokkosFused1d enqueue_step")]),
                "kokkos-fused": (2, one + [field("KokkosFused enqueue_step")]), "kokkos-spmv": (2, [product])}
    two_stage(variants, "kokkos", "baseline", sides("KokkosBaseline"), [],
              [field("KokkosBaseline scale", launches=3), field("KokkosBaseline add", launches=9)])
    flat = [field("KokkosLaplacian1d laplacian_1d", grid) for grid in ("131585", "131072")]
    two_stage(variants, "kokkos", "laplacian-1d", sides("KokkosLaplacian1d"), flat, update("KokkosLaplacian1d"))
    two_stage(variants, "kokkos", "laplacian", sides("KokkosLaplacian"), tiles, update("KokkosLaplacian"))
    for name, functor, kernel in (("shared-memory", "KokkosSharedMemory", "global"),
                                  ("shared-memory-fixed-warps", "KokkosSharedMemoryFixedWarps", "fixed_warps")):
        shared = [field("SharedTiles " + kernel, grid) for grid in ("68112", "65536")]
        two_stage(variants, "kokkos", name, sides(functor), shared, update(functor))
    two_stage(variants, "kokkos", "shared-memory-overlapping", sides("KokkosSharedMemoryOverlapping"),
              [field("SharedTiles overlapping", launches=2)], update("KokkosSharedMemoryOverlapping"))
    two_stage(variants, "kokkos", "halo-update", one, tiles, update("KokkosHaloUpdate"))
    two_stage(variants, "kokkos", "field-update", one, tiles, [field("KokkosFieldUpdate enqueue_step")])
    return variants


def columns(c, precision):
    """Strips of columns: rows of a strip, and threads of a block, are the tuning of the native row."""
    found = {}
    for rows, widths in ((12, (32, 64, 128)), (8, (32, 64)), (4, (32, 64))):
        for width in widths:
            counted = c.find(precision, f"cuda fused_column {rows} rows", block=f"{width}x1x1")
            found["cuda-fused-column-tuned", f"{rows}x{width}"] = (2, [line(c, counted, 1, "field")])
    found["kokkos-fused-column", ""] = (2, [line(c, c.find(precision, "kokkos KokkosFusedColumn strips"), 1, "field")])
    return found


def densities(folder, name, date):
    """Of pairs of samples, counted one metric a line; every kernel that does not fill or add up partial sums."""
    kernels = collections.defaultdict(dict)
    with open(folder / name, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            about = (row["Kernel Name"], row["Grid Size"], row["Block Size"])
            kernels[about][row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    known = {("Kokkos", "HardwareTerm"): "kokkos-register-tile", ("Kokkos", "MixedTerm"): "kokkos-mixed",
             ("cuda", "HardwareTerm"): "cuda-register-tile", ("cuda", "MixedTerm"): "cuda-mixed"}
    for (kernel, grid, block), counted in kernels.items():
        family = "Kokkos" if "Kokkos::" in kernel else "cuda"
        for (of, term), variant in known.items():
            if of == family and f"{term}<" in kernel:
                yield variant, {"launches": 1, "grows_with": "pairs", "side": 262144, "planes": 1, "threads": volume(block),
                                "blocks": volume(grid), "instructions": f"{counted['smsp__inst_executed.sum']:.0f}", "l1_wavefronts": 0,
                                "l2_bytes": 0, "memory_bytes": 0, "seconds": "", "source": f"{name} of {date}"}


def main(folder):
    steps, strips = Counters(folder, "kernel_counters.csv", "2026-11-21"), Counters(folder, "column_counters.csv", "2026-11-21")
    out = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    out.writeheader()
    for precision in ("float", "double"):
        found = {(variant, ""): kernels for of in (native, portable) for variant, kernels in of(steps, precision).items()}
        found.update(columns(strips, precision))
        for (variant, tuning), (fields, kernels) in found.items():
            for kernel in kernels:
                out.writerow({"kernel": variant, "tuning": tuning, "precision": precision, "fields": fields, **kernel})
    fill = line(steps, steps.find("float", "kokkos ViewFill", "132098"), 1, "field", seconds=True)
    out.writerow({"kernel": "fill", "tuning": "", "precision": "float", "fields": 1, **fill})
    for variant, kernel in densities(folder, "kde_counters.csv", "2026-11-21"):
        out.writerow({"kernel": variant, "tuning": "", "precision": "float", "fields": 1, **kernel})


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
