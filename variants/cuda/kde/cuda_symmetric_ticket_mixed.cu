// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-symmetric-ticket-mixed: cuda-symmetric-ticket-graph with exponentials shared between the
// special-function unit and a polynomial.
#include "symmetric_ticket.cuh"

namespace parity::kde {

Entry cuda_symmetric_ticket_mixed() {
  return cuda::symmetric_ticket_entry<MixedTerm<3>, /*captured=*/true>();
}

}  // namespace parity::kde
