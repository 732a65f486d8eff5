// SPDX-License-Identifier: BSD-3-Clause
// launch/openmp-message: messages between ranks, of the hosts' memories.
#include "launch/rounds.hpp"

namespace parity::launch {

Entry message_openmp() {
  Entry e;
  e.role = Role::message;
  e.rounds = [](const Problem& p) { return make_rounds(p, /*on_device=*/false); };
  return e;
}

}  // namespace parity::launch
