// SPDX-License-Identifier: BSD-3-Clause
// parity findings: the original works' conclusions and tables and every pair, computed from records.
#include "analysis/diffusion_findings.hpp"

#include <fmt/format.h>

#include <memory>

#include "analysis/kde_findings.hpp"
#include "analysis/pairs.hpp"
#include "commands/commands.hpp"
#include "commands/launch_findings.hpp"
#include "commands/table.hpp"
#include "harness/records.hpp"
#include "runtime/error.hpp"

namespace parity::commands {
namespace {

struct Options {
  std::vector<std::string> records;
};

/// One table of sizes by widths; text(cell) formats it, extrapolated cells are marked.
template <class Value, class Text>
void print_by_width(const analysis::WidthTable& t, const char* title, const Value& value, const Text& text) {
  fmt::print("{}\n{:>12}", title, "n \\ width");
  for (const int w : t.widths) fmt::print(" {:>11}", w);
  fmt::print("\n");
  for (const std::int64_t n : t.sizes) {
    fmt::print("{:>12}", n);
    for (const int w : t.widths) {
      const auto cell = value(n, w);
      fmt::print(" {:>11}", cell ? text(cell->seconds) + (cell->extrapolated ? "*" : "") : "-");
    }
    fmt::print("\n");
  }
}

void print_width_tables(const analysis::WidthTable& t) {
  fmt::print("\n{} ({}): the tables of DeRosa (2024), whose sizes were labelled 10000 times too large\n",
             t.variant, t.problem);
  fmt::print("{:>12}", "occupancy");
  for (const int w : t.widths) fmt::print(" {:>11}", fmt::format("{:.0f} %", 100 * t.occupancy.at(w)));
  fmt::print("\n");
  print_by_width(
      t, "time of the kernel in seconds (Figure 1)", [&](auto n, int w) { return t.at(n, w); },
      [](double s) { return fmt::format("{:.3e}", s); });
  print_by_width(
      t, "speed-up over the narrowest block (Figure 2)", [&](auto n, int w) { return t.speed_up(n, w); },
      [](double s) { return fmt::format("{:.3f}", s); });
  print_by_width(
      t, "efficiency: speed-up over the width (Figure 3)", [&](auto n, int w) { return t.efficiency(n, w); },
      [](double s) { return fmt::format("{:.4f}", s); });
  const auto rate = [&](auto n, int w) {
    auto cell = t.at(n, w);
    if (cell) cell->seconds = double(n) * double(n) / cell->seconds;
    return cell;
  };
  print_by_width(t, "pairs a second", rate, [](double s) { return fmt::format("{:.2e}", s); });
  if (t.ceiling > 0)
    print_by_width(t, "share of the special-function units' rate", rate,
                   [&](double s) { return fmt::format("{:.2f} %", 1e-7 * s / t.ceiling); });
  fmt::print("* extrapolated from the largest measured size of that width: the sum is exactly quadratic\n");
}

int run(const Options& o) {
  const std::vector<Measurement> rows = harness::read_records(o.records).measurements;
  const analysis::DiffusionFindings found = analysis::diffusion_findings(rows);
  const auto tables = analysis::width_tables(rows);
  const analysis::LaunchFindings launches = analysis::launch_findings(rows);
  const auto pairs = analysis::pairs_of(rows);
  if (found.thresholds.empty() && found.break_even.empty() && found.speed_ups.empty() && tables.empty() &&
      launches.empty() && pairs.empty())
    throw runtime::UsageError(
        fmt::format("{}: nothing to conclude: give records of sweeps (jobs/plans/figure*.toml, "
                    "jobs/plans/kde_widths.toml, jobs/plans/launch_*.toml)",
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
    fmt::print("\nsteps from which a graph version pays for its capture\n");
    fmt::print("  {:<44} {:<16} {:<8} {:>12} {:>14} {:>12} {:>12}\n", "variant", "grid", "type", "capture us",
               "saved us/step", "N computed", "N measured");
    for (const auto& b : found.break_even)
      fmt::print("  {:<44} {:<16} {:<8} {:>12.1f} {:>14.3f} {:>12} {:>12}\n", b.variant, b.grid, b.precision,
                 1e6 * b.capture_seconds, 1e6 * b.saved_per_step,
                 b.steps ? fmt::format("{:.0f}", *b.steps) : "-",
                 b.measured_at ? std::to_string(*b.measured_at) : "never");
  }
  if (!found.speed_ups.empty()) {
    fmt::print("\nlargest speed-up over a baseline (published: 30 over CuPy on a P100)\n");
    for (const auto& s : found.speed_ups)
      fmt::print("  {:<40} {:>8.1f} times {:<18} at {}\n", s.variant, s.factor, s.baseline, s.problem);
  }
  for (const analysis::WidthTable& t : tables) print_width_tables(t);
  print_launch_findings(launches);
  print_pairs(pairs, true);
  return runtime::exit_ok;
}

}  // namespace

Action add_findings(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "findings",
      "The original works' conclusions from records of their sweeps: thresholds (Table 4), "
      "break-even steps of each graph "
      "version, largest speed-up; KDE time, speed-up and efficiency by block width; "
      "figures of launches, graphs and barriers; every pair, portable against native");
  c->add_option("records", o->records, "Files of records, read together")->required();
  return [o] { return run(*o); };
}

}  // namespace parity::commands
