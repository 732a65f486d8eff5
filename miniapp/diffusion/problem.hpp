// SPDX-License-Identifier: BSD-3-Clause
// The problem of the diffusion study: sizes, steps, coefficient, and the work they imply.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "harness/variant.hpp"
#include "runtime/messages.hpp"

namespace parity::diffusion {

using runtime::Precision;

using runtime::Transport;

/// phi' = phi - alpha Lap(Lap phi) on every xy-plane of a field (nz, ny, nx), x fastest, periodic, 'steps'
/// times.
struct Problem {
  std::int64_t nx = 128, ny = 128, nz = 64;
  std::int64_t steps = 1024;
  double alpha = 1.0 / 32.0;  ///< 1/32 is the stability limit: the checkerboard mode is multiplied by -1
  std::int64_t halo = 2;
  Precision precision = Precision::f32;
  std::uint64_t seed = 1;
  /// Ranks along each axis; 1 each if one process has the whole field.
  std::int64_t ranks_x = 1, ranks_y = 1, ranks_z = 1;
  Transport messages = Transport::automatic;

  std::int64_t ranks() const { return ranks_x * ranks_y * ranks_z; }
  /// True if ranks divide planes and therefore need each other's points.
  bool divides_planes() const { return ranks_x * ranks_y > 1; }
  std::int64_t pitch() const { return nx + 2 * halo; }
  std::int64_t rows() const { return ny + 2 * halo; }
  std::int64_t points() const { return nx * ny * nz; }
  std::int64_t padded_points() const { return pitch() * rows() * nz; }
  double point_steps() const { return double(points()) * double(steps); }
  double field_bytes() const { return double(padded_points()) * double(runtime::bytes_of(precision)); }
  /// Minimum traffic of an unblocked variant: each point read once and written once in every step.
  double floor_bytes() const { return 2.0 * point_steps() * double(runtime::bytes_of(precision)); }
};

/// The largest alpha for which no Fourier mode grows (lambda = -8 for the checkerboard, alpha lambda^2 <= 2).
constexpr double stability_limit = 1.0 / 32.0;

/// "128x128x64 N=1024 float", and parameters that are not at their defaults.
std::string describe(const Problem& problem);

/// The k-th value of the test field: uniform in [-1, 1), the same on every machine, different on every plane.
double random_value(std::uint64_t seed, std::uint64_t k);

/// The test field, shape (nz, ny, nx).
template <class T>
std::vector<T> random_field(const Problem& problem);

/// Overwrites values that a run must not use: halos, outputs and padding before a run.
template <class T>
constexpr T poison = std::numeric_limits<T>::quiet_NaN();

}  // namespace parity::diffusion
