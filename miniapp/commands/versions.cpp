// SPDX-License-Identifier: BSD-3-Clause
// Pairs of several versions of Kokkos, one column per version.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/comparison.hpp"
#include "commands/commands.hpp"

namespace parity::commands {

void print_pairs_by_version(const std::vector<Measurement>& rows) {
  for (const analysis::PairsByVersion& found : analysis::pairs_by_version(rows)) {
    fmt::print("\n{}\n", wrapped(fmt::format("pairs by version of Kokkos on {}: native time / Kokkos time of "
                                             "the same run, with 95 % interval",
                                             found.device),
                                 100, 2));
    std::vector<const Measurement*> portables;
    std::map<std::string, std::vector<const harness::Values*>> problems;  // by study
    for (const std::vector<analysis::Pair>& line : found.lines) {
      portables.push_back(
          std::find_if(line.begin(), line.end(), [](auto& p) { return p.portable; })->portable);
      problems[portables.back()->study].push_back(&portables.back()->problem);
    }
    std::vector<std::string> columns = {"Kokkos"};
    columns.insert(columns.end(), found.versions.begin(), found.versions.end());
    std::vector<std::vector<std::string>> cells;
    const Measurement* shown = nullptr;
    const auto flush = [&] {
      if (const std::string now = shown ? what_varies(problems[shown->study], shown->problem) : "";
          !now.empty())
        fmt::print(" {}\n", wrapped(now, 99, 2));
      if (!cells.empty()) print_columns(columns, cells);
      cells.clear();
    };
    for (std::size_t k = 0; k < portables.size(); ++k) {
      if (shown && (shown->study != portables[k]->study || shown->problem != portables[k]->problem)) flush();
      shown = portables[k];
      cells.push_back({shown->variant});
      for (const analysis::Pair& p : found.lines[k])
        cells.back().push_back(p.portable ? ratio_text(p, 2) : "-");
    }
    flush();
  }
}

}  // namespace parity::commands
