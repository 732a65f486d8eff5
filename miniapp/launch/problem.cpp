// SPDX-License-Identifier: BSD-3-Clause
#include "launch/problem.hpp"

#include <fmt/format.h>

#include "launch/quantity.hpp"

namespace parity::launch {

const char* name(Unit unit) { return unit == Unit::spin ? "spin" : "nanosleep"; }

const std::vector<int>& argument_sizes() {
  static const std::vector<int> sizes = {0, 64, 256, 448, 512, 1024, 3968, 16384, 40960};
  return sizes;
}

std::string describe(const Problem& p) {
  const Quantity* const q = find_quantity(p.quantity);
  std::string text = fmt::format("{} {}x{}", p.quantity, p.blocks, p.threads);
  if (p.argument_bytes > 0) text += fmt::format(" {} B", p.argument_bytes);
  text += fmt::format(" x{}", p.launches);
  if (q && q->units) text += fmt::format(" {}x{} ns {}", p.units, p.unit_ns, name(p.unit));
  if (p.quantity == "copy") text += fmt::format(" {} B copied", p.bytes);
  if (p.topology == Topology::fork) text += " fork";
  if (p.devices > 1) text += fmt::format(" {} GPUs", p.devices);
  return text;
}

}  // namespace parity::launch
