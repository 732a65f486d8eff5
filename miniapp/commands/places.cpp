// SPDX-License-Identifier: BSD-3-Clause
#include "commands/places.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "harness/records.hpp"
#include "io/whole_file.hpp"
#include "runtime/error.hpp"

namespace parity::commands {
namespace {

std::string plain(const std::string& name) {
  std::error_code none;
  const std::filesystem::path whole = std::filesystem::absolute(name, none);
  return none ? name : whole.lexically_normal().string();
}

bool is_one_place(const std::string& a, const std::string& b) {
  if (io::is_standard_output(a) || io::is_standard_output(b))
    return io::is_standard_output(a) && io::is_standard_output(b);
  std::error_code none;
  if (std::filesystem::is_character_file(a, none)) return false;  // /dev/null takes any number of files
  return plain(a) == plain(b) || io::is_same_file(a, b);
}

}  // namespace

void require_apart(const std::vector<Place>& outputs, const std::vector<std::string>& inputs) {
  for (auto one = outputs.begin(); one != outputs.end(); ++one) {
    if (one->name.empty()) continue;
    for (auto other = outputs.begin(); other != one; ++other)
      if (!other->name.empty() && is_one_place(other->name, one->name))
        throw runtime::UsageError(
            fmt::format("{} and {} go to the same place; give one of them another file name", other->option,
                        one->option));
    for (const std::string& input : inputs)
      if (!input.empty() && io::is_same_file(harness::file_of_records(input), one->name))
        throw runtime::UsageError(
            fmt::format("{} {}: is read by this command, and would be replaced; give another file name",
                        one->option, one->name));
  }
}

}  // namespace parity::commands
