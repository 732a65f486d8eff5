// SPDX-License-Identifier: BSD-3-Clause
// The interface of a KDE variant and its registry entry.
// Includes neither Kokkos nor CUDA, so that native variants can implement it.
#pragma once
#include <string>
#include <vector>

#include "harness/variant.hpp"
#include "kde/problem.hpp"

namespace parity::kde {

using harness::CostModel;
using harness::Family;
using harness::Tuning;

/// One way to compute the density at the samples. Construction allocates.
template <class T>
class Variant : public harness::Execution {
 public:
  /// Untimed. Copies the n samples, poisons the densities, and prepares nothing that depends on the samples.
  virtual void load(const T* samples) = 0;
  /// Captures the graph, after a plain run; timed separately.
  virtual void prepare() {}
  /// Timed separately: an advance that reuses the last advance's preparation, if the entry names one.
  virtual void advance_prepared() { advance(); }
  /// Untimed, after synchronise. Writes the n densities.
  virtual void store(T* density) = 0;
};

/// The tuning_axes of variants whose tuning is the original work's block width.
constexpr const char* block_width = "block width";

/// Error bound (error_bound.hpp) that a variant must meet.
enum class Accuracy {
  difference_first,  ///< sums that are flushed to double, relative at every sample
  plain_sum,         ///< one running sum in the data's precision: grows with n
  approximate        ///< the problem's tolerance, relative to the largest density
};

/// several: ranks can share the variant's samples (shared_samples.hpp); one rank can run it, too.
enum class Ranks { one, several };

/// One registry entry.
struct Entry : harness::ComputingEntry<Problem, Variant> {
  Accuracy accuracy = Accuracy::difference_first;
  double exponentials = 1;  ///< per pair
  Ranks ranks = Ranks::one;
  double operations = 7;  ///< floating-point operations per pair
  double chain = 0;       ///< successive additions in float before a flush to double; 0: as in tile_sum.hpp
  double flushes = 1.0 / 256;    ///< additions in double per sample
  double launches = 1;           ///< kernels or parallel regions started in one advance
  bool direct = true;            ///< true if every pair is computed
  bool captured = false;         ///< true if prepare can capture a graph
  std::string preparation = {};  ///< what advance prepares and advance_prepared reuses; or empty

  /// Index of the tuning value, if there is one, that gives how many of 16 pairs compute their exponential by
  /// polynomial instead of the special-function unit. 16: all pairs. Index 0: none.
  std::size_t polynomial_place = 0;
  int polynomial_pairs(const Tuning& t) const {
    return polynomial_place > 0 && t.values.size() > polynomial_place ? t[polynomial_place] : 0;
  }

  /// True if the tuning is the width of a block, as in the original work.
  bool has_block_width() const { return tuning_axes == block_width; }
};

using harness::with_factories;

/// The KDE registry, in the order of algorithms.def.
const std::vector<Entry>& registry();

}  // namespace parity::kde
