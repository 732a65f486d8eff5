// SPDX-License-Identifier: BSD-3-Clause
// parity filter: applies the diffusion filter to a user's fields.
#include <fmt/format.h>

#include <optional>

#include "commands/commands.hpp"
#include "diffusion/study.hpp"
#include "harness/progress.hpp"
#include "runtime/error.hpp"
#include "runtime/host_memory.hpp"
#include "runtime/messages.hpp"
#include "runtime/text.hpp"
#include "tools/filter/field_file.hpp"
#include "tools/filter/filter.hpp"
#include "tools/filter/response.hpp"
#include "tools/names.hpp"

namespace parity::commands {
namespace {

using runtime::UsageError;

struct Options {
  std::string input, output, variant, missing = "refuse";
  std::vector<std::string> variables, boundary, plane;
  diffusion::Problem problem;
  double memory_mib = 0;
  std::optional<double> wavelength, damping;
  bool steps_given = false, explain = false, force = false, timings = false, quiet = false;
};

/// Sets steps and alpha: as given, or as required by --wavelength and --damping with at most the given alpha.
void set_strength(const Options& o, diffusion::Problem& p) {
  const bool by_wave = o.wavelength || o.damping;
  if (by_wave && !(o.wavelength && o.damping))
    throw UsageError(
        "--wavelength and --damping go together: which waves, in grid points, lose which share of their "
        "amplitude");
  if (by_wave && o.steps_given) throw UsageError("--wavelength and --damping choose the steps; omit --steps");
  if (!by_wave && !o.steps_given)
    throw UsageError("--steps is required, or --wavelength with --damping ('parity filter --help' explains)");
  if (!by_wave) return;
  diffusion::validate(p);
  const filter::Strength s = filter::strength_for(*o.wavelength, *o.damping, p.alpha);
  p.steps = s.steps;
  p.alpha = s.alpha;
}

void print_timings(std::FILE* to, const filter::Summary& s, double commit) {
  fmt::print(to, "{:.2f} s; the stages{} ran at the same time, each in a thread of its own:\n",
             s.seconds + commit, runtime::several_ranks() ? " of rank 0" : "");
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

/// Boundaries of both axes; the file determines those that --boundary does not name.
struct Edges {
  io::Edge x, y;
  filter::Mirror closed() const { return {x.closed, y.closed}; }
  std::string text() const {
    const auto kind = [](const io::Edge& e) { return e.closed ? "closed" : "periodic"; };
    if (x.closed == y.closed && x.why == y.why) return fmt::format("{} in x and y ({})", kind(x), x.why);
    return fmt::format("{} in x ({}), {} in y ({})", kind(x), x.why, kind(y), y.why);
  }
};
io::Edge edge_of(const io::Field& field, const std::vector<std::string>& boundary, bool of_x) {
  std::optional<io::Edge> said;
  for (const std::string& word : boundary) {
    if (word.front() != (of_x ? 'x' : 'y')) continue;
    if (said) throw UsageError(fmt::format("--boundary {}: names an axis twice", fmt::join(boundary, ",")));
    said = io::Edge{word.substr(2) == "closed", "--boundary"};
  }
  return said ? *said : field.edge(of_x);
}

diffusion::Problem problem_of(const diffusion::Problem& parameters, const io::Field& field,
                              const filter::Mirror& closed) {
  diffusion::Problem p = parameters;
  const io::Shape shape = field.shape();
  p.nx = shape.nx;
  p.ny = shape.ny;
  p.nz = shape.nz;
  p.precision = shape.precision;
  try {
    // A mirrored plane is long enough; the message must name the user's plane.
    const bool short_of_halo = (p.nx < p.halo && !closed.x) || (p.ny < p.halo && !closed.y);
    diffusion::validate(short_of_halo ? p : closed.of(p));
  } catch (const UsageError& e) {
    throw UsageError(fmt::format("{}: {}", field.name(), e.what()));
  }
  return p;
}

/// The planes of a field that this rank filters, and the plan, with the variant that rank 0 chose for all
/// ranks. If ranks share each plane, rank 0 has all planes.
struct Work {
  diffusion::Problem whole, part;
  Edges edges;
  runtime::Share planes;  ///< planes of the field that this rank filters
  filter::Plan plan;
  std::int64_t most_blocks = 0;  ///< the largest number of blocks of any rank
};

Work work_on(io::Field& field, const Options& o, const diffusion::Problem& parameters, io::Missing missing) {
  const runtime::RankInfo here = runtime::rank_info();
  Work work;
  const auto plan_of = [&](const diffusion::Problem& p, const std::string& variant) {
    const runtime::ApartScope apart;
    return filter::plan(p, work.edges.closed(), variant, o.memory_mib * 1048576, missing, field.caches());
  };
  std::optional<filter::SharedVariant> variant;
  runtime::collective_or_throw([&] {
    work.edges = {edge_of(field, o.boundary, true), edge_of(field, o.boundary, false)};
    work.whole = problem_of(parameters, field, work.edges.closed());
    if (here.rank == 0 && here.ranks > 1)
      variant =
          filter::shared_variant(work.whole, work.edges.closed(), o.variant, o.memory_mib * 1048576, missing);
  });
  // All ranks choose the message transport together, if any messages will be sent.
  if (runtime::broadcast(variant.has_value())) runtime::resolved(runtime::Transport::automatic);
  runtime::collective_or_throw([&] {
    if (here.rank > 0) return;
    auto shared = variant ? filter::shared_plan(work.whole, work.edges.closed(), *variant,
                                                o.memory_mib * 1048576, missing, field.caches())
                          : std::nullopt;
    work.plan = shared ? *std::move(shared) : plan_of(work.whole, o.variant);
  });
  const std::string chosen = runtime::broadcast(here.rank == 0 ? work.plan.choice.name() : "");
  if (runtime::broadcast(work.plan.shared)) {
    work.whole.ranks_y = here.ranks;
    work.plan.shared = true;
    work.plan.closed = work.edges.closed();
    work.plan.choice = harness::choice_of(diffusion::study(), chosen);
    work.planes = {0, here.rank == 0 ? work.whole.nz : 0};
  } else {
    work.planes =
        runtime::share_of_units(work.whole.nz, field.planes_together(here.ranks), here.ranks, here.rank);
  }
  work.part = work.whole;
  work.part.nz = work.planes.size;
  if (here.ranks > 1 && !work.plan.shared) {
    const std::string why = work.plan.why;
    runtime::collective_or_throw([&] {
      if (work.planes.size > 0) work.plan = plan_of(work.part, chosen);
    });
    work.plan.why = why;
  }
  work.most_blocks =
      std::int64_t(runtime::largest(double(field.blocks(work.plan.planes, work.planes).size())));
  return work;
}

/// Combines all ranks' summaries; the stages remain this rank's.
filter::Summary joined(filter::Summary s) {
  std::int64_t counts[] = {s.exactly_checked, s.with_gaps, s.all_missing};
  runtime::add_over_ranks(counts, 3);
  s.exactly_checked = counts[0];
  s.with_gaps = counts[1];
  s.all_missing = counts[2];
  s.planes_at_once = std::int64_t(runtime::largest(double(s.planes_at_once)));
  s.worst_error = runtime::largest(s.worst_error);
  s.seconds = runtime::largest(s.seconds);
  return s;
}

int run(const Options& o) {
  diffusion::Problem parameters = o.problem;
  set_strength(o, parameters);
  if (!o.variant.empty()) harness::select(diffusion::study(), {o.variant});
  diffusion::validate(parameters);  // checks steps, alpha and halo before opening a file
  // Standard output may carry the field.
  std::FILE* const told = io::is_standard_output(o.output) ? stderr : stdout;
  if (o.explain) fmt::print(told, "{}", filter::response_table({parameters.steps, parameters.alpha}));
  if (o.input.empty() || o.output.empty()) {
    if (o.explain && o.input.empty()) return runtime::exit_ok;
    throw UsageError("input and output are required ('parity filter --help' explains)");
  }

  io::FieldFileOptions files;
  files.variables = o.variables;
  files.plane = o.plane;
  files.missing = o.missing == "keep" ? io::Missing::keep : io::Missing::refuse;
  files.overwrite_input = o.force;
  files.shared = runtime::several_ranks();
  files.most_bytes = o.memory_mib * 1048576;
  const auto file =
      io::open_on_all_ranks<io::FieldFile>([&] { return io::open_fields(o.input, o.output, files); },
                                           [&](const std::string& temporary) {
                                             io::FieldFileOptions others = files;
                                             others.joins = temporary;
                                             return io::open_fields(o.input, o.output, others);
                                           });
  // Plan all fields before filtering the first one.
  std::vector<Work> works;
  for (const auto& field : file->fields()) {
    works.push_back(work_on(*field, o, parameters, files.missing));
    field->set_caches(works.back().plan.caches);
    if (const filter::Plan& plan = works.back().plan; o.explain && !plan.why.empty())
      fmt::print(told, "variant: {}: {}\n", plan.choice.name(), plan.why);
  }
  runtime::abort_all_on_error([&] { file->join(); });
  std::int64_t planes = 0, before = 0;
  for (const Work& w : works) planes += w.part.nz;
  harness::Progress progress(planes, "planes", o.quiet || runtime::rank_info().rank > 0);
  std::vector<filter::Summary> summaries(works.size());
  for (std::size_t i = 0; i < works.size(); ++i) {
    runtime::abort_all_on_error([&] {
      std::optional<runtime::ApartScope> apart;
      if (!works[i].plan.shared)
        apart.emplace();
      else if (works[i].planes.size == 0)
        filter::help(works[i].plan.closed.of(works[i].whole), works[i].plan.choice);
      if (works[i].planes.size > 0)
        summaries[i] = filter::run(*file->fields()[i], works[i].planes, works[i].part, works[i].plan,
                                   [&](double done, const std::string& what) {
                                     runtime::end_if_a_rank_failed();
                                     progress.update(double(before) + done, what);
                                   });
    });
    runtime::abort_all_on_error([&] { file->fields()[i]->end_writing(works[i].most_blocks); });
    before += works[i].part.nz;
  }
  runtime::abort_all_on_error([&] { file->leave(); });
  runtime::collective_or_throw([] {});  // finished ranks wait here without using a processor
  for (filter::Summary& s : summaries) s = joined(s);
  const auto start = std::chrono::steady_clock::now();
  io::commit_on_all_ranks(*file);
  const double commit = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.clear();
  std::vector<std::string> losses;
  for (const auto& field : file->fields()) {
    const io::Field::Loss loss = field->loss();
    const double most = runtime::largest(loss.most);
    losses.push_back(most > 0 ? fmt::format("stored to within {:.2g} by its {}", most, loss.by) : "");
  }
  if (runtime::rank_info().rank > 0) return runtime::exit_ok;  // rank 0 prints the results
  for (std::size_t i = 0; i < works.size(); ++i) {
    const diffusion::Problem& p = works[i].whole;
    const filter::Summary& s = summaries[i];
    fmt::print(told, "{}{}: {} x {} x {} {}, {} step{} with alpha {:.6g}\n",
               io::is_standard_output(o.output) ? "standard output" : runtime::shown(o.output, 4096),
               works.size() > 1 ? fmt::format(" ({})", file->fields()[i]->variable()) : "", p.nx, p.ny, p.nz,
               name(p.precision), p.steps, p.steps == 1 ? "" : "s", p.alpha);
    const auto say = [told](const std::string& line) {
      fmt::print(told, "{}\n", wrapped("  " + line, 100, 4));
    };
    say(works[i].edges.text());
    say(fmt::format("diffusion/{}, {} at a time{}", works[i].plan.choice.name(),
                    planes_text(s.planes_at_once),
                    works[i].plan.shared ? fmt::format(" by {} ranks together", p.ranks()) : ""));
    say(fmt::format("every plane checked, {} at {}: off by at most {:.1e} of the largest value",
                    s.exactly_checked, s.exactly, s.worst_error));
    if (s.with_gaps > s.all_missing)
      say("filtered around missing points: " + planes_text(s.with_gaps - s.all_missing));
    if (s.all_missing > 0) say("missing altogether, and left as it was: " + planes_text(s.all_missing));
    if (!losses[i].empty()) say(losses[i]);
    if (o.timings) print_timings(told, s, i + 1 == works.size() ? commit : 0);
  }
  fmt::print(told, "{}", filter::shortest_waves({parameters.steps, parameters.alpha}));
  return runtime::exit_ok;
}

}  // namespace

Action add_filter(CLI::App& app, const harness::Studies&) {
  auto o = std::make_shared<Options>();
  o->problem.nx = o->problem.ny = 1024;
  o->problem.nz = 1;
  o->problem.alpha = filter::default_alpha;
  CLI::App* c = app.add_subcommand(
      "filter",
      "Filter your own field, with periodic or closed edges: .npy (2-D or 3-D) or NetCDF variables");
  c->add_option("input", o->input,
                "Field: .npy of shape (ny, nx) or (nz, ny, nx), float32 or float64, C order; or NetCDF; - "
                "reads .npy from standard input");
  c->add_option("output", o->output,
                "Filtered field in the input's format and type; appears whole or not at all; - writes .npy "
                "to standard output");
  CLI::Option* const steps = add_parameter(c, diffusion::study(), "steps", o->problem.steps);
  c->add_option("--alpha", o->problem.alpha,
                "Diffusion coefficient, above 0 and at most 1/32: 1/64 takes checkerboards of single points "
                "away in one step, 1/32 leaves them; with --wavelength the largest that may be chosen")
      ->transform(number("a number above 0 and at most 0.03125 (1/32)"))
      ->capture_default_str();
  c->add_option("--wavelength", o->wavelength,
                "Instead of --steps: the waves, by length in grid points along an axis, that lose ...")
      ->transform(number("the length of a wave in grid points, as in 6"));
  c->add_option(
       "--damping", o->damping,
       "... this share of their amplitude, above 0 and below 1; longer waves lose less, shorter ones more")
      ->transform(number("the share of the amplitude to take away, as in 0.9"));
  c->add_flag("--explain", o->explain,
              "Print what is left of waves by their length, and which variant was chosen and why, then "
              "filter; without input and output the waves alone");
  add_parameter(c, diffusion::study(), "halo", o->problem.halo)->capture_default_str();
  c->add_option("--variable", o->variables,
                "NetCDF variables, separated by commas (needed when the file holds several fields)")
      ->delimiter(',')
      ->allow_extra_args(false);  // the next word is a file
  c->add_option(
       "--boundary", o->boundary,
       "x=periodic|closed,y=periodic|closed: whether planes go on at the other end, or nothing flows over "
       "an edge (default: periodic; in NetCDF as the file says: where longitudes go once round)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"x=periodic", "x=closed", "y=periodic", "y=closed"}));
  c->add_option(
       "--plane", o->plane,
       "NetCDF: the names y,x of the last two dimensions, where the file says that they are no plane and "
       "they are")
      ->delimiter(',')
      ->allow_extra_args(false);
  c->add_option("--missing", o->missing,
                "NaN and missing values: refuse, or keep (they stay missing, the filter runs around them)")
      ->check(CLI::IsMember({"refuse", "keep"}))
      ->capture_default_str();
  c->add_option("--variant", o->variant,
                "Variant to filter with (default: by device, size of planes and precision; --explain says "
                "which and why)");
  c->add_option("--memory", o->memory_mib,
                "MiB of host memory that a rank uses at most (default: half of what is free)")
      ->transform(number_from(0.001, 1e9));
  c->add_flag("--force", o->force, "The output may be the input");
  c->add_flag("--timings", o->timings, "Print the time of each stage and the peak memory");
  c->add_flag("--quiet", o->quiet, "No progress line");
  return [o, steps] {
    o->steps_given = steps->count() > 0;
    for (std::vector<std::string>* names : {&o->variables, &o->plane})
      for (std::string& name : *names) name = tools::composed(name);
    return run(*o);
  };
}

}  // namespace parity::commands
