// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-split-team: teams over (query tile, sample chunk) with scratch memory, partial sums, a
// reduction. Twin of cuda-split-two-pass.
#include "kde/kokkos/split_team.hpp"

namespace parity::kde {

Entry kokkos_split_team() {
  return with_sum<SplitTeams>(split_team_entry(
      "kokkos-split-team",
      "teams over (query tile, sample chunk), samples in scratch, a reduction over the chunks",
      "cuda-split-two-pass"));
}

}  // namespace parity::kde
