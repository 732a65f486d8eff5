// SPDX-License-Identifier: BSD-3-Clause
#include "harness/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "runtime/error.hpp"

namespace parity::harness {
using Json = nlohmann::json;
using runtime::UsageError;

double Measurement::metric(const std::string& wanted, double fallback) const {
  for (const Metric& m : metrics)
    if (m.name == wanted) return m.value;
  return fallback;
}

namespace {
template <class T>
T parameter(const Measurement& m, const std::string& name, const char* kind) {
  const auto at = m.problem.find(name);
  if (at != m.problem.end()) {
    if (const T* value = std::get_if<T>(&at->second)) return *value;
    if constexpr (std::is_same_v<T, double>) {
      if (const auto* whole = std::get_if<std::int64_t>(&at->second)) return double(*whole);
    }
  }
  throw UsageError(fmt::format("{}problem.{} of {} is no {}", m.place, name, m.full_name(), kind));
}

/// The samples of a and of b from the processes that both ran in, in a's order.
std::pair<ByProcess, ByProcess> of_common_processes(const Measurement& a, const Measurement& b) {
  std::pair<ByProcess, ByProcess> both;
  const ByProcess of_a = a.quiet_seconds(), of_b = b.quiet_seconds();
  for (std::size_t i = 0; i < a.host_seconds.size(); ++i)
    for (std::size_t k = 0; k < b.host_seconds.size(); ++k)
      if (a.run.id == b.run.id && a.process_names.at(i) == b.process_names.at(k)) {
        both.first.push_back(of_a[i]);
        both.second.push_back(of_b[k]);
      }
  return both;
}

/// Splits a result of several processes into results of one process each.
std::vector<Measurement> by_process_of(const Measurement& m) {
  if (m.processes.size() < 2 || m.host_seconds.size() != m.processes.size()) return {m};
  std::vector<Measurement> all(m.processes.size(), m);
  for (std::size_t k = 0; k < all.size(); ++k) {
    all[k].processes = {m.processes[k]};
    all[k].process_names = {m.process_names[k]};
    all[k].host_seconds = {m.host_seconds[k]};
    all[k].preemptions.clear();
    if (m.preemptions.size() == m.processes.size()) all[k].preemptions = {m.preemptions[k]};
    all[k].energy.clear();
    for (const Energy& e : m.energy)
      if (e.process == m.processes[k]) all[k].energy = {e};
    all[k].device_seconds.clear();
    if (k < m.device_seconds.size()) all[k].device_seconds = {m.device_seconds[k]};
  }
  return all;
}

}  // namespace

double Measurement::number(const std::string& p) const { return parameter<double>(*this, p, "number"); }
std::int64_t Measurement::integer(const std::string& p) const {
  return parameter<std::int64_t>(*this, p, "whole number");
}
std::string Measurement::word(const std::string& p) const { return parameter<std::string>(*this, p, "word"); }

std::string text_of(const Values& problem) {
  std::string text;
  for (const auto& [name, value] : problem) {
    // As JSON writes numbers, so that 1.0 and 1 stay apart.
    const std::string shown =
        std::holds_alternative<double>(value) ? Json(std::get<double>(value)).dump() : to_string(value);
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, shown);
  }
  return text;
}

std::string key(const Measurement& row) {
  return row.study + "/" + row.variant + "/" + row.tuning + " " + row.problem_text();
}

Estimate time_ratio(const Measurement& numerator, const Measurement& denominator) {
  const auto [a, b] = of_common_processes(numerator, denominator);
  return ratio(a, b);
}

Estimate time_difference(const Measurement& a, const Measurement& b) {
  const auto [first, second] = of_common_processes(a, b);
  return difference(first, second);
}

Estimate time_left(const Measurement& whole, const std::vector<const Measurement*>& parts) {
  std::vector<double> left;
  const ByProcess of_whole = whole.quiet_seconds();
  for (std::size_t i = 0; i < of_whole.size(); ++i) {
    double seconds = median_of(of_whole[i]);
    std::size_t found = 0;
    for (const Measurement* part : parts)
      for (std::size_t k = 0; k < part->host_seconds.size(); ++k)
        if (part->run.id == whole.run.id && part->process_names.at(k) == whole.process_names.at(i)) {
          seconds -= median_of(part->quiet_seconds()[k]);
          ++found;
        }
    if (found == parts.size()) left.push_back(seconds);
  }
  return estimate(left);
}

Measurement merged(std::vector<Measurement> rows) {
  if (rows.size() == 1) return std::move(rows.front());
  std::vector<Measurement> all;
  std::reverse(rows.begin(), rows.end());
  for (const Measurement& row : rows)
    for (Measurement& process : by_process_of(row)) all.push_back(std::move(process));
  const auto number = [](const Measurement& m) { return m.processes.empty() ? 0 : m.processes.front(); };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Measurement& a, const Measurement& b) { return number(a) < number(b); });
  all.erase(std::unique(all.begin(), all.end(),
                        [&](const Measurement& a, const Measurement& b) { return number(a) == number(b); }),
            all.end());
  Measurement m = all.front();
  if (all.size() == 1) return m;
  const auto median = [&all](const auto& value) {
    std::vector<double> values;
    for (const Measurement& process : all) values.push_back(value(process));
    return median_of(std::move(values));
  };
  for (double Measurement::*seconds :
       {&Measurement::setup_seconds, &Measurement::capture_seconds, &Measurement::load_seconds,
        &Measurement::store_seconds, &Measurement::first_seconds})
    m.*seconds = median([&](const Measurement& process) { return process.*seconds; });
  const auto share = [](const Verdict& v) { return v.tolerance > 0 ? v.error / v.tolerance : v.error; };
  for (std::size_t k = 1; k < all.size(); ++k) {
    Measurement& process = all[k];
    const auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(m.processes, process.processes);
    append(m.process_names, process.process_names);
    append(m.host_seconds, process.host_seconds);
    append(m.preemptions, process.preemptions);
    append(m.device_seconds, process.device_seconds);
    append(m.energy, process.energy);
    for (const Metric& metric : process.metrics)  // joules that the first process did not count
      if (std::none_of(m.metrics.begin(), m.metrics.end(),
                       [&](const Metric& known) { return known.name == metric.name; }))
        m.metrics.push_back(metric);
    if (process.stop != "repeats") m.stop = process.stop;
    const bool worse = m.verdict.passed() == process.verdict.passed()
                           ? share(process.verdict) > share(m.verdict)
                           : m.verdict.passed();
    if (worse) m.verdict = process.verdict;
  }
  if (m.preemptions.size() != m.processes.size()) m.preemptions.clear();
  if (!m.verdict.passed()) {
    m.host_seconds.clear(), m.preemptions.clear();
    m.device_seconds.clear();
    m.energy.clear();
    m.metrics.clear();
  }
  const double time = m.host().value;
  for (Metric& metric : m.metrics) {
    // A metric that follows from the time alone, such as a rate of known work, follows from the merged time.
    const double power = metric.better == Better::higher ? 1 : -1;
    const auto work = [&](const Measurement& process) {
      return process.metric(metric.name, metric.value) * std::pow(process.host().value, power);
    };
    const double first = time > 0 ? work(all.front()) : 0;
    const bool follows = first > 0 && std::all_of(all.begin(), all.end(), [&](const Measurement& process) {
                           return std::abs(work(process) / first - 1) < 1e-8;
                         });
    metric.value = follows ? first / std::pow(time, power) : median([&](const Measurement& process) {
      return process.metric(metric.name, metric.value);
    });
  }
  return m;
}

SkippedRow merged(const std::vector<SkippedRow>& processes) {
  SkippedRow all = processes.front();
  std::vector<std::string> reasons;
  for (const SkippedRow& s : processes) {
    all.row.processes.insert(all.row.processes.end(), s.row.processes.begin(), s.row.processes.end());
    if (std::find(reasons.begin(), reasons.end(), s.reason) == reasons.end()) reasons.push_back(s.reason);
  }
  std::sort(all.row.processes.begin(), all.row.processes.end());
  all.row.processes.erase(std::unique(all.row.processes.begin(), all.row.processes.end()),
                          all.row.processes.end());
  all.reason = fmt::format("{}", fmt::join(reasons, "; "));
  return all;
}

std::optional<SkippedRow> without_measured(SkippedRow skipped, const std::vector<int>& measured) {
  std::vector<int>& processes = skipped.row.processes;
  processes.erase(std::remove_if(processes.begin(), processes.end(),
                                 [&measured](int start) {
                                   return std::find(measured.begin(), measured.end(), start) !=
                                          measured.end();
                                 }),
                  processes.end());
  return processes.empty() ? std::nullopt : std::optional<SkippedRow>(std::move(skipped));
}

}  // namespace parity::harness
