// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-register-tile: R queries a thread, 2^x of the special-function unit (float) or a table (double),
// or some or all of them by a polynomial; difference first, sums flushed to double. Twin of
// kokkos-register-tile.
#include "backend/cuda/kde/register_tile.cuh"

namespace parity::cuda {
namespace {

// Unrolled until some 64 exponentials are in flight; launch bounds found on an H200 (variants/README.md).
template <int R>
struct Shape {
  static constexpr int blocks = R <= 2 ? 12 : 8, unroll = R <= 4 ? 16 : 4;
};

template <class T, int R>
std::unique_ptr<Variant<T>> make_tile(const Problem& p, const Tuning& t) {
  // Double needs twice the registers.
  if constexpr (sizeof(T) == 4)
    return make_sum<T, RegisterTile<T, R, HardwareTerm<T>, 128, Shape<R>::blocks, Shape<R>::unroll>>(p, t);
  else
    return make_sum<T, RegisterTile<T, R, HardwareTerm<T>, 256, 1, 4 / R + 1>>(p, t);
}

/// Some exponentials from the special-function unit, the others from a polynomial: both kinds of unit work at
/// once.
template <int share>
std::unique_ptr<Variant<float>> make_mixed(const Problem& p, const Tuning& t) {
  return make_sum<float, RegisterTile<float, 4, MixedTerm<share>, 128, 8, 8>>(p, t);
}

template <class T>
std::unique_ptr<Variant<T>> make_any(const Problem& p, const Tuning& t) {
  if (t.values.size() > 1) {
    if constexpr (sizeof(T) == 4) {
      if (t[1] == 2) return make_mixed<2>(p, t);
      if (t[1] == 3) return make_mixed<3>(p, t);
      if (t[1] == 4) return make_mixed<4>(p, t);
    }
    constexpr int blocks = sizeof(T) == 4 ? 8 : 4, unroll = sizeof(T) == 4 ? 4 : 1;
    return make_sum<T, RegisterTile<T, 4, PolynomialTerm<T>, 128, blocks, unroll>>(p, t);
  }
  switch (t[0]) {
    case 1:
      return make_tile<T, 1>(p, t);
    case 2:
      return make_tile<T, 2>(p, t);
    case 4:
      return make_tile<T, 4>(p, t);
    default:
      return make_tile<T, 8>(p, t);
  }
}

}  // namespace
}  // namespace parity::cuda

namespace parity::kde {

Entry register_tile_cuda() {
  Entry e;
  e.tunings = {"4", "1", "2", "8", "4x2", "4x3", "4x4", "4x16"};
  e.tuning_axes = "queries of a thread: 1, 2, 4 or 8; with 4 also x pairs of 16 on the polynomial";
  e.polynomial_place = 1;
  e.launches = 2;
  e.extra_bytes = cuda::partial_bytes;
  e.refuse = refuse_other_tilings;
  e.make_f32 = cuda::make_any<float>;
  e.make_f64 = cuda::make_any<double>;
  return e;
}

}  // namespace parity::kde
