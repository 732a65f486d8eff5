// SPDX-License-Identifier: BSD-3-Clause
// blas: runs the elementary operations of baseline as calls of Kokkos Kernels BLAS (scal, axpy, axpby) and
// the halo as four deep copies, as a library user would without a kernel. Source: algorithm 1 of the original
// work.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::blas {

/// Launches per step: 4 halo copies, 2 x (scal and 4 axpy), axpby. Words per point: 2 x (2 + 4 x 3) + 3, 9 of
/// them in place.
inline Entry algorithm() {
  Entry e;
  e.fields = 3;
  e.words_in_place = 9;
  e.model = [](const Problem& p) { return cost_per_step(p, 15, 31, 20); };
  return e;
}

}  // namespace parity::diffusion::blas
