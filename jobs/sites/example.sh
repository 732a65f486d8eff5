# SPDX-License-Identifier: BSD-3-Clause
# What Parity's jobs must know of a cluster. Copy this file, uncomment what your site needs, and name the copy:
#   jobs/submit.sh p100 --site mysite.sh --dry-run
# Every setting can also be given for one target only: SITE_PARTITION_P100, SITE_MODULES_V100, ...
# Targets: host p100 v100 a100 h100 mi250. jobs/sites/ also has starts for some clusters. Jobs run this file as you: copy only what you have read.
# shellcheck shell=bash disable=SC2034

# SITE_ACCOUNT=project42
# SITE_PARTITION=gpu
# SITE_TIME=01:00:00                   # of each measuring job; the job ends cleanly before it and goes on by itself
# SITE_CPUS=8                          # processors of a task as SLURM counts them (hardware threads where it knows them, else cores),
#                                      # and its OpenMP threads unless site_setup sets OMP_NUM_THREADS

# How a GPU is asked for: whatever sbatch takes. Without it: --gres=gpu:p100:1 and so on; none for host.
# SITE_GPU_P100="--gres=gpu:1 --constraint=p100"
# SITE_GPU_V100=--gpus=v100:1
# SITE_GPU_A100=--constraint=a100
# For several GPUs of a node %g stands for their number: SITE_GPU_H100=--gres=gpu:h100:%g (which is what is asked without it)

# Several tasks share the problems of a plan with ranks (jobs/RANKS.md). --nodes, --gpus and --tasks of jobs/submit.sh say the same.
# SITE_NODES=2                         # nodes of a measuring job
# SITE_GPUS=4                          # GPUs of a node, with a task for each
# SITE_TASKS_HOST=2                    # tasks of a node, where it is not one a GPU
# SITE_MPI=pmix                        # what starts them: of 'srun --mpi=list', or mpirun (default: the first that does)

# SITE_OPTIONS=(--hint=nomultithread)  # further options of the jobs that measure; this one: SITE_CPUS are cores, a thread each
# SITE_EXCLUSIVE=yes                   # each measuring job, so each slice of an array, has whole nodes of its own
# SITE_BUILD_OPTIONS=(--partition=cpu) # of the jobs that build and report, which need no GPU

# What brings compilers, CUDA, Kokkos with Kokkos Kernels, and the libraries of jobs/README.md. For P100 and V100, CUDA 12.9 or
# older.
# SITE_MODULES=(gcc/11 cuda/12.4 cmake kokkos/4.6)
# SITE_MODULES_HOST=(gcc/13 cmake kokkos/4.6-openmp)
# Or anything else, run after the modules are loaded; its argument is the target. jobs/README.md makes an environment for each target:
# site_setup() { source /opt/spack/share/spack/setup-env.sh && spack env activate -d "jobs/spack/$1"; }

# SITE_CMAKE=(-DPARITY_ENABLE_NETCDF=OFF) # further arguments of cmake
# SITE_BUILD_V100=$SCRATCH/build-v100   # build folder of a target (default: build-TARGET in the clone)
# SITE_PYTHON=python3                  # 3.9 or newer, with matplotlib, numpy and jinja2, for the report
# SITE_RESULTS=$SCRATCH/parity         # where the folders of results go (default: results/ in the clone)
# SITE_TARGETS=(host a100)             # what this site has; others are refused
# SITE_REQUEUE=no                      # a job at its time limit is not queued again; go on with jobs/submit.sh --resume
# SITE_KOKKOS_TOOLS=/opt/kokkos-tools/lib/libkp_kernel_timer.so # for jobs/profile.sbatch
