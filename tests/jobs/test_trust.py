# SPDX-License-Identifier: BSD-3-Clause
"""Jobs run nothing from a folder of results that others may have written, and follow no link when they write there."""
import os
import shutil
import stat
import subprocess

import pytest
from conftest import PARITY, ROOT
from test_report import good, lines, report  # noqa: F401  (a fixture)


@pytest.fixture
def folder(tmp_path):
    """A folder of results with a site file that leaves a trace if it is run."""
    run = tmp_path / "run"
    (run / "log").mkdir(parents=True)
    (run / "settings.txt").write_text(f"target=host\nbuild={PARITY.parent}\nslices=1\nsite_file=/site.sh\nnodes=1\ntasks=1\ngpus=1\n")
    (run / "settings.sh").write_text(f"touch {tmp_path}/ran; target=host build={PARITY.parent} slices=1\n")  # the format until 2.0
    (run / "plan.toml").write_text("")
    (run / "site.sh").write_text(f"touch {tmp_path}/ran\n")
    for path in (run, *run.iterdir()):
        path.chmod(path.stat().st_mode & ~0o022)
    return run


def refused(submit, folder, says):
    for more in ([], ["--dry-run"]):
        done = submit("--resume", folder, *more)
        assert done.code == 2 and done.err.count("\n") == 1 and says in done.err, done.err
    done = subprocess.run(["bash", "jobs/sweep.sbatch", folder], cwd=ROOT, text=True, capture_output=True)
    assert done.returncode == 2 and says in done.stderr, done.stderr
    assert not (folder.parent / "ran").exists() and not list(folder.glob("log/*"))


@pytest.mark.parametrize("name", [".", "site.sh", "settings.txt", "plan.toml", "log"])
@pytest.mark.parametrize("others", [0o020, 0o002])
def test_what_others_may_write_is_not_run(submit, folder, name, others):
    (folder / name).chmod((folder / name).stat().st_mode | others)
    refused(submit, folder, "may be written by others, and a job would run what they write: look at it, then chmod -R go-w")


@pytest.mark.parametrize("name", ["site.sh", "settings.txt", "environment-measure.txt"])
def test_links_are_not_followed(submit, folder, tmp_path, name):
    (tmp_path / "precious").write_text((folder / name).read_text() if (folder / name).exists() else "mine")
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(tmp_path / "precious")
    before = (tmp_path / "precious").read_text()
    refused(submit, folder, f"{name} is a link: jobs run only folders of results that are all yours")
    assert (tmp_path / "precious").read_text() == before


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives a file to somebody else")
@pytest.mark.parametrize("name", [".", "site.sh"])
def test_what_belongs_to_somebody_else_is_not_run(submit, folder, name):
    os.chown(folder / name, 65534, 65534)
    refused(submit, folder, "belongs to ")


def test_a_fifo_in_the_folder_does_not_hang_a_resumption(submit, folder):
    os.mkfifo(folder / "log/measure.exit_code")
    (folder / "log/measure.exit_code").chmod(0o600)
    done = submit("--resume", folder)
    assert done.code == 2 and "measure.exit_code is no plain file" in done.err


@pytest.mark.parametrize("line", ["target build=1", "site_file=/\x1b]0;owned\x07", "nodes=1\r"])
def test_settings_that_no_job_wrote_are_refused_in_one_line(submit, folder, line):
    (folder / "site.sh").write_text("")
    with (folder / "settings.txt").open("a", newline="") as file:
        file.write(line + "\n")
    done = submit("--resume", folder, "--dry-run")
    assert done.code == 2 and done.err.count("\n") == 1 and "settings.txt is not whole" in done.err and "\x1b" not in done.out + done.err, done


def test_settings_are_data(submit, folder, tmp_path):
    (folder / "site.sh").write_text("")
    with (folder / "settings.txt").open("a") as file:
        file.write(f"$(touch {tmp_path}/ran)\nslices=1; touch {tmp_path}/ran\nPATH=/nowhere\n")
    done = submit("--resume", folder, "--dry-run")
    assert done.code == 2 and "its settings.txt is not whole" in done.err
    (folder / "settings.txt").write_text(f"target=host\nbuild={tmp_path}/$(touch ran)\nslices=1\ntouch {tmp_path}/ran\n")
    done = submit("--resume", folder, "--dry-run")
    assert done.code == 0 and not (tmp_path / "ran").exists() and not (ROOT / "ran").exists(), done.err


@pytest.mark.parametrize("by", ["umask", pytest.param("list", marks=pytest.mark.skipif(
    not shutil.which("setfacl") and "CI" not in os.environ, reason="no setfacl, with which a project folder gives rights to a group"))])
def test_a_folder_made_where_others_may_write_is_its_users_alone(env, site, plan, stand_in, tmp_path, by):
    """A default ACL overrides the umask."""
    (tmp_path / "results").mkdir()
    if by == "list":
        subprocess.run(["setfacl", "-d", "-m", "g::rwx,o::rwx", tmp_path / "results"], check=True)
    done = subprocess.run(["bash", "-c", f"umask {'0' if by == 'umask' else '022'}; exec bash jobs/sweep.sbatch"], cwd=ROOT, text=True, capture_output=True,
                          env={**env, "PARITY_SITE": str(site()), "PARITY_PLAN": str(plan()), "PARITY_BUILD": str(stand_in("exit 3"))})
    assert done.returncode == 3, done.stderr
    made = list((tmp_path / "results").rglob("*"))
    assert len(made) >= 6 and not [p for p in made if p.stat().st_mode & 0o022], made


def test_a_local_runs_log_follows_no_link(env, stand_in, tmp_path):
    """This holds for the other files that it writes there, too."""
    (tmp_path / "results").mkdir()
    (tmp_path / "precious").write_text("mine")
    for name in ("local.log", "summary.txt"):
        (tmp_path / "results" / name).symlink_to(tmp_path / "precious")
    build = stand_in('[ "$1" != measure ] || { echo said; : >"${@: -1}"; }')
    subprocess.run([ROOT / "jobs/local.sh"], text=True, capture_output=True, env={**env, "PARITY_RESULTS": str(tmp_path / "results"), "PARITY_BUILD": str(build)})
    assert (tmp_path / "precious").read_text() == "mine" and "== comparing filters" in (tmp_path / "results/local.log").read_text()


@pytest.mark.parametrize("name", ["more.jsonl", "records.jsonl"])
@pytest.mark.parametrize("kind", ["fifo", "zero", "link"])
def test_the_report_reads_plain_files_of_a_folder_alone(report, tmp_path, capsys, kind, name):  # noqa: F811
    """The page and a message name the others; a folder without plain files is refused."""
    (tmp_path / "in").mkdir()
    (tmp_path / "elsewhere.jsonl").write_bytes(lines(good()[:1]))
    if name != "records.jsonl":
        (tmp_path / "in/good.jsonl").write_bytes(lines(good()))
    if kind == "fifo":
        os.mkfifo(tmp_path / "in" / name)
    else:
        (tmp_path / "in" / name).symlink_to("/dev/zero" if kind == "zero" else tmp_path / "elsewhere.jsonl")
    assert report("in", "--output", "out.html") == 2
    said = capsys.readouterr().err
    assert f"in/{name}: no plain file" in said and said.count("\n") == 1
    assert (name == "records.jsonl") != (tmp_path / "out.html").exists()
    assert name == "records.jsonl" or f"in/{name}: no plain file" in (tmp_path / "out.html").read_text()


def test_a_word_on_what_is_missing_is_a_plain_file_too(report, tmp_path):  # noqa: F811
    (tmp_path / "m.jsonl").write_bytes(lines(good()[:1]))
    os.mkfifo(tmp_path / "missing.txt")
    assert report("m.jsonl", "--output", "out.html") == 0 and stat.S_ISFIFO((tmp_path / "missing.txt").stat().st_mode)
