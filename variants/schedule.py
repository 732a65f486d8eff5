#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the compiler's schedule of a GPU kernel's loop costs, from the machine code of an object or a program.

    python3 variants/schedule.py FILE... [--kernel WORD] [--at-least N] [--cuobjdump PATH]

A row for each innermost loop of at least N instructions (100) in each kernel whose name holds WORD, of which are counted
  instructions  all of them
  cycles        that the schedule itself makes a warp wait after its instructions (stall counts); what a warp waits for loads,
                shuffles and barriers comes on top
  waits         instructions that first wait for such a result
  one bank      additions, multiplications and fused ones of 32 bits whose registers all have even numbers, or all odd ones, which
                are two banks. On an H200 kernels with many of them waited longer for their dispatch
                (jobs/results/h200/frontier/attempts.txt, section 12). A register from the operand cache is not looked at
  spills        loads and stores of registers that did not fit
A loop of fewer instructions, such as one that waits for a barrier, is part of the one around it, and so is code behind the kernel's end
that jumps back into it. For compute capability 7.0 and newer, whose instructions have 128 bits with the schedule in their upper ones
(Jia et al., Dissecting the NVIDIA Volta GPU architecture via microbenchmarking, arXiv:1804.06826). Counts of one compiler are nothing
that the language promises: they compare two forms of a kernel.
"""
import argparse
import re
import subprocess
import sys

KERNEL = re.compile(r"^\s*Function : (\S+)")
INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(.*?);\s+/\* 0x[0-9a-f]{16} \*/")
UPPER = re.compile(r"^\s*/\* 0x([0-9a-f]{16}) \*/")
BACK = re.compile(r"\bBRA\b.*?\b0x([0-9a-f]+)")
PREDICATE = re.compile(r"^@!?U?P\w+\s+")
REGISTER = re.compile(r"-?\|?R(\d+)")
COLUMNS = ("instructions", "cycles", "waits", "one bank", "spills")


def kernels(disassembly):
    """{kernel: [(address, instruction, control bits)]} of what 'cuobjdump -sass' printed."""
    found, code, last = {}, None, None
    for line in disassembly.splitlines():
        if head := KERNEL.match(line):
            code, last = found.setdefault(head[1], []), None
        elif code is not None and (instruction := INSTRUCTION.match(line)):
            last = (int(instruction[1], 16), instruction[2])
        elif last and (upper := UPPER.match(line)):
            code.append((*last, int(upper[1], 16) >> 41 & 0x1FFFFF))
            last = None
    return found


def innermost_loops(code, at_least=1):
    """The instructions of each loop of so many that holds no other one of so many."""
    end = next((address for address, text, _ in code if text.split()[0] == "EXIT" and not text.startswith("@")), float("inf"))
    place = {address: n for n, (address, _, _) in enumerate(code)}
    loops = {}  # several jumps to one head are one loop
    for n, (address, text, _) in enumerate(code):
        back = BACK.search(text)
        first = place.get(int(back[1], 16)) if back else None
        if first is not None and first < n and n - first + 1 >= at_least and not code[first][0] < end < address:
            loops[first] = n
    inner = [(a, b) for a, b in loops.items() if not any(a <= c and d <= b and (a, b) != (c, d) for c, d in loops.items())]
    return [code[first:last + 1] for first, last in sorted(inner)]


def in_one_bank(text):
    """Whether an instruction reads two registers, and both of one bank."""
    name, _, operands = PREDICATE.sub("", text).partition(" ")
    if name.split(".")[0] not in ("FADD", "FMUL", "FFMA"):
        return False
    read = {int(r[1]) for o in operands.split(",")[1:] if (r := REGISTER.match(o.strip())) and ".reuse" not in o}
    return len(read) > 1 and len({r % 2 for r in read}) == 1


def counted(loop):
    """The columns of a loop. Control bits: 4 of stall, 1 of yield, 3 and 3 of barriers set, 6 of barriers waited for."""
    names = [PREDICATE.sub("", text).split()[0].split(".")[0] for _, text, _ in loop]
    return {"instructions": len(loop),
            "cycles": sum(max(control & 15, 1) for _, _, control in loop),
            "waits": sum(control >> 11 & 63 != 0 for _, _, control in loop),
            "one bank": sum(in_one_bank(text) for _, text, _ in loop),
            "spills": sum(name in ("LDL", "STL") for name in names)}


def disassembled(cuobjdump, file):
    try:
        done = subprocess.run([cuobjdump, "-sass", file], text=True, capture_output=True)
    except FileNotFoundError:
        raise SystemExit(f"schedule.py: {cuobjdump} is missing: it comes with CUDA's toolkit; name it with --cuobjdump")
    if done.returncode:
        raise SystemExit(f"schedule.py: {file}: cuobjdump finds no machine code of a GPU there: give an object, a cubin or a program of nvcc's")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog="See the head of this file for the columns.")
    parser.add_argument("files", nargs="+", metavar="FILE", help="an object, a cubin or a program")
    parser.add_argument("--kernel", default="", metavar="WORD", help="kernels whose (mangled) name holds it")
    parser.add_argument("--at-least", type=int, default=100, metavar="N", help="instructions of a loop")
    parser.add_argument("--cuobjdump", default="cuobjdump", metavar="PATH", help="CUDA's program of that name")
    given = parser.parse_args()
    rows = []
    for file in given.files:
        for name, code in kernels(disassembled(given.cuobjdump, file)).items():
            if given.kernel in name:
                rows += [(counted(loop), name) for loop in innermost_loops(code, given.at_least)]
    if not rows:
        of = f" of a kernel with {given.kernel!r} in its name" if given.kernel else ""
        raise SystemExit(f"schedule.py: no innermost loop{of} has {given.at_least} instructions or more: see --kernel and --at-least")
    print(*(f"{c:>12}" for c in COLUMNS), " kernel")
    for row, name in rows:
        print(*(f"{row[c]:12}" for c in COLUMNS), f" {name}")


if __name__ == "__main__":
    sys.exit(main())
