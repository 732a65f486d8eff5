// SPDX-License-Identifier: BSD-3-Clause
// Waits for a stream, of the host or of another stream, for code that must not include CUDA.
#pragma once

namespace parity::runtime {

/// Until all is done that was put into a cudaStream_t; at once where it is null.
void wait_for_stream(void* stream);
/// What is put into 'later' from now on begins after all that is in 'earlier'. Both may be captured.
void let_stream_wait(void* later, void* earlier);

}  // namespace parity::runtime
