// SPDX-License-Identifier: BSD-3-Clause
// One density-estimation problem: random samples, a bandwidth, the density at the samples.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/variant.hpp"

namespace parity::kde {

using runtime::Precision;

/// Distribution of the samples. clustered: 32 narrow clusters on [0, 1], and one sample in a thousand far
/// away (up to a million).
enum class Distribution { lognormal, normal, bimodal, uniform, clustered };

const char* name(Distribution d);
std::vector<std::string> distribution_names();

/// f(x_i) = 1 / (n h sqrt(2 pi)) sum_j exp(-(x_i - x_j)^2 / (2 h^2)) for all n samples x.
struct Problem {
  std::int64_t n = 4000;
  double bandwidth = 0.01;  ///< h, in units of the samples
  Distribution distribution = Distribution::lognormal;
  Precision precision = Precision::f32;
  double tolerance = 1e-7;  ///< error allowed for approximate methods, relative to the largest density
  std::uint64_t seed = 1;
  std::int64_t ranks = 1;  ///< number of ranks that share the samples

  double pairs() const { return double(n) * double(n); }
  /// 1 / (n h sqrt(2 pi)): turns a sum of Gaussians into a density.
  double norm() const;
};

/// "n=4000 h=0.01 lognormal float", plus all values that differ from their defaults.
std::string describe(const Problem& problem);

/// The problem's samples, identical on every machine and for any number of threads: random bits from
/// splitmix64, normal deviates by Box and Muller.
template <class T>
std::vector<T> random_samples(const Problem& problem);

}  // namespace parity::kde
