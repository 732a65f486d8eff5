// SPDX-License-Identifier: BSD-3-Clause
// Meaning of a NetCDF file's dimensions and coordinates (CF conventions, chapters 4, 5, 8 and 9; UGRID;
// attributes of NetCDF-Java and GFDL).
#pragma once
#include <set>
#include <string>
#include <vector>

#include "tools/filter/netcdf_library.hpp"

namespace parity::io {

/// 'N' for units of latitude, 'E' for longitude, in UDUNITS' spelling or with a degree sign; else 0.
char angle_of(const std::string& units);

/// Inspects every variable once. The file must outlive it.
class NetcdfAxes {
 public:
  explicit NetcdfAxes(const NetcdfHandle& file);
  /// The variables of these names, or the only one that looks like a field. Throws runtime::UsageError that
  /// lists the candidates.
  std::vector<int> fields(const std::vector<std::string>& wanted) const;
  /// Throws runtime::UsageError that quotes the attribute if one of the variable's last two dimensions is not
  /// a horizontal axis: the filter would mix levels, days or unordered cells. plane: the names of these
  /// dimensions if the user asserts that they are y and x, or empty.
  void require_plane(int variable, const std::vector<std::string>& plane) const;
  /// The boundary of a variable's planes along a dimension: periodic if its longitudes cover the circle once
  /// or the file says nothing of it, else closed. Throws runtime::UsageError if they cover more.
  Edge edge(int variable, int dimension) const;

 private:
  enum class Axis { unknown, time, vertical, horizontal, other };
  struct Variable {
    std::string name;
    std::vector<int> dimensions;
    Axis axis = Axis::unknown;
    std::string says;     ///< the attribute that determines 'axis'
    char angle = 0;       ///< 'N' for a latitude or a projection's y, 'E' for a longitude or x
    bool plain = false;   ///< an angle whose units do not tell which
    bool marked = false;  ///< marked as an axis, whatever its name
    std::string role;     ///< cf_role
    char direction = 0;   ///< 'N' for angles northwards, 'E' for angles around the globe
  };
  /// True if another variable names this one as its coordinates, bounds or measure, or if its units are a
  /// latitude's or longitude's: it is not a field unless the user names it.
  bool is_coordinate(int variable) const;
  bool can_be_field(int variable) const;
  void look_at(Variable& v, int variable) const;
  /// Explains why a dimension of a variable is not a horizontal axis; empty if nothing is wrong.
  std::string why_no_axis(int variable, int dimension) const;
  char direction_of(int variable) const;
  std::string why_no_grid(int variable) const;
  std::string said(int variable, const char* key) const;

  const NetcdfHandle& file_;
  std::vector<Variable> variables_;
  std::set<std::string> referenced_;
};

}  // namespace parity::io
