// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of the diffusion filter. Every variant, portable or native, takes its formulas from here.
#pragma once
#include <cstddef>

#include "diffusion/halo.hpp"
#include "host_device.hpp"

namespace parity::diffusion {

/// Weight of the centre in the five-point Laplacian sum (no 1/dx^2); the four neighbours have weight 1.
constexpr int laplacian_centre_weight = -4;

/// Five-point Laplacian sum, second-order central differences in x and y.
template <class T>
PARITY_INLINE T laplacian(T centre, T west, T east, T south, T north) {
  return multiply_add(T(laplacian_centre_weight), centre, (west + east) + (south + north));
}

/// The same over the neighbours that are not NaN, as if nothing flowed to the others: it conserves the sum
/// over valid points, is symmetric, and has no eigenvalue below the plain sum's -8. NaN where the centre is.
template <class T>
PARITY_INLINE T laplacian_of_valid(T centre, T west, T east, T south, T north) {
  T sum = centre - centre;  // NaN where the centre is
  sum += west == west ? west - centre : T(0);
  sum += east == east ? east - centre : T(0);
  sum += south == south ? south - centre : T(0);
  sum += north == north ? north - centre : T(0);
  return sum;
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

/// Neighbours of a point at a fixed distance in memory, dj rows and di columns away.
template <class T>
struct FlatNeighbours {
  const T* centre;
  std::ptrdiff_t pitch;
  PARITY_INLINE T operator()(int dj, int di) const { return centre[dj * pitch + di]; }
};

/// Neighbours of point (j, i) of an unpadded periodic plane (ny, nx), both at least 2.
template <class T>
struct WrappedNeighbours {
  const T* row[5];
  std::ptrdiff_t column[5];
  PARITY_INLINE WrappedNeighbours(const T* plane, std::ptrdiff_t j, std::ptrdiff_t i, std::ptrdiff_t ny,
                                  std::ptrdiff_t nx) {
    for (int d = 0; d < 5; ++d) {
      row[d] = plane + wrap(j + d - 2, ny) * nx;
      column[d] = wrap(i + d - 2, nx);
    }
  }
  PARITY_INLINE T operator()(int dj, int di) const { return row[dj + 2][column[di + 2]]; }
};

/// The 13-point step at the point whose neighbours 'at' gives.
template <class T, class Neighbours>
PARITY_INLINE T update_at(T alpha, const Neighbours& at) {
  return update_direct<T>(at(0, 0), alpha, (at(0, -1) + at(0, 1)) + (at(-1, 0) + at(1, 0)),
                          (at(-1, -1) + at(-1, 1)) + (at(1, -1) + at(1, 1)),
                          (at(0, -2) + at(0, 2)) + (at(-2, 0) + at(2, 0)));
}

/// Floating-point operations of one point and step (an FMA counts as two).
constexpr double two_stage_flops = 12, direct_flops = 17;

}  // namespace parity::diffusion
