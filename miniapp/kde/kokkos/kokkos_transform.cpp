// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-transform: the fast Gauss transform at all samples to the problem's tolerance.
#include "kde/kokkos/transform_sum.hpp"

namespace parity::kde {
namespace {

template <class T>
using OneProcess = Transform<T, Moments::plain>;

}  // namespace

Entry kokkos_transform() {
  return with_prepared_sum<OneProcess>(
      transform_entry("kokkos-transform", "fast Gauss transform to the problem's tolerance: O(n)"),
      "ends, boxes, tables and series");
}

}  // namespace parity::kde
