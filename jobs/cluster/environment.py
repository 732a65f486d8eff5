# SPDX-License-Identifier: BSD-3-Clause
"""What a reader of the results wants to know of where they come from; nothing that could be secret."""
import os
import re
import subprocess
import time

# Kept is what stands here, and nothing else: a secret's name can be anything.
VARIABLES = frozenset("""
    SLURM_JOB_ID SLURM_JOB_NAME SLURM_JOB_PARTITION SLURM_JOB_QOS SLURM_JOB_NODELIST SLURM_JOB_NUM_NODES SLURM_JOB_CPUS_PER_NODE
    SLURM_JOB_GPUS SLURM_JOB_START_TIME SLURM_JOB_END_TIME SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT
    SLURM_ARRAY_TASK_MIN SLURM_ARRAY_TASK_MAX SLURM_ARRAY_TASK_STEP SLURM_CLUSTER_NAME SLURM_CPUS_ON_NODE SLURM_CPUS_PER_TASK
    SLURM_CPUS_PER_GPU SLURM_CPU_BIND SLURM_CPU_BIND_TYPE SLURM_GPUS SLURM_GPUS_ON_NODE SLURM_GPUS_PER_NODE SLURM_GPUS_PER_TASK
    SLURM_GPU_BIND SLURM_GPU_FREQ SLURM_GTIDS SLURM_HINT SLURM_LOCALID SLURM_MEM_BIND SLURM_MEM_PER_CPU SLURM_MEM_PER_GPU
    SLURM_MEM_PER_NODE SLURM_NNODES SLURM_NODEID SLURM_NODELIST SLURM_NPROCS SLURM_NTASKS SLURM_NTASKS_PER_NODE SLURM_OVERCOMMIT
    SLURM_PROCID SLURM_RESTART_COUNT SLURM_SUBMIT_DIR SLURM_SUBMIT_HOST SLURM_TASKS_PER_NODE SLURM_TASK_PID
    SLURM_THREADS_PER_CORE SLURM_TOPOLOGY_ADDR SLURM_TRES_PER_TASK SLURMD_NODENAME
    PARITY_TARGET PARITY_PLAN PARITY_SITE PARITY_RESULTS PARITY_BUILD PARITY_DEPS
    OMP_NUM_THREADS OMP_PROC_BIND OMP_PLACES OMP_SCHEDULE OMP_DYNAMIC OMP_NESTED OMP_MAX_ACTIVE_LEVELS OMP_STACKSIZE
    OMP_THREAD_LIMIT OMP_WAIT_POLICY OMP_CANCELLATION OMP_DISPLAY_ENV GOMP_CPU_AFFINITY GOMP_SPINCOUNT GOMP_STACKSIZE
    KMP_AFFINITY KMP_BLOCKTIME KMP_HW_SUBSET KMP_STACKSIZE
    KOKKOS_NUM_THREADS KOKKOS_DEVICE_ID KOKKOS_NUM_DEVICES KOKKOS_MAP_DEVICE_ID_BY KOKKOS_DISABLE_WARNINGS KOKKOS_TOOLS_LIBS
    KOKKOS_PROFILE_LIBRARY Kokkos_ROOT Kokkos_DIR KokkosKernels_ROOT KokkosKernels_DIR
    CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER CUDA_HOME CUDA_PATH CUDA_ROOT CUDA_LAUNCH_BLOCKING CUDA_CACHE_DISABLE CUDA_MODULE_LOADING
    CUDA_DEVICE_MAX_CONNECTIONS CUDA_MANAGED_FORCE_DEVICE_ALLOC CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_ACTIVE_THREAD_PERCENTAGE
    CUDAARCHS CUDACXX CUDAHOSTCXX CUDAFLAGS NVCC_WRAPPER_DEFAULT_COMPILER NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS
    NVIDIA_VISIBLE_DEVICES NVIDIA_DRIVER_CAPABILITIES
    CMAKE_PREFIX_PATH CMAKE_GENERATOR CMAKE_BUILD_TYPE CMAKE_BUILD_PARALLEL_LEVEL CCACHE_DIR CC CXX FC CFLAGS CXXFLAGS CPPFLAGS
    LDFLAGS PATH LD_LIBRARY_PATH LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH PKG_CONFIG_PATH PYTHONPATH MODULEPATH
    LOADEDMODULES _LMFILES_ MODULESHOME SPACK_ENV VIRTUAL_ENV CONDA_DEFAULT_ENV
    HOSTNAME LANG LC_ALL LC_CTYPE LC_NUMERIC TZ PWD SHELL TMPDIR""".split())
# Of what SLURM says of a job: not its comments, and not the words it was started with.
FIELDS = frozenset("""
    JobId ArrayJobId ArrayTaskId JobName Partition JobState Reason Requeue Restarts ExitCode RunTime TimeLimit SubmitTime StartTime
    EndTime NodeList BatchHost NumNodes NumCPUs NumTasks CPUs/Task TRES ReqTRES AllocTRES TresPerNode TresPerJob TresPerTask
    MinCPUsNode MinMemoryNode MinMemoryCPU Features OverSubscribe ReqB:S:C:T Socks/Node NtasksPerN:B:S:C CoreSpec WorkDir""".split())
# scheme://user:password@host, //user:password@host and user:password@host; a password may hold slashes. A version in a path, such as
# /opt/gcc@12:/opt/cuda@11, is none of these.
ADDRESS = re.compile(r"//[^\n]*@|(?:^|(?<=[\s'\"=,;:(]))[^\s/@:'\"=,;()]+:(?!//)[^\s@]*@|(?<=/)[^\s/@:'\"=,;()]+:(?!/)[^\s@]*@")
# A path or a module with versions in it: the only value in which an @ is harmless.
VERSIONED = re.compile(r"/?SEGMENT(?:/SEGMENT)*/?".replace("SEGMENT", r"[\w.+][\w.+-]*(?:@\d[\w.+-]*)?"), re.ASCII)
# In flags anything may stand (-DTOKEN=...): kept are those that change what a compiler makes of the sources.
COMPILERS = frozenset("CC CXX FC CUDACXX CUDAHOSTCXX NVCC_WRAPPER_DEFAULT_COMPILER".split())
FLAGS = frozenset("CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CUDAFLAGS NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS".split())
FLAG = re.compile(r"""(?:-Xcompiler=)?(?:
    -O(?:[0-3gsz]|fast)? | -g[0-3]? | -G | -lineinfo | -pthread | -f?q?openmp
    | -m(?:arch|tune|cpu)=[\w.+-]{1,32} | -m(?:no-)?(?:avx|s?sse|fma|bmi|f16c|32|64)[a-z0-9.]{0,16} | -mprefer-vector-width=\d+
    | -f[a-z][a-z0-9-]{1,40} | -f(?:fp-contract|sanitize|visibility|lto)=[a-z,]{1,40} | -std=(?:c|gnu)(?:\+\+)?\d\w
    | -W[a-z][a-z0-9+-]{1,40}
    | (?:-arch|--gpu-architecture)=(?:sm|compute)_\d+[a-z]? | -gencode=arch=compute_\d+[a-z]?,code=(?:sm|compute)_\d+[a-z]?
    | --?(?:expt-relaxed-constexpr|expt-extended-lambda|extended-lambda|use_fast_math|maxrregcount=\d+|fmad=(?:true|false))
    )""", re.ASCII | re.VERBOSE)
DEFINITION = re.compile(r"-D\s*\w+=")
QUERY = re.compile(r"(\w://[^\s?]*)\?\S*")


def without_passwords(text):
    """The text, less what stands before the host in addresses and after a question mark."""
    if "@" in text:  # else a long list would take long
        text = ADDRESS.sub(lambda m: "//" if m.group().startswith("//") else "", text)
    return QUERY.sub(r"\1", text)


def has_address(value):
    """Whether an @ in it may end a password: it does not where it begins a version in a list of paths and modules."""
    if "://" in value:
        return True
    before = None
    for item in re.split("[:;]", value):
        if "@" in item:
            listed = before is None or "@" in before or (before.startswith("/") and item.startswith("/"))
            if not listed or not VERSIONED.fullmatch(item) or (before and not VERSIONED.fullmatch(before)):
                return True
        before = item
    return False


def flags_of(name, value):
    """The words of known meaning, and where others stood; None without one."""
    known = [FLAG.fullmatch(word) or (n == 0 and name in COMPILERS and VERSIONED.fullmatch(word)) for n, word in enumerate(value.split())]
    return " ".join(word if k else "[left out]" for k, word in zip(known, value.split())) if any(known) else None


def harmless(environment):
    """The variables to keep, as lines; one with an address or a definition is left out."""
    lines = []
    for name, value in sorted(environment.items()):
        if name not in VARIABLES:
            continue
        if name in COMPILERS or name in FLAGS:
            value = flags_of(name, value)
        elif has_address(value) or DEFINITION.search(value):
            value = None
        if value is not None:
            lines.append(name + "=" + value.replace("\n", "\\n"))
    return lines


def job_fields(lines):
    return [" ".join(kept) for kept in ([w for w in line.split() if w.partition("=")[0] in FIELDS] for line in lines) if kept]


def output_of(*words):
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        return os.fsdecode(done.stdout).splitlines()
    except OSError as e:
        return [f"{words[0]}: {e.strerror}"]


def report(parity, job):
    """Everything, as lines; job: SLURM's number for it, if there is one."""
    yield "# date and place"
    yield time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    yield os.uname().nodename
    yield " ".join(os.uname())
    modules = harmless({"LOADEDMODULES": os.environ.get("LOADEDMODULES", "none")})
    sections = [("commit", output_of("git", "log", "-1", "--format=%H %cI %s") + output_of("git", "status", "--short")[:20]),
                ("modules", "".join(modules).partition("=")[2].split(":") if modules else ["left out"]),
                ("job", job_fields(output_of("scontrol", "show", "job", job)) if job else []),
                ("GPU", output_of("nvidia-smi")), ("processor", output_of("lscpu")), ("parity", output_of(parity, "--version")),
                ("environment", harmless(os.environ))]
    for title, lines in sections:
        yield "# " + title
        # Of a list of paths a cut would make others.
        yield from lines if title == "environment" else map(without_passwords, lines)


def save(path, parity, job):
    with open(path, "w", errors="surrogateescape") as file:
        file.writelines(line + "\n" for line in report(parity, job))
