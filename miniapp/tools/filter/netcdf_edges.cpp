// SPDX-License-Identifier: BSD-3-Clause
// Boundaries of a NetCDF file's planes, from its coordinates (CF conventions, chapters 4 and 5).
#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>

#include "runtime/error.hpp"
#include "runtime/text.hpp"
#include "tools/filter/netcdf_axes.hpp"

namespace parity::io {
namespace {

bool is_degrees(const std::string& units) {
  return is_one_of(units, {"deg", "degree", "degrees", "\u00b0", "\u00ba"});
}

constexpr std::size_t most_along = 1 << 24;  // a damaged file may claim any number

/// Values along a dimension, NaN if missing; the others are fixed at 'eighths' eighths of their lengths.
std::vector<double> values_along(const NetcdfHandle& file, int v, int dimension, std::size_t eighths) {
  std::vector<std::size_t> start, count;
  std::vector<double> values(std::min(file.length(dimension), most_along));
  for (const int d : file.dimensions(v)) {
    start.push_back(d == dimension ? 0 : file.length(d) * eighths / 8);
    count.push_back(d == dimension ? values.size() : 1);
  }
  file.held_bytes(v);
  file.check(nc_get_vara_double(file.id(), v, start.data(), count.data(), values.data()));
  std::vector<double> missing = file.numbers(v, "missing_value"), scale = file.numbers(v, "scale_factor");
  for (const double fill : file.numbers(v, "_FillValue")) missing.push_back(fill);
  for (double& value : values)
    if (std::fabs(value) > 1e9 || std::find(missing.begin(), missing.end(), value) != missing.end())
      value = std::numeric_limits<double>::quiet_NaN();
    else
      value *= scale.empty() ? 1 : scale.front();
  return values;
}

/// Values at the middle of all other dimensions, or at the position with the fewest missing values.
std::vector<double> best_values_along(const NetcdfHandle& file, int v, int dimension) {
  std::vector<std::vector<double>> rows;
  std::set<double> fillers;  // ocean models store these, often zeros, for the land processors that they omit
  for (const std::size_t eighths : {4, 3, 5, 2, 6, 1, 7}) {
    rows.push_back(values_along(file, v, dimension, eighths));
    if (file.dimensions(v).size() == 1) break;
    std::vector<double> sorted;
    std::copy_if(rows.back().begin(), rows.back().end(), std::back_inserter(sorted),
                 [](double value) { return std::isfinite(value); });
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0, same = 0; i < sorted.size(); ++i) {
      same = i > 0 && sorted[i] == sorted[i - 1] ? same + 1 : 1;
      if (same > (sorted[i] == 0 ? 1 : 2)) fillers.insert(sorted[i]);
    }
  }
  std::vector<double>* best = nullptr;
  std::ptrdiff_t least = -1;
  for (std::vector<double>& row : rows) {
    std::replace_if(
        row.begin(), row.end(), [&](double value) { return fillers.count(value) > 0; },
        std::numeric_limits<double>::quiet_NaN());
    const auto missing =
        std::count_if(row.begin(), row.end(), [](double value) { return !std::isfinite(value); });
    if (least < 0 || missing < least) best = &row, least = missing;
  }
  return *best;
}

/// Periodic if the step from the last value to the first is one more step around the circle. Missing values
/// are skipped; missing values at the ends count as additional steps.
Edge edge_of_angles(const NetcdfHandle& file, int v, int dimension, double circle) {
  const std::string name = runtime::shown(file.variable_name(v));
  const std::vector<double> values = best_values_along(file, v, dimension);
  double span = 0, all = 0, steps = 0, first = 0, latest = 0;
  for (std::size_t i = 0, last = values.size(); i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    if (last < i) {
      const double way = std::remainder(values[i] - values[last], circle);
      span += way;
      all += std::abs(way);
      latest = std::abs(way) / double(i - last);
      if (steps == 0) first = latest;
      steps += double(i - last);
    }
    last = i;
  }
  // Uses the steps at both ends: steps may be wider in between.
  const double step = (first + latest) / 2, ends = double(values.size()) - 1 - steps;
  const double gap = circle - std::abs(span) - ends * step;
  const bool one_way = steps > 1 && std::abs(span) > 0.999 * all;
  if (one_way && gap < 0.5 * std::min(first, latest))
    throw runtime::UsageError(fmt::format(
        "{}: '{}' goes round and repeats its first values: leave the last ones out (ncks -d), or say with "
        "--boundary whether its edges are periodic or closed",
        file.shown(), name));
  if (one_way && gap < 1.5 * std::max(first, latest))
    return {false, fmt::format("'{}' goes once round", name)};
  return {true,
          one_way ? fmt::format("'{}' covers {:.4g} of 360 degrees", name, (all + ends * step) / circle * 360)
                  : fmt::format("'{}' does not go round", name)};
}

}  // namespace

char NetcdfAxes::direction_of(int variable) const {
  const std::string units = lowered(file_.text(variable, "units")),
                    standard = lowered(file_.text(variable, "standard_name")),
                    type = lowered(file_.text(variable, "_CoordinateAxisType"));
  if (const char angle = angle_of(units); angle != 0) return angle;
  if (runtime::ends_with(standard, "latitude") || type == "lat") return 'N';
  if (runtime::ends_with(standard, "longitude") || type == "lon") return 'E';
  if (!standard.empty() || !(units.empty() || is_degrees(units))) return 0;
  // A name alone is not enough: the variable must be marked as an axis.
  const bool marked = !(file_.text(variable, "axis") + file_.text(variable, "cartesian_axis")).empty();
  for (const std::string& name : {lowered(file_.text(variable, "long_name")),
                                  marked ? lowered(file_.variable_name(variable)) : std::string()}) {
    if (is_one_of(name, {"lat", "latitude"})) return 'N';
    if (is_one_of(name, {"lon", "longitude"})) return 'E';
  }
  return 0;
}

Edge NetcdfAxes::edge(int variable, int dimension) const {
  const std::vector<int>& plane = variables_[std::size_t(variable)].dimensions;
  const auto is_along = [&](int d) { return std::find(plane.begin(), plane.end(), d) != plane.end(); };
  const std::string name = file_.dimension_name(dimension), shown = runtime::shown(name);
  std::vector<int> coordinates = {file_.find(name)};
  std::istringstream auxiliary(file_.text(variable, "coordinates"));
  for (std::string word; auxiliary >> word;) coordinates.push_back(file_.find(word));
  const auto named = std::ptrdiff_t(coordinates.size());
  // Then unnamed latitudes and longitudes of the same dimensions.
  for (int v = 0; v < int(variables_.size()); ++v)
    if (const Variable& it = variables_[std::size_t(v)];
        it.direction != 0 && v != variable &&
        std::all_of(it.dimensions.begin(), it.dimensions.end(), is_along))
      coordinates.push_back(v);
  std::string measure, bare;  // bare: a coordinate without attributes, as xarray writes them
  for (const int& v : coordinates) {
    if (v < 0) continue;
    const Variable& it = variables_[std::size_t(v)];
    if (std::find(it.dimensions.begin(), it.dimensions.end(), dimension) == it.dimensions.end()) continue;
    const bool alone = it.dimensions.size() == 1, own = alone && it.name == name;
    const std::string units = lowered(file_.text(v, "units"));
    const bool radians = is_one_of(units, {"rad", "radian", "radians"});
    if (it.direction == 'E' || (own && it.direction == 0 && (radians || is_degrees(units))))
      return edge_of_angles(file_, v, dimension, radians ? 2 * M_PI : 360);
    if (alone && it.direction == 'N')
      return {true, fmt::format("'{}' is a latitude", runtime::shown(it.name))};
    if (own) measure = file_.text(v, "units");
    if (own || &v - coordinates.data() < named) bare = it.name;
  }
  if (const std::string why = why_no_axis(variable, dimension); !why.empty())
    return {true, fmt::format("'{}' {}", shown, why)};
  if (!measure.empty()) return {true, fmt::format("'{}' is in '{}'", shown, runtime::shown(measure))};
  if (!bare.empty())
    return {true, fmt::format("nothing says that its coordinate '{}' goes round", runtime::shown(bare))};
  return {false, fmt::format("the file says nothing of '{}'", shown)};
}

}  // namespace parity::io
