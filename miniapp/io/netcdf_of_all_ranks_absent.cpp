// SPDX-License-Identifier: BSD-3-Clause
// The stand-in for netcdf_of_all_ranks.cpp in a build without MPI, or whose NetCDF is one process's.
#include <stdexcept>

#include "io/netcdf_of_all_ranks.hpp"

namespace parity::io {

std::string why_no_netcdf_of_all_ranks() {
  return "a parallel NetCDF library, and this build has none (-DPARITY_NETCDF_PARALLEL=ON)";
}
int open_netcdf_of_all_ranks(const std::string&, int, int*) {
  throw std::logic_error("no parallel NetCDF in this build");
}
int write_on_all_ranks(int, int) { throw std::logic_error("no parallel NetCDF in this build"); }

}  // namespace parity::io
