// SPDX-License-Identifier: BSD-3-Clause
// parity explain: measured times split into launches, bytes and instructions; what launches are worth
// avoiding.
#include "analysis/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "analysis/origins.hpp"
#include "commands/commands.hpp"
#include "commands/numbers.hpp"
#include "commands/sheet.hpp"
#include "harness/estimate_text.hpp"
#include "harness/records.hpp"
#include "runtime/error.hpp"

namespace parity::commands {
namespace {

using analysis::Explained;

struct Options {
  std::vector<std::string> records;
  std::string instructions;
  SheetOptions sheets;
  double limit = 0.30;
  bool all = false;
};

void print_costs(const analysis::Costs& costs) {
  fmt::print("{}: what the quantities of launches say\n", costs.device);
  for (const auto& [name, c] : costs.family) {
    fmt::print("  {:<7} launch {:.2f} us (device {:.2f}), launch and wait {:.2f} us", name,
               1e6 * c.launch_host, 1e6 * c.launch_device, 1e6 * c.latency);
    if (costs.gpu)
      fmt::print(", graph node {:.2f} us, smallest copying node {:.2f} us", 1e6 * c.node,
                 1e6 * c.kernel_floor());
    fmt::print("\n");
  }
  fmt::print("  bandwidth by bytes of a field, TB/s:");
  for (const auto& [bytes, rate] : costs.bandwidth.points())
    if (bytes < 1e15) fmt::print(" {:.0f} MiB {:.3g}", bytes / 1048576, 1e-12 * rate);
  fmt::print("\n");
  if (costs.gpu)
    fmt::print("  grid barrier {:.2f} us, {:.3g} warp instructions/s, {:.3g} exponentials/s\n",
               1e6 * costs.grid_barrier, costs.issue_rate, costs.exponential_rate);
}

/// Each quantity that the above comes from.
void print_sources(const analysis::Costs& costs) {
  fmt::print("\nwhere these come from: us, row, place\n");
  for (const analysis::Source& s : costs.sources)
    fmt::print("  {:<34} {} ({}commit {})\n", harness::text_of(s.time, {1e6, 4, true}), s.row, s.place,
               s.run);
}

/// Costs of one commit may explain rows of another, which must be said.
void print_origins(const std::vector<harness::Measurement>& rows) {
  const auto origins = analysis::by_origin(rows);
  if (origins.size() < 2) return;
  fmt::print("\nthe rows come from different runs:\n");
  for (const analysis::Origin& o : origins) {
    const auto quantities = std::count_if(o.rows.begin(), o.rows.end(),
                                          [](const harness::Measurement& m) { return m.study == "launch"; });
    fmt::print("  {}: {} quantities of launches, {} other rows\n", o.text, quantities,
               std::ptrdiff_t(o.rows.size()) - quantities);
  }
}

std::string share_text(double share) {
  return share > -1 ? fmt::format("{:.0f} %", 100 * share) : fmt::format("x{:.1f} over", 1 - share);
}

void print_row(const Explained& e) {
  const auto share = [&e](double seconds) { return fmt::format("{:.0f} %", 100 * seconds / e.measured); };
  fmt::print("  {:<44} {:<28} {:>13.2f} {:>13.2f} {:>9} {:>9} {:>9} {:>11}\n", e.name, e.problem,
             1e6 * e.measured, 1e6 * e.modelled(), share(e.launches), share(e.bytes),
             e.instructions_known ? share(e.instructions) : "unknown", share_text(e.rest_share()));
}

void print_rows(const std::vector<Explained>& rows, const std::string& study, const Options& o) {
  std::vector<double> rest, plain;
  std::vector<const Explained*> shown;
  std::size_t beyond = 0, without_instructions = 0;
  for (const Explained& e : rows) {
    if (e.study != study) continue;
    rest.push_back(std::abs(e.rest_share()));
    plain.push_back(std::abs(1 - e.plain_sum / e.measured));
    const bool far = std::abs(e.rest_share()) > o.limit;
    beyond += far;
    without_instructions += !e.instructions_known;
    if (o.all || far) shown.push_back(&e);
  }
  if (rest.empty()) return;
  fmt::print(
      "\n{}: {} rows, median |rest| {:.1f} % of the time (without overlap of host and device {:.1f} %)\n",
      study, rest.size(), 100 * harness::median_of(rest), 100 * harness::median_of(plain));
  fmt::print(
      "  {} of them are not explained: launches, bytes and instructions come to a time that is more than "
      "{:.0f} % off.\n  Of what else takes time (latencies, occupancy, caches, imbalance) the records know "
      "nothing.\n",
      beyond, 100 * o.limit);
  if (without_instructions > 0)
    fmt::print(
        "  {} have no instruction count (--instructions): where arithmetic bounds them, it is in the rest.\n",
        without_instructions);
  if (shown.empty()) return;
  fmt::print("  {:<44} {:<28} {:>13} {:>13} {:>9} {:>9} {:>9} {:>11}\n", "variant", "problem", "measured us",
             "modelled us", "launches", "bytes", "instruct.", "rest");
  for (const Explained* e : shown) print_row(*e);
}

void print_factorial(const analysis::Costs& costs) {
  const auto cuda = costs.family.find("cuda");
  if (cuda == costs.family.end() || cuda->second.copy_stream.empty()) return;
  fmt::print(
      "\nfewer launches or fewer bytes? A step of n x n x 64 (float) that copies what the original baseline "
      "moves\n"
      "(16 launches, 33 words a point) or its fused kernel (1 launch, 2 words), and what each change saves, "
      "in us\n");
  fmt::print("  {:>5} {:<7} {:>12} {:>12} {:>12} {:>12} {:>16} {:>14} {:>10}\n", "n", "launch",
             "16, 33 words", "16, 2 words", "1, 33 words", "1, 2 words", "fewer launches", "fewer bytes",
             "launches'");
  for (const bool graph : {false, true})
    for (const std::int64_t n : {16, 32, 64, 128, 256, 512}) {
      const analysis::Factorial f = analysis::factorial_of(cuda->second, n, graph);
      fmt::print("  {:>5} {:<7} {:>12.2f} {:>12.2f} {:>12.2f} {:>12.2f} {:>16.2f} {:>14.2f} {:>8.0f} %\n", n,
                 graph ? "graph" : "stream", 1e6 * f.many_launches_many_bytes,
                 1e6 * f.many_launches_few_bytes, 1e6 * f.few_launches_many_bytes,
                 1e6 * f.few_launches_few_bytes, 1e6 * f.by_launches(), 1e6 * f.by_bytes(),
                 100 * f.by_launches() / (f.by_launches() + f.by_bytes()));
    }
}

void print_guide(const analysis::Costs& costs) {
  const auto cuda = costs.family.find("cuda");
  if (cuda == costs.family.end()) return;
  fmt::print(
      "\nwhat pays? us a step of k kernels that take so long by themselves (* at least 10 % less than a "
      "stream),\n"
      "and the steps from which making the graph pays\n");
  fmt::print("  {:>10} {:>4} {:>10} {:>11} {:>11} {:>11} {:>11} {:>16}\n", "kernel us", "k", "stream",
             "graph", "dependent", "barrier", "fused", "graph pays from");
  for (const int kernels : {1, 4, 16, 64})
    for (const double us : {0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0}) {
      const analysis::Advice a = analysis::advice_for(costs, cuda->second, 1e-6 * us, kernels);
      const auto cell = [&a](double s) {
        return s > 0 ? fmt::format("{:.2f}{}", 1e6 * s, s < 0.9 * a.stream ? "*" : " ") : std::string("-");
      };
      fmt::print("  {:>10.1f} {:>4} {:>10.2f} {:>11} {:>11} {:>11} {:>11} {:>16}\n", us, kernels,
                 1e6 * a.stream, cell(a.graph), cell(a.dependent), cell(a.barrier), cell(a.fused),
                 std::isfinite(a.break_even) ? fmt::format("{:.0f}", std::ceil(a.break_even)) : "never");
    }
}

Sheet sheet_of(const std::vector<Explained>& rows) {
  Sheet sheet{"explain",
              {"study", "variant", "problem", "measured_s", "modelled_s", "launches_s", "bytes_s",
               "instructions_s", "plain_sum_s", "rest_share"},
              {}};
  for (const Explained& e : rows)
    sheet.rows.push_back({e.study, e.name, e.problem, e.measured, e.modelled(), e.launches, e.bytes,
                          e.instructions_known ? Cell(e.instructions) : Cell(), e.plain_sum, e.rest_share()});
  return sheet;
}

/// What the files lack is said with their names.
analysis::Costs costs_of(const harness::Records& records, const std::vector<std::string>& files) {
  try {
    return analysis::costs_of(records);
  } catch (const runtime::UsageError& e) {
    const std::string what = e.what();
    if (what.find(": line ") != std::string::npos) throw;  // it names one already
    throw runtime::UsageError(fmt::format("{}: {}", fmt::join(files, " "), what));
  }
}

int run(const Options& o) {
  std::vector<std::string> inputs = o.records;
  inputs.push_back(o.instructions);
  SheetFiles files(o.sheets, inputs);
  const harness::Records records = harness::read_records(o.records);
  const analysis::Costs costs = costs_of(records, o.records);
  const analysis::Instructions table =
      o.instructions.empty() ? analysis::Instructions() : analysis::read_instructions(o.instructions);
  std::vector<Explained> rows;
  for (const harness::Measurement& m : records.measurements)
    if (const auto e = analysis::explain(m, costs, table)) rows.push_back(*e);
  print_costs(costs);
  print_origins(records.measurements);
  for (const char* study : {"diffusion", "kde"}) print_rows(rows, study, o);
  print_factorial(costs);
  print_guide(costs);
  print_sources(costs);
  files.write({sheet_of(rows)});
  return runtime::exit_ok;
}

}  // namespace

Action add_explain(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "explain",
      "Split measured diffusion and KDE times into launches, bytes and instructions, and what is left; "
      "separate "
      "'fewer launches' from 'fewer bytes'; say when graphs, dependent launches, barriers and fusion pay");
  c->add_option("records", o->records,
                "Files of records of one device, read together: the rows to explain, and those of "
                "jobs/plans/launch_model.toml")
      ->required();
  c->add_option("--instructions", o->instructions,
                "CSV of warp instructions a point and step (kernel,tuning,precision,instructions_per_point); "
                "without it that term is 0");
  c->add_option("--limit", o->limit,
                "Rows are listed where a larger share of the time is left, or modelled too much")
      ->transform(number_from(0, 1e6))
      ->capture_default_str();
  c->add_flag("--all", o->all, "List every row");
  o->sheets.add_to(*c);
  return [o] { return run(*o); };
}

}  // namespace parity::commands
