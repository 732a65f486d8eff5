// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/loop_work.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "runtime/error.hpp"

namespace parity::analysis {

LoopTable LoopTable::read(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw runtime::UsageError(fmt::format("{}: cannot be read", path));
  const auto refuse = [&path](int line, const std::string& why) {
    throw runtime::UsageError(
        fmt::format("{}: line {}: {}; make the file by variants/host_work.py", path, line, why));
  };
  const std::string header = "study,kernel,precision,instructions_per_operation,source";
  std::string line;
  if (!std::getline(in, line) || line != header) refuse(1, "must be " + header);
  LoopTable table;
  for (int number = 2; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    std::istringstream cells(line);
    std::string study, kernel, precision, value;
    std::getline(cells, study, ',');
    std::getline(cells, kernel, ',');
    std::getline(cells, precision, ',');
    std::getline(cells, value, ',');
    char* end = nullptr;
    const double instructions = std::strtod(value.c_str(), &end);
    if (value.empty() || *end != '\0' || !std::isfinite(instructions) || instructions <= 0)
      refuse(number, fmt::format("'{}' is no number above 0", value));
    table.loops_[{study, kernel, precision}] = instructions;
  }
  return table;
}

double LoopTable::per_operation(const std::string& study, const std::string& kernel,
                                const std::string& precision) const {
  const auto found = loops_.find({study, kernel, precision});
  return found == loops_.end() ? 0 : found->second;
}

}  // namespace parity::analysis
