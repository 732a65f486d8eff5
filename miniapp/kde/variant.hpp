// SPDX-License-Identifier: BSD-3-Clause
// The contract of a KDE variant, and the entry that puts it into the registry.
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
  /// Untimed. Takes the n samples, poisons the densities, and prepares nothing that depends on the samples.
  virtual void load(const T* samples) = 0;
  /// Captures what can be captured, after a plain run; timed apart.
  virtual void prepare() {}
  /// Timed apart: the same with what the last advance prepared of these samples, where an entry names it.
  virtual void advance_prepared() { advance(); }
  /// Untimed, after synchronise. Writes the n densities.
  virtual void store(T* density) = 0;
};

/// What the tuning of variants with the original work's block width says.
constexpr const char* block_width = "block width";

/// Which error bound (error_bound.hpp) a variant's result is held to.
enum class Accuracy {
  difference_first,  ///< sums that are flushed to double, relative at every sample
  plain_sum,         ///< one running sum in the data's precision: grows with n
  approximate        ///< the problem's tolerance, relative to the largest density
};

/// Whether ranks can share a variant's samples (shared_samples.hpp). Who can may be named on one rank, too.
enum class Ranks { one, several };

/// One line of the registry.
struct Entry : harness::ComputingEntry<Problem, Variant> {
  Accuracy accuracy = Accuracy::difference_first;
  double exponentials = 1;  ///< a pair
  Ranks ranks = Ranks::one;
  double operations = 7;  ///< floating-point operations a pair
  double chain = 0;  ///< additions in float one after the other before a flush to double; 0: as tile_sum.hpp
  double flushes = 1.0 / 256;    ///< additions in double for each sample
  double launches = 1;           ///< kernels or parallel regions started in one advance
  bool direct = true;            ///< whether every pair is computed
  bool captured = false;         ///< whether prepare can make a graph of it
  std::string preparation = {};  ///< what advance makes of the samples and advance_prepared reuses; or empty

  /// The number of a tuning, if it has so many, that says how many of 16 pairs have a polynomial as
  /// exponential, and not the special-function unit's: 16 are all. 0: none does.
  std::size_t polynomial_place = 0;
  int polynomial_pairs(const Tuning& t) const {
    return polynomial_place > 0 && t.values.size() > polynomial_place ? t[polynomial_place] : 0;
  }

  /// Whether the tuning is the width of a block, as in the original work.
  bool has_block_width() const { return tuning_axes == block_width; }
};

using harness::with_factories;

/// The KDE registry, in the order of algorithms.def.
const std::vector<Entry>& registry();

}  // namespace parity::kde
