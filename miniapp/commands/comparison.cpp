// SPDX-License-Identifier: BSD-3-Clause
#include "commands/comparison.hpp"

#include <fmt/format.h>

#include <memory>

#include "commands/table.hpp"
#include "study/environment.hpp"
#include "study/error.hpp"
#include "study/plan.hpp"
#include "study/progress.hpp"

namespace parity::commands {
namespace {

/// For every variant with a choice, its best line as it goes into a plan's [tunings].
void print_best_tunings(const std::vector<const study::EntryBase*>& registry,
                        const std::vector<study::Row>& rows) {
  fmt::print("\n# best tunings; put them into a plan, or give this file with --tunings\n[tunings]\n");
  for (const study::EntryBase* e : registry) {
    const study::Row *best = nullptr, *standard = nullptr;
    for (const study::Row& r : rows) {
      if (r.kernel != e->name || r.mechanism != "stream" || e->tunings.empty() ||
          r.samples.host_seconds.empty())
        continue;
      if (r.tuning == e->tunings.front()) standard = &r;
      if (!best || r.host().median < best->host().median) best = &r;
    }
    if (!best) continue;
    std::string note;
    if (standard && standard != best)
      note = fmt::format("; default {}: {:.3f} ms", standard->tuning, 1e3 * standard->host().median);
    fmt::print("\"{}/{}\" = \"{}\"  # {:.3f} ms{}\n", best->study, e->name, best->tuning,
               1e3 * best->host().median, note);
  }
}

}  // namespace

void add_comparison_options(CLI::App& c, ComparisonOptions& o, const std::string& words) {
  c.add_option("--precision", o.precision, "float or double")
      ->check(CLI::IsMember({"float", "double"}))
      ->capture_default_str();
  c.add_option("--variants", o.variants, words)->delimiter(',')->capture_default_str();
  c.add_option("--baseline", o.baseline, "Row that ratios refer to (default: the fastest native one)");
  c.add_option("--repeats", o.run.repeats, "Timed samples of each variant at most")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  c.add_option("--warmup", o.run.warmup, "Untimed runs before them, the checked one included")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  c.add_option("--time-cap", o.run.time_cap, "Seconds after which no new round of samples starts")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  c.add_flag("--tune", o.tune, "Measure every tuning of the chosen variants and print the best lines");
  c.add_option("--tunings", o.tunings, "TOML file with a [tunings] table, as --tune prints it");
  c.add_option("--json", o.json, "Write the records (JSON lines) to this file");
  c.add_option("--csv", o.csv, "Write the table to this file");
  c.add_flag("--quiet", o.quiet, "No progress line");
}

std::vector<std::string> words_of(const ComparisonOptions& o, const std::string& study) {
  std::vector<std::string> words = o.variants;
  if (o.tune)
    for (std::string& w : words)
      if (w.find('/') == std::string::npos || w.rfind(study + "/", 0) == 0) w += "/*";
  return words;
}

study::Tunings tunings_of(const ComparisonOptions& o) {
  return o.tunings.empty() ? study::Tunings{} : study::read_tunings(o.tunings);
}

OutputFiles::OutputFiles(const std::string& json, const std::string& csv) {
  if (!json.empty()) json_ = std::make_unique<io::WholeFile>(json);
  if (!csv.empty()) csv_ = std::make_unique<io::WholeFile>(csv);
}

void OutputFiles::write(const std::vector<study::Row>& rows, const std::function<std::string()>& table) {
  const auto write = [](io::WholeFile& file, const std::string& text) {
    file.write_at(text.data(), text.size(), 0);
    file.commit();
  };
  if (json_) {
    std::string lines = study::environment().dump() + "\n";
    for (const study::Row& r : rows) lines += study::to_json(r).dump() + "\n";
    write(*json_, lines);
  }
  if (csv_) write(*csv_, table());
}

int compare(const ComparisonOptions& o, const std::string& study, const std::string& title,
            const std::vector<const study::EntryBase*>& registry, std::size_t variants,
            const std::function<study::Measured(const std::function<void(const std::string&)>&)>& measure) {
  OutputFiles files(o.json, o.csv);
  fmt::print("{}\n", title);
  std::fflush(stdout);
  study::Progress progress(int(variants) * (o.run.repeats + 1), o.quiet);
  int done = 0;
  const study::Measured m = measure([&](const std::string& what) { progress.update(done++, what); });
  progress.clear();

  for (const auto& [name, reason] : m.skipped) fmt::print("skipped {}/{}: {}\n", study, name, reason);
  if (m.rows.empty())
    throw study::CannotRunError("none of the variants can run here; 'parity list' says why");
  print_table(m.rows, o.baseline);
  print_pairs(m.rows);
  if (o.tune) print_best_tunings(registry, m.rows);
  files.write(m.rows, [&] { return to_csv(m.rows, o.baseline); });
  for (const study::Row& r : m.rows)
    if (!r.verdict.passed()) return study::exit_check_failed;
  return study::exit_ok;
}

}  // namespace parity::commands
