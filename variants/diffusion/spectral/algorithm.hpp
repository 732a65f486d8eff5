// SPDX-License-Identifier: BSD-3-Clause
// spectral: no steps, but what N steps make of each Fourier mode: a transform of each plane, one
// multiplication, and back. Cost: independent of N; two transforms in two passes each and the product.
// Limits: no missing values; results are checked and timed, but ranked with no others.
#pragma once
#include "diffusion/propagator.hpp"
#include "diffusion/variant.hpp"

namespace parity::diffusion::spectral {

inline Entry algorithm() {
  Entry e;
  e.method = exact_propagator;
  return e;
}

}  // namespace parity::diffusion::spectral
