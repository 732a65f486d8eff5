// SPDX-License-Identifier: BSD-3-Clause
// The filter's exact response to waves: a wave exp(i (kx x + ky y)) is multiplied by (1 - alpha
// lambda^2)^steps with lambda = -4 (sin^2(kx/2) + sin^2(ky/2)).
#pragma once
#include <cstdint>
#include <string>

namespace parity::filter {

/// Removes a checkerboard of single points in one step. No kernel defers scaling at this alpha: the weight
/// would be 1/48, which is rounded (DeferredScale).
constexpr double default_alpha = 1.0 / 64;

struct Strength {
  std::int64_t steps = 1;
  double alpha = 0;
};

/// Factor of a wave along an axis whose length is 'wavelength' grid points (at least 2).
double response(const Strength& strength, double wavelength);
/// The same for a wave along both axes, with 'wavelength' grid points along each.
double diagonal_response(const Strength& strength, double wavelength);

/// The fewest steps, and alpha, that reduce the amplitude of waves of that length along an axis by the share
/// 'damping' (0 to 1, both excluded), and that of all shorter waves at least as much. Beyond default_alpha
/// checkerboards change sign in each step and decay more slowly than other waves. Throws runtime::UsageError
/// that names --wavelength or --damping if no number of steps can do it.
Strength strength_for(double wavelength, double damping, double most_alpha = default_alpha);

/// The wavelength that keeps half of its amplitude.
double half_wavelength(const Strength& strength);

/// The remaining amplitude of the shortest waves, as a line to print.
std::string shortest_waves(const Strength& strength);
/// The response by wavelength, as lines to print.
std::string response_table(const Strength& strength);

}  // namespace parity::filter
