// SPDX-License-Identifier: BSD-3-Clause
// Weighted kernel sums over a user's samples, computed where Kokkos computes: what densities and bandwidth
// rules are made of. All in double.
#pragma once
#include <string>
#include <vector>

#include "density/kernel.hpp"

namespace parity::density {

/// Samples with their weights; empty weights count every sample once.
struct Samples {
  std::vector<double> x, w;
  double total() const;  ///< of the weights
};

/// sum_j w_j k((q_i - x_j) / h) at every query, k the kernel with k(0) = 1.
struct Sums {
  std::vector<double> values;
  std::string method;  ///< what computed them, for the user
  double bound = 0;    ///< of the error, relative to the largest sum over all of the line
};

/// Every pair. Rounding only.
Sums direct_sums(const Samples& samples, const std::vector<double>& queries, double h, const Kernel& kernel);

/// Gaussian only: the fast Gauss transform; over dense boxes where Kokkos computes, over sorted ones on the
/// host where the samples span too many. deterministic: the same bits whatever the number of threads.
Sums transform_sums(const Samples& samples, const std::vector<double>& queries, double h, double tolerance,
                    bool deterministic);

/// Gaussian only: linear binning and FFT. Throws runtime::UsageError where the tolerance needs too large a
/// grid.
Sums binned_sums(const Samples& samples, const std::vector<double>& queries, double h, double tolerance);

/// Gaussian only: direct sums over the sorted samples near a query.
Sums window_sums(const Samples& samples, const std::vector<double>& queries, double h, double tolerance);

/// Compact kernels: sorted samples and prefix sums of their powers, exact but for rounding.
Sums prefix_sums(const Samples& samples, const std::vector<double>& queries, double h, const Kernel& kernel);

}  // namespace parity::density
