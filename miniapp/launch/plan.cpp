// SPDX-License-Identifier: BSD-3-Clause
#include "launch/plan.hpp"

#include "launch/axes.hpp"

namespace parity::launch {

std::vector<Problem> problems_of(study::Table& axes) {
  const Problem standard;
  const auto numbers = [&axes](const char* key, int fallback) {
    std::vector<int> all;
    for (const std::int64_t n : axes.values<std::int64_t>(key, {fallback}, 0, 1 << 20)) all.push_back(int(n));
    return all;
  };
  Axes all;
  all.quantities = axes.values<std::string>("quantity", {standard.quantity});
  all.blocks = numbers("blocks", standard.blocks);
  all.threads = numbers("threads", standard.threads);
  all.argument_bytes = numbers("argument_bytes", standard.argument_bytes);
  all.launches = numbers("launches", standard.launches);
  all.units = numbers("units", standard.units);
  all.unit_ns = numbers("unit_ns", standard.unit_ns);
  all.devices = numbers("devices", standard.devices);
  all.bytes = axes.values<std::int64_t>("bytes", {standard.bytes}, 16, std::int64_t(1) << 38);
  const auto units = axes.values<std::string>("unit", {name(standard.unit)});
  const auto topologies = axes.values<std::string>("topology", {name(standard.topology)});
  axes.no_others();
  for (const std::string& unit : units) all.unit.push_back(unit_of(unit));
  for (const std::string& topology : topologies) all.topologies.push_back(topology_of(topology));
  return distinct(product(all));
}

}  // namespace parity::launch
