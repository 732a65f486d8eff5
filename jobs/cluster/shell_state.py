# SPDX-License-Identifier: BSD-3-Clause
"""shell_state.py DESCRIPTOR: writes what a shell hands down to its children. jobs/cluster/enter.py takes it over."""
import json
import os
import resource
import sys


def limits():
    """Every resource limit that this system has, by name."""
    return {name: resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name.startswith("RLIMIT_")}


def write(descriptor):
    mask = os.umask(0)
    os.umask(mask)
    # Bytes as numbers below 256: the two processes may take different encodings for granted.
    environment = {name.decode("latin-1"): value.decode("latin-1") for name, value in os.environb.items()}
    state = {"environment": environment, "limits": limits(), "umask": mask}
    os.write(descriptor, b"state " + json.dumps(state).encode("ascii"))


def adopt(state):
    os.environ.clear()
    for name, value in state["environment"].items():
        os.environb[name.encode("latin-1")] = value.encode("latin-1")
    os.umask(state["umask"])
    for name, limit in state["limits"].items():
        if resource.getrlimit(getattr(resource, name)) != tuple(limit):
            resource.setrlimit(getattr(resource, name), tuple(limit))


if __name__ == "__main__":
    write(int(sys.argv[1]))
