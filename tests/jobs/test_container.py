# SPDX-License-Identifier: BSD-3-Clause
"""The image's steps, with fake programs that only print their commands; in a bare Debian if requested; and jobs in an image."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = "cmake/container/install.sh"


def fake(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)


def test_both_images_are_made_by_one_script():
    docker, apptainer = ((ROOT / "cmake/container" / name).read_text() for name in ("Dockerfile", "parity.def"))
    assert re.search(rf'^RUN /opt/parity/source/{SCRIPT} "\$GPU"$', docker, re.M) and re.search(rf'^  /opt/parity/source/{SCRIPT} "{{{{ GPU }}}}"$', apptainer, re.M)
    base = [re.search(r"^(?:FROM|From:) (\S+)$", text, re.M)[1] for text in (docker, apptainer)]
    assert base[0] == base[1] and "COPY . /opt/parity/source" in docker and "  . /opt/parity/source" in apptainer


@pytest.mark.parametrize("gpu", ["", "HOPPER90"])
def test_its_steps(gpu, tmp_path):
    top, said = tmp_path / "top", tmp_path / "said"
    fake(top / "cmake/bootstrap.sh", f'case $1 in --prefix) echo "/kokkos$2" ;; --with) echo {tmp_path}/bin/with ;; *) echo bootstrap "$@" >>{said} ;; esac')
    (top / "cmake/container").mkdir()
    shutil.copy(ROOT / SCRIPT, top / SCRIPT)
    for name in ("cmake", "ninja", "git", "parity", "rm"):
        fake(tmp_path / "bin" / name, f'echo {name} "$@" >>{said}')
    fake(tmp_path / "bin/with", '"$@"')
    done = subprocess.run([top / SCRIPT, gpu], env={**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "PARITY_DEPS": str(tmp_path / "deps")}, text=True, capture_output=True)
    assert done.returncode == 0, done
    lines = said.read_text().splitlines()
    assert lines[0] == "bootstrap --python" + f" --cuda {gpu}" * bool(gpu) and lines[-1] == "parity --version"
    configured = next(line for line in lines if line.startswith("cmake ")).split()
    assert f"-DCMAKE_PREFIX_PATH=/kokkos{gpu}" in configured and "-DPARITY_NATIVE_ARCH=OFF" in configured
    assert (f"-DCMAKE_CXX_COMPILER=/kokkos{gpu}/bin/nvcc_wrapper" in configured) == ("-DCMAKE_CXX_FLAGS=-arch=sm_90" in configured) == bool(gpu)
    known = set(re.findall(r"PARITY_\w+", "".join(p.read_text() for p in [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake")])))
    assert {option[2:].split("=")[0] for option in configured if option.startswith("-DPARITY")} <= known


def test_in_a_bare_debian(tmp_path):
    """Takes ten minutes and a GB: runs only if PARITY_BARE names the folder of a Debian 12 that debootstrap made, as root."""
    bare = os.environ.get("PARITY_BARE")
    if not bare:
        pytest.skip("PARITY_BARE names no bare Debian (debootstrap --variant=minbase bookworm FOLDER)")
    subprocess.run(["git", "clone", "-q", ROOT, f"{bare}/opt/parity/source"], check=True)
    done = subprocess.run(["chroot", bare, f"/opt/parity/source/{SCRIPT}"], text=True, capture_output=True)
    assert done.returncode == 0 and "Kokkos" in done.stdout, done.stdout[-2000:] + done.stderr[-2000:]


def test_a_job_runs_the_program_of_an_image(tmp_path):
    """A fake Apptainer runs the tests' program; without the image the job says what is missing."""
    fake(tmp_path / "bin/apptainer", f'echo "$@" >>{tmp_path}/said\nwhile [ "$1" != parity ]; do shift; done\nshift\nexec {os.environ["PARITY"]} "$@"')
    (tmp_path / "p.toml").write_text('variants = ["openmp-fused"]\n[axes]\nsize = [[16, 16, 2]]\nsteps = [2]\n')
    environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "PARITY_TARGET": "host", "PARITY_SITE": "jobs/sites/apptainer.sh", "PARITY_PLAN": str(tmp_path / "p.toml"),
                   "PARITY_BUILD": str(tmp_path / "build"), "PARITY_RESULTS": str(tmp_path / "results"), "PARITY_IMAGE": str(tmp_path / "my image.sif")}
    job = ["bash", "jobs/build.sbatch"]
    done = subprocess.run(job, cwd=ROOT, env=environment, text=True, capture_output=True)
    assert done.returncode == 3 and "my image.sif: make one with apptainer build" in done.stdout, done
    (tmp_path / "my image.sif").write_text("")
    done = subprocess.run(job, cwd=ROOT, env=environment, text=True, capture_output=True)
    assert done.returncode == 0 and "1 problems, 1 rows" in done.stdout, done
    assert f"exec --bind {ROOT} --bind {tmp_path}/results {tmp_path}/my image.sif parity --version" in (tmp_path / "said").read_text()
