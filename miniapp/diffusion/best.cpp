// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/best.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "harness/environment.hpp"
#include "harness/measure.hpp"
#include "harness/records.hpp"
#include "harness/selection.hpp"
#include "runtime/error.hpp"

namespace parity::diffusion {
namespace {

using harness::Choice;
using harness::Measurement;

double points_of(const Measurement& m) { return m.number("nx") * m.number("ny"); }

/// How far the planes of a measurement are from those of a problem, in factors of two; the steps and the
/// number of planes count less.
double distance(const Measurement& m, const Problem& p) {
  const auto factor = [](double a, double b) { return std::fabs(std::log2(a / b)); };
  const bool same = m.number("nx") == double(p.nx) && m.number("ny") == double(p.ny);
  return (same ? 0 : 0.1 + factor(points_of(m), double(p.nx * p.ny))) +
         0.01 * factor(m.number("nz"), double(p.nz)) + 0.01 * factor(m.number("steps"), double(p.steps));
}

bool counts_for(const Measurement& m, const Problem& p, const std::string& device) {
  return m.study == "diffusion" && m.mechanism == "stream" && m.comparable() && m.run.device == device &&
         m.word("precision") == name(p.precision) &&
         std::fabs(std::log2(points_of(m) / double(p.nx * p.ny))) <= 1;
}

/// The model's time on a machine of our days: orders of magnitude, which need not be measured first.
double nominal_seconds(const Problem& p, const Choice& c) {
  const harness::CostModel m = study().model(p, c);
  const bool gpu = c.entry->on_device();
  return std::max(m.bytes / (gpu ? 2e12 : 2e10), m.flops / (gpu ? 1e13 : 1e10)) + 4e-6 * m.submissions;
}

/// The choice with a measurement's tuning, where it can still be had.
std::optional<Choice> choice_of(const Measurement& m, const harness::Task& task) {
  try {
    const Choice c = harness::choice_of(study(), m.name());
    return task.why_not(c) ? std::nullopt : std::optional<Choice>(c);
  } catch (const runtime::UsageError&) {
    return std::nullopt;  // a variant of another version
  }
}

}  // namespace

std::vector<Expected> candidates(const Problem& p, const std::vector<Measurement>& rates) {
  const auto task = study().task_of(p);
  const std::string device = harness::this_environment().run.device;
  std::vector<Expected> all;
  for (const Entry& e : registry()) {
    if (e.floor || e.family == Family::reference || e.family == Family::cupy || !e.unavailable.empty())
      continue;
    std::vector<std::pair<double, const Measurement*>> near;
    for (const Measurement& m : rates)
      if (m.kernel == e.name && counts_for(m, p, device)) near.push_back({distance(m, p), &m});
    Expected expected;
    if (!near.empty()) {
      const double nearest = std::min_element(near.begin(), near.end())->first;
      for (const auto& [far, m] : near) {
        if (far > nearest + 1e-9) continue;
        const double scaled =
            m->host().value * p.point_steps() / (points_of(*m) * m->number("nz") * m->number("steps"));
        if (expected.measured && scaled >= expected.seconds) continue;
        if (const auto c = choice_of(*m, *task)) {
          expected = {*c, scaled, true,
                      fmt::format("measured on {:.0f}x{:.0f}x{:.0f}, {:.0f} steps", m->number("nx"),
                                  m->number("ny"), m->number("nz"), m->number("steps"))};
        }
      }
    }
    if (!expected.measured) {
      const Choice c = harness::choice_of(study(), e.name);
      if (task->why_not(c)) continue;
      expected = {c, nominal_seconds(p, c), false, "model"};
    }
    all.push_back(std::move(expected));
  }
  std::stable_sort(all.begin(), all.end(), [](const Expected& a, const Expected& b) {
    return a.measured != b.measured ? a.measured : a.seconds < b.seconds;
  });
  return all;
}

std::string rates_file() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if (cache && *cache) return std::string(cache) + "/parity/rates.jsonl";
  return home && *home ? std::string(home) + "/.cache/parity/rates.jsonl" : "";
}

std::vector<Measurement> read_rates(const std::string& file) {
  std::vector<Measurement> all;
  std::error_code none;
  if (file.empty() || !std::filesystem::exists(file, none)) return all;
  try {
    for (const harness::RecordLine& line : harness::read_lines(file))
      if (line.measurement) all.push_back(*line.measurement);
  } catch (const runtime::UsageError&) {
    all.clear();  // a damaged memory is none; it is not the user's file
  }
  return all;
}

std::vector<Measurement> measure_rates(const Problem& p, const std::vector<Expected>& all, double seconds,
                                       const std::string& file) {
  // Steps that hold a whole pass of every variant, planes for every multiprocessor, a size that is done soon.
  Problem few = p;
  few.steps = std::min<std::int64_t>(p.steps, 64);
  const double most_points = 64e6;
  few.nz = std::clamp<std::int64_t>(std::int64_t(most_points / double(p.nx * p.ny)), 1,
                                    std::min<std::int64_t>(p.nz, 132));
  const auto task = study().task_of(few);
  std::vector<Choice> tried;
  for (const Expected& e : all) {
    if (tried.size() == 6) break;
    if (!task->why_not(e.choice)) tried.push_back(e.choice);
  }
  harness::RunOptions options;
  options.blocks = 1;
  options.repeats = 5;
  options.time_cap = seconds / double(std::max<std::size_t>(1, tried.size()));
  const harness::Measured measured = harness::measure(*task, tried, options);
  if (!file.empty()) {
    try {
      std::filesystem::create_directories(std::filesystem::path(file).parent_path());
      harness::RecordFile records(file, harness::Existing::mix);
      if (!records.has_environment()) records.append(harness::this_environment());
      for (const Measurement& row : measured.rows) records.append(row);
    } catch (const std::exception&) {
      // Remembering is a convenience: a read-only home must not keep anybody from filtering.
    }
  }
  return measured.rows;
}

std::string candidates_table(const std::vector<Expected>& all, std::size_t most) {
  std::string text = fmt::format("  {:<34} {:>12}  {}\n", "variant", "expected", "by");
  for (std::size_t n = 0; n < all.size() && n < most; ++n)
    text += fmt::format("{} {:<34} {:>10.4g} s  {}\n", n == 0 ? "*" : " ", all[n].choice.name(),
                        all[n].seconds, all[n].source);
  if (all.size() > most) text += fmt::format("  and {} more\n", all.size() - most);
  return text;
}

}  // namespace parity::diffusion
