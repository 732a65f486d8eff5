# SPDX-License-Identifier: BSD-3-Clause
# A cluster with Apptainer and without Parity's libraries: jobs run the program of an image (cmake/container/parity.def), which PARITY_IMAGE
# names. The image is built for one target; nothing is compiled here. Not run there.
# shellcheck shell=bash disable=SC2034,SC2154
SITE_TARGETS=(host p100 v100 a100 h100)
# SITE_ACCOUNT=project42
# SITE_PARTITION=gpu
site_setup() {
  local gpu=--nv
  if [ "$1" = host ]; then gpu=; fi
  image=${PARITY_IMAGE:-$HOME/parity.sif}
  [ -r "$image" ] || { echo "there is no image $image: make one with apptainer build (cmake/container/parity.def), or name yours in PARITY_IMAGE"; return 3; }
  export Kokkos_ROOT=/opt/parity # its path in the image
  starts="exec apptainer exec $gpu --bind $(printf %q "$PWD") --bind $(printf %q "${run%/*}") $(printf %q "$image") parity \"\$@\""
  cmake() { # puts a script into the build folder that starts the image's program
    if [ "$1" = --preset ]; then mkdir -p "$4" && printf '#!/bin/sh\n%s\n' "$starts" >"$4/parity" && chmod +x "$4/parity"; fi
  }
}
