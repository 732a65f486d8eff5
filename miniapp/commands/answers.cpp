// SPDX-License-Identifier: BSD-3-Clause
#include "commands/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "analysis/costs.hpp"
#include "analysis/explain.hpp"
#include "commands/figures.hpp"
#include "commands/table.hpp"
#include "harness/estimate_text.hpp"
#include "runtime/error.hpp"

namespace parity::commands {
namespace {

using Json = nlohmann::json;

constexpr const char* original_program = "cupy-baseline";  // that Bezençon et al. began with
constexpr int guide_kernels = 16;                          // launches of a step that the guide shows

/// One side of an answer: what was measured, and the places of the rows that it comes from.
Json side_of(const std::string& text, const std::string& variant = "", const Json& more = nullptr,
             Json rows = Json::array()) {
  return {{"text", text}, {"variant", variant}, {"more", more}, {"rows", std::move(rows)}};
}

/// The best rates of a device, of filters or of all other studies but "roofs", which measures the machine.
void add_rates(Json& answers, const std::vector<Measurement>& rows,
               const std::vector<analysis::BestRate>& best, const std::string& device, bool of_filters) {
  for (const analysis::BestRate& b : best) {
    if (b.device != device || b.study == "roofs" || (b.study == "diffusion") != of_filters) continue;
    if (!b.native && !b.portable) continue;
    const auto side = [&](const Measurement* m, const harness::Estimate& gain) {
      if (!m) return side_of("not measured");
      return side_of(
          value_text(m->metrics.front()) + " " + m->metrics.front().unit, m->variant,
          gain.blocks > 0 ? Json({fmt::format("{:.1f}", gain.value), b.original->variant}) : Json(),
          Json::array({m - rows.data()}));
    };
    answers.push_back(
        {{"what", title_of(b.study) + ", best rate, " + problem_words(b.native ? *b.native : *b.portable)},
         {"sides", {side(b.native, b.native_gain), side(b.portable, b.portable_gain)}},
         {"has_intervals", false},
         {"ratio", b.ratio.blocks > 0 ? Json(harness::text_of(b.ratio, {1, 2})) : Json("-")}});
  }
}

/// Over the original work's own program, of one problem: the one with both sides, and of these the one whose
/// native speed-up is the most certain.
void add_speed_up(Json& answers, const analysis::Origin& origin,
                  const std::vector<analysis::SpeedUp>& speed_ups) {
  const auto least = [](const analysis::SpeedUp& s) {
    const auto& interval = s.factor.interval;
    return std::pair(interval.has_value(), interval ? interval->low : s.factor.value);
  };
  std::map<std::string, std::map<harness::Family, const analysis::SpeedUp*>> by_problem;
  std::set<harness::Family> measured;
  for (const analysis::SpeedUp& s : speed_ups) {
    const harness::Family family = s.row->family;
    if (s.baseline != original_program ||
        (family != harness::Family::cuda && family != harness::Family::kokkos))
      continue;
    const analysis::SpeedUp*& kept = by_problem[s.problem][family];
    if (!kept || least(s) > least(*kept)) kept = &s;
    measured.insert(family);
  }
  const auto rank = [&least](const auto& sides) {
    return std::tuple(sides.size(), sides.count(harness::Family::cuda), least(*sides.begin()->second));
  };
  const auto best =
      std::max_element(by_problem.begin(), by_problem.end(),
                       [&rank](const auto& a, const auto& b) { return rank(a.second) < rank(b.second); });
  if (best == by_problem.end()) return;
  const auto side = [&](harness::Family family) {
    const auto found = best->second.find(family);
    if (found == best->second.end())
      return side_of(measured.count(family) ? "largest on another problem" : "not measured");
    const analysis::SpeedUp& s = *found->second;
    const auto place = [&origin](const Measurement* m) {
      return origin.places[std::size_t(m - origin.rows.data())];
    };
    return side_of(harness::text_of(s.factor, {1, 1}), s.variant, nullptr,
                   Json::array({place(s.row), place(s.base)}));
  };
  answers.push_back(
      {{"what", fmt::format("Diffusion filter, speed-up over the original {}, {}", original_program,
                            problem_words(*best->second.begin()->second->row))},
       {"sides", {side(harness::Family::cuda), side(harness::Family::kokkos)}},
       {"has_intervals", true},
       {"ratio", "-"}});
}

/// What a plain launch costs on both sides: of the run that knows its ratio best.
void add_launch(Json& answers, const std::vector<Measurement>& rows, const std::vector<analysis::Pair>& pairs,
                const std::string& device, const char* quantity, const char* words, const char* native) {
  const auto rank = [](const analysis::Pair& p) {
    const auto& interval = p.ratio.interval;
    return std::tuple(-p.native->integer("argument_bytes"), -p.native->integer("blocks"),
                      interval.has_value(), interval ? (interval->low - interval->high) / p.ratio.value : 0.0,
                      p.native->run.id);
  };
  const analysis::Pair* best = nullptr;
  for (const analysis::Pair& p : pairs)
    if (p.native->study == "launch" && p.native->run.device == device &&
        p.native->word("quantity") == quantity && p.native->variant == native &&
        p.portable->variant == "kokkos-kernel" && (!best || rank(p) > rank(*best)))
      best = &p;
  if (!best) return;
  const auto side = [&rows](const Measurement* m) {
    return side_of(harness::text_of(m->host(), {1e6, 2}) + " \u00b5s", m->variant, nullptr,
                   Json::array({m - rows.data()}));
  };
  answers.push_back({{"what", fmt::format("Launch, {}", words)},
                     {"sides", {side(best->native), side(best->portable)}},
                     {"has_intervals", true},
                     {"ratio", harness::text_of(best->ratio, {1, 2})}});
}

/// Which way of launching pays on a device, by the costs of launches of its latest run that has all of them.
Json guide_of(const harness::Records& records, const std::string& device) {
  const harness::Environment* latest = nullptr;
  analysis::Costs costs;
  for (const harness::Environment& e : records.environments) {
    if (e.run.device != device || (latest && latest->time > e.time)) continue;
    harness::Records of_run;
    of_run.environments = {e};
    for (const Measurement& m : records.measurements)
      if (m.run.id == e.run.id && m.study == "launch") of_run.measurements.push_back(m);
    try {
      if (of_run.measurements.empty()) continue;
      const analysis::Costs found = analysis::costs_of(of_run);
      if (!found.family.count("cuda")) continue;
      costs = found, latest = &e;
    } catch (const runtime::UsageError&) {  // it lacks some
    }
  }
  if (!latest) return nullptr;
  Json lines = Json::array();
  for (const analysis::Advice& a : analysis::guide_of(costs, costs.family.at("cuda"), guide_kernels)) {
    Json ways = Json::array();
    for (const double s : {a.stream, a.graph, a.dependent, a.barrier, a.fused})
      ways.push_back({{"us", s > 0 ? Json(fmt::format("{:.2f}", 1e6 * s)) : Json("-")}, {"pays", a.pays(s)}});
    lines.push_back({{"us", fmt::format("{:.1f}", 1e6 * a.kernel)},
                     {"ways", std::move(ways)},
                     {"graph_from", a.pays(a.graph) ? fmt::format("{:.0f}", std::ceil(a.break_even)) : "-"}});
  }
  return {{"run", latest->run.id}, {"kernels", guide_kernels}, {"lines", std::move(lines)}};
}

/// The speed-up of the device's latest rows that have one.
void add_latest_speed_up(Json& answers, const Findings& found, const std::string& device) {
  Json latest;
  std::string time;  // a run's identity begins with it
  for (std::size_t k = 0; k < found.origins.size(); ++k) {
    const std::vector<Measurement>& rows = found.origins[k].rows;
    if (rows.front().run.device != device) continue;
    Json here = Json::array();
    add_speed_up(here, found.origins[k], found.diffusion[k].speed_ups);
    std::string last;
    for (const Measurement& m : rows) last = std::max(last, m.run.id);
    if (!here.empty() && last > time) latest = here.front(), time = last;
  }
  if (!latest.is_null()) answers.push_back(latest);
}

}  // namespace

Json answers_of(const harness::Records& records, const Findings& found) {
  const std::vector<Measurement>& rows = records.measurements;
  Json all = Json::array();
  std::set<std::string> devices;
  for (const Measurement& m : rows) {
    const std::string& device = m.run.device;
    if (!devices.insert(device).second) continue;
    Json answers = Json::array();
    add_rates(answers, rows, found.best, device, true);
    add_latest_speed_up(answers, found, device);
    add_launch(answers, rows, found.pairs, device, "dispatch", "what the launching call costs",
               "cuda-kernel");
    add_launch(answers, rows, found.pairs, device, "null-overhead", "one more empty loop", "openmp-kernel");
    add_rates(answers, rows, found.best, device, false);
    if (!answers.empty())
      all.push_back(
          {{"device", device}, {"answers", std::move(answers)}, {"guide", guide_of(records, device)}});
  }
  return all;
}

}  // namespace parity::commands
