// SPDX-License-Identifier: BSD-3-Clause
// .npy files as fields and as samples. A field that is read and written back is the same file.
#include "field.hpp"
#include "fuzz.hpp"
#include "io/column_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace parity;
  const std::string input = fuzz::input_file("field.npy", data, size), output = fuzz::path_of("filtered.npy");
  if (fuzz::written_back(input, output))
    fuzz::require(fuzz::contents(input) == fuzz::contents(output), "a field changes when it is written back");
  fuzz::taken([&] { io::read_column(input, "", "samples"); });
  return 0;
}
