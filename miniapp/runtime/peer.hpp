// SPDX-License-Identifier: BSD-3-Clause
// Messages between GPUs of one host by their copy engines, for code that must not include CUDA.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/messages.hpp"

namespace parity::runtime {

/// Why no GPU copies into another one's memory here; nullopt where they do. The first call sends a message
/// from each rank to the next one: all ranks make that call together.
const std::optional<std::string>& why_no_peer();

/// All its messages in the order of a stream, as nccl_carrier's are. No multiprocessor carries them.
std::unique_ptr<Carrier> peer_carrier(const std::vector<Message>& receive, const std::vector<Message>& send);

}  // namespace parity::runtime
