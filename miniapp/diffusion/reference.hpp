// SPDX-License-Identifier: BSD-3-Clause
// Independent answers to check variants against, and the check itself.
#pragma once
#include <vector>

#include "diffusion/problem.hpp"
#include "harness/verification.hpp"

namespace parity::diffusion {

/// The exact result of the iteration in exact arithmetic, interior (nz, ny, nx): every Fourier mode (kx, ky)
/// is multiplied by (1 - alpha lambda^2)^steps with lambda = 2 cos(2 pi kx/nx) + 2 cos(2 pi ky/ny) - 4. Uses
/// none of the stencil code. FFTW in double; the multipliers in long double.
template <class T>
std::vector<double> fourier_solution(const Problem& problem, const T* field);

/// Step by step in long double, for small problems: checks the Fourier solution in the tests.
template <class T>
std::vector<double> long_double_solution(const Problem& problem, const T* field);

/// 2e-5 in float and 1e-13 in double, relative to the largest input value (measured: 4.6e-6 and 1.8e-15 at N
/// = 1025).
double tolerance(Precision precision);

/// Compares a padded result (nz, ny+2h, nx+2h), halo included, with the expected interior.
template <class T>
harness::Verdict verify(const Problem& problem, const T* field, const std::vector<double>& expected,
                        const T* padded);

/// Compares a padded result with the input itself, for variants that must leave it unchanged; tolerance 0.
template <class T>
harness::Verdict verify_unchanged(const Problem& problem, const T* field, const T* padded);

}  // namespace parity::diffusion
