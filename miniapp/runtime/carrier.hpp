// SPDX-License-Identifier: BSD-3-Clause
// What carries messages between ranks' memories, as a user chooses it: MPI or NCCL.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/messages.hpp"
#include "runtime/transport.hpp"

namespace parity::runtime {

/// The same messages again and again.
class Carrier {
 public:
  virtual ~Carrier() = default;
  /// In order on 'stream': what is to be sent is there.
  virtual void stage(void* stream) = 0;
  /// Whether start() needs the stream complete: whoever carries them does not know it.
  virtual bool needs_idle_stream() const = 0;
  virtual void start() = 0;
  /// What was received is there, in order on 'stream'.
  virtual void wait(void* stream) = 0;
};

/// Between memories of GPUs, or of hosts. Of NCCL why_no_nccl() must have been asked.
std::unique_ptr<Carrier> make_carrier(const std::vector<Message>& receive, const std::vector<Message>& send,
                                      Transport transport, bool on_device);

/// The words of a Transport, in their order, and what an option's help says of them.
const std::vector<std::string>& transport_words();
extern const char* const transport_help;

/// What runs here where it is not said; without a GPU automatic stays what it is.
Transport resolved(Transport transport);
/// Why messages between memories of a GPU, or of a host, cannot travel so here; nullopt where they can. All
/// ranks ask together: NCCL is tried the first time.
std::optional<std::string> why_no_messages(Transport transport, bool on_device);

}  // namespace parity::runtime
