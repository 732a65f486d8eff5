// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/origins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace parity::analysis {

std::string origin_text(const harness::RunIdentity& run) {
  return fmt::format("commit {}{} on {}", run.commit.empty() ? "unknown" : "", run.commit_text(),
                     run.device.empty() ? "unknown" : run.device);
}

std::vector<Origin> by_origin(std::vector<harness::Measurement> rows) {
  std::vector<Origin> origins;
  for (std::size_t place = 0; place < rows.size(); ++place) {
    harness::Measurement& m = rows[place];
    const std::string text = origin_text(m.run);
    auto at =
        std::find_if(origins.begin(), origins.end(), [&text](const Origin& o) { return o.text == text; });
    if (at == origins.end()) at = origins.insert(origins.end(), {text, {}, {}});
    at->rows.push_back(std::move(m));
    at->places.push_back(place);
  }
  return origins;
}

std::vector<const harness::Measurement*> of_latest_runs(
    const std::vector<harness::Measurement>& rows,
    const std::function<std::string(const harness::Measurement&)>& what) {
  std::map<std::string, std::string> latest;  // a run's name begins with its time
  std::vector<std::pair<std::string, const harness::Measurement*>> named;
  for (const harness::Measurement& m : rows) {
    const std::string name = what(m);
    if (name.empty()) continue;
    named.emplace_back(name, &m);
    std::string& run = latest[name];
    run = std::max(run, m.run.id);
  }
  std::vector<const harness::Measurement*> found;
  for (const auto& [name, m] : named)
    if (m->run.id == latest.at(name)) found.push_back(m);
  return found;
}

std::vector<const harness::Measurement*> fastest_of_latest_runs(
    const std::vector<harness::Measurement>& rows,
    const std::function<std::string(const harness::Measurement&)>& what) {
  std::map<std::string, const harness::Measurement*> fastest;
  for (const harness::Measurement* m : of_latest_runs(rows, what)) {
    const harness::Measurement*& kept = fastest.emplace(what(*m), m).first->second;
    if (m->host().value < kept->host().value) kept = m;
  }
  std::vector<const harness::Measurement*> found;
  for (const auto& [name, m] : fastest) found.push_back(m);
  return found;
}

}  // namespace parity::analysis
