// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pairs.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "harness/statistics.hpp"

namespace parity::analysis {
namespace {

/// What the two sides of a pair share, but for the kernel: run, study, problem, mechanism.
using PlaceOfRow = std::tuple<std::string, std::string, std::string, std::string, std::string>;

}  // namespace

std::string native_mechanism(const Measurement& m) {
  const std::string prefix = "kokkos-";
  return m.mechanism.rfind(prefix, 0) == 0 ? m.mechanism.substr(prefix.size()) : m.mechanism;
}

std::vector<Pair> pairs_of(const std::vector<Measurement>& rows) {
  std::map<PlaceOfRow, const Measurement*> fastest;
  std::vector<PlaceOfRow> order;
  for (const Measurement& m : rows) {
    if (!m.comparable()) continue;
    const PlaceOfRow place{m.run.id, m.study, m.problem_text(), m.mechanism, m.kernel};
    const auto [at, is_new] = fastest.emplace(place, &m);
    if (is_new) order.push_back(place);
    if (m.host().value < at->second->host().value) at->second = &m;
  }
  std::vector<Pair> pairs;
  for (const PlaceOfRow& place : order) {
    const Measurement& portable = *fastest.at(place);
    if (portable.twin.empty()) continue;
    PlaceOfRow twin = place;
    std::get<3>(twin) = native_mechanism(portable);
    std::get<4>(twin) = portable.twin;
    const auto native = fastest.find(twin);
    if (native == fastest.end() || native->second->method != portable.method) continue;
    Pair p;
    p.portable = &portable;
    p.native = native->second;
    p.ratio = harness::time_ratio(*p.native, *p.portable);
    p.difference = harness::time_difference(*p.portable, *p.native);
    if (p.ratio.blocks == 0) continue;  // never in one process
    pairs.push_back(p);
  }
  return pairs;
}

const Pair* pair_of(const std::vector<Pair>& pairs, const Measurement& row) {
  for (const Pair& p : pairs)
    if (p.portable == &row) return &p;
  return nullptr;
}

std::string text(const Pair& p) {
  const harness::NumberFormat ratio;
  return p.ratio.interval ? fmt::format("{} n={}", harness::text_of(p.ratio, ratio), p.ratio.blocks)
                          : harness::text_of(p.ratio, ratio);
}

std::string place_of(const Pair& p) {
  return p.portable->study + " " + p.portable->variant + " " + p.native->kernel + " " +
         p.portable->problem_text();
}

}  // namespace parity::analysis
