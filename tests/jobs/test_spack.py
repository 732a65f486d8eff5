# SPDX-License-Identifier: BSD-3-Clause
"""The Spack package, evaluated with a fake Spack: its options match CMake's, its libraries match those of the environments."""
import importlib.util
import itertools
import pathlib
import re
import sys
import types

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
VARIANTS = {"cuda": (False, True), "mpi": (False, True), "netcdf": (False, True), "tools": (False, True)}


class Spec:
    def __init__(self, on):
        self.on, self.variants = on, {"cuda_arch": types.SimpleNamespace(value=("90",))}

    def satisfies(self, text):
        return self.on[text[1:]] == (text[0] == "+")


@pytest.fixture
def package(monkeypatch):
    """The class, with all calls of directives."""
    calls = []
    spack = types.ModuleType("spack.package")
    for name in ("conflicts", "depends_on", "maintainers", "variant", "version"):
        setattr(spack, name, lambda *words, _name=name, **named: calls.append((_name, words, named)))

    class CMakePackage:
        def define(self, name, value):
            return name, value

        def define_from_variant(self, name, variant):
            assert variant in VARIANTS
            return name, self.spec.on[variant]

        def __getitem__(self, name):
            return types.SimpleNamespace(kokkos_cxx=f"/{name}/bin/nvcc_wrapper")

    spack.CMakePackage, spack.CudaPackage = CMakePackage, type("CudaPackage", (), {"cuda_arch_values": ("60", "70", "80", "90")})
    monkeypatch.setitem(sys.modules, "spack", types.ModuleType("spack"))
    monkeypatch.setitem(sys.modules, "spack.package", spack)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    described = importlib.util.spec_from_file_location("package", ROOT / "jobs/spack/packages/parity/package.py")
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    module.Parity.calls = calls
    return module.Parity


def test_options_are_those_of_cmake(package):
    text = "".join(p.read_text() for p in [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake")])
    known = set(re.findall(r"^\s*(?:option\(|set\((?=\w+ [^\n]* CACHE))(PARITY_\w+)", text, re.M)) | {"CMAKE_CUDA_ARCHITECTURES", "CMAKE_CXX_COMPILER"}
    for values in itertools.product(*VARIANTS.values()):
        made = package()
        made.spec = Spec(dict(zip(VARIANTS, values)))
        options = dict(made.cmake_args())
        assert len(options) == len(made.cmake_args()) and set(options) <= known, set(options) - known
        assert ("CMAKE_CXX_COMPILER" in options) == made.spec.on["cuda"] == options["PARITY_ENABLE_CUDA"]
        assert set(filter(None, options["PARITY_TOOLS"].split(";"))) <= set(re.search(r'PARITY_TOOLS "([^"]*)"', text)[1].split(";"))


def test_libraries_and_variants(package):
    declared = {words[0] for name, words, _ in package.calls if name == "variant"}
    assert declared == set(VARIANTS) - {"cuda"}  # CudaPackage provides it
    named = {re.match(r"[\w-]+", words[0])[0] for name, words, _ in package.calls if name == "depends_on"}
    specs = yaml.safe_load((ROOT / "jobs/spack/spack.yaml").read_text())["spack"]["specs"]
    wanted = {re.match(r"[\w-]+", s)[0] for s in specs} - {"ninja", "cuda", "kokkos-tools"}  # CMakePackage, CudaPackage, and a profiler
    assert {"mpi" if s == "openmpi" else s for s in wanted if not s.startswith("py-")} == named - {"cxx"}
    of_host = yaml.safe_load((ROOT / "jobs/spack/host.yaml").read_text())["spack"]["specs"]
    assert {re.match(r"[\w-]+", s)[0] for s in of_host} == wanted | {"ninja", "kokkos-tools"}
    releases = [line.split()[0] for line in (ROOT / "cmake/kokkos_releases.txt").read_text().splitlines() if line[0].isdigit()]
    same = [(words[0], named["when"]) for name, words, named in package.calls if name == "depends_on" and "@" in words[0] and "kernels" in words[0]]
    assert {f"kokkos-kernels@{r}": f"^kokkos@{r}" for r in releases}.items() <= dict(same).items()
    for arch in package.cuda_arch_values:
        assert sum(named.get("when") == f"+cuda cuda_arch={arch}" for _, _, named in package.calls) == 2
    assert [named["when"] for _, words, named in package.calls if words and "+cuda_lambda" in words[0]] == ["+cuda ^kokkos@:4"], "Kokkos 5 has no such variant"
    assert package.git == ROOT.as_uri() and yaml.safe_load((ROOT / "jobs/spack/repo.yaml").read_text()) == {"repo": {"namespace": "parity"}}
