// SPDX-License-Identifier: BSD-3-Clause
// The ways of messages between GPUs that a user chooses from; between memories of hosts there is no choice.
#pragma once
#include <string>
#include <vector>

namespace parity::runtime {

enum class Transport {
  automatic,  ///< the first that works of peer, nccl, direct and staged
  direct,     ///< MPI is given the GPU's own addresses
  staged,     ///< through page-locked memory of the host
  nccl,       ///< NCCL carries them, in the order of a stream
  peer        ///< each GPU copies into the other's memory, in the order of a stream; on one host
};
/// A graph can hold such messages.
constexpr bool in_stream_order(Transport t) { return t == Transport::nccl || t == Transport::peer; }

/// The words of a Transport, in their order, and what an option's help says of them.
const std::vector<std::string>& transport_words();
extern const char* const transport_help;

/// What runs here where it is not said; without a GPU automatic stays what it is. All ranks ask together.
Transport resolved(Transport transport);

}  // namespace parity::runtime
