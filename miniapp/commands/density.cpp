// SPDX-License-Identifier: BSD-3-Clause
// parity density: the density of a user's samples.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>

#include "commands/commands.hpp"
#include "density/bandwidth.hpp"
#include "density/density.hpp"
#include "io/column_file.hpp"
#include "runtime/error.hpp"
#include "runtime/suggest.hpp"

namespace parity::commands {
namespace {

using runtime::UsageError;

struct Options {
  std::string samples, output, column, points, points_column, weights, weights_column;
  std::string bandwidth = "silverman", kernel = "gaussian", method = "auto", boundary = "none";
  std::vector<std::string> bounds;
  std::int64_t grid = 0;
  bool at_samples = false;
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

double bandwidth_of(const Options& o, const density::Samples& s, const density::Kernel& kernel) {
  const double wider = 1 / kernel.deviation();
  if (o.bandwidth == "silverman") return wider * density::silverman_bandwidth(s);
  if (o.bandwidth == "scott") return wider * density::scott_bandwidth(s);
  if (o.bandwidth == "isj") return wider * density::isj_bandwidth(s);
  if (o.bandwidth == "lscv") return wider * density::lscv_bandwidth(s);
  double value = 0;
  const auto [end, error] =
      std::from_chars(o.bandwidth.data(), o.bandwidth.data() + o.bandwidth.size(), value);
  if (error != std::errc() || end != o.bandwidth.data() + o.bandwidth.size()) {
    const std::vector<std::string> rules = {"silverman", "scott", "isj", "lscv"};
    throw UsageError(fmt::format("--bandwidth '{}' is neither a number nor a rule{} (rules: {})", o.bandwidth,
                                 runtime::did_you_mean(o.bandwidth, rules), fmt::join(rules, ", ")));
  }
  if (!(value > 0 && std::isfinite(value)))
    throw UsageError(fmt::format("--bandwidth {}: give a positive number", o.bandwidth));
  return value;
}

void check_weights(const Options& o, const density::Samples& s) {
  if (s.w.size() != s.x.size())
    throw UsageError(fmt::format("{}: holds {} weights for {} samples; give one a sample", o.weights,
                                 s.w.size(), s.x.size()));
  double total = 0;
  for (std::size_t i = 0; i < s.w.size(); ++i) {
    if (s.w[i] < 0)
      throw UsageError(fmt::format("{}: weight {} is {}; weights are not negative", o.weights, i, s.w[i]));
    total += s.w[i];
  }
  if (!(total > 0 && std::isfinite(total)))
    throw UsageError(
        fmt::format("{}: the weights sum to {}; at least one must be positive", o.weights, total));
}

/// An even grid over the samples and three deviations of the kernel beyond, within the domain.
std::vector<double> grid_points(const density::Samples& s, const density::DensityOptions& d,
                                std::int64_t count) {
  const auto ends = std::minmax_element(s.x.begin(), s.x.end());
  const double margin = 3 * d.kernel.deviation() * d.bandwidth;
  double lower = *ends.first - margin, upper = *ends.second + margin;
  if (d.boundary != density::Boundary::none) {
    lower = d.boundary == density::Boundary::periodic ? d.lower : std::max(lower, d.lower);
    upper = d.boundary == density::Boundary::periodic ? d.upper : std::min(upper, d.upper);
  }
  std::vector<double> points(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    points[std::size_t(i)] =
        count == 1 ? 0.5 * (lower + upper) : lower + (upper - lower) * double(i) / double(count - 1);
  return points;
}

int run(const Options& o) {
  using namespace density;
  io::check_table_name(o.output);
  DensityOptions d = o.options;
  d.kernel = kernel_of(o.kernel);
  d.method = chosen<Method>(o.method, "--method", {"auto", "direct", "transform", "binned", "window"});
  d.boundary = chosen<Boundary>(o.boundary, "--boundary", {"none", "reflect", "periodic"});
  if (!o.bounds.empty()) {
    if (o.bounds.size() != 2) throw UsageError("--bounds: give two ends, LOWER,UPPER, inf for an open one");
    if (d.boundary == Boundary::none)
      throw UsageError("--bounds needs --boundary reflect or periodic, which say what happens there");
    d.lower = number_or_infinity(o.bounds[0], d.lower);
    d.upper = number_or_infinity(o.bounds[1], d.upper);
  }
  if (int(o.at_samples) + int(o.grid > 0) + int(!o.points.empty()) > 1)
    throw UsageError("--points, --grid and --at-samples exclude each other; give one");

  Samples s;
  s.x = io::read_column(o.samples, o.column, "samples");
  if (!o.weights.empty()) {
    s.w = io::read_column(o.weights, o.weights_column, "weights");
    check_weights(o, s);
  }
  d.bandwidth = bandwidth_of(o, s, d.kernel);
  std::vector<double> points;
  if (!o.points.empty()) points = io::read_column(o.points, o.points_column, "points");
  if (!o.at_samples && o.points.empty()) points = grid_points(s, d, o.grid > 0 ? o.grid : 1024);
  const std::vector<double>& at = o.at_samples ? s.x : points;

  const Density result = density::estimate(s, at, d);
  io::write_table(o.output, at, result.values, d.logarithm ? "log_density" : "density");
  fmt::print("{}: {} at {} points from {} samples, {} kernel, bandwidth {:.9g} ({})\n", o.output,
             d.logarithm ? "log density" : "density", at.size(), s.x.size(), name(d.kernel), d.bandwidth,
             o.bandwidth);
  fmt::print(
      "method {}; error at most {:.1e} of the largest density guaranteed, {:.1e} found at {} checked "
      "points\n",
      result.method, result.bound, result.checked, result.checks);
  return runtime::exit_ok;
}

}  // namespace

Action add_density(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("density", "Density of your own samples: .npy or a CSV column");
  c->add_option("samples", o->samples, "Samples: 1-D .npy (float32 or float64), or CSV")->required();
  c->add_option("output", o->output,
                "(point, density) rows: .npy of shape (m, 2), or .csv; appears whole or not at all")
      ->required();
  c->add_option("--column", o->column, "Column of a CSV file: its name, or its number from 1");
  c->add_option("--points", o->points, "File of the points to estimate at (.npy or CSV)");
  c->add_option("--points-column", o->points_column, "Column of a CSV file of points");
  c->add_option("--grid", o->grid,
                "Estimate at this many points, evenly over the samples and a little beyond (1024)")
      ->check(CLI::Range(std::int64_t(1), std::int64_t(1) << 32));
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
  c->add_option("--boundary", o->boundary, "none, reflect (no mass beyond --bounds) or periodic")
      ->capture_default_str();
  c->add_option("--bounds", o->bounds, "LOWER,UPPER of the domain; inf for an open end of reflect")
      ->delimiter(',');
  c->add_option("--tolerance", o->options.tolerance,
                "Error that approximate methods may make, relative to the largest density")
      ->capture_default_str();
  c->add_option("--method", o->method, "auto, direct, transform, binned or window")->capture_default_str();
  c->add_flag("--deterministic", o->options.deterministic, "The same bits whatever the number of threads");
  return [o] { return run(*o); };
}

}  // namespace parity::commands
