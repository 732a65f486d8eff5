// SPDX-License-Identifier: BSD-3-Clause
// temporal_exchange: runs the passes of temporal on a rank's part. Before each pass it exchanges halos deep
// enough for all steps of the pass, on the axes that are cut. It splits the planes into groups, so that one
// group's messages travel while another group is computed. Cost: that of temporal, two more launches a pass,
// and the points at the edges of parts that a pass computes twice. Limits: a part is at least as large as the
// halo that its neighbours need.
#pragma once
#include "diffusion/exchanged.hpp"
#include "diffusion/passes.hpp"

namespace parity::diffusion::temporal_exchange {

struct Form {
  static constexpr ExchangeForm form{/*overlap=*/false, /*deep=*/true, /*updates=*/true, /*passes=*/true};
};

inline Entry algorithm() {
  Entry e = exchange_algorithm<Form>();
  e.tuning_axes = "steps a pass x groups of planes";
  return e;
}

/// A part with its halo as a periodic plane, for passes that wrap around; they spoil the halo.
inline Problem as_plane(Problem part, const Margin& depth) {
  part.nx += 2 * depth.x, part.ny += 2 * depth.y;
  return part;
}

}  // namespace parity::diffusion::temporal_exchange
