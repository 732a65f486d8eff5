// SPDX-License-Identifier: BSD-3-Clause
// .npy files as fields and as samples. Reading a field and writing it back gives the same file, whether NaN
// is refused or kept.
#include <cmath>

#include "field.hpp"
#include "fuzz.hpp"
#include "tools/density/column_file.hpp"

void parity::fuzz::run(const std::string& data) {
  using namespace parity;
  const std::string input = fuzz::input_file("field.npy", data), output = fuzz::path_of("filtered.npy");
  const auto same = [&] { return fuzz::contents(input) == fuzz::contents(output); };
  const bool refusing = fuzz::written_back(input, output, io::Missing::refuse);
  if (refusing) fuzz::require(same(), "a field changes when it is written back");
  const bool keeping = fuzz::written_back(input, output, io::Missing::keep);
  if (keeping) fuzz::require(same(), "a field with missing values changes when it is written back");
  fuzz::require(keeping || !refusing, "a field is refused where missing values are kept");
  fuzz::taken([&] {
    for (const double v : io::read_column(input, "", "samples"))
      fuzz::require(std::isfinite(v), "a sample that is not finite");
  });
}
