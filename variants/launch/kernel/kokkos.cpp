// SPDX-License-Identifier: BSD-3-Clause
// launch/kokkos-kernel: parallel_for over a RangePolicy as everybody writes it.
#include "range.hpp"

namespace parity::launch {
namespace {

struct Ranges {
  static constexpr const char* label = "parity::launch::range";
  static Range policy(const Exec& exec, int indices) { return Range(exec, 0, indices); }
};

}  // namespace

Entry kernel_kokkos() { return range_entry<Ranges>(); }

}  // namespace parity::launch
