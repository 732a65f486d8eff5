#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what this machine lacks to build Parity, and reports its steps and their reasons. Repeated and concurrent calls are safe.
#   cmake/bootstrap.sh               host build: packages, Kokkos and Kokkos Kernels with OpenMP
#   cmake/bootstrap.sh --python      also a Python environment for reports
#   cmake/bootstrap.sh --cuda ARCH   also a CUDA toolkit and a Kokkos for ARCH as Kokkos names it (PASCAL60: P100, VOLTA70: V100)
#   cmake/bootstrap.sh --hip ARCH    also hipcc, and a Kokkos for ARCH (VEGA908: MI100, AMD_GFX90A: MI200)
#   cmake/bootstrap.sh --cuda-12     also CUDA 12.4; cmake/with_cuda_12.sh runs a command with it
#   cmake/bootstrap.sh --packages NAME... | --pip FILE   only these packages of Debian, or the Python packages of FILE
#   cmake/bootstrap.sh --prefix [ARCH] | --with ARCH     prints the value for CMAKE_PREFIX_PATH (empty: your own Kokkos is used), or the
#                                    script that runs commands with the CUDA toolkit of that Kokkos
#   cmake/bootstrap.sh --kokkos | --deps   prints the folder of your own Kokkos, or the folder for everything that this script builds
#
# Your own Kokkos has priority: Kokkos_ROOT, Kokkos_DIR, or one found through CMAKE_PREFIX_PATH (modules, Spack). Otherwise PARITY_KOKKOS
# selects one: a release of cmake/kokkos_releases.txt, 'pypi' (4.5.01), 'debian' (3.4.01), or a folder with its sources. The sources of Kokkos Kernels
# are in the folder with 'kokkos-kernels' for 'kokkos' in its name. Unset: the newest release that the compiler can build; without GitHub PyPI's, then Debian's.
# Downloads must have the checksums in cmake/*.txt. PARITY_KOKKOS_URL: a folder with the releases' archives, instead of GitHub.
# PARITY_PYPI_URL, PARITY_DEBIAN_URL: mirrors, instead of https://files.pythonhosted.org/packages, http://deb.debian.org/debian. PARITY_DEPS: folder for downloads and builds (default: ~/.cache/parity).
set -euo pipefail
unset CDPATH # it makes 'cd' print its target, and may lead elsewhere
deps=${PARITY_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/parity}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf 'bootstrap: %s\n' "$*"; }
fail() { printf 'bootstrap: %s\n' "$*" >&2; exit 3; }
usage() { printf 'bootstrap: %s\n' "$*" >&2; exit 2; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }
can_be_root() { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }
is_amd() { [[ ${1:-} == *VEGA* || ${1:-} == *AMD_* ]]; }
alone() { # allows only one bootstrap at a time
  mkdir -p "$deps" 2>/dev/null || fail "cannot write to $deps; set PARITY_DEPS to a directory of yours"
  exec 9>"$deps/.lock"
  flock -n 9 || { say "another bootstrap is at work in $deps; waiting for it"; flock 9; }
}
logged() { # NAME COMMAND...: writes its output to a log, and shows the log's end if it fails
  mkdir -p "$deps/log"
  "${@:2}" >"$deps/log/$1.log" 2>&1 || { tail -n 25 "$deps/log/$1.log" >&2; fail "failed: ${*:2} (whole log: $deps/log/$1.log)"; }
}
own_prefixes() { tr ':;' '\n\n' <<<"${Kokkos_ROOT:-}:${Kokkos_DIR:-}:${CMAKE_PREFIX_PATH:-}"; }
have_header() {
  local include
  read -ra include <<<"$(pkg-config --cflags-only-I fftw3 netcdf 2>/dev/null | xargs) $(own_prefixes | sed -n 's|.\+|-I&/include|p' | xargs)"
  echo "#include <$1>" | "${CXX:-c++}" -std=c++17 -E -x c++ ${include[@]+"${include[@]}"} - >/dev/null 2>&1
}
missing_packages() {
  local each
  for each in "${CXX:-c++}=g++" cmake=cmake ninja=ninja-build pkg-config=pkg-config git=git ccache=ccache curl=curl flock=util-linux; do
    command -v "${each%=*}" >/dev/null || echo "${each##*=}"
  done
  [ -e /etc/ssl/certs/ca-certificates.crt ] || ! command -v apt-get >/dev/null || echo ca-certificates
  for each in fftw3.h=libfftw3-dev fmt/format.h=libfmt-dev CLI/CLI.hpp=libcli11-dev nlohmann/json.hpp=nlohmann-json3-dev netcdf.h=libnetcdf-dev \
    toml++/toml.h=libtomlplusplus-dev utf8proc.h=libutf8proc-dev gtest/gtest.h=libgtest-dev rapidcheck.h=librapidcheck-dev; do
    have_header "${each%=*}" || echo "${each#*=}"
  done
  # Optional, and installed only if this user can be root; any other MPI works too.
  if command -v apt-get >/dev/null && can_be_root; then
    command -v mpicxx >/dev/null || echo libopenmpi-dev openmpi-bin
    command -v make >/dev/null || echo make # CMake's default for projects of own kernels
  fi
  ! is_amd "${gpu_arches[*]-}" || command -v hipcc >/dev/null || echo hipcc libomp-15-dev # the OpenMP of Debian 12's hipcc
}
install_packages() { # WHY NAME...
  command -v apt-get >/dev/null || fail "missing: ${*:2}. They are Debian's names; load modules or a Spack environment that provide them"
  can_be_root || fail "missing packages: ${*:2}. Ask an administrator for: apt-get install ${*:2}"
  say "installing ${*:2} ($1)"
  logged apt-update as_root apt-get -q update
  logged packages as_root env DEBIAN_FRONTEND=noninteractive apt-get -qy -o DPkg::Lock::Timeout=600 install --no-install-recommends "${@:2}"
}
python_packages() { # FILE: exactly these versions, in a venv that others may share and that is never rebuilt
  local python=$deps/python known
  known=$python/.complete-$(basename "$(dirname "$1")")
  if cmp -s "$1" "$known"; then return; fi
  say "getting the Python packages of $1 into $python"
  python3 -I -c 'import venv, ensurepip' 2>/dev/null || install_packages "for Python packages" python3-venv
  [ -x "$python/bin/python" ] || logged python-venv python3 -I -m venv "$python"
  (logged python-pip "$python/bin/python" -I -m pip -q install --disable-pip-version-check --no-deps -r "$1") ||
    fail "pip failed, as said above; if it cannot reach PyPI, set https_proxy, PIP_INDEX_URL or PIP_CERT, and start again"
  cp "$1" "$known"
}
why='' lost=''
download() { # URL SHA256 FILE [SECONDS]: sets 'why' on failure. Timeouts: 7 s to connect, SECONDS (7) below 10 kB/s
  if sha256sum --status -c <<<"$2  $3" 2>/dev/null; then return; fi
  curl -fsSL --create-dirs --connect-timeout 7 --speed-time "${4:-7}" --speed-limit 10000 -o "$3" "$1" 2>"$deps/.curl" || { why="$1: $(grep -om1 'curl.*' "$deps/.curl")"; return 1; }
  sha256sum --status -c <<<"$2  $3" || { why="$1: its SHA-256 is not the one that is expected"; return 1; }
}
debian_archives() { # NAME FOLDER: the files of cmake/debian_archives.txt with that name
  local name sum path
  while read -r name sum path; do
    [ "$name" != "$1" ] || download "${PARITY_DEBIAN_URL:-http://deb.debian.org/debian}/$path" "$sum" "$2/${path##*/}" 45 || # a proxy may fetch the whole 1 GB before it sends
      fail "$why; PARITY_DEBIAN_URL may name another mirror, such as http://snapshot.debian.org/archive/debian/20261101T000000Z"
  done <"$here/cmake/debian_archives.txt"
}
# Unpacks CUDA 12.4 or 11.8 from Debian's packages in NVIDIA's layout, without installing them. Parity needs only the runtime of the 2.5 GB of
# libraries. The paths in Debian's nvcc.profile are those of an installed package.
cuda_toolkit() { # 11 or 12
  local prefix=$deps/cuda-$1 from=$deps/cuda-$1.partial download=$deps/download-cuda-$1 package usr=./usr lib=x86_64-linux-gnu
  if [ "$1" = 11 ] && ! command -v g++-11 >/dev/null; then install_packages "the newest host compiler that CUDA 11.8 accepts" g++-11; fi
  [ ! -f "$prefix/.complete" ] || return 0
  command -v dpkg-deb >/dev/null || fail "CUDA $1 is unpacked from Debian's packages, and there is no dpkg-deb: load a module of CUDA instead"
  say "downloading CUDA $1 in Debian's packages (1 GB, of which 0.5 GB are kept)"
  rm -rf "$from" "$prefix" "$download"
  mkdir -p "$from"
  debian_archives "cuda-$1" "$download"
  for package in "$download"/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$from" --wildcards --exclude={$usr/bin/nvcc,$usr/lib/cuda,$usr/share,./etc} \
      --exclude="*/nvidia-cuda-toolkit/"{'bin/g[c+]*',bin/nvcc.profile,compute-sanitizer} --exclude="*/$lib/"{,stubs/}{'lib[!c]*','libcu[!dp]*'} \
      --transform="s|^$usr/lib/$lib|lib64|S;s|^$usr/lib/nvidia-cuda-toolkit/\(bin/cicc\|libdevice\)|nvvm/\1|S" \
      --transform="s|^$usr/lib/nvidia-cuda-toolkit/||S;s|^$usr/||S"
  done
  # shellcheck disable=SC2016  # nvcc's variables
  printf '%s\n' 'TOP = $(_HERE_)/..' 'NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice' 'PATH += $(TOP)/nvvm/bin:$(_HERE_):' \
    'INCLUDES += "-I$(TOP)/include" $(_SPACE_)' 'LIBRARIES =+ $(_SPACE_) "-L$(TOP)/lib64/stubs" "-L$(TOP)/lib64"' >"$from/bin/nvcc.profile"
  touch "$from/.complete"
  mv "$from" "$prefix"
  rm -rf "$download"
}
own_package() { # NAME: prints the folder with the CMake package of the user's own Kokkos or KokkosKernels
  local prefix root=${1}_ROOT
  while read -r prefix; do
    [ -z "$prefix" ] || ls -d "$prefix"{,/lib{,64,/*}/cmake/"$1"}/"$1Config.cmake" 2>/dev/null || true
  done < <(own_prefixes; echo "${!root:-}") | sed -n '1s|/[^/]*$||p' | grep .
}
releases() { grep "^${1:-[0-9]}" "$here/cmake/kokkos_releases.txt"; }
can_build_5() { # g++ 10.4 or clang 14, and CMake 3.22
  printf '#if defined __clang__ ? __clang_major__ < 14 : __GNUC__ * 100 + __GNUC_MINOR__ < 1004\n#error\n#endif\n' |
    "${CXX:-c++}" -std=c++20 -E -x c++ - >/dev/null 2>&1 && printf '3.22\n%s\n' "$(cmake --version | grep -om1 '[0-9][.0-9]*')" | sort -CV
}
# GPU builds take the newest 4.x release, which supports P100. A Kokkos that is already built is used before the network is tried again.
kokkos_source() { # [ARCH]
  if [ -n "${PARITY_KOKKOS:-}" ]; then echo "$PARITY_KOKKOS"; return; fi
  if [[ ${1:-} == VEGA* ]]; then echo debian; return; fi # Kokkos 4 renamed these architectures
  local release each major=4
  if [ -z "${1:-}" ] && can_build_5; then major=5; fi
  release=$(releases "[4-$major]" | head -n 1 | cut -d' ' -f1)
  for each in "$release" pypi debian; do
    if [ -f "$(kokkos_prefix "$each" "${1:-}")/.complete" ]; then release=$each; break; fi
  done
  echo "$release"
}
kokkos_prefix() { # SOURCE ARCH: prints its installation prefix
  local name=-$1
  case $1 in debian) name= ;; */*) name=-$(cd "$1" && pwd | sha256sum | cut -c -8) ;; esac
  echo "$deps/kokkos$name-$(tr '[:upper:]' '[:lower:]' <<<"${2:-openmp}")"
}
cuda_of() { # SOURCE: Kokkos 3 does not compile with CUDA 12
  if [ "$1" = debian ] || grep -qs 'Kokkos_VERSION_MAJOR 3)' "$1/CMakeLists.txt"; then echo 11; else echo 12; fi
}
get_sources() { # SOURCE: puts the sources of Kokkos and Kokkos Kernels into $deps/src-SOURCE
  local name sums
  rm -rf "$deps/src-$1"
  if [ "$1" = debian ]; then
    say "taking Kokkos 3.4.01 from the sources of Debian's 'trilinos' (166 MB)"
    debian_archives kokkos-3.4.01 "$deps/download"
    mkdir "$deps/src-$1"
    tar -xf "$deps"/download/trilinos_* -C "$deps/src-$1" --wildcards --strip-components=2 '*/packages/kokkos/*' '*/packages/kokkos-kernels/*'
    return
  fi
  read -ra sums <<<"$(releases "$1 ")"
  if [ "$1" = pypi ]; then # one package of PyPI contains both, unchanged
    name=${sums[2]##*/}
    download "${PARITY_PYPI_URL:-https://files.pythonhosted.org/packages}/${sums[2]}" "${sums[1]}" "$deps/download/$name" || return 1
    say "taking Kokkos 4.5.01 from the sources of PyPI's '${name%%-*}' (6 MB)"
    why="$deps/download/$name cannot be unpacked"
    mkdir "$deps/src-$1" && tar -xf "$deps/download/$name" -C "$deps/src-$1" --strip-components=1 "${name%.tar.gz}/"kokkos{,-kernels}
    return
  fi
  for name in kokkos kokkos-kernels; do
    sums=("${sums[@]:1}")
    download "${PARITY_KOKKOS_URL:-https://github.com/kokkos/$name/releases/download/$1}/$name-$1.tar.gz" "${sums[0]}" "$deps/download/$name-$1.tar.gz" || return 1
    why="$deps/download/$name-$1.tar.gz cannot be unpacked"
    mkdir -p "$deps/src-$1/$name" && tar -xf "$deps/download/$name-$1.tar.gz" -C "$deps/src-$1/$name" --strip-components=1 || return 1
  done
}
installed() { # NAME SOURCES OPTION...
  logged "$1-configure" "${runner[@]}" cmake -S "$2" -B "$deps/build/$1" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_STANDARD=$standard" \
    "-DCMAKE_INSTALL_PREFIX=$prefix" -Wno-dev "${@:3}"
  CMAKE_INSTALL_ALWAYS=1 logged "$1-build" "${runner[@]}" ninja -C "$deps/build/$1" install # else CMake skips a file with the same time stamp to the second
}
build_kokkos() { # [ARCH]: installs Kokkos and Kokkos Kernels for an architecture (none: the host)
  local arch=${1:-} source of prefix kokkos kernels name cuda='' standard=20 runner=(env) of_kokkos=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache) of_kernels
  source=$(kokkos_source "$arch")
  prefix=$(kokkos_prefix "$source" "$arch")
  while [[ $source != debian && $source != */* ]] && [ ! -f "$prefix/.complete" ]; do
    of=${source/[0-9]*/GitHub}
    if [[ " $lost" != *" $of "* ]] && get_sources "$source"; then break; fi
    [ -z "${PARITY_KOKKOS:-}" ] || fail "no Kokkos $source: $why"
    [[ " $lost" == *" $of "* ]] || say "no Kokkos $source ($why): taking an older one"
    lost+="$of "
    source=$([ "$of" = GitHub ] && [ -z "$arch" ] && echo pypi || echo debian) # 4.5.01 was never tried on a GPU
    prefix=$(kokkos_prefix "$source" "$arch")
  done
  if [ -n "$arch" ] && ! is_amd "$arch"; then
    cuda=$(cuda_of "$source")
    cuda_toolkit "$cuda"
    runner=("$here/cmake/with_cuda_$cuda.sh")
  fi
  if [ -f "$prefix/.complete" ] && [[ $source != */* ]]; then return; fi # a folder's sources may have changed
  if [ "$source" = debian ]; then get_sources debian; fi
  kokkos=$deps/src-$source/kokkos
  if [[ $source == */* ]]; then kokkos=$(cd "$source" && pwd); fi
  name=$(basename "$prefix") kernels=$(dirname "$kokkos")/$(basename "$kokkos" | sed 's/kokkos/kokkos-kernels/')
  [ "$kernels" != "$kokkos" ] || usage "PARITY_KOKKOS=$source needs 'kokkos' in its name: Kokkos Kernels lie beside it, with 'kokkos-kernels' for that"
  [ -d "$kernels" ] || fail "no Kokkos Kernels in $kernels, beside Kokkos"
  [ -z "$arch" ] || grep -qsw "$arch" "$kokkos/cmake/kokkos_arch.cmake" ||
    fail "the Kokkos in $kokkos has no architecture $arch: give another one in PARITY_KOKKOS (--help)"
  if grep -qs 'VERSION_MAJOR [34])' "$kokkos/CMakeLists.txt" "$kokkos"/cmake/*Version.cmake; then standard=17; fi
  of_kernels=("${of_kokkos[@]}")
  if is_amd "$arch"; then
    export ROCM_PATH=${ROCM_PATH:-/usr}
    of_kernels=(-DCMAKE_CXX_COMPILER=hipcc)
    of_kokkos=("${of_kernels[@]}" -DKokkos_ENABLE_OPENMP=OFF -DKokkos_ENABLE_HIP=ON "-DKokkos_ARCH_$arch=ON" -DKokkos_ENABLE_ROCTHRUST=OFF)
  elif [ -n "$arch" ]; then
    of_kernels=("-DCMAKE_CXX_FLAGS=-arch=sm_${arch//[^0-9]/}" "-DCMAKE_CXX_COMPILER=$kokkos/bin/nvcc_wrapper")
    of_kokkos=("${of_kernels[@]}" -DKokkos_ENABLE_CUDA=ON -DKokkos_ENABLE_CUDA_LAMBDA=ON "-DKokkos_ARCH_$arch=ON" "-DKokkos_CUDA_DIR=$deps/cuda-$cuda")
  fi
  say "building Kokkos and Kokkos Kernels into $prefix (two minutes on two cores)"
  installed "$name" "$kokkos" -DKokkos_ENABLE_OPENMP=ON -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_TESTS=OFF "${of_kokkos[@]}"
  installed "$name-kernels" "$kernels" "-DKokkos_ROOT=$prefix" -DKokkosKernels_ENABLE_{TESTS,EXAMPLES,ALL_COMPONENTS}=OFF \
    -DKokkosKernels_ENABLE_TPL_{CUBLAS,CUSPARSE,CUSOLVER}=OFF -DKokkosKernels_ADD_DEFAULT_ETI=OFF -DKokkosKernels_ENABLE_COMPONENT_{BLAS,SPARSE}=ON "${of_kernels[@]}"
  touch "$prefix/.complete"
  [[ $source == */* ]] || rm -rf "$deps/src-$source" "$deps/build/$name" "$deps/build/$name-kernels"
}
want_python='' want_cuda_12='' gpu_arches=()
case ${PARITY_KOKKOS:-debian} in
  debian | pypi) ;;
  */*) [ -f "$PARITY_KOKKOS/CMakeLists.txt" ] || usage "PARITY_KOKKOS=$PARITY_KOKKOS is no folder with the sources of Kokkos; an installed one is named in Kokkos_ROOT" ;;
  *) releases | cut -d' ' -f1 | grep -qxF -- "$PARITY_KOKKOS" || usage "PARITY_KOKKOS=$PARITY_KOKKOS: give 'pypi', 'debian', a folder with sources (with a / in" \
    "its name), or one of the releases $(releases | cut -d' ' -f1 | paste -sd' ')" ;;
esac
while [ $# -gt 0 ]; do
  case $1 in
    --prefix)
      if [ $# -gt 1 ] || ! own_package Kokkos >/dev/null; then kokkos_prefix "$(kokkos_source "${2:-}")" "${2:-}"; fi
      exit 0 ;;
    --with) echo "$here/cmake/with_cuda_$(cuda_of "$(kokkos_source "${2:-}")").sh"; exit 0 ;;
    --kokkos)
      own=$(own_package Kokkos) || fail "no Kokkos of yours: set Kokkos_ROOT, or load its module or Spack environment"
      echo "${own%/lib*/cmake/Kokkos}"; exit 0 ;;
    --deps) echo "$deps"; exit 0 ;;
    --packages) install_packages "asked for by name" "${@:2}"; exit 0 ;;
    --pip) [ -r "${2:-}" ] || usage "--pip needs a file"; alone; python_packages "$2"; exit 0 ;;
    --python) want_python=yes ;;
    --cuda-12) want_cuda_12=yes ;;
    --cuda | --hip)
      [ $# -gt 1 ] || usage "$1 needs an architecture as Kokkos names it, such as VOLTA70 (V100) or VEGA908 (MI100)"
      [ "$1" = --cuda ] || is_amd "$2" || usage "--hip $2: give an architecture as Kokkos names it, such as VEGA908 (MI100) or AMD_GFX90A (MI200)"
      gpu_arches+=("$2"); shift ;;
    --help | -h) sed -n '3,19s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) usage "'$1' is no option; --help explains" ;;
  esac
  shift
done
read -ra packages <<<"$(missing_packages | xargs)"
[ ${#packages[@]} = 0 ] || install_packages "Parity is built from them" "${packages[@]}"
alone
export CCACHE_DIR=${CCACHE_DIR:-$deps/ccache}
if own=$(own_package Kokkos); then
  say "using your Kokkos in $own${PARITY_KOKKOS:+, not PARITY_KOKKOS=$PARITY_KOKKOS}"
  own_package KokkosKernels >/dev/null ||
    fail "your Kokkos has no Kokkos Kernels beside it: load the module of the same version, or set KokkosKernels_ROOT"
else
  build_kokkos
fi
[ -z "$want_python" ] || python_packages "$here/cmake/python.txt"
[ -z "$want_cuda_12" ] || cuda_toolkit 12
for arch in ${gpu_arches[@]+"${gpu_arches[@]}"}; do build_kokkos "$arch"; done
say "ready"
