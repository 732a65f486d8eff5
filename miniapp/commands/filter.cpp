// SPDX-License-Identifier: BSD-3-Clause
// parity filter: the diffusion filter applied to a user's field, in groups of planes that fit memory.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands/commands.hpp"
#include "diffusion/padded_copy.hpp"
#include "diffusion/reference.hpp"
#include "diffusion/study.hpp"
#include "harness/progress.hpp"
#include "harness/selection.hpp"
#include "io/field_file.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"
#include "runtime/host_memory.hpp"
#include "runtime/signals.hpp"

namespace parity::commands {
namespace {

struct Options {
  std::string input, output, variable, variant;
  diffusion::Problem problem;
  double memory_mib = 0;
  bool quiet = false;
};

/// The user's variant, or the first of a short list that can compute the problem here, best first.
harness::Choice choose(const Options& o, const diffusion::Problem& p) {
  using namespace diffusion;
  const auto task = study().task_of(p);
  if (!o.variant.empty()) {
    const auto choices = harness::select(study(), {o.variant});
    if (choices.size() != 1)
      throw runtime::UsageError(fmt::format("--variant {}: name one variant", o.variant));
    const harness::Choice& c = choices.front();
    if (c.entry->floor)
      throw runtime::UsageError(
          fmt::format("--variant {}: it measures a floor and filters nothing", o.variant));
    if (!mechanism_of(c).plain())
      throw runtime::UsageError(
          fmt::format("--variant {}: launch mechanisms are for measuring; leave '+{}' away", o.variant,
                      c.mechanism_name));
    if (const auto reason = task->why_not(c))
      throw runtime::CannotRunError(fmt::format("--variant {}: {}", o.variant, *reason));
    return c;
  }
  for (const char* name : {"kokkos-fused-column", "kokkos-team-plane", "openmp-plane"}) {
    const harness::Choice c = harness::choice_of(study(), name);
    // Columns in registers are a GPU's best; a CPU has a plane in its cache.
    if (!task->why_not(c) && (c.entry->on_device() || c.entry->name != "kokkos-fused-column")) return c;
  }
  throw runtime::CannotRunError("no variant can filter this field here; 'parity list' says why");
}

/// How many planes fit into memory at once.
std::int64_t planes_at_once(const Options& o, const diffusion::Problem& p, const harness::Choice& c) {
  diffusion::Problem one = p;
  one.nz = 1;
  const runtime::MemoryNeed variant = diffusion::study().need(one, c);
  // Planes in, out and staged, and the checked plane's exact solution.
  const double host = variant.host + 4 * one.field_bytes(), fixed = 3 * 8.0 * double(one.points());
  double free = 0.5 * double(runtime::available_host_memory());
  if (o.memory_mib > 0) free = std::min(free, o.memory_mib * 1048576);
  double planes = (free - fixed) / host;
  if (c.entry->on_device())
    planes = std::min(planes, 0.9 * double(runtime::free_device_memory()) / variant.device);
  if (planes < 1)
    throw runtime::UsageError(fmt::format(
        "{}: one plane of {} x {} needs {} and {} may be used: give more memory{}", o.input, p.nx, p.ny,
        runtime::bytes_text(host + fixed), runtime::bytes_text(free), o.memory_mib > 0 ? " (--memory)" : ""));
  return std::min<std::int64_t>(p.nz, std::int64_t(planes));
}

template <class T>
int filter(const Options& o, io::FieldFile& file, diffusion::Problem p) {
  using namespace diffusion;
  const std::int64_t nz = p.nz;
  const harness::Choice c = choose(o, p);
  const std::int64_t group = planes_at_once(o, p, c);
  std::vector<T> field, padded;
  std::unique_ptr<Variant<T>> variant;
  double worst = 0;
  harness::Progress progress(int((nz + group - 1) / group), o.quiet);
  for (std::int64_t first = 0; first < nz; first += group) {
    runtime::stop_if_interrupted();
    progress.update(int(first / group),
                    fmt::format("planes {} to {} of {}", first, std::min(first + group, nz) - 1, nz));
    const std::int64_t count = std::min(group, nz - first);
    if (!variant || count != p.nz) {
      variant.reset();
      p.nz = count;
      variant = entry_of(c).make<T>(p, c.tuning);
      field.resize(std::size_t(p.points()));
      padded.resize(std::size_t(p.padded_points()));
    }
    file.read(first, count, field.data());
    variant->load(field.data());
    variant->advance();
    variant->synchronise();
    variant->store(padded.data());
    // One plane of each group against the exact solution: wrong output is never written.
    Problem checked = p;
    checked.nz = 1;
    const auto verdict =
        verify(checked, field.data(), fourier_solution(checked, field.data()), padded.data());
    worst = std::max(worst, verdict.error);
    if (!verdict.passed())
      throw runtime::Error(
          runtime::exit_check_failed,
          fmt::format("{}: wrong result at plane {} (error {:.1e}, tolerance {:.0e}); nothing was written",
                      c.name(), first, verdict.error, verdict.tolerance));
    extract_interior(p, padded.data(), field.data());
    file.write(first, count, field.data());
  }
  file.commit();
  progress.clear();
  fmt::print(
      "{}: {} x {} x {} {}, {} steps with diffusion/{}, {} planes at a time, error {:.1e} in checked "
      "planes\n",
      o.output, p.nx, p.ny, nz, name(p.precision), p.steps, c.name(), group, worst);
  return runtime::exit_ok;
}

int run(const Options& o) {
  diffusion::Problem p = o.problem;
  if (!o.variant.empty()) harness::select(diffusion::study(), {o.variant});
  diffusion::validate(p);  // steps, alpha and halo, before a file is touched
  const auto file = io::open_field(o.input, o.output, o.variable);
  const io::Shape shape = file->shape();
  p.nx = shape.nx;
  p.ny = shape.ny;
  p.nz = shape.nz;
  p.precision = shape.precision;
  try {
    diffusion::validate(p);
  } catch (const runtime::UsageError& e) {
    throw runtime::UsageError(fmt::format("{}: {}", o.input, e.what()));
  }
  return p.precision == runtime::Precision::f32 ? filter<float>(o, *file, p) : filter<double>(o, *file, p);
}

}  // namespace

Action add_filter(CLI::App& app) {
  auto o = std::make_shared<Options>();
  o->problem.nx = o->problem.ny = 1024;
  o->problem.nz = 1;
  CLI::App* c = app.add_subcommand("filter", "Filter your own field: .npy (2-D or 3-D) or a NetCDF variable");
  c->add_option("input", o->input,
                "Field: .npy of shape (ny, nx) or (nz, ny, nx), float32 or float64, C order; or NetCDF")
      ->required();
  c->add_option("output", o->output,
                "Filtered field in the input's format and type; appears whole or not at all")
      ->required();
  c->add_option("--steps", o->problem.steps, "Filter steps")->required();
  c->add_option("--alpha", o->problem.alpha, "Diffusion coefficient, above 0 and at most 1/32")
      ->capture_default_str();
  c->add_option("--halo", o->problem.halo, "Halo width of the variants that have one, at least 2")
      ->capture_default_str();
  c->add_option("--variable", o->variable, "NetCDF variable (needed when the file holds several fields)");
  c->add_option("--variant", o->variant, "Variant to filter with (default: the best one here)");
  c->add_option("--memory", o->memory_mib,
                "MiB of host memory to use at most (default: half of what is free)")
      ->check(CLI::Range(0.001, 1e9));
  c->add_flag("--quiet", o->quiet, "No progress line");
  return [o] { return run(*o); };
}

}  // namespace parity::commands
