// SPDX-License-Identifier: BSD-3-Clause
// A row on the host: fork and join of its parallel regions, its bytes at the rate of the level that holds its
// fields, and its operations at the instructions that the compiler made of them.
#include <algorithm>

#include "analysis/row_model.hpp"

namespace parity::analysis {

std::optional<RowModel> host_model(const harness::Measurement& row, const Costs& costs,
                                   const LoopTable& loops, std::string& why) {
  const auto family = costs.family.find(harness::name(row.family));
  if (family == costs.family.end()) {
    why = "the launch study has no figures of how it is launched";
    return std::nullopt;
  }
  RowModel m;
  m.on_host = true;
  const FamilyCosts& c = family->second;
  m.once = std::max(0.0, c.latency - c.launch_device);
  m.gaps = row.model.launches * c.launch_device;
  const std::string precision = row.word("precision");
  if (row.model.flops > 0) {
    const double points_in_row = row.study == "diffusion" ? row.number("nx") : 0;
    const LoopWork per_operation = loops.per_operation(row.study, row.kernel, precision, points_in_row);
    if (per_operation.all() <= 0) {
      why = "its loops were not counted (--loops)";
      return std::nullopt;
    }
    m.alone = row.model.flops * per_operation.scalar;
    m.packed = row.model.flops * per_operation.vector;
    m.loaded = row.model.flops * per_operation.vector_memory;
    m.divided = row.model.flops * per_operation.division;
  }
  if (row.model.bytes > 0) {
    // Copies of the roofs study say how fast each level is, by all bytes that are gone through.
    const auto& points = costs.streams.points();
    if (points.size() < 2) {
      why = "no copies by working set: measure jobs/plans/roofs.toml on the same machine";
      return std::nullopt;
    }
    // A sum over samples goes through all of its bytes.
    const double working_set = row.study == "kde" ? row.model.bytes : row.metric("working_set");
    if (working_set <= 0) {
      why = "its record, of an earlier version, does not say its working set";
      return std::nullopt;
    }
    const double least = points.begin()->first, most = points.rbegin()->first;
    m.row.clamped = working_set > most;
    const double rate = costs.streams.at(std::clamp(working_set, least, most));
    m.work[std::size_t(Term::memory)] = row.model.bytes / rate;
    m.row.traffic.memory_bytes = row.model.bytes, m.row.traffic.memory_rate = rate;
  }
  m.row.traffic.flops = row.model.flops,
  m.row.traffic.instructions = m.alone + m.packed + m.loaded + m.divided;
  return m;
}

}  // namespace parity::analysis
