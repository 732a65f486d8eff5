// SPDX-License-Identifier: BSD-3-Clause
// parity export: records of any schema as one JSON document, for the report and other programs: what was
// measured, and what every table shows of it.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/best_rates.hpp"
#include "analysis/diffusion_findings.hpp"
#include "analysis/kde_findings.hpp"
#include "analysis/launch_findings.hpp"
#include "analysis/origins.hpp"
#include "analysis/pairs.hpp"
#include "analysis/portability.hpp"
#include "commands/commands.hpp"
#include "commands/of_records.hpp"
#include "commands/output_files.hpp"
#include "commands/places.hpp"
#include "commands/table.hpp"
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
          {"passed", m.verdict.passed()},
          {"comparable", m.comparable()},
          {"error", m.verdict.error},
          {"reference", m.verdict.reference},
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

/// One line a variant and column.
Json lines_of(const analysis::SweepsOver& over, const std::function<Json(const Measurement*)>& index) {
  Json lines = Json::array();
  for (const analysis::Sweep& s : over.sweeps) {
    std::map<std::string, Json> columns;
    for (const auto& [x, figures] : s.rows)
      for (const auto& [column, row] : figures)
        columns.emplace(column, Json::array()).first->second.push_back({x, index(row)});
    for (auto& [column, points] : columns)
      lines.push_back({{"variant", s.variant}, {"common", s.title}, {"column", column}, {"points", points}});
  }
  return lines;
}

Json widths_of(const analysis::WidthTable& t) {
  Json cells = Json::array();
  for (const std::int64_t n : t.sizes)
    for (const int width : t.widths) {
      const auto cell = t.at(n, width), speed_up = t.speed_up(n, width), efficiency = t.efficiency(n, width);
      if (!cell || cell->extrapolated) continue;
      const bool compared = speed_up && !speed_up->extrapolated;
      cells.push_back({{"n", n},
                       {"width", width},
                       {"time_s", cell->seconds},
                       {"speed_up", compared ? Json(speed_up->seconds) : Json()},
                       {"efficiency", compared ? Json(efficiency->seconds) : Json()}});
    }
  return {{"variant", t.variant}, {"problem", t.problem}, {"cells", std::move(cells)}};
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

/// Bezençon et al.: their Table 4, break-even, speed-up.
void add_conclusions(Json& found, const analysis::DiffusionFindings& conclusions) {
  found["thresholds"] = found["break_even"] = found["speed_ups"] = Json::array();
  for (const analysis::Threshold& t : conclusions.thresholds)
    found["thresholds"].push_back({{"kernel", t.kernel},
                                   {"precision", t.precision},
                                   {"nz", t.nz},
                                   {"steps", t.steps},
                                   {"largest", t.largest},
                                   {"from", or_null(t.from)},
                                   {"certain_from", or_null(t.certain_from)},
                                   {"has_intervals", t.has_intervals},
                                   {"published", t.published}});
  for (const analysis::BreakEven& b : conclusions.break_even)
    found["break_even"].push_back({{"variant", b.variant},
                                   {"precision", b.precision},
                                   {"grid", b.grid},
                                   {"capture_s", b.capture_seconds},
                                   {"computed", or_null(b.steps)},
                                   {"measured", or_null(b.measured_at)},
                                   {"certain", or_null(b.certain_at)},
                                   {"has_intervals", b.has_intervals}});
  for (const analysis::SpeedUp& s : conclusions.speed_ups)
    found["speed_ups"].push_back({{"variant", s.variant},
                                  {"baseline", s.baseline},
                                  {"problem", s.problem},
                                  {"factor", to_json(s.factor)}});
}

/// What 'parity findings' concludes from the rows of one origin, by the places of the rows.
Json findings_of(const analysis::Origin& origin) {
  const auto index = [&origin](const Measurement* m) -> Json {
    return origin.places[std::size_t(m - origin.rows.data())];
  };
  Json found = {{"text", origin.text},
                {"rows", origin.places},
                {"functions", Json::array()},
                {"sweeps", Json::array()},
                {"widths", Json::array()}};
  add_conclusions(found, analysis::diffusion_findings(origin.rows));
  const analysis::LaunchFindings launches = analysis::launch_findings(origin.rows);
  for (const analysis::LaunchFunction& f : launches.functions) {
    Json rows = Json::object();
    for (const auto& [quantity, row] : f.rows) rows[quantity] = index(row);
    found["functions"].push_back({{"variant", f.variant}, {"unit", f.unit}, {"rows", std::move(rows)}});
  }
  for (const analysis::SweepsOver& over : launches.sweeps)
    found["sweeps"].push_back({{"title", over.title}, {"axis", over.axis}, {"lines", lines_of(over, index)}});
  for (const analysis::WidthTable& t : analysis::width_tables(origin.rows))
    found["widths"].push_back(widths_of(t));
  // Of each variant and problem the row that sweeps over a parameter show.
  found["fastest_of_latest_runs"] = Json::array();
  const auto what = [](const Measurement& m) {
    return m.comparable() ? m.study + "/" + m.variant + " " + m.problem_text() : std::string();
  };
  for (const Measurement* m : analysis::fastest_of_latest_runs(origin.rows, what))
    found["fastest_of_latest_runs"].push_back(index(m));
  return found;
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

Json list_of_best_rates(const std::vector<Measurement>& rows) {
  Json all = Json::array();
  const auto index = [&rows](const Measurement* m) { return m ? Json(m - rows.data()) : Json(); };
  for (const analysis::BestRate& b : analysis::best_rates_of(rows))
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
                   {"starts", s.row.starts},
                   {"reason", s.reason}});
  }
  return all;
}

Json document_of(const harness::Records& records) {
  Json document = {{"schema", 3},           {"runs", Json::array()},    {"measurements", Json::array()},
                   {"rows", Json::array()}, {"origins", Json::array()}, {"pairs", Json::array()}};
  for (const harness::Environment& e : records.environments) {
    Json run = harness::to_json(e.run);
    run.update({{"commit_text", e.run.commit_text()},
                {"time", e.time},
                {"slice", e.slice},
                {"threads", e.threads},
                {"complete", e.complete},
                {"lines", e.lines}});
    document["runs"].push_back(std::move(run));
  }
  for (const harness::Measurement& m : records.measurements) {
    document["measurements"].push_back(to_json(m));
    document["measurements"].back()["place"] = m.place;
  }
  const std::vector<AgainstBaseline> against = against_baselines(records.measurements, "");
  for (std::size_t k = 0; k < against.size(); ++k) {
    document["rows"].push_back(row_of(records.measurements[k], against[k], records.measurements.data()));
    document["rows"].back()["problem"] = document["measurements"][k]["problem"];
  }
  for (const analysis::Origin& origin : analysis::by_origin(records.measurements))
    document["origins"].push_back(findings_of(origin));
  const std::vector<analysis::Pair> pairs = analysis::pairs_of(records.measurements);
  for (const analysis::Pair& p : pairs)
    document["pairs"].push_back({{"portable", p.portable - records.measurements.data()},
                                 {"native", p.native - records.measurements.data()},
                                 {"ratio", to_json(p.ratio)},
                                 {"difference", to_json(p.difference)},
                                 {"samples", p.ratio.samples}});
  document["cut"] = records.cut;
  document["noisy_width"] = harness::noisy_width;
  document["skipped"] = list_of_skipped(records.skipped);
  document["columns"] = list_of_columns(pairs);
  document["portability"] = list_of_portabilities(pairs);
  document["best"] = list_of_best_rates(records.measurements);
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
