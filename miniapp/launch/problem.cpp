// SPDX-License-Identifier: BSD-3-Clause
#include "launch/problem.hpp"

#include <fmt/format.h>

#include "launch/quantity.hpp"
#include "runtime/carrier.hpp"

namespace parity::launch {

using runtime::Transport;
using runtime::transport_words;

const char* name(Unit unit) { return unit == Unit::spin ? "spin" : "nanosleep"; }

const std::vector<int>& argument_sizes() {
  static const std::vector<int> sizes = {0, 64, 256, 448, 512, 1024, 3968, 16384, 40960};
  return sizes;
}

std::string describe(const Problem& p) {
  const Quantity* const q = find_quantity(p.quantity);
  std::string text = p.quantity;
  if (p.ranks == 0) text += fmt::format(" {}x{}", p.blocks, p.threads);
  if (p.argument_bytes > 0) text += fmt::format(" {} B", p.argument_bytes);
  text += fmt::format(" x{}", p.launches);
  if (q && q->units) text += fmt::format(" {}x{} ns {}", p.units, p.unit_ns, name(p.unit));
  if (p.quantity == "copy") text += fmt::format(" {} B copied", p.bytes);
  if (p.ranks > 0) {
    if (p.quantity != "rank-barrier") text += fmt::format(" {} B", p.bytes);
    text += fmt::format(" ranks={} nodes={}", p.ranks, p.nodes);
    if (p.peer == Peer::last) text += " peer=last";
    if (p.messages != Transport::automatic) text += " messages=" + transport_words()[std::size_t(p.messages)];
  }
  if (p.topology == Topology::fork) text += " fork";
  if (p.devices > 1) text += fmt::format(" {} GPUs", p.devices);
  return text;
}

}  // namespace parity::launch
