// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/kde_findings.hpp"

#include <fmt/format.h>

#include <set>

#include "analysis/origins.hpp"

namespace parity::analysis {
namespace {

/// Larger sizes of a width that were not measured follow from its largest one.
void extrapolate(WidthTable& t) {
  for (const int width : t.widths) {
    std::int64_t largest = 0;
    for (const std::int64_t n : t.sizes)
      if (t.cells.count({n, width})) largest = n;
    for (const std::int64_t n : t.sizes) {
      if (n <= largest || largest == 0) continue;
      const double factor = double(n) / double(largest);
      t.cells[{n, width}] = {t.cells.at({largest, width}).seconds * factor * factor, true};
    }
  }
}

}  // namespace

std::optional<Cell> WidthTable::at(std::int64_t n, int width) const {
  const auto cell = cells.find({n, width});
  return cell == cells.end() ? std::nullopt : std::optional<Cell>(cell->second);
}

std::optional<Cell> WidthTable::speed_up(std::int64_t n, int width) const {
  const auto narrow = at(n, widths.front()), cell = at(n, width);
  if (!narrow || !cell) return std::nullopt;
  return Cell{narrow->seconds / cell->seconds, narrow->extrapolated || cell->extrapolated};
}

std::optional<Cell> WidthTable::efficiency(std::int64_t n, int width) const {
  auto cell = speed_up(n, width);
  if (cell) cell->seconds /= width;
  return cell;
}

std::vector<WidthTable> width_tables(const std::vector<harness::Measurement>& rows) {
  std::map<std::pair<std::string, std::string>, WidthTable> tables;
  const auto what = [](const harness::Measurement& m) {
    const bool is_cell = m.study == "kde" && m.tuning_axes == "block width" && m.comparable();
    return is_cell ? key(m) : std::string();
  };
  for (const harness::Measurement* const row : of_latest_runs(rows, what)) {
    const harness::Measurement& m = *row;
    const auto width = harness::parse_tuning(m.tuning);
    if (!width) continue;
    const std::string problem =
        fmt::format("{} h={} {}", m.word("precision"), m.number("bandwidth"), m.word("distribution"));
    WidthTable& t = tables[{m.variant, problem}];
    t.variant = m.variant;
    t.problem = problem;
    // The device's own clock where there is one: the original work meant the kernel.
    const harness::Estimate time = m.device_seconds.empty() ? m.host() : m.device();
    t.cells[{m.integer("n"), width->values.front()}] = {time.value, false};
    t.occupancy[width->values.front()] = m.metric("occupancy");
    t.ceiling = m.metric("pair_ceiling");
    t.with_copies[{m.integer("n"), width->values.front()}] = m.end_to_end_seconds();
  }
  std::vector<WidthTable> found;
  for (auto& [key, t] : tables) {
    std::set<std::int64_t> sizes;
    std::set<int> widths;
    for (const auto& [at, cell] : t.cells) {
      sizes.insert(at.first);
      widths.insert(at.second);
    }
    if (widths.size() < 2) continue;
    t.sizes.assign(sizes.begin(), sizes.end());
    t.widths.assign(widths.begin(), widths.end());
    extrapolate(t);
    found.push_back(std::move(t));
  }
  return found;
}

}  // namespace parity::analysis
