// SPDX-License-Identifier: BSD-3-Clause
#include "io/netcdf_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::io {
namespace {

enum class Axis { unknown, time, vertical, horizontal };

bool is_angle(const std::string& units) {
  for (const char* direction : {"north", "east", "N", "E"})
    for (const char* degrees : {"degrees_", "degree_", "degrees", "degree"})
      if (units == fmt::format("{}{}", degrees, direction)) return true;
  return false;
}

bool is_pressure(const std::string& units) {
  const auto known = {"Pa", "hPa", "mbar", "millibar", "millibars", "bar", "decibar", "atm", "dbar", "kPa"};
  return std::any_of(known.begin(), known.end(), [&units](const char* u) { return units == u; });
}

/// What the coordinate variable of a dimension says about itself.
Axis axis_of(const NetcdfHandle& file, int dimension) {
  const int v = file.find(file.dimension_name(dimension));
  if (v < 0) return Axis::unknown;
  const std::string axis = file.text(v, "axis"), units = file.text(v, "units"),
                    standard = file.text(v, "standard_name");
  if (axis == "T" || standard == "time" || units.find(" since ") != std::string::npos) return Axis::time;
  if (axis == "X" || axis == "Y" || is_angle(units)) return Axis::horizontal;
  const std::string positive = file.text(v, "positive");
  if (axis == "Z" || positive == "up" || positive == "down" || is_pressure(units)) return Axis::vertical;
  return Axis::unknown;
}

}  // namespace

void require_horizontal(const NetcdfHandle& file, const std::string& variable,
                        const std::vector<int>& dimensions) {
  for (std::size_t d = dimensions.size() - 2; d < dimensions.size(); ++d) {
    const Axis axis = axis_of(file, dimensions[d]);
    if (axis != Axis::time && axis != Axis::vertical) continue;
    throw runtime::UsageError(fmt::format(
        "{}: variable '{}': its dimension '{}' is {}, but the last two must be y and x: reorder them "
        "(ncpdq -a)",
        file.shown(), runtime::shown(variable), runtime::shown(file.dimension_name(dimensions[d])),
        axis == Axis::time ? "time" : "vertical"));
  }
}

bool is_coordinate(const NetcdfHandle& file, int variable) {
  if (is_angle(file.text(variable, "units"))) return true;
  const std::string name = file.variable_name(variable);
  for (int v = 0; v < file.variables(); ++v)
    for (const char* key : {"coordinates", "bounds", "climatology", "ancillary_variables", "cell_measures"}) {
      std::istringstream words(file.text(v, key));
      for (std::string word; words >> word;)
        if (word == name) return true;
    }
  return false;
}

}  // namespace parity::io
