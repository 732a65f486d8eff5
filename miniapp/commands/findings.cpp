// SPDX-License-Identifier: BSD-3-Clause
// parity findings: the original works' conclusions and tables and every pair, computed from records.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/comparison.hpp"
#include "analysis/findings.hpp"
#include "analysis/time_split.hpp"
#include "commands/commands.hpp"
#include "harness/statistics.hpp"
#include "runtime/error.hpp"

namespace parity::commands {
namespace {

struct Options {
  Paths records;
  std::string tunings;
  bool merit = false, scaling = false;
  ExportOptions exports;
};

Cell low_of(const harness::Estimate& e, double factor = 1) {
  return e.interval ? Cell(factor * e.interval->low) : Cell();
}
Cell high_of(const harness::Estimate& e, double factor = 1) {
  return e.interval ? Cell(factor * e.interval->high) : Cell();
}

void add_pairs(TableExport& table_export, const std::string& origin,
               const std::vector<analysis::Pair>& pairs) {
  for (const analysis::Pair& p : pairs)
    table_export.rows.push_back({origin, p.portable->full_name(), p.native->full_name(),
                                 p.portable->problem_text(), p.ratio.value, low_of(p.ratio), high_of(p.ratio),
                                 std::int64_t(p.ratio.processes), std::int64_t(p.ratio.samples),
                                 1e6 * p.native->host().value, 1e6 * p.difference.value,
                                 low_of(p.difference, 1e6), high_of(p.difference, 1e6)});
}

std::string cell(const analysis::LaunchFunction& function, const std::string& quantity) {
  const auto row = function.rows.find(quantity);
  if (row == function.rows.end()) return "-";
  const harness::Estimate e = row->second->host();
  if (e.interval && e.interval->low <= 0) return "n.m.";
  const char* const mark = !harness::why_lost(e).empty()         ? "n.m. "
                           : row->second->verdict.caveat.empty() ? ""
                                                                 : "(!) ";
  return mark + harness::time_text(e);
}

/// Prints the time of one launch function over another's, process by process.
void print_order(const std::vector<analysis::LaunchFunction>& functions) {
  const auto row_of = [&functions](const std::string& name, const char* quantity) -> const Measurement* {
    for (const auto& f : functions)
      if (const auto row = f.rows.find(quantity); f.variant == name && row != f.rows.end())
        return row->second;
    return nullptr;
  };
  std::vector<std::vector<std::string>> rows;
  for (const auto& [slower, faster] :
       {std::pair("-cooperative", ""), std::pair("-multi-device", "-cooperative")}) {
    rows.push_back({fmt::format("cuda-kernel{} / cuda-kernel{}", slower, faster)});
    for (const char* const quantity : {"null-overhead", "dispatch"}) {
      const Measurement *a = row_of(fmt::format("cuda-kernel{}", slower), quantity),
                        *b = row_of(fmt::format("cuda-kernel{}", faster), quantity);
      const harness::Estimate ratio = a && b ? harness::time_ratio(*a, *b) : harness::Estimate();
      rows.back().push_back(ratio.processes > 0 ? harness::text_of(ratio, {}) : "-");
    }
    if (rows.back()[1] + rows.back()[2] == "--") rows.pop_back();
  }
  if (rows.empty()) return;
  fmt::print("  how much longer, process by process (published: each slightly above 1)\n");
  print_columns({"launch functions", "null-overhead", "dispatch"}, rows);
}

void print_functions(const std::vector<analysis::LaunchFunction>& functions) {
  fmt::print(
      "\nthe figures of Zhang, Wahib and Matsuoka, with 95 % intervals (null kernels of one block; kernels\n"
      "of wait units)\n");
  constexpr std::pair<const char*, const char*> quantities[] = {
      {"null-overhead", "Fig 2: null kernel"},   {"dispatch", "CPU launch"},
      {"fusion-overhead", "Fig 3: execution"},   {"other-overhead", "Fig 4: other"},
      {"total-overhead", "total of one launch"}, {"latency", "launch and wait, empty"}};
  std::vector<std::string> columns = {"launch function", "unit"};
  std::vector<std::vector<std::string>> rows;
  for (const auto& [quantity, title] : quantities) columns.emplace_back(title);
  for (const auto& f : functions) {
    rows.push_back({f.variant, f.unit});
    for (const auto& [quantity, title] : quantities) rows.back().push_back(cell(f, quantity));
  }
  print_columns(columns, rows);
  fmt::print(
      "  n.m.: not measurable here, the 95 % interval holds 0 or is wider than the quantity; (!):\n"
      "  unreliable, an injected delay did not come back\n");
  print_order(functions);
  fmt::print(
      "  published (V100, CUDA 10; bars without numbers): null kernel overhead about the CPU launch;\n"
      "  execution overhead above it; multi-device a little above cooperative, cooperative a little above\n"
      "  traditional. Elsewhere, asynchronous and synchronous launch: P100 2.2 and 6.6, V100 1.83 and 7.15,\n"
      "  A100 2.7 and 9.65 us (CSCS ReFrame checks)\n");
}

void print_equation_3(const std::vector<analysis::Equation3>& functions) {
  if (functions.empty()) return;
  fmt::print(
      "\nequation 3: total less CPU launch, execution and other, each from rows of its own, start by start\n"
      "(undecided: the interval is wider than a tenth of the total on either side)\n");
  std::vector<std::vector<std::string>> rows;
  for (const auto& e : functions)
    rows.push_back({e.variant, e.unit, difference_text(e.rest),
                    !e.holds()    ? "does not hold within the interval"
                    : e.decides() ? "holds"
                                  : "undecided"});
  print_columns({"launch function", "unit", "rest", "equation 3"}, rows);
}

void print_sweeps(const analysis::SweepsOver& over) {
  fmt::print("\n{}\n", over.title);
  for (const auto& s : over.sweeps) {
    std::set<std::string> quantities;
    for (const auto& [x, values] : s.rows)
      for (const auto& [quantity, f] : values) quantities.insert(quantity);
    fmt::print("{}\n", wrapped(fmt::format("  {} {}", s.variant, s.title), 100, 4));
    std::vector<std::string> columns = {over.axis};
    columns.insert(columns.end(), quantities.begin(), quantities.end());
    std::vector<std::vector<std::string>> lines;
    for (const auto& [x, values] : s.rows) {
      lines.push_back({std::to_string(x)});
      for (const std::string& q : quantities) {
        const auto f = values.find(q);
        lines.back().push_back(f == values.end() ? "-" : harness::time_of(f->second->host().value));
      }
    }
    print_columns(columns, lines);
  }
}

void print_launch_findings(const analysis::LaunchFindings& found) {
  if (!found.functions.empty()) print_functions(found.functions);
  print_equation_3(analysis::equation_3(found));
  for (const analysis::SweepsOver& over : found.sweeps) print_sweeps(over);
}

void print_best(const std::vector<analysis::BestRate>& rates) {
  if (rates.empty()) return;
  fmt::print("\nthe highest native rate, and the best portable row of that run and problem\n");
  for (const analysis::BestRate& b : rates) {
    const auto say = [](const std::string& line) { fmt::print("{}\n", wrapped(line, 100, 6)); };
    const auto print = [&](const char* side, const Measurement* m, const harness::Estimate& gain) {
      if (!m) return;
      const harness::Metric& rate = m->metrics.front();
      say(fmt::format(
          "  {:<10} {:<7} {:<9} {:<30} {:>7} {}{}", b.study, b.precision, side, m->name(), value_text(rate),
          rate.unit,
          gain.processes > 0 && m != b.original
              ? fmt::format(", {} times {}", harness::text_of(gain, {1, 3, true}), b.original->name())
              : std::string()));
    };
    print("native", b.native, b.native_gain);
    print("portable", b.portable, b.portable_gain);
    if (b.ratio.processes > 0)
      say(fmt::format("  {:<10} {:<7} native time / portable time {}; {}", b.study, b.precision,
                      ratio_text({b.portable, b.native, b.ratio, {}}, 3), b.native->problem_text()));
  }
}

constexpr const char* split_title =
    "where the time goes: launches of the model x what one costs in the launch study, bytes of the\n"
    "model / bandwidth of a copy in the same run, and the rest, which is below 0 % where launches run\n"
    "beside kernels or caches serve the bytes";

/// Prints the results, and adds them to 'table_export' in microseconds.
void print_split(const std::vector<const Measurement*>& rows, const analysis::TimeSplits& splits,
                 const std::string& origin, TableExport& table_export) {
  std::vector<const harness::Values*> problems;
  for (const Measurement* m : rows) problems.push_back(&m->problem);
  fmt::print("\n{}\n", split_title);
  std::string problem;
  std::vector<std::vector<std::string>> lines;
  const auto flush = [&] {
    if (!problem.empty()) fmt::print("{}\n", wrapped(" " + problem, 100, 2));
    if (!lines.empty()) print_columns({"variant", "time", "launches", "bytes", "rest"}, lines);
    lines.clear();
  };
  bool lacks_launches = false;
  for (const Measurement* m : rows) {
    const analysis::TimeSplit s = splits.of(*m);
    const double time = m->host().value;
    const auto share = [time](const std::optional<double>& part) {
      return part ? fmt::format("{:.0f} %", 100 * *part / time) : std::string("not measured");
    };
    const auto cell = [](const std::optional<double>& part) { return part ? Cell(1e6 * *part) : Cell(); };
    if (const std::string now = m->study + " " + what_varies(problems, m->problem); now != problem)
      flush(), problem = now;
    lines.push_back({m->name(), harness::time_of(time), share(s.launches), share(s.bytes), share(s.rest)});
    table_export.rows.push_back({origin, m->full_name(), m->problem_text(), 1e6 * time, cell(s.launches),
                                 cell(s.bytes), cell(s.rest)});
    lacks_launches |= !s.launches;
  }
  flush();
  if (lacks_launches)
    fmt::print(
        "launches that are not measured: give also records of jobs/plans/launch_local.toml or, for a GPU,\n"
        "jobs/plans/launch_model.toml of the same device\n");
}

/// Prints when graphs and fusion pay off.
void print_ways_to_launch(const analysis::LaunchFigures& machine) {
  const analysis::FamilyCosts& cuda = machine.family.at("cuda");
  if (analysis::ways_to_launch(cuda, 1).empty()) return;
  fmt::print(
      "\nwhat pays on {}? us a step of k kernels that take so long by themselves (* at least 10 %\n"
      "less than a stream), and the steps from which making the graph pays\n",
      machine.device);
  fmt::print("  {:>10} {:>4} {:>10} {:>11} {:>11} {:>11} {:>11} {:>16}\n", "kernel us", "k", "stream",
             "graph", "dependent", "barrier", "fused", "graph pays from");
  for (const int kernels : {1, 4, 16, 64})
    for (const analysis::WaysToLaunch& w : analysis::ways_to_launch(cuda, kernels)) {
      const auto cell = [&w](double s) {
        return s > 0 ? fmt::format("{:.2f}{}", 1e6 * s, w.pays(s) ? "*" : " ") : std::string("-");
      };
      fmt::print("  {:>10.1f} {:>4} {:>10.2f} {:>11} {:>11} {:>11} {:>11} {:>16}\n", 1e6 * w.kernel, kernels,
                 1e6 * w.stream, cell(w.graph), cell(w.dependent), cell(w.barrier), cell(w.fused),
                 std::isfinite(w.break_even) ? fmt::format("{:.0f}", std::ceil(w.break_even)) : "never");
    }
}

/// Sorts the results of each problem by name: the variant measured first changes between problems.
std::vector<Measurement> in_one_order(std::vector<Measurement> rows) {
  std::map<std::string, std::size_t> problems;
  for (const Measurement& m : rows)
    problems.try_emplace(m.run.id + m.study + m.problem_text(), problems.size());
  const auto place = [&](const Measurement& m) {
    return std::pair(problems.at(m.run.id + m.study + m.problem_text()), m.name());
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Measurement& a, const Measurement& b) { return place(a) < place(b); });
  return rows;
}

/// Prints the conclusions from the results of one origin, and adds its pairs and time splits to the exports.
/// Returns false if there is nothing to conclude.
bool conclude(const analysis::Origin& origin, bool several, const analysis::TimeSplits& splits,
              TableExport& table_export, TableExport& split_sheet) {
  const std::vector<Measurement> rows = in_one_order(origin.rows);
  const analysis::DiffusionFindings found = analysis::diffusion_findings(rows);
  const auto tables = analysis::width_tables(rows);
  const analysis::LaunchFindings launches = analysis::launch_findings(rows);
  const auto pairs = analysis::pairs_of(rows);
  std::vector<const Measurement*> divided = analysis::rows_to_split(rows);
  if (std::none_of(divided.begin(), divided.end(),
                   [&](const Measurement* m) { return splits.of(*m).known(); }))
    divided.clear();
  if (divided.empty() && found.thresholds.empty() && found.break_even.empty() && found.speed_ups.empty() &&
      tables.empty() && launches.empty() && pairs.empty())
    return false;
  if (several) fmt::print("\n== {}: {} rows, not compared with any other\n", origin.text, rows.size());
  const auto print = [](const std::vector<Conclusion>& all) {
    for (const Conclusion& c : all) {
      fmt::print("\n{}\n", wrapped(c.title, 100, 2));
      print_columns(c.columns, c.rows);
    }
  };
  print(conclusions_of(found));
  for (const analysis::WidthTable& t : tables) print(conclusions_of(t));
  print_launch_findings(launches);
  print_pairs(rows, pairs, true, true);
  print_best(analysis::best_rates_of(rows));
  add_pairs(table_export, origin.text, pairs);
  if (!divided.empty()) print_split(divided, splits, origin.text, split_sheet);
  return true;
}

/// Prints the variants that could not run, by reason, whatever else there is to conclude.
void print_skipped(const std::vector<harness::SkippedRow>& rows) {
  if (rows.empty()) return;
  Skipped skipped;
  for (const harness::SkippedRow& s : rows) skipped.add(s.row.full_name(), s.reason);
  fmt::print("\nrows that were skipped, and why: {}\n", skipped.rows());
  skipped.print();
}

TableExport table_export_of(const std::vector<harness::SkippedRow>& rows) {
  TableExport table_export{"skipped", {"origin", "row", "problem", "starts", "reason"}, {}};
  for (const harness::SkippedRow& s : rows)
    table_export.rows.push_back({analysis::origin_text(s.row.run), s.row.full_name(), s.row.problem_text(),
                                 fmt::format("{}", fmt::join(s.row.processes, " ")), s.reason});
  return table_export;
}

int print_merit(const Paths& records, const ExportOptions& exports) {
  OutputFiles files(exports, records);
  const analysis::Merits merits = analysis::merits_of(harness::read_records(records).measurements);
  TableExport table_export{"merit", {"name", "problem", "metric", "value", "unit"}, {}};
  for (const analysis::Merit& m : merits.figures) {
    table_export.rows.push_back({m.name, m.problem, m.metric, m.value, m.unit});
    fmt::print("merit {} {} {} {:.6g} {}\n", m.name, m.problem, m.metric, m.value, m.unit);
  }
  fmt::print("merit rows - verified {} rows\n", merits.verified);
  if (merits.unreliable > 0) fmt::print("merit rows - unreliable {} rows\n", merits.unreliable);
  fmt::print("merit rows - wrong {} rows\n", merits.wrong);
  files.write({table_export});
  return merits.wrong > 0 ? runtime::exit_check_failed : runtime::exit_ok;
}

int print_scaling(const Paths& records, const ExportOptions& exports) {
  OutputFiles files(exports, records);
  const harness::Records found = harness::read_records(records);
  TableExport table_export{
      "scaling",
      {"variant", "problem", "ranks", "measured us", "weak_efficiency", "strong_efficiency", "of_z_cut"},
      {}};
  fmt::print(
      "time of a step (of kde, of all densities), and efficiencies against the same variant on one rank;\n"
      "of z cut: against the fastest result of the family where as many ranks share planes alone\n");
  const auto percent = [](const std::optional<double>& share) {
    return share ? fmt::format("{:.1f} %", 100 * *share) : "";
  };
  std::string problem;
  std::vector<std::vector<std::string>> lines;
  const auto flush = [&] {
    if (!lines.empty()) {
      fmt::print("{}\n", wrapped(" " + problem, 100, 2));
      print_columns({"variant", "ranks", "measured", "weak", "strong", "of z cut"}, lines);
    }
    lines.clear();
  };
  for (const analysis::ScaledRow& r : analysis::scaled_rows(found.measurements)) {
    const Measurement& m = *r.row;
    if (m.problem_text() != problem) flush(), problem = m.problem_text();
    table_export.rows.push_back({m.name(), m.problem_text(), std::int64_t(r.ranks), 1e6 * r.seconds,
                                 r.weak ? Cell(*r.weak) : Cell(), r.strong ? Cell(*r.strong) : Cell(),
                                 r.of_z_cut ? Cell(*r.of_z_cut) : Cell()});
    lines.push_back({m.name(), std::to_string(r.ranks), harness::time_of(r.seconds), percent(r.weak),
                     percent(r.strong), percent(r.of_z_cut)});
  }
  flush();
  files.write({table_export});
  return runtime::exit_ok;
}

/// "diffusion/kokkos-fused-tuned" = "1x2x128" # time, and how the others did
std::string tuning_line(const analysis::Tuned& t) {
  const Measurement& best = *t.best;
  std::string lead = "the only one tried";
  if (t.second)
    lead = fmt::format("{} tried, the next best {} takes x{:.3f}", t.tried, t.second->tuning,
                       t.second->host().value / best.host().value);
  return fmt::format("\"{}/{}\" = \"{}\" # {:.4g} us; {}\n", best.study, best.variant, best.tuning,
                     1e6 * best.host().value, lead);
}

int write_tunings(const Paths& records, const std::string& output) {
  require_apart({{"--tunings", output}}, records);
  const auto origins = analysis::by_origin(harness::read_records(records).measurements);
  if (origins.size() > 1)
    throw runtime::UsageError(fmt::format("{}: rows of {} and of {}; tunings come from one sweep",
                                          fmt::join(records, " "), origins[0].text, origins[1].text));
  const std::vector<analysis::Tuned> all = analysis::best_tunings(origins.front().rows);
  if (all.empty())
    throw runtime::UsageError(
        fmt::format("{}: no result of a variant that has several tunings: 'parity list NAME' shows them, "
                    "and --variants 'NAME/*' measures all",
                    fmt::join(records, " ")));
  std::string text = fmt::format("# Tunings with the shortest time of a sweep; {}.\n", origins.front().text);
  const Measurement* place = nullptr;
  for (const analysis::Tuned& t : all) {
    if (!place || place->study != t.best->study || place->problem != t.best->problem)
      text += fmt::format("\n[[tuned]]\nproblem = \"{}\"\n[tuned.tunings]\n", t.best->problem_text());
    place = t.best;
    text += tuning_line(t);
  }
  for (const std::string& line : analysis::unequal_budgets(origins.front().rows))
    text += "# unequal budgets: " + line + "\n";
  write_text(output, text);
  return runtime::exit_ok;
}

int run(const Options& o) {
  if (o.merit) return print_merit(o.records, o.exports);
  if (o.scaling) return print_scaling(o.records, o.exports);
  if (!o.tunings.empty()) return write_tunings(o.records, o.tunings);
  OutputFiles files(o.exports, o.records);
  const harness::Records records = harness::read_records(o.records);
  const auto origins = analysis::by_origin(records.measurements);
  if (!o.exports.csv.empty() && analysis::pairs_of(records.measurements).empty())
    throw runtime::UsageError(
        fmt::format("{}: no pair for --csv, which holds pairs alone; omit --csv, or take each result from "
                    "'parity export'",
                    fmt::join(o.records, " ")));
  TableExport pairs{"pairs",
                    {"origin", "portable", "native", "problem", "ratio", "low", "high", "starts", "samples",
                     "native us", "difference us", "difference_low us", "difference_high us"},
                    {}};
  TableExport divided{
      "split", {"origin", "row", "problem", "measured us", "launches us", "bytes us", "rest us"}, {}};
  const analysis::TimeSplits splits(records.measurements);
  print_pairs_by_version(records.measurements);
  bool any = false;
  for (const analysis::Origin& origin : origins)
    any |= conclude(origin, origins.size() > 1, splits, pairs, divided);
  if (!any)
    throw runtime::UsageError(
        fmt::format("{}: nothing to conclude: give records of sweeps (jobs/plans/figure*.toml, "
                    "jobs/plans/kde_widths.toml, jobs/plans/launch_*.toml)",
                    fmt::join(o.records, " ")));
  for (const analysis::LaunchFigures& machine : splits.figures()) print_ways_to_launch(machine);
  print_skipped(records.skipped);
  files.write({pairs, divided, table_export_of(records.skipped)});
  return runtime::exit_ok;
}

}  // namespace

std::string best_tunings_text(const std::vector<Measurement>& rows) {
  std::string text = "# best tunings; put them into a plan, or give this file with --tunings\n[tunings]\n";
  for (const analysis::Tuned& t : analysis::best_tunings(rows)) text += tuning_line(t);
  return text;
}

Action add_findings(CLI::App& app, const harness::Studies& studies) {
  const bool of_works =
      std::any_of(studies.begin(), studies.end(), [](auto* s) { return s->name() == "diffusion"; });
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "findings",
      std::string(of_works
                      ? "The original works' conclusions from records of their sweeps: thresholds (Table 4), "
                        "break-even steps of each graph version, largest speed-up; KDE time, speed-up and "
                        "efficiency by "
                        "block width; quantities of launches, graphs and barriers; every"
                      : "Every") +
          " pair, portable against native; how each time divides into launches, bytes and the rest; when "
          "graphs and "
          "fusion pay");
  c->add_option("records", o->records,
                "Files of records, or folders of results, read together; rows of different commits or "
                "devices are not compared")
      ->required();
  CLI::Option* const merit = c->add_flag("--merit", o->merit,
                                         "Figures of merit in place of conclusions, one a line: 'merit NAME "
                                         "PROBLEM METRIC VALUE UNIT', for monitoring");
  CLI::Option* const scaling = c->add_flag("--scaling", o->scaling,
                                           "Weak and strong efficiency of rows of several ranks in place of "
                                           "conclusions, against rows of one rank")
                                   ->excludes(merit);
  o->exports.add_to(*c);
  c->get_option("--json")->description(
      "Write the pairs, how times divide and the skipped rows (with --merit or --scaling its table) as JSON "
      "to this file; -: "
      "standard output");
  c->get_option("--csv")->description(
      "Write the pairs (with --merit or --scaling its table) as CSV to this file; -: standard output");
  c->add_option("--tunings", o->tunings,
                "TOML file to write in place of conclusions, for 'measure --tunings': the best tuning of "
                "each variant on each problem of a sweep (name/* in a plan); -: standard output")
      ->excludes(merit, scaling, c->get_option("--json"), c->get_option("--csv"));
  return [o] { return run(*o); };
}

}  // namespace parity::commands
