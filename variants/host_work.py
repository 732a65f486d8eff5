#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How many instructions a floating-point operation costs in the loops of host variants, counted in the machine code of a build.

    python3 variants/host_work.py BUILD > loops.csv      what 'parity explain --loops' takes

Of each kernel the innermost loop with the widest vectors tells, since the scalar loop after it has only what is left of a row; of several
the one with most operations for each instruction. A fused operation counts as two, and a packed one as often as its vector has lanes.
Instructions of loops with vectors and of scalar ones are counted apart, since a vector's cost more. A variant's numbers are those of all
its kernels for one point, over the operations of all of them.
"""
import collections
import csv
import datetime
import pathlib
import re
import subprocess
import sys

import vectorised

LANES = {"z": 16, "y": 8, "x": 4}  # of floats; half as many doubles


def operations(mnemonic, operand):
    """(precision, operations) of an instruction, or None where it is no arithmetic."""
    found = vectorised.ARITHMETIC.match(mnemonic)
    if not found:
        return None
    packed, kind = found.groups()
    register = re.search(r"%([xyz])mm", operand)
    lanes = LANES[register[1] if register else "x"] // (2 if kind == "d" else 1) if packed == "p" else 1
    return ("double" if kind == "d" else "float"), lanes * (2 if re.match(r"v?fn?m", mnemonic) else 1)


def main_loop(code):
    """(precision, operations, instructions, points) of an iteration of the loop that tells, or None: of those with the widest vectors the
    one with most operations for each instruction. Points are the lanes of its vectors."""
    best = None
    for head, end in vectorised.innermost_loops(code):
        body = [(mnemonic, operand) for address, mnemonic, operand in code if head <= address <= end]
        found = [o for o in (operations(mnemonic, operand) for mnemonic, operand in body) if o]
        lanes = [o[1] // (2 if re.match(r"v?fn?m", m) else 1) for m, operand in body if (o := operations(m, operand))]
        if found:
            precision = collections.Counter(kind for kind, _ in found).most_common(1)[0][0]
            counts = [count for kind, count in found if kind == precision]
            rank = max(counts), sum(counts) / len(body)
            if best is None or rank > best[0]:
                best = rank, (precision, sum(counts), len(body), max(lanes))
    return best and best[1]


def rows(build):
    date = datetime.date.fromtimestamp((build / "parity").stat().st_mtime).isoformat()
    for study in vectorised.STUDIES:
        for title, path in vectorised.objects(build, study):
            if not title.startswith(("kokkos-", "openmp-")):
                continue
            done = subprocess.run(["objdump", "-drC", "--no-show-raw-insn", str(path)], capture_output=True, text=True, check=True)
            found = vectorised.functions(done.stdout)
            found_of = collections.defaultdict(list)
            for name in vectorised.names_of_kernels(found):
                if loop := main_loop(found[name].code):
                    found_of[loop[0]].append(loop[1:])
            for precision, loops in sorted(found_of.items()):
                operations_a_point = sum(count / points for count, _, points in loops)
                scalar = sum(body for _, body, points in loops if points == 1) / operations_a_point
                vector = sum(body / points for _, body, points in loops if points > 1) / operations_a_point
                yield study, title, precision, f"{scalar:.4g}", f"{vector:.4g}", f"machine code of {path.name}, {date}"


def main(arguments):
    if len(arguments) != 1 or not (pathlib.Path(arguments[0]) / "parity").is_file():
        sys.exit("host_work.py: give a build directory with 'parity' in it")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["study", "kernel", "precision", "scalar_per_operation", "vector_per_operation", "source"])
    try:
        out.writerows(rows(pathlib.Path(arguments[0])))
    except FileNotFoundError:
        sys.exit("host_work.py: no objdump here: install binutils")


if __name__ == "__main__":
    main(sys.argv[1:])
