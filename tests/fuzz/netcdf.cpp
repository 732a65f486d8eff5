// SPDX-License-Identifier: BSD-3-Clause
// NetCDF files as fields. A field that is read and written back can be read and written again.
#include "field.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace parity;
  const std::string input = fuzz::input_file("field.nc", data, size);
  const std::string output = fuzz::path_of("filtered.nc"), again = fuzz::path_of("again.nc");
  if (fuzz::written_back(input, output))
    fuzz::require(fuzz::written_back(output, again), "what was written cannot be read");
  return 0;
}
