// SPDX-License-Identifier: BSD-3-Clause
// CUDA graphs by stream capture, for code that must not include CUDA.
#pragma once
#include <functional>
#include <memory>

#include "study/recording.hpp"

namespace parity::cuda {

/// The graph of everything that 'launches' enqueues on 'stream' (a cudaStream_t), to be submitted to that
/// stream. Throws what 'launches' throws, and for work that cannot be captured; without CUDA always.
std::unique_ptr<study::Recording> capture(void* stream, const std::function<void()>& launches);

}  // namespace parity::cuda
