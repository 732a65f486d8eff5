// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/loop_work.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include "runtime/error.hpp"

namespace parity::analysis {

LoopTable LoopTable::read(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw runtime::UsageError(fmt::format("{}: cannot be read", path));
  const auto refuse = [&path](int line, const std::string& why) {
    throw runtime::UsageError(
        fmt::format("{}: line {}: {}; make the file by variants/host_work.py", path, line, why));
  };
  const std::string header =
      "study,kernel,precision,scalar_per_operation,vector_per_operation,division_per_operation,"
      "source";
  std::string line;
  const std::string apart_header = "study,kernel,precision,scalar_per_operation,vector_per_operation,source";
  const std::string before = "study,kernel,precision,instructions_per_operation,source";
  if (!std::getline(in, line) || (line != header && line != apart_header && line != before))
    refuse(1, "must be " + header);
  const bool divisions = line == header, apart = line != before;
  LoopTable table;
  for (int number = 2; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    std::istringstream cells(line);
    std::string study, kernel, precision;
    std::getline(cells, study, ',');
    std::getline(cells, kernel, ',');
    std::getline(cells, precision, ',');
    const auto instructions = [&cells, &refuse, number] {
      std::string value;
      std::getline(cells, value, ',');
      char* end = nullptr;
      const double found = std::strtod(value.c_str(), &end);
      if (value.empty() || *end != '\0' || !std::isfinite(found) || found < 0)
        refuse(number, fmt::format("'{}' is no number from 0", value));
      return found;
    };
    LoopWork work;
    work.scalar = instructions();
    // A file of before the two were told apart: vectors alone do an operation in less than an instruction.
    if (apart)
      work.vector = instructions();
    else if (work.scalar < 1)
      std::swap(work.scalar, work.vector);
    if (divisions) work.division = instructions();
    if (work.all() <= 0) refuse(number, "no instructions at all");
    table.loops_[{study, kernel, precision}] = work;
  }
  return table;
}

LoopWork LoopTable::per_operation(const std::string& study, const std::string& kernel,
                                  const std::string& precision) const {
  const auto found = loops_.find({study, kernel, precision});
  return found == loops_.end() ? LoopWork() : found->second;
}

}  // namespace parity::analysis
