// SPDX-License-Identifier: BSD-3-Clause
// What DeRosa's kernel as printed computes, and the check of variants that repeat it.
//
// Its integers make zeros of every bandwidth below 1, which no wrong constant would change. There a result
// only shows that each density was added to: they start at -0, and -0 + 0 = 0. What the kernel computes is
// checked by a second run of it, at a bandwidth where it does compute something.
#pragma once
#include <vector>

#include "harness/variant.hpp"
#include "kde/variant.hpp"

namespace parity::kde {

/// What the densities of a variant that adds to them must start with.
template <class T>
constexpr T density_start = T(-0.0);

/// sum_j K((x_i - trunc x_j) / trunc h), K the normal density; zeros for bandwidths below 1, where it divides
/// by 0 (and no number where a sample is integer).
template <class T>
std::vector<double> reference_as_printed(const Problem& problem, const std::vector<T>& samples);

/// The gate for such a sum: one running sum over all samples.
double tolerance_as_printed(const Problem& problem);

/// Compares with reference_as_printed, relative to it or to one sample's peak, whichever is larger. A density
/// that is still -0 was not written.
template <class T>
harness::Verdict verify_as_printed(const Problem& problem, const std::vector<double>& expected,
                                   const std::vector<T>& density);

/// The problem of the second run: the first samples at a bandwidth that integers can hold.
Problem checked_as_printed(const Problem& problem);

/// Runs the variant on it. Infinite where the first verdict did not pass.
template <class T>
harness::Verdict verify_by_second_run(const Problem& problem, const Entry& entry, const Tuning& tuning,
                                      const harness::Verdict& first);

}  // namespace parity::kde
