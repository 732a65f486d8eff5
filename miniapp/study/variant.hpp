// SPDX-License-Identifier: BSD-3-Clause
// What every study's variants have in common. Includes neither Kokkos nor CUDA: native code uses it too.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace parity::study {

enum class Precision { f32, f64 };
enum class Family { reference, openmp, kokkos, cuda, cupy };

inline const char* name(Precision p) { return p == Precision::f32 ? "float" : "double"; }
inline std::size_t bytes_of(Precision p) { return p == Precision::f32 ? 4 : 8; }
inline const char* name(Family f) {
  switch (f) {
    case Family::reference:
      return "reference";
    case Family::openmp:
      return "openmp";
    case Family::kokkos:
      return "kokkos";
    case Family::cuda:
      return "cuda";
    case Family::cupy:
      return "cupy";
  }
  return "unknown";
}

/// Time between two points of a device's own queue, in seconds.
class DeviceClock {
 public:
  virtual ~DeviceClock() = default;
  virtual void start() = 0;
  virtual void stop() = 0;
  /// Valid after the queue was synchronised.
  virtual double seconds() = 0;
};

/// What the runner drives. One advance is one timed sample.
class Execution {
 public:
  virtual ~Execution() = default;
  /// Timed. May return before the work is done.
  virtual void advance() = 0;
  /// Waits for everything that advance started.
  virtual void synchronise() = 0;
  /// The device's own clock, or null where the host runs the variant.
  virtual DeviceClock* device_clock() { return nullptr; }
  /// Share of a multiprocessor's threads that the main kernel can keep resident; 0 where unknown.
  virtual double occupancy() const { return 0; }
};

/// A tuning is a list of positive integers with a fixed meaning for each variant, written "1x2x128".
struct Tuning {
  std::vector<int> values;
  int operator[](std::size_t i) const { return values.at(i); }
};

/// Parses "1x2x128"; nullopt when it is not a list of integers in [1, 1048576].
std::optional<Tuning> parse_tuning(const std::string& text);
std::string to_string(const Tuning& tuning);

/// What a variant is expected to cost for one problem; recorded beside the measurement.
struct CostModel {
  double launches = 0;     ///< kernels or parallel regions started in one advance
  double bytes = 0;        ///< main-memory traffic of one advance, caches ignored
  double flops = 0;        ///< floating-point operations of one advance (an FMA counts as two)
  double submissions = 0;  ///< host calls that start work: launches, or graph launches
};

}  // namespace parity::study
