// SPDX-License-Identifier: BSD-3-Clause
// parity diffusion: one comparison from the command line.
#include <fmt/format.h>

#include <memory>

#include "commands/commands.hpp"
#include "commands/comparison.hpp"
#include "diffusion/measure.hpp"

namespace parity::commands {
namespace {

struct Options {
  diffusion::Problem problem;
  ComparisonOptions comparison;
};

int run(const Options& o) {
  using namespace diffusion;
  Problem p = o.problem;
  p.precision = o.comparison.precision == "double" ? Precision::f64 : Precision::f32;
  validate(p);
  const auto selected = select(registry(), words_of(o.comparison, "diffusion"), tunings_of(o.comparison));
  return compare(o.comparison, "diffusion",
                 fmt::format("diffusion {} alpha={} halo={} seed={}", describe(p), p.alpha, p.halo, p.seed),
                 study::bases_of(registry()), selected.size(),
                 [&](const std::function<void(const std::string&)>& before) {
                   return measure(p, selected, o.comparison.run, before);
                 });
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
  add_comparison_options(
      *c, o->comparison,
      "Names or globs kernel[+mechanism][/tuning]: kokkos-fused 'openmp-*' cuda-fused-2d/8x32 "
      "'kokkos-fused/*' cuda-fused-2d+graph-two 'kokkos-fused+*'");
  return [o] { return run(*o); };
}

}  // namespace parity::commands
