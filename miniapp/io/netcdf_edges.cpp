// SPDX-License-Identifier: BSD-3-Clause
// What a NetCDF file says of the edges of its planes (CF conventions, chapters 4 and 5).
#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "io/field_file.hpp"
#include "io/netcdf_library.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::io {
namespace {

enum class Says { nothing, something, angle, longitude, latitude };

bool begins(const std::string& text, const std::string& with) {
  return text.compare(0, with.size(), with) == 0;
}

Says said_by(const NetcdfHandle& file, int v) {
  using runtime::ends_with;
  const std::string units = file.text(v, "units"), standard = file.text(v, "standard_name");
  const bool degrees = begins(units, "degree");
  if (ends_with(standard, "latitude") || (degrees && (ends_with(units, "north") || ends_with(units, "N"))))
    return Says::latitude;
  if (ends_with(standard, "longitude") || (degrees && (ends_with(units, "east") || ends_with(units, "E"))))
    return Says::longitude;
  if (degrees || begins(units, "rad")) return Says::angle;
  return units.empty() && standard.empty() && file.text(v, "axis").empty() ? Says::nothing : Says::something;
}

constexpr std::size_t most_along = 1 << 24;  // a damaged file may claim any number

/// Values along a dimension, in the middle of all others.
std::vector<double> values_along(const NetcdfHandle& file, int v, int dimension) {
  std::vector<std::size_t> start, count;
  std::vector<double> values(std::min(file.length(dimension), most_along));
  for (const int d : file.dimensions(v)) {
    start.push_back(d == dimension ? 0 : file.length(d) / 2);
    count.push_back(d == dimension ? values.size() : 1);
  }
  file.check(nc_get_vara_double(file.id(), v, start.data(), count.data(), values.data()));
  const auto scale = file.numbers(v, "scale_factor");
  for (double& value : values) value *= scale.empty() ? 1 : scale.front();
  return values;
}

/// Periodic where the way from the last value to the first is one more step round the circle.
Edge edge_of_angles(const NetcdfHandle& file, int v, int dimension) {
  const std::string name = runtime::shown(file.variable_name(v));
  const double circle = begins(file.text(v, "units"), "rad") ? 2 * M_PI : 360;
  const std::vector<double> values = values_along(file, v, dimension);
  double span = 0, all = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double step = std::remainder(values[i] - values[i - 1], circle);
    span += step;
    all += std::abs(step);
  }
  const double step = all / double(values.size() - 1), gap = (circle - std::abs(span)) / step;
  const bool one_way = values.size() > 2 && std::abs(span) > 0.999 * all;
  if (one_way && gap < 0.5)
    throw runtime::UsageError(fmt::format(
        "{}: '{}' goes round and repeats its first values: leave the last ones out (ncks -d), or say with "
        "--boundary whether its edges are periodic or closed",
        file.shown(), name));
  if (one_way && gap < 1.5) return {false, fmt::format("'{}' goes once round", name)};
  return {true, one_way ? fmt::format("'{}' covers {:.4g} of 360 degrees", name, all / circle * 360)
                        : fmt::format("'{}' does not go round", name)};
}

}  // namespace

Edge edge_of(const NetcdfHandle& file, int variable, int dimension) {
  const std::string name = file.dimension_name(dimension);
  std::vector<std::string> names = {name};
  std::istringstream auxiliary(file.text(variable, "coordinates"));
  for (std::string word; auxiliary >> word;) names.push_back(word);
  bool closed = false;
  for (const std::string& word : names) {
    const int v = file.find(word);
    if (v < 0) continue;
    const std::vector<int> dimensions = file.dimensions(v);
    if (std::find(dimensions.begin(), dimensions.end(), dimension) == dimensions.end()) continue;
    const bool alone = dimensions.size() == 1, own = alone && word == name;
    const Says says = said_by(file, v);
    if (says == Says::longitude || (own && says == Says::angle)) return edge_of_angles(file, v, dimension);
    if (alone && says == Says::latitude)
      return {true, fmt::format("'{}' is a latitude", runtime::shown(word))};
    closed = closed || (own && says == Says::something);
  }
  const std::string shown = runtime::shown(name);
  return {closed, closed ? fmt::format("'{}' is a regional axis", shown)
                         : fmt::format("the file says nothing of '{}'", shown)};
}

}  // namespace parity::io
