// SPDX-License-Identifier: BSD-3-Clause
// parity export: records as one JSON document for the report and other programs, with measurements and the
// contents of tables and figures; in the layouts of Google Benchmark and p3-analysis-library; or as one
// record file.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "analysis/comparison.hpp"
#include "analysis/findings.hpp"
#include "analysis/time_split.hpp"
#include "commands/commands.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::commands {
namespace {

using Json = nlohmann::json;

struct Options {
  Paths records;
  std::string output = "-";
  std::string layout = "parity";
  bool as_records = false;
};

Json to_json(const harness::Estimate& e) {
  return {{"value", e.value},
          {"least", e.least},
          {"low", e.interval ? Json(e.interval->low) : Json()},
          {"high", e.interval ? Json(e.interval->high) : Json()},
          {"noisy", e.noisy()},
          {"starts", e.processes}};
}

/// The time as figures show it, in us: per step if the study has steps.
Json result_of(const Measurement& m) {
  harness::Estimate e = m.host();
  const double step = m.metric("step_time");
  const double factor = step > 0 && e.value > 0 ? step / e.value : 1e6;
  e.value *= factor;
  e.least *= factor;
  if (e.interval) e.interval = harness::Interval{factor * e.interval->low, factor * e.interval->high};
  return to_json(e);
}

Json to_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json row_of(const Measurement& m, const AgainstBaseline& against, const Measurement* first,
            const analysis::TimeSplits& splits) {
  const analysis::TimeSplit split = splits.of(m);
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
          {"tier", harness::name(m.tier)},
          {"twin", m.twin},
          {"problem_text", m.problem_text()},
          {"passed", m.verdict.passed()},
          {"comparable", m.comparable()},
          {"error", m.verdict.error},
          {"reference", m.verdict.reference},
          {"caveat", m.verdict.caveat},
          {"time_s", to_json(m.host())},
          {"preempted", harness::preempted(m.preemptions)},
          {"result_us", result_of(m)},
          {"split_s",
           {{"launches", to_json(split.launches)},
            {"bytes", to_json(split.bytes)},
            {"rest", to_json(split.rest)}}},
          {"setup_s", m.setup_seconds},
          {"capture_s", m.capture_seconds},
          {"end_to_end_s", m.end_to_end_seconds()},
          {"metrics", std::move(metrics)},
          {"baseline", against.baseline ? Json(against.baseline - first) : Json()},
          {"ratio", to_json(against.ratio)}};
}

/// The conclusions of 'parity findings' from the results of one origin; results are given by their index.
Json findings_of(const analysis::Origin& origin) {
  const auto place = [&origin](const Measurement* m) {
    return origin.places[std::size_t(m - origin.rows.data())];
  };
  const analysis::DiffusionFindings diffusion = analysis::diffusion_findings(origin.rows);
  const analysis::LaunchFindings launches = analysis::launch_findings(origin.rows);
  Json found = {{"text", origin.text},
                {"rows", origin.places},
                {"tables", Json::array()},
                {"functions", Json::array()}};
  std::vector<Conclusion> tables = conclusions_of(diffusion);
  for (const analysis::WidthTable& t : analysis::width_tables(origin.rows))
    for (Conclusion& c : conclusions_of(t)) tables.push_back(std::move(c));
  for (const Conclusion& c : tables)
    found["tables"].push_back({{"title", c.title}, {"columns", c.columns}, {"rows", c.rows}});
  for (const analysis::LaunchFunction& f : launches.functions) {
    Json rows = Json::object();
    for (const auto& [quantity, row] : f.rows) rows[quantity] = place(row);
    found["functions"].push_back({{"variant", f.variant}, {"unit", f.unit}, {"rows", std::move(rows)}});
  }
  return found;
}

/// The cells of an algorithm: Kokkos first, tuned, only form, then native likewise; null if one was not
/// measured.
Json list_of_cells(const std::vector<Measurement>& rows) {
  Json all = Json::array();
  for (const analysis::Cells& c : analysis::cells_of(rows)) {
    Json cells = Json::array();
    for (const analysis::Implementation& cell : c.cells)
      cells.push_back(cell.row && cell.speed.processes > 0
                          ? Json{{"row", cell.row - rows.data()}, {"speed", to_json(cell.speed)}}
                          : Json());
    all.push_back({{"algorithm", c.algorithm},
                   {"native", &c.fastest_native() - rows.data()},
                   {"cells", std::move(cells)}});
  }
  return all;
}

/// Indices into 'pairs', or null.
Json list_of_versions(const std::vector<Measurement>& rows, const std::vector<analysis::Pair>& pairs) {
  Json all = Json::array();
  for (const analysis::PairsByVersion& found : analysis::pairs_by_version(rows)) {
    Json lines = Json::array();
    for (const std::vector<analysis::Pair>& line : found.lines) {
      Json in = Json::array();
      for (const analysis::Pair& p : line)
        in.push_back(p.portable ? Json(analysis::pair_of(pairs, *p.portable) - pairs.data()) : Json());
      lines.push_back(std::move(in));
    }
    all.push_back({{"device", found.device}, {"versions", found.versions}, {"pairs", std::move(lines)}});
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

Json list_of_skipped(const std::vector<harness::SkippedRow>& skipped) {
  Json all = Json::array();
  for (const harness::SkippedRow& s : skipped) {
    all.push_back({{"run", s.row.run.id},
                   {"place", s.row.place},
                   {"study", s.row.study},
                   {"variant", s.row.variant},
                   {"name", s.row.name()},
                   {"problem_text", s.row.problem_text()},
                   {"starts", s.row.processes},
                   {"reason", s.reason}});
  }
  return all;
}

Json document_of(const harness::Records& records) {
  Json document = {{"schema", 4},           {"runs", Json::array()},    {"measurements", Json::array()},
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
  harness::Environment unknown;  // for runs that no line of a file describes
  for (const Measurement& m : records.measurements) unknown.run = m.run, add_run(unknown);
  for (const harness::SkippedRow& s : records.skipped) unknown.run = s.row.run, add_run(unknown);
  for (const Measurement& m : records.measurements) {
    document["measurements"].push_back(to_json(m));
    document["measurements"].back()["place"] = m.place;
  }
  const std::vector<AgainstBaseline> against = against_baselines(records.measurements, "");
  const analysis::TimeSplits splits(records.measurements);
  for (std::size_t k = 0; k < against.size(); ++k) {
    const Measurement& m = records.measurements[k];
    document["rows"].push_back(row_of(m, against[k], records.measurements.data(), splits));
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
  // Only the fastest of several tunings is in a pair.
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
  document["cells"] = list_of_cells(records.measurements);
  document["versions"] = list_of_versions(records.measurements, pairs);
  document["best"] = list_of_best_rates(records.measurements);
  return document;
}

using Skip = std::tuple<std::string, std::string, std::vector<int>>;
Skip skip_of(const harness::SkippedRow& s) { return {s.row.run.id, key(s.row), s.row.processes}; }

/// Joins the records of a plan's slices in one file.
int merge_records(const Paths& parts, const std::string& output) {
  std::string text;
  std::map<std::string, std::string> part_of;                // a row's key -> the file that holds it
  std::set<std::pair<std::string, std::vector<int>>> lines;  // key and run, processes
  std::map<Skip, std::string> part_of_skip;
  const auto both = [](const std::string& one, const std::string& other, const std::string& row) {
    return runtime::UsageError(
        fmt::format("{} and {} both hold the row {}; leave one of them out", one, other, row));
  };
  for (const std::string& part : parts)
    for (const harness::RecordLine& line : harness::read_lines(part)) {
      text += line.text + "\n";
      if (line.skipped) {
        // One run may have measured what another skipped.
        const auto [at, is_new] = part_of_skip.emplace(skip_of(*line.skipped), part);
        if (!is_new) throw both(at->second, part, key(line.skipped->row));
      }
      if (!line.measurement) continue;
      const auto at = part_of.emplace(key(*line.measurement), part).first;
      const std::string row = line.measurement->run.id + " " + key(*line.measurement);
      if (at->second != part || !lines.emplace(row, line.measurement->processes).second)
        throw both(at->second, part, at->first);
    }
  if (part_of.empty() && part_of_skip.empty())
    throw runtime::UsageError(fmt::format(
        "{}: no measurement to merge; give files written by 'parity measure'", fmt::join(parts, " ")));
  if (access(output.c_str(), F_OK) == 0)
    for (const harness::RecordLine& line : harness::read_lines(output))
      if ((line.measurement && part_of.count(key(*line.measurement)) == 0) ||
          (line.skipped && part_of_skip.count(skip_of(*line.skipped)) == 0))
        throw runtime::UsageError(fmt::format(
            "{}: holds rows that none of the files has, which would be lost; give another --output", output));
  write_text(output, text);
  std::set<std::string> skipped;
  for (const auto& [skip, part] : part_of_skip)
    if (part_of.count(std::get<1>(skip)) == 0) skipped.insert(std::get<1>(skip));
  fmt::print("{} rows{} of {} files: {}\n", part_of.size(),
             skipped.empty() ? std::string() : fmt::format(" and {} that were skipped", skipped.size()),
             parts.size(), runtime::shown(output, 4096));
  return runtime::exit_ok;
}

/// "diffusion/kokkos-fused/nx:128/ny:128/...", as Google Benchmark names arguments.
std::string benchmark_name(const Measurement& m) {
  std::string problem = m.problem_text();
  std::replace(problem.begin(), problem.end(), '=', ':');
  std::replace(problem.begin(), problem.end(), ',', '/');
  return m.full_name() + "/" + problem;
}

/// The JSON of Google Benchmark: a repetition is a process, its time the median of its samples, in us. CPU
/// time is not measured, and the layout has no way to omit it: it repeats the real time.
Json google_benchmark_of(const harness::Records& records) {
  const harness::Environment about =
      records.environments.empty() ? harness::Environment() : records.environments.front();
  Json document = {{"context",
                    {{"date", about.time},
                     {"host_name", about.run.host},
                     {"executable", "parity"},
                     {"num_cpus", std::max(1, std::atoi(about.threads.c_str()))},
                     {"library_build_type", "release"},
                     {"parity_commit", about.run.commit_text()},
                     {"parity_device", about.run.device}}},
                   {"benchmarks", Json::array()}};
  int family = 0;
  const auto add = [&](const Measurement& m, int repetition, std::size_t of, Json more) {
    Json b = {{"name", benchmark_name(m)},
              {"run_name", benchmark_name(m)},
              {"run_type", "iteration"},
              {"family_index", family},
              {"repetitions", of},
              {"repetition_index", repetition},
              {"per_family_instance_index", 0},
              {"threads", 1},
              {"time_unit", "us"},
              {"label", m.run.device}};
    b.update(more);
    document["benchmarks"].push_back(std::move(b));
  };
  const auto add_failed = [&](const Measurement& m, const std::string& why) {
    add(m, 0, 1,
        {{"error_occurred", true},
         {"error_message", why},
         {"iterations", 0},
         {"real_time", 0.0},
         {"cpu_time", 0.0}});
    ++family;
  };
  for (const Measurement& m : records.measurements) {
    if (!m.comparable()) {
      add_failed(m, m.verdict.passed() ? "no time" : "wrong result");
      continue;
    }
    const harness::ByProcess times = m.quiet_seconds();
    for (std::size_t b = 0; b < times.size(); ++b) {
      const double us = 1e6 * harness::median_of(times[b]);
      Json more = {{"iterations", times[b].size()}, {"real_time", us}, {"cpu_time", us}};
      for (const harness::Metric& metric : m.metrics)
        if (is_shown(metric)) more[metric.name] = metric.value;
      add(m, int(b), times.size(), std::move(more));
    }
    ++family;
  }
  for (const harness::SkippedRow& s : records.skipped) add_failed(s.row, s.reason);
  return document;
}

/// The table that p3-analysis-library reads, one verified result per line; its figure of merit is the time
/// (lower is better).
std::string p3_of(const harness::Records& records) {
  std::map<std::string, std::string> date_of;
  for (const harness::Environment& e : records.environments) date_of[e.run.id] = e.time;
  TableExport table_export{"p3", {"problem", "application", "platform", "fom", "date"}, {}};
  for (const Measurement& m : records.measurements)
    if (m.comparable() && !m.floor)
      table_export.rows.push_back(
          {m.study + " " + m.problem_text(), m.name(), m.run.device, m.host().value, date_of[m.run.id]});
  return csv_of(table_export);
}

int run(const Options& o) {
  if (o.as_records) return merge_records(o.records, o.output);
  require_apart({{"--output", o.output}}, o.records);
  const harness::Records records = harness::read_records(o.records, /*skipped_are_enough=*/true);
  if (o.layout == "p3") {
    write_text(o.output, p3_of(records));
  } else {
    const Json document = o.layout == "parity" ? document_of(records) : google_benchmark_of(records);
    write_text(o.output, document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  return runtime::exit_ok;
}

}  // namespace

Action add_export(CLI::App& app, const harness::Studies&) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "export",
      "Records as one JSON document: runs, measurements, their rows as tables show them with the ratios to "
      "the baseline, the pairs portable / native, and what 'parity findings' draws from");
  c->add_option("records", o->records, "Files of records, or folders of results, read together")->required();
  c->add_flag("--records", o->as_records,
              "Join the files in one file of records instead, as those of a plan's slices (measure --slice)");
  c->add_option(
       "--layout", o->layout,
       "For other programs: google-benchmark is its JSON, a repetition for each process (CPU time is not "
       "measured and repeats the real time); p3 is the CSV of p3-analysis-library, verified results alone, "
       "with the time in s as figure of merit (lower is better)")
      ->check(CLI::IsMember({"parity", "google-benchmark", "p3"}))
      ->capture_default_str()
      ->excludes("--records");
  c->add_option("--output", o->output, "File to write; -: standard output")->capture_default_str();
  return [o] { return run(*o); };
}

}  // namespace parity::commands
