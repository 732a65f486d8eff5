// SPDX-License-Identifier: BSD-3-Clause
#include "tools/filter/netcdf_library.hpp"

#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>

namespace parity::io {

std::string why_no_netcdf_of_all_ranks() {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  // The library has its own thread, in addition to the one that listens for other ranks' failures.
  return provided == MPI_THREAD_MULTIPLE
             ? ""
             : "an MPI that lets several threads of a rank send (MPI_THREAD_MULTIPLE)";
}

int open_netcdf_of_all_ranks(const std::string& path, int mode, int* id) {
  return nc_open_par(path.c_str(), mode, MPI_COMM_WORLD, MPI_INFO_NULL, id);
}

int write_on_all_ranks(int id, int variable) { return nc_var_par_access(id, variable, NC_COLLECTIVE); }

}  // namespace parity::io
