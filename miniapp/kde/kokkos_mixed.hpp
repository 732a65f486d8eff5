// SPDX-License-Identifier: BSD-3-Clause
// Exponentials shared out between the special-function unit and a polynomial, four queries a thread.
#pragma once
#include "kde/kokkos_register_tile.hpp"

namespace parity::kde {

template <int Share, bool Scaled>
std::unique_ptr<Variant<float>> make_mixed_share(const Problem& p) {
  return std::make_unique<KokkosRegisterTileSum<float, 4, MixedTerm<Share, Scaled>, 128, 8, 8>>(p, Scaled);
}

/// Tuning: how many of 16 pairs go to the polynomial, 2 to 4.
template <bool Scaled>
std::unique_ptr<Variant<float>> make_mixed(const Problem& p, const Tuning& t) {
  if (t[0] == 2) return make_mixed_share<2, Scaled>(p);
  if (t[0] == 3) return make_mixed_share<3, Scaled>(p);
  return make_mixed_share<4, Scaled>(p);
}

inline Entry mixed_entry(const char* name, const char* summary, const char* twin) {
  Entry e = kokkos_entry(name, summary, twin, "");
  e.tuning_axes = "pairs of 16 on the polynomial: 2, 3 or 4";
  e.launches = compat::exec_is_device() ? 2 : 1;
  e.operations = 10;
  e.extra_bytes = partial_bytes;
  if (!compat::exec_is_device())
    e.unavailable = "a host has one kind of unit for exponentials: kokkos-polynomial";
  return e;
}

}  // namespace parity::kde
