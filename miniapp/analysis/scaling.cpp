// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/scaling.hpp"

#include <map>
#include <string>
#include <tuple>

#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::analysis {
namespace {

using harness::Measurement;
using runtime::ends_with;

std::int64_t integer_or(const Measurement& m, const char* parameter, std::int64_t standard) {
  return m.problem.count(parameter) ? m.integer(parameter) : standard;
}

/// Sizes along the axes that ranks share, and the ranks of each. A ring's samples are one such axis.
struct Shape {
  std::int64_t n[3] = {1, 1, 1};
  int ranks[3] = {1, 1, 1};
  int all_ranks() const { return ranks[0] * ranks[1] * ranks[2]; }
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  Key whole() const { return {n[0], n[1], n[2]}; }
  std::optional<Key> part() const {
    for (int k = 0; k < 3; ++k)
      if (n[k] % ranks[k] != 0) return std::nullopt;
    return Key(n[0] / ranks[0], n[1] / ranks[1], n[2] / ranks[2]);
  }
};

bool is_ring(const Measurement& m) { return m.study == "kde"; }

bool counts(const Measurement& m) {
  if (!m.comparable()) return false;
  if (is_ring(m)) return m.problem.count("n") && ends_with(m.kernel, "-ring");
  return m.study == "diffusion" && m.method.empty() && m.problem.count("nx") && m.problem.count("steps");
}

Shape shape_of(const Measurement& m) {
  if (is_ring(m)) return {{m.integer("n"), 1, 1}, {int(integer_or(m, "ranks", 1)), 1, 1}};
  return {
      {m.integer("nx"), m.integer("ny"), m.integer("nz")},
      {int(integer_or(m, "ranks_x", 1)), int(integer_or(m, "ranks_y", 1)), int(integer_or(m, "ranks_z", 1))}};
}

double seconds_of(const Measurement& m) {
  return is_ring(m) ? m.host().value : m.host().value / double(m.integer("steps"));
}

/// Rows that do the same on the same device: they differ in their size, their ranks and who carries messages,
/// which one rank has none of.
using SameWork = std::tuple<std::string, std::string, std::string, std::string, std::int64_t, std::string>;
SameWork same_work_of(const Measurement& m) {
  const std::string kernel =
      ends_with(m.kernel, "-nccl") ? m.kernel.substr(0, m.kernel.size() - 5) : m.kernel;
  return {m.study + " " + kernel,   m.mechanism, m.tuning, m.word("precision"),
          integer_or(m, "halo", 2), m.run.device};
}

}  // namespace

std::vector<ScaledRow> scaled_rows(const std::vector<Measurement>& rows) {
  std::map<std::pair<SameWork, Shape::Key>, const Measurement*> alone;
  for (const Measurement& m : rows)
    if (counts(m) && shape_of(m).all_ranks() == 1)
      alone.try_emplace({same_work_of(m), shape_of(m).whole()}, &m);
  std::vector<ScaledRow> scaled;
  for (const Measurement& m : rows) {
    if (!counts(m) || shape_of(m).all_ranks() == 1) continue;
    const Shape shape = shape_of(m);
    ScaledRow s{&m, shape.all_ranks(), seconds_of(m), {}, {}};
    if (const auto part = shape.part(); part && !is_ring(m))  // a ring's parts are no problem of their own
      if (const auto one = alone.find({same_work_of(m), *part}); one != alone.end())
        s.weak = seconds_of(*one->second) / s.seconds;
    if (const auto one = alone.find({same_work_of(m), shape.whole()}); one != alone.end())
      s.strong = seconds_of(*one->second) / (s.ranks * s.seconds);
    scaled.push_back(s);
  }
  if (scaled.empty())
    throw runtime::UsageError(
        "no verified row of several ranks is in these records: measure jobs/plans/scaling_weak.toml or "
        "scaling_strong.toml under mpirun");
  return scaled;
}

}  // namespace parity::analysis
