// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/disturbance.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

namespace parity::runtime {

std::optional<double> stolen_seconds() {
  // The first line has the ticks of all processors: user nice system idle iowait irq softirq steal.
  std::ifstream in("/proc/stat");
  std::string name;
  double ticks = 0;
  in >> name;
  for (int column = 0; column < 8; ++column) in >> ticks;
  if (!in || name != "cpu") return std::nullopt;
  return ticks / double(sysconf(_SC_CLK_TCK));
}

}  // namespace parity::runtime
