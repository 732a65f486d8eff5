// SPDX-License-Identifier: BSD-3-Clause
// Reasons why a variant cannot compute a problem with a tuning; native and portable twins share them.
#pragma once
#include <optional>
#include <string>

#include "kde/variant.hpp"

namespace parity::kde {

/// Distance between the outermost samples of a problem, in float.
double span_of(const Problem& problem);

/// Refuses queries per thread other than 1, 2, 4 and 8. With 4 queries, refuses polynomial shares (of 16
/// pairs) other than 2, 3 and 4 (float) and 16.
std::optional<std::string> refuse_other_tilings(const Problem& problem, const Tuning& tuning);

/// Refuses double precision, and more samples than the fixed-point sums can hold.
std::optional<std::string> refuse_symmetric(const Problem& problem, const Tuning& tuning);

/// Refuses running sums so long that their gate would not detect a constant that is off by 1 %.
std::optional<std::string> refuse_running_sum(const Problem& problem, const Tuning& tuning);

/// Refuses blocks of more than 1024 threads.
std::optional<std::string> refuse_wide_blocks(const Problem& problem, const Tuning& tuning);

/// The entry with the original work's block widths as the tuning.
inline Entry with_block_widths(Entry e) {
  e.tunings = {"256", "2", "4", "8", "16", "32", "64", "128", "512", "1024"};
  e.tuning_axes = block_width;
  e.refuse += refuse_wide_blocks;
  return e;
}

}  // namespace parity::kde
