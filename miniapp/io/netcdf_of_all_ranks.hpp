// SPDX-License-Identifier: BSD-3-Clause
// NetCDF-4 files that several ranks write together, where the library was built for that. Calls come from the
// library's thread, on all ranks alike.
#pragma once
#include <string>

namespace parity::io {

/// Why there is no such file here, as the end of a sentence with what to do; empty where there is.
std::string why_no_netcdf_of_all_ranks();

/// As nc_open, with its status.
int open_netcdf_of_all_ranks(const std::string& path, int mode, int* id);
/// From here on all ranks write a block of the variable at the same time. A status, too.
int write_on_all_ranks(int id, int variable);

}  // namespace parity::io
