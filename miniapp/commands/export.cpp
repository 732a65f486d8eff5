// SPDX-License-Identifier: BSD-3-Clause
// parity export: records as one JSON document, for the report and other programs: what was measured, and what
// every table and figure shows of it.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "analysis/best_rates.hpp"
#include "analysis/diffusion_findings.hpp"
#include "analysis/launch_findings.hpp"
#include "analysis/origins.hpp"
#include "analysis/pairs.hpp"
#include "analysis/portability.hpp"
#include "commands/answers.hpp"
#include "commands/commands.hpp"
#include "commands/figures.hpp"
#include "commands/of_records.hpp"
#include "commands/output_files.hpp"
#include "commands/table.hpp"
#include "harness/estimate_text.hpp"
#include "harness/records.hpp"
#include "runtime/error.hpp"

namespace parity::commands {
namespace {

using Json = nlohmann::json;

struct Options {
  std::vector<std::string> records;
  std::string output = "-";
  bool as_records = false;
};

Json to_json(const harness::Estimate& e) {
  return {{"value", e.value},
          {"low", e.interval ? Json(e.interval->low) : Json()},
          {"high", e.interval ? Json(e.interval->high) : Json()},
          {"noisy", e.noisy()},
          {"starts", e.blocks}};
}

/// The time as figures show it, in us: of one step, where the study has steps.
Json result_of(const Measurement& m) {
  harness::Estimate e = m.host();
  const double step = m.metric("step_time");
  const double factor = step > 0 && e.value > 0 ? step / e.value : 1e6;
  e.value *= factor;
  if (e.interval) e.interval = harness::Interval{factor * e.interval->low, factor * e.interval->high};
  return to_json(e);
}

/// What tables and figures show of a row.
Json row_of(const Measurement& m, const AgainstBaseline& against, const Measurement* first) {
  Json metrics = Json::array();
  for (const harness::Metric& metric : m.metrics)
    if (is_shown(metric))
      metrics.push_back({{"name", metric.name}, {"unit", metric.unit}, {"text", value_text(metric)}});
  return {{"run", m.run.id},
          {"place", m.place},
          {"study", m.study},
          {"variant", m.variant},
          {"name", m.name()},
          {"family", harness::name(m.family)},
          {"floor", m.floor},
          {"expert", m.expert},
          {"twin", m.twin},
          {"problem_text", m.problem_text()},
          {"words", problem_words(m)},
          {"passed", m.verdict.passed()},
          {"comparable", m.comparable()},
          {"error", m.verdict.error},
          {"reference", m.verdict.reference},
          {"caveat", m.verdict.caveat},
          {"time_s", to_json(m.host())},
          {"result_us", result_of(m)},
          {"setup_s", m.setup_seconds},
          {"capture_s", m.capture_seconds},
          {"with_capture_s", m.host().value + m.capture_seconds},
          {"end_to_end_s", m.end_to_end_seconds()},
          {"metrics", std::move(metrics)},
          {"baseline", against.baseline ? Json(against.baseline - first) : Json()},
          {"ratio", to_json(against.ratio)}};
}

using Table = std::vector<std::vector<std::string>>;

/// Bezençon et al.: their Table 4, break-even, speed-up, as 'parity findings' prints them.
Json conclusions_of(const analysis::DiffusionFindings& found) {
  Json tables = Json::array();
  const auto add = [&tables](const char* title, const std::vector<std::string>& columns, const Table& rows) {
    if (!rows.empty()) tables.push_back({{"title", title}, {"columns", columns}, {"rows", rows}});
  };
  const auto or_ = [](const std::optional<std::int64_t>& value, const std::string& otherwise) {
    return value ? std::to_string(*value) : otherwise;
  };
  Table rows;
  for (const analysis::Threshold& t : found.thresholds) {
    const std::string not_to = fmt::format("not to {}", t.largest);
    rows.push_back({t.kernel, t.precision, std::to_string(t.nz), std::to_string(t.steps), or_(t.from, not_to),
                    or_(t.certain_from, t.has_intervals ? not_to : "no intervals"), t.published});
  }
  add("Grid size from which a kernel beats the baseline's graph versions (Table 4)",
      {"kernel", "precision", "nz", "steps", "from n", "certain from", "published (P100)"}, rows);
  rows.clear();
  for (const analysis::BreakEven& b : found.break_even)
    rows.push_back({b.variant, b.grid, b.precision, fmt::format("{:.1f}", 1e6 * b.capture_seconds),
                    b.steps ? fmt::format("{:.0f}", *b.steps) : "-", or_(b.measured_at, "never"),
                    or_(b.certain_at, b.has_intervals ? "never" : "no intervals")});
  add("Steps from which a graph pays for its capture (Figure 3; published: 65 for the baseline)",
      {"variant", "grid", "precision", "capture \u00b5s", "computed", "measured", "certain"}, rows);
  rows.clear();
  for (const analysis::SpeedUp& s : found.speed_ups)
    rows.push_back({s.variant, s.baseline, s.problem, harness::text_of(s.factor, {})});
  add("Largest speed-up over a baseline, by the lower end of its interval (published: 30 over CuPy on a "
      "P100)",
      {"variant", "baseline", "problem", "times"}, rows);
  return tables;
}

/// What 'parity findings' concludes from the rows of one origin, by the places of the rows.
Json findings_of(const analysis::Origin& origin, const analysis::DiffusionFindings& found) {
  const analysis::LaunchFindings launches = analysis::launch_findings(origin.rows);
  Json functions = Json::array();
  for (const analysis::LaunchFunction& f : launches.functions) {
    Json rows = Json::object();
    for (const auto& [quantity, row] : f.rows)
      rows[quantity] = origin.places[std::size_t(row - origin.rows.data())];
    functions.push_back({{"variant", f.variant}, {"unit", f.unit}, {"rows", std::move(rows)}});
  }
  return {{"text", origin.text},
          {"rows", origin.places},
          {"tables", conclusions_of(found)},
          {"functions", std::move(functions)},
          {"figures", figures_of(origin.rows, launches)}};
}

/// What a user writes first and the best portable row against one native kernel, by the places of the pairs.
Json list_of_columns(const std::vector<analysis::Pair>& pairs) {
  Json columns = Json::array();
  const auto index = [&pairs](const analysis::Pair* p) { return p ? Json(p - pairs.data()) : Json(); };
  for (const analysis::Columns& c : analysis::columns_of(pairs))
    columns.push_back({{"idiomatic", index(c.idiomatic)}, {"best", index(c.best)}});
  return columns;
}

Json list_of_portabilities(const std::vector<analysis::Pair>& pairs) {
  Json all = Json::array();
  for (const analysis::Portability& p : analysis::portabilities_of(pairs)) {
    Json platforms = Json::array();
    for (std::size_t k = 0; k < p.platforms.size(); ++k)
      platforms.push_back({{"platform", p.platforms[k].platform},
                           {"efficiency", p.platforms[k].value},
                           {"pairs", p.platforms[k].pairs},
                           {"portability", p.cascade[k]}});
    all.push_back({{"study", p.study},
                   {"problem", p.problem},
                   {"best", p.best},
                   {"value", p.value},
                   {"platforms", std::move(platforms)}});
  }
  return all;
}

Json list_of_best_rates(const std::vector<Measurement>& rows, const std::vector<analysis::BestRate>& best) {
  Json all = Json::array();
  const auto index = [&rows](const Measurement* m) { return m ? Json(m - rows.data()) : Json(); };
  for (const analysis::BestRate& b : best)
    all.push_back({{"device", b.device},
                   {"study", b.study},
                   {"precision", b.precision},
                   {"native", index(b.native)},
                   {"portable", index(b.portable)},
                   {"original", index(b.original)},
                   {"ratio", to_json(b.ratio)},
                   {"native_gain", to_json(b.native_gain)},
                   {"portable_gain", to_json(b.portable_gain)}});
  return all;
}

/// Rows that could not run, in the starts in which they could not.
Json list_of_skipped(const std::vector<harness::SkippedRow>& skipped) {
  Json all = Json::array();
  for (const harness::SkippedRow& s : skipped) {
    const Json record = harness::to_json(s);
    all.push_back({{"run", s.row.run.id},
                   {"identity", record["run"]},
                   {"place", s.row.place},
                   {"study", s.row.study},
                   {"variant", s.row.variant},
                   {"name", s.row.name()},
                   {"family", harness::name(s.row.family)},
                   {"problem", record["problem"]},
                   {"problem_text", s.row.problem_text()},
                   {"words", problem_words(s.row)},
                   {"starts", s.row.starts},
                   {"reason", s.reason}});
  }
  return all;
}

Json document_of(const harness::Records& records) {
  Json document = {{"schema", 3},           {"runs", Json::array()},    {"measurements", Json::array()},
                   {"rows", Json::array()}, {"origins", Json::array()}, {"pairs", Json::array()}};
  std::set<std::string> described;
  const auto add_run = [&](const harness::Environment& e) {
    if (!described.insert(e.run.id).second) return;
    Json run = harness::to_json(e.run);
    run.update({{"commit_text", e.run.commit_text()},
                {"time", e.time},
                {"slice", e.slice},
                {"threads", e.threads},
                {"complete", e.complete},
                {"lines", e.lines}});
    document["runs"].push_back(std::move(run));
  };
  for (const harness::Environment& e : records.environments) add_run(e);
  harness::Environment unknown;  // of runs that no line of a file describes
  for (const Measurement& m : records.measurements) unknown.run = m.run, add_run(unknown);
  for (const harness::SkippedRow& s : records.skipped) unknown.run = s.row.run, add_run(unknown);
  for (const harness::Measurement& m : records.measurements) {
    document["measurements"].push_back(to_json(m));
    document["measurements"].back()["place"] = m.place;
  }
  const std::vector<AgainstBaseline> against = against_baselines(records.measurements, "");
  document["studies"] = Json::object();
  for (std::size_t k = 0; k < against.size(); ++k) {
    const Measurement& m = records.measurements[k];
    document["rows"].push_back(row_of(m, against[k], records.measurements.data()));
    document["rows"].back()["problem"] = document["measurements"][k]["problem"];
    document["studies"][m.study] = {{"title", title_of(m.study)}, {"unit", unit_of(m.study)}};
  }
  const std::vector<analysis::Origin> origins = analysis::by_origin(records.measurements);
  std::vector<analysis::DiffusionFindings> findings;
  for (const analysis::Origin& origin : origins) {
    findings.push_back(analysis::diffusion_findings(origin.rows));
    document["origins"].push_back(findings_of(origin, findings.back()));
  }
  const std::vector<analysis::Pair> pairs = analysis::pairs_of(records.measurements);
  const std::vector<analysis::BestRate> best = analysis::best_rates_of(records.measurements);
  document["answers"] = answers_of(records, {origins, findings, pairs, best});
  for (const analysis::Pair& p : pairs)
    document["pairs"].push_back({{"portable", p.portable - records.measurements.data()},
                                 {"native", p.native - records.measurements.data()},
                                 {"ratio", to_json(p.ratio)},
                                 {"difference", to_json(p.difference)},
                                 {"samples", p.ratio.samples}});
  // Of several tunings only the fastest is in a pair.
  const auto variant_of = [](const Measurement& m) {
    return std::tuple(m.run.id, m.study, m.variant, m.problem_text());
  };
  std::set<std::tuple<std::string, std::string, std::string, std::string>> paired;
  for (const analysis::Pair& p : pairs) paired.insert(variant_of(*p.portable));
  document["unpaired"] = Json::array();
  for (const Measurement& m : records.measurements)
    if (!m.twin.empty() && m.comparable() && !paired.count(variant_of(m)))
      document["unpaired"].push_back(&m - records.measurements.data());
  document["cut"] = records.cut;
  document["noisy_width"] = harness::noisy_spread;
  document["skipped"] = list_of_skipped(records.skipped);
  document["columns"] = list_of_columns(pairs);
  document["portability"] = list_of_portabilities(pairs);
  document["best"] = list_of_best_rates(records.measurements, best);
  return document;
}

int run(const Options& o) {
  if (o.as_records) return merge_records(o.records, o.output);
  require_apart({{"--output", o.output}}, o.records);
  const std::string text = document_of(harness::read_records(o.records, /*skipped_are_enough=*/true))
                               .dump(-1, ' ', false, Json::error_handler_t::replace) +
                           "\n";
  write_text(o.output, text);
  return runtime::exit_ok;
}

}  // namespace

Action add_export(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c =
      app.add_subcommand("export",
                         "Records as one JSON document: runs, measurements, their rows as tables show them "
                         "with the ratios to the "
                         "baseline, the pairs portable / native, and what 'parity findings' draws from");
  c->add_option("records", o->records, "Files of records, or folders of results, read together")->required();
  c->add_flag("--records", o->as_records,
              "Join the files in one file of records instead, as those of a plan's slices (measure --slice)");
  c->add_option("--output", o->output, "File to write; -: standard output")->capture_default_str();
  return [o] { return run(*o); };
}

}  // namespace parity::commands
