// SPDX-License-Identifier: BSD-3-Clause
// launch/openmp-messages: messages between ranks, of the hosts' memories.
#include "launch/rounds.hpp"

namespace parity::launch {

Entry openmp_messages() {
  Entry e;
  e.name = "openmp-messages";
  e.family = harness::Family::openmp;
  e.summary = "messages between ranks, of the hosts' memories";
  e.role = Role::message;
  e.rounds = [](const Problem& p) { return make_rounds(p, /*on_device=*/false); };
  return e;
}

}  // namespace parity::launch
