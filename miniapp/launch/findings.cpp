// SPDX-License-Identifier: BSD-3-Clause
#include "launch/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parity::launch {
namespace {

Figure figure_of(const nlohmann::json& r) {
  const auto& s = r["host_seconds"];
  return {s["median"], s["low"], s["high"]};
}

template <class T, class Same>
T& find_or_add(std::vector<T>& all, T candidate, const Same& same) {
  const auto found = std::find_if(all.begin(), all.end(), same);
  if (found != all.end()) return *found;
  all.push_back(std::move(candidate));
  return all.back();
}

Sweep& sweep(std::vector<Sweep>& all, const std::string& variant, const std::string& title) {
  return find_or_add(all, Sweep{variant, title, {}},
                     [&](const Sweep& s) { return s.variant == variant && s.title == title; });
}

}  // namespace

Findings findings_of(const std::vector<nlohmann::json>& records) {
  Findings found;
  std::vector<const nlohmann::json*> rows;
  std::vector<int> run_of;  // rows of one run share a number: an environment opens each
  int run = 0;
  for (const auto& r : records) {
    if (r.value("type", "") == "environment") ++run;
    if (r.value("type", "") == "measurement" && r.value("study", "") == "launch" &&
        r.value("/verification/passed"_json_pointer, false)) {
      rows.push_back(&r);
      run_of.push_back(run);
    }
  }
  const auto is_figure = [](const std::string& q) {
    return q == "null-overhead" || q == "dispatch" || q == "fusion-overhead" || q == "other-overhead" ||
           q == "total-overhead" || q == "latency";
  };
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const nlohmann::json* const r = rows[k];
    const auto& p = (*r)["problem"];
    const std::string q = p["quantity"], variant = (*r)["variant"], unit = p["unit"];
    const bool plain =
        p["blocks"] == 1 && p["threads"] == 128 && p["argument_bytes"] == 0 && p["devices"] == 1;
    if (plain && is_figure(q)) {
      const auto add = [&](const std::string& of_unit) {
        auto& f =
            find_or_add(found.functions, LaunchFunction{variant, of_unit, {}},
                        [&](const LaunchFunction& x) { return x.variant == variant && x.unit == of_unit; });
        f.figures.emplace(q, figure_of(*r));
      };
      add(unit);
      // Figures without work units belong to both kinds.
      if (q == "null-overhead" || q == "dispatch" || q == "latency") add("nanosleep");
    }
    if (q.rfind("graph-", 0) == 0 || q == "node")
      sweep(found.graphs, variant, p["topology"]).rows[p["launches"]].emplace(q, figure_of(*r));
    if (q == "barrier")
      sweep(found.barriers, variant, p["devices"] == 1 ? "" : fmt::format("{} GPUs", p["devices"].get<int>()))
          .rows[p["blocks"]]
          .emplace(fmt::format("{:4d}", p["threads"].get<int>()), figure_of(*r));
    const std::string twin = r->value("twin", "");
    if (twin.empty() || q == "copy" || q == "multiply-add" || q == "exponential") continue;
    for (std::size_t other = 0; other < rows.size(); ++other) {
      // Only of the same run: a host's pace changes from run to run by more than what is compared.
      const nlohmann::json* const n = rows[other];
      if (run_of[other] != run_of[k] || (*n)["variant"] != twin || (*n)["problem"] != p) continue;
      found.portable.push_back(
          {variant, twin, q,
           fmt::format("{}x{}, {} B, x{}{}", p["blocks"].get<int>(), p["threads"].get<int>(),
                       p["argument_bytes"].get<int>(), p["launches"].get<int>(),
                       p["topology"] == "fork" ? ", fork" : ""),
           figure_of(*n),
           study::difference_of_medians((*r)["host_seconds"]["samples"], (*n)["host_seconds"]["samples"])});
      break;
    }
  }
  // A function that has only figures without units on one side says nothing there.
  found.functions.erase(std::remove_if(found.functions.begin(), found.functions.end(),
                                       [](const LaunchFunction& f) {
                                         return f.unit == "nanosleep" && !f.figures.count("fusion-overhead");
                                       }),
                        found.functions.end());
  return found;
}

}  // namespace parity::launch
