// SPDX-License-Identifier: BSD-3-Clause
// Turns SIGINT and SIGTERM into an orderly end between two samples.
#pragma once

namespace parity::runtime {

void catch_signals();
/// Throws Interrupted once a signal has arrived.
void stop_if_interrupted();

}  // namespace parity::runtime
