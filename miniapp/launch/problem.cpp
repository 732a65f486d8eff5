// SPDX-License-Identifier: BSD-3-Clause
#include "launch/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "launch/quantity.hpp"
#include "study/error.hpp"
#include "study/suggest.hpp"

namespace parity::launch {

const char* name(Unit unit) { return unit == Unit::spin ? "spin" : "nanosleep"; }
const char* name(Topology topology) { return topology == Topology::line ? "line" : "fork"; }

Unit unit_of(const std::string& name) {
  if (name == "spin") return Unit::spin;
  if (name == "nanosleep") return Unit::nanosleep;
  throw study::UsageError(fmt::format("unit: is '{}'; give spin or nanosleep", name));
}

Topology topology_of(const std::string& name) {
  if (name == "line") return Topology::line;
  if (name == "fork") return Topology::fork;
  throw study::UsageError(fmt::format("topology: is '{}'; give line or fork", name));
}

const std::vector<int>& argument_sizes() {
  static const std::vector<int> sizes = {0, 64, 256, 448, 512, 1024, 3968, 16384, 40960};
  return sizes;
}

Problem canonical(const Problem& p) {
  const Quantity* const q = find_quantity(p.quantity);
  if (!q) return p;
  const Problem standard;
  Problem c = p;
  if (!q->units) {
    c.units = standard.units;
    c.unit_ns = standard.unit_ns;
    c.unit = standard.unit;
  }
  if (q->kind != Kind::copy) c.bytes = standard.bytes;
  if (q->kind != Kind::none) {
    c.argument_bytes = 0;
    c.topology = Topology::line;
  }
  if (std::find(q->roles.begin(), q->roles.end(), Role::graph) == q->roles.end()) c.topology = Topology::line;
  if (q->roles.size() == 1 && q->roles.front() == Role::graph) c.argument_bytes = 0;
  return c;
}

bool operator==(const Problem& a, const Problem& b) {
  const auto all = [](const Problem& p) {
    return std::tie(p.quantity, p.blocks, p.threads, p.argument_bytes, p.launches, p.units, p.unit_ns, p.unit,
                    p.topology, p.devices, p.bytes);
  };
  return all(a) == all(b);
}

void validate(const Problem& p) {
  using study::UsageError;
  const Quantity* const q = find_quantity(p.quantity);
  if (!q) {
    std::vector<std::string> names;
    for (const Quantity& known : quantities()) names.push_back(known.name);
    throw UsageError(fmt::format("--quantities: no figure is called '{}'{}; they are: {}", p.quantity,
                                 study::did_you_mean(p.quantity, names), fmt::join(names, " ")));
  }
  const auto within = [](const char* option, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value < least || value > most)
      throw UsageError(fmt::format("{}: is {}; give {} to {}", option, value, least, most));
  };
  within("--blocks", p.blocks, 1, 1 << 20);
  within("--threads", p.threads, 1, 1024);
  within("--launches", p.launches, 1, 100000);
  within("--units", p.units, 1, 100000);
  within("--unit-ns", p.unit_ns, 100, 1000000);
  within("--devices", p.devices, 1, 64);
  within("--bytes", p.bytes, 16, std::int64_t(1) << 38);
  if (std::find(argument_sizes().begin(), argument_sizes().end(), p.argument_bytes) == argument_sizes().end())
    throw UsageError(fmt::format("--argument-bytes: is {}; variants are built for {}", p.argument_bytes,
                                 fmt::join(argument_sizes(), " ")));
  if (q->units && p.launches == p.units)
    throw UsageError("--launches and --units: must differ: the formula divides by their difference");
  if (p.bytes % 16 != 0) throw UsageError("--bytes: must be a multiple of 16");
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
