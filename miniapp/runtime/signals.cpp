// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/signals.hpp"

#include <csignal>

#include "runtime/error.hpp"

namespace parity::runtime {
namespace {
volatile std::sig_atomic_t received = 0;
extern "C" void remember(int number) {
  received = number;
  std::signal(number, SIG_DFL);  // a second signal ends the process at once
}
}  // namespace

void catch_signals() {
  std::signal(SIGINT, remember);
  std::signal(SIGTERM, remember);
}

void stop_if_interrupted() {
  if (received != 0) throw Interrupted(int(received));
}

}  // namespace parity::runtime
