// SPDX-License-Identifier: BSD-3-Clause
// Weighted kernel sums over a user's samples, on Kokkos' execution space, for densities and bandwidth rules.
// All in double.
#pragma once
#include <memory>
#include <string>

#include "tools/density/kernel.hpp"
#include "tools/density/stages.hpp"
#include "tools/density/summary.hpp"

namespace parity::density {

/// Samples with their weights; empty weights weight every sample by 1.
struct Samples {
  Numbers x, w;
  /// True if ranks share the samples: these are one rank's; 'before' samples belong to earlier ranks.
  bool shared = false;
  std::int64_t before = 0;
  double total() const;  ///< of the weights
};

/// Samples, their summary, and their copy in Kokkos' memory, made once when first needed. On a host the copy
/// is the samples themselves.
class SampleSet {
 public:
  /// Implicit, so that any function of a set accepts samples. stages: receives the progress.
  SampleSet(const Samples& samples, Stages* stages = nullptr);
  ~SampleSet();
  SampleSet(const SampleSet&) = delete;
  SampleSet& operator=(const SampleSet&) = delete;

  /// This rank's samples; all of them if they are not shared.
  Values x() const { return samples_.x; }
  Values w() const { return samples_.w; }
  bool weighted() const { return weighted_; }
  double weight(std::size_t i) const { return samples_.w.empty() ? 1.0 : samples_.w[i]; }
  bool shared() const { return samples_.shared; }
  std::int64_t before() const { return samples_.before; }
  /// Statistics and number of all ranks' samples.
  const Summary& summary() const { return summary_; }
  std::int64_t count() const { return count_; }
  void begin_stage(const char* name) const {
    if (stages_) stages_->begin(name);
  }
  /// Called between tiles of long work; throws after a signal.
  void reached(double done, double total, const char* unit) const;
  /// The same between parts of a rule that computes several sums.
  void whole_reached(double done, double total, const char* unit) const;

  /// The samples in Kokkos' memory (density/kokkos/sums_on_device.hpp).
  struct Placed;
  const Placed& placed() const;

 private:
  const Samples& samples_;
  Summary summary_;
  std::int64_t count_;
  bool weighted_;
  Stages* stages_;
  mutable std::unique_ptr<Placed> placed_;
};

/// sum_j w_j k((q_i - x_j) / h) at every query, k is the kernel with k(0) = 1.
struct Sums {
  Numbers values;
  std::string method;  ///< the method's name, for the user
  double bound = 0;    ///< of the error, relative to the largest sum anywhere on the line
};

/// Number of samples that direct sums add up at once, in order; ranks share whole blocks.
constexpr std::int64_t direct_block = 1 << 16;

/// All pairs; only rounding errors. Collective for shared samples, each rank with its own queries; so is
/// transform_sums.
Sums direct_sums(const SampleSet& samples, Values queries, double h, const Kernel& kernel);

/// Gaussian only: the fast Gauss transform over dense boxes on Kokkos' execution space, or over sorted boxes
/// on the host if the samples span too many boxes (spans_too_many); shared samples must not. deterministic:
/// the result does not depend on the number of threads or ranks.
Sums transform_sums(const SampleSet& samples, Values queries, double h, double tolerance, bool deterministic);
/// True if queries in this range need sorted boxes.
bool spans_too_many(const SampleSet& samples, const Range& queries, double h, double tolerance);

/// Gaussian only: linear binning and FFT. Throws runtime::UsageError if the tolerance needs too large a grid.
Sums binned_sums(const SampleSet& samples, Values queries, double h, double tolerance);

/// Gaussian only: direct sums over the sorted samples near a query.
Sums window_sums(const SampleSet& samples, Values queries, double h, double tolerance);

/// Compact kernels: prefix sums of the sorted samples' powers, exact except for rounding.
Sums prefix_sums(const SampleSet& samples, Values queries, double h, const Kernel& kernel);

/// Recomputes the sums from the definition, with another exponential and in another order, to check the sums
/// above. A host may omit samples whose term is below 3e-18.
Numbers exact_sums(const SampleSet& samples, Values queries, double h, const Kernel& kernel);
/// Approximate number of pairs that exact_sums computes for these queries.
double pairs_to_check(const SampleSet& samples, Values queries, double h, const Kernel& kernel);
/// Pairs that a check may compute: well below a second's work on Kokkos' execution space. A constant, so that
/// the checked points do not depend on the machine's speed.
double most_checked_pairs();

}  // namespace parity::density
