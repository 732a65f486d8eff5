// SPDX-License-Identifier: BSD-3-Clause
// What the range checks, rules and methods need to know of samples, from one pass over them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/numbers.hpp"

namespace parity::density {

using runtime::Numbers;
using runtime::Values;

struct Range {
  double least = 0, greatest = 0;
};

struct Summary {
  Range range;
  double total = 0;               ///< of the weights; the number of samples without
  double squares = 0;             ///< sum of the squared weights
  double mean = 0, variance = 0;  ///< weighted, over the total weight
};

/// Numbers beyond that are refused, and so are bandwidths beyond it or below its inverse: within, no
/// distance, no quotient and no density overflows.
constexpr double largest_number = 1e140;

/// The same bits whatever the number of threads: a summary is joined from those of pieces, in order. All
/// values must be finite and there must be one at least; empty weights count every sample once.
Range range_of(Values values);
Summary summary_of(Values samples, Values weights);
/// The same from the summaries of the pieces: of ranks whose samples are whole pieces but for the last.
std::vector<Summary> summaries_of_pieces(Values samples, Values weights);
Summary joined_in_order(const std::vector<Summary>& pieces);
constexpr std::int64_t summary_piece = 1 << 14;  ///< stays in a cache between its passes

/// Throws runtime::UsageError that begins with 'what' when numbers are beyond 'largest_number'.
void require_ordinary(const Range& range, const std::string& what);

/// Makes weights sum up without overflow or underflow: divides extreme ones by a power of two, by which a
/// density does not change. Throws runtime::UsageError that begins with 'what' for a negative weight, and
/// where none is positive. range: of all of them, before: how many other ranks have before.
void settle_weights(Numbers& weights, const Range& range, std::int64_t before, const std::string& what);
inline void settle_weights(Numbers& weights, const std::string& what) {
  settle_weights(weights, range_of(weights), 0, what);
}

}  // namespace parity::density
