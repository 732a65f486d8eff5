// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace parity::analysis {
namespace {

using harness::Measurement;

/// What the two sides of a pair share, but for the kernel: run, study, problem, mechanism.
using Place = std::tuple<std::string, std::string, std::string, std::string, std::string>;

/// A Kokkos graph's twin is the native capture of the same schedule.
std::string native_mechanism(const Measurement& m) {
  const std::string prefix = "kokkos-";
  return m.mechanism.rfind(prefix, 0) == 0 ? m.mechanism.substr(prefix.size()) : m.mechanism;
}

}  // namespace

int Pair::samples() const {
  return int(std::min(portable->host_seconds.size(), native->host_seconds.size()));
}

std::vector<Pair> pairs_of(const std::vector<Measurement>& rows) {
  std::map<Place, const Measurement*> fastest;
  std::vector<Place> order;
  for (const Measurement& m : rows) {
    if (!m.comparable()) continue;
    const Place place{m.run.id, m.study, m.problem_text(), m.mechanism, m.kernel};
    const auto [at, is_new] = fastest.emplace(place, &m);
    if (is_new) order.push_back(place);
    if (m.host().median < at->second->host().median) at->second = &m;
  }
  std::vector<Pair> pairs;
  for (const Place& place : order) {
    const Measurement& portable = *fastest.at(place);
    if (portable.twin.empty()) continue;
    Place twin = place;
    std::get<3>(twin) = native_mechanism(portable);
    std::get<4>(twin) = portable.twin;
    const auto native = fastest.find(twin);
    if (native == fastest.end()) continue;
    Pair p;
    p.portable = &portable;
    p.native = native->second;
    p.ratio = harness::ratio_of_medians(p.native->host_seconds, p.portable->host_seconds);
    p.difference = harness::difference_of_medians(p.portable->host_seconds, p.native->host_seconds);
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
  return fmt::format("{:.3f} [{:.3f}, {:.3f}] n={}", p.ratio.value, p.ratio.low, p.ratio.high, p.samples());
}

}  // namespace parity::analysis
