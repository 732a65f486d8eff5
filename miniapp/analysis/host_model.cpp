// SPDX-License-Identifier: BSD-3-Clause
// A row on the host: fork and join of its parallel regions, and the bytes of its model.
#include <algorithm>

#include "analysis/row_model.hpp"

namespace parity::analysis {

std::optional<RowModel> host_model(const harness::Measurement& row, const Costs& costs, std::string& why) {
  const auto family = costs.family.find(harness::name(row.family));
  if (family == costs.family.end()) {
    why = "the launch study has no figures of how it is launched";
    return std::nullopt;
  }
  RowModel m;
  const FamilyCosts& c = family->second;
  m.once = std::max(0.0, c.latency - c.launch_device);
  m.gaps = row.model.launches * c.launch_device;
  const double word = row.word("precision") == "float" ? 4 : 8;
  const double values =
      row.study == "kde" ? row.number("n") : row.number("nx") * row.number("ny") * row.number("nz");
  const double rate = costs.bandwidth.at(word * values);
  m.work[std::size_t(Term::memory)] = row.model.bytes / rate;
  m.row.traffic.memory_bytes = row.model.bytes, m.row.traffic.memory_rate = rate;
  m.row.traffic.flops = row.model.flops;
  return m;
}

}  // namespace parity::analysis
