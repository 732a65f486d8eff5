// SPDX-License-Identifier: BSD-3-Clause
// The fast Gauss transform over sorted, occupied boxes only: any range, any bandwidth, double precision.
#pragma once
#include <cstdint>
#include <vector>

namespace parity::kde {

/// sum_j w_j exp(-(q_i - x_j)^2 / (2 h^2)) for all queries q, in their order; an empty w counts every sample
/// once. terms of the series, and samples farther than cutoff * h left out. With 20 terms and a cutoff of 10
/// the relative error is below 1e-13 wherever a sample is as near as a query at a sample is.
std::vector<double> sorted_transform(const std::vector<double>& x, const std::vector<double>& w,
                                     const std::vector<double>& q, double h, int terms, double cutoff);

}  // namespace parity::kde
