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

/// Whether a measurement says how fast a variant computes such planes here: of this device and build, right,
/// plainly launched. A row that lacks a parameter, as no version writes it, says nothing.
bool counts_for(const Measurement& m, const Problem& p, const harness::RunIdentity& here) {
  try {
    return m.study == "diffusion" && m.mechanism == "stream" && m.comparable() &&
           m.run.device == here.device && m.run.build == here.build &&
           m.word("precision") == name(p.precision) && m.integer("nx") == p.nx && m.integer("ny") == p.ny &&
           m.integer("nz") > 0 && m.integer("steps") > 0;
  } catch (const runtime::UsageError&) {
    return false;
  }
}

/// The model's time on a machine of our days: orders of magnitude, which need not be measured first.
double nominal_seconds(const Problem& p, const Choice& c) {
  const harness::CostModel m = study().model(p, c);
  const bool gpu = c.entry->on_device();
  return std::max(m.bytes / (gpu ? 2e12 : 2e10), m.flops / (gpu ? 1e13 : 1e10)) + 4e-6 * m.submissions;
}

/// Whether a file of rates cannot be read: it is no user's work, and may be made anew.
bool damaged(const std::string& file) {
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return false;
  try {
    harness::read_lines(file);
    return false;
  } catch (const runtime::UsageError&) {
    return true;
  }
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
  const harness::RunIdentity here = harness::this_environment().run;
  std::vector<Expected> all;
  for (const Entry& e : registry()) {
    if (!e.ranked() || e.for_comparison || e.family == Family::reference || e.family == Family::cupy ||
        !e.unavailable.empty())
      continue;
    Expected expected;
    for (const Measurement& m : rates) {
      if (m.kernel != e.name || !counts_for(m, p, here)) continue;
      const double scaled = m.host().value * p.point_steps() /
                            (m.number("nx") * m.number("ny") * m.number("nz") * m.number("steps"));
      if (expected.measured && scaled >= expected.seconds) continue;
      if (const auto c = choice_of(m, *task))
        expected = {*c, scaled, true,
                    fmt::format("measured on {} planes, {} steps", m.integer("nz"), m.integer("steps"))};
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
  if (cache && *cache == '/') return std::string(cache) + "/parity/rates.jsonl";
  return home && *home == '/' ? std::string(home) + "/.cache/parity/rates.jsonl" : "";
}

std::vector<Measurement> read_rates(const std::string& file) {
  std::vector<Measurement> all;
  std::error_code none;
  if (file.empty() || !std::filesystem::exists(file, none)) return all;
  try {
    for (const harness::RecordLine& line : harness::read_lines(file))
      if (line.measurement) all.push_back(*line.measurement);
  } catch (const runtime::UsageError&) {
    all.clear();  // a damaged memory is none
  }
  return all;
}

std::vector<Measurement> measure_rates(const Problem& p, const std::vector<Expected>& all, double seconds,
                                       const std::string& file) {
  constexpr std::size_t most_tried = 6;
  constexpr int samples = 5;
  // As many points and steps as the first candidate should do in its share of the time, checks included.
  Problem few = p;
  few.steps = std::min<std::int64_t>(p.steps, 33);
  const double share = seconds / double(most_tried * (samples + 3)),
               points = p.point_steps() * std::min(1.0, share / all.front().seconds) / double(few.steps);
  few.nz = std::clamp<std::int64_t>(std::int64_t(std::min(points, 64e6) / double(p.nx * p.ny)), 1, p.nz);
  const auto task = study().task_of(few);
  std::vector<Choice> tried;
  for (const Expected& e : all) {
    if (tried.size() == most_tried) break;
    if (!task->why_not(e.choice)) tried.push_back(e.choice);
  }
  harness::RunOptions options;
  options.blocks = 1;
  options.repeats = samples;
  options.time_cap = seconds / double(most_tried);
  std::vector<Measurement> rows;
  try {
    rows = harness::measure(*task, tried, options).rows;
  } catch (const runtime::UsageError&) {
    return rows;  // no room beside what else runs here: the model decides
  }
  if (file.empty()) return rows;
  try {
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    if (damaged(file)) std::filesystem::remove(file);
    harness::RecordFile records(file, harness::Existing::mix);
    if (!records.has_environment()) records.append(harness::this_environment());
    for (const Measurement& row : rows) records.append(row);
  } catch (const std::exception&) {
    // Remembering is a convenience: a read-only home must not keep anybody from filtering.
  }
  return rows;
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
