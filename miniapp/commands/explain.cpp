// SPDX-License-Identifier: BSD-3-Clause
// parity explain: times of a GPU split into launches, bytes at each level, instructions and latencies, and
// what launches are worth avoiding; times of a CPU as a share of the measured memory bandwidth.
#include "analysis/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/findings.hpp"
#include "commands/commands.hpp"
#include "harness/statistics.hpp"
#include "runtime/error.hpp"

namespace parity::commands {
namespace {

using analysis::Explained;

struct Options {
  std::vector<std::string> records;
  std::string kernels;
  SheetOptions sheets;
  double limit = 0.30;
  bool all = false;
};

void print_streams(const analysis::Costs& costs) {
  if (costs.streams.empty()) return;
  fmt::print("  copies by bytes of both arrays, GB/s:");
  for (const auto& [bytes, rate] : costs.streams.points())
    fmt::print(" {:.0f} KiB {:.3g}", bytes / 1024, 1e-9 * rate);
  fmt::print("\n");
}

void print_costs(const analysis::Costs& costs) {
  fmt::print("{}: what the quantities of launches say\n", costs.device);
  for (const auto& [name, c] : costs.family)
    fmt::print(
        "  {:<7} launch {:.2f} us (device {:.2f}), launch and wait {:.2f} us, graph node {:.2f} us, smallest "
        "copying node {:.2f} us\n",
        name, 1e6 * c.launch.value, 1e6 * c.interval.value, 1e6 * c.latency.value, 1e6 * c.node.value,
        1e6 * c.kernel_floor());
  print_streams(costs);
  fmt::print("  bandwidth by bytes of a field, TB/s:");
  for (const auto& [bytes, rate] : costs.bandwidth.points())
    if (bytes < 1e15) fmt::print(" {:.0f} MiB {:.3g}", bytes / 1048576, 1e-12 * rate);
  fmt::print("\n  grid barrier {:.2f} us, {:.3g} warp instructions/s, {:.3g} exponentials/s\n",
             1e6 * costs.grid_barrier, costs.issue_rate, costs.exponential_rate);
}

/// Costs of one commit may explain rows of another, which must be said.
void print_origins(const std::vector<Measurement>& rows) {
  const auto origins = analysis::by_origin(rows);
  if (origins.size() < 2) return;
  fmt::print("\nthe rows come from different runs:\n");
  for (const analysis::Origin& o : origins) {
    const auto quantities =
        std::count_if(o.rows.begin(), o.rows.end(), [](const Measurement& m) { return m.study == "launch"; });
    fmt::print("  {}: {} quantities of launches, {} other rows\n", o.text, quantities,
               std::ptrdiff_t(o.rows.size()) - quantities);
  }
}

const char* words_of(analysis::Term term) {
  static constexpr const char* words[analysis::term_count] = {"launching",
                                                              "bytes of memory",
                                                              "bytes between L2 and L1",
                                                              "bytes within L1",
                                                              "instructions",
                                                              "launching blocks",
                                                              "latencies of instructions and first bytes",
                                                              "what surrounds a sample"};
  return words[std::size_t(term)];
}

std::string share_text(double share) {
  return share > -1 ? fmt::format("{:.0f} %", 100 * share) : fmt::format("x{:.1f} over", 1 - share);
}

bool is_far(const Explained& e, const Options& o) { return !(std::abs(e.rest_share()) <= o.limit); }

void print_row(const Explained& e, const Options& o) {
  fmt::print("  {:<44} {:<28} {:>11.2f} {:>11.2f}", e.name, e.problem, 1e6 * e.measured, 1e6 * e.modelled());
  for (const double t : e.terms)
    fmt::print(" {:>7}", t > 0 ? fmt::format("{:.0f} %", 100 * t / e.measured) : "-");
  fmt::print(" {:>9}  {}{}{}\n", share_text(e.rest_share()),
             is_far(e, o) ? "not explained" : name(e.reason()),
             e.clamped ? " (beyond the sizes measured)" : "", e.noisy ? " (noisy)" : "");
}

void print_not_explained(const analysis::Explanation& x, const std::string& study) {
  for (const analysis::NotExplained& other : x.others)
    if (other.study == study)
      fmt::print("  {:>5} rows of {}: not explained: {}\n", other.rows, other.name, other.why);
}

/// Rows of a host: their bytes a second beside those of a copy with the same working set.
void print_shares(const analysis::Explanation& x, const std::string& study) {
  std::vector<double> shares;
  for (const Explained& e : x.rows)
    if (e.study == study) shares.push_back(100 * e.modelled() / e.measured);
  if (shares.empty()) return;
  fmt::print("\n{}: {} rows, median {:.0f} % of the measured memory bandwidth\n", study, shares.size(),
             harness::median_of(shares));
  print_not_explained(x, study);
  fmt::print("  {:<44} {:<28} {:>11} {:>7} {:>7} {:>7}\n", "variant", "problem", "measured us", "GB/s",
             "copy", "share");
  for (const Explained& e : x.rows)
    if (e.study == study)
      fmt::print("  {:<44} {:<28} {:>11.2f} {:>7.3g} {:>7.3g} {:>5.0f} %{}{}\n", e.name, e.problem,
                 1e6 * e.measured, 1e-9 * e.memory_bytes / e.measured, 1e-9 * e.memory_rate,
                 100 * e.modelled() / e.measured, e.clamped ? " (beyond the sizes measured)" : "",
                 e.noisy ? " (noisy)" : "");
}

void print_rows(const analysis::Explanation& x, const std::string& study, const Options& o) {
  std::vector<double> rest;
  std::vector<const Explained*> shown;
  std::map<analysis::Term, std::size_t> reasons;
  std::size_t beyond = 0, clamped = 0, noisy = 0, unknown = 0;
  for (const Explained& e : x.rows) {
    if (e.study != study) continue;
    rest.push_back(std::abs(e.rest_share()));
    const bool far = is_far(e, o);
    beyond += far;
    clamped += e.clamped;
    noisy += e.noisy;
    if (!far) ++reasons[e.reason()];
    if (o.all || far) shown.push_back(&e);
  }
  for (const analysis::NotExplained& other : x.others)
    if (other.study == study) unknown += other.rows;
  if (rest.empty() && unknown == 0) return;
  if (!rest.empty())
    fmt::print(
        "\n{}: {} rows, median |rest| {:.1f} % of the time; {} ({:.1f} %) have more than {:.0f} % and are "
        "not explained\n",
        study, rest.size(), 100 * harness::median_of(rest), beyond,
        100 * double(beyond) / double(rest.size()), 100 * o.limit);
  else
    fmt::print("\n{}: no row is explained\n", study);
  for (const auto& [term, rows] : reasons) fmt::print("  {:>5} rows: mostly {}\n", rows, words_of(term));
  if (noisy > 0)
    fmt::print(
        "  {:>5} rows are noisy (their processes' times disagree by more than {:.0f} %), and their rest may "
        "be noise\n",
        noisy, 100 * harness::noisy_spread);
  if (clamped > 0)
    fmt::print(
        "  {:>5} rows are beyond what was measured (fields of a larger copy, graphs of more nodes): the last "
        "rate stands in\n",
        clamped);
  print_not_explained(x, study);
  if (shown.empty()) return;
  fmt::print("  {:<44} {:<28} {:>11} {:>11}", "variant", "problem", "measured us", "modelled us");
  for (std::size_t t = 0; t < analysis::term_count; ++t) fmt::print(" {:>7.7}", name(analysis::Term(t)));
  fmt::print(" {:>9}  {}\n", "rest", "reason");
  for (const Explained* e : shown) print_row(*e, o);
}

/// What was fitted, and to how many other rows.
void print_latencies(const analysis::Explanation& x) {
  std::vector<double> dependent, own, around;
  std::size_t without = 0;
  for (const auto& [algorithm, l] : x.latencies) {
    if (l.rows == 0) {
      ++without;
      continue;
    }
    dependent.push_back(1e9 * l.dependent), own.push_back(1e9 * l.own), around.push_back(1e6 * l.around);
  }
  const auto range = [](const std::vector<double>& v) {
    return fmt::format("{:.2f} ({:.2f} to {:.2f})", harness::median_of(v),
                       *std::min_element(v.begin(), v.end()), *std::max_element(v.begin(), v.end()));
  };
  if (!dependent.empty())
    fmt::print(
        "\nthree latencies are no measured figures: for each algorithm they are fitted to the rows of all "
        "others\n"
        "  ns of a dependent instruction {}, ns of an instruction of one warp alone {},\n"
        "  us around a sample {}: median and range over {} algorithms\n",
        range(dependent), range(own), range(around), dependent.size());
  if (without > 0)
    fmt::print("\nlatencies of {} algorithms are not known: fewer than 20 rows are of others\n", without);
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
    for (const analysis::Advice& a : analysis::guide_of(costs, cuda->second, kernels)) {
      const auto cell = [&a](double s) {
        return s > 0 ? fmt::format("{:.2f}{}", 1e6 * s, a.pays(s) ? "*" : " ") : std::string("-");
      };
      fmt::print("  {:>10.1f} {:>4} {:>10.2f} {:>11} {:>11} {:>11} {:>11} {:>16}\n", 1e6 * a.kernel, kernels,
                 1e6 * a.stream, cell(a.graph), cell(a.dependent), cell(a.barrier), cell(a.fused),
                 std::isfinite(a.break_even) ? fmt::format("{:.0f}", std::ceil(a.break_even)) : "never");
    }
}

Sheet sheet_of(const analysis::Explanation& x, const Options& o) {
  Sheet sheet{
      "explain", {"study", "variant", "problem", "mechanism", "precision", "measured_s", "modelled_s"}, {}};
  for (std::size_t t = 0; t < analysis::term_count; ++t)
    sheet.columns.push_back(fmt::format("{}_s", name(analysis::Term(t))));
  for (const char* column : {"rest_s", "rest_share", "reason", "clamped", "memory_bytes", "memory_rate"})
    sheet.columns.emplace_back(column);
  const auto known = [](double value) { return value > 0 ? Cell(value) : Cell(); };
  for (const Explained& e : x.rows) {
    std::vector<Cell> row = {e.study, e.name, e.problem, e.mechanism, e.precision, e.measured, e.modelled()};
    for (const double t : e.terms) row.emplace_back(t);
    row.insert(row.end(), {e.rest(), e.rest_share(),
                           is_far(e, o) ? std::string("not explained") : std::string(name(e.reason())),
                           e.clamped, known(e.memory_bytes), known(e.memory_rate)});
    sheet.rows.push_back(std::move(row));
  }
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
  inputs.push_back(o.kernels);
  OutputFiles files(o.sheets, inputs);
  const harness::Records records = harness::read_records(o.records);
  const analysis::Costs costs = costs_of(records, o.records);
  const analysis::KernelTable kernels =
      o.kernels.empty() ? analysis::KernelTable() : analysis::KernelTable::read(o.kernels);
  const analysis::Explanation x = analysis::explain(records.measurements, costs, kernels);
  if (costs.gpu)
    print_costs(costs);
  else
    fmt::print("{}: what copies say\n", costs.device), print_streams(costs);
  if (!kernels.empty())
    fmt::print("  what kernels do: {} ({}); {:.3g} blocks/s\n", o.kernels, fmt::join(kernels.sources(), "; "),
               kernels.block_rate());
  print_origins(records.measurements);
  for (const char* study : {"diffusion", "kde"}) costs.gpu ? print_rows(x, study, o) : print_shares(x, study);
  if (costs.gpu) {
    print_latencies(x);
    print_factorial(costs);
    print_guide(costs);
  }
  files.write({sheet_of(x, o)});
  return runtime::exit_ok;
}

}  // namespace

Action add_explain(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "explain",
      "Split diffusion and KDE times of a GPU into launches, bytes at each level, instructions, latencies "
      "and what is left, and say when graphs, dependent launches, barriers and fusion pay; give times of a "
      "CPU as a share of the measured memory bandwidth");
  c->add_option("records", o->records,
                "Files of records of one device, read together: the rows to explain, and those of "
                "jobs/plans/launch_model.toml (GPU) or jobs/plans/roofs.toml (CPU)")
      ->required();
  c->add_option("--kernels", o->kernels,
                "CSV of what a profiler counted of each kernel on a GPU, as in "
                "jobs/results/h200/kernels.csv; rows without it are not explained");
  c->add_option("--limit", o->limit,
                "Rows with a larger share of the time left, or modelled too much, count as not explained and "
                "are listed")
      ->transform(number_from(0, 1e6))
      ->capture_default_str();
  c->add_flag("--all", o->all, "List every row");
  o->sheets.add_to(*c);
  return [o] { return run(*o); };
}

}  // namespace parity::commands
