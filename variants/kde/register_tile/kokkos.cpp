// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-register-tile: R queries a thread, 2^x of the special-function unit (float) or a table (double)
// on a GPU, or some or all of them by a polynomial; on a host the polynomial over R vector lanes. Twin of
// cuda-register-tile, openmp-polynomial.
#include "backend/kokkos/kde/register_tile.hpp"

namespace parity::kde {
namespace {

#ifdef KOKKOS_ENABLE_CUDA
template <class T, int R>
std::unique_ptr<Variant<T>> make_tile(const Problem& p, const Tuning& t) {
  constexpr int blocks = R <= 2 ? 12 : 8, unroll = R <= 4 ? 16 : 4;
  if constexpr (sizeof(T) == 4)
    return make_sum<T, RegisterTile<T, R, HardwareTerm<T>, 128, blocks, unroll>>(p, t);
  else
    return make_sum<T, RegisterTile<T, R, HardwareTerm<T>, 256, 1, 4 / R + 1>>(p, t);
}
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
#else
template <class T>
std::unique_ptr<Variant<T>> make_any(const Problem& p, const Tuning& t) {
  if (t[0] == 32) return make_sum<T, RegisterTile<T, 32, PolynomialTerm<T>, 1, 1, 1>>(p, t);
  return make_sum<T, RegisterTile<T, 64, PolynomialTerm<T>, 1, 1, 1>>(p, t);
}
#endif

}  // namespace

Entry register_tile_kokkos() {
  Entry e;
  e.launches = compat::exec_is_device() ? 2 : 1;
  e.extra_bytes = partial_bytes;
  if (compat::exec_is_device()) {
    e.tunings = {"4", "1", "2", "8", "4x2", "4x3", "4x4", "4x16"};
    e.tuning_axes = "queries of a thread: 1, 2, 4 or 8; with 4 also x pairs of 16 on the polynomial";
    e.polynomial_place = 1;
    e.refuse = refuse_other_tilings;
  } else {
    e.tunings = {"64", "32"};
    e.tuning_axes = "queries of a thread: 32 or 64";
    e.refuse = [](const Problem&, const Tuning& t) -> std::optional<std::string> {
      if (t[0] != 32 && t[0] != 64) return "a thread takes 32 or 64 queries";
      return std::nullopt;
    };
  }
  e.make_f32 = make_any<float>;
  e.make_f64 = make_any<double>;
  return e;
}

}  // namespace parity::kde
