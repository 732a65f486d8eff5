// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/loop_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "runtime/error.hpp"

namespace parity::analysis {
namespace {

/// What the columns of a file are; those of before had fewer.
struct CountColumns {
  bool lengths = true, apart = true, memory = true, divisions = true;
  std::string header() const {
    return std::string("study,kernel,precision,") + (lengths ? "points_in_row," : "") +
           (apart ? "scalar_per_operation,vector_per_operation," : "instructions_per_operation,") +
           (memory ? "vector_memory_per_operation," : "") + (divisions ? "division_per_operation," : "") +
           "source";
  }
};

/// At 'x' on the line through two points.
double on_line(double x, double x0, double y0, double x1, double y1) {
  return y0 + (x - x0) * (y1 - y0) / (x1 - x0);
}

}  // namespace

LoopTable LoopTable::read(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw runtime::UsageError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  const auto refuse = [&path](int line, const std::string& why) {
    throw runtime::UsageError(
        fmt::format("{}: line {}: {}; make the file by variants/host_work.py", path, line, why));
  };
  std::string line;
  std::getline(in, line);
  const CountColumns known[] = {
      {}, {false, true, false, true}, {false, true, false, false}, {false, false, false, false}};
  const auto columns = std::find_if(std::begin(known), std::end(known),
                                    [&line](const CountColumns& c) { return c.header() == line; });
  if (columns == std::end(known)) refuse(1, "must be " + known[0].header());
  LoopTable table;
  for (int number = 2; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    std::istringstream cells(line);
    std::string study, kernel, precision;
    std::getline(cells, study, ',');
    std::getline(cells, kernel, ',');
    std::getline(cells, precision, ',');
    const auto value = [&cells, &refuse, number](bool or_none = false) {
      std::string text;
      std::getline(cells, text, ',');
      if (or_none && text.empty()) return 0.0;
      char* end = nullptr;
      const double found = std::strtod(text.c_str(), &end);
      if (text.empty() || *end != '\0' || !std::isfinite(found) || found < 0)
        refuse(number, fmt::format("'{}' is no number from 0", text));
      return found;
    };
    const double points = columns->lengths ? value(true) : 0;
    LoopWork work;
    work.scalar = value();
    // A file of before the two were told apart: vectors alone do an operation in less than an instruction.
    if (columns->apart)
      work.vector = value();
    else if (work.scalar < 1)
      std::swap(work.scalar, work.vector);
    if (columns->memory) work.vector_memory = value();
    if (columns->divisions) work.division = value();
    if (work.all() <= 0) refuse(number, "no instructions at all");
    if (!table.loops_[{study, kernel, precision}].emplace(points, work).second)
      refuse(number,
             fmt::format("a second line of {} in {} with rows of {:g} points", kernel, precision, points));
  }
  return table;
}

LoopWork LoopTable::per_operation(const std::string& study, const std::string& kernel,
                                  const std::string& precision, double points_in_row) const {
  const auto found = loops_.find({study, kernel, precision});
  if (found == loops_.end()) return {};
  const ByLength& counted = found->second;
  if (const auto same = counted.find(points_in_row); same != counted.end()) return same->second;
  if (counted.size() == 1 || points_in_row <= 0 || counted.count(0) > 0) return counted.begin()->second;
  // The two lengths around this one, or the nearest two.
  auto longer = counted.upper_bound(points_in_row);
  if (longer == counted.begin()) ++longer;
  if (longer == counted.end()) --longer;
  const auto shorter = std::prev(longer);
  const auto of = [&](double LoopWork::*kind) {
    const double in_a_row = on_line(points_in_row, shorter->first, shorter->first * (shorter->second.*kind),
                                    longer->first, longer->first * (longer->second.*kind));
    return std::max(0.0, in_a_row) / points_in_row;
  };
  return {of(&LoopWork::scalar), of(&LoopWork::vector), of(&LoopWork::vector_memory),
          of(&LoopWork::division)};
}

}  // namespace parity::analysis
