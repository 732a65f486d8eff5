// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-split-ticket: the last block of a query tile adds the chunks' sums.
#include "split_ticket.cuh"

namespace parity::kde {

Entry cuda_split_ticket() { return cuda::ticket_entry</*captured=*/false>(); }

}  // namespace parity::kde
