# SPDX-License-Identifier: BSD-3-Clause
"""What a reader of the results wants to know of where they come from; nothing that could be secret."""
import os
import re
import subprocess
import time

# Kept are variables whose names are known to be harmless: a token's name can be anything.
HARMLESS = re.compile(r"""(
    SLURM_\w+ | SLURMD_NODENAME | PARITY_\w+ | OMP_\w+ | GOMP_\w+ | KMP_\w+ | KOKKOS_\w+ | Kokkos\w*_(ROOT|DIR) |
    CUDA_\w+ | CUDAARCHS | CUDACXX | CUDAHOSTCXX | NVCC_\w+ | NVIDIA_VISIBLE_DEVICES | CMAKE_\w+ | CCACHE_DIR |
    CC | CXX | FC | (C|CXX|CUDA|CPP|LD)FLAGS | \w*PATH | LOADEDMODULES | _LMFILES_ | MODULESHOME | SPACK_ENV | VIRTUAL_ENV |
    CONDA_DEFAULT_ENV | HOSTNAME | LANG | LC_\w+ | TZ | PWD | SHELL | TMPDIR )""", re.X)
# Of those, what still sounds like a secret, and what other software puts there.
SECRET = re.compile(r"token|secret|passw|credential|key|auth|cookie|jwt|^SLURM_SPANK_", re.I)
# scheme://user:password@host
CREDENTIALS = re.compile(r"://\S*@")


def harmless(environment):
    """The variables to keep, as lines."""
    return [name + "=" + value.replace("\n", "\\n") for name, value in sorted(environment.items())
            if HARMLESS.fullmatch(name) and not SECRET.search(name) and not CREDENTIALS.search(value)]


def output_of(*words):
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        return os.fsdecode(done.stdout).splitlines()
    except OSError as e:
        return [f"{words[0]}: {e.strerror}"]


def report(parity, job):
    """Everything, as lines; job: SLURM's number for it, if there is one."""
    yield "# date and place"
    yield time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    yield os.uname().nodename
    yield " ".join(os.uname())
    sections = [("commit", output_of("git", "log", "-1", "--format=%H %cI %s") + output_of("git", "status", "--short")[:20]),
                ("modules", os.environ.get("LOADEDMODULES", "none").split(":")),
                ("job", output_of("scontrol", "show", "job", job) if job else []),
                ("GPU", output_of("nvidia-smi")), ("processor", output_of("lscpu")), ("parity", output_of(parity, "--version")),
                ("environment", harmless(os.environ))]
    for title, lines in sections:
        yield "# " + title
        yield from lines


def save(path, parity, job):
    with open(path, "w", errors="surrogateescape") as file:
        file.writelines(CREDENTIALS.sub("://", line) + "\n" for line in report(parity, job))
