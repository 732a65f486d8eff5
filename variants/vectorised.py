# SPDX-License-Identifier: BSD-3-Clause
"""Which loops of the portable and the native host variants became vector code, counted in the machine code of a build.

    python3 variants/vectorised.py BUILD          every variant of the diffusion and the density study, and kokkos_questions mdrange
    python3 variants/vectorised.py FILE.o...      each kernel of these objects

Counted are additions, multiplications, divisions, square roots, extremes and fused forms of them, packed (a vector's) or scalar, in
innermost loops: code between a jump backwards and where it goes that holds no other such. A vector loop mostly has a scalar loop after it,
for what is left of a row; so what tells is whether a kernel has any packed instruction. A kernel is a parallel region of OpenMP, or what
Kokkos made of a functor, as it is launched in a stream: kernels of graphs have the same loops. Only x86-64. A build with
-DPARITY_UNITY=ON has other object files.
"""
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
STUDIES = ("diffusion", "kde")
ARITHMETIC = re.compile(r"^v?(?:add|sub|mul|div|sqrt|min|max|fn?m(?:add|sub)\d*)([ps])([sd])$")
FUNCTION = re.compile(r"^([0-9a-f]+) <(.*)>:$")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t([a-z]\S*)\s*(\S*)")
CALLED = re.compile(r"^\s*[0-9a-f]+: R_X86_64_PLT32\t(.*?)(?:-0x[0-9a-f]+)?$|\t(?:call|jmp) +[0-9a-f]+ <(.*)>$")
OF_A_GRAPH = ("IsGraphKernelTag", "GraphQueue", "GraphNodeKernelImpl")
POLICIES = ("MDRange", "Team", "Range")  # a range over tiles is an MDRange's


class Function:
    """Instructions as (address, mnemonic, first operand), and the names of functions that are called."""

    def __init__(self):
        self.code, self.calls = [], set()


def functions(disassembly):
    """{name: Function} of what 'objdump -drC --no-show-raw-insn' printed."""
    found, at = {}, None
    for line in disassembly.splitlines():
        if head := FUNCTION.match(line):
            at = found.setdefault(head[2], Function())
        elif at:
            if called := CALLED.search(line):
                at.calls.add(called[1] or called[2])
            if instruction := INSTRUCTION.match(line):
                at.code.append((int(instruction[1], 16), instruction[2], instruction[3]))
    return found


def innermost_loops(code):
    """(first, last) addresses of the loops that hold no other one."""
    first = code[0][0] if code else 0
    heads = {}  # several jumps to one head are one loop
    for address, mnemonic, operand in code:
        if mnemonic.startswith("j") and re.fullmatch(r"[0-9a-f]+", operand) and first <= int(operand, 16) <= address:
            heads[int(operand, 16)] = address
    return [(head, end) for head, end in heads.items() if not any(head <= h and e <= end and (h, e) != (head, end) for h, e in heads.items())]


def counted(code):
    """{('p' or 's', 's' or 'd'): number}: packed or scalar, float or double, in innermost loops."""
    loops = innermost_loops(code)
    found = collections.Counter()
    for address, mnemonic, _ in code:
        arithmetic = ARITHMETIC.match(mnemonic)
        if arithmetic and any(head <= address <= end for head, end in loops):
            found[arithmetic.groups()] += 1
    return found


def names_of_kernels(found):
    """Parallel regions and what Kokkos made of functors, with the functions that they call; not what launches them, since the compiler
    copies kernels into that for the case of a single thread."""
    rest = [n for n in found if "_omp_fn" in n or re.match(r"(void )?Kokkos::Impl::", n)]
    names = set()
    while rest:
        name = rest.pop()
        if name in found and name not in names and "parity::" in name and not any(word in name for word in OF_A_GRAPH):
            names.add(name)
            rest += found[name].calls
    return names


def kernels(path):
    """(name, counts) of each kernel of an object that has floating-point arithmetic in a loop."""
    done = subprocess.run(["objdump", "-drC", "--no-show-raw-insn", str(path)], capture_output=True, text=True, check=True)
    found = functions(done.stdout)
    for name in sorted(names_of_kernels(found)):
        counts = counted(found[name].code)
        if counts:
            yield name, counts


def row(title, found):
    """A line of the table from (name, counts) of kernels: how many of each policy have packed instructions, and the instructions."""
    total = sum((counts for _, counts in found), collections.Counter())
    by_policy = collections.defaultdict(list)
    for name, counts in found:
        policy = next((p + " " for p in POLICIES if f"Kokkos::{p}Policy" in name), "")
        by_policy[policy].append(counts["p", "s"] + counts["p", "d"] > 0)
    vector = ", ".join(f"{policy}{sum(packed)} of {len(packed)}" for policy, packed in sorted(by_policy.items()))
    numbers = [f"{total['p', kind]} / {total['s', kind]}" for kind in "sd"]
    return f"| `{title}` | {vector} | {numbers[0]} | {numbers[1]} |"


HEAD = ["| {} | kernels with packed instructions | float: packed / scalar | double: packed / scalar |", "|---|---|---|---|"]


def objects(build, study):
    """(title, object) of the study's variants, portable ones and what they share first."""
    for folder, target in ((f"miniapp/{study}/kokkos", "parity_kokkos"), (f"variants/openmp/{study}", "parity_openmp")):
        for source in sorted((ROOT / folder).glob("*.cpp")):
            at = build / "CMakeFiles" / f"{target}.dir" / folder / (source.name + ".o")
            if not at.is_file():
                sys.exit(f"vectorised.py: {at} is not there: build 'parity' in {build}, configured with -DPARITY_UNITY=OFF")
            yield source.stem.replace("_", "-") if source.stem.startswith(("kokkos_", "openmp_")) else source.name, at


def short(name):
    """The functor that was launched, or the function."""
    return re.search(r"parity::(?:\(anonymous namespace\)::|\w+::)*(\w+(?:<[\w ]+>)?)", name)[1]


def table_of_build(build):
    """What the build says of itself, and the tables."""
    if (build / "parity").is_file():
        yield subprocess.run([build.resolve() / "parity", "--version"], capture_output=True, text=True, check=True).stdout
    for study in STUDIES:
        yield HEAD[0].format(study)
        yield HEAD[1]
        for title, path in objects(build, study):
            found = list(kernels(path))
            if found:
                yield row(title, found)
        yield ""
    question = build / "tests/CMakeFiles/kokkos_questions.dir/questions/mdrange.cpp.o"
    if question.is_file():
        yield from table_of_kernels(question, "kokkos_questions mdrange")


def table_of_kernels(path, title):
    yield HEAD[0].format(title)
    yield HEAD[1]
    merged = collections.defaultdict(list)
    for name, counts in kernels(path):
        merged[short(name)].append((name, counts))
    yield from (row(name, found) for name, found in sorted(merged.items()))
    yield ""


def main(arguments):
    paths = [pathlib.Path(a) for a in arguments]
    if not paths or any(a.startswith("-") for a in arguments):
        sys.exit("vectorised.py: give a build directory, or object files")
    if missing := [p for p in paths if not p.exists()]:
        sys.exit(f"vectorised.py: {missing[0]} is not there")
    try:
        if len(paths) == 1 and paths[0].is_dir():
            lines = list(table_of_build(paths[0]))
        else:
            lines = [line for p in paths for line in table_of_kernels(p, p.name)]
    except FileNotFoundError:
        sys.exit("vectorised.py: no objdump here: install binutils")
    except subprocess.CalledProcessError as e:
        sys.exit(f"vectorised.py: {e.stderr.strip().splitlines()[-1]}")
    sys.stdout.write("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1:])
