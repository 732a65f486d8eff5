// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-polynomial: the register tile with 2^x as a polynomial; the lanes of a tile
// become a host's vector instructions. Twin of cuda-polynomial, openmp-polynomial.
#include "kde/kokkos/register_tile.hpp"

namespace parity::kde {
namespace {

template <class T>
using Polynomial = RegisterTile<T, compat::exec_is_device() ? 4 : 64, PolynomialTerm<T>, 128,
                                sizeof(T) == 4 ? 8 : 4, sizeof(T) == 4 ? 4 : 1>;

}  // namespace

Entry kokkos_polynomial() {
  Entry e = kokkos_entry("kokkos-polynomial", "register tile with exponentials by a polynomial",
                         "cuda-polynomial", "openmp-polynomial");
  e.launches = compat::exec_is_device() ? 2 : 1;
  e.operations = 22;
  e.expert = true;
  e.exponentials = Exponentials::none;
  e.extra_bytes = partial_bytes;
  return with_sum<Polynomial>(e);
}

}  // namespace parity::kde
