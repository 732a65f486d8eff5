// SPDX-License-Identifier: BSD-3-Clause
// The second study's figures and what goes beyond them, computed from records of launch sweeps.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "study/statistics.hpp"

namespace parity::launch {

/// A median with its 95 % interval, in seconds.
struct Figure {
  double median = 0, low = 0, high = 0;
};

/// One launch function: what Figures 2 to 4 draw of it.
struct LaunchFunction {
  std::string variant, unit;
  std::map<std::string, Figure> figures;  ///< by quantity
};

/// What a portable launch costs over its native twin.
struct PortableCost {
  std::string variant, twin, quantity, shape;
  Figure native;
  study::Ratio over;  ///< difference in seconds
};

/// A column of figures along one axis.
struct Sweep {
  std::string variant, title;                                  ///< title: what else the rows have in common
  std::map<std::int64_t, std::map<std::string, Figure>> rows;  ///< by axis value, by quantity
};

struct Findings {
  std::vector<LaunchFunction> functions;
  std::vector<PortableCost> portable;
  std::vector<Sweep> graphs;    ///< by nodes
  std::vector<Sweep> barriers;  ///< by blocks, a column a number of threads
  bool empty() const { return functions.empty() && portable.empty() && graphs.empty() && barriers.empty(); }
};

/// From measurements of the launch study that passed their check; others are passed over.
Findings findings_of(const std::vector<nlohmann::json>& records);

}  // namespace parity::launch
