# SPDX-License-Identifier: BSD-3-Clause
"""Starts munge, slurmctld and slurmd in a separate folder, and stops them."""
import contextlib
import getpass
import itertools
import os
import shlex
import signal
import socket
import subprocess
import time

GPUS = {"p100": "/dev/null", "v100": "/dev/zero", "a100": "/dev/full", "h100": "/dev/random"}


def free_port(tried=itertools.count(10000 + os.getpid() % 20000)):
    """Uses ports below those that the system assigns, since the daemon that gets the port starts later."""
    for port in tried:
        with contextlib.closing(socket.socket()) as s:
            if s.connect_ex(("127.0.0.1", port)):  # no process listens
                return port


class Slurm:
    """Two nodes on one machine, with eight processors each (more than it has: nothing is timed) and a fake GPU of each kind. Partitions 'cpu', 'gpu'
    and 'whole' (which gives whole nodes) contain the first node, 'two' contains both. A requeued job restarts after six seconds instead of two
    minutes (cred_expire)."""

    def __init__(self, folder):
        self.folder = folder
        self.host = socket.gethostname().split(".")[0]
        self.nodes = [self.host, self.host + "-second"]
        self.daemons = []
        self.env = {"SLURM_CONF": str(folder / "slurm.conf"),
                    "PATH": os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"])}

    def __enter__(self):
        f, user = self.folder, getpass.getuser()
        for name in ("state", *(f"spool-{node}" for node in self.nodes)):
            (f / name).mkdir()
        key = f / "munge.key"
        key.touch(0o600)
        key.write_bytes(os.urandom(1024))
        f.chmod(0o755)
        (f / "cgroup.conf").write_text("CgroupPlugin=autodetect\nCgroupAutomount=no\nIgnoreSystemd=yes\n")
        (f / "gres.conf").write_text("".join(f"Name=gpu Type={gpu} File={file}\n" for gpu, file in GPUS.items()))
        gres = ",".join(f"gpu:{gpu}:1" for gpu in GPUS)
        nodes = "\n".join(f"NodeName={node} NodeHostname={self.host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=8 RealMemory=2000 Gres={gres} "
                          f"Feature={','.join(GPUS)} State=UNKNOWN" for node in self.nodes)
        (f / "slurm.conf").write_text(f"""
ClusterName=parity
SlurmctldHost={self.host}(127.0.0.1)
SlurmctldPort={free_port()}
AuthType=auth/munge
AuthInfo=socket={f}/munge.socket,cred_expire=5
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={f}/state
SlurmdSpoolDir={f}/spool-%n
SlurmctldPidFile={f}/slurmctld.pid
SlurmdPidFile={f}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
GresTypes=gpu
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,sched_min_interval=0,bf_interval=1,batch_sched_delay=0
MinJobAge=3600
KillWait=30
{nodes}
PartitionName=cpu Nodes={self.host} Default=YES MaxTime=60 State=UP
PartitionName=gpu Nodes={self.host} MaxTime=60 State=UP
PartitionName=whole Nodes={self.host} MaxTime=60 OverSubscribe=EXCLUSIVE State=UP
PartitionName=two Nodes={','.join(self.nodes)} MaxTime=60 State=UP
""")
        self.start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={f}/munge.socket",
                   f"--pid-file={f}/munged.pid", f"--log-file={f}/munged.log", f"--seed-file={f}/munge.seed")
        self.until(lambda: (f / "munge.socket").exists(), "munged")
        self.start("slurmctld", "-D", "-c")
        for node in self.nodes:
            self.start("slurmd", "-D", "-N", node)
        self.until(lambda: self.run("sinfo", "-h", "-N", "-p", "two", "-o", "%T").split() == ["idle"] * len(self.nodes), "idle nodes")
        return self

    def __exit__(self, *_):
        self.run("scancel", "--full", "--signal=KILL", "--user", getpass.getuser())
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
            try:
                daemon.wait(timeout=15)
            except subprocess.TimeoutExpired:
                daemon.kill()

    def start(self, program, *arguments):
        log = (self.folder / f"{program}.out").open("a")
        self.daemons.append(subprocess.Popen([program, *arguments], env={**os.environ, **self.env}, stdout=log, stderr=log,
                                             stdin=subprocess.DEVNULL))

    def run(self, *command):
        return subprocess.run(command, env={**os.environ, **self.env}, text=True, capture_output=True).stdout

    @staticmethod
    def until(fulfilled, what, seconds=600):
        """Waits for a condition, and fails with its name after a timeout that only ends a hang."""
        end = time.time() + seconds
        while not fulfilled():
            assert time.time() < end, f"waited {seconds} s for {what}"
            time.sleep(0.05)

    def jobs(self, job):
        """SLURM's information about a job: a dictionary for each task."""
        lines = self.run("scontrol", "show", "job", "-o", job).splitlines()
        return [dict(word.partition("=")[::2] for word in shlex.split(line)) for line in lines if line]

    def wait(self, job, seconds=3600):
        """Waits until a job (all tasks of an array) has left the queue; returns its states and exit codes, by task."""
        ended = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "DEADLINE", "OUT_OF_MEMORY"}
        last = []

        def over():
            last[:] = self.jobs(job)  # empty if SLURM did not answer
            return last and {j["JobState"] for j in last} <= ended

        self.until(over, f"job {job}", seconds)
        return {j.get("ArrayTaskId", ""): (j["JobState"], j["ExitCode"]) for j in last}
