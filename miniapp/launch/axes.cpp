// SPDX-License-Identifier: BSD-3-Clause
#include "launch/axes.hpp"

#include <algorithm>

namespace parity::launch {

std::vector<Problem> product(const Axes& axes) {
  std::vector<Problem> problems;
  for (const std::string& quantity : axes.quantities)
    for (const Topology topology : axes.topologies)
      for (const Unit unit : axes.unit)
        for (const int devices : axes.devices)
          for (const int argument : axes.argument_bytes)
            for (const int blocks : axes.blocks)
              for (const int threads : axes.threads)
                for (const int launches : axes.launches)
                  for (const int units : axes.units)
                    for (const int unit_ns : axes.unit_ns)
                      for (const std::int64_t bytes : axes.bytes)
                        problems.push_back({quantity, blocks, threads, argument, launches, units, unit_ns,
                                            unit, topology, devices, bytes});
  return problems;
}

std::vector<Problem> distinct(const std::vector<Problem>& problems) {
  std::vector<Problem> found;
  for (const Problem& p : problems) {
    const Problem c = canonical(p);
    if (std::find(found.begin(), found.end(), c) == found.end()) found.push_back(c);
  }
  return found;
}

}  // namespace parity::launch
