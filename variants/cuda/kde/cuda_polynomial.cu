// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-polynomial: 2^x as a polynomial on the fused multiply-add units, four queries a thread.
// Twin of kokkos-polynomial.
#include "register_tile.cuh"

namespace parity::cuda {
namespace {

template <class T>
using Polynomial = RegisterTile<T, 4, PolynomialTerm<T>, 128, sizeof(T) == 4 ? 8 : 4, sizeof(T) == 4 ? 4 : 1>;

}  // namespace
}  // namespace parity::cuda

namespace parity::kde {

Entry cuda_polynomial() {
  Entry e;
  e.launches = 2;
  e.operations = 22;
  e.exponentials = Exponentials::none;
  e.extra_bytes = cuda::partial_bytes;
  return cuda::with_sum<cuda::Polynomial>(e);
}

}  // namespace parity::kde
