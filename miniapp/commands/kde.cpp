// SPDX-License-Identifier: BSD-3-Clause
// parity kde: one comparison of Gaussian kernel-density estimators from the command line.
#include <fmt/format.h>

#include <memory>

#include "commands/commands.hpp"
#include "commands/comparison.hpp"
#include "kde/measure.hpp"
#include "study/error.hpp"

namespace parity::commands {
namespace {

struct Options {
  kde::Problem problem;
  std::string distribution = "lognormal";
  std::vector<int> block_widths;
  ComparisonOptions comparison;
};

/// Puts the asked block widths in the place of the default of every variant that has the study's block width.
std::vector<kde::Selected> with_block_widths(const std::vector<kde::Selected>& selected,
                                             const std::vector<int>& widths) {
  if (widths.empty()) return selected;
  std::vector<kde::Selected> all;
  bool used = false;
  for (const kde::Selected& s : selected) {
    if (!s.entry->block_width) {
      all.push_back(s);
      continue;
    }
    for (const int width : widths) all.push_back({s.entry, study::Tuning{{width}}});
    used = true;
  }
  if (!used)
    throw study::UsageError(
        "--block-width: none of the variants has a block width; choose 'cuda-seed-*', "
        "cuda-register-sum or cuda-shared-tile");
  return all;
}

int run(const Options& o) {
  using namespace kde;
  Problem p = o.problem;
  p.distribution = distribution_of(o.distribution);
  p.precision = o.comparison.precision == "double" ? Precision::f64 : Precision::f32;
  validate(p);
  const auto selected = with_block_widths(
      select(registry(), words_of(o.comparison, "kde"), tunings_of(o.comparison)), o.block_widths);
  return compare(o.comparison, "kde",
                 fmt::format("kde {} tolerance={} seed={}", describe(p), p.tolerance, p.seed),
                 study::bases_of(registry()), selected.size(),
                 [&](const std::function<void(const std::string&)>& before) {
                   return measure(p, selected, o.comparison.run, before);
                 });
}

}  // namespace

Action add_kde(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "kde",
      "Compare variants of Gaussian kernel-density estimation at all samples of one problem (verified)");
  c->add_option("--n", o->problem.n, "Samples, which are the queries too")->capture_default_str();
  c->add_option("--bandwidth", o->problem.bandwidth, "Bandwidth h, in units of the samples")
      ->capture_default_str();
  c->add_option("--distribution", o->distribution,
                fmt::format("Where samples come from: {}", fmt::join(kde::distribution_names(), ", ")))
      ->capture_default_str();
  c->add_option("--tolerance", o->problem.tolerance,
                "What approximate variants may be wrong by, relative to the largest density")
      ->capture_default_str();
  c->add_option("--seed", o->problem.seed, "Seed of the samples")->capture_default_str();
  c->add_option("--block-width", o->block_widths,
                "Block widths for the variants that have the study's, e.g. 2,64,1024")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024));
  add_comparison_options(*c, o->comparison,
                         "Names or globs kernel[/tuning]: 'kokkos-*' cuda-register-tile/8 'cuda-split-*/*'");
  return [o] { return run(*o); };
}

}  // namespace parity::commands
