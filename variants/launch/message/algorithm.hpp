// SPDX-License-Identifier: BSD-3-Clause
// message: an event is a round of messages between ranks: a message and its answer, both neighbours of a ring
// at once, a sum over all ranks, a barrier of all. launch/rounds.cpp makes them, by MPI, NCCL or copies; the
// memory is the backend's. Limits: as many ranks as there are, no more than cores.
#pragma once
#include "launch/rounds.hpp"

namespace parity::launch {

inline Entry message_algorithm() {
  Entry e;
  e.role = Role::message;
  return e;
}

}  // namespace parity::launch
