// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "harness/statistics.hpp"
#include "runtime/text.hpp"

namespace parity::analysis {
namespace {

using harness::Family;
using harness::Tier;

/// Run, study, problem, mechanism and kernel. The two sides of a pair differ in the kernel alone.
using PlaceOfRow = std::tuple<std::string, std::string, std::string, std::string, std::string>;

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
    if (native == fastest.end()) continue;
    Pair p;
    p.portable = &portable;
    p.native = native->second;
    p.ratio = harness::time_ratio(*p.native, *p.portable);
    p.difference = harness::time_difference(*p.portable, *p.native);
    if (p.ratio.processes == 0) continue;  // they never ran in one process
    pairs.push_back(p);
  }
  return pairs;
}

const Pair* pair_of(const std::vector<Pair>& pairs, const Measurement& row) {
  for (const Pair& p : pairs)
    if (p.portable == &row) return &p;
  return nullptr;
}

std::string place_of(const Pair& p) {
  return p.portable->study + " " + p.portable->variant + " " + p.native->kernel + " " +
         p.portable->problem_text();
}

std::string algorithm_name(const Measurement& row) {
  std::string name = row.kernel.substr(row.kernel.find('-') + 1);
  const std::string suffix = "-tuned";
  if (row.tier == Tier::tuned && runtime::ends_with(name, suffix)) name.resize(name.size() - suffix.size());
  return name;
}

const Measurement& Cells::fastest_native() const {
  const Measurement* fastest = nullptr;
  for (const Which which : {native, native_tuned, native_only})
    if (cells[which].row) keep_faster(fastest, *cells[which].row);
  return *fastest;
}

std::vector<Cells> cells_of(const std::vector<Measurement>& rows) {
  using ByTier = std::array<const Measurement*, 3>;
  const auto place = [](const Measurement& m) -> std::size_t {
    return m.tier == Tier::first ? 0 : m.tier == Tier::tuned ? 1 : 2;
  };
  std::map<std::pair<CellKey, Family>, ByTier> natives;
  std::map<std::pair<CellKey, std::string>, ByTier> portables;  // by mechanism, too
  std::vector<std::pair<CellKey, std::string>> order;
  for (const Measurement& m : rows) {
    if (!m.comparable() || m.tier == Tier::further) continue;
    if (m.family == Family::kokkos) {
      const auto [at, is_new] = portables.try_emplace({key_of(m), m.mechanism});
      if (is_new) order.push_back(at->first);
      keep_faster(at->second[place(m)], m);
    } else if (native_mechanism(m) == m.mechanism) {  // in a Kokkos graph it is not purely native
      keep_faster(natives[{key_of(m), m.family}][place(m)], m);
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
    for (std::size_t k = 0; k < 3; ++k) c.cells[k].row = portable[k], c.cells[3 + k].row = native->second[k];
    for (Implementation& cell : c.cells)
      if (cell.row) cell.speed = harness::time_ratio(c.fastest_native(), *cell.row);
    if (std::any_of(c.cells.begin(), c.cells.begin() + 3,
                    [](const Implementation& cell) { return cell.row && cell.speed.processes > 0; }))
      all.push_back(c);
  }
  return all;
}

std::vector<CellTable> tables_of(const std::vector<Cells>& cells) {
  constexpr std::pair<Cells::Which, const char*> heads[] = {
      {Cells::kokkos, "Kokkos, first"},       {Cells::kokkos_tuned, "Kokkos, tuned"},
      {Cells::kokkos_only, "Kokkos"},         {Cells::native, "native, first"},
      {Cells::native_tuned, "native, tuned"}, {Cells::native_only, "native"}};
  std::map<std::pair<bool, bool>, CellTable> tables;  // key: Kokkos, native code have one form
  for (const Cells& c : cells)
    tables[{c[Cells::kokkos_only].row, c[Cells::native_only].row}].lines.push_back(c);
  std::vector<CellTable> all;
  for (auto& [key, table] : tables) {
    for (const auto& [which, head] : heads)
      if (std::any_of(table.lines.begin(), table.lines.end(),
                      [w = which](const Cells& c) { return c[w].row != nullptr; }))
        table.heads.emplace_back(head), table.columns.push_back(which);
    all.push_back(std::move(table));
  }
  return all;
}

}  // namespace parity::analysis
