// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of the diffusion filter. Every variant, portable or native, takes its formulas from here.
//
// Each form states its operations per point (an FMA is one) and its rounding error. A form adds up terms,
// each a value times its weights. If u is the unit roundoff (2^-24 in float, 2^-53 in double), n the largest
// number of roundings that affect a term, and 'size' the sum of the terms' magnitudes, the error is at most
// n u size / (1 - n u) (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, lemma 3.1). That
// holds with and without FMA, for the given operands (including a rounded alpha), and without overflow and
// underflow. Products with powers of two are exact. Below, |L| f is 4 |f| of the centre plus |f| of its
// four neighbours.
#pragma once
#include <cstddef>

#include "diffusion/halo.hpp"
#include "host_device.hpp"

namespace parity::diffusion {

/// Weight of the centre in the five-point Laplacian sum (no 1/dx^2); the four neighbours have weight 1.
constexpr int laplacian_centre_weight = -4;

/// Five-point Laplacian sum, second-order central differences in x and y.
template <class T>
PARITY_INLINE T laplacian_at(T centre, T west, T east, T south, T north) {
  return multiply_add(T(laplacian_centre_weight), centre, (west + east) + (south + north));
}
/// 4 operations; error 3 u |L| f: three sums round a neighbour's term, one the centre's.
constexpr int laplacian_roundings = 3;

/// The same over the neighbours that are not NaN, with zero flux to the others: it conserves the sum over
/// valid points, is symmetric, and has no eigenvalue below the plain sum's -8. NaN if the centre is NaN.
template <class T>
PARITY_INLINE T laplacian_of_valid(T centre, T west, T east, T south, T north) {
  T sum = centre - centre;  // NaN if the centre is NaN
  sum += west == west ? west - centre : T(0);
  sum += east == east ? east - centre : T(0);
  sum += south == south ? south - centre : T(0);
  sum += north == north ? north - centre : T(0);
  return sum;
}
/// 8 operations and one for NaN; error 4 u |L| f over the valid neighbours: a difference, and three sums (the
/// first sum, with 0, is exact).
constexpr int laplacian_of_valid_roundings = 4;

/// One Euler step of d(phi)/dt = -alpha Lap(Lap phi).
template <class T>
PARITY_INLINE T update(T phi, T alpha, T bilaplacian) {
  return multiply_add(-alpha, bilaplacian, phi);
}
/// 1 operation; error 2 u (|phi| + alpha |bilaplacian|): a product and a difference. Two Laplacians and this:
/// 9 operations; error 8 u (|phi| + alpha |L| |L| phi), at most 8 u (1 + 64 alpha) times the largest value.
constexpr int update_roundings = 2, two_stage_roundings = 2 * laplacian_roundings + update_roundings;

/// The five-point sums by pairs. With pair(j, i) = f(j-1, i) + f(j, i-1) the four neighbours of (j, i) add up
/// to pair(j, i) + pair(j+1, i+1): each pair serves two points, so that a sum costs two additions instead of
/// three. The order within a pair changes no bit of the result, but it changes nvcc's register allocation.
template <class T>
PARITY_INLINE T pair_sum(T one, T other) {
  return one + other;
}
template <class T>
PARITY_INLINE T laplacian_of_pairs(T centre, T before, T after) {
  return multiply_add(T(laplacian_centre_weight), centre, before + after);
}
/// 3 operations including the pair's; error 3 u |L| f: a pair, the sum of two pairs, the sum with the centre.
constexpr int laplacian_of_pairs_roundings = 3;

/// One step from phi, its Laplacian and the Laplacian's pairs.
template <class T>
PARITY_INLINE T update_of_pairs(T phi, T alpha, T lap, T before, T after) {
  return update(phi, alpha, laplacian_of_pairs(lap, before, after));
}
/// 7 operations including the first Laplacian's, 8 if one of the two does not use pairs; error as for two
/// stages, 8 u (|phi| + alpha |L| |L| phi). If a neighbour's part of the sum comes later, as over the seams
/// of cuda-plane-cluster, phi has one more update: 2 more roundings.
constexpr int update_of_pairs_roundings = 2 * laplacian_of_pairs_roundings + update_roundings;

/// The same step in parts, for kernels that no longer hold phi when the Laplacian's neighbours are complete:
/// lifted = phi + 4 alpha lap first, and lifted - alpha (sum of the four neighbours of lap) at the end.
template <class T>
PARITY_INLINE T lift(T phi, T alpha, T lap) {
  return multiply_add(T(-laplacian_centre_weight) * alpha, lap, phi);
}
template <class T>
PARITY_INLINE T update_of_lifted(T lifted, T alpha, T before, T after) {
  return update(lifted, alpha, before + after);
}
/// 7 operations including the first Laplacian's; error 7 u (|phi| + alpha |L| |L| phi): the first Laplacian,
/// a pair, the sum of two pairs, a product and a difference.
constexpr int update_of_lifted_roundings = laplacian_of_pairs_roundings + 2 + update_roundings;

/// A step whose scale is deferred. With S the sum of the four neighbours, Lap = S - 4 and
///   phi - alpha Lap Lap phi = g (phi - (alpha / g) S (S phi - 8 phi)),  g = 1 - 16 alpha,
/// so that a step without the factor g takes 6 operations instead of 7; a later step applies the factor of
/// many steps at once. Only for alpha = 1/32 are g = 1/2 and alpha / g = 1/16 powers of two, so that only
/// sums round; for other alpha g^steps would carry the rounding of g.
/// 6 operations including the pairs'; error 6 u (|phi| + S (S |phi| + 8 |phi|) / 16) before the factor g, at
/// most 24 u times the largest value: no product rounds, and each of the two sums has three roundings.
template <class T>
struct DeferredScale {
  static constexpr double alpha = 1.0 / 32.0, scale = 1 - 16 * alpha, weight = alpha / scale;
  static constexpr int steps = 32;  ///< steps until the factor is applied: 2^32 keeps the values in range
  static constexpr T all = T(1.0 / 4294967296.0);  ///< the factor of 'steps' steps
  /// Number of steps whose scaling passes over memory may defer; a pass that applies the factor takes longer.
  /// 2^48 leaves room for values of 1e24 in float.
  static constexpr int steps_of_passes = sizeof(T) == 4 ? 48 : steps;
  static constexpr int inner_roundings = 3, roundings = 2 * inner_roundings;
  /// S phi - 8 phi. Error 3 u (S |phi| + 8 |phi|).
  static PARITY_INLINE T inner(T centre, T before, T after) {
    return multiply_add(T(-8), centre, before + after);
  }
  static PARITY_INLINE T update(T phi, T before, T after) {
    return multiply_add(T(-weight), before + after, phi);
  }
  /// The last of 'steps' steps, with the factor of all of them.
  static PARITY_INLINE T update_and_scale(T phi, T before, T after) {
    return multiply_add(T(-weight) * all, before + after, all * phi);
  }
  /// The factor of n steps, n at most 'steps'.
  static PARITY_INLINE T factor(int n) { return T(1) / T(1ull << n); }
};

/// The two sums of a step by pairs, for kernels that exist with and without DeferredScale.
template <class T, bool deferred>
struct PairStep {
  using Scaled = DeferredScale<T>;
  /// The Laplacian of phi, or DeferredScale's inner sum.
  static PARITY_INLINE T laplacian_at(T centre, T before, T after) {
    return deferred ? Scaled::inner(centre, before, after) : laplacian_of_pairs(centre, before, after);
  }
  /// The step, from the pairs of laplacian_at(). scales: applies the deferred factor of many steps.
  template <bool scales = false>
  static PARITY_INLINE T update(T phi, T alpha, T lap, T before, T after) {
    return !deferred ? update_of_pairs(phi, alpha, lap, before, after)
           : scales  ? Scaled::update_and_scale(phi, before, after)
                     : Scaled::update(phi, before, after);
  }
};

/// A step in one 13-point sum.
/// near: the four points at distance 1; diagonal: the four at (1,1); far: the four at distance 2 along an
/// axis.
template <class T>
PARITY_INLINE T update_direct(T phi, T alpha, T near, T diagonal, T far) {
  const T bilaplacian =
      multiply_add(T(20), phi, multiply_add(T(-8), near, multiply_add(T(2), diagonal, far)));
  return update(phi, alpha, bilaplacian);
}
/// 13 operations including the sums of four; error 7 u (|phi| + alpha |L| |L| phi): two sums before the call,
/// three inside, a product and a difference.
constexpr int update_direct_roundings = 2 + 3 + update_roundings;

/// Neighbours of a point at a fixed distance in memory, dj rows and di columns away.
template <class T>
struct FlatNeighbours {
  const T* centre;
  std::ptrdiff_t pitch;
  PARITY_INLINE T operator()(int dj, int di) const { return centre[dj * pitch + di]; }
};

/// The five rows around row j of a periodic plane of ny rows, 'pitch' apart; ny at least 2. Indices wrap in
/// 32 bits: in 64 they cost a GPU several times the instructions.
template <class T>
struct WrappedRows {
  const T* row[5];
  PARITY_INLINE WrappedRows(const T* plane, int j, int ny, int pitch) {
    for (int d = 0; d < 5; ++d) row[d] = plane + std::ptrdiff_t(wrap(j + d - 2, ny)) * pitch;
  }
};

/// Neighbours of point (j, i) of a periodic plane (ny, nx) without a halo, both at least 2.
template <class T>
struct WrappedNeighbours {
  WrappedRows<T> rows;
  int column[5];
  PARITY_INLINE WrappedNeighbours(const WrappedRows<T>& around, int i, int nx) : rows(around) {
    for (int d = 0; d < 5; ++d) column[d] = wrap(i + d - 2, nx);
  }
  PARITY_INLINE WrappedNeighbours(const T* plane, int j, int i, int ny, int nx)
      : WrappedNeighbours(WrappedRows<T>(plane, j, ny, nx), i, nx) {}
  PARITY_INLINE T operator()(int dj, int di) const { return rows.row[dj + 2][column[di + 2]]; }
};

/// The same for a column at least two away from the seam in x.
template <class T>
struct RowNeighbours {
  const WrappedRows<T>& rows;
  std::ptrdiff_t i;
  PARITY_INLINE T operator()(int dj, int di) const { return rows.row[dj + 2][i + di]; }
};

/// The 13-point step at a point; 'at' returns its neighbours.
template <class T, class Neighbours>
PARITY_INLINE T update_at(T alpha, const Neighbours& at) {
  return update_direct<T>(at(0, 0), alpha, (at(0, -1) + at(0, 1)) + (at(-1, 0) + at(1, 0)),
                          (at(-1, -1) + at(-1, 1)) + (at(1, -1) + at(1, 1)),
                          (at(0, -2) + at(0, 2)) + (at(-2, 0) + at(2, 0)));
}

/// The 13-point step at point (k, j, i) of a View, or of a field indexed like one.
template <class T, class Field>
PARITY_INLINE T update_at(T alpha, const Field& in, int k, int j, int i) {
  return update_at(alpha, [&](int dj, int di) { return in(k, j + dj, i + di); });
}

/// The same on periodic planes of ny rows and nx columns without a halo.
template <class T, class Field>
PARITY_INLINE T update_wrapped_at(T alpha, const Field& in, int k, int j, int i, int ny, int nx) {
  return update_at(alpha, [&](int dj, int di) { return in(k, wrap(j + dj, ny), wrap(i + di, nx)); });
}

/// Floating-point operations of one point and step (an FMA counts as two).
constexpr double two_stage_flops = 12, direct_flops = 17, pair_flops = 10, deferred_flops = 8;

}  // namespace parity::diffusion
