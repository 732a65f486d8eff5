// SPDX-License-Identifier: BSD-3-Clause
// launch/kokkos-range: parallel_for over a RangePolicy as everybody writes it.
#include "launch/kokkos/range.hpp"

namespace parity::launch {
namespace {

struct Ranges {
  static constexpr const char* label = "parity::launch::range";
  static Range policy(const Exec& exec, int indices) { return Range(exec, 0, indices); }
};

}  // namespace

Entry kokkos_range() { return range_entry<Ranges>("kokkos-range", "parallel_for over a RangePolicy"); }

}  // namespace parity::launch
