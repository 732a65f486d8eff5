// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-original-verbatim: the original kernel as printed. It computes something else: the bandwidth 0.01
// becomes the integer 0, the data lose their fractions, the factor k is not applied.
#include "backend/cuda/kde/original.cuh"

namespace parity::cuda {
namespace {
template <class T>
using Verbatim = Original<T, /*as_printed=*/true>;
}  // namespace
}  // namespace parity::cuda

namespace parity::kde {

Entry original_verbatim_cuda() {
  Entry e = cuda::block_width_entry();
  e.accuracy = Accuracy::something_else;
  e.refuse = refuse_as_printed;
  return cuda::with_sum<cuda::Verbatim>(e);
}

}  // namespace parity::kde
