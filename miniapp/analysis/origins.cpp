// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/origins.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parity::analysis {

std::vector<Origin> by_origin(std::vector<harness::Measurement> rows) {
  std::vector<Origin> origins;
  for (harness::Measurement& m : rows) {
    const std::string text =
        fmt::format("commit {}{} on {}", m.run.commit.empty() ? "unknown" : m.run.commit,
                    m.run.modified ? " (modified)" : "", m.run.device.empty() ? "unknown" : m.run.device);
    auto at =
        std::find_if(origins.begin(), origins.end(), [&text](const Origin& o) { return o.text == text; });
    if (at == origins.end()) at = origins.insert(origins.end(), {text, {}});
    at->rows.push_back(std::move(m));
  }
  return origins;
}

}  // namespace parity::analysis
