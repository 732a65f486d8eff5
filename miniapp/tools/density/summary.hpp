// SPDX-License-Identifier: BSD-3-Clause
// Statistics of samples that range checks, rules and methods need, from one pass.
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
  double total = 0;               ///< of the weights; without weights the number of samples
  double squares = 0;             ///< sum of the squared weights
  double mean = 0, variance = 0;  ///< weighted, over the total weight
};

/// Numbers beyond this are refused, and so are bandwidths beyond it or below its inverse; within these limits
/// no distance, quotient or density overflows.
constexpr double largest_number = 1e140;

/// The result does not depend on the number of threads: summaries of pieces are joined in order. All values
/// must be finite and there must be at least one; empty weights weight every sample by 1.
Range range_of(Values values);
Summary summary_of(Values samples, Values weights);
/// The same from summaries of pieces, for ranks whose samples are whole pieces except for the last.
std::vector<Summary> summaries_of_pieces(Values samples, Values weights);
Summary joined_in_order(const std::vector<Summary>& pieces);
constexpr std::int64_t summary_piece = 1 << 14;  ///< stays in cache between its passes

/// Throws runtime::UsageError that begins with 'what' if numbers are beyond 'largest_number'.
void require_ordinary(const Range& range, const std::string& what);

/// Divides extreme weights by a power of two, so that their sum neither overflows nor underflows; a density
/// does not change. Throws runtime::UsageError that begins with 'what' for a negative weight, or if none is
/// positive. range: of all ranks' weights; before: number of weights on earlier ranks.
void settle_weights(Numbers& weights, const Range& range, std::int64_t before, const std::string& what);
inline void settle_weights(Numbers& weights, const std::string& what) {
  settle_weights(weights, range_of(weights), 0, what);
}

}  // namespace parity::density
