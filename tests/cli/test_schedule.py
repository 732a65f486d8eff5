# SPDX-License-Identifier: BSD-3-Clause
"""variants/schedule.py counts what the schedule of a GPU kernel's loop costs, in machine code that is known."""
import importlib.util
import pathlib
import stat
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "variants/schedule.py"
spec = importlib.util.spec_from_file_location("schedule", SCRIPT)
schedule = importlib.util.module_from_spec(spec)
spec.loader.exec_module(schedule)


def line(address, text, stall=1, waits=0):
    upper = (stall | waits << 11) << 41
    return f"        /*{address:04x}*/                   {text} ;      /* 0x0000000000000000 */\n                                          /* 0x{upper:016x} */\n"


CODE = "\n\t\tFunction : _Z4saxpy\n" + "".join([
    line(0x00, "MOV R1, c[0x0][0x28]", 2),
    line(0x10, "FADD R0, R2, R4", 4),                   # two even registers
    line(0x20, "FADD R0, R2, R5", 1, waits=1),          # one of each
    line(0x30, "FFMA R0, R3, -0.0625, R7", 2),          # two odd ones beside a constant
    line(0x40, "@!P0 FFMA R0, R2.reuse, R4, R5", 1),    # an even and an odd one: the third comes from the operand cache
    line(0x50, "FADD R0, -R6, -R6", 1),                 # one register twice
    line(0x60, "FMUL R0, R6, c[0x0][0x160]", 1),
    line(0x70, "LDL R9, [R1+0x8]", 3),
    line(0x80, "DADD R2, R4, R6", 1),                   # 64 bits: not looked at
    line(0x90, "IADD3 R8, R10, R12, RZ", 1),
    line(0xa0, "@P1 BRA 0x10", 5),
    line(0xb0, "FADD R0, R2, R4", 9),                   # behind the loop
    line(0xc0, "EXIT", 5)]) + "\t\tFunction : _Z5other\n" + line(0x00, "EXIT", 5)


def test_counts_of_a_loop():
    code = schedule.kernels(CODE)
    assert set(code) == {"_Z4saxpy", "_Z5other"} and schedule.innermost_loops(code["_Z5other"]) == []
    (loop,) = schedule.innermost_loops(code["_Z4saxpy"])
    assert schedule.counted(loop) == {"instructions": 10, "cycles": 20, "waits": 1, "one bank": 2, "spills": 1}


def test_an_outer_loop_is_not_counted():
    text = "\t\tFunction : nest\n" + "".join([line(0x00, "MOV R1, R2"), line(0x10, "MOV R1, R2"), line(0x20, "BRA 0x10"), line(0x30, "@P0 BRA 0x10"),
                                            line(0x40, "@P0 BRA 0x0")])
    (loop,) = schedule.innermost_loops(schedule.kernels(text)["nest"])
    assert [i[0] for i in loop] == [0x10, 0x20, 0x30]


def body(first, count, *tail):
    """Lines of so many additions from an address on, and what follows them."""
    last = first + 16 * count
    return "".join([line(a, "FADD R0, R2, R5") for a in range(first, last, 16)] + [line(last + 16 * n, text) for n, text in enumerate(tail)])


def test_a_wait_within_a_loop_is_part_of_it():
    text = "\t\tFunction : waits\n" + body(0x00, 20, "@!P0 BRA 0x130", "FADD R0, R2, R5", "@P1 BRA 0x10", "EXIT")
    (loop,) = schedule.innermost_loops(schedule.kernels(text)["waits"], 10)
    assert (loop[0][0], loop[-1][0]) == (0x10, 0x160)
    assert [len(i) for i in schedule.innermost_loops(schedule.kernels(text)["waits"])] == [2]


def test_code_behind_the_end_is_no_loop():
    text = "\t\tFunction : cold\n" + body(0x00, 20, "@P1 BRA 0x10", "EXIT", "FADD R0, R2, R5", "BRA 0x50")
    (loop,) = schedule.innermost_loops(schedule.kernels(text)["cold"], 10)
    assert (loop[0][0], loop[-1][0]) == (0x10, 0x140)


@pytest.fixture
def cuobjdump(tmp_path):
    """A program that prints the code above for a file that is there."""
    (tmp_path / "code.txt").write_text(CODE)
    program = tmp_path / "cuobjdump"
    program.write_text(f'#!/bin/sh\n[ -f "$2" ] || exit 255\ncat {tmp_path}/code.txt\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def run(*words):
    return subprocess.run([sys.executable, SCRIPT, *map(str, words)], text=True, capture_output=True)


def test_prints_a_row_for_each_loop(tmp_path, cuobjdump):
    done = run(tmp_path / "code.txt", "--cuobjdump", cuobjdump, "--at-least", 10)
    assert done.returncode == 0 and done.stdout.splitlines()[1:] == ["          10           20            1            2            1  _Z4saxpy"], done


@pytest.mark.parametrize("words, says", [
    (["code.txt"], "--at-least"), (["code.txt", "--at-least", 1, "--kernel", "none"], "'none'"), (["missing.o"], "missing.o: cuobjdump finds no machine code"),
    (["code.txt", "--cuobjdump", "/nowhere/cuobjdump"], "name it with --cuobjdump")])
def test_what_it_refuses(tmp_path, cuobjdump, words, says):
    words = [tmp_path / words[0], "--cuobjdump", cuobjdump, *words[1:]]
    done = run(*words)
    assert done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1 and done.stderr.startswith("schedule.py: ") and says in done.stderr, done.stderr
