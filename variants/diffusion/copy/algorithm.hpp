// SPDX-License-Identifier: BSD-3-Clause
// copy: each step copies the field; a lower bound for variants that read and write it.
// Cost: one launch a step; an element is read and written once. Rows are whole packs of 16 bytes.
// Limits: none. Error: none.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::copy {

inline Entry algorithm() {
  Entry e;
  e.floor = true;
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 2, 0); };
  return e;
}

}  // namespace parity::diffusion::copy
