// SPDX-License-Identifier: BSD-3-Clause
// Messages between ranks' memories by the way that a user chooses: MPI, NCCL and copies.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/messages.hpp"

namespace parity::runtime {

/// Kernels leave these free for messages that are under way beside them, and for packing them.
constexpr int multiprocessors_beside = 4;

/// Between memories of GPUs, or of hosts. why_no_messages() must have been asked. beside_kernels: they
/// leave multiprocessors_beside free, and no message takes more.
std::unique_ptr<PersistentExchange> make_exchange(const std::vector<Message>& receive,
                                                  const std::vector<Message>& send, Transport transport,
                                                  bool on_device, bool beside_kernels = false);

/// Why messages between memories of a GPU, or of a host, cannot travel so here; nullopt where they can. All
/// ranks ask together: peer and nccl are tried the first time.
std::optional<std::string> why_no_messages(Transport transport, bool on_device);

}  // namespace parity::runtime
