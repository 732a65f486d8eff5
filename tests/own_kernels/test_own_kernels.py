# SPDX-License-Identifier: BSD-3-Clause
"""Programs of users: the output of 'parity new' and the examples in this folder, built against an installed Parity in a folder outside."""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess

import pytest
import shown_pairs
from record_files import key, metric, rows

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ["PARITY"]).resolve().parent
PROBLEMS = 12
PLAN = f"""
study = "axpy"
variants = ["openmp-axpy", "kokkos-axpy", "cuda-axpy"]
[axes]
n = [{", ".join(str(1000000 + k) for k in range(PROBLEMS))}]
[measure]
repeats = 2
starts = 1
"""


def call(*words, **options):
    return subprocess.run(list(map(str, words)), text=True, capture_output=True, timeout=1800, **options)


def cached(name):
    return (re.findall(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M) or [""])[0]


def configured(source, folder):
    return call("cmake", "-S", source, "-B", folder, f"-DCMAKE_PREFIX_PATH={installed_in(folder)}", f"-DCMAKE_CXX_COMPILER={cached('CMAKE_CXX_COMPILER')}")


def installed_in(folder):
    return next(p / "installed" for p in pathlib.Path(folder).parents if (p / "installed").is_dir())


def built(source, folder, target="all"):
    done = configured(source, folder)
    if done.returncode == 0:
        done = call("cmake", "--build", folder, "--target", target)
    return done


@pytest.fixture(scope="session")
def top(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    done = call("cmake", "--install", BUILD, "--prefix", folder / "installed")
    assert done.returncode == 0, done.stderr
    return folder


def program(top, source, name):
    done = built(source, top / name)
    assert done.returncode == 0, done.stdout + done.stderr

    def run(*words, **options):
        return call(top / name / name, *words, cwd=options.pop("cwd", top), **options)

    return run


def test_the_program_alone_can_be_installed():
    """As jobs/local.sh builds it: the build also includes everything that an installation needs for users' programs."""
    assert "CMakeFiles/parity_own.dir/" in call("ninja", "-C", BUILD, "-t", "commands", "parity").stdout


@pytest.fixture(scope="session")
def axpy(top):
    """Written and built according to the output of 'parity new'."""
    done = call(top / "installed/bin/parity", "new", "axpy", cwd=top)
    assert done.returncode == 0 and f"-DCMAKE_PREFIX_PATH={top / 'installed'}" in done.stdout, done.stdout + done.stderr
    return program(top, top / "axpy", "my_kernels")


@pytest.fixture(scope="session")
def stencil7(top):
    return program(top, HERE / "stencil7", "stencil7")


def test_new_writes_what_is_here_and_nothing_twice(parity, refused, tmp_path):
    assert parity("new", "gemv_t").returncode == 0
    assert "struct GemvT {" in (tmp_path / "gemv_t/gemv_t.hpp").read_text() and (tmp_path / "gemv_t/gemv_t.cu").is_file()
    before = (tmp_path / "gemv_t/gemv_t.hpp").read_text()
    refused("new", "gemv_t", says="gemv_t exists here already: give another name")
    refused("new", "../x", says="is no name of a kernel")
    refused("new", "stencil_7", says="is no name of a kernel")  # its command would be stencil7
    refused("new", "a" * 100_000, says="is no name of a kernel")
    (tmp_path / "saxpy").symlink_to(tmp_path / "nowhere")
    refused("new", "saxpy", says="saxpy exists here already")
    for name in ("class", "list", "my_native", "openmp"):
        refused("new", name, says=f"'{name}' means something else to C++, CMake or the program")
    assert (tmp_path / "gemv_t/gemv_t.hpp").read_text() == before
    assert parity("new", "axpy").returncode == 0
    for file in (tmp_path / "axpy").iterdir():
        assert file.read_text() == (HERE / "axpy" / file.name).read_text().split("\n", 1)[1]  # except for the licence
    assert sum(len(file.read_text().splitlines()) for file in (tmp_path / "axpy").iterdir()) <= 85


def test_the_page_has_these_files():
    page = (HERE.parents[1] / "miniapp/OWN_KERNELS.md").read_text()
    for file in (HERE / "axpy").iterdir():
        assert "\n" + file.read_text().split("\n", 1)[1] + "```\n" in page, file


def test_it_is_listed_and_shown(axpy):
    done = axpy("list", "axpy")
    assert done.returncode == 0 and re.search("twin: (openmp|cuda)-axpy", done.stdout) and "cuda-axpy" in done.stdout, done.stdout
    said = " ".join(axpy("list").stdout.split()) + axpy("--help").stdout + axpy("findings", "--help").stdout
    assert "'my_kernels show ALGORITHM'" in said and not re.search("fused|diffusion|original works", said)
    assert "--s" in axpy("axpy", "--help").stdout and axpy("--version").stdout.startswith("my_kernels, with Parity ")
    shown = axpy("show", "axpy", env={**os.environ, "COLUMNS": "100"}).stdout
    assert "struct KokkosAxpy" in shown and ("struct CudaAxpy" in shown or "struct OpenmpAxpy" in shown)


@pytest.mark.parametrize("precision", ["float", "double"])
@pytest.mark.parametrize("n", ["1", "31", "1e3"])
def test_odd_sizes_are_verified(axpy, tmp_path, n, precision):
    done = axpy("axpy", "--n", n, "--precision", precision, "--s", 0.7, "--repeats", 3, "--json", "t.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    measured = rows(tmp_path / "t.jsonl")
    assert {"openmp-axpy", "kokkos-axpy"} <= {r["variant"] for r in measured}
    for r in measured:
        assert r["verification"]["passed"] and r["problem"] == {"n": int(float(n)), "precision": precision, "s": 0.7}
        size = 3 * int(float(n)) * (4 if precision == "float" else 8)
        assert metric(r, "bandwidth") == pytest.approx(size / r["host_seconds"]["median"] / 1e9)


def test_a_plan_is_killed_resumed_and_read_by_everything(axpy, parity, draw, tmp_path):
    """Without CUDA, cuda-axpy is a record with a reason."""
    (tmp_path / "plan.toml").write_text(PLAN)
    output = tmp_path / "r.jsonl"
    done = axpy("measure", "plan.toml", "--output", "r.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = output.read_text().splitlines(keepends=True)
    output.write_text("".join(lines[:5]) + lines[5][:40])  # as after a kill
    done = axpy("measure", "plan.toml", "--output", "r.jsonl", "--resume", cwd=tmp_path)
    finished = sum('"type":"measurement"' in line for line in lines[:5])
    assert done.returncode == 0 and f"{finished} kept" in done.stdout, done.stdout + done.stderr
    measured = rows(output)
    assert len(measured) >= 2 * PROBLEMS and len(measured) == len({key(r) for r in measured})
    document = json.loads(axpy("export", "r.jsonl", cwd=tmp_path).stdout)
    assert shown_pairs.of_text(axpy("findings", "r.jsonl", cwd=tmp_path).stdout) == shown_pairs.of_export(document)
    assert axpy("compare", "r.jsonl", "r.jsonl", cwd=tmp_path).returncode == 0
    # Parity itself reads records of a study that it does not contain.
    assert json.loads(parity("export", "r.jsonl").stdout) == document
    done, page = draw("r.jsonl")
    assert done.returncode == 0 and shown_pairs.of_page(page) == shown_pairs.of_export(document), done.stderr


def test_tunings_graphs_refusals_and_what_is_wrong(stencil7, tmp_path):
    done = stencil7("stencil7", "--nx", 33, "--ny", 32, "--nz", 7, "--variants", "*", "openmp-sweep-tuned/*", "kokkos-sweep+*", "--repeats", 3,
                    "--json", "s.jsonl", cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    said = " ".join(done.stdout.split())
    assert "kokkos-sweep-wrong is WRONG: value 0 is NaN, as one that was never written, where" in said
    assert "skipped openmp-sweep-tuned/48: ny is no multiple of the rows of a block" in said
    passed = {(r["variant"], r["tuning"]) for r in rows(tmp_path / "s.jsonl") if r["verification"]["passed"]}
    assert {("kokkos-sweep+kokkos-graph-whole", ""), ("openmp-sweep-tuned", "16")} <= {(v, t or "") for v, t in passed}
    if cached("PARITY_ENABLE_CUDA") == "OFF":
        assert "skipped cuda-sweep" in said and "built without CUDA" in said


def test_a_function_of_a_library_that_is_compiled_apart(top):
    done = program(top, HERE / "library", "dots")("dot", "--n", 1000, "--repeats", 3)
    assert done.returncode == 0 and "openmp-dot" in done.stdout, done.stdout + done.stderr


def test_too_much_memory_is_refused_before_it_is_allocated(axpy):
    done = axpy("axpy", "--n", "1e9", "--precision", "double", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30)))
    assert done.returncode == 2 and "of host memory and" in done.stderr, done.stdout + done.stderr


MISTAKES = {
    "a version of one name": ('PARITY_VERSION(OpenmpAxpy, "axpy", first);\n', 'PARITY_VERSION(OpenmpAxpy, "axpy", first);\n' * 2,
                              r"two versions are openmp of axpy: OpenmpAxpy at axpy_openmp.cpp:\d+ and OpenmpAxpy at axpy_openmp.cpp:\d+; make one tuned"),
    "no range": ('"values", 1, 1e10}', '"values"}', "parameter 'n' of Axpy has no range"),
    "no number": ('"axpy", first);', '"axpy", first).tunings("block", {"wide"});', "'wide' is no tuning"),
    "NaN": ("y[i] += s * x[i];", "y[i] = i == 7 ? T(NAN) : y[i] + s * x[i];", "openmp-axpy is WRONG: value 7 is NaN"),
    "no work": ("y[i] += s * x[i];", ";", "openmp-axpy is WRONG: value"),
    "own memory": ("T* y = this->inout(this->data.y);", "std::vector<T> own = this->data.y;\n  T* y = own.data();",
                   r"openmp-axpy is WRONG: it failed: result\(\) is no memory of inout\(\) or output\(\): add 'void load\(\)'"),
    "too few values": ("auto result() { return y; }", "auto result() { return parity::Values<T>{y, 7}; }",
                       "openmp-axpy is WRONG: the result has 7 values, not 100"),
    "nothing to compare": ('PARITY_VERSION(OpenmpAxpy, "axpy", first);', 'PARITY_VERSION(OpenmpAxpy, "other", first);', None),
    "a later run fails": ("const T s = T(p.s);", 'static int runs = 0;\n  if (++runs > 2) throw std::runtime_error("out of steps");\n  const T s = T(p.s);',
                          "openmp-axpy is WRONG: it failed: out of steps"),
    "a crash": ("y[i] += s * x[i];", "std::abort();", "my_kernels: openmp-axpy ended the process: fix it, or leave it out of --variants"),
    "an odd name": ('"axpy", first);', '"a+b", first);', """OpenmpAxpy at axpy_openmp.cpp:\\d+: "a.b" is no name for lists and plans"""),
    "a name of an option": ('{"s", "The', '{"json", "The', "json is already added: give the parameter or its problem another name"),
    "no template": ("template <class T>\nstruct OpenmpAxpy", "using T = double;\nstruct OpenmpAxpy", "PARITY: write this version as 'template <class T> struct ...'"),
    "no result": ("  auto result() { return y; }\n", "", "PARITY: this version keeps no result: add 'auto result"),
    "no run": ("void run(", "void go(", "PARITY: this version has no 'void run"),
}


def edited(top, name, changes, portable=False):
    """The example with only its native half, which compiles in seconds."""
    folder = top / name
    shutil.copytree(top / "axpy", folder, ignore=shutil.ignore_patterns("axpy.cpp" * (not portable), "*.cu"))
    changes = {" axpy.cpp axpy_openmp.cpp axpy.cu": " axpy.cpp" * portable + " axpy_openmp.cpp", **changes}
    texts = {file: file.read_text() for file in (folder / "CMakeLists.txt", folder / "axpy.hpp", folder / "axpy_openmp.cpp")}
    for before, after in changes.items():
        assert sum(before in text for text in texts.values()) == 1, before
        texts = {file: text.replace(before, after) for file, text in texts.items()}
    for file, text in texts.items():
        file.write_text(text)
    return folder


def test_a_result_may_hold_whole_numbers_and_sources_lie_below_the_folder(top, axpy):
    folder = edited(top, "whole numbers", {" axpy_openmp.cpp": " ${CMAKE_CURRENT_SOURCE_DIR}/in/axpy_openmp.cpp",
                                   "std::vector<T> x, y;": "std::vector<T> x;\n    std::vector<int> y;", ", y(parity::random_values<T>(p.n, 2))": ", y(p.n)",
                                   "const std::vector<T>& result": "const std::vector<int>& result", "return p.s * x[i] + y[i];": "return 3 * i;",
                                   "T* y = this": "int* y = this", "y[i] += s * x[i];": "y[i] = int(3 * i + (i == 9 && s > 2));"})
    (folder / "in").mkdir()
    for file in ("axpy.hpp", "axpy_openmp.cpp"):
        (folder / file).rename(folder / "in" / file)
    assert built(folder, folder / "build").returncode == 0
    run = [folder / "build/my_kernels", "axpy", "--n", 100, "--repeats", 2, "--starts", 1]
    assert call(*run).returncode == 0
    assert "WRONG: value 9 is 28 where 27 is expected" in call(*run, "--s", 3).stdout
    assert "struct OpenmpAxpy" in call(run[0], "show", "axpy", "--openmp").stdout


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_gets_one_clear_line(top, axpy, what):
    before, after, says = MISTAKES[what]
    folder = edited(top, re.sub(r"\W", "_", what), {before: after}, portable=says is None)
    done = built(folder, folder / "build")
    if says and says.startswith("PARITY"):
        assert done.returncode != 0 and says in done.stdout + done.stderr
        return
    assert done.returncode == 0, done.stdout + done.stderr
    done = call(folder / "build/my_kernels", "axpy", "--n", 100, "--repeats", 2, "--starts", 1)
    if says is None:
        assert done.returncode == 0 and "axpy has no native version to compare with here: times only, no ratio" in done.stdout, done.stdout
        return
    said = done.stdout + done.stderr
    assert done.returncode == (1 if "WRONG" in says else -signal.SIGABRT if "ended" in says else 2) and re.search(says, " ".join(said.split())), said
    assert "WRONG" in says or len(done.stderr.splitlines()) == 1


def test_classes_of_one_name_in_two_files(top, axpy):
    """The linker would keep one of them, which would be measured twice."""
    folder = edited(top, "copied", {" axpy_openmp.cpp": " axpy_openmp.cpp other_openmp.cpp"})
    (folder / "other_openmp.cpp").write_text((folder / "axpy_openmp.cpp").read_text().replace("first", "tuned"))
    assert built(folder, folder / "build").returncode == 0
    done = call(folder / "build/my_kernels", "list")
    assert done.returncode == 2 and "two classes have one name, and the linker keeps one: OpenmpAxpy at " in done.stderr, done.stderr


def test_the_cuda_half_compiles(top):
    """Needs neither a GPU nor a Kokkos for one."""
    with_cuda = HERE.parents[1] / "cmake/with_cuda_12.sh"
    if call(with_cuda, "true").returncode != 0:
        pytest.skip("no CUDA toolkit of cmake/bootstrap.sh --cuda-12")
    for source in (HERE / "axpy/axpy.cu", HERE / "stencil7/cuda.cu"):
        done = call(with_cuda, "nvcc", "-std=c++17", "-c", source, "-o", top / "cuda.o", "-I", top / "installed/include", "-I", top / "installed/include/parity/internal")
        assert done.returncode == 0, done.stderr


def test_programs_load_nothing_from_the_current_folder(top, axpy):
    shown = call("readelf", "-d", top / "my_kernels/my_kernels", env={**os.environ, "LC_ALL": "C"}).stdout
    parts = [part for line in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", shown) for part in line.split(":")]
    assert all(re.match(r"/|\$ORIGIN(/|$)", part) for part in parts), parts


def test_a_folder_of_another_project(top):
    """add_subdirectory configures with the targets that an installed Parity exports."""
    folder = top / "fetched"
    shutil.copytree(HERE / "axpy", folder)
    text = (folder / "CMakeLists.txt").read_text().replace("find_package(Parity 3 REQUIRED)", f"add_subdirectory({HERE.parents[1]} parity)")
    (folder / "CMakeLists.txt").write_text(text)
    done = call("cmake", "-S", folder, "-B", folder / "build", "-DPARITY_TOOLS=", "-DPARITY_ENABLE_MPI=OFF", f"-DCMAKE_PREFIX_PATH={cached('CMAKE_PREFIX_PATH')}",
                f"-DKokkos_DIR={cached('Kokkos_DIR')}", f"-DCMAKE_CXX_COMPILER={cached('CMAKE_CXX_COMPILER')}")
    assert done.returncode == 0, done.stderr
    makefile = folder / "build/CMakeFiles/Makefile2"  # CMake's default generator
    if makefile.is_file():  # only the user's program is built, and the parts of Parity that it needs
        assert re.findall(r"^all: (.*)$", makefile.read_text(), re.M) == ["CMakeFiles/my_kernels.dir/all", "CMakeFiles/my_kernels_native.dir/all"]
