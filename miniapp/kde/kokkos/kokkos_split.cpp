// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-split: MDRange over (query, sample chunk), partial sums, a reduction. Twin of
// cuda-split-two-pass.
#include "kde/kokkos/split.hpp"

namespace parity::kde {
Entry kokkos_split() {
  return with_sum<SplitSum>(split_entry("kokkos-split",
                                        "MDRange over (query, sample chunk) and a reduction over the chunks",
                                        "cuda-split-two-pass"));
}

}  // namespace parity::kde
