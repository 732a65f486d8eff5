#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program that calls the tool as Kokkos does, and ends in many ways.  traced_program.py END [STEPS]"""
import ctypes
import os
import signal
import sys
import threading

end, count = sys.argv[1], int((sys.argv + ["40"])[2])
libc = ctypes.CDLL(None)
path = os.environ.get("KOKKOS_TOOLS_LIBS")
tool = ctypes.CDLL(path) if path else type("Nothing", (), {"__getattr__": lambda *_: lambda *_: None})()
tool.kokkosp_init_library(0, ctypes.c_uint64(20240906), 0, None)
number = ctypes.c_uint64()
Space = type("Space", (ctypes.Structure,), {"_fields_": [("name", ctypes.c_char * 64)]})


def loop(construct, label):
    getattr(tool, "kokkosp_begin_" + construct)(label, 0, ctypes.byref(number))
    getattr(tool, "kokkosp_end_" + construct)(number)


def region(label):
    tool.kokkosp_push_profile_region(label)
    tool.kokkosp_pop_profile_region()


def steps(count):
    for k in range(count):
        tool.kokkosp_push_profile_region(b"step")
        loop("parallel_for", b"smooth")
        loop("parallel_for", b"add")
        loop("parallel_reduce", b"sum")
        if k % 10 == 9:
            tool.kokkosp_begin_deep_copy(Space(b"Host"), b"b", None, Space(b"Host"), b"a", None, ctypes.c_uint64(8000))
            tool.kokkosp_end_deep_copy()
        loop("fence", b"fence")
        tool.kokkosp_pop_profile_region()


def of_a_thread():
    at_exit(libc.__cxa_thread_atexit_impl, b"end of a thread")
    for _ in range(count):
        region(b"of a thread")


def at_exit(register, label):
    """Calls at exit, after other destructors of the thread or of the program. The last registered runs first."""
    register(tool.kokkosp_pop_profile_region, None, label)
    register(tool.kokkosp_push_profile_region, label, label)


def until_written():
    while os.stat(os.environ["PARITY_TRACE_FILE"]).st_size < 20000:
        steps(10)


@ctypes.CFUNCTYPE(None, ctypes.c_int)
def hand_on(caught):
    """A handler that was installed after the recorder's, and passes on signals that are not its own, without the extra arguments of the other."""
    ctypes.CFUNCTYPE(None, ctypes.c_int)(before)(caught)


if end == "fork":
    steps(count)
    child = os.fork()
    if child == 0:
        region(b"child")
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
elif end == "labels":
    region(b'quote " backslash \\ newline \n byte \xff latin \xe9 snowman \xe2\x98\x83')
elif end == "open":
    tool.kokkosp_push_profile_region(b"never ended")
    tool.kokkosp_push_profile_region(b"nor this one")
elif end == "threads":
    threads = [threading.Thread(target=of_a_thread) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
elif end in ("ABRT", "KILL", "SEGV", "BUS", "TERM", "chained", "handled"):
    until_written()
    if end == "handled":
        signal.signal(signal.SIGTERM, lambda *_: os._exit(5))
    if end == "chained":
        libc.signal.restype = ctypes.c_void_p
        before = libc.signal(signal.SIGILL, hand_on)
    if end == "SEGV":
        ctypes.string_at(8)
    signal.raise_signal(signal.Signals["SIG" + {"chained": "ILL", "handled": "TERM"}.get(end, end)])
else:
    steps(count)
    print("done", flush=True)
if end == "exec":
    os.execv(sys.executable, [sys.executable, __file__, "return"])
if end == "exit":
    sys.exit(7)
if end == "late":
    at_exit(libc.__cxa_atexit, b"after main")
