// SPDX-License-Identifier: BSD-3-Clause
// blas: the elementary operations of baseline as calls of Kokkos Kernels BLAS (scal, axpy, axpby), the halo
// as four deep copies: what a library user writes without a kernel of his own. Source: algorithm 1 of the
// original work.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::blas {

/// Launches a step: 4 halo copies, 2 x (scal and 4 axpy), axpby. Words a point: 2 x (2 + 4 x 3) + 3, 9 of
/// them written where they were read.
inline Entry algorithm() {
  Entry e;
  e.fields = 3;
  e.words_in_place = 9;
  e.model = [](const Problem& p) { return cost_per_step(p, 15, 31, 20); };
  return e;
}

}  // namespace parity::diffusion::blas
