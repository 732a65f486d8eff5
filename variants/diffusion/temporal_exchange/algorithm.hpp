// SPDX-License-Identifier: BSD-3-Clause
// temporal_exchange: the passes of temporal on a rank's part. Halos are deep enough for all steps of a pass
// and exchanged before it, on the axes that are cut; planes go in groups, so that one group's messages are on
// their way while another is computed. Cost: that of temporal, two more launches a pass, and what a pass
// computes twice at the edges of parts. Limits: parts are at least as large as the halo that their neighbours
// want of them.
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

/// A part with its halo, as passes that wrap around see it: a periodic plane. They spoil the halo.
inline Problem as_plane(Problem part, const Margin& depth) {
  part.nx += 2 * depth.x, part.ny += 2 * depth.y;
  return part;
}

}  // namespace parity::diffusion::temporal_exchange
