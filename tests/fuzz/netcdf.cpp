// SPDX-License-Identifier: BSD-3-Clause
// NetCDF files as fields. Output can be read and written again.
#include "field.hpp"
#include "fuzz.hpp"

void parity::fuzz::run(const std::string& data) {
  using namespace parity;
  const std::string input = fuzz::input_file("field.nc", data);
  const std::string output = fuzz::path_of("filtered.nc"), again = fuzz::path_of("again.nc");
  for (const io::Missing missing : {io::Missing::refuse, io::Missing::keep})
    if (fuzz::written_back(input, output, missing))
      fuzz::require(fuzz::written_back(output, again, missing), "what was written cannot be read");
}
