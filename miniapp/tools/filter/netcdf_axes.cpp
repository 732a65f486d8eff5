// SPDX-License-Identifier: BSD-3-Clause
#include "tools/filter/netcdf_axes.hpp"

#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <sstream>

#include "runtime/error.hpp"
#include "runtime/text.hpp"
#include "tools/filter/netcdf_values.hpp"

namespace parity::io {
namespace {

using runtime::UsageError;
using Words = std::initializer_list<const char*>;

bool has_one_of(const std::string& text, Words words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* w) { return text.find(w) != std::string::npos; });
}

std::string trimmed(const std::string& name) {
  const std::size_t first = name.find_first_not_of(' ');
  return first == std::string::npos ? "" : name.substr(first, name.find_last_not_of(' ') + 1 - first);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

bool is_pressure(const std::string& units) {
  for (const char* scale : {"", "h", "hecto", "k", "kilo", "m", "milli", "d", "deci", "c", "centi"})
    for (const char* unit : {"pa", "pascal", "pascals", "b", "bar", "bars"})
      if (units == fmt::format("{}{}", scale, unit)) return true;
  return is_one_of(units, {"atm", "atmosphere", "atmospheres", "torr", "mmhg"});
}
bool is_level(const std::string& units) {
  return is_one_of(units, {"level", "levels", "layer", "layers", "sigma_level", "sigma_levels"});
}

/// "hours since 2000-01-01", "day as %Y%m%d", "hours"; also with UDUNITS' synonyms of "since".
bool is_time(const std::string& units) {
  const std::vector<std::string> words = words_of(units);
  if (has_one_of(units, {" since ", " as %"})) return true;
  if (words.empty() || (words.size() > 1 && !is_one_of(words[1], {"after", "from", "ref", "@"})))
    return false;
  for (const char* scale : {"", "m", "milli", "u", "micro", "n", "nano"})
    for (const char* unit : {"s", "sec", "secs", "second", "seconds"})
      if (words[0] == fmt::format("{}{}", scale, unit)) return true;
  return is_one_of(words[0],
                   {"min", "mins", "minute", "minutes", "h",  "hr",  "hrs",   "hour",   "hours", "d",
                    "day", "days", "week",   "weeks",   "yr", "yrs", "month", "months", "year",  "years"});
}

}  // namespace

char angle_of(const std::string& units) {
  const std::string small = lowered(units);
  for (const std::string start : {"degrees", "degree", "deg", "\u00b0", "\u00ba"})
    if (small.compare(0, start.size(), start) == 0) {
      std::string rest = small.substr(start.size());
      if (!rest.empty() && (rest.front() == '_' || rest.front() == ' ')) rest.erase(0, 1);
      return is_one_of(rest, {"n", "north"}) ? 'N' : is_one_of(rest, {"e", "east", "w", "west"}) ? 'E' : '\0';
    }
  return 0;
}

NetcdfAxes::NetcdfAxes(const NetcdfHandle& file) : file_(file) {
  for (int v = 0, count = file.variables(); v < count; ++v) {  // the library counts on each call
    Variable it;
    it.name = file.variable_name(v);
    it.dimensions = file.dimensions(v);
    look_at(it, v);
    it.direction = direction_of(v);
    variables_.push_back(std::move(it));
    for (const char* key : {"coordinates", "bounds", "climatology", "ancillary_variables", "cell_measures"})
      for (std::string& word : words_of(file.text(v, key))) referenced_.insert(std::move(word));
  }
}

bool NetcdfAxes::is_coordinate(int variable) const {
  const Variable& v = variables_[std::size_t(variable)];
  return angle_of(file_.text(variable, "units")) != 0 || referenced_.count(v.name) > 0;
}

std::string NetcdfAxes::said(int variable, const char* key) const {
  const std::string owner = variable < 0 ? "" : runtime::shown(file_.variable_name(variable));
  return fmt::format("{}:{} is '{}'", owner, runtime::shown(file_.spelled(variable, key)),
                     runtime::shown(file_.text(variable, key)));
}

void NetcdfAxes::look_at(Variable& v, int variable) const {
  const std::string units = lowered(file_.text(variable, "units")),
                    standard = lowered(file_.text(variable, "standard_name")), name = lowered(v.name);
  v.angle = angle_of(units);
  if (v.angle == 0 && has_one_of(standard, {"latitude", "projection_y"})) v.angle = 'N';
  if (v.angle == 0 && has_one_of(standard, {"longitude", "projection_x"})) v.angle = 'E';
  v.role = file_.text(variable, "cf_role");
  const auto take = [&](const char* key, Axis axis) {
    if (v.axis == Axis::unknown) {
      v.axis = axis;
      v.says = said(variable, key);
    }
  };
  const auto look = [&](const char* key, Words horizontal, Words time, Words vertical) {
    const std::string value = lowered(file_.text(variable, key));
    if (value.empty()) return;
    if (v.angle == 0 && is_one_of(value, {"y", "lat", "geoy"})) v.angle = 'N';
    if (v.angle == 0 && is_one_of(value, {"x", "lon", "geox"})) v.angle = 'E';
    take(key, is_one_of(value, horizontal) ? Axis::horizontal
              : is_one_of(value, time)     ? Axis::time
              : is_one_of(value, vertical) ? Axis::vertical
                                           : Axis::other);
  };
  look("axis", {"x", "y"}, {"t"}, {"z"});
  look("cartesian_axis", {"x", "y"}, {"t"}, {"z"});
  look("_CoordinateAxisType", {"lat", "lon", "geox", "geoy"}, {"time", "runtime"},
       {"height", "pressure", "geoz"});
  v.marked = v.axis != Axis::unknown;
  if (is_time(units)) take("units", Axis::time);
  if (v.angle != 0) take(angle_of(units) != 0 ? "units" : "standard_name", Axis::horizontal);
  if (!file_.text(variable, "compress").empty()) take("compress", Axis::other);
  for (const char* key : {"positive", "_CoordinateZisPositive"})
    if (is_one_of(lowered(file_.text(variable, key)), {"up", "down"})) {
      v.marked = true;
      take(key, Axis::vertical);
    }
  if (is_pressure(units) || is_level(units)) take("units", Axis::vertical);
  // Names identify lists of angles such as latCell and lonCell.
  v.plain = v.angle == 0 &&
            is_one_of(units, {"degrees", "degree", "deg", "\u00b0", "\u00ba", "radians", "radian", "rad"});
  if (v.plain) take("units", Axis::unknown);
  if (v.angle == 0 && (v.plain ? name.rfind("lat", 0) == 0 : is_one_of(name, {"lat", "latitude"})))
    v.angle = 'N';
  if (v.angle == 0 && (v.plain ? name.rfind("lon", 0) == 0 : is_one_of(name, {"lon", "longitude"})))
    v.angle = 'E';
  if (standard.empty()) return;
  take("standard_name",
       has_one_of(standard, {"projection_x", "projection_y"})                           ? Axis::horizontal
       : is_one_of(standard, {"time", "forecast_reference_time", "forecast_period"})    ? Axis::time
       : has_one_of(standard, {"height", "depth", "altitude", "sigma", "air_pressure"}) ? Axis::vertical
                                                                                        : Axis::other);
}

std::string NetcdfAxes::why_no_axis(int variable, int dimension) const {
  const std::string name = file_.dimension_name(dimension);
  const std::vector<std::string> coordinates = words_of(file_.text(variable, "coordinates"));
  const Variable *latitude = nullptr, *longitude = nullptr, *found = nullptr, *plain = nullptr;
  for (const Variable& v : variables_) {
    if (!v.role.empty() && !v.dimensions.empty() && v.dimensions.front() == dimension)
      return fmt::format("is no axis ({}:cf_role is '{}')", runtime::shown(v.name), runtime::shown(v.role));
    if (v.dimensions.size() != 1 || v.dimensions.front() != dimension) continue;
    const bool named = std::count(coordinates.begin(), coordinates.end(), v.name) > 0;
    if (v.angle == 'N') latitude = &v;
    if (v.angle == 'E') longitude = &v;
    if (v.plain && v.angle == 0 && named && v.name != name) {
      if (plain) latitude = plain, longitude = &v;
      plain = &v;
    }
    if (v.name == name) {
      if (v.axis == Axis::horizontal) return "";
      if (v.axis != Axis::unknown) found = &v;
    } else if (!found && v.axis != Axis::unknown && v.axis != Axis::horizontal && (v.marked || named)) {
      found = &v;
    }
  }
  if (latitude && longitude)
    return fmt::format("is no axis (both {} and {} are along it{}{})", runtime::shown(latitude->name),
                       runtime::shown(longitude->name), longitude->says.empty() ? "" : "; ", longitude->says);
  if (!found && file_.find(name) < 0 &&
      is_one_of(lowered(name), {"time", "lev", "level", "levels", "plev", "depth", "ensemble", "member"}))
    return "is no horizontal axis (so its name says)";
  if (!found) return "";
  return fmt::format("is {} ({})",
                     found->axis == Axis::time       ? "time"
                     : found->axis == Axis::vertical ? "vertical"
                                                     : "no horizontal axis",
                     found->says);
}

std::string NetcdfAxes::why_no_grid(int variable) const {
  if (!file_.text(variable, "mesh").empty()) return said(variable, "mesh");
  if (file_.text(variable, "grid").empty() &&
      is_one_of(file_.text(variable, "location"), {"node", "edge", "face", "volume"}))
    return said(variable, "location");
  if (has_one_of(lowered(file_.text(variable, "CDI_grid_type")),
                 {"unstructured", "spectral", "reduced", "fourier"}))
    return said(variable, "CDI_grid_type");
  if (const int mapping = file_.find(file_.text(variable, "grid_mapping"));
      mapping >= 0 && file_.text(mapping, "grid_mapping_name") == "healpix")
    return said(mapping, "grid_mapping_name");
  return "";
}

void NetcdfAxes::require_plane(int variable, const std::vector<std::string>& plane) const {
  const Variable& v = variables_[std::size_t(variable)];
  const int y = v.dimensions[v.dimensions.size() - 2], x = v.dimensions.back();
  const std::string start = fmt::format("{}: variable '{}'", file_.shown(), runtime::shown(v.name));
  const std::string last =
      runtime::shown(file_.dimension_name(y)) + "," + runtime::shown(file_.dimension_name(x));
  if (!plane.empty()) {
    const std::string given = fmt::format("{}", fmt::join(plane, ","));  // names may hold commas
    if (given == file_.dimension_name(y) + "," + file_.dimension_name(x) ||
        (plane.size() == 2 && trimmed(plane[0]) == file_.dimension_name(y) &&
         trimmed(plane[1]) == file_.dimension_name(x)))
      return;
    throw UsageError(
        fmt::format("{}: --plane {}: its last two dimensions are {}: name these, or reorder them (ncpdq -a)",
                    start, runtime::shown(given), last));
  }
  const std::string why = y == x ? "one dimension twice" : why_no_grid(variable);
  if (!why.empty())
    throw UsageError(fmt::format(
        "{} lies on no grid of y and x ({}): regrid it, or give --plane {} if it does", start, why, last));
  // Latitudes and longitudes of every point, as in a swath, whose rows may also have times.
  std::string angles;
  for (const Variable& c : variables_)
    if (c.angle != 0 && c.dimensions.size() >= 2 && c.dimensions.back() == x &&
        c.dimensions[c.dimensions.size() - 2] == y)
      angles += c.angle;
  if (angles.find('N') != std::string::npos && angles.find('E') != std::string::npos) return;
  int horizontal = 0;
  for (const int d : {y, x}) {
    if (const std::string why = why_no_axis(variable, d); !why.empty())
      throw UsageError(
          fmt::format("{}: its dimension '{}' {}, but the last two must be y and x: reorder them (ncpdq -a), "
                      "or give --plane {} "
                      "if they are",
                      start, runtime::shown(file_.dimension_name(d)), why, last));
    const int own = file_.find(file_.dimension_name(d));
    horizontal += own >= 0 && variables_[std::size_t(own)].axis == Axis::horizontal;
  }
  for (const char* key : {"featureType", "CF:featureType", "cdm_data_type"})
    if (horizontal < 2 && has_one_of(lowered(file_.text(NC_GLOBAL, key)),
                                     {"point", "series", "trajectory", "profile", "station", "section"}))
      throw UsageError(fmt::format("{} lies on no grid of y and x ({}): give --plane {} if it does", start,
                                   said(NC_GLOBAL, key), last));
}

bool NetcdfAxes::can_be_field(int v) const {
  const nc_type t = file_.type(v);
  return variables_[std::size_t(v)].dimensions.size() >= 2 && !is_coordinate(v) &&
         (t == NC_FLOAT || t == NC_DOUBLE ||
          (NetcdfValues::is_whole(t) && !file_.numbers(v, "scale_factor").empty()));
}
std::vector<int> NetcdfAxes::fields(const std::vector<std::string>& wanted) const {
  std::vector<std::string> names, fields;
  for (int v = 0, count = file_.variables(); v < count; ++v) {
    names.push_back(file_.variable_name(v));
    if (can_be_field(v)) fields.push_back(runtime::shown(names.back()));
  }
  const auto place = [&names](const std::string& name) {
    const auto whole = std::find(names.begin(), names.end(), name);
    return int((whole != names.end() ? whole : std::find(names.begin(), names.end(), trimmed(name))) -
               names.begin());
  };
  if (wanted.empty()) {
    const std::string why =
        !fields.empty() ? fmt::format("holds the fields {}", fmt::join(fields, ", "))
        : file_.groups() > 0
            ? "no variable outside of its groups looks like a field; groups are not read (ncks -G : moves "
              "variables out of them)"
            : fmt::format(
                  "none of its variables ({}) looks like a field: floating-point or packed values in two "
                  "dimensions or more",
                  runtime::shown(fmt::format("{}", fmt::join(names, ", ")), 200));
    if (fields.size() != 1)
      throw UsageError(fmt::format("{}: {}; name one or several with --variable", file_.shown(), why));
    for (int v = 0; v < file_.variables(); ++v)
      if (can_be_field(v)) return {v};
  }
  std::size_t most_commas = 0;
  for (const std::string& n : names)
    most_commas = std::max(most_commas, std::size_t(std::count(n.begin(), n.end(), ',')));
  std::vector<int> chosen;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    // A name may contain the comma that separates names.
    std::string name = wanted[k], longer = name;
    const std::size_t end = std::min(wanted.size(), k + 1 + most_commas);
    for (std::size_t last = k + 1; last < end; ++last)
      if (longer += "," + wanted[last]; place(longer) < int(names.size())) name = longer, k = last;
    const int v = place(name);
    if (v == int(names.size()))
      throw UsageError(fmt::format(
          "{}: has no variable '{}'{}{}", file_.shown(), runtime::shown(trimmed(name)),
          fields.empty()
              ? file_.groups() > 0 ? "; groups are not read: move it out of its group (ncks -G :)" : ""
              : fmt::format("; its fields are {}", fmt::join(fields, ", ")),
          runtime::did_you_mean(name, fields)));
    if (std::find(chosen.begin(), chosen.end(), v) != chosen.end())
      throw UsageError(
          fmt::format("--variable {}: names '{}' twice", fmt::join(wanted, ","), names[std::size_t(v)]));
    chosen.push_back(v);
  }
  return chosen;
}

}  // namespace parity::io
