// SPDX-License-Identifier: BSD-3-Clause
// parity density: estimates the density of a user's samples.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

#include "commands/commands.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"
#include "runtime/host_memory.hpp"
#include "runtime/messages.hpp"
#include "runtime/parallel.hpp"
#include "runtime/text.hpp"
#include "tools/density/bandwidth.hpp"
#include "tools/density/density.hpp"
#include "tools/density/of_all_ranks.hpp"
#include "tools/density/repeats.hpp"
#include "tools/density/table_file.hpp"

namespace parity::commands {
namespace {

using runtime::Numbers;
using runtime::UsageError;
using runtime::Values;

struct Options {
  std::string samples, output, column, points, points_column, weights, weights_column, format;
  std::string bandwidth = "silverman", kernel = "gaussian", method = "auto", boundary = "none";
  std::vector<std::string> bounds;
  std::int64_t grid = 0;
  bool at_samples = false, force = false, timings = false, header = false, no_header = false;
  density::DensityOptions options;
};

template <class E>
E chosen(const std::string& text, const std::string& option, const std::vector<std::string>& names) {
  for (std::size_t k = 0; k < names.size(); ++k)
    if (text == names[k]) return E(k);
  throw UsageError(fmt::format("{} '{}' is not known{} (give {})", option, text,
                               runtime::did_you_mean(text, names), fmt::join(names, ", ")));
}

double number_or_infinity(const std::string& text, double infinity) {
  if (text == "inf" || text == "-inf" || text.empty()) return infinity;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    throw UsageError(fmt::format("--bounds: '{}' is no number; give LOWER,UPPER, inf for an open end", text));
  return value;
}

const std::vector<std::string> rules = {"silverman", "scott", "isj", "lscv"};

/// The number given by --bandwidth; 0 if it names a rule.
double given_bandwidth(const std::string& text) {
  if (std::find(rules.begin(), rules.end(), text) != rules.end()) return 0;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size())
    throw UsageError(fmt::format("--bandwidth '{}' is neither a number nor a rule{} (rules: {})", text,
                                 runtime::did_you_mean(text, rules), fmt::join(rules, ", ")));
  if (error != std::errc() || !(value >= 1 / density::largest_number && value <= density::largest_number))
    throw UsageError(fmt::format("--bandwidth is {}; give a positive number, {:g} to {:g}", text,
                                 1 / density::largest_number, density::largest_number));
  return value;
}

double bandwidth_of_rule(const std::string& rule, const density::SampleSet& s, double deviation,
                         const std::string& name) try {
  if (rule == "silverman") return density::silverman_bandwidth(s);
  if (rule == "scott") return density::scott_bandwidth(s);
  if (rule == "isj") return density::isj_bandwidth(s, deviation);
  return density::lscv_bandwidth(s, deviation);
} catch (const UsageError& e) {
  throw UsageError(fmt::format("{}: {}", name, e.what()));
}

std::string shown_name(const std::string& path) { return path == "-" ? "standard input" : path; }

/// An even grid over the samples plus three of the kernel's deviations on each side, within the domain.
struct Grid {
  double lower = 0, upper = 0;
  std::int64_t count = 0;
};
Grid grid_over(const density::SampleSet& s, const density::DensityOptions& d, std::int64_t count) {
  const density::Range ends = s.summary().range;
  const double margin = 3 * d.kernel.deviation() * d.bandwidth;
  double lower = ends.least - margin, upper = ends.greatest + margin;
  if (d.boundary != density::Boundary::none) {
    lower = d.boundary == density::Boundary::periodic ? d.lower : std::max(lower, d.lower);
    upper = d.boundary == density::Boundary::periodic ? d.upper : std::min(upper, d.upper);
  }
  return {lower, upper, count};
}

Numbers grid_points(const Grid& g, const runtime::Share& some) {
  Numbers points(static_cast<std::size_t>(some.size));
  runtime::for_ranges(some.size, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t k = some.first + i;
      // A last point beyond the domain by a rounding error would have density 0.
      points[std::size_t(i)] = g.count == 1 ? 0.5 * (g.lower + g.upper)
                               : k == g.count - 1
                                   ? g.upper
                                   : g.lower + (g.upper - g.lower) * double(k) / double(g.count - 1);
    }
  });
  return points;
}

/// Warning that the grid is too coarse for the bandwidth; empty if it is not.
std::string coarse_grid_text(const Grid& grid, const density::DensityOptions& d) {
  if (grid.count < 2) return "";
  const double reach = grid.upper - grid.lower, step = reach / double(grid.count - 1),
               deviation = d.kernel.deviation() * d.bandwidth;
  if (!(step > 2 * deviation)) return "";
  const double enough = std::ceil(reach / deviation) + 1;
  return fmt::format(
      "the grid's points are {:.3g} apart and the kernel's deviation is {:.3g}: peaks lie between the "
      "points; give {}a larger --bandwidth",
      step, deviation, enough < 1e7 ? fmt::format("--grid {:.0f} or ", enough) : "");
}

std::string text_of_repeats(const density::SampleSet& s, const density::DensityOptions& d) {
  const density::RepeatedValues repeats = density::repeats_shown(s, d.bandwidth * d.kernel.deviation());
  if (!repeats.any()) return "";
  return fmt::format("{}, each a peak of its own at this bandwidth: {}", repeats.text(),
                     repeats.smooth > 0 ? fmt::format("--bandwidth {:g} or more smooths them",
                                                      repeats.smooth / d.kernel.deviation())
                                        : "take them out to see the density of the others");
}

std::string counted(std::size_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

void require_memory(const std::string& name, double numbers, bool on_device = false) {
  const double need = 8 * numbers,
               free = on_device ? runtime::free_memory_here().device : runtime::free_memory_here().host;
  if (need > free)
    throw UsageError(fmt::format("{}: needs {} of {} where {} are {}; give fewer samples or points", name,
                                 runtime::bytes_text(need), on_device ? "the GPU's memory" : "memory",
                                 runtime::bytes_text(free), on_device ? "free" : "available"));
}

/// Joining the parts holds all numbers twice, whatever part a rank keeps.
void require_memory_of_text(const std::string& name, std::int64_t count, std::int64_t text) {
  if (text > 0) require_memory(name, 2 * double(count) + double(text) / 8);
}

/// Throws if the output would replace an input, since the user may have repeated a name by mistake.
void require_other_file(const Options& o) {
  if (o.force || o.output == "-") return;
  for (const std::string& input : {o.samples, o.points, o.weights})
    if (!input.empty() && io::is_same_file(input, o.output))
      throw UsageError(
          fmt::format("{}: is both input and output; give another name, or --force to replace it", o.output));
}

density::DensityOptions density_options(const Options& o) {
  using namespace density;
  DensityOptions d = o.options;
  d.kernel = kernel_of(o.kernel);
  d.method = chosen<Method>(o.method, "--method", {"auto", "direct", "transform", "binned", "window"});
  d.boundary = chosen<Boundary>(o.boundary, "--boundary", {"none", "reflect", "periodic"});
  d.bandwidth = given_bandwidth(o.bandwidth);
  d.samples_name = shown_name(o.samples);
  d.points_name = o.points.empty() ? "the grid" : shown_name(o.points);
  if (!(d.tolerance >= 1e-12 && d.tolerance <= 0.1))
    throw UsageError(fmt::format("--tolerance is {:g}; give 1e-12 to 0.1", d.tolerance));
  if (!o.bounds.empty()) {
    if (o.bounds.size() != 2) throw UsageError("--bounds: give two ends, LOWER,UPPER, inf for an open one");
    if (d.boundary == Boundary::none)
      throw UsageError("--bounds needs --boundary reflect or periodic, which say what happens there");
    d.lower = number_or_infinity(o.bounds[0], d.lower);
    d.upper = number_or_infinity(o.bounds[1], d.upper);
  }
  if (int(o.at_samples) + int(o.grid > 0) + int(!o.points.empty()) > 1)
    throw UsageError("--points, --grid and --at-samples exclude each other; give one");
  if (int(o.samples == "-") + int(o.points == "-") + int(o.weights == "-") > 1)
    throw UsageError(
        "standard input (-) can be one of samples, --points and --weights; give files for the others");
  for (const auto& [column, file, option] :
       {std::tuple(o.points_column, o.points, "points"), std::tuple(o.weights_column, o.weights, "weights")})
    if (!column.empty() && file.empty())
      throw UsageError(fmt::format("--{}-column names a column of --{}; give that file too", option, option));
  return d;
}

/// The data that this rank has read; with one rank, all data.
struct Input {
  density::Samples samples;
  Numbers points;  ///< of --points, or of --at-samples on several ranks
  std::int64_t all_samples = 0, all_weights = 0, all_points = 0;
  io::Format format = io::Format::npy;
  std::string of_column, of_points_column;
};

/// A function that selects this rank's part of n items and stores n in 'all'.
io::PartOf some_of(std::int64_t& all, std::int64_t unit) {
  return [&all, unit](std::int64_t n) {
    all = n;
    return runtime::share_of_units(n, unit, runtime::rank_info().ranks, runtime::rank_info().rank);
  };
}
io::PartOf all_of(std::int64_t& all) {
  return [&all](std::int64_t n) {
    all = n;
    return runtime::Share{0, n};
  };
}

/// Not collective: waits for no other rank.
Input read_input(const Options& o, const density::DensityOptions& d, bool shared) {
  Input in;
  const bool several = runtime::several_ranks();
  // If samples are not shared, a rank may need the densities of all points, too.
  const double ranks = shared ? double(runtime::rank_info().ranks) : 1,
               points_a_sample = o.at_samples ? 1 : 0, weights_a_sample = o.weights.empty() ? 0 : 1;
  in.samples.shared = shared;
  const io::FirstRow first_row = o.header      ? io::FirstRow::header
                                 : o.no_header ? io::FirstRow::numbers
                                               : io::FirstRow::unknown;
  const auto part_of = [shared](std::int64_t& all) {
    return shared ? some_of(all, density::direct_block) : all_of(all);
  };
  in.samples.x = io::read_column(
      o.samples, o.column, "samples", "--column", &in.format,
      [&](std::int64_t n, std::int64_t text) {
        require_memory_of_text(d.samples_name, n, text);
        // If samples are shared, memory also holds another rank's while they are added up.
        const double held = shared ? 2 * double((n + density::direct_block - 1) / density::direct_block) /
                                         ranks * double(density::direct_block)
                                   : double(n);
        require_memory(d.samples_name, (1 + weights_a_sample) * held + points_a_sample * double(n) / ranks +
                                           2 * double(o.grid) / ranks);
      },
      &in.of_column, part_of(in.all_samples), first_row);
  if (shared)
    in.samples.before = runtime::share_of_units(in.all_samples, density::direct_block,
                                                runtime::rank_info().ranks, runtime::rank_info().rank)
                            .first;
  if (!o.weights.empty()) {
    in.samples.w = io::read_column(
        o.weights, o.weights_column, "weights", "--weights-column", nullptr,
        [&](std::int64_t n, std::int64_t text) { require_memory_of_text(shown_name(o.weights), n, text); },
        nullptr, part_of(in.all_weights), first_row);
    if (in.all_weights != in.all_samples)
      throw UsageError(fmt::format("{}: holds {} weights for {} samples; give one a sample",
                                   shown_name(o.weights), in.all_weights, in.all_samples));
  }
  if (!o.points.empty())
    in.points = io::read_column(
        o.points, o.points_column, "points", "--points-column", nullptr,
        [&](std::int64_t m, std::int64_t text) {
          require_memory_of_text(d.points_name, m, text);
          require_memory(d.points_name, 2 * double(m) / ranks);
        },
        &in.of_points_column, some_of(in.all_points, 1), first_row);
  else if (o.at_samples && several)
    in.points = io::read_column(o.samples, o.column, "samples", "--column", nullptr, {}, nullptr,
                                some_of(in.all_points, 1), first_row);
  return in;
}

/// Numbers in the GPU's memory: this rank's samples, the points and their sums, and another rank's samples
/// while they are added up, as many as the largest rank has.
double held_by_device(const Input& in, bool at_own_samples) {
  const double a_sample = in.all_weights > 0 ? 2 : 1, own = double(in.samples.x.size());
  const double others = in.samples.shared
                            ? double(runtime::share_of_units(in.all_samples, density::direct_block,
                                                             runtime::rank_info().ranks, 0)
                                         .size)
                            : 0;
  return a_sample * (own + others) + (at_own_samples ? own : 2 * double(in.points.size()));
}

/// Reads on every rank its part, and scales weights so that their sum does not overflow.
Input read_on_all_ranks(const Options& o, const density::DensityOptions& d, bool shared) {
  Input in;
  runtime::collective_or_throw([&] { in = read_input(o, d, shared); });
  if (o.weights.empty()) return in;
  const density::Range range =
      shared ? density::range_of_all_ranks(in.samples.w) : density::range_of(in.samples.w);
  runtime::collective_or_throw(
      [&] { density::settle_weights(in.samples.w, range, in.samples.before, shown_name(o.weights)); });
  return in;
}

/// True if ranks can share the samples: methods that sort them, or need them repeatedly, have all samples on
/// every rank.
bool can_share(const Options& o, const density::DensityOptions& d) {
  using density::Method;
  return runtime::several_ranks() && !d.kernel.compact() && !d.logarithm && o.bandwidth != "isj" &&
         o.bandwidth != "lscv" && d.method != Method::window && d.method != Method::binned;
}

/// True if the transform may have to sort the samples.
bool may_sort(const density::SampleSet& s, Values points, const density::DensityOptions& d) {
  if (d.method == density::Method::direct) return false;
  density::Range queries = density::range_of_all_ranks(points);
  if (d.boundary != density::Boundary::none) {
    const density::Range ends = s.summary().range;
    queries = {ends.least - 40 * d.bandwidth, ends.greatest + 40 * d.bandwidth};
  }
  return density::spans_too_many(s, queries, d.bandwidth, d.tolerance);
}

int run(const Options& o) {
  using namespace density;
  DensityOptions d = density_options(o);
  const runtime::RankInfo here = runtime::rank_info();
  const bool several = runtime::several_ranks();
  if (several) d.deterministic = true;
  runtime::collective_or_throw([&] {
    if (several) {
      io::require_shareable_output(o.output);
      for (const std::string& input : {o.samples, o.points, o.weights})
        if (!input.empty()) io::require_shareable_input(input);
    }
    // Throws for a name that implies no format before anything is read; "-" has the input's format.
    io::table_target(o.output, o.output == "-" && o.format.empty() ? "csv" : o.format, io::Format::csv);
    require_other_file(o);
    io::require_writable({o.output, {}});
    if (o.grid > 0)
      require_memory(fmt::format("--grid {}", o.grid),
                     2 * double(o.grid) / (can_share(o, d) ? here.ranks : 1));
  });
  Stages stages;
  stages.begin("read");
  Input in = read_on_all_ranks(o, d, can_share(o, d));
  const io::TableTarget target = io::table_target(o.output, o.format, in.format);

  stages.begin("range");
  auto set = std::make_unique<SampleSet>(in.samples, &stages);
  require_ordinary(set->summary().range, d.samples_name);
  stages.begin_whole("bandwidth");
  runtime::collective_or_throw([&] {
    if (d.bandwidth == 0)
      d.bandwidth =
          bandwidth_of_rule(o.bandwidth, *set, d.kernel.deviation(), d.samples_name) / d.kernel.deviation();
  });
  runtime::broadcast_bytes(0, &d.bandwidth, sizeof d.bandwidth);
  if (!(d.bandwidth >= 1 / largest_number && d.bandwidth <= largest_number))
    throw UsageError(
        fmt::format("{}: the rule {} finds a bandwidth of {:g}, beyond {:g} to {:g}; scale the samples",
                    d.samples_name, o.bandwidth, d.bandwidth, 1 / largest_number, largest_number));
  std::string repeats_text;
  if (given_bandwidth(o.bandwidth) == 0) repeats_text = text_of_repeats(*set, d);
  stages.end();
  Grid grid;
  if (!o.at_samples && o.points.empty()) {
    grid = grid_over(*set, d, o.grid > 0 ? o.grid : 1024);
    in.points = grid_points(grid, runtime::share_of(grid.count, here.ranks, here.rank));
  }
  const bool at_own_samples = o.at_samples && !several;
  if (set->shared() && may_sort(*set, in.points, d)) {
    stages.begin("read");
    Numbers points = std::move(in.points);
    set.reset();
    in = read_on_all_ranks(o, d, /*shared=*/false);
    in.points = std::move(points);
    set = std::make_unique<SampleSet>(in.samples, &stages);
    stages.end();
  }
  runtime::collective_or_throw([&] {
    if (runtime::portable_on_device())
      require_memory(d.samples_name, held_by_device(in, at_own_samples), /*on_device=*/true);
  });
  const Values at = at_own_samples ? set->x() : Values(in.points);
  const Density result = density::estimate(*set, at, d);
  const auto all_points = std::size_t(count_of_all_ranks(std::int64_t(at.size())));
  stages.begin("write");
  io::write_table(target, at, result.values, d.logarithm ? "log_density" : "density",
                  [&](double rows) { stages.reached(rows, double(at.size()), "points"); });
  stages.end();
  if (here.rank > 0) return runtime::exit_ok;  // rank 0 prints the results

  // Standard output carries the table if that goes there.
  std::FILE* const out = io::is_standard_output(target.path) ? stderr : stdout;
  const auto say = [out](const std::string& line) {
    if (!line.empty()) fmt::print(out, "{}\n", wrapped("  " + line, 100, 4));
  };
  fmt::print(out, "{}: {} at {}{} from {}{}\n", runtime::shown(target.name(), 4096),
             d.logarithm ? "log density" : "density", counted(all_points, "point"), in.of_points_column,
             counted(std::size_t(set->count()), "sample"), in.of_column);
  say(fmt::format("{} kernel, bandwidth {:.9g} ({})", name(d.kernel), d.bandwidth,
                  given_bandwidth(o.bandwidth) > 0 ? "given" : o.bandwidth));
  say(fmt::format("method {}; error at most {:.1e} of the largest density guaranteed", result.method,
                  result.bound));
  say(fmt::format(
      "{:.1e} found at {}{}", result.checked, counted(std::size_t(result.checks), "checked point"),
      result.fewer_checks
          ? fmt::format(" (not 1000, which would be more than {:.1e} pairs)", most_checked_pairs())
          : ""));
  if (!o.at_samples && o.points.empty()) say(coarse_grid_text(grid, d));
  say(repeats_text);
  if (o.timings)
    fmt::print(stderr, "{}{:<24} {:>9}\n", stages.table(), "peak memory",
               runtime::bytes_text(runtime::peak_host_memory()));
  return runtime::exit_ok;
}

}  // namespace

Action add_density(CLI::App& app, const harness::Studies&) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("density", "Density of your own samples: .npy or a CSV column");
  c->add_option("samples", o->samples, "Samples: 1-D .npy (float32 or float64), or CSV; - is standard input")
      ->required();
  c->add_option("output", o->output,
                "(point, density) rows: .npy of shape (m, 2), or .csv; appears whole or not at all; - is "
                "standard output")
      ->required();
  c->add_option("--column", o->column, "Column of a CSV file: its name, or its number from 1");
  c->add_flag("--header", o->header, "The first row of CSV files is a header, even if it holds numbers");
  c->add_flag("--no-header", o->no_header, "The first row of CSV files holds numbers as all others do")
      ->excludes("--header");
  c->add_option("--points", o->points, "File of the points to estimate at (.npy or CSV)");
  c->add_option("--points-column", o->points_column, "Column of a CSV file of points");
  c->add_option("--grid", o->grid,
                "Estimate at this many points, evenly over the samples and a little beyond (1024)")
      ->transform(whole_from(1, std::int64_t(1) << 32));
  c->add_flag("--at-samples", o->at_samples, "Estimate at the samples themselves, in their order");
  c->add_option(
       "--bandwidth", o->bandwidth,
       "silverman, scott, isj (Improved Sheather-Jones), lscv (least-squares cross-validation) or a number")
      ->capture_default_str();
  c->add_option("--weights", o->weights, "File of one weight a sample, not negative (.npy or CSV)");
  c->add_option("--weights-column", o->weights_column, "Column of a CSV file of weights");
  c->add_option("--kernel", o->kernel,
                fmt::format("{}; a compact kernel's bandwidth is half its support",
                            fmt::join(density::kernel_names(), ", ")))
      ->capture_default_str();
  c->add_flag("--log", o->options.logarithm,
              "Write natural logarithms, without underflow far from the samples");
  c->add_option(
       "--boundary", o->boundary,
       "none, reflect (no mass beyond --bounds) or periodic (points of other periods are those of this one)")
      ->capture_default_str();
  c->add_option("--bounds", o->bounds, "LOWER,UPPER of the domain; inf for an open end of reflect")
      ->delimiter(',')
      ->allow_extra_args(false);  // the next word is a file
  c->add_option("--tolerance", o->options.tolerance,
                "Error that approximate methods may make, relative to the largest density")
      ->transform(number("a number from 1e-12 to 0.1"))
      ->capture_default_str();
  c->add_option("--method", o->method, "auto, direct, transform, binned or window")->capture_default_str();
  c->add_flag(
      "--deterministic", o->options.deterministic,
      "The same bits whatever the number of threads; always so on several ranks, whose number changes none");
  c->add_option("--format", o->format,
                "npy or csv, whatever the output is called; standard output has the input's otherwise")
      ->check(CLI::IsMember({"npy", "csv"}));
  c->add_flag("--force", o->force, "The output may replace an input");
  c->add_flag("--timings", o->timings,
              "Print the seconds of each stage and the peak memory to standard error");
  return [o] { return run(*o); };
}

}  // namespace parity::commands
