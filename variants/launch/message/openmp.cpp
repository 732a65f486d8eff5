// SPDX-License-Identifier: BSD-3-Clause
// launch/openmp-message: messages between ranks, of the hosts' memories.
#include "algorithm.hpp"

namespace parity::launch::message {

Entry openmp() {
  Entry e = message_algorithm();
  e.rounds = [](const Problem& p) { return make_rounds(p, /*on_device=*/false); };
  return e;
}

}  // namespace parity::launch::message
