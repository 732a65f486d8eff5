// SPDX-License-Identifier: BSD-3-Clause
// What the variants of every study have in common. Includes neither Kokkos nor CUDA: native code uses it too.
#pragma once
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "runtime/clock.hpp"
#include "runtime/precision.hpp"

namespace parity::harness {

using runtime::bytes_of;
using runtime::name;
using runtime::Precision;

enum class Family { reference, openmp, kokkos, cuda, cupy };

const char* name(Family family);
/// nullopt for a word that names none.
std::optional<Family> family_of(const std::string& word);

/// What is timed: one advance is one sample.
class Execution {
 public:
  virtual ~Execution() = default;
  /// Timed. May return before the work is done.
  virtual void advance() = 0;
  /// Waits for everything that advance started.
  virtual void synchronise() = 0;
  /// The device's own clock, or null where the host runs the variant.
  virtual runtime::DeviceClock* device_clock() { return nullptr; }
  /// Share of a multiprocessor's threads that the main kernel can keep resident; 0 where unknown.
  virtual double occupancy() const { return 0; }
};

/// A tuning is a list of positive integers with a fixed meaning for each variant, written "1x2x128".
struct Tuning {
  std::vector<int> values;
  int operator[](std::size_t i) const { return values.at(i); }
  bool empty() const { return values.empty(); }
};

/// Parses "1x2x128"; nullopt when it is not a list of integers in [1, 1048576].
std::optional<Tuning> parse_tuning(const std::string& text);
std::string to_string(const Tuning& tuning);

/// What a variant is expected to cost for one problem; recorded beside the measurement.
struct CostModel {
  double launches = 0;      ///< kernels or parallel regions started in one advance
  double bytes = 0;         ///< main-memory traffic of one advance, caches ignored
  double flops = 0;         ///< floating-point operations of one advance (an FMA counts as two)
  double submissions = 0;   ///< host calls that start work: launches, or graph launches
  double exponentials = 0;  ///< of one advance on a GPU's special-function units
  double active_lanes = 1;  ///< share of a warp's lanes that have work
  bool barriers = false;    ///< steps are separated by barriers inside one launch
};

struct Verdict {
  double error = 0;  ///< largest deviation over the largest value of the input; infinite for NaN
  double tolerance = 0;
  std::string reference;  ///< what it was compared with
  /// Why its time is unreliable although its result is right: a check of a time failed. Empty elsewhere.
  std::string caveat = {};
  bool passed() const {
    return (error >= 0 && error <= tolerance && std::isfinite(tolerance)) || !caveat.empty();
  }
};

}  // namespace parity::harness
