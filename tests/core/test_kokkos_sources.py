# SPDX-License-Identifier: BSD-3-Clause
"""cmake/bootstrap.sh takes Kokkos from a prefix, a release, an archive, a folder or Debian, names sources that fail, and never hangs. Here Kokkos is
two CMakeLists.txt, and CUDA empty files."""
import functools
import hashlib
import http.server
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tarfile
import threading
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEWEST, OLDER = "5.9.9", "4.9.9"
# Paths in Debian's packages, and in NVIDIA's layout; None: omitted.
CUDA = {"usr/bin/ptxas": "bin/ptxas", "usr/bin/nvcc": None, "usr/lib/nvidia-cuda-toolkit/bin/nvcc": "bin/nvcc", "usr/lib/nvidia-cuda-toolkit/bin/g++": None,
        "usr/lib/nvidia-cuda-toolkit/bin/crt/link.stub": "bin/crt/link.stub", "usr/lib/nvidia-cuda-toolkit/bin/cicc": "nvvm/bin/cicc", "etc/nvcc.profile": None,
        "usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc": "nvvm/libdevice/libdevice.10.bc", "usr/include/cuda.h": "include/cuda.h",
        "usr/lib/x86_64-linux-gnu/libcudart.so.12": "lib64/libcudart.so.12", "usr/lib/x86_64-linux-gnu/libcublas.so": None,
        "usr/lib/x86_64-linux-gnu/stubs/libcuda.so": "lib64/stubs/libcuda.so"}


def sources(folder, name, package, version):
    """A project that installs its version and the C++ standard that it was built for."""
    folder = folder / name
    folder.mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.16)\nset({package}_VERSION_MAJOR {version[0]})\nproject({package} NONE)\n"
        f'file(WRITE ${{CMAKE_BINARY_DIR}}/c "set({package}_VERSION {version})\\nset(Kokkos_STANDARD ${{CMAKE_CXX_STANDARD}})\\n")\n'
        "execute_process(COMMAND touch -d 2020-02-02 ${CMAKE_BINARY_DIR}/c)\n"  # all files have the same time stamp, on any machine
        f"install(FILES ${{CMAKE_BINARY_DIR}}/c DESTINATION lib/cmake/{package} RENAME {package}Config.cmake)\n"
        f"add_custom_target({package})\nadd_library({name} INTERFACE)\nadd_library(Kokkos::{name.replace('-', '')} ALIAS {name})\n")
    (folder / "cmake").mkdir()
    (folder / "cmake/kokkos_arch.cmake").write_text("VOLTA70\n")
    return folder


class Place:
    """A copy of cmake/ with its own releases, which no server offers yet."""

    def __init__(self, folder):
        self.folder, self.served = folder, folder / "served"
        shutil.copytree(ROOT / "cmake", folder / "tree/cmake")
        self.served.mkdir()
        known = []
        for version in (NEWEST, OLDER):
            for name, package in (("kokkos", "Kokkos"), ("kokkos-kernels", "KokkosKernels")):
                with tarfile.open(self.served / f"{name}-{version}.tar.gz", "w:gz") as archive:
                    archive.add(sources(folder / version, name, package, version), f"{name}-{version}")
            known.append(" ".join([version, *(hashlib.sha256((self.served / f"{n}-{version}.tar.gz").read_bytes()).hexdigest() for n in ("kokkos", "kokkos-kernels"))]))
        for name, package in (("kokkos", "Kokkos"), ("kokkos-kernels", "KokkosKernels")):
            sources(folder / "pypi", name, package, "4.5.01")
        with tarfile.open(self.served / "package-1.tar.gz", "w:gz") as archive:
            archive.add(folder / "pypi", "package-1")
        known.append(f"pypi {hashlib.sha256((self.served / 'package-1.tar.gz').read_bytes()).hexdigest()} package-1.tar.gz")
        (folder / "tree/cmake/kokkos_releases.txt").write_text("# comment\n" + "\n".join(known) + "\n")
        for name, package in (("kokkos", "Kokkos"), ("kokkos-kernels", "KokkosKernels")):
            sources(folder / "debian/trilinos/packages", name, package, "3.4.01")
        with tarfile.open(self.served / "trilinos_1.tar.gz", "w:gz") as archive:
            archive.add(folder / "debian/trilinos", "trilinos")
        known = [("kokkos-3.4.01", "trilinos_1.tar.gz")]
        if shutil.which("dpkg-deb"):
            self.toolkit(folder / "toolkit")
            known.append(("cuda-12", "toolkit.deb"))
        (folder / "tree/cmake/debian_archives.txt").write_text("".join(
            f"{name} {hashlib.sha256((self.served / file).read_bytes()).hexdigest()} {file}\n" for name, file in known))
        (folder / "bin").mkdir()
        self.requests = []

    def toolkit(self, folder):
        for name in (*CUDA, "DEBIAN/control"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).touch()
        (folder / "DEBIAN/control").write_text("Package: toolkit\nVersion: 1\nArchitecture: all\nMaintainer: a\nDescription: b\n")
        (folder / "usr/lib/nvidia-cuda-toolkit/bin/nvcc.profile").symlink_to("/etc/nvcc.profile")
        (folder / "usr/lib/x86_64-linux-gnu/libcudart.so").symlink_to("libcudart.so.12")
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", folder, self.served / "toolkit.deb"], check=True, capture_output=True)

    def program(self, name, text):
        (self.folder / "bin" / name).write_text(text)
        (self.folder / "bin" / name).chmod(0o755)

    def environment(self, **variables):
        clean = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy") and k not in ("Kokkos_ROOT", "Kokkos_DIR", "CMAKE_PREFIX_PATH", "PARITY_KOKKOS")}
        return {**clean, "PARITY_DEPS": str(self.folder / "deps"), "PATH": f"{self.folder}/bin:{clean['PATH']}",
                "PARITY_KOKKOS_URL": "http://127.0.0.1:1", "PARITY_PYPI_URL": "http://127.0.0.1:1", "PARITY_DEBIAN_URL": self.served.as_uri(), **variables}

    def bootstrap(self, *arguments, **variables):
        return subprocess.run([self.folder / "tree/cmake/bootstrap.sh", *arguments], env=self.environment(**variables), text=True, capture_output=True, timeout=120)

    def built(self, **variables):
        """The version and the C++ standard of the Kokkos that --prefix names."""
        prefix = pathlib.Path(self.bootstrap("--prefix", **variables).stdout.strip())
        text = (prefix / "lib/cmake/Kokkos/KokkosConfig.cmake").read_text()
        assert (prefix / "lib/cmake/KokkosKernels/KokkosKernelsConfig.cmake").exists()
        return text.split("_VERSION ")[1].split(")")[0], text.split("_STANDARD ")[1].split(")")[0]


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


@pytest.fixture
def server(place):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def log_request(self, *_):
            place.requests.append(self.path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=place.served)) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield {"PARITY_KOKKOS_URL": f"http://127.0.0.1:{running.server_port}"}
        running.shutdown()


@pytest.mark.parametrize("old,version,standard", [(False, NEWEST, "20"), (True, OLDER, "17")])
def test_the_newest_release_that_the_compiler_can_build(place, server, old, version, standard):
    if old:
        place.program("c++", '#!/bin/sh\ncase "$*" in *c++20*) exit 1 ;; esac\nexec "$REAL" "$@"\n')
        server.update(CXX=str(place.folder / "bin/c++"), REAL=shutil.which("c++"))
    done = place.bootstrap(**server)
    assert done.returncode == 0 and done.stderr == "" and "Debian" not in done.stdout, done
    assert place.built(**server) == (version, standard)
    assert place.bootstrap().returncode == 0, "what was built needs no network"
    assert place.built(PARITY_KOKKOS=version) == (version, standard)


@pytest.mark.parametrize("what", ["unreachable", "silent", "another file", "half a file", "no such file"])
def test_a_network_without_releases(place, server, what):
    """By default the script takes Debian's, once, if PyPI has no release either; a missing release that the user names is an error."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        if what in ("unreachable", "silent"):
            server = {"PARITY_KOKKOS_URL": f"http://127.0.0.1:{1 if what == 'unreachable' else silent.getsockname()[1]}"}
        for archive in place.served.glob("kokkos-*"):
            content = archive.read_bytes()
            archive.write_bytes(content + b"0" if what == "another file" else content[:99])
            if what == "no such file":
                archive.unlink()
        start = time.monotonic()
        done = place.bootstrap(PARITY_KOKKOS=NEWEST, **server)
        assert done.returncode == 3 and done.stderr.count("\n") == 1 and NEWEST in done.stderr and server["PARITY_KOKKOS_URL"] in done.stderr, done
        assert not list((place.folder / "deps").glob("kokkos-*"))
        if what == "silent":
            assert 5 < time.monotonic() - start < 60  # it waits seven seconds; the rest allows for a busy machine
        done = place.bootstrap(**server)
        assert done.returncode == 0 and done.stdout.count("3.4.01 from the sources of Debian's") == 1 and server["PARITY_KOKKOS_URL"] in done.stdout, done
    assert place.built() == ("3.4.01", "17")
    assert "Debian" not in place.bootstrap(**server).stdout


def test_pypi_before_debian(place):
    """Without GitHub, and by name; a file with a wrong checksum is not unpacked."""
    pypi = {"PARITY_PYPI_URL": place.served.as_uri()}
    done = place.bootstrap(**pypi)
    assert done.returncode == 0 and done.stdout.count("taking an older one") == 1 and "package" in done.stdout and "Debian" not in done.stdout, done
    assert place.built() == place.built(PARITY_KOKKOS="pypi") == ("4.5.01", "17")
    assert "taking" not in place.bootstrap().stdout
    shutil.rmtree(place.folder / "deps")
    shutil.copy(place.served / f"kokkos-{OLDER}.tar.gz", place.served / "package-1.tar.gz")
    done = place.bootstrap(PARITY_KOKKOS="pypi", **pypi)
    assert done.returncode == 3 and done.stderr.count("\n") == 1 and "SHA-256" in done.stderr and not list((place.folder / "deps").glob("kokkos-*")), done


def test_debian_by_name(place):
    done = place.bootstrap(PARITY_KOKKOS="debian")
    assert done.returncode == 0 and "127.0.0.1" not in done.stdout, done
    assert place.built() == ("3.4.01", "17")


@pytest.mark.parametrize("arguments,name", [((), "trilinos_1.tar.gz"), (("--cuda-12",), "toolkit.deb")])
def test_what_is_not_debians_is_not_unpacked(place, arguments, name):
    """A mirror, a proxy or another user of the prefix may supply files: a wrong checksum is refused."""
    shutil.copy(place.served / f"kokkos-{OLDER}.tar.gz", place.served / name)
    shutil.copytree(place.served, place.folder / "deps/download", dirs_exist_ok=True)
    done = place.bootstrap(*arguments, PARITY_KOKKOS="debian")
    assert done.returncode == 3 and done.stderr.count("\n") == 1 and name in done.stderr and "SHA-256" in done.stderr and "PARITY_DEBIAN_URL" in done.stderr, done
    assert not list((place.folder / "deps").glob("cuda-12/*")) + list((place.folder / "deps").glob("kokkos-*")) * (not arguments)


def test_releases_in_a_folder(place):
    """Without a network; the script also finds a folder that CDPATH could hide."""
    files = {"PARITY_KOKKOS_URL": place.served.as_uri(), "PARITY_KOKKOS": OLDER, "CDPATH": f"/:{place.folder}"}
    done = place.bootstrap(**files)
    assert done.returncode == 0 and done.stderr == "" and place.built(**files) == (OLDER, "17"), done


def test_sources_in_a_folder_that_changed_are_built_again(place):
    folder = place.folder / OLDER / "kokkos"
    for version in (OLDER, "4.9.10"):
        (folder / "CMakeLists.txt").write_text((folder / "CMakeLists.txt").read_text().replace(OLDER, version))
        done = place.bootstrap(PARITY_KOKKOS=f"{folder}/.")
        assert done.returncode == 0 and done.stderr == "", done
        assert place.built(PARITY_KOKKOS=f"{folder}/.") == (version, "17")
    shutil.rmtree(folder.parent / "kokkos-kernels")
    done = place.bootstrap(PARITY_KOKKOS=str(folder))
    assert done.returncode == 3 and done.stderr.count("\n") == 1 and "kokkos-kernels" in done.stderr, done


def test_sources_without_kokkos_in_their_name(place):
    shutil.copytree(place.folder / OLDER / "kokkos", place.folder / "other")
    done = place.bootstrap(PARITY_KOKKOS=str(place.folder / "other"))
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "kokkos-kernels" in done.stderr, done


@pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="CUDA 12.4 is in packages of Debian")
def test_cuda_on_a_fresh_machine(place, server):
    """One run gets its packages and the archives of Kokkos, in NVIDIA's layout; a toolkit that was removed is restored."""
    done = place.bootstrap("--cuda", "VOLTA70", **server)
    deps = place.folder / "deps"
    assert done.returncode == 0 and done.stderr == "" and (deps / f"kokkos-{OLDER}-volta70/.complete").exists(), done
    files = {str(f.relative_to(deps / "cuda-12")) for f in (deps / "cuda-12").rglob("*") if not f.is_dir()}
    assert files == {f for f in CUDA.values() if f} | {".complete", "bin/nvcc.profile", "lib64/libcudart.so"}
    assert not (deps / "cuda-12/bin/nvcc.profile").is_symlink() and not list(deps.glob("download-*")) + list(deps.glob("src-*"))
    shutil.rmtree(deps / "cuda-12")
    assert place.bootstrap("--cuda", "VOLTA70").returncode == 0 and (deps / "cuda-12/bin/nvcc").exists()


def test_an_installed_kokkos(place):
    """A Kokkos in the environment has priority; no other is built."""
    assert place.bootstrap(PARITY_KOKKOS=str(place.folder / OLDER / "kokkos")).returncode == 0
    own = str(next((place.folder / "deps").glob("kokkos-*")))
    done = place.bootstrap(Kokkos_ROOT=own, PARITY_KOKKOS=NEWEST)
    assert done.returncode == 0 and f"your Kokkos in {own}" in done.stdout and f"not PARITY_KOKKOS={NEWEST}" in done.stdout, done
    assert place.bootstrap("--prefix", Kokkos_ROOT=own).stdout == ""
    assert [p.name for p in (place.folder / "deps").glob("kokkos-*")] == [pathlib.Path(own).name]
    shutil.rmtree(pathlib.Path(own) / "lib/cmake/KokkosKernels")
    done = place.bootstrap(Kokkos_ROOT=own)
    assert done.returncode == 3 and done.stderr.count("\n") == 1 and "KokkosKernels_ROOT" in done.stderr, done
    done = place.bootstrap(PARITY_KOKKOS=own)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "Kokkos_ROOT" in done.stderr, done


@pytest.mark.parametrize("choice", ["5.9", "Debian", "#", "./nothing", "/"])
def test_what_is_no_kokkos_is_refused(place, choice):
    done = place.bootstrap(PARITY_KOKKOS=choice)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and f"PARITY_KOKKOS={choice}" in done.stderr, done
    assert not (place.folder / "deps").exists()


@pytest.mark.parametrize("file", ["python.txt", "other.txt"])
def test_pip_installs_what_the_file_says_and_imports_nothing_of_the_current_folder(place, file):
    """A package from a folder; a second call downloads nothing, and packages that no file names are not installed."""
    folder, ran = place.folder / "folder", place.folder / "ran"
    folder.mkdir()
    for name in ("venv", "ensurepip", "pip"):
        (folder / f"{name}.py").write_text(f"open({str(ran)!r}, 'w')\nraise SystemExit(9)\n")
    (folder / file).write_text("nobody-has-this==1.0\n")
    environment = place.environment(PIP_NO_INDEX="1", PIP_FIND_LINKS=str(folder))
    done = subprocess.run([place.folder / "tree/cmake/bootstrap.sh", "--pip", file], cwd=folder, env=environment, text=True, capture_output=True)
    assert done.returncode == 3 and "nobody-has-this==1.0" in done.stderr and done.stderr.splitlines()[-1].startswith("bootstrap: pip failed"), done
    assert not ran.exists() and (place.folder / "deps/python/bin/python").exists()


def test_python_packages_have_one_version():
    for file in ("cmake/python.txt", "tests/python.txt"):
        lines = [line for line in (ROOT / file).read_text().splitlines() if not line.startswith("#")]
        assert lines and [line for line in lines if not re.fullmatch(r"[\w-]+==[\w.]+(; python_version (<|>=) \"3\.\d+\")?", line)] == [], file


def test_a_gpu_takes_the_toolkit_that_builds_its_kokkos(place):
    """Debian's 3.4.01 needs CUDA 11.8, a release of 4.x CUDA 12.4; a 5.x release needs an explicit request."""
    assert place.bootstrap("--with", "VOLTA70").stdout.endswith("with_cuda_12.sh\n")
    assert place.bootstrap("--prefix", "VOLTA70").stdout.endswith(f"deps/kokkos-{OLDER}-volta70\n")
    assert place.bootstrap("--with", "VOLTA70", PARITY_KOKKOS="debian").stdout.endswith("with_cuda_11.sh\n")
    for choice, toolkit in ((place.folder / "debian/trilinos/packages/kokkos", "cuda_11"), (place.folder / OLDER / "kokkos", "cuda_12")):
        assert place.bootstrap("--with", "VOLTA70", PARITY_KOKKOS=str(choice)).stdout.endswith(f"with_{toolkit}.sh\n"), choice
    (place.folder / "deps/kokkos-volta70").mkdir(parents=True)
    (place.folder / "deps/kokkos-volta70/.complete").touch()
    assert place.bootstrap("--with", "VOLTA70").stdout.endswith("with_cuda_11.sh\n")


@pytest.mark.parametrize("asked,message", [("", "5.9.9 in"), (f"-DPARITY_KOKKOS_RELEASE={OLDER}", "4.9.9 in"), ("-DPARITY_KOKKOS_RELEASE=4", "kokkos_releases.txt"),
                                           ("-DCMAKE_CXX_STANDARD=17", "4.9.9 in")])
def test_cmake_fetches_the_same_releases(place, server, asked, message):
    """PARITY_FETCH_KOKKOS=ON, without the rest of Parity."""
    (place.folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\nproject(x CXX)\ninclude(tree/cmake/fetch_kokkos.cmake)\nadd_library(y INTERFACE)\n"
        'target_link_libraries(y INTERFACE Kokkos::kokkos Kokkos::kokkoskernels)\nmessage(STATUS "${Kokkos_VERSION} in ${Kokkos_DIR}")\n')
    done = subprocess.run(["cmake", "-S", place.folder, "-B", place.folder / "b", *asked.split()], env=place.environment(**server), text=True, capture_output=True)
    assert message in done.stdout + done.stderr and (done.returncode == 0) == (" in" in message), done


@pytest.mark.parametrize("what", ["SHA256", "HTTP response"])
def test_cmake_asks_once_for_a_file_that_is_not_the_releases(place, server, what):
    archive = place.served / f"kokkos-{NEWEST}.tar.gz"
    archive.write_bytes(b"0")
    if what != "SHA256":
        archive.unlink()
    (place.folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.18)\nproject(x CXX)\ninclude(tree/cmake/fetch_kokkos.cmake)\n")
    done = subprocess.run(["cmake", "-S", place.folder, "-B", place.folder / "b"], env=place.environment(**server), text=True, capture_output=True)
    said = " ".join(done.stderr.split())
    assert done.returncode != 0 and what in said and "PARITY_KOKKOS_URL" in said and "Kokkos_ROOT" in said, done
    assert place.requests == [f"/{archive.name}"]
