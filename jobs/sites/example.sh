# SPDX-License-Identifier: BSD-3-Clause
# Settings of a cluster for Parity's jobs. Copy this file, uncomment what your site needs, and name the copy:
#   jobs/submit.sh p100 --site mysite.sh --dry-run
# Every setting can also be given for one target only: SITE_PARTITION_P100, SITE_MODULES_V100, ...
# Targets: host p100 v100 a100 h100 mi250. jobs/sites/ also has drafts for some clusters. Jobs run this file as you: copy only what you have read.
# shellcheck shell=bash disable=SC2034

# SITE_ACCOUNT=project42
# SITE_PARTITION=gpu
# SITE_TIME=01:00:00                   # limit of each measuring job; the job stops cleanly before it and continues by itself
# SITE_CPUS=8                          # processors of a task as SLURM counts them (hardware threads if it knows them, else cores),
#                                      # and its OpenMP threads unless site_setup sets OMP_NUM_THREADS

# Options of sbatch that request a GPU. Default: --gres=gpu:p100:1 and so on; none for host.
# SITE_GPU_P100="--gres=gpu:1 --constraint=p100"
# SITE_GPU_V100=--gpus=v100:1
# SITE_GPU_A100=--constraint=a100
# For several GPUs per node, %g stands for their number: SITE_GPU_H100=--gres=gpu:h100:%g (the default)

# Several tasks share the problems of a plan with ranks (jobs/RANKS.md). --nodes, --gpus and --tasks of jobs/submit.sh have the same meaning.
# SITE_NODES=2                         # nodes of a measuring job
# SITE_GPUS=4                          # GPUs of a node, with a task for each
# SITE_TASKS_HOST=2                    # tasks per node, if not one per GPU
# SITE_MPI=pmix                        # launcher: one of 'srun --mpi=list', or mpirun (default: the first that works)

# SITE_OPTIONS=(--hint=nomultithread)  # further options of measuring jobs; here SITE_CPUS are cores, with one thread each
# SITE_EXCLUSIVE=yes                   # each measuring job (each slice of an array) gets whole nodes
# SITE_BUILD_OPTIONS=(--partition=cpu) # for the jobs that build and report, which need no GPU

# Modules for compilers, CUDA, Kokkos with Kokkos Kernels, and the libraries of jobs/README.md. P100 and V100 need CUDA 12.9 or
# older.
# SITE_MODULES=(gcc/11 cuda/12.4 cmake kokkos/4.6)
# SITE_MODULES_HOST=(gcc/13 cmake kokkos/4.6-openmp)
# Any other setup, run after the modules are loaded; its argument is the target. jobs/README.md makes an environment for each target:
# site_setup() { source /opt/spack/share/spack/setup-env.sh && spack env activate -d "jobs/spack/$1"; }

# SITE_CMAKE=(-DPARITY_ENABLE_NETCDF=OFF) # further arguments of cmake
# SITE_BUILD_V100=$SCRATCH/build-v100   # build folder of a target (default: build-TARGET in the clone)
# SITE_PYTHON=python3                  # 3.9 or newer, with matplotlib, numpy and jinja2, for the report
# SITE_RESULTS=$SCRATCH/parity         # parent of the folders of results (default: results/ in the clone)
# SITE_TARGETS=(host a100)             # targets of this site; others are refused
# SITE_REQUEUE=no                      # a job at its time limit is not queued again; continue with jobs/submit.sh --resume
# SITE_KOKKOS_TOOLS=/opt/kokkos-tools/lib/libkp_kernel_timer.so # for jobs/profile.sbatch
