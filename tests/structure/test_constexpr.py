# SPDX-License-Identifier: BSD-3-Clause
"""nvcc 12.4 dropped what follows 'if constexpr (false)' with a bare loop, in a kernel of kokkos_graph.cpp: with braces it did not.
So branches that are loops or conditions of their own have braces."""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = [p for folder in ("miniapp", "variants", "tests") for p in (ROOT / folder).rglob("*") if p.suffix in {".cpp", ".hpp", ".cu", ".cuh"}]


def bare(text):
    """The lines whose 'if constexpr' has a bare loop or condition as its branch."""
    text = re.sub(r"//.*|^#.*", "", text, flags=re.M)  # lines keep their numbers
    lines = []
    for match in re.finditer(r"\bif constexpr\s*\(", text):
        depth, at = 1, match.end()
        while depth > 0:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        if re.match(r"\s*(for|while|do|if|switch)\b", text[at:]):
            lines.append(text.count("\n", 0, match.start()) + 1)
    return lines


@pytest.mark.parametrize("text, lines", [
    ("if constexpr (a)\n  for (;;) b();\n", [1]), ("\nif constexpr (f(a) && (b))\n#pragma unroll\n  for (;;) b();\n", [2]),
    ("if constexpr (a) { for (;;) b(); }\n", []), ("if constexpr (a) b();\nfor (;;) b();\n", []),
    ("if constexpr (a)  // words\n  if (b) c();\n", [1])])
def test_bare_branches_are_found(text, lines):
    assert bare(text) == lines


def test_no_branch_is_bare():
    assert len(SOURCES) > 300
    found = [f"{path.relative_to(ROOT)}:{line}" for path in SOURCES for line in bare(path.read_text())]
    assert not found, found
