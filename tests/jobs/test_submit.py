# SPDX-License-Identifier: BSD-3-Clause
"""jobs/submit.sh and site files without SLURM: dry runs, refusals, scripts that run unchanged."""
import json
import os
import re
import shutil
import subprocess

import pytest
import yaml
from conftest import PARITY, ROOT

TARGETS = ["host", "p100", "v100", "a100", "h100"]


def commands(text):
    """The sbatch lines of a dry run or a submission, with variable parts replaced."""
    text = re.sub(r"-\d{8}-\d{6}(-again)*", "-TIME", text)
    text = re.sub(r"(after\w+):(\d+|[A-Z]+_JOB)", r"\1:ID", text)
    return [line for line in text.splitlines() if line.startswith("sbatch ")]


def lines_of(dry, what):
    """The lines that a dry run prints below a job."""
    (job,) = [part for part in dry.split("\nsbatch ") if f"-{what} " in part.splitlines()[0]]
    return [re.sub(r"-\d{8}-\d{6}", "-TIME", line.strip()) for line in job.splitlines() if re.match("  [^#]", line)]


@pytest.mark.parametrize("target, slices", [("host", 1), ("p100", 3), ("h100", 1)])
def test_a_dry_run_prints_what_would_run(submit, site, plan, tmp_path, target, slices):
    file = site("SITE_ACCOUNT=project\nSITE_TIME=00:20:00\nSITE_MODULES=(gcc/11 cuda/11.8)\nSITE_OPTIONS=(--exclusive --mem=0)\n"
                "SITE_BUILD_OPTIONS=(--partition=cpu)\nSITE_CMAKE=(-DPARITY_ENABLE_NETCDF=OFF)\nsite_setup() { exit 9; }")
    done = submit(target, "--site", file, "--plan", plan(), "--slices", slices, "--dry-run", PARITY_BUILD=str(tmp_path / "b"),
                  PATH="/usr/local/bin:/usr/bin:/bin")
    assert done.code == 0 and done.err == "" and not (tmp_path / "results").exists(), done.err
    build, measure, *report = commands(done.out)
    gpu = "" if target == "host" else f" --gres=gpu:{target}:1"
    run, after = f"{tmp_path}/results/{target}-TIME", "--dependency=afterok:ID --kill-on-invalid-dep=yes"
    assert build == (f"sbatch --parsable --job-name={target}-build --output={run}/log/build.txt --account=project "
                     f"--partition=gpu --cpus-per-task=1 --partition=cpu jobs/build.sbatch {run}")
    common = f"--account=project --partition=gpu --cpus-per-task=1{gpu} --time=00:20:00 --exclusive --mem=0 {after} jobs/sweep.sbatch {run}"
    enter = [f"source {run}/site.sh", "module load gcc/11", "module load cuda/11.8", f"site_setup {target}"]
    kokkos = [] if target == "host" else ["Kokkos_ROOT=${Kokkos_ROOT:-$(cmake/bootstrap.sh --kokkos)} && export Kokkos_ROOT"]
    assert lines_of(done.out, "build") == [*enter, *kokkos, f"cmake --preset {target} -B {tmp_path}/b -DPARITY_ENABLE_TESTS=OFF "
                                           "-DPARITY_ENABLE_NETCDF=OFF", f"cmake --build {tmp_path}/b --target parity --parallel 1",
                                           f"{tmp_path}/b/parity --version", f"{tmp_path}/b/parity measure {run}/plan.toml --check"]
    if slices == 1:
        assert report == [] and lines_of(done.out, "measure")[-1] == f"bash jobs/report.sbatch {run}"
        assert measure == f"sbatch --parsable --job-name={target}-measure --output={run}/log/measure.txt {common}"
    else:
        assert measure == f"sbatch --parsable --job-name={target}-sweep --output={run}/log/sweep-%a.txt --array=1-3 {common}"
        assert lines_of(done.out, "sweep") == [*enter, f"{tmp_path}/b/parity measure {run}/plan.toml --slice K/3 --quiet --mixed "
                                               f"--output {run}/slices/K/records.jsonl"]
        assert len(report) == 1 and "--dependency=afterany:ID" in report[0] and "--cpus" not in report[0]


@pytest.mark.parametrize("target, more, options, asks", [
    ("h100", "", ["--nodes", 2, "--gpus", 4], "--nodes=2 --ntasks=8 --ntasks-per-node=4 --gres=gpu:h100:4"),
    ("h100", "SITE_NODES=3\nSITE_GPUS_H100=2", [], "--nodes=3 --ntasks=6 --ntasks-per-node=2 --gres=gpu:h100:2"),
    ("a100", "SITE_GPU='--gpus-per-node=a100:%g'", ["--gpus", 2, "--tasks", 4], "--nodes=1 --ntasks=4 --ntasks-per-node=4 --gpus-per-node=a100:2"),
    ("host", "SITE_TASKS=2\nSITE_GPUS=4", ["--nodes", 2], "--nodes=2 --ntasks=4 --ntasks-per-node=2"),
    ("p100", "SITE_NODES=3\nSITE_MPI=pmi2", ["--nodes", 2], "--nodes=2 --ntasks=2 --ntasks-per-node=1 --gres=gpu:p100:1"),
])
def test_a_dry_run_of_several_tasks(submit, site, plan, target, more, options, asks):
    done = submit(target, "--site", site(more), "--plan", plan(), "--slices", 2, "--no-build", "--profile", "--dry-run", *options)
    assert done.code == 0, done.err
    sweep, profile = (next(x for x in done.out.splitlines() if f"-{what} " in x) for what in ("sweep", "profile"))
    assert f"--cpus-per-task=1 {asks} " in sweep and "--ntasks" not in profile, "profilers run one process"
    shape, mpi = re.match(r"--nodes=\d+ --ntasks=\d+ --ntasks-per-node=\d+", asks)[0], "pmi2" if "SITE_MPI" in more else "pmix"
    (line,) = [x.strip() for x in done.out.splitlines() if "task.sh" in x]
    assert line.startswith(f"srun --mpi={mpi} {shape} --kill-on-bad-exit=1 bash jobs/task.sh ")
    assert line.split("/log/sweep-K.rank_0 ")[1].split()[1] == "measure"
    assert ("or by mpirun, where this one does not" in done.out) == ("SITE_MPI" not in more)


def test_the_page_makes_a_spack_environment_of_each_preset_and_the_example_activates_it(tmp_path):
    presets = {p["name"]: p for p in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
    page, example = (ROOT / "jobs/README.md").read_text(), (ROOT / "jobs/sites/example.sh").read_text()
    install = re.search(r"^target=h100 arch=90\n.*?(?=^```)", page, re.M | re.S)[0]
    setup = re.search(r"^# (site_setup\(\).*)", example, re.M)[1].replace("source /opt/spack/share/spack/setup-env.sh", "true")
    shutil.copytree(ROOT / "jobs/spack", tmp_path / "jobs/spack")
    for target in TARGETS[1:]:
        arch = presets[target]["cacheVariables"]["CMAKE_CUDA_ARCHITECTURES"]
        script = f"spack() {{ printf '%s\\n' \"$*\"; }}\n{install.replace('h100', target).replace('90', arch)}\n{setup}\nsite_setup {target}"
        done = subprocess.run(["bash", "-euc", script], cwd=tmp_path, text=True, capture_output=True)
        assert done.stdout == f"-e jobs/spack/{target} install\nenv activate -d jobs/spack/{target}\n" and f"`{target}` {arch}" in page, done
        specs = yaml.safe_load((tmp_path / f"jobs/spack/{target}/spack.yaml").read_text())["spack"]["specs"]
        kokkos, kernels = (next(s for s in specs if s.startswith(f"{name}@")).split() for name in ("kokkos", "kokkos-kernels"))
        assert any(spec.startswith("openmpi") for spec in specs)
        assert {f"cuda_arch={arch}", "+cuda"} < set(kokkos) & set(kernels) and kokkos[0].split("@")[1] == kernels[0].split("@")[1]
    host = yaml.safe_load((ROOT / "jobs/spack/host.yaml").read_text())["spack"]["specs"]
    assert "cuda" not in " ".join(host) and any(spec.startswith("openmpi") for spec in host)


@pytest.mark.parametrize("site", sorted((ROOT / "jobs/sites").glob("*.sh")), ids=lambda p: p.stem)
@pytest.mark.parametrize("target", ["p100", "v100", "mi250", "host"])
def test_every_shipped_site_file_asks_for_a_target_or_refuses_it(submit, site, target):
    text = site.read_text()
    assert site.stem in ("example", "debian") or "ot run there" in text.replace("\n# ", " ") and len(text.splitlines()) <= 24
    has = re.search(r"^SITE_TARGETS=\((.*)\)", text, re.M)
    done = submit(target, "--site", site, "--slices", 2, "--dry-run", PARITY_BUILD="")
    if has and target not in has[1].split():
        assert done.code == 2 and done.err == f"parity-job: site file '{site}' is for the targets {has[1]}, not for {target}\n"
        return
    assert done.code == 0 and done.err == "", done.err
    build, sweep, report = commands(done.out)
    assert re.search(r" (--gres=gpu:|--gpus-per-node=)", sweep) or target == "host", sweep
    assert f"cmake --preset {target} " in done.out and all(("--account=" in line) == ("\nSITE_ACCOUNT=" in text) for line in (build, sweep, report))


SITE = ["p100", "--site", "S", "--plan", "P"]


@pytest.mark.parametrize("more, arguments, says", [
    ("", [], "name a target: host p100"),
    ("", ["p200"], "'p200' is no target"),
    ("", ["p100", "--site"], "--site needs a value"),
    ("", ["p100", "--site", "missing.sh"], "missing.sh' does not exist; copy jobs/sites/example.sh"),
    ("", [*SITE, "--slices", "0"], "--slices is '0'; give a number from 1 to 9999"),
    ("", ["--resume", "/"], "is no folder of a Parity job (it has no settings.txt)"),
    ("", ["--resume", "R", "--plan", "P"], "--plan is settled"),
    ("", ["host", *SITE[1:], "--gpus", 2], "--gpus is for targets with a GPU"),
    ("", ["p100", "--site", "S", "--nodes", 2], "2 tasks on 2 nodes need a plan whose problems they share"),
    ("SITE_GPU=--gres=gpu:1", [*SITE, "--gpus", 2], "write %g in the place of the number"),
    ("SITE_ACOUNT=x", SITE, "SITE_ACOUNT is no setting; there are SITE_{ACCOUNT,"),
    ("SITE_REQUEUE=maybe", SITE, "give yes or no"),
    ("SITE_MODULES=(a b", SITE, "site file is no shell file"),
    ("SITE_RESULTS=$NOT_SET_HERE/x", SITE, "NOT_SET_HERE"),
    ("exit 0", SITE, "it ends the shell"),
    ("", [*SITE, "--results", "a\\b"], "SLURM takes no backslash"),
], ids=str)
def test_refusals(submit, site, plan, tmp_path, more, arguments, says):
    run = tmp_path / "run"
    run.mkdir()
    (run / "settings.txt").write_text(f"target=p100\nbuild={PARITY.parent}\nslices=1\n")
    (run / "plan.toml").write_text("")
    (run / "site.sh").write_text("")
    words = {"S": site(more), "R": run, "P": plan()}
    before = sorted(os.listdir(tmp_path))
    done = submit(*[words.get(a, a) for a in arguments], cwd=tmp_path)
    lines = done.err.strip().splitlines()
    assert done.code == 2 and len(lines) == 1 and lines[0].startswith("parity-job: ") and says in lines[0], done.err
    assert sorted(os.listdir(tmp_path)) == before


def test_no_sbatch_here(submit, site, plan, tmp_path):
    (tmp_path / "bin").mkdir()
    for program in ("bash", "dirname", "date"):
        (tmp_path / "bin" / program).symlink_to(shutil.which(program))
    done = submit("p100", "--site", site(), "--plan", plan(), PATH=str(tmp_path / "bin"))
    assert done.code == 3 and "there is no sbatch here" in done.err and not (tmp_path / "results").exists()


def test_patterns_of_slurm_are_doubled_for_every_stage(submit, site, plan, tmp_path):
    for slices in (1, 2):
        done = submit("p100", "--site", site(), "--plan", plan(), "--slices", slices, "--results", tmp_path / "50%u", "--profile", "--dry-run")
        assert len(commands(done.out)) == slices + 2 and done.out.count(f"--output={tmp_path}/50%%u/p100-") == slices + 2, done.out


def test_threads_are_those_of_the_site_and_not_of_the_submitting_shell(site, stand_in, plan, tmp_path):
    login = dict(os.environ, OMP_NUM_THREADS="1", OMP_PROC_BIND="false", GOMP_CPU_AFFINITY="0", SRUN_CPUS_PER_TASK="1", PARITY_PLAN=str(plan()),
                 PARITY_BUILD=str(stand_in("exit 3")), SLURM_CPUS_PER_TASK="5")
    for k, (job, more, threads) in enumerate([("7", "", "5"), ("8", "site_setup() { export OMP_NUM_THREADS=4; }", "4"), ("9", "export OMP_NUM_THREADS=3", "3"), ("", "", "1")]):
        file = site(more + f"\nSITE_RESULTS={tmp_path}/{k}")
        subprocess.run(["bash", "jobs/sweep.sbatch"], cwd=ROOT, env=dict(login, PARITY_SITE=str(file), **({"SLURM_JOB_ID": job} if job else {})))
        said = next((tmp_path / str(k)).glob("*/environment-measure.txt")).read_text().splitlines()
        assert f"OMP_NUM_THREADS={threads}" in said and ("OMP_PROC_BIND=spread" in said) == ("GOMP_CPU_AFFINITY=0" not in said) == bool(job), said


def test_settings_are_what_bash_reads(submit, site, plan):
    """Words may have any characters, the target's setting has priority, and an empty word is omitted."""
    file = site("SITE_OPTIONS=(\"--comment=it's a \\\"b\\\" \\$HOME *\" -x '')\nSITE_GPU=--all\nSITE_GPU_P100='--gpus=1 -C a&b'\nSITE_TIME=\n"
                "for k in a b; do SITE_MODULES+=(\"$k/1\"); done\necho chatter")
    done = submit("p100", "--site", file, "--plan", plan(), "--slices", 1, "--no-build", "--dry-run")
    (line,) = commands(done.out)
    words = subprocess.run(["bash", "-c", f"printf '%s\\n' {line}"], text=True, capture_output=True).stdout.splitlines()
    assert words[5:-2] == ["--cpus-per-task=1", "--gpus=1", "-C", "a&b", "--comment=it's a \"b\" $HOME *", "-x", ""], done.err
    assert lines_of("\n" + done.out, "measure")[1:3] == ["module load a/1", "module load b/1"] and "chatter" not in done.out


def test_a_folder_keeps_its_nodes(submit, tmp_path):
    for nodes in ("", "nodes=2\ntasks=4\ngpus=4\n"):
        (tmp_path / "settings.txt").write_text(f"target=h100\nbuild={PARITY.parent}\nslices=1\n{nodes}")
        for name in ("plan.toml", "site.sh"):
            (tmp_path / name).write_text("")
        done = submit("--resume", tmp_path, "--dry-run", "--time", 9)
        assert done.code == 0 and ("--nodes=2 --ntasks=8 --ntasks-per-node=4 --gres=gpu:h100:4 --time=9" in done.out) == bool(nodes), done.out + done.err


def test_help(submit):
    done = submit("--help")
    assert done.code == 0 and "--dry-run" in done.out and done.out.startswith("Submits") and max(map(len, done.out.splitlines())) <= 125
