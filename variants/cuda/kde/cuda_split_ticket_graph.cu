// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-split-ticket-graph: the kernel of cuda-split-ticket as a graph.
#include "split_ticket.cuh"

namespace parity::kde {

Entry cuda_split_ticket_graph() { return cuda::ticket_entry</*captured=*/true>(); }

}  // namespace parity::kde
