// SPDX-License-Identifier: BSD-3-Clause
// transform, Kokkos: evaluates the fast Gauss transform at all samples to the problem's tolerance.
#include "backend/kokkos/kde/transform_sum.hpp"

namespace parity::kde::transform {
namespace {

template <class T>
using OneProcess = Transform<T, Moments::plain>;

}  // namespace

Entry kokkos() { return with_prepared_sum<OneProcess>(transform_entry(), "ends, boxes, tables and series"); }

}  // namespace parity::kde::transform
