// SPDX-License-Identifier: BSD-3-Clause
// How messages between GPUs travel, as a user chooses it and a record names it.
#pragma once

namespace parity::runtime {

/// Between memories of hosts there is nothing to choose.
enum class Transport {
  automatic,  ///< direct where a message sent so arrives, staged elsewhere
  direct,     ///< MPI is given the GPU's own addresses
  staged,     ///< through page-locked memory of the host
  nccl        ///< NCCL carries them, in the order of a stream
};

}  // namespace parity::runtime
