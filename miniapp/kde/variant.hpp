// SPDX-License-Identifier: BSD-3-Clause
// The contract of a KDE variant, and the entry that puts it into the registry.
// Includes neither Kokkos nor CUDA, so that native variants can implement it.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kde/problem.hpp"
#include "study/entry.hpp"

namespace parity::kde {

using study::CostModel;
using study::Family;
using study::Tuning;

/// One way to compute the density at the samples. Construction allocates.
template <class T>
class Variant : public study::Execution {
 public:
  /// Untimed. Takes the n samples and poisons everything else the variant owns.
  virtual void load(const T* samples) = 0;
  /// Records what can be recorded, after a plain run; timed apart.
  virtual void prepare() {}
  /// Untimed, after synchronise. Writes the n densities.
  virtual void store(T* density) = 0;
};

/// What a variant's result is held against.
enum class Accuracy {
  difference_first,  ///< float 5e-7, double 1e-13, relative at every sample
  prescaled,         ///< samples scaled before the difference: float 4e-6
  plain_sum,         ///< one running sum in the data's precision: grows with n
  approximate,       ///< the problem's tolerance, relative to the largest density
  something_else     ///< the study's code as printed, which computes something else
};

/// Which unit bounds a variant in float: the special-function unit once a pair, once for two, or not at all.
enum class Exponentials { one_a_pair, one_for_two, none };

/// One row of the registry.
struct Entry : study::EntryBase {
  Accuracy accuracy = Accuracy::difference_first;
  Exponentials exponentials = Exponentials::one_a_pair;
  double operations = 7;                            ///< floating-point operations a pair
  double launches = 1;                              ///< kernels or parallel regions started in one advance
  bool direct = true;                               ///< whether every pair is computed
  bool block_width = false;                         ///< whether the tuning is the study's block width
  bool recorded = false;                            ///< whether prepare has something to record
  double (*extra_bytes)(const Problem&) = nullptr;  ///< what it allocates besides samples and densities
  /// Why the variant cannot run this problem with this tuning here; nullopt when it can.
  std::optional<std::string> (*refuse)(const Problem&, const Tuning&) = nullptr;
  std::unique_ptr<Variant<float>> (*make_f32)(const Problem&, const Tuning&) = nullptr;
  std::unique_ptr<Variant<double>> (*make_f64)(const Problem&, const Tuning&) = nullptr;
};

/// Fills in both precisions from one class template.
template <template <class> class V>
Entry with_factories(Entry entry) {
  entry.make_f32 = [](const Problem& p, const Tuning& t) -> std::unique_ptr<Variant<float>> {
    return std::make_unique<V<float>>(p, t);
  };
  entry.make_f64 = [](const Problem& p, const Tuning& t) -> std::unique_ptr<Variant<double>> {
    return std::make_unique<V<double>>(p, t);
  };
  return entry;
}

template <class T>
std::unique_ptr<Variant<T>> make(const Entry& entry, const Problem& problem, const Tuning& tuning) {
  if constexpr (sizeof(T) == 4)
    return entry.make_f32(problem, tuning);
  else
    return entry.make_f64(problem, tuning);
}

/// The KDE registry, in the order of variants.def.
const std::vector<Entry>& registry();

}  // namespace parity::kde
