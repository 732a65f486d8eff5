// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-original-fixed: the original kernel with bandwidth, data and factor as meant; its ways with
// memory, division and rounding as printed.
#include "backend/cuda/kde/original.cuh"

namespace parity::cuda {
namespace {
template <class T>
using Fixed = Original<T, /*as_printed=*/false>;
}  // namespace
}  // namespace parity::cuda

namespace parity::kde {

Entry original_fixed_cuda() {
  Entry e = cuda::block_width_entry();
  e.accuracy = Accuracy::plain_sum;
  e.refuse = refuse_running_sum;
  return cuda::with_sum<cuda::Fixed>(e);
}

}  // namespace parity::kde
