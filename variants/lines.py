# SPDX-License-Identifier: BSD-3-Clause
"""Lines of code of the diffusion study's pairs, counted in the sources: what a user writes first in Kokkos, what an expert writes, and
the native twins. Prints the table of variants/README.md; with --write puts it there.

A line counts if it holds code: no blank line, comment or #include. 'own' is the variant's file. 'all' adds what that file includes of
the study, of runtime/kokkos and of runtime/fast_divide.hpp, with the source file beside a header, but for what portable and native
rows of the pair both include: contract, arithmetic, schedules.
"""
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PORTABLE = ROOT / "miniapp/diffusion/kokkos"
NATIVE = {"cuda": (ROOT / "variants/cuda/diffusion", ".cu"), "openmp": (ROOT / "variants/openmp/diffusion", ".cpp")}
COUNTED = ("miniapp/diffusion/", "miniapp/runtime/kokkos/", "miniapp/runtime/fast_divide.hpp", "variants/cuda/diffusion/",
           "variants/openmp/diffusion/")
HEAD = "| native twin | idiomatic: own (all) | expert: own (all) | CUDA: own (all) | OpenMP: own (all) |"
TWINS = re.compile(r'twin_of\(\s*"([^"]*)",\s*"([^"]*)"\s*\)')
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


@functools.cache
def lines(path):
    text = re.sub(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', lambda m: m.group(1) or "", path.read_text(), flags=re.DOTALL)
    return sum(1 for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#include"))


@functools.cache
def includes(path):
    """The counted files that a file includes, directly or not, and itself."""
    found, open_files = set(), [path]
    while open_files:
        at = open_files.pop()
        if at in found:
            continue
        found.add(at)
        if at.suffix == ".hpp" and at.with_suffix(".cpp").is_file():
            open_files.append(at.with_suffix(".cpp"))
        for name in INCLUDE.findall(at.read_text()):
            for folder in (at.parent, ROOT / "miniapp", ROOT / "variants"):
                if (folder / name).is_file():
                    if (folder / name).resolve().relative_to(ROOT).as_posix().startswith(COUNTED):
                        open_files.append((folder / name).resolve())
                    break
    return frozenset(found)


def source(name):
    """The file of a native variant; None without a name."""
    if not name:
        return None
    folder, suffix = NATIVE[name.split("-")[0]]
    return folder / (name.replace("-", "_") + suffix)


def pairs():
    """(CUDA twin, OpenMP twin) -> {"idiomatic": file, "expert": file}."""
    found = {}
    for path in sorted(PORTABLE.glob("kokkos_*.cpp")):
        twins = TWINS.search(path.read_text())
        if twins:
            expert = any("e.expert = true;" in p.read_text() for p in includes(path))
            found.setdefault(twins.groups(), {})["expert" if expert else "idiomatic"] = path
    return found


def cell(paths, others):
    """'own (all)' of files, each counted once, without what the other side of the pairs includes too."""
    paths, others = ([p for p in side if p] for side in (paths, others))
    if not paths:
        return ""
    together, shared = (frozenset().union(*map(includes, side)) for side in (paths, others))
    return f"{sum(map(lines, paths))} ({sum(map(lines, together - shared))})"


def table():
    rows = [HEAD, "|---|---|---|---|---|"]
    sides = {side: [] for side in ("idiomatic", "expert", "cuda", "openmp")}

    def add(title, of):
        portable, native = of["idiomatic"] + of["expert"], of["cuda"] + of["openmp"]
        rows.append(f"| {title} | " + " | ".join(cell(of[s], native if s in ("idiomatic", "expert") else portable) for s in of) + " |")

    for (cuda, openmp), portable in sorted(pairs().items()):
        of = {"idiomatic": [portable.get("idiomatic")], "expert": [portable.get("expert")], "cuda": [source(cuda)],
              "openmp": [source(openmp)]}
        add(", ".join(f"`{t}`" for t in (cuda, openmp) if t), of)
        for side, files in of.items():
            sides[side] += filter(None, files)
    add("all of them", sides)
    return "\n".join(rows)


def with_table(page):
    """The page with its table as the sources are now."""
    first = page.index(HEAD)
    return page[:first] + table() + page[page.index("\n\n", first):]


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        readme = ROOT / "variants/README.md"
        readme.write_text(with_table(readme.read_text()))
    elif len(sys.argv) == 1:
        sys.stdout.write(table() + "\n")
    else:
        sys.exit("lines.py: give nothing to print the table, or --write to put it into variants/README.md")
