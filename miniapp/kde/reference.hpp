// SPDX-License-Identifier: BSD-3-Clause
// Independent reference results for KDE variants, and the check against them.
#pragma once
#include <vector>

#include "harness/variant.hpp"
#include "kde/variant.hpp"
#include "runtime/share.hpp"

namespace parity::kde {

/// sum_j w_j exp(-(q - x_j)^2 / (2 h^2)) in double, difference first, Neumaier's compensated sum; an empty w
/// weights every sample by 1. Shares no arithmetic with the variants.
double compensated_sum(const std::vector<double>& x, const std::vector<double>& w, double q, double h);

/// The density at all samples by the double-precision transform with 20 terms, which is checked against the
/// compensated sum at some samples. Throws std::logic_error if the two disagree.
template <class T>
std::vector<double> reference_density(const Problem& problem, const std::vector<T>& samples);
/// The same at some of the samples.
template <class T>
std::vector<double> reference_density(const Problem& problem, const std::vector<T>& samples,
                                      const runtime::Share& queries);

/// The gate for a variant: the error bound of its arithmetic on the problem's samples (error_bound.hpp) plus
/// the reference's error.
double tolerance(const Problem& problem, const Entry& entry);

/// Direct sums: the largest error relative to the density or to one sample's own peak, whichever is larger.
/// Approximate methods: relative to the largest density. Collective: each rank checks the densities of its
/// own samples, and all ranks get the same verdict.
template <class T>
harness::Verdict verify(const Problem& problem, const Entry& entry, const std::vector<double>& expected,
                        const std::vector<T>& density);

}  // namespace parity::kde
