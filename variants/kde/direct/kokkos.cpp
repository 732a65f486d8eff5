// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-range: one query an index of a flat range, the library's exp: the portable code one writes
// first. Twin of cuda-register-sum, openmp-direct.
#include "query_range.hpp"

namespace parity::kde {
namespace {

template <class T>
struct RangeSum {
  Samples<T> s;
  RangeSum(const Problem& p, const Tuning&) : s(p) {}
  void operator()() const { sum_by_range("parity::kde::range", s); }
};

}  // namespace

Entry direct_kokkos() { return with_sum<RangeSum>(Entry()); }

}  // namespace parity::kde
