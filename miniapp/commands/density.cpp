// SPDX-License-Identifier: BSD-3-Clause
// parity density: the density of a user's samples.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <tuple>

#include "commands/commands.hpp"
#include "commands/numbers.hpp"
#include "density/bandwidth.hpp"
#include "density/density.hpp"
#include "io/table_file.hpp"
#include "io/whole_file.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"
#include "runtime/host_memory.hpp"
#include "runtime/parallel.hpp"
#include "runtime/portable.hpp"
#include "runtime/suggest.hpp"
#include "runtime/text.hpp"

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
  bool at_samples = false, force = false, timings = false;
  density::DensityOptions options;
};

/// The names of an enumeration, in its order.
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

/// The number that --bandwidth is; 0 where it names a rule.
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

double bandwidth_of_rule(const std::string& rule, const density::SampleSet& s, const std::string& name) try {
  if (rule == "silverman") return density::silverman_bandwidth(s);
  if (rule == "scott") return density::scott_bandwidth(s);
  if (rule == "isj") return density::isj_bandwidth(s);
  return density::lscv_bandwidth(s);
} catch (const UsageError& e) {
  throw UsageError(fmt::format("{}: {}", name, e.what()));
}

/// How messages call an input.
std::string shown_name(const std::string& path) { return path == "-" ? "standard input" : path; }

/// An even grid over the samples and three deviations of the kernel beyond, within the domain.
Numbers grid_points(const density::SampleSet& s, const density::DensityOptions& d, std::int64_t count) {
  const density::Range ends = s.summary().range;
  const double margin = 3 * d.kernel.deviation() * d.bandwidth;
  double lower = ends.least - margin, upper = ends.greatest + margin;
  if (d.boundary != density::Boundary::none) {
    lower = d.boundary == density::Boundary::periodic ? d.lower : std::max(lower, d.lower);
    upper = d.boundary == density::Boundary::periodic ? d.upper : std::min(upper, d.upper);
  }
  Numbers points(static_cast<std::size_t>(count));
  runtime::for_ranges(count, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      points[std::size_t(i)] =
          count == 1 ? 0.5 * (lower + upper) : lower + (upper - lower) * double(i) / double(count - 1);
  });
  // Beyond the domain by a rounding error, its density would be 0.
  if (count > 1) points[std::size_t(count) - 1] = upper;
  return points;
}

/// What a grid that is too coarse for the bandwidth hides: empty where it is not.
std::string coarse_grid_text(Values points, const density::DensityOptions& d) {
  if (points.size() < 2) return "";
  const double reach = points[points.size() - 1] - points[0], step = reach / double(points.size() - 1),
               deviation = d.kernel.deviation() * d.bandwidth;
  if (!(step > 2 * deviation)) return "";
  const double enough = std::ceil(reach / deviation) + 1;
  return fmt::format(
      "the grid's points are {:.3g} apart and the kernel's deviation is {:.3g}: peaks lie between the "
      "points; give {}a "
      "larger --bandwidth\n",
      step, deviation, enough < 1e7 ? fmt::format("--grid {:.0f} or ", enough) : "");
}

std::string counted(std::size_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

/// Refuses what does not fit into memory, before any of it is taken.
void require_memory(const std::string& name, double numbers) {
  const double need = 8 * numbers, available = double(runtime::available_host_memory());
  if (need > available)
    throw UsageError(
        fmt::format("{}: needs {} of memory where {} are available; give fewer samples or points", name,
                    runtime::bytes_text(need), runtime::bytes_text(available)));
}

void require_device_memory(const std::string& name, double numbers) {
  if (!runtime::portable_on_device()) return;
  const double need = 8 * numbers, available = double(runtime::free_device_memory());
  if (need > available)
    throw UsageError(
        fmt::format("{}: needs {} of the GPU's memory where {} are free; give fewer samples or points", name,
                    runtime::bytes_text(need), runtime::bytes_text(available)));
}

/// Refuses to replace an input, which the same name twice may mean by mistake.
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

int run(const Options& o) {
  using namespace density;
  DensityOptions d = density_options(o);
  // A name that says no format is refused before anything is read; "-" has the input's.
  io::table_target(o.output, o.output == "-" && o.format.empty() ? "csv" : o.format, io::Format::csv);
  require_other_file(o);
  io::require_writable({o.output, {}});

  if (o.grid > 0) require_memory(fmt::format("--grid {}", o.grid), 2 * double(o.grid));
  Stages stages;
  Samples s;
  io::Format format = io::Format::npy;
  std::string of_column, of_points_column;
  stages.begin("read");
  const double points_a_sample = (o.at_samples ? 1 : 0) + (o.weights.empty() ? 0 : 1);
  s.x = io::read_column(
      o.samples, o.column, "samples", "--column", &format,
      [&](std::int64_t n) {
        require_memory(d.samples_name, (1 + points_a_sample) * double(n) + 2 * double(o.grid));
      },
      &of_column);
  if (!o.weights.empty()) {
    const std::string name = shown_name(o.weights);
    s.w = io::read_column(o.weights, o.weights_column, "weights", "--weights-column");
    if (s.w.size() != s.x.size())
      throw UsageError(fmt::format("{}: holds {} weights for {} samples; give one a sample", name, s.w.size(),
                                   s.x.size()));
    settle_weights(s.w, name);
  }
  Numbers own_points;
  if (!o.points.empty())
    own_points = io::read_column(
        o.points, o.points_column, "points", "--points-column", nullptr,
        [&](std::int64_t m) { require_memory(d.points_name, 2 * double(m)); }, &of_points_column);
  const io::TableTarget target = io::table_target(o.output, o.format, format);

  stages.begin("range");
  const SampleSet set(s, &stages);
  require_ordinary(set.summary().range, d.samples_name);
  stages.begin_whole("bandwidth");
  if (d.bandwidth == 0)
    d.bandwidth = bandwidth_of_rule(o.bandwidth, set, d.samples_name) / d.kernel.deviation();
  if (!(d.bandwidth >= 1 / largest_number && d.bandwidth <= largest_number))
    throw UsageError(
        fmt::format("{}: the rule {} finds a bandwidth of {:g}, beyond {:g} to {:g}; scale the samples",
                    d.samples_name, o.bandwidth, d.bandwidth, 1 / largest_number, largest_number));
  stages.end();
  if (!o.at_samples && o.points.empty()) {
    const std::int64_t count = o.grid > 0 ? o.grid : 1024;
    own_points = grid_points(set, d, count);
  }
  require_device_memory(
      d.samples_name,
      double(s.x.size() + s.w.size()) + (o.at_samples ? double(s.x.size()) : 2 * double(own_points.size())));
  const Values at = o.at_samples ? set.x() : Values(own_points);
  const Density result = density::estimate(set, at, d);
  stages.begin("write");
  io::write_table(target, at, result.values, d.logarithm ? "log_density" : "density",
                  [&](double rows) { stages.reached(rows, double(at.size()), "points"); });
  stages.end();

  // Standard output belongs to the table where that goes there.
  std::FILE* const out = target.is_standard_output() ? stderr : stdout;
  fmt::print(out, "{}: {} at {}{} from {}{}, {} kernel, bandwidth {:.9g} ({})\n",
             runtime::shown(target.name(), 4096), d.logarithm ? "log density" : "density",
             counted(at.size(), "point"), of_points_column, counted(s.x.size(), "sample"), of_column,
             name(d.kernel), d.bandwidth, given_bandwidth(o.bandwidth) > 0 ? "given" : o.bandwidth);
  fmt::print(out, "method {}; error at most {:.1e} of the largest density guaranteed, {:.1e} found at {}{}\n",
             result.method, result.bound, result.checked,
             counted(std::size_t(result.checks), "checked point"),
             result.fewer_checks
                 ? fmt::format(" (not 1000, which would be more than {:.1e} pairs)", most_checked_pairs())
                 : "");
  if (!o.at_samples && o.points.empty()) fmt::print(out, "{}", coarse_grid_text(at, d));
  if (o.timings)
    fmt::print(stderr, "{}{:<24} {:>9}\n", stages.table(), "peak memory",
               runtime::bytes_text(runtime::peak_host_memory()));
  return runtime::exit_ok;
}

}  // namespace

Action add_density(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("density", "Density of your own samples: .npy or a CSV column");
  c->add_option("samples", o->samples, "Samples: 1-D .npy (float32 or float64), or CSV; - is standard input")
      ->required();
  c->add_option("output", o->output,
                "(point, density) rows: .npy of shape (m, 2), or .csv; appears whole or not at all; - is "
                "standard output")
      ->required();
  c->add_option("--column", o->column, "Column of a CSV file: its name, or its number from 1");
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
  c->add_flag("--deterministic", o->options.deterministic, "The same bits whatever the number of threads");
  c->add_option("--format", o->format,
                "npy or csv, whatever the output is called; standard output has the input's otherwise")
      ->check(CLI::IsMember({"npy", "csv"}));
  c->add_flag("--force", o->force, "The output may replace an input");
  c->add_flag("--timings", o->timings,
              "Print the seconds of each stage and the peak memory to standard error");
  return [o] { return run(*o); };
}

}  // namespace parity::commands
