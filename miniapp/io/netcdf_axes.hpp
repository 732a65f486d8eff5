// SPDX-License-Identifier: BSD-3-Clause
// Which dimensions of a NetCDF variable are horizontal, by the CF conventions (chapters 4 and 5).
#pragma once
#include <string>
#include <vector>

#include "io/netcdf_handle.hpp"

namespace parity::io {

/// Throws runtime::UsageError where the file says that one of the last two dimensions is time or height: the
/// filter would run across levels or days.
void require_horizontal(const NetcdfHandle& file, const std::string& variable,
                        const std::vector<int>& dimensions);

/// Whether another variable names this one as its coordinates, bounds or measure, or its units are a
/// latitude's or longitude's: no field to filter unless asked for.
bool is_coordinate(const NetcdfHandle& file, int variable);

}  // namespace parity::io
