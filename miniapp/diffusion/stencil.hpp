// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of the diffusion filter. Every variant, portable or native, takes its formulas from here.
#pragma once
#include "host_device.hpp"

namespace parity::diffusion {

/// Weight of the centre in the five-point Laplacian sum (no 1/dx^2); the four neighbours have weight 1.
constexpr int laplacian_centre_weight = -4;

/// Five-point Laplacian sum, second-order central differences in x and y.
template <class T>
PARITY_INLINE T laplacian(T centre, T west, T east, T south, T north) {
  return multiply_add(T(laplacian_centre_weight), centre, (west + east) + (south + north));
}

/// One Euler step of d(phi)/dt = -alpha Lap(Lap phi).
template <class T>
PARITY_INLINE T update(T phi, T alpha, T bilaplacian) {
  return multiply_add(-alpha, bilaplacian, phi);
}

/// The same step in one 13-point sum.
/// near: the four points at distance 1; diagonal: the four at (1,1); far: the four at distance 2 along an
/// axis.
template <class T>
PARITY_INLINE T update_direct(T phi, T alpha, T near, T diagonal, T far) {
  const T bilaplacian =
      multiply_add(T(20), phi, multiply_add(T(-8), near, multiply_add(T(2), diagonal, far)));
  return update(phi, alpha, bilaplacian);
}

/// The 13-point step at a point whose neighbours are read with at(dj, di).
template <class T, class At>
PARITY_INLINE T update_at(T alpha, const At& at) {
  return update_direct<T>(at(0, 0), alpha, (at(0, -1) + at(0, 1)) + (at(-1, 0) + at(1, 0)),
                          (at(-1, -1) + at(-1, 1)) + (at(1, -1) + at(1, 1)),
                          (at(0, -2) + at(0, 2)) + (at(-2, 0) + at(2, 0)));
}

/// Floating-point operations of one point and step (an FMA counts as two).
constexpr double two_stage_flops = 12, direct_flops = 17;

}  // namespace parity::diffusion
