// SPDX-License-Identifier: BSD-3-Clause
#include "commands/caveats.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "harness/environment.hpp"
#include "runtime/text.hpp"

namespace parity::commands {

void Skipped::add(const std::string& name, const std::string& reason) {
  ++rows_;
  const auto same =
      std::find_if(by_reason_.begin(), by_reason_.end(), [&](const auto& g) { return g.first == reason; });
  if (same == by_reason_.end())
    by_reason_.push_back({reason, {name}});
  else if (std::find(same->second.begin(), same->second.end(), name) == same->second.end())
    same->second.push_back(name);
}

void Skipped::add(const std::vector<harness::SkippedRow>& rows) {
  for (const harness::SkippedRow& s : rows) add(s.row.name(), s.reason);
}

void Skipped::print() const {
  for (const auto& [reason, names] : by_reason_)
    fmt::print("  skipped {}: {}\n", fmt::join(names, " "), reason);
}

void print_missing_joules(const std::vector<harness::Measurement>& rows) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const harness::Measurement& row : rows)
    for (const harness::Energy& e : row.energy) {
      std::vector<std::string>& names = by_reason[e.refused];
      if (!e.refused.empty() && std::find(names.begin(), names.end(), row.name()) == names.end())
        names.push_back(row.name());
    }
  for (const auto& [reason, names] : by_reason)
    if (!names.empty()) fmt::print("  no joules of {}: {}\n", fmt::join(names, " "), reason);
}

void Caveats::add(const harness::Measurement& row) {
  if (!row.timed() || !row.verdict.passed()) return;
  ++rows_;
  ++by_starts_[row.starts.size()];
  const harness::Estimate time = row.host();
  noisy_ += time.noisy();
  without_interval_ += !time.interval;
  if (row.verdict.caveat.empty()) return;
  std::string name = row.name();
  if (row.problem.count("quantity") > 0) name += " " + row.word("quantity");
  if (std::find(unreliable_.begin(), unreliable_.end(), name) == unreliable_.end())
    unreliable_.push_back(std::move(name));
}

std::string Caveats::noise() const {
  if (rows_ > 0 && without_interval_ == rows_)
    return fmt::format("no 95 % intervals: they need {} starts of the program (--starts, --repeats)",
                       harness::least_blocks);
  if (noisy_ == 0) return "";
  const char* const bind = std::getenv("OMP_PROC_BIND");
  double load = 0;
  const bool known = getloadavg(&load, 1) == 1;
  return fmt::format(
      "{} of {} row{} {} noisy (their processes' times disagree by more than {:g} %): {} thread{}, "
      "OMP_PROC_BIND {}, load average {} on {} cores; repeat it on a quiet machine, bind the threads, or "
      "give "
      "more --starts",
      noisy_, rows_, rows_ == 1 ? "" : "s", noisy_ == 1 ? "is" : "are", 100 * harness::noisy_spread,
      omp_get_max_threads(), omp_get_max_threads() == 1 ? "" : "s", bind ? runtime::shown(bind) : "not set",
      known ? fmt::format("{:.1f}", load) : "unknown", sysconf(_SC_NPROCESSORS_ONLN));
}

std::string Caveats::unreliable() const {
  if (unreliable_.empty()) return "";
  return fmt::format("unreliable, because a check of the time failed three times: {}",
                     fmt::join(unreliable_, ", "));
}

std::string Caveats::missing_starts() const {
  if (by_starts_.empty()) return "";
  const std::size_t all = std::max(expected_, by_starts_.rbegin()->first);
  const auto complete = by_starts_.find(all);
  const int fewer = rows_ - (complete == by_starts_.end() ? 0 : complete->second);
  if (fewer == 0) return "";
  return fmt::format(
      "{} of {} row{} {} samples of fewer than {} starts: in the others a check refused it, or it did not "
      "run",
      fewer, rows_, rows_ == 1 ? "" : "s", fewer == 1 ? "has" : "have", all);
}

void print_caveats(const Caveats& caveats) {
  for (const std::string& text : {caveats.missing_starts(), caveats.noise(), caveats.unreliable()})
    if (!text.empty()) fmt::print("{}\n", text);
  fmt::print("ran on {}\n", harness::machine_text());
}

}  // namespace parity::commands
