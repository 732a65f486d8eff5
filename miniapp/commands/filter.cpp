// SPDX-License-Identifier: BSD-3-Clause
// parity filter: the diffusion filter applied to a user's fields.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "commands/commands.hpp"
#include "commands/numbers.hpp"
#include "diffusion/study.hpp"
#include "filter/filter.hpp"
#include "filter/response.hpp"
#include "harness/progress.hpp"
#include "harness/selection.hpp"
#include "io/field_file.hpp"
#include "io/whole_file.hpp"
#include "runtime/error.hpp"
#include "runtime/host_memory.hpp"
#include "runtime/text.hpp"

namespace parity::commands {
namespace {

using runtime::UsageError;

struct Options {
  std::string input, output, variant, missing = "refuse";
  std::vector<std::string> variables;
  diffusion::Problem problem;
  double memory_mib = 0;
  std::optional<double> wavelength, damping;
  bool steps_given = false, alpha_given = false, explain = false, force = false, timings = false,
       quiet = false, no_measuring = false;
};

/// Steps and alpha, as given or as --wavelength and --damping need them.
void set_strength(const Options& o, diffusion::Problem& p) {
  const bool by_wave = o.wavelength || o.damping;
  if (by_wave && !(o.wavelength && o.damping))
    throw UsageError(
        "--wavelength and --damping go together: which waves, in grid points, lose which share of their "
        "amplitude");
  if (by_wave && (o.steps_given || o.alpha_given))
    throw UsageError("--wavelength and --damping choose steps and alpha; leave --steps and --alpha away");
  if (!by_wave && !o.steps_given)
    throw UsageError("--steps is required, or --wavelength with --damping ('parity filter --help' explains)");
  if (!by_wave) return;
  const filter::Strength s = filter::strength_for(*o.wavelength, *o.damping);
  p.steps = s.steps;
  p.alpha = s.alpha;
}

void print_timings(std::FILE* to, const filter::Summary& s, double commit) {
  fmt::print(to, "{:.2f} s; the stages ran at the same time, each in a thread of its own:\n",
             s.seconds + commit);
  const auto line = [&](const std::string& name, double seconds) {
    fmt::print(to, "  {:<16} {:>9.3f} s {:>6.1f} %\n", name, seconds, 100 * seconds / (s.seconds + commit));
  };
  for (const filter::Stage& stage : s.stages) line(stage.name, stage.seconds);
  line("make durable", commit);
  fmt::print(to, "  peak memory      {:>9}\n", runtime::bytes_text(runtime::peak_host_memory()));
}

std::string planes_text(std::int64_t count) {
  return fmt::format("{} plane{}", count, count == 1 ? "" : "s");
}

/// The field's sizes with the filter's parameters, checked.
diffusion::Problem problem_of(const diffusion::Problem& parameters, const io::Field& field) {
  diffusion::Problem p = parameters;
  const io::Shape shape = field.shape();
  p.nx = shape.nx;
  p.ny = shape.ny;
  p.nz = shape.nz;
  p.precision = shape.precision;
  try {
    diffusion::validate(p);
  } catch (const UsageError& e) {
    throw UsageError(fmt::format("{}: {}", field.name(), e.what()));
  }
  return p;
}

int run(const Options& o) {
  diffusion::Problem parameters = o.problem;
  set_strength(o, parameters);
  if (!o.variant.empty()) harness::select(diffusion::study(), {o.variant});
  diffusion::validate(parameters);  // steps, alpha and halo, before a file is touched
  // Standard output may be the field itself.
  std::FILE* const told = io::is_standard_output(o.output) ? stderr : stdout;
  if (o.explain) fmt::print(told, "{}", filter::response_table({parameters.steps, parameters.alpha}));
  if (o.input.empty() || o.output.empty()) {
    if (o.explain && o.input.empty()) return runtime::exit_ok;
    throw UsageError("input and output are required ('parity filter --help' explains)");
  }

  io::FieldFileOptions files;
  files.variables = o.variables;
  files.missing = o.missing == "keep" ? io::Missing::keep : io::Missing::refuse;
  files.overwrite_input = o.force;
  const auto file = io::open_fields(o.input, o.output, files);
  // All of them are looked at before the first is filtered.
  std::vector<diffusion::Problem> problems;
  std::vector<filter::Plan> plans;
  for (const auto& field : file->fields()) {
    problems.push_back(problem_of(parameters, *field));
    plans.push_back(
        filter::plan(problems.back(), o.variant, o.memory_mib * 1048576, files.missing, !o.no_measuring));
    if (o.explain) fmt::print(told, "{}", plans.back().candidates);
  }
  std::int64_t planes = 0, before = 0;
  for (const auto& p : problems) planes += p.nz;
  harness::Progress progress(planes, "planes", o.quiet);
  std::vector<filter::Summary> summaries;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    summaries.push_back(filter::run(
        *file->fields()[i], problems[i], plans[i],
        [&](double done, const std::string& what) { progress.update(double(before) + done, what); }));
    before += problems[i].nz;
  }
  const auto start = std::chrono::steady_clock::now();
  file->commit();
  const double commit = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.clear();
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const diffusion::Problem& p = problems[i];
    const filter::Summary& s = summaries[i];
    fmt::print(
        told,
        "{}{}: {} x {} x {} {}, {} step{} with alpha {:.6g}, periodic in x and y, diffusion/{}, {} at a "
        "time; "
        "every plane checked, {} at every point: off by at most {:.1e} of the largest value{}\n",
        io::is_standard_output(o.output) ? "standard output" : runtime::shown(o.output, 4096),
        o.variables.size() > 1 ? fmt::format(" ({})", runtime::shown(o.variables[i])) : "", p.nx, p.ny, p.nz,
        name(p.precision), p.steps, p.steps == 1 ? "" : "s", p.alpha, plans[i].choice.name(),
        planes_text(s.planes_at_once), s.exactly_checked, s.worst_error,
        s.with_gaps > 0 ? fmt::format("; filtered around missing points: {}", planes_text(s.with_gaps)) : "");
    if (o.timings) print_timings(told, s, i + 1 == problems.size() ? commit : 0);
  }
  return runtime::exit_ok;
}

}  // namespace

Action add_filter(CLI::App& app) {
  auto o = std::make_shared<Options>();
  o->problem.nx = o->problem.ny = 1024;
  o->problem.nz = 1;
  CLI::App* c = app.add_subcommand(
      "filter", "Filter your own field, periodic in x and y: .npy (2-D or 3-D) or NetCDF variables");
  c->add_option(
      "input", o->input,
      "Field: .npy of shape (ny, nx) or (nz, ny, nx), float32 or float64, C order; or NetCDF; - reads .npy "
      "from standard input");
  c->add_option(
      "output", o->output,
      "Filtered field in the input's format and type; appears whole or not at all; - writes .npy to "
      "standard output");
  CLI::Option* const steps = add_parameter(c, diffusion::study(), "steps", o->problem.steps);
  CLI::Option* const alpha =
      c->add_option(
           "--alpha", o->problem.alpha,
           "Diffusion coefficient, above 0 and at most 1/32, where checkerboards of single points stay")
          ->transform(number("a number above 0 and at most 0.03125 (1/32)"))
          ->capture_default_str();
  c->add_option(
       "--wavelength", o->wavelength,
       "Instead of steps and alpha: the waves, by length in grid points along an axis, that lose ...")
      ->transform(number("the length of a wave in grid points, as in 6"));
  c->add_option(
       "--damping", o->damping,
       "... this share of their amplitude, above 0 and below 1; longer waves lose less, shorter ones more")
      ->transform(number("the share of the amplitude to take away, as in 0.9"));
  c->add_flag("--explain", o->explain,
              "Print what is left of waves by their length, then filter; without input and output only that");
  add_parameter(c, diffusion::study(), "halo", o->problem.halo)->capture_default_str();
  c->add_option("--variable", o->variables,
                "NetCDF variables, separated by commas (needed when the file holds several fields)")
      ->delimiter(',')
      ->allow_extra_args(false);  // the next word is a file
  c->add_option("--missing", o->missing,
                "NaN and missing values: refuse, or keep (they stay missing, the filter runs around them)")
      ->check(CLI::IsMember({"refuse", "keep"}))
      ->capture_default_str();
  c->add_option("--variant", o->variant,
                "Variant to filter with (default: the fastest by what was measured here, else by a model)");
  c->add_flag("--no-measuring", o->no_measuring,
              "Never spend a second on measuring variants before long work, nor remember it in "
              "~/.cache/parity/rates.jsonl");
  c->add_option("--memory", o->memory_mib,
                "MiB of host memory to use at most (default: half of what is free)")
      ->transform(number_from(0.001, 1e9));
  c->add_flag("--force", o->force, "The output may be the input");
  c->add_flag("--timings", o->timings, "Print the time of each stage and the peak memory");
  c->add_flag("--quiet", o->quiet, "No progress line");
  return [o, steps, alpha] {
    o->steps_given = steps->count() > 0;
    o->alpha_given = alpha->count() > 0;
    for (std::string& name : o->variables) {  // "u, v" too
      name.erase(0, name.find_first_not_of(' '));
      name.erase(name.find_last_not_of(' ') + 1);
    }
    return run(*o);
  };
}

}  // namespace parity::commands
