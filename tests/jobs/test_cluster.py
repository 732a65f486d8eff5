# SPDX-License-Identifier: BSD-3-Clause
"""jobs/cluster, the Python behind the job scripts: lines, sites, folders and environments. No SLURM is needed."""
import ast
import json
import os
import re
import signal
import subprocess
import sys

import pytest
from conftest import ROOT
from slurm import Slurm

sys.path.insert(0, str(ROOT / "jobs"))
sys.dont_write_bytecode = True

from cluster import environment, ranks  # noqa: E402  (the path comes first)
from cluster.line import Command, Matches, Variable  # noqa: E402
from cluster.messages import Failure  # noqa: E402
from cluster.run_folder import RunFolder, load_run  # noqa: E402
from cluster.site import read_site  # noqa: E402

AWKWARD = ["a b", "it's", '"', "$HOME", "`id`", "$(id)", "\\", "*", "a;b", "a\nb", "", "-x", "~", "{1,2}", "größe", "&", "#c", "!"]
STANDARD = {"ast", "collections", "glob", "json", "os", "random", "re", "resource", "shlex", "shutil", "signal", "subprocess", "sys", "tempfile",
            "threading", "time", "traceback"}


@pytest.fixture
def echo(tmp_path):
    """A program that adds its words and its folder to what was said."""
    file = tmp_path / "echo words"
    file.write_text(f"#!{sys.executable}\nimport json, os, sys\nprint(json.dumps([sys.argv[1:], os.getcwd(), os.environ.get('PARITY_X')]))\n")
    file.chmod(0o755)
    return str(file)


def test_a_line_means_to_a_shell_what_is_run(echo, tmp_path):
    folder = tmp_path / "a folder's"
    folder.mkdir()
    for name in ("b.dat", "a 1.dat", "[c].dat"):
        (folder / name).touch()
    for more in ({}, {"folder": str(folder)}, {"folder": str(folder), "may_fail": True}):
        for number, word in enumerate([*AWKWARD, Matches(str(folder) + "/", ".dat"), Matches(str(folder) + "/none", ".dat")]):
            outputs = [tmp_path / f"out put {number} {which}" for which in ("shell", "python")]
            in_shell = Command(echo, "--first", word, output=str(outputs[0]), **more)
            assert subprocess.run(["bash", "-euc", in_shell.text()]).returncode == 0
            assert Command(echo, "--first", word, output=str(outputs[1]), **more).run() == 0
            assert outputs[0].read_text() == outputs[1].read_text() != ""


def test_exit_codes_are_a_shells(tmp_path):
    assert Command("false").run() == 1 and Command("false", may_fail=True).run() == 0
    assert Command("bash", "-c", "kill -TERM $$").run() == 143
    assert Command("/no/such/program").run() == 127 and Command("true", output="/no/such/file").run() == 1


def test_a_variable_is_set_once(monkeypatch, echo):
    for before in ("", "mine"):
        monkeypatch.setenv("PARITY_X", before)
        variable = Variable("PARITY_X", "printf", "%s", "found it")
        said = subprocess.run(["bash", "-euc", f'{variable.text()}; printf "%s" "$PARITY_X"'], text=True, capture_output=True).stdout
        assert variable.run() == 0 and os.environ["PARITY_X"] == said == (before or "found it")
    monkeypatch.setenv("PARITY_X", "")
    assert Variable("PARITY_X", "false").run() == 1


def test_settings_are_what_bash_reads(tmp_path):
    file = tmp_path / "a site.sh"
    values = " ".join("$'" + w.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'" for w in AWKWARD)
    file.write_text(f"SITE_OPTIONS=({values})\nSITE_OPTIONS_V100=()\nSITE_GPU=all\nSITE_GPU_P100=--gpus=1\nSITE_TIME=\n"
                    "for k in a b; do SITE_MODULES+=(\"$k/1\"); done\necho chatter\n")
    p100, v100 = read_site(str(file), "p100"), read_site(str(file), "v100")
    assert p100.words("OPTIONS") == AWKWARD and v100.words("OPTIONS") == []
    assert p100.word("GPU") == "--gpus=1" and v100.word("GPU") == "all"
    assert p100.words("MODULES") == ["a/1", "b/1"] and p100.word("TIME", "default") == "default" and p100.words("CPUS") == []
    assert not p100.has_setup
    file.write_text("site_setup() { :; }\n")
    assert read_site(str(file), "p100").has_setup


@pytest.mark.parametrize("text", ["exit 0", "exit 4", "return 5", "false"])
def test_a_site_file_that_ends_the_shell_is_refused(tmp_path, text):
    (tmp_path / "site.sh").write_text(text + "\n")
    with pytest.raises(Failure, match="cannot be read") as failure:
        read_site(str(tmp_path / "site.sh"), "p100")
    assert failure.value.code == 2


def enter(tmp_path, text, says):
    """What a Python that has entered a site says."""
    (tmp_path / "site.sh").write_text(text)
    program = (f"import os, sys; sys.path.insert(0, {str(ROOT / 'jobs')!r})\n"
               "from cluster.enter import enter\nfrom cluster.site import read_site\nfrom cluster.messages import Failure\n"
               f"try: enter(read_site('site.sh', 'p100'), 'site.sh', 'MY', 'LOG')\nexcept Failure as e: sys.exit(f'{{e.code}} {{e}}')\n{says}\n")
    return subprocess.run([sys.executable, "-B", "-c", program], cwd=tmp_path, text=True, capture_output=True)


def test_what_a_site_sets_up_reaches_the_job(tmp_path, monkeypatch):
    """Variables, functions of a shell, limits and the mask; even while something that it started goes on."""
    setup = ("site_setup() {\n  export PARITY_X=$'a\\nb '\"$1\"\n  unset PARITY_Y\n  tool() { echo tool of $1; }\n  export -f tool\n"
             "  Kokkos_ROOT=/opt/k\n  ulimit -S -n 99\n  umask 027\n  sleep 600 >sleep.out 2>&1 &\n  echo $! >pid\n}\n")
    monkeypatch.setenv("PARITY_Y", "before")
    says = ("import json, subprocess\nwords = ['bash', '-c', 'tool x; ulimit -S -n; umask; printf %s \"$Kokkos_ROOT $PARITY_X ${PARITY_Y-none}\"']\n"
            "print(subprocess.run(words, stdout=subprocess.PIPE, universal_newlines=True).stdout)")
    done = enter(tmp_path, setup, says)
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGTERM)
    assert done.stdout == "+ site_setup p100\ntool of x\n99\n0027\n/opt/k a\nb p100 none\n", done.stderr


@pytest.mark.parametrize("setup,says", [
    ("false; true", "1 site_setup p100 (in MY) failed; the log says why: LOG"),
    ("exit 7", "7 site_setup p100 (in MY) failed; the log says why: LOG"),
    ("exit 0", "2 site_setup p100 (in MY) ends the shell; use 'return' there instead of 'exit'"),
    ("kill -TERM $$", "143 site_setup p100 (in MY) failed; the log says why: LOG"),
])
def test_a_setup_that_fails_says_so(tmp_path, setup, says):
    assert enter(tmp_path, f"site_setup() {{ {setup}; }}\n", "print('entered')").stderr == says + "\n"


def test_a_signal_while_the_site_is_entered(env, site, plan, tmp_path):
    """Measuring does not begin: the notice of the time limit came before a single row."""
    file = site(f"site_setup() {{ touch {tmp_path}/entered; while [ ! -e {tmp_path}/go ]; do sleep 0.1; done; }}")
    with subprocess.Popen(["bash", "jobs/host.sbatch"], cwd=ROOT, env=dict(env, PARITY_SITE=str(file), PARITY_PLAN=str(plan())),
                          stdout=subprocess.PIPE, text=True) as job:
        Slurm.until(lambda: (tmp_path / "entered").exists(), "site_setup")
        job.send_signal(signal.SIGUSR1)
        (tmp_path / "go").touch()
        said = job.stdout.read()
    assert job.returncode == 143 and "before a single row was finished" in said
    (run,) = (tmp_path / "results").iterdir()
    assert not (run / "records.jsonl").exists() and (run / "log/measure.exit_code").read_text() == "143\n"


def test_a_notice_before_python_listens(env, site, plan, tmp_path):
    """It ends nothing without a word: the job goes on until SLURM ends it."""
    early = tmp_path / "bin/python3"
    early.parent.mkdir()
    early.write_text(f'#!/bin/sh\nkill -USR1 $$\nexec {sys.executable} "$@"\n')
    early.chmod(0o755)
    done = subprocess.run(["bash", "jobs/host.sbatch"], cwd=ROOT, text=True, capture_output=True,
                          env=dict(env, PARITY_SITE=str(site()), PARITY_PLAN=str(plan()), PATH=f"{early.parent}:{env['PATH']}"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_folder_keeps_its_settings(tmp_path):
    (tmp_path / "it's a site.sh").write_text("SITE_CPUS=1\n")
    (tmp_path / "plan").write_text("plan\n")
    made = RunFolder(str(tmp_path / "a run"), "v100", "/a build's $PLACE", 3, str(tmp_path / "it's a site.sh"))
    made.make(str(tmp_path / "plan"))
    loaded = load_run(str(tmp_path / "a run"), "/", "v100")
    assert vars(loaded) == vars(made)
    read = subprocess.run(["bash", "-euc", "source \"$1\"; printf '%s\\n' \"$target\" \"$build\" \"$slices\" \"$site_file\"", "-",
                           loaded / "settings.sh"], text=True, capture_output=True).stdout.splitlines()
    assert read == ["v100", "/a build's $PLACE", "3", str(tmp_path / "it's a site.sh")]
    (tmp_path / "a run/settings.sh").write_text("target=v100\n")
    with pytest.raises(Failure, match="settings.sh is not whole"):
        load_run(str(tmp_path / "a run"), "/")


KEPT = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-2]", "CUDA_VISIBLE_DEVICES": "0", "OMP_NUM_THREADS": "8", "KOKKOS_NUM_THREADS": "8",
        "LOADEDMODULES": "gcc/11:cuda/11.8", "PARITY_PLAN": "p.toml", "CC": "gcc", "CXX": "g++", "PATH": "/bin", "LD_LIBRARY_PATH": "/lib",
        "CMAKE_PREFIX_PATH": "/opt/a@1.2:/opt/b", "LANG": "C", "HOSTNAME": "n1", "Kokkos_ROOT": "/opt/kokkos"}
LEFT_OUT = {"AWS_ACCESS": "hidden", "GH_PAT": "hidden", "MY_PIN": "hidden", "DATABASE_URL": "hidden", "SLURM_JWT": "hidden", "PARITY_TOKEN": "hidden",
            "SLURM_SPANK_X": "hidden", "KRB5_KEYTAB_PATH": "hidden", "CMAKE_AUTH": "hidden", "HTTPS_PROXY": "http://me:hidden@proxy:3128",
            "PARITY_MIRROR": "https://me:hidden@host/x", "BASH_FUNC_x%%": "() { hidden; }", "EMAIL": "hidden", "PIPX": "hidden",
            # What sounds harmless and is not known to be.
            "PARITY_X": "hidden", "SLURM_JOB_COMMENT": "hidden", "SLURM_SITE_X": "hidden", "CUDA_X": "hidden", "VAULT_PATH": "hidden",
            "OMP_X": "hidden", "CMAKE_X": "hidden", "KOKKOS_X": "hidden", "LC_X": "hidden", "SLURM_JOB_ACCOUNT": "hidden"}
# A known name keeps no address with a password in it, wherever it stands.
ADDRESSES = ["https://me:hidden@host/modules", "/opt/modules:https://me:hidden@host/modules:/opt/more", "git+ssh://me:hid den@host/x",
             "me:hidden@host:/modules", "/opt/a:me:hidden@host:/opt/b", "--index=me:hidden@host", "https://host/x?token=hidden",
             "https://me:hid/den@host", "https://hidden@host/x", "me:hid:den@host", "//me:hidden@nas/tmp", "-L//me:hidden@host/share",
             "--proxy=me:hid/den@host", "//me:hidden@10.0.0.1/tmp", "me:hidden@10.0.0.1", "group/me:hidden@host", "/opt/a:me:hid/den@12",
             "//hidden@nas/tmp"]


def test_what_is_kept_of_an_environment(tmp_path, monkeypatch):
    assert environment.harmless({**KEPT, **LEFT_OUT}) == [f"{k}={v}" for k, v in sorted(KEPT.items())]
    assert environment.harmless({"LANG": "C\nMY_PIN=1"}) == ["LANG=C\\nMY_PIN=1"]
    for name in ("MODULEPATH", "LOADEDMODULES", "PATH", "TMPDIR", "CXXFLAGS", "LDFLAGS", "CC"):
        for value in ADDRESSES + ["me@corp.org:hidden@host", "gcc:hidden@12", "/opt/a//me:hidden@12", "-DTOKEN=hidden", "-D TOKEN=hidden"]:
            assert environment.harmless({name: value}) == [], value
    for name in ("MODULEPATH", "LOADEDMODULES", "PATH"):
        assert environment.harmless({name: "/opt/gcc@12:/opt/cuda@11:gcc@12:cuda@11"}) == [name + "=/opt/gcc@12:/opt/cuda@11:gcc@12:cuda@11"]
    lines = "".join(f"echo built from '{address}' of $USER\n" for address in ADDRESSES)
    (tmp_path / "parity").write_text("#!/bin/sh\necho built from https://me:hidden@host/parity.git\n" + lines)
    (tmp_path / "parity").chmod(0o755)
    for name, value in LEFT_OUT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LOADEDMODULES", "gcc/12:https://me:hidden@host/modules")
    environment.save(str(tmp_path / "environment.txt"), str(tmp_path / "parity"), None)
    text = (tmp_path / "environment.txt").read_text()
    subject = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%s"], text=True, capture_output=True).stdout.strip()
    said = text.replace(subject, "") if subject else text  # what the last commit did may have any word
    assert not re.search("hid|den@|token", said), text
    assert "built from https://host/parity.git\n" in text and "built from git+ssh://host/x" in text and "# environment\n" in text


def test_what_is_kept_of_flags():
    """Those that change what a compiler makes of the sources; anything may stand in the others."""
    kept = ("-O3 -g -march=native -mtune=znver4 -mavx2 -fopenmp -ffp-contract=off -fsanitize=address,undefined -std=c++20 -Wall -pthread -qopenmp "
            "-arch=sm_90 -gencode=arch=compute_90,code=sm_90 --expt-relaxed-constexpr --use_fast_math -Xcompiler=-O2")
    assert environment.harmless({"CXXFLAGS": kept}) == ["CXXFLAGS=" + kept]
    assert environment.harmless({"CC": "/opt/gcc@12.2/bin/gcc-12 -m64"}) == ["CC=/opt/gcc@12.2/bin/gcc-12 -m64"]
    hidden = ["-DTOKEN=hidden", "-Dhidden", "-D hidden", "--proxy=hidden", "-L/hidden", "-fplugin-arg-x-key=hidden", "-Wl,hidden", "@hidden", "hidden",
              "'-O2 hidden'", "-march=native:hidden", "-mhidden=x", "-include hidden", "-O3hidden", "-std=hidden", "-Xlinker=hidden"]
    for word in hidden:
        for name in ("CFLAGS", "LDFLAGS", "CUDAFLAGS", "NVCC_APPEND_FLAGS"):
            (line,) = environment.harmless({name: "-O3 " + word + " -g"})
            assert re.fullmatch(name + r"=-O3( \[left out\]){1,2} -g", line), line
        (line,) = environment.harmless({"CC": "gcc " + word})
        assert re.fullmatch(r"CC=gcc( \[left out\]){1,2}", line), line
    assert environment.harmless({"TZ": "UTC -DTOKEN=hidden"}) == []


def test_what_is_kept_of_a_job():
    """As 'scontrol show job' prints it: no comment, no command with its words."""
    said = ["JobId=7 JobName=parity-p100-measure", "   UserId=me(1000) GroupId=us(100) MCS_label=N/A",
            "   JobState=RUNNING Reason=None Dependency=(null)", "   Comment=pin hidden JobState=hidden=1",
            "   Command=/clone/jobs/p100.sbatch --password hidden", "   AdminComment=hidden", "   NodeList=n1 Account=hidden"]
    kept = "\n".join(environment.job_fields(said))
    assert "JobId=7 JobName=parity-p100-measure" in kept and "JobState=RUNNING Reason=None" in kept and "NodeList=n1" in kept
    assert "pin" not in kept and "password" not in kept and "Comment" not in kept and "Account" not in kept


def test_the_python_of_old_login_nodes_reads_it():
    for file in (ROOT / "jobs/cluster").glob("*.py"):
        tree = ast.parse(file.read_text(), feature_version=(3, 6))
        for node in ast.walk(tree):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) else []
            assert {n.split(".")[0] for n in names} <= STANDARD | {"cluster"}, file
            # Parameters that Python 3.6 does not know.
            words = {k.arg for k in node.keywords} if isinstance(node, ast.Call) else set()
            assert not words & {"capture_output", "text", "missing_ok", "dirs_exist_ok"}, file


def test_a_python_that_is_too_old_says_so():
    """Its only file that an older one reads is written for it."""
    main = (ROOT / "jobs/cluster/__main__.py").read_text()
    program = main.replace("sys.version_info < (3, 6)", "True")
    done = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True)
    assert done.returncode == 3 and done.stderr.startswith("parity-job: python3 is Python 3.") and done.stderr.count("\n") == 1
    assert 'f"' not in main


def test_bytes_that_are_no_text_reach_the_job(tmp_path):
    done = enter(tmp_path, "site_setup() { export PARITY_X=$'\\xff\\xfe'; }\n", "print(list(os.environb[b'PARITY_X']))")
    assert json.loads(done.stdout.splitlines()[-1]) == [255, 254], done.stderr


@pytest.mark.parametrize("reason", ["SIGTERM", None])
def test_a_way_that_does_not_end_is_ended(monkeypatch, tmp_path, reason):
    """Whether the job is to end or patience does: what ignores a signal is killed."""
    monkeypatch.setattr(ranks, "GRACE", 1)
    monkeypatch.setattr(ranks, "PATIENCE", 2)

    class job:
        pass

    job.reason = reason
    pid = tmp_path / "pid"
    with open(tmp_path / "log", "wb") as log:
        assert not ranks.starts_ranks(["bash", "-c", f"trap '' TERM; echo $$ >{pid}; while :; do sleep 0.1; done"], log, job)
        assert ranks.starts_ranks(["true"], log, job) and not ranks.starts_ranks(["false"], log, job)
        assert not ranks.starts_ranks(["/no/such/program"], log, job)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)
