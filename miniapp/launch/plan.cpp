// SPDX-License-Identifier: BSD-3-Clause
#include "launch/plan.hpp"

#include <algorithm>

namespace parity::launch {

std::vector<Problem> problems_of(study::Table& axes) {
  const Problem standard;
  const auto numbers = [&axes](const char* key, int fallback) {
    std::vector<int> all;
    for (const std::int64_t n : axes.values<std::int64_t>(key, {fallback}, 0, 1 << 20)) all.push_back(int(n));
    return all;
  };
  const auto quantities = axes.values<std::string>("quantity", {standard.quantity});
  const auto blocks = numbers("blocks", standard.blocks), threads = numbers("threads", standard.threads);
  const auto arguments = numbers("argument_bytes", standard.argument_bytes);
  const auto launches = numbers("launches", standard.launches), units = numbers("units", standard.units);
  const auto unit_ns = numbers("unit_ns", standard.unit_ns), devices = numbers("devices", standard.devices);
  const auto kinds = axes.values<std::string>("unit", {name(standard.unit)});
  const auto topologies = axes.values<std::string>("topology", {name(standard.topology)});
  const auto bytes = axes.values<std::int64_t>("bytes", {standard.bytes}, 16, std::int64_t(1) << 38);
  axes.no_others();
  std::vector<Problem> problems;
  const auto add = [&problems](const Problem& p) {
    const Problem c = canonical(p);
    if (std::find(problems.begin(), problems.end(), c) == problems.end()) problems.push_back(c);
  };
  for (const std::string& q : quantities)
    for (const std::string& topology : topologies)
      for (const std::string& unit : kinds)
        for (const int d : devices)
          for (const int a : arguments)
            for (const int b : blocks)
              for (const int t : threads)
                for (const int l : launches)
                  for (const int u : units)
                    for (const int ns : unit_ns)
                      for (const std::int64_t n : bytes)
                        add({q, b, t, a, l, u, ns, unit_of(unit), topology_of(topology), d, n});
  return problems;
}

}  // namespace parity::launch
