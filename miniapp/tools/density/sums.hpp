// SPDX-License-Identifier: BSD-3-Clause
// Weighted kernel sums over a user's samples, computed where Kokkos computes: what densities and bandwidth
// rules are made of. All in double.
#pragma once
#include <memory>
#include <string>

#include "tools/density/kernel.hpp"
#include "tools/density/stages.hpp"
#include "tools/density/summary.hpp"

namespace parity::density {

/// Samples with their weights; empty weights count every sample once.
struct Samples {
  Numbers x, w;
  /// Of samples that ranks share: these are one rank's, before others' in the ranks' order.
  bool shared = false;
  std::int64_t before = 0;
  double total() const;  ///< of the weights
};

/// Samples, what is known of them, and their copy where Kokkos computes, made once when it is first needed.
/// On a host that is the samples themselves.
class SampleSet {
 public:
  /// Implicit, so that any function of a set takes samples. stages: who is told what is done.
  SampleSet(const Samples& samples, Stages* stages = nullptr);
  ~SampleSet();
  SampleSet(const SampleSet&) = delete;
  SampleSet& operator=(const SampleSet&) = delete;

  /// This rank's: all of them where they are not shared.
  Values x() const { return samples_.x; }
  Values w() const { return samples_.w; }
  bool weighted() const { return weighted_; }
  double weight(std::size_t i) const { return samples_.w.empty() ? 1.0 : samples_.w[i]; }
  bool shared() const { return samples_.shared; }
  std::int64_t before() const { return samples_.before; }
  /// Of all ranks' samples, and how many they are.
  const Summary& summary() const { return summary_; }
  std::int64_t count() const { return count_; }
  void begin_stage(const char* name) const {
    if (stages_) stages_->begin(name);
  }
  /// Between tiles of long work: ends it after a signal.
  void reached(double done, double total, const char* unit) const;
  /// The same between parts of a rule that computes several sums.
  void whole_reached(double done, double total, const char* unit) const;

  /// The samples where Kokkos computes (density/kokkos/sums_on_device.hpp).
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

/// sum_j w_j k((q_i - x_j) / h) at every query, k the kernel with k(0) = 1.
struct Sums {
  Numbers values;
  std::string method;  ///< what computed them, for the user
  double bound = 0;    ///< of the error, relative to the largest sum over all of the line
};

/// Samples whose direct sums are added up at once, in their order: ranks share whole ones.
constexpr std::int64_t direct_block = 1 << 16;

/// Every pair. Rounding only. Of shared samples all ranks call it together, each with its queries, and so
/// they do the next.
Sums direct_sums(const SampleSet& samples, Values queries, double h, const Kernel& kernel);

/// Gaussian only: the fast Gauss transform; over dense boxes where Kokkos computes, over sorted ones on the
/// host where the samples span too many, which shared samples must not (spans_too_many). deterministic: the
/// same bits whatever the number of threads, and of ranks.
Sums transform_sums(const SampleSet& samples, Values queries, double h, double tolerance, bool deterministic);
/// Whether queries in this range take sorted boxes.
bool spans_too_many(const SampleSet& samples, const Range& queries, double h, double tolerance);

/// Gaussian only: linear binning and FFT. Throws runtime::UsageError where the tolerance needs too large a
/// grid.
Sums binned_sums(const SampleSet& samples, Values queries, double h, double tolerance);

/// Gaussian only: direct sums over the sorted samples near a query.
Sums window_sums(const SampleSet& samples, Values queries, double h, double tolerance);

/// Compact kernels: sorted samples and prefix sums of their powers, exact but for rounding.
Sums prefix_sums(const SampleSet& samples, Values queries, double h, const Kernel& kernel);

/// The sums once more from the definition, by another exponential and in another order: what the sums above
/// are checked with. A host may leave out samples whose term is below 3e-18.
Numbers exact_sums(const SampleSet& samples, Values queries, double h, const Kernel& kernel);
/// About how many pairs exact_sums computes for these queries.
double pairs_to_check(const SampleSet& samples, Values queries, double h, const Kernel& kernel);
/// Pairs that a check may compute: well below a second's work where Kokkos computes, and fixed, so that what
/// is checked does not depend on the machine's speed.
double most_checked_pairs();

}  // namespace parity::density
