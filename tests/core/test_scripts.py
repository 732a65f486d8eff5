# SPDX-License-Identifier: BSD-3-Clause
"""The scripts that users run: they explain themselves, and report unknown arguments before they build, measure or remove anything."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from record_files import row, write

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ("jobs/local.sh", "jobs/evidence.sh", "jobs/versions.sh", "cmake/build.sh", "cmake/bootstrap.sh", "tests/run.sh", "tests/setup.sh", "tests/sanitize.sh", "tests/gpu_check.sh")


def run(script, *arguments, folder, terminal=False):
    """terminal=True: runs the script in a pseudo-terminal, whose output includes errors."""
    environment = {**os.environ, "PARITY_DEPS": str(folder / "deps"), "PARITY_RESULTS": str(folder / "results"), "PARITY_BUILD": str(folder / "build")}
    command = [ROOT / script, *arguments]
    return subprocess.run(["script", "-qec", " ".join(map(str, command)), "/dev/null"] if terminal else command, cwd=folder, env=environment, text=True, capture_output=True, timeout=60)


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_explains_itself_and_does_nothing(script, option, tmp_path):
    done = run(script, option, folder=tmp_path)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert script in done.stdout and "#" not in done.stdout and "set -e" not in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["--plan"], ["nowhere.toml"], ["."], ["one.toml", "two.toml"]])
def test_local_refuses_what_is_no_plan_and_keeps_the_results(arguments, tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results/records.jsonl").write_text("earlier\n")
    done = run("jobs/local.sh", *arguments, folder=tmp_path)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1 and done.stderr.startswith("local: "), done
    assert (tmp_path / "results/records.jsonl").read_text() == "earlier\n"
    assert [p.name for p in tmp_path.iterdir()] == ["results"]


def test_local_takes_a_program_that_is_built(tmp_path):
    """Nothing is built or downloaded; the script passes on the program's exit code above 1, and keeps earlier results."""
    (tmp_path / "build").mkdir()
    program = tmp_path / "build/parity"
    program.write_text('#!/bin/sh\ncase $2 in */kde.toml) exit 3 ;; esac\necho new >"$4"\n')
    program.chmod(0o755)
    (tmp_path / "results").mkdir()
    (tmp_path / "results/records.jsonl").write_text("earlier\n")
    done = run("jobs/local.sh", folder=tmp_path)
    assert done.returncode == 3 and "build:" not in done.stdout and "bootstrap:" not in done.stdout, done
    assert (tmp_path / "results/records.jsonl").read_text() == "earlier\n" and not (tmp_path / "deps").exists()
    assert done.stderr.splitlines()[-1].startswith("local: not all was measured")


@pytest.mark.parametrize("options,code,terminal", [([], 0, False), (["--verbose"], 0, False), ([], 1, False), ([], 0, True)])
def test_local_prints_a_line_a_phase_and_one_screen(options, code, terminal, tmp_path):
    """Also at a terminal, where a measurement shows its progress. Programs print to the log (--verbose: also to the terminal); a wrong result gives 1."""
    problem = {"nx": 16, "ny": 16, "nz": 4, "steps": 8, "alpha": 0.1, "halo": 2, "precision": "float"}
    write(tmp_path / "measured.jsonl", [row("diffusion", name, [seconds * x for x in (1, 1.02, 1.3)], problem, twin=twin)
                                        for name, seconds, twin in (("openmp-fused", 1, ""), ("kokkos-fused", 4, "openmp-fused"), ("kokkos-fused-tuned", 1.25, "openmp-fused"))])
    for name, script in (("build/parity", f'case $1 in measure) echo chatter; cp "{tmp_path}/measured.jsonl" "$4"; exit {code};; *) exec "{os.environ["PARITY"]}" "$@";; esac'),
                         ("deps/python/bin/python", f'[ "$2" != pip ] && exec "{sys.executable}" -B "$@"')):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(f"#!/bin/bash\n{script}\n")
        (tmp_path / name).chmod(0o755)
    done = run("jobs/local.sh", *options, folder=tmp_path, terminal=terminal)
    assert done.returncode == code and done.stderr == "" and not {"\r", "\x1b"} & {*done.stdout}, done
    phases, screen = done.stdout.split("\n\n")
    assert ("chatter" in phases) == bool(options) and (tmp_path / "results/local.log").read_text().count("chatter") == 3
    assert len(re.findall(r"^local: [a-z ]+ +\d+ min +\d+ s" + (", a result is WRONG" if code else "$"), phases, re.M)) == (3 if code else 4)
    lines = screen.splitlines()
    assert len(lines) <= 24 and all(len(s) <= 100 or str(tmp_path) in s for s in (lines if options else done.stdout.splitlines())), done.stdout
    assert re.search(r"^  fused +0\.25 \[0\.25, 0\.25\]  0\.80 \[0\.80, 0\.80\]  1$", screen, re.M), screen
    assert "Noise: " in screen and lines[-1].startswith(f"Report: {tmp_path}/results/report.html") and (tmp_path / "results/report.html").exists()


def fake(folder, **scripts):
    for name, text in scripts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)


@pytest.mark.parametrize("card,arch", [("NVIDIA H200, 9.0", "HOPPER90"), ("Tesla P100-SXM2-16GB, 6.0", "PASCAL60"), ("Quadro K2000, 3.0", ""), ("", "")])
@pytest.mark.parametrize("backend", ["OpenMP", "Cuda"])
def test_local_says_that_a_gpu_stays_unused(card, arch, backend, tmp_path, monkeypatch):
    """It also prints the three lines that would use it, which --gpu runs itself."""
    fake(tmp_path, **{"bin/nvidia-smi": f'[ -n "{card}" ] && echo "{card}"', "build/parity": f"case $1 in list) echo '  kokkos  4.6.1 on {backend}' ;; *) exit 3 ;; esac"})
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    said = run("jobs/local.sh", folder=tmp_path).stdout
    advised = arch != "" and backend == "OpenMP"
    assert ("stays unused" in said) == ("jobs/local.sh --gpu" in said) == advised, said
    assert not advised or f"cmake/bootstrap.sh --cuda {arch} " in said and "ninja -C build-gpu parity" in said


def test_local_builds_for_the_gpu_itself(tmp_path, monkeypatch):
    """With fake scripts instead of the bootstrap, cmake and ninja."""
    for name in ("jobs/local.sh", "jobs/plans/local.toml"):
        (tmp_path / "top" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / "top" / name)
    said = f'echo "$@" >>{tmp_path}/done'
    fake(tmp_path, **{"bin/nvidia-smi": 'echo "NVIDIA A100, 8.0"', "top/cmake/bootstrap.sh": f"case $1 in --prefix) echo /kokkos-$2 ;; --with) echo {tmp_path}/bin/with ;; *) {said} ;; esac",
                      "bin/with": said, "top/build-gpu/parity": "exit 3"})
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    environment = {k: v for k, v in os.environ.items() if k != "PARITY_BUILD"}
    done = subprocess.run([tmp_path / "top/jobs/local.sh", "--gpu"], env=environment, text=True, capture_output=True, timeout=60)
    assert done.returncode == 3, done  # the program's exit code
    lines = (tmp_path / "done").read_text().splitlines()
    assert lines[0] == "--python --cuda AMPERE80" and lines[1].startswith("cmake ") and "-arch=sm_80" in lines[1] and "/kokkos-AMPERE80/bin/nvcc_wrapper" in lines[1]
    assert lines[2] == f"ninja -C {tmp_path}/top/build-gpu parity"
    fake(tmp_path, **{"bin/nvidia-smi": "exit 9"})
    done = subprocess.run([tmp_path / "top/jobs/local.sh", "--gpu"], env=environment, text=True, capture_output=True, timeout=60)
    assert done.returncode == 3 and done.stderr.count("\n") == 1 and "names no GPU" in done.stderr


def test_findings_on_a_gpu_are_named(tmp_path, monkeypatch):
    """A fake compute-sanitizer finds an error in one tool and study."""
    fake(tmp_path, **{"build/parity": "case $1 in list) echo '  gpu     H200' ;; esac", "bin/compute-sanitizer": """case "$*" in *racecheck*kde*) echo "========= Error: Race reported"; exit 97 ;; esac"""})
    done = run("tests/gpu_check.sh", tmp_path / "build", folder=tmp_path)
    assert done.returncode == 3 and "no compute-sanitizer" in done.stderr or shutil.which("compute-sanitizer")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    done = run("tests/gpu_check.sh", tmp_path / "build", folder=tmp_path)
    lines = done.stdout.splitlines()
    assert done.returncode == 1 and done.stdout.count("FOUND") == done.stdout.count("Race reported") == 2 and done.stdout.count("nothing found") == 3 * 11 + 1 - 2, done
    assert lines[0].startswith("gpu_check: memcheck diffusion: nothing found") and (tmp_path / "build/gpu_check/1-memcheck-diffusion.log").exists()
    assert run("tests/gpu_check.sh", tmp_path / "build", "memcheck", folder=tmp_path).returncode == 0
    fake(tmp_path, **{"build/parity": "echo '  gpu     none: built without CUDA'"})
    assert run("tests/gpu_check.sh", tmp_path / "build", folder=tmp_path).returncode == 3


@pytest.mark.parametrize("script", ["cmake/build.sh", "cmake/bootstrap.sh", "tests/setup.sh"])
def test_an_unknown_option_is_refused(script, tmp_path):
    done = run(script, "--nothing", folder=tmp_path)
    assert done.returncode == 2 and done.stdout == "" and "'--nothing'" in done.stderr and "--help" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words,says", [(["jobs/local.sh", "nowhere.toml"], f"give one of {ROOT}/jobs/plans\n"), (["cmake/bootstrap.sh", "--with", "VOLTA70"], f"{ROOT}/cmake/with_"),
                                        (["jobs/submit.sh", "host", "--site", "jobs/sites/debian.sh", "--dry-run"], f"folder of results: {ROOT}/results/host-"),
                                        (["tests/setup.sh", "--browser"], "")])
def test_a_cdpath_of_the_users(words, says, tmp_path):
    """CDPATH makes 'cd' print its target, and can lead to a folder of this name in another place."""
    for name in ("jobs", "cmake", "tests"):
        (tmp_path / name).mkdir()
    (tmp_path / "chromium").write_text("#!/bin/sh\n")
    (tmp_path / "chromium").chmod(0o755)
    environment = {**os.environ, "CDPATH": f"{tmp_path}:.", "PARITY_DEPS": str(tmp_path / "deps"), "PARITY_RESULTS": str(tmp_path / "results"), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(words, cwd=ROOT, env=environment, text=True, capture_output=True, timeout=60)
    assert says in done.stdout + done.stderr and "No such file" not in done.stderr, done


@pytest.mark.parametrize("text", ["\ufeffSITE_CPUS=2\n", "SITE_CPUS=2\r\nSITE_PARTITION=gpu\r\n", "site_setup() {\r\n  :\r\n}\r\n"])
def test_a_site_file_from_windows(text, tmp_path):
    """The message names a command that fixes it."""
    site = tmp_path / "my site.sh"
    site.write_bytes(text.encode())
    words = [ROOT / "jobs/submit.sh", "host", "--site", site, "--dry-run"]
    done = subprocess.run(words, cwd=tmp_path, text=True, capture_output=True, timeout=60)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "carriage returns or a byte-order mark" in done.stderr, done
    subprocess.run(["bash", "-c", done.stderr.split("remove them: ")[1]], check=True)
    assert subprocess.run(words, cwd=tmp_path, text=True, capture_output=True, timeout=60).returncode == 0


def test_python_imports_nothing_of_the_current_folder():
    """-c and -m search the current folder first, which others may write to; -I prevents that."""
    scripts = subprocess.run(["git", "ls-files", "*.sh", "*.sbatch", ".ci/run", "*.cmake", "*CMakeLists.txt"], cwd=ROOT, text=True, capture_output=True, check=True).stdout.split()
    found = [f"{name}: {call[0]}" for name in scripts for call in re.finditer(r"python\S*[\"}]?( -\w+)* -[cm] ", (ROOT / name).read_text(), re.IGNORECASE)]
    assert len(found) >= 5 and [call for call in found if " -I" not in call] == []

def test_no_record_of_evidence_replaces_a_faster_one_unseen(tmp_path):
    """The script compares with the committed record if both are of the same GPU."""
    problem = {"nx": 16, "ny": 16, "nz": 4, "steps": 8, "alpha": 0.1, "halo": 2, "precision": "float"}

    def record(path, native, gpu="NVIDIA H200"):
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, [{"schema": 3, "type": "environment", "id": "run", "gpu": {"name": gpu}}, row("diffusion", "cuda-fused", [native] * 3, problem),
                     row("diffusion", "kokkos-fused", [2.0] * 3, problem)])

    clone = tmp_path / "clone"
    record(clone / "jobs/results/h200/launch_model.jsonl", 1.0)
    shutil.copy(ROOT / "jobs/evidence.sh", clone / "jobs")
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=clone, check=True)
    program = tmp_path / "parity"
    program.write_text(f"""#!/bin/bash
if [ "$1" = compare ]; then exec "{os.environ['PARITY']}" "$@"; fi
cp "{tmp_path}/new.jsonl" "${{@: -1}}"
""")
    program.chmod(0o755)
    for native, gpu, code in ((1.01, "NVIDIA H200", 0), (1.05, "NVIDIA A100", 0), (1.05, "NVIDIA H200", 1)):
        record(tmp_path / "new.jsonl", native, gpu)
        done = subprocess.run([clone / "jobs/evidence.sh", tmp_path / "out", "60", "launch"], env={**os.environ, "PARITY": str(program)}, capture_output=True, text=True)
        assert done.returncode == code and ("launch_model: a result is wrong, or a native one more than 3 % slower" in done.stderr) == bool(code), done
    assert "x1.050" in (tmp_path / "out/launch_model.compared").read_text()


def test_versions_of_kokkos_take_turns_until_the_time_is_over(tmp_path):
    """One process of each in turn, and its records grow; the script reports a failure and continues."""
    for name in ("old", "new"):
        program = tmp_path / name
        program.write_text(f'''#!/bin/sh
while [ "$1" != --starts ]; do shift; done
echo "{name} $2 $4 $6" >>calls
echo "round $2"
[ {name} = old ] || exit 3
''')
        program.chmod(0o755)
    environment = {**os.environ, "PARTS": "ladder functors", "ROUNDS": "2"}
    command = [ROOT / "jobs/versions.sh", tmp_path / "out"]
    programs = [f"{name}={tmp_path}/{name}" for name in ("old", "new")]
    done = subprocess.run([*command, "60", *programs], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 3 and done.stdout.count("exit code 3") == 4, done
    assert (tmp_path / "calls").read_text().splitlines() == [f"{name} {round} {round * samples} 0.{round}" for samples in (1, 3) for round in (1, 2) for name in ("old", "new")]
    assert (tmp_path / "out/ladder_old.log").read_text() == "round 1\nround 2\n"
    (tmp_path / "calls").unlink()
    subprocess.run([*command, "60", programs[0]], cwd=tmp_path, env={**environment, "PARTS": "ladder", "ROUNDS": "10"}, capture_output=True)
    assert (tmp_path / "calls").read_text().splitlines()[8:] == ["old 9 9 0.9", "old 10 10 1.0"]
    done = subprocess.run([*command, "0", *programs], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 143 and done.stdout == "versions.sh: the time was over in ladder, round 1\n", done
    for wrong in (programs[:1] + ["nothing"], ["x=/nowhere"], []):
        done = subprocess.run([*command, "60", *wrong], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done
