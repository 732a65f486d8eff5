// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-symmetric-ticket-graph: cuda-symmetric-ticket as a graph.
#include "symmetric_ticket.cuh"

namespace parity::kde {

Entry cuda_symmetric_ticket_graph() {
  return cuda::symmetric_ticket_entry<HardwareTerm<float>, /*captured=*/true>();
}

}  // namespace parity::kde
