// SPDX-License-Identifier: BSD-3-Clause
// Messages between GPUs of one host by their copy engines, for code that must not include CUDA.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/messages.hpp"

namespace parity::runtime {

/// The reason why GPUs cannot copy into each other's memory here; nullopt if all pairs can. The first call
/// tries it: all ranks make that call together.
const std::optional<std::string>& why_no_peer();

/// Sends all messages in stream order, as nccl_exchange does. Copies need no multiprocessor; one warp waits
/// for them. Ranks wait for their peers in the first stage(), which cannot be captured, and in the
/// destructor.
std::unique_ptr<PersistentExchange> peer_exchange(const std::vector<Message>& receive,
                                                  const std::vector<Message>& send);

}  // namespace parity::runtime
