// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-message: messages between ranks, of their GPUs' memories.
#include "algorithm.hpp"

namespace parity::launch::message {

Entry cuda() {
  Entry e = message_algorithm();
  e.rounds = [](const Problem& p) { return make_rounds(p, /*on_device=*/true); };
  return e;
}

}  // namespace parity::launch::message
