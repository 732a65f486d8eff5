// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-messages: messages between ranks, of their GPUs' memories.
#include "launch/rounds.hpp"

namespace parity::launch {

Entry cuda_messages() {
  Entry e;
  e.role = Role::message;
  e.rounds = [](const Problem& p) { return make_rounds(p, /*on_device=*/true); };
  return e;
}

}  // namespace parity::launch
