// SPDX-License-Identifier: BSD-3-Clause
// Exponentials shared out between the special-function unit and a polynomial, four queries a thread.
#pragma once
#include "kde/kokkos/register_tile.hpp"

namespace parity::kde {

/// Tuning: how many of 16 pairs go to the polynomial, 2 to 4.
template <int Share, bool Scaled>
using MixedTile = RegisterTile<float, 4, MixedTerm<Share, Scaled>, 128, 8, 8, Scaled>;
template <bool Scaled>
std::unique_ptr<Variant<float>> make_mixed(const Problem& p, const Tuning& t) {
  if (t[0] == 2) return make_sum<float, MixedTile<2, Scaled>>(p, t);
  if (t[0] == 3) return make_sum<float, MixedTile<3, Scaled>>(p, t);
  return make_sum<float, MixedTile<4, Scaled>>(p, t);
}

inline Entry mixed_entry(const char* name, const char* summary, const char* twin) {
  Entry e = kokkos_entry(name, summary, twin, "");
  e.tuning_axes = "pairs of 16 on the polynomial: 2, 3 or 4";
  e.launches = compat::exec_is_device() ? 2 : 1;
  e.operations = 10;
  e.expert = true;
  e.extra_bytes = partial_bytes;
  if (!compat::exec_is_device())
    e.unavailable = "a host has one kind of unit for exponentials: kokkos-polynomial";
  return e;
}

}  // namespace parity::kde
