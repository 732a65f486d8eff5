// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/cells.hpp"

#include <map>
#include <tuple>

#include "analysis/pairs.hpp"
#include "harness/statistics.hpp"

namespace parity::analysis {
namespace {

using harness::Family;
using harness::Measurement;

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
