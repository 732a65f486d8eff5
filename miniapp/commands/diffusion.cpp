// SPDX-License-Identifier: BSD-3-Clause
// parity diffusion: one comparison from the command line.
#include <fmt/format.h>

#include <memory>

#include "commands/commands.hpp"
#include "commands/table.hpp"
#include "diffusion/measure.hpp"
#include "io/whole_file.hpp"
#include "study/environment.hpp"
#include "study/error.hpp"
#include "study/plan.hpp"
#include "study/progress.hpp"

namespace parity::commands {
namespace {

struct Options {
  diffusion::Problem problem;
  std::string precision = "float", baseline, json, csv, tunings;
  std::vector<std::string> variants{"*"};
  study::RunOptions run;
  bool tune = false, quiet = false;
};

/// For every variant with a choice, its best line as it goes into a plan's [tunings].
void print_best_tunings(const std::vector<study::Row>& rows) {
  fmt::print("\n# best tunings; put them into a plan, or give this file with --tunings\n[tunings]\n");
  for (const diffusion::Entry& e : diffusion::registry()) {
    const study::Row *best = nullptr, *standard = nullptr;
    for (const study::Row& r : rows) {
      if (r.kernel != e.name || r.mechanism != diffusion::mechanisms().front().name || e.tunings.empty() ||
          r.samples.host_seconds.empty())
        continue;
      if (r.tuning == e.tunings.front()) standard = &r;
      if (!best || r.host().median < best->host().median) best = &r;
    }
    if (!best) continue;
    std::string note;
    if (standard && standard != best)
      note = fmt::format("; default {}: {:.3f} ms", standard->tuning, 1e3 * standard->host().median);
    fmt::print("\"diffusion/{}\" = \"{}\"  # {:.3f} ms{}\n", e.name, best->tuning, 1e3 * best->host().median,
               note);
  }
}

int run(const Options& o) {
  using namespace diffusion;
  Problem p = o.problem;
  p.precision = o.precision == "double" ? Precision::f64 : Precision::f32;
  validate(p);
  std::vector<std::string> words = o.variants;
  if (o.tune)
    for (std::string& w : words)
      if (w.find('/') == std::string::npos || w.rfind("diffusion/", 0) == 0) w += "/*";
  const auto selected =
      select(registry(), words, o.tunings.empty() ? Tunings{} : study::read_tunings(o.tunings));
  // Opened first: an unwritable name must not cost a finished measurement.
  std::unique_ptr<io::WholeFile> json, csv;
  if (!o.json.empty()) json = std::make_unique<io::WholeFile>(o.json);
  if (!o.csv.empty()) csv = std::make_unique<io::WholeFile>(o.csv);

  fmt::print("diffusion {} alpha={} halo={} seed={}\n", describe(p), p.alpha, p.halo, p.seed);
  std::fflush(stdout);
  study::Progress progress(int(selected.size()) * (o.run.repeats + 1), o.quiet);
  int done = 0;
  const Measured m =
      measure(p, selected, o.run, [&](const std::string& what) { progress.update(done++, what); });
  progress.clear();

  for (const auto& [s, reason] : m.skipped) fmt::print("skipped diffusion/{}: {}\n", s.name(), reason);
  if (m.rows.empty())
    throw study::CannotRunError("none of the variants can run here; 'parity list' says why");
  print_table(m.rows, o.baseline);
  print_pairs(m.rows);
  if (o.tune) print_best_tunings(m.rows);
  if (json) {
    std::string lines = study::environment().dump() + "\n";
    for (const study::Row& r : m.rows) lines += study::to_json(r).dump() + "\n";
    json->write_at(lines.data(), lines.size(), 0);
    json->commit();
  }
  if (csv) {
    const std::string text = to_csv(m.rows, o.baseline);
    csv->write_at(text.data(), text.size(), 0);
    csv->commit();
  }
  for (const study::Row& r : m.rows)
    if (!r.verdict.passed()) return study::exit_check_failed;
  return study::exit_ok;
}

}  // namespace

Action add_diffusion(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "diffusion",
      "Compare variants of the fourth-order diffusion filter on one problem (random field, verified)");
  c->add_option("--nx", o->problem.nx, "Points in x, the fastest axis")->capture_default_str();
  c->add_option("--ny", o->problem.ny, "Points in y")->capture_default_str();
  c->add_option("--nz", o->problem.nz, "Planes")->capture_default_str();
  c->add_option("--steps", o->problem.steps, "Filter steps")->capture_default_str();
  c->add_option("--alpha", o->problem.alpha, "Diffusion coefficient, above 0 and at most 1/32")
      ->capture_default_str();
  c->add_option("--halo", o->problem.halo, "Halo width in x and y, at least 2")->capture_default_str();
  c->add_option("--seed", o->problem.seed, "Seed of the random field")->capture_default_str();
  c->add_option("--precision", o->precision, "float or double")
      ->check(CLI::IsMember({"float", "double"}))
      ->capture_default_str();
  c->add_option("--variants", o->variants,
                "Names or globs kernel[+mechanism][/tuning]: kokkos-fused 'openmp-*' cuda-fused-2d/8x32 "
                "'kokkos-fused/*' cuda-fused-2d+graph-two 'kokkos-fused+*'")
      ->delimiter(',')
      ->capture_default_str();
  c->add_option("--baseline", o->baseline, "Row that ratios refer to (default: the fastest native one)");
  c->add_option("--repeats", o->run.repeats, "Timed samples of each variant at most")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  c->add_option("--warmup", o->run.warmup, "Untimed runs before them, the checked one included")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  c->add_option("--time-cap", o->run.time_cap, "Seconds after which no new round of samples starts")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  c->add_flag("--tune", o->tune, "Measure every tuning of the chosen variants and print the best lines");
  c->add_option("--tunings", o->tunings, "TOML file with a [tunings] table, as --tune prints it");
  c->add_option("--json", o->json, "Write the records (JSON lines) to this file");
  c->add_option("--csv", o->csv, "Write the table to this file");
  c->add_flag("--quiet", o->quiet, "No progress line");
  return [o] { return run(*o); };
}

}  // namespace parity::commands
