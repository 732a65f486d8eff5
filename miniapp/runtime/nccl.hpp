// SPDX-License-Identifier: BSD-3-Clause
// Messages between GPUs through NCCL, for code that must not include NCCL. A build without it has stand-ins.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/messages.hpp"

namespace parity::runtime {

/// As in "2.27.3"; empty in a build without NCCL.
std::string nccl_version();

/// The reason why NCCL cannot carry messages here; nullopt if it can. The first call makes the communicators
/// and sends a message from each rank to the next one: all ranks make that call together. If it fails on any
/// rank, all ranks return that rank's reason.
const std::optional<std::string>& why_no_nccl();
/// Destroys the communicators, at the end.
void leave_nccl();

/// Sends all messages as one NCCL group on a separate stream. They begin after the earlier work of stage()'s
/// stream, which continues meanwhile. beside_kernels: on multiprocessors_beside at most (from NCCL 2.17).
std::unique_ptr<PersistentExchange> nccl_exchange(const std::vector<Message>& receive,
                                                  const std::vector<Message>& send, bool beside_kernels);

}  // namespace parity::runtime
