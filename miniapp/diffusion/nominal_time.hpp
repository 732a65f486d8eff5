// SPDX-License-Identifier: BSD-3-Clause
// A cost model's time at given speeds: an order of magnitude.
#pragma once
#include <algorithm>

#include "harness/variant.hpp"

namespace parity::diffusion {

/// bandwidth: bytes a second. Operations count only where a plane stays on chip; a launch takes 4 us.
inline double nominal_seconds(const harness::CostModel& m, double bandwidth, bool on_gpu) {
  return std::max(m.bytes / bandwidth, m.flops / (on_gpu ? 1e13 : 1e10)) + 4e-6 * m.submissions;
}

}  // namespace parity::diffusion
