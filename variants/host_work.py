#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How many instructions a floating-point operation costs in host variants, from the machine code of a build.

    python3 variants/host_work.py BUILD                      what 'parity explain --loops' takes
    python3 variants/host_work.py BUILD INSTRUCTIONS.csv     with what 'parity --threads 1 instructions PLANS' counted
    python3 variants/host_work.py BUILD --plans PLANS...     counts the rows of these plans itself

Where a kernel was counted, the instructions are those that were executed, between its smallest and its largest problem of the same length
of rows, so that what a run does besides drops out: index arithmetic, copies into tiles and the side of a branch that is taken are in it.
Each length of rows that was counted has a line, since what a row begins and ends with weighs more in a short one; 'parity explain' takes
two of them for all other lengths. Vectors are those of 32 bytes and more (AVX and wider), those that read or write memory apart from
those between registers: a processor has fewer ports to its cache. Integer divisions are counted apart, too.

Of another kernel the innermost loop with the widest vectors tells, since the scalar loop after it has only what is left of a row; of several
the one with most operations for each instruction. A fused operation counts as two, and a packed one as often as its vector has lanes.
Instructions of loops with vectors and of scalar ones are counted apart, since a vector's cost more. A variant's numbers are those of all
its kernels for one point, over the operations of all of them.
"""
import collections
import contextlib
import csv
import datetime
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import vectorised

KINDS = ("scalar", "vector", "vector_memory", "division")
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
    """(precision, operations, instructions, those of vectors with memory, points) of an iteration of the loop that tells, or None: of those
    with the widest vectors the one with most operations for each instruction. Points are the lanes of its vectors."""
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
                best = rank, (precision, sum(counts), len(body), sum(kind(*i) == "vector_memory" for i in body), max(lanes))
    return best and best[1]


def kind(mnemonic, operands):
    """What an instruction that is executed counts as."""
    if re.match(r"i?div[bwlq]?$", mnemonic):
        return "division"
    if not re.search(r"%[yz]mm", operands):
        return "scalar"
    return "vector_memory" if "(" in operands else "vector"


def executed(build, counts):
    """{(study, kernel, precision, points in a row): {kind: instructions for an operation}} of a file of 'parity instructions'."""
    times = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    with open(counts, encoding="utf-8", newline="") as file:
        for r in csv.DictReader(file):
            times[r["study"], r["kernel"], r["precision"], int(r["points_in_row"])][float(r["flops"])][int(r["address"], 16)] += int(r["times"])
    wanted = {address for by_flops in times.values() for found in by_flops.values() for address in found}
    kinds = {}
    with subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", str(build / "parity")], stdout=subprocess.PIPE, text=True) as objdump:
        for line in objdump.stdout:
            if (found := re.match(r"^\s*([0-9a-f]+):\t(\S+)\s*(.*)", line)) and int(found[1], 16) in wanted:
                kinds[int(found[1], 16)] = kind(found[2], found[3])
    if missing := wanted - kinds.keys():
        sys.exit(f"host_work.py: {counts}: {len(missing)} of {len(wanted)} addresses are no instructions of {build / 'parity'}: count with it")
    sums, operations_of = collections.defaultdict(collections.Counter), collections.Counter()
    for row, by_flops in sorted(times.items()):
        least, most = min(by_flops), max(by_flops)
        for address in by_flops[least].keys() | by_flops[most].keys():
            sums[row][kinds[address]] += by_flops[most][address] - by_flops[least][address]
        operations_of[row] += most - least
    return {row: {k: max(0, n) / operations_of[row] for k, n in found.items()} for row, found in sums.items() if operations_of[row] > 0}


def rows(build, counts):
    date = datetime.date.fromtimestamp((build / "parity").stat().st_mtime).isoformat()
    work = executed(build, counts) if counts else {}
    for (study, title, precision, points), found in work.items():
        yield study, title, precision, points or "", *(f"{found.get(k, 0):.6g}" for k in KINDS), f"executed instructions of parity, {date}"
    counted = {row[:3] for row in work}
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
                operations_a_point = sum(count / points for count, *_, points in loops)
                if (study, title, precision) in counted:
                    continue
                scalar = sum(body for _, body, _, points in loops if points == 1) / operations_a_point
                memory = sum(moved / points for *_, moved, points in loops if points > 1) / operations_a_point
                vector = sum(body / points for _, body, _, points in loops if points > 1) / operations_a_point - memory
                yield study, title, precision, "", f"{scalar:.4g}", f"{vector:.4g}", f"{memory:.4g}", 0, f"machine code of {path.name}, {date}"


@contextlib.contextmanager
def counts_of(build, plans):
    """The file of what rows of plans execute, as far as they can be executed one instruction after the other; None where none can."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "instructions.csv"
        # What this prints is a table.
        done = subprocess.run([build / "parity", "--threads", "1", "instructions", *plans, "--output", file], stdout=subprocess.PIPE, text=True)
        print(done.stdout.replace(f": {file}", ""), end="", file=sys.stderr)  # nobody finds that file afterwards
        if done.returncode not in (0, 3):
            sys.exit("host_work.py: 'parity instructions' failed, as it says above; mend the plans, or leave --plans away")
        if done.returncode:
            print("host_work.py: not all rows were counted; loops in the machine code stand in for the rest", file=sys.stderr)
        yield file if file.is_file() else None


def main(arguments):
    if len(arguments) < 1 or not (pathlib.Path(arguments[0]) / "parity").is_file():
        sys.exit("host_work.py: give a build directory with 'parity' in it, and what 'parity instructions' counted, or --plans PLANS")
    build, *counted = arguments
    build = pathlib.Path(build).resolve()  # a program '.' would be looked for in PATH
    of_plans = counted[:1] == ["--plans"]
    if of_plans and len(counted) < 2 or not of_plans and len(counted) > 1:
        sys.exit("host_work.py: give one file that 'parity instructions' counted, or --plans with the plans to count")
    for file in counted[of_plans:]:
        if not pathlib.Path(file).is_file():
            sys.exit(f"host_work.py: {file} is not there")
    if not shutil.which("objdump"):
        sys.exit("host_work.py: no objdump here: install binutils")
    with counts_of(build, counted[1:]) if of_plans else contextlib.nullcontext(counted[0] if counted else None) as counts:
        lines = list(rows(build, counts))
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["study", "kernel", "precision", "points_in_row", *(f"{k}_per_operation" for k in KINDS), "source"])
    out.writerows(lines)


if __name__ == "__main__":
    main(sys.argv[1:])
