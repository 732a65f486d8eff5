// SPDX-License-Identifier: BSD-3-Clause
#include "kde/findings.hpp"

#include <fmt/format.h>

#include <set>

#include "kde/variant.hpp"

namespace parity::kde {
namespace {

/// Known by name too, so that records can be read where there is no CUDA.
bool has_block_width(const std::string& kernel) {
  for (const Entry& e : registry())
    if (e.name == kernel && e.block_width) return true;
  static const std::set<std::string> widths = {"cuda-seed-verbatim", "cuda-seed-fixed", "cuda-register-sum",
                                               "cuda-shared-tile"};
  return widths.count(kernel) > 0;
}

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

std::vector<WidthTable> width_tables(const std::vector<nlohmann::json>& records) {
  std::map<std::pair<std::string, std::string>, WidthTable> tables;
  for (const auto& r : records) {
    if (r.value("study", "") != "kde" || !has_block_width(r.value("kernel", "")) ||
        !r.value("/verification/passed"_json_pointer, false))
      continue;
    const auto& p = r["problem"];
    const std::string problem =
        fmt::format("{} h={} {}", p["precision"].get<std::string>(), p["bandwidth"].get<double>(),
                    p["distribution"].get<std::string>());
    WidthTable& t = tables[{r["variant"].get<std::string>(), problem}];
    t.variant = r["variant"];
    t.problem = problem;
    const std::int64_t n = p["n"];
    const int width = std::stoi(r["tuning"].get<std::string>());
    // The device's own clock where there is one: the study meant the kernel.
    const bool device = r.contains("/device_seconds/median"_json_pointer);
    t.cells[{n, width}] = {r[device ? "device_seconds" : "host_seconds"]["median"].get<double>(), false};
    t.occupancy[width] = r.value("occupancy", 0.0);
    t.ceiling = r.value("pair_ceiling", 0.0);
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

}  // namespace parity::kde
