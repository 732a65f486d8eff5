// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-symmetric-ticket: each unordered pair once in one launch, special-function unit, bitwise
// repeatable; for few samples.
#include "symmetric_ticket.cuh"

namespace parity::kde {

Entry cuda_symmetric_ticket() {
  return cuda::symmetric_ticket_entry<HardwareTerm<float>, /*captured=*/false>();
}

}  // namespace parity::kde
