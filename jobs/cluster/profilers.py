# SPDX-License-Identifier: BSD-3-Clause
"""The stage that runs a plan under profilers, each in a folder of its own: profiled times are not to be mixed with others."""
import os
import shutil
import subprocess

from cluster.messages import Failure
from cluster.line import Command, Matches

KERNEL_TIMERS = ["libkp_kernel_timer.so", "kp_kernel_timer.so"]
NSYS = ["nsys", "profile", "--trace=cuda,nvtx,osrt", "--output=timeline", "--stats=true"]
NCU = ["ncu", "--set=basic", "--launch-count=40", "--export=kernels"]


def profile(job):
    run, used = job.run, []

    def profile_with(tool, *words):
        folder = run / "profile/" + tool
        if not job.dry:
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
        code = job.line(Command(*words, run.parity, "measure", plan, "--quiet", "--output", "records.jsonl", folder=folder))
        if code:
            raise Failure(code, f"profiling with {tool} failed; the log says why: {run / 'log/profile.txt'}")
        used.append(tool)

    plan = run / "profile/plan.toml"
    for words in (["mkdir", "-p", run / "profile"], ["cp", os.environ.get("PARITY_PROFILE_PLAN") or "jobs/plans/profile.toml", plan]):
        code = job.line(Command(*words))
        if code:
            raise Failure(code)
    library = job.site.word("KOKKOS_TOOLS") or find_library()
    if library:
        if not job.dry and not os.access(library, os.R_OK):
            raise Failure(3, f"there is no {library}; correct SITE_KOKKOS_TOOLS in {run.site_file}")
        profile_with("kernel-timer", "env", f"{tools_variable(job)}={library}")
        code = 0 if job.dry else read_kernel_timer(job, library)
        if code:
            raise Failure(code)
    for words in (NSYS, NCU):
        if job.dry or shutil.which(words[0]):
            profile_with(words[0], *words)
    if not used:
        raise Failure(3, f"there is no profiler: name the kernel timer of kokkos-tools in SITE_KOKKOS_TOOLS ({run.site_file}), or load a "
                      "module with nsys or ncu")
    if not job.dry:
        job.tell(f"profiled with {' '.join(used)}: {run / 'profile'}")
    return 0


def find_library():
    """The kernel timer in LD_LIBRARY_PATH."""
    folders = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    candidates = [os.path.join(folder, name) for folder in folders if folder for name in KERNEL_TIMERS]
    return next((c for c in candidates if os.access(c, os.R_OK)), "")


def tools_variable(job):
    """Kokkos 3 knows this variable's first name only, later ones warn of it."""
    version = b"" if job.dry else subprocess.run([job.run.parity, "--version"], stdout=subprocess.PIPE).stdout
    return "KOKKOS_PROFILE_LIBRARY" if b"Kokkos: 3." in version else "KOKKOS_TOOLS_LIBS"


def read_kernel_timer(job, library):
    """kokkos-tools' own reader, where it is installed beside the library."""
    beside = os.path.dirname(library)
    path = os.pathsep.join([os.environ.get("PATH", ""), beside, os.path.join(beside, "../bin")])
    reader = shutil.which("kp_reader", path=path)
    if not reader:
        return 0
    folder = job.run / "profile/kernel-timer/"
    return job.line(Command(reader, Matches(folder, ".dat"), output=folder + "kernels.txt"))
