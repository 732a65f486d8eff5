// SPDX-License-Identifier: BSD-3-Clause
#include "tools/filter/netcdf_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::io {
namespace {

struct WholeType {
  double least, most;
  std::int64_t bytes;
};
const std::map<nc_type, WholeType>& whole_types() {
  static const std::map<nc_type, WholeType> types = {{NC_BYTE, {-128, 127, 1}},
                                                     {NC_UBYTE, {0, 255, 1}},
                                                     {NC_SHORT, {-32768, 32767, 2}},
                                                     {NC_USHORT, {0, 65535, 2}},
                                                     {NC_INT, {-2147483648.0, 2147483647.0, 4}},
                                                     {NC_UINT, {0, 4294967295.0, 4}}};
  return types;
}
bool is_floating(nc_type type) { return type == NC_FLOAT || type == NC_DOUBLE; }

}  // namespace

bool NetcdfValues::is_whole(nc_type type) { return whole_types().count(type) > 0; }
std::int64_t NetcdfValues::bytes() const {
  return type_ == NC_DOUBLE ? 8 : type_ == NC_FLOAT ? 4 : whole_types().at(type_).bytes;
}

void NetcdfValues::refuse(const std::string& why) const {
  throw runtime::UsageError(fmt::format("{}: variable '{}' {}", file_.shown(),
                                        runtime::shown(file_.variable_name(variable_)), why));
}

NetcdfValues::NetcdfValues(const NetcdfHandle& file, int variable)
    : file_(file), variable_(variable), type_(file.type(variable)), whole_(is_whole(type_)) {
  // If we ignored a numeric attribute stored as text, missing values would pass as values.
  for (const char* key :
       {"scale_factor", "add_offset", "missing_value", "valid_range", "valid_min", "valid_max"})
    if (!file.text(variable, key).empty())
      throw runtime::UsageError(
          fmt::format("{}: variable '{}': its attribute {} is text; store a number (ncatted)", file.shown(),
                      runtime::shown(file.variable_name(variable)), key));
  const auto scale = file.numbers(variable, "scale_factor"), offset = file.numbers(variable, "add_offset");
  packed_ = !scale.empty() || !offset.empty();
  for (const auto& [key, count] :
       {std::pair("scale_factor", scale.size()), std::pair("add_offset", offset.size())})
    if (count > 1) refuse(fmt::format("has {} numbers in {}; give one (ncatted)", count, key));
  if (!scale.empty()) scale_ = scale.front();
  if (!offset.empty()) offset_ = offset.front();
  if (!is_floating(type_) && !whole_) refuse("has a type the filter cannot compute in; convert it to float");
  if (whole_) {
    least_ = whole_types().at(type_).least;
    most_ = whole_types().at(type_).most;
    // Refuses any attribute that contradicts the type.
    const std::string word = lowered(file.text(variable, "_Unsigned"));
    const auto number = file.numbers(variable, "_Unsigned");
    const bool yes = number.empty() ? is_one_of(word, {"true", "t", "yes", "y", "1"}) : number.front() == 1;
    const bool no =
        number.empty() ? is_one_of(word, {"", "false", "f", "no", "n", "0"}) : number.front() == 0;
    const bool there = file.attribute_type(variable, "_Unsigned") != NC_NAT;
    if (there && !(least_ < 0 ? no : yes))
      refuse(fmt::format(
          "is _Unsigned ('{}') against its {} type, which the filter does not read; convert it to float",
          number.empty() ? runtime::shown(word) : fmt::format("{}", number.front()),
          least_ < 0 ? "signed" : "unsigned"));
    if (!packed_)
      refuse(
          "holds whole numbers without scale_factor; the filtered field would not be whole: convert it to "
          "float");
  }
  if (!(std::isfinite(scale_) && scale_ != 0) || !std::isfinite(offset_))
    refuse(fmt::format("has scale_factor {} and add_offset {}", scale_, offset_));
  read_marks();
}

void NetcdfValues::read_marks() {
  const auto add = [this](const char* name, double given) {
    const bool single = type_ == NC_FLOAT || file_.attribute_type(variable_, name) == NC_FLOAT;
    if (whole_ && !std::isnan(given) && (given != std::nearbyint(given) || given < least_ || given > most_))
      refuse_number(name, given);
    marks_.push_back({single ? double(float(given)) : given, single, given, name});
  };
  for (const char* key : {"_FillValue", "missing_value"})
    for (const double value : file_.numbers(variable_, key)) add(key, value);
  if (file_.attribute_type(variable_, "_FillValue") == NC_NAT ||
      file_.spelled(variable_, "_FillValue") != "_FillValue") {
    // Points that were never written hold the library's default.
    static const std::map<nc_type, double> defaults = {{NC_FLOAT, NC_FILL_FLOAT}, {NC_DOUBLE, NC_FILL_DOUBLE},
                                                       {NC_SHORT, NC_FILL_SHORT}, {NC_USHORT, NC_FILL_USHORT},
                                                       {NC_INT, NC_FILL_INT},     {NC_UINT, NC_FILL_UINT}};
    if (const auto at = defaults.find(type_); at != defaults.end())
      add("type's default _FillValue", at->second);
  }
  const auto range = file_.numbers(variable_, "valid_range");
  if (!range.empty() && range.size() != 2)
    refuse(fmt::format("has {} numbers in valid_range; give two (ncatted)", range.size()));
  if (!range.empty()) {
    add_limit("valid_range", range[0], true);
    add_limit("valid_range", range[1], false);
  }
  for (const double value : file_.numbers(variable_, "valid_min")) add_limit("valid_min", value, true);
  for (const double value : file_.numbers(variable_, "valid_max")) add_limit("valid_max", value, false);
}

void NetcdfValues::refuse_number(const char* name, double given) const {
  refuse(
      fmt::format("has {} {:.9g}, which its stored type (whole numbers from {:.0f} to {:.0f}) cannot hold; "
                  "give the number "
                  "that is stored, or leave it out (ncatted)",
                  name, given, least_, most_));
}

/// A limit is in the units of the stored values, unless its type is the wider type, that of scale_factor.
void NetcdfValues::add_limit(const char* name, double given, bool least) {
  if (std::isnan(given) || std::isinf(given)) return;
  const nc_type type = file_.attribute_type(variable_, name);
  const nc_type scale = std::max(file_.attribute_type(variable_, "scale_factor"),
                                 file_.attribute_type(variable_, "add_offset"));
  const bool wider = is_floating(type) && (whole_ || type > type_);
  const bool unpacks = packed_ && wider && type == scale;
  if (whole_ && wider && !unpacks)
    refuse(fmt::format(
        "has a {} of another type than its values and its scale_factor, so that its units are unknown; "
        "store it as one of them (ncatted)",
        name));
  // A limit in the range of the other signedness, such as 200 for bytes, suggests that the values have it.
  const double range = most_ - least_ + 1;
  if (whole_ && !unpacks && ((given < least_ && given >= -range / 2) || (given > most_ && given < range)))
    refuse_number(name, given);
  Limit l;
  l.single = type_ == NC_FLOAT || (!whole_ && type == NC_FLOAT);
  l.at = unpacks ? (given - offset_) / scale_ : given;
  if (whole_) l.at = std::nearbyint(l.at);
  if (l.single) l.at = double(float(l.at));
  l.given = given;
  l.name = name;
  l.least = unpacks && scale_ < 0 ? !least : least;
  limits_.push_back(l);
}

std::string NetcdfValues::why_missing(double stored) const {
  const double shown = packed_ ? unpacked(stored) : stored;
  for (const Mark& m : marks_)
    if (rounded(m, stored) == m.at) return fmt::format("{:.9g}, its {}", m.given, m.name);
  for (const Limit& l : limits_)
    if (l.least ? rounded(l, stored) < l.at : rounded(l, stored) > l.at)
      return fmt::format("{:.9g}{}, beyond its {} {:.9g}", shown,
                         packed_ ? fmt::format(" (stored {:.9g})", stored) : "", l.name, l.given);
  return "missing";
}

}  // namespace parity::io
