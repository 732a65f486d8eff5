// SPDX-License-Identifier: BSD-3-Clause
// Starts the program again in the same process, with the same arguments and everything else new: addresses,
// caches of allocators, threads, the GPU's context. Or another program.
#pragma once
#include <string>

namespace parity::runtime {

/// Thrown by a command that wants to be started again; main does it after everything is let go.
struct StartAgain {
  std::string state;  ///< what the next start is told
};

/// What the last start wanted this one to know; empty in the first. The same in every call.
const std::string& told_by_last_start();

/// Replaces the program by itself. Returns only with the reason why it could not. A signal that arrives
/// meanwhile waits for the next start's catch_signals().
std::string start_again(char** arguments, const std::string& state);

/// Replaces the program by another one, looked for as a shell does, with the processors and signals that this
/// one was given. Returns only with the reason why it could not.
std::string start_other(char** arguments);

}  // namespace parity::runtime
