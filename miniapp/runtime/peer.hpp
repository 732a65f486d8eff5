// SPDX-License-Identifier: BSD-3-Clause
// Messages between GPUs of one host by their copy engines, for code that must not include CUDA.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/messages.hpp"

namespace parity::runtime {

/// Why GPUs do not copy into each other's memory here; nullopt where every one does to every other. The first
/// call tries it: all ranks make that call together.
const std::optional<std::string>& why_no_peer();

/// All its messages in the order of a stream, as nccl_exchange's are. Copies need no multiprocessor; a warp
/// waits for them. Ranks wait for their peers in the first stage(), which no graph can hold, and in the
/// destructor.
std::unique_ptr<PersistentExchange> peer_exchange(const std::vector<Message>& receive,
                                                  const std::vector<Message>& send);

}  // namespace parity::runtime
