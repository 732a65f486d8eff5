// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-range: one query an index of a flat range, the library's exp: the portable code one writes
// first. Twin of cuda-register-sum, openmp-direct.
#include "kde/kokkos/query_range.hpp"

namespace parity::kde {
namespace {

template <class T>
struct RangeSum {
  Samples<T> s;
  RangeSum(const Problem& p, const Tuning&) : s(p) {}
  void operator()() const { sum_by_range("parity::kde::range", s); }
};

}  // namespace

Entry kokkos_range() {
  return with_sum<RangeSum>(kokkos_entry("kokkos-range",
                                         "one query an index of a flat range, the library's exp",
                                         "cuda-register-sum", "openmp-direct"));
}

}  // namespace parity::kde
