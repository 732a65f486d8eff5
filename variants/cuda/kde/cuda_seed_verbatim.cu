// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-seed-verbatim: the study's kernel as printed. It computes something else: the bandwidth 0.01
// becomes the integer 0, the data lose their fractions, the factor k is not applied.
#include "seed.cuh"

namespace parity::cuda {
namespace {
template <class T>
using SeedVerbatim = StudySum<T, true>;
}  // namespace
}  // namespace parity::cuda

namespace parity::kde {

Entry cuda_seed_verbatim() {
  Entry e = cuda::block_width_entry();
  e.accuracy = Accuracy::something_else;
  return with_factories<cuda::SeedVerbatim>(e);
}

}  // namespace parity::kde
