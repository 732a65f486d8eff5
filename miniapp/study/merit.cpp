// SPDX-License-Identifier: BSD-3-Clause
#include "study/merit.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "study/error.hpp"

namespace parity::study {
namespace {

using Json = nlohmann::json;

std::string name_of(const Json& r) {
  const std::string tuning = r.value("tuning", "");
  return r.value("study", "") + "/" + r.value("variant", "") + (tuning.empty() ? "" : "/" + tuning);
}

std::string problem_of(const Json& problem) {
  std::string text;
  for (const auto& [key, value] : problem.items())
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", key,
                        value.is_string() ? value.get<std::string>() : value.dump());
  return text;
}

double median_of(const Json& r) {
  const auto at = "/host_seconds/median"_json_pointer;
  if (!r.contains(at) || !r[at].is_number())
    throw UsageError(fmt::format("{}: holds no time; give records written by 'parity measure'", name_of(r)));
  return r[at];
}

Merit figure_of(const Json& r) {
  const Json& p = r["problem"];
  const double seconds = median_of(r);
  Merit m{name_of(r), problem_of(p), "throughput", 0, ""};
  if (r["study"] == "diffusion") {
    m.value = p["nx"].get<double>() * p["ny"].get<double>() * p["nz"].get<double>() *
              p["steps"].get<double>() / seconds / 1e9;
    m.unit = "Gpt/s";
  } else if (r["study"] == "kde") {
    m.value = r.value("pairs", 0.0) / seconds / 1e9;
    m.unit = "Gpair/s";
  } else {
    m.metric = "time", m.value = 1e6 * seconds, m.unit = "us";
  }
  return m;
}

/// What rows that can be compared share: run, study, problem, mechanism, kernel.
using Place = std::tuple<int, std::string, std::string, std::string, std::string>;

}  // namespace

Merits merits_of(const std::vector<Json>& records) {
  Merits merits;
  std::vector<Place> order;
  std::map<Place, const Json*> fastest;
  int run = 0;
  for (const Json& r : records) {
    if (r.value("type", "") == "environment") ++run;
    if (r.value("type", "") != "measurement") continue;
    if (!r.value("/verification/passed"_json_pointer, false)) {
      ++merits.wrong;
      continue;
    }
    ++merits.verified;
    if (median_of(r) <= 0) continue;  // a difference of times that was lost in noise has no figure
    merits.figures.push_back(figure_of(r));
    const Place place{run, r["study"], problem_of(r["problem"]), r.value("mechanism", ""),
                      r.value("kernel", "")};
    const Json*& best = fastest[place];
    if (!best) order.push_back(place);
    if (!best || median_of(r) < median_of(*best)) best = &r;
  }
  for (const Place& place : order) {
    const Json& portable = *fastest[place];
    const std::string twin = portable.value("twin", "");
    Place there = place;
    std::get<4>(there) = twin;
    const auto native = twin.empty() ? fastest.end() : fastest.find(there);
    if (native == fastest.end()) continue;
    const std::string full = name_of(*native->second);
    merits.figures.push_back({name_of(portable), std::get<2>(place),
                              "ratio:" + full.substr(full.find('/') + 1),
                              median_of(*native->second) / median_of(portable), "1"});
  }
  return merits;
}

}  // namespace parity::study
