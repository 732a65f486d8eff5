// SPDX-License-Identifier: BSD-3-Clause
// What a NetCDF file says of its dimensions and coordinates (CF conventions, chapters 4, 5, 8 and 9; UGRID;
// NetCDF-Java's and GFDL's attributes).
#pragma once
#include <set>
#include <string>
#include <vector>

#include "tools/filter/netcdf_library.hpp"

namespace parity::io {

/// 'N' of a latitude's units, 'E' of a longitude's, as UDUNITS spells them or with a degree's sign; else 0.
char angle_of(const std::string& units);

/// Looks at every variable once. The file must outlive it.
class NetcdfAxes {
 public:
  explicit NetcdfAxes(const NetcdfHandle& file);
  /// The variables of these names, or the only one that looks like a field. Throws runtime::UsageError with
  /// what there is.
  std::vector<int> fields(const std::vector<std::string>& wanted) const;
  /// Throws runtime::UsageError with the attribute that says so where one of the variable's last two
  /// dimensions is no horizontal axis: the filter would run across levels, days or cells in any order. plane:
  /// the names of these two where the user vouches for them, or empty.
  void require_plane(int variable, const std::vector<std::string>& plane) const;
  /// Whether the planes of a variable are periodic along a dimension: its longitudes go once round; or the
  /// file says nothing of it. Throws runtime::UsageError where they go farther than that.
  Edge edge(int variable, int dimension) const;

 private:
  enum class Axis { unknown, time, vertical, horizontal, other };
  struct Variable {
    std::string name;
    std::vector<int> dimensions;
    Axis axis = Axis::unknown;
    std::string says;     ///< the attribute that 'axis' comes from
    char angle = 0;       ///< 'N' of a latitude or a projection's y, 'E' of a longitude or x
    bool plain = false;   ///< an angle, and its units do not say which
    bool marked = false;  ///< as an axis, whatever its name
    std::string role;     ///< cf_role
    char direction = 0;   ///< 'N' of angles northwards, 'E' of angles round the globe
  };
  /// Whether another variable names this one as its coordinates, bounds or measure, or its units are a
  /// latitude's or longitude's: no field to filter unless asked for.
  bool is_coordinate(int variable) const;
  bool can_be_field(int variable) const;
  void look_at(Variable& v, int variable) const;
  /// What is wrong with a dimension of a variable; empty if nothing.
  std::string why_no_axis(int variable, int dimension) const;
  char direction_of(int variable) const;
  std::string why_no_grid(int variable) const;
  std::string said(int variable, const char* key) const;

  const NetcdfHandle& file_;
  std::vector<Variable> variables_;
  std::set<std::string> referenced_;
};

}  // namespace parity::io
