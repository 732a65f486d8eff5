// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pairs.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "harness/statistics.hpp"

namespace parity::analysis {
namespace {

using harness::Family;

/// What the two sides of a pair share, but for the kernel: run, study, problem, mechanism.
using PlaceOfRow = std::tuple<std::string, std::string, std::string, std::string, std::string>;

constexpr const char* tuned_suffix = "-tuned";

bool is_tuned(const Measurement& m) {
  const std::size_t n = std::string(tuned_suffix).size();
  return m.kernel.size() > n && m.kernel.compare(m.kernel.size() - n, n, tuned_suffix) == 0;
}

/// Run, study, problem, algorithm, mechanism of the native side.
using CellKey = std::tuple<std::string, std::string, std::string, std::string, std::string>;

CellKey key_of(const Measurement& m) {
  return {m.run.id, m.study, m.problem_text(), algorithm_name(m), native_mechanism(m)};
}

void keep_faster(const Measurement*& kept, const Measurement& m) {
  if (!kept || m.host().value < kept->host().value) kept = &m;
}

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

std::string algorithm_name(const Measurement& row) {
  std::string name = row.kernel.substr(row.kernel.find('-') + 1);
  if (is_tuned(row)) name.resize(name.size() - std::string(tuned_suffix).size());
  return name;
}

const Measurement& Cells::fastest_native() const {
  const Measurement *a = cells[native].row, *b = cells[native_tuned].row;
  return !b || (a && a->host().value < b->host().value) ? *a : *b;
}

std::vector<Cells> cells_of(const std::vector<Measurement>& rows) {
  std::map<std::pair<CellKey, Family>, std::array<const Measurement*, 2>> natives;  // first, tuned
  std::map<std::pair<CellKey, std::string>, std::array<const Measurement*, 2>>
      portables;  // by mechanism, too
  std::vector<std::pair<CellKey, std::string>> order;
  for (const Measurement& m : rows) {
    if (!m.comparable()) continue;
    if (m.family == Family::kokkos) {
      const auto [at, is_new] = portables.try_emplace({key_of(m), m.mechanism});
      if (is_new) order.push_back(at->first);
      keep_faster(at->second[is_tuned(m)], m);
    } else {
      keep_faster(natives[{key_of(m), m.family}][is_tuned(m)], m);
    }
  }
  std::vector<Cells> all;
  for (const auto& key : order) {
    auto native = natives.find({key.first, Family::cuda});
    if (native == natives.end()) native = natives.find({key.first, Family::openmp});
    if (native == natives.end()) continue;
    const auto& portable = portables.at(key);
    Cells c;
    c.study = std::get<1>(key.first), c.algorithm = std::get<3>(key.first);
    c.cells = {Implementation{portable[0], {}}, Implementation{portable[1], {}},
               Implementation{native->second[0], {}}, Implementation{native->second[1], {}}};
    for (Implementation& cell : c.cells)
      if (cell.row) cell.speed = harness::time_ratio(c.fastest_native(), *cell.row);
    const auto paired = [](const Implementation& cell) { return cell.row && cell.speed.blocks > 0; };
    if (paired(c[Cells::kokkos]) || paired(c[Cells::kokkos_tuned])) all.push_back(c);
  }
  return all;
}

std::string text(const Cells& cells, Cells::Which which) {
  const Implementation& cell = cells[which];
  if (cell.row == &cells.fastest_native()) return "1";
  return cell.row && cell.speed.blocks > 0 ? harness::ratio_text(cell.speed, 2) : "-";
}

}  // namespace parity::analysis
