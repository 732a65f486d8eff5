// SPDX-License-Identifier: BSD-3-Clause
// Interpretation of a NetCDF variable's stored numbers: packing, missing values and limits (CF conventions
// 2.5.1 and 8.1; NetCDF User's Guide, "Attribute Conventions").
#pragma once
#include <netcdf.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/filter/netcdf_library.hpp"

namespace parity::io {

class NetcdfValues {
 public:
  /// Throws runtime::UsageError for types the filter cannot compute in and attributes it cannot interpret.
  NetcdfValues(const NetcdfHandle& file, int variable);
  static bool is_whole(nc_type type);  ///< true for an integer of at most 32 bits

  nc_type type() const { return type_; }
  std::int64_t bytes() const;
  bool packed() const { return packed_; }
  /// True if the filter computes in float.
  bool single() const { return type_ == NC_FLOAT && !packed_; }
  /// True if the variable has limits, so that a written value can read as missing.
  bool limited() const { return !limits_.empty(); }

  template <class T>
  bool is_missing(T stored) const {
    for (const Mark& m : marks_)
      if (rounded(m, stored) == m.at) return true;
    for (const Limit& l : limits_)
      if (l.least ? rounded(l, stored) < l.at : rounded(l, stored) > l.at) return true;
    return false;
  }
  /// "-999, its _FillValue"; "0.7, above its valid_max 0.6".
  std::string why_missing(double stored) const;

  double scale() const { return std::abs(scale_); }
  double unpacked(double stored) const { return stored * scale_ + offset_; }
  /// Converts a value to the file's type; nullopt if it is out of range.
  std::optional<double> stored(double value) const {
    const double p = packed_ ? (value - offset_) / scale_ : value;
    const double s = whole_ ? std::nearbyint(p) : type_ == NC_FLOAT ? double(float(p)) : p;
    if (!std::isfinite(s) || (whole_ && (s < least_ || s > most_))) return std::nullopt;
    return s;
  }

 private:
  struct Mark {
    double at = 0;
    bool single = false;  ///< compared as float: the attribute or the variable is float
    double given = 0;     ///< the attribute's value
    const char* name = "";
  };
  struct Limit : Mark {
    bool least = false;
  };
  template <class T>
  static double rounded(const Mark& m, T stored) {
    return m.single ? double(float(stored)) : double(stored);
  }
  void read_marks();
  void add_limit(const char* name, double given, bool least);
  [[noreturn]] void refuse(const std::string& why) const;
  [[noreturn]] void refuse_number(const char* name, double given) const;

  const NetcdfHandle& file_;
  int variable_;
  nc_type type_;
  bool packed_ = false, whole_ = false;
  double scale_ = 1, offset_ = 0;
  double least_ = 0, most_ = 0;  ///< range of an integer type
  std::vector<Mark> marks_;
  std::vector<Limit> limits_;
};

}  // namespace parity::io
