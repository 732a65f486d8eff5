// SPDX-License-Identifier: BSD-3-Clause
// Processes that are stopped together, of which one says why.
#pragma once
#include <atomic>

namespace parity::runtime {

/// A signal ends this process without a word once 'another' is set, by the process that said why all are
/// stopped. Lives as long as this one.
void say_nothing_when_stopped_by(const std::atomic<int>* another);

}  // namespace parity::runtime
