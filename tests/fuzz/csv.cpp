// SPDX-License-Identifier: BSD-3-Clause
// CSV files as samples: in a file of one column, its number selects the same samples as the default; samples
// are finite, and a plain list of them reads the same.
#include <fmt/format.h>

#include <cmath>

#include "fuzz.hpp"
#include "tools/density/column_file.hpp"
#include "tools/density/csv.hpp"

void parity::fuzz::run(const std::string& data) {
  using namespace parity;
  const std::string input = fuzz::input_file("samples.csv", data);
  runtime::Numbers only, first;
  const bool one_column = fuzz::taken([&] { only = io::read_column(input, "", "samples"); });
  const bool has_first = fuzz::taken([&] { first = io::read_column(input, "1", "samples"); });
  fuzz::taken([&] { io::read_column(input, "b", "samples"); });
  if (one_column && has_first) fuzz::require(only == first, "column 1 differs from the only column");
  if (has_first) {
    std::string list;
    for (const double v : first) {
      fuzz::require(std::isfinite(v), "a sample that is not finite");
      list += fmt::format("{:.17g}\n", v);
    }
    const std::string plain = fuzz::path_of("list.csv");
    fuzz::input_file("list.csv", list);
    fuzz::require(fuzz::taken([&] { only = io::read_column(plain, "", "samples"); }) && only == first,
                  "a list of what was read is read differently");
  }
}
