// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-seed-fixed: the study's kernel with bandwidth, data and factor as meant; its ways with memory,
// division and rounding as printed.
#include "seed.cuh"

namespace parity::cuda {
namespace {
template <class T>
using SeedFixed = StudySum<T, false>;
}  // namespace
}  // namespace parity::cuda

namespace parity::kde {

Entry cuda_seed_fixed() {
  Entry e = cuda::block_width_entry();
  e.accuracy = Accuracy::plain_sum;
  return with_factories<cuda::SeedFixed>(e);
}

}  // namespace parity::kde
