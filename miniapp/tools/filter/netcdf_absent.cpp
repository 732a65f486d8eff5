// SPDX-License-Identifier: BSD-3-Clause
// The stand-in for the netcdf*.cpp files in a build without NetCDF.
#include "runtime/error.hpp"
#include "tools/filter/field_file.hpp"

namespace parity::io {

std::unique_ptr<FieldFile> open_netcdf(const std::string& input, const std::string&,
                                       const FieldFileOptions&) {
  throw runtime::CannotRunError(
      input + ": this build has no NetCDF; install libnetcdf-dev and configure again, or give .npy");
}

}  // namespace parity::io
