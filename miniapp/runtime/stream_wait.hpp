// SPDX-License-Identifier: BSD-3-Clause
// The host's wait for a stream, for code that must not include CUDA.
#pragma once

namespace parity::runtime {

/// Until all is done that was put into a cudaStream_t; at once where it is null.
void wait_for_stream(void* stream);

}  // namespace parity::runtime
