// SPDX-License-Identifier: BSD-3-Clause
// Sums over ranks.
#pragma once
#include <cstdint>

namespace parity::runtime {

/// The ranks' values added up one by one, on every rank. The two must not overlap. All ranks call it
/// together.
void sum_of_ranks(const double* mine, double* sums, std::int64_t count);

}  // namespace parity::runtime
