// SPDX-License-Identifier: BSD-3-Clause
// The ways of messages between ranks' memories that a user chooses from: MPI, NCCL and copies.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/messages.hpp"

namespace parity::runtime {

/// Between memories of hosts there is nothing to choose.
enum class Transport {
  automatic,  ///< the first that works of peer, nccl, direct and staged
  direct,     ///< MPI is given the GPU's own addresses
  staged,     ///< through page-locked memory of the host
  nccl,       ///< NCCL carries them, in the order of a stream
  peer        ///< each GPU copies into the other's memory, in the order of a stream; on one host
};
/// A graph can hold such messages.
constexpr bool in_stream_order(Transport t) { return t == Transport::nccl || t == Transport::peer; }

/// Kernels leave these free for messages that are under way beside them, and for packing them.
constexpr int multiprocessors_beside = 4;

/// Between memories of GPUs, or of hosts. why_no_messages() must have been asked. beside_kernels: they
/// leave multiprocessors_beside free, and no message takes more.
std::unique_ptr<Carrier> make_carrier(const std::vector<Message>& receive, const std::vector<Message>& send,
                                      Transport transport, bool on_device, bool beside_kernels = false);

/// The words of a Transport, in their order, and what an option's help says of them.
const std::vector<std::string>& transport_words();
extern const char* const transport_help;

/// What runs here where it is not said; without a GPU automatic stays what it is.
Transport resolved(Transport transport);
/// Why messages between memories of a GPU, or of a host, cannot travel so here; nullopt where they can. All
/// ranks ask together: peer and nccl are tried the first time.
std::optional<std::string> why_no_messages(Transport transport, bool on_device);

}  // namespace parity::runtime
