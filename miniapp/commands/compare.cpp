// SPDX-License-Identifier: BSD-3-Clause
// parity compare: which rows changed between two files of records, beyond their noise.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "commands/commands.hpp"
#include "study/error.hpp"
#include "study/records.hpp"

namespace parity::commands {
namespace {

struct Options {
  std::string before, after;
  double factor = 1.1;
};

std::map<std::string, nlohmann::json> measurements(const std::string& path) {
  std::map<std::string, nlohmann::json> rows;
  for (nlohmann::json& r : study::read_records(path)) {
    if (r["type"] != "measurement") continue;
    const bool complete =
        r.contains("/host_seconds/median"_json_pointer) && r.contains("/host_seconds/low"_json_pointer) &&
        r.contains("/host_seconds/high"_json_pointer) && r.contains("/verification/passed"_json_pointer);
    if (!complete)
      throw study::UsageError(fmt::format("{}: holds a measurement without times or verdict", path));
    const std::string key = study::key(r);  // before r is moved from
    rows[key] = std::move(r);
  }
  if (rows.empty()) throw study::UsageError(fmt::format("{}: holds no measurement", path));
  return rows;
}

int run(const Options& o) {
  const auto before = measurements(o.before), after = measurements(o.after);
  int common = 0, faster = 0, slower = 0, too_slow = 0, wrong = 0;
  for (const auto& [key, b] : after) {
    const auto at = before.find(key);
    if (!b["verification"]["passed"].get<bool>()) {
      fmt::print("WRONG     {}\n", key);
      ++wrong;
      ++common;
      continue;
    }
    if (at == before.end() || !at->second["verification"]["passed"].get<bool>()) continue;
    ++common;
    const auto &s = at->second["host_seconds"], &t = b["host_seconds"];
    const double old_median = s["median"], new_median = t["median"], ratio = new_median / old_median;
    const bool up = t["low"].get<double>() > s["high"].get<double>(),
               down = t["high"].get<double>() < s["low"].get<double>();
    if (!up && !down) continue;
    const bool failed = up && ratio > o.factor;
    (up ? slower : faster) += 1;
    too_slow += failed;
    fmt::print("{:<9} {}  {:.4g} ms -> {:.4g} ms (x{:.3f})\n",
               failed ? "TOO SLOW"
               : up   ? "slower"
                      : "faster",
               key, 1e3 * old_median, 1e3 * new_median, ratio);
  }
  if (common == 0) throw study::UsageError(fmt::format("{} and {} have no row in common", o.before, o.after));
  fmt::print(
      "{} rows in common: {} faster, {} slower beyond their noise, {} of them by more than x{}; {} wrong\n",
      common, faster, slower, too_slow, o.factor, wrong);
  return too_slow + wrong > 0 ? study::exit_check_failed : study::exit_ok;
}

}  // namespace

Action add_compare(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c =
      app.add_subcommand("compare", "Rows that changed between two files of records, beyond their noise");
  c->add_option("before", o->before, "Records to compare with")->required();
  c->add_option("after", o->after, "Records to judge")->required();
  c->add_option("--factor", o->factor,
                "A row slower by more than this, beyond its noise, fails (exit code 1)")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str();
  return [o] { return run(*o); };
}

}  // namespace parity::commands
