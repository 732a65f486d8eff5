// SPDX-License-Identifier: BSD-3-Clause
// What the filter leaves of waves, from the exact response: a wave exp(i (kx x + ky y)) is multiplied by
// (1 - alpha lambda^2)^steps with lambda = -4 (sin^2(kx/2) + sin^2(ky/2)).
#pragma once
#include <cstdint>
#include <string>

namespace parity::filter {

/// Takes a checkerboard of single points away in one step. No kernel defers scaling then: the weight would be
/// 1/48, which is rounded (DeferredScale).
constexpr double default_alpha = 1.0 / 64;

struct Strength {
  std::int64_t steps = 1;
  double alpha = 0;
};

/// Factor of a wave along an axis whose length is 'wavelength' grid points (at least 2).
double response(const Strength& strength, double wavelength);
/// The same of a wave along both axes, each 'wavelength' grid points long.
double diagonal_response(const Strength& strength, double wavelength);

/// The fewest steps, and alpha, that take the share 'damping' (0 to 1, both excluded) off the amplitude of
/// waves along an axis of that length, and at least that off all shorter ones. Beyond default_alpha
/// checkerboards change their sign each step and stay longer than other waves. Throws runtime::UsageError
/// naming --wavelength or --damping for what no number of steps can do.
Strength strength_for(double wavelength, double damping, double most_alpha = default_alpha);

/// The wavelength that keeps half of its amplitude.
double half_wavelength(const Strength& strength);

/// What is left of the shortest waves, as a line to print.
std::string shortest_waves(const Strength& strength);
/// The response by wavelength, as lines to print.
std::string response_table(const Strength& strength);

}  // namespace parity::filter
