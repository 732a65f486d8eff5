// SPDX-License-Identifier: BSD-3-Clause
// Independent reference solutions for the variants, and the verification.
#pragma once
#include <memory>
#include <vector>

#include "diffusion/problem.hpp"
#include "harness/variant.hpp"

namespace parity::diffusion {

/// The exact effect of the iteration on planes of one size: multiplies every Fourier mode (kx, ky) by
/// (1 - alpha lambda^2)^steps with lambda = 2 cos(2 pi kx/nx) + 2 cos(2 pi ky/ny) - 4. Uses none of the
/// stencil code. FFTW in double; the multipliers in long double. Several threads may apply one filter.
class FourierFilter {
 public:
  /// Uses the problem's nx, ny, steps and alpha.
  explicit FourierFilter(const Problem& problem);
  ~FourierFilter();
  FourierFilter(const FourierFilter&) = delete;
  FourierFilter& operator=(const FourierFilter&) = delete;

  /// Work space of one thread.
  class Room {
   public:
    explicit Room(const FourierFilter& filter);
    ~Room();
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    double* data() const { return values_; }

   private:
    double* values_;
  };
  /// Filters one plane (ny, nx).
  template <class T>
  void apply(const T* plane, double* result, const Room& room) const;

  /// Bytes of the multipliers, and of one room.
  static double bytes(const Problem& problem);
  static double room_bytes(const Problem& problem);

 private:
  struct Plans;
  std::int64_t nx_, ny_;
  std::vector<double> factor_;
  std::unique_ptr<Plans> plans_;
};

/// The exact result of the iteration in exact arithmetic, interior (nz, ny, nx).
template <class T>
std::vector<double> fourier_solution(const Problem& problem, const T* field);
/// Bytes that fourier_solution() needs temporarily, besides the field and the result.
double fourier_solution_bytes(const Problem& problem);

/// Step by step in long double, for small problems: checks the Fourier solution in the tests.
template <class T>
std::vector<double> long_double_solution(const Problem& problem, const T* field);

/// 2e-5 in float and 1e-13 in double, relative to the largest input value: for a user's fields, whose
/// rounding errors need not have mean 0. The study's own gate is ErrorBound (error_bound.hpp).
double tolerance(Precision precision);

/// Compares a padded result (nz, ny+2h, nx+2h), halo included, with the expected interior; 'gate' is relative
/// to the largest input value.
template <class T>
harness::Verdict verify(const Problem& problem, const T* field, const std::vector<double>& expected,
                        const T* padded, double gate);

/// Compares a padded result with the input itself, for variants that must leave it unchanged; tolerance 0.
template <class T>
harness::Verdict verify_unchanged(const Problem& problem, const T* field, const T* padded);

}  // namespace parity::diffusion
