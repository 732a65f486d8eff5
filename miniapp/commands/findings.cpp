// SPDX-License-Identifier: BSD-3-Clause
// parity findings: the first study's conclusions, computed from records.
#include "diffusion/findings.hpp"

#include <fmt/format.h>

#include <memory>

#include "commands/commands.hpp"
#include "study/error.hpp"
#include "study/records.hpp"

namespace parity::commands {
namespace {

struct Options {
  std::vector<std::string> records;
};

int run(const Options& o) {
  std::vector<nlohmann::json> records;
  for (const std::string& path : o.records)
    for (nlohmann::json& r : study::read_records(path)) records.push_back(std::move(r));
  const diffusion::Findings found = diffusion::findings_of(records);
  if (found.thresholds.empty() && found.break_even.empty() && found.speed_ups.empty())
    throw study::UsageError(fmt::format(
        "{}: nothing to conclude: give records of sweeps with a baseline (jobs/plans/figure*.toml)",
        fmt::join(o.records, " ")));
  if (!found.thresholds.empty()) {
    fmt::print("grid size from which a kernel beats the baseline's graph versions (two graphs, unrolled)\n");
    fmt::print("  {:<36} {:<8} {:>6} {:>7} {:>14} {:>16}\n", "kernel", "type", "nz", "N",
               "from n =", "published (P100)");
    for (const auto& t : found.thresholds)
      fmt::print("  {:<36} {:<8} {:>6} {:>7} {:>14} {:>16}\n", t.kernel, t.precision, t.nz, t.steps,
                 t.from ? std::to_string(*t.from) : fmt::format("not to {}", t.largest), t.published);
  }
  if (!found.break_even.empty()) {
    fmt::print("\nsteps from which a recorded version pays for its recording\n");
    fmt::print("  {:<44} {:<16} {:<8} {:>12} {:>14} {:>12} {:>12}\n", "variant", "grid", "type",
               "recording us", "saved us/step", "N computed", "N measured");
    for (const auto& b : found.break_even)
      fmt::print("  {:<44} {:<16} {:<8} {:>12.1f} {:>14.3f} {:>12} {:>12}\n", b.variant, b.grid, b.precision,
                 1e6 * b.record_seconds, 1e6 * b.saved_per_step,
                 b.steps ? fmt::format("{:.0f}", *b.steps) : "-",
                 b.measured_at ? std::to_string(*b.measured_at) : "never");
  }
  if (!found.speed_ups.empty()) {
    fmt::print("\nlargest speed-up over a baseline (published: 30 over CuPy on a P100)\n");
    for (const auto& s : found.speed_ups)
      fmt::print("  {:<40} {:>8.1f} times {:<18} at {}\n", s.variant, s.factor, s.baseline, s.problem);
  }
  return study::exit_ok;
}

}  // namespace

Action add_findings(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "findings",
      "The first study's conclusions from records of its sweeps: thresholds (Table 4), break-even steps of "
      "each graph version, largest speed-up");
  c->add_option("records", o->records, "Files of records, read together")->required();
  return [o] { return run(*o); };
}

}  // namespace parity::commands
