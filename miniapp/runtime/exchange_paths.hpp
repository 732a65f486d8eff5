// SPDX-License-Identifier: BSD-3-Clause
// Messages between ranks through the transport that the user chooses: MPI, NCCL or peer copies.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/messages.hpp"

namespace parity::runtime {

/// Multiprocessors that kernels leave free for concurrent messages and for packing them.
constexpr int multiprocessors_beside = 4;

/// An exchange between memories of GPUs, or of hosts. Call why_no_messages() first. beside_kernels: kernels
/// run at the same time and leave multiprocessors_beside free; NCCL 2.17 or newer takes no more.
std::unique_ptr<PersistentExchange> make_exchange(const std::vector<Message>& receive,
                                                  const std::vector<Message>& send, Transport transport,
                                                  bool on_device, bool beside_kernels = false);

/// The reason why this transport cannot carry messages between GPUs' or hosts' memories here; nullopt if it
/// can. All ranks call it together: the first call tries peer and nccl.
std::optional<std::string> why_no_messages(Transport transport, bool on_device);

}  // namespace parity::runtime
