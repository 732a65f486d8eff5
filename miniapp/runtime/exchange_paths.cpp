// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/exchange_paths.hpp"

#include "runtime/device.hpp"
#include "runtime/nccl.hpp"
#include "runtime/peer.hpp"

namespace parity::runtime {

std::unique_ptr<PersistentExchange> make_exchange(const std::vector<Message>& receive,
                                                  const std::vector<Message>& send, Transport transport,
                                                  bool on_device, bool beside_kernels) {
  using Path = Messages::Path;
  if (!on_device) return std::make_unique<Messages>(receive, send, Path::host);
  transport = resolved(transport);
  if (transport == Transport::peer) return peer_exchange(receive, send);
  if (transport == Transport::nccl) return nccl_exchange(receive, send, beside_kernels);
  return std::make_unique<Messages>(receive, send,
                                    transport == Transport::direct ? Path::device : Path::staged);
}

const std::vector<std::string>& transport_words() {
  static const std::vector<std::string> words = {"automatic", "direct", "staged", "nccl", "peer"};
  return words;
}
const char* const transport_help =
    "Between GPUs: peer (each copies into the other's memory, on one host), nccl, direct (MPI is given their "
    "addresses), staged (by way of the host), or automatic: the first of these by which a message arrives";

Transport resolved(Transport transport) {
  if (transport != Transport::automatic) return transport;
  // All ranks must reach these calls together, with or without a GPU.
  if (several_ranks() && !why_no_peer()) return Transport::peer;
  if (several_ranks() && !why_no_nccl()) return Transport::nccl;
  if (!device()) return transport;
  return device_messages_work() ? Transport::direct : Transport::staged;
}

std::optional<std::string> why_no_messages(Transport transport, bool on_device) {
  // A transport that 'automatic' resolved to is not the user's choice.
  if (!on_device && (transport == Transport::automatic || transport == resolved(Transport::automatic)))
    return std::nullopt;
  if (!on_device)
    return transport == Transport::nccl ? "NCCL carries messages between GPUs alone"
           : transport == Transport::peer
               ? "peer copies are between GPUs alone"
               : "between memories of hosts there is nothing to choose: omit --messages";
  if (transport == Transport::direct && !device_messages_work())
    return "this MPI does not move a GPU's memory: omit --messages, or give staged";
  return transport == Transport::nccl   ? why_no_nccl()
         : transport == Transport::peer ? why_no_peer()
                                        : std::nullopt;
}

}  // namespace parity::runtime
