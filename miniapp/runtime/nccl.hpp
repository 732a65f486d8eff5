// SPDX-License-Identifier: BSD-3-Clause
// Messages between GPUs through NCCL, for code that must not include it. Without it everything here says so.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/messages.hpp"

namespace parity::runtime {

/// As in "2.27.3"; empty in a build without NCCL.
std::string nccl_version();

/// Why NCCL carries no messages here; nullopt where it does. The first call makes the communicator of all
/// ranks and sends a message from each to the next one: all ranks make that call together. If that fails on
/// any of them, the answer is its reason on all.
const std::optional<std::string>& why_no_nccl();
/// Gives the communicator back, at the end.
void leave_nccl();

/// All its messages in one group, on a stream of their own: they begin when the stream that stage() is given
/// has come there, and that goes on meanwhile.
/// beside_kernels: on few multiprocessors.
std::unique_ptr<PersistentExchange> nccl_exchange(const std::vector<Message>& receive,
                                                  const std::vector<Message>& send, bool beside_kernels);

}  // namespace parity::runtime
