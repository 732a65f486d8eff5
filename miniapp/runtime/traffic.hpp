// SPDX-License-Identifier: BSD-3-Clause
// What a rank has sent, counted where it is given to MPI or NCCL: for checks of what sends.
#pragma once
#include <cstdint>

namespace parity::runtime {

/// Messages of Messages and NcclMessages with their bytes, and as one message each what sum_of_ranks() and
/// barrier() took part in.
struct Traffic {
  std::int64_t messages = 0, bytes = 0;
  void add(const Traffic& o) { messages += o.messages, bytes += o.bytes; }
  Traffic since(const Traffic& before) const { return {messages - before.messages, bytes - before.bytes}; }
  bool operator==(const Traffic& o) const { return messages == o.messages && bytes == o.bytes; }
};

/// Of this rank so far.
inline Traffic& traffic() {
  static Traffic sent;
  return sent;
}

}  // namespace parity::runtime
