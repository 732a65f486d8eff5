// SPDX-License-Identifier: BSD-3-Clause
// symmetric: computes each unordered pair of samples once (kde/symmetric.hpp). A thread keeps R queries of a
// tile and their sums in registers. The other tile's sums are in fast memory, four per thread; in step s
// thread t adds to those of thread t + s, so that no two threads touch the same place. Sums over threads and
// teams are added in fixed point, in which the order does not matter: bitwise repeatable. n^2 / 2
// exponentials and 4 n^2 operations; float only, up to 2^22 samples.
#pragma once
#include "kde/refusals.hpp"
#include "kde/symmetric.hpp"
#include "kde/variant.hpp"

namespace parity::kde::symmetric {

/// If a third number is given, a polynomial (kde/gaussian.hpp) computes some exponentials on other units.
inline std::optional<std::string> refuse_tuning(const Problem&, const Tuning& t) {
  if (t[0] != 4 && t[0] != 8) return "a thread takes 4 or 8 queries";
  if (t.values.size() > 2 && t[2] != 2) return "2 of 16 pairs go to the polynomial";
  return std::nullopt;
}

/// The entry with the GPU tunings, common to CUDA and Kokkos.
inline Entry on_device(Entry e) {
  e.tunings = {"8x4", "8x16", "4x16", "4x4", "8x4x2", "4x16x2", "4x4x2"};
  e.tuning_axes = "queries of a thread (4 or 8) x tiles of a strip; also x pairs of 16 on the polynomial: 2";
  e.polynomial_place = 2;
  e.refuse += refuse_tuning;
  return e;
}

inline Entry algorithm() {
  Entry e;
  e.exponentials = 0.5;
  e.operations = 4;
  e.chain = symmetric_additions;
  e.refuse += refuse_symmetric;
  return e;
}

}  // namespace parity::kde::symmetric
