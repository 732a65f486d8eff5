// SPDX-License-Identifier: BSD-3-Clause
#include "commands/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/error.hpp"
#include "study/suggest.hpp"

namespace parity::commands {
namespace {

using study::Row;

bool timed(const Row& r) { return !r.samples.host_seconds.empty(); }
double seconds(const Row& r) { return r.host().median; }

/// Grid points updated in a second, in units of 1e9.
double gigapoints(const Row& r) {
  const auto& p = r.problem;
  return p["nx"].get<double>() * p["ny"].get<double>() * p["nz"].get<double>() * p["steps"].get<double>() /
         seconds(r) * 1e-9;
}

const Row* fastest(const std::vector<Row>& rows, bool (*wanted)(const Row&)) {
  const Row* best = nullptr;
  for (const Row& r : rows)
    if (timed(r) && wanted(r) && (!best || seconds(r) < seconds(*best))) best = &r;
  return best;
}

std::string percent(double share) {
  return share < 9.995 ? fmt::format("{:.0f} %", 100 * share) : fmt::format("{:.0f}x", share);
}

std::string ratio_text(const Row& r, const Row* base) {
  if (&r == base) return "baseline";
  const study::Ratio q = study::ratio_of_medians(base->samples.host_seconds, r.samples.host_seconds);
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", q.value, q.low, q.high);
}

void print_diffusion_table(const std::vector<Row>& rows, const Row* base) {
  fmt::print("{:<34} {:>10} {:>7} {:>10} {:>9} {:>22} {:>7} {:>9} {}\n", "variant", "time ms", "+-",
             "us a step", "Gpt/s", "vs baseline", "floor", "error", "verdict");
  for (const Row& r : rows) {
    if (!timed(r)) {
      fmt::print("{:<34} {:>10} {:>7} {:>10} {:>9} {:>22} {:>7} {:>9.1e} WRONG (tolerance {:.0e})\n",
                 r.study + "/" + r.name(), "-", "-", "-", "-", "-", "-", r.verdict.error,
                 r.verdict.tolerance);
      continue;
    }
    const study::Summary s = r.host();
    fmt::print("{:<34} {:>10.3f} {:>7} {:>10.3f} {:>9.3f} {:>22} {:>7} {:>9.1e} ok\n",
               r.study + "/" + r.name(), 1e3 * s.median,
               fmt::format("{:.1f} %", 100 * s.relative_half_width()),
               1e6 * s.median / r.problem["steps"].get<double>(), gigapoints(r), ratio_text(r, base),
               percent(r.floor_share()), r.verdict.error);
  }
  fmt::print(
      "vs baseline: baseline time / time, with its 95 % interval. floor: share of one read and one write a "
      "point and\n"
      "step at the speed of a copy of the same fields, measured here; above 100 % planes stay on chip over "
      "the steps.\n");
}

void print_kde_table(const std::vector<Row>& rows, const Row* base) {
  fmt::print("{:<34} {:>12} {:>7} {:>12} {:>8} {:>9} {:>24} {:>9} {}\n", "variant", "time ms", "+-",
             "pairs/s", "ceiling", "occupancy", "vs baseline", "error", "verdict");
  for (const Row& r : rows) {
    const std::string name = r.study + "/" + r.name();
    if (!timed(r)) {
      fmt::print("{:<34} {:>12} {:>7} {:>12} {:>8} {:>9} {:>24} {:>9.1e} WRONG (tolerance {:.0e})\n", name,
                 "-", "-", "-", "-", "-", "-", r.verdict.error, r.verdict.tolerance);
      continue;
    }
    fmt::print("{:<34} {:>12.4f} {:>7} {:>12.3e} {:>8} {:>9} {:>24} {:>9.1e} {}\n", name, 1e3 * seconds(r),
               fmt::format("{:.1f} %", 100 * r.host().relative_half_width()), r.pairs_per_second(),
               r.pair_ceiling > 0 ? percent(r.pairs_per_second() / r.pair_ceiling) : "-",
               r.occupancy > 0 ? percent(r.occupancy) : "-", ratio_text(r, base), r.verdict.error,
               r.verdict.reference.rfind("the study's", 0) == 0 ? "ok (something else)" : "ok");
  }
  fmt::print(
      "vs baseline: baseline time / time, with its 95 % interval. pairs/s: n^2 / time, whatever a variant "
      "computes.\n"
      "ceiling: share of one exponential a pair at the special-function units' rate (float, GPU).\n");
}

}  // namespace

const Row* find_baseline(const std::vector<Row>& rows, const std::string& name) {
  if (!name.empty()) {
    std::vector<std::string> names;
    const Row* found = nullptr;
    for (const Row& r : rows) {
      names.push_back(r.name());
      const std::string full = r.study + "/" + r.name();
      if (!found && timed(r) &&
          (r.name() == name || r.variant == name || full == name || r.study + "/" + r.variant == name))
        found = &r;
    }
    if (!found)
      throw study::UsageError(
          fmt::format("--baseline {}: no such row was measured{}", name, study::did_you_mean(name, names)));
    return found;
  }
  const Row* native = fastest(rows, [](const Row& r) {
    return !r.floor && (r.family == study::Family::openmp || r.family == study::Family::cuda);
  });
  const Row* const any = native ? native : fastest(rows, [](const Row& r) { return !r.floor; });
  return any ? any : fastest(rows, [](const Row&) { return true; });
}

void print_table(const std::vector<Row>& rows, const std::string& baseline) {
  const Row* const base = find_baseline(rows, baseline);
  if (rows.front().study == "kde")
    print_kde_table(rows, base);
  else
    print_diffusion_table(rows, base);
}

void print_pairs(const std::vector<Row>& rows) {
  bool first = true;
  for (const Row& portable : rows) {
    if (portable.family != study::Family::kokkos || !timed(portable)) continue;
    // A Kokkos graph is compared with the native capture of the same schedule.
    const std::string mechanism =
        portable.mechanism.rfind("kokkos-", 0) == 0 ? portable.mechanism.substr(7) : portable.mechanism;
    const Row* native = nullptr;
    for (const Row& r : rows)
      if (!portable.twin.empty() && r.kernel == portable.twin && r.mechanism == mechanism && timed(r) &&
          (!native || seconds(r) < seconds(*native)))
        native = &r;
    if (!native) continue;
    const study::Ratio q =
        study::ratio_of_medians(native->samples.host_seconds, portable.samples.host_seconds);
    if (first) fmt::print("\nportable / native (native time / portable time; 1 is parity)\n");
    first = false;
    fmt::print("  {:<30} / {:<30} {:.3f} [{:.3f}, {:.3f}]\n", portable.name(), native->name(), q.value, q.low,
               q.high);
  }
}

namespace {

std::string kde_csv(const std::vector<Row>& rows, const Row* base) {
  std::string text =
      "study,variant,tuning,family,n,bandwidth,distribution,precision,median_s,low_s,high_s,device_median_s,"
      "setup_s,"
      "end_to_end_s,pairs_per_s,ceiling,occupancy,ratio,ratio_low,ratio_high,error,tolerance,passed\n";
  for (const Row& r : rows) {
    const auto& p = r.problem;
    const study::Summary s = r.host(), d = study::summarise(r.samples.device_seconds);
    const study::Ratio q =
        base ? study::ratio_of_medians(base->samples.host_seconds, r.samples.host_seconds) : study::Ratio{};
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", r.study,
                        r.variant, r.tuning, study::name(r.family), p["n"].get<std::int64_t>(),
                        p["bandwidth"].get<double>(), p["distribution"].get<std::string>(),
                        p["precision"].get<std::string>(), s.median, s.low, s.high, d.median, r.setup_seconds,
                        r.end_to_end_seconds(), r.pairs_per_second(), r.pair_ceiling, r.occupancy, q.value,
                        q.low, q.high, r.verdict.error, r.verdict.tolerance, int(r.verdict.passed()));
  }
  return text;
}

}  // namespace

std::string to_csv(const std::vector<Row>& rows, const std::string& baseline) {
  const Row* const base = find_baseline(rows, baseline);
  if (rows.front().study == "kde") return kde_csv(rows, base);
  std::string text =
      "study,variant,tuning,family,nx,ny,nz,steps,precision,median_s,low_s,high_s,device_median_s,setup_s,"
      "record_s,end_to_end_s,"
      "gigapoints_per_s,ratio,ratio_low,ratio_high,floor_share,error,tolerance,passed\n";
  for (const Row& r : rows) {
    const auto& p = r.problem;
    const study::Summary s = r.host(), d = study::summarise(r.samples.device_seconds);
    const study::Ratio q =
        base ? study::ratio_of_medians(base->samples.host_seconds, r.samples.host_seconds) : study::Ratio{};
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", r.study,
                    r.variant, r.tuning, study::name(r.family), p["nx"].get<std::int64_t>(),
                    p["ny"].get<std::int64_t>(), p["nz"].get<std::int64_t>(), p["steps"].get<std::int64_t>(),
                    p["precision"].get<std::string>(), s.median, s.low, s.high, d.median, r.setup_seconds,
                    r.record_seconds, r.end_to_end_seconds(), timed(r) ? gigapoints(r) : 0.0, q.value, q.low,
                    q.high, r.floor_share(), r.verdict.error, r.verdict.tolerance, int(r.verdict.passed()));
  }
  return text;
}

}  // namespace parity::commands
