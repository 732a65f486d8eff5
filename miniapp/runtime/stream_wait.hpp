// SPDX-License-Identifier: BSD-3-Clause
// A stream waits for another one, for code that must not include CUDA.
#pragma once

namespace parity::runtime {

/// What is put into 'later' from now on begins after all that is in 'earlier'. Both may be captured.
void let_stream_wait(void* later, void* earlier);

}  // namespace parity::runtime
