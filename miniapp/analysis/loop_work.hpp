// SPDX-License-Identifier: BSD-3-Clause
// What an operation costs in the loops of a host's variants, counted in the machine code of a build: the part
// of a variant's model that only the compiler knows. variants/host_work.py makes the table.
#pragma once
#include <map>
#include <string>
#include <tuple>

namespace parity::analysis {

/// Instructions for each floating-point operation: divisions of integers, those of vectors between registers
/// and with memory, and all others; all 0: not counted. Where nothing was executed but loops were looked at,
/// all of a loop with vectors are those of vectors.
struct LoopWork {
  double scalar = 0, vector = 0, vector_memory = 0, division = 0;
  double all() const { return scalar + vector + vector_memory + division; }
};

class LoopTable {
 public:
  /// Reads the CSV file of variants/host_work.py. Throws runtime::UsageError naming the line.
  static LoopTable read(const std::string& path);
  /// In rows of so many points. What a row of the grid begins and ends with weighs more in a short one: of
  /// two lengths that were counted, a row has so many instructions and so many more for each point.
  LoopWork per_operation(const std::string& study, const std::string& kernel, const std::string& precision,
                         double points_in_row) const;
  bool empty() const { return loops_.empty(); }

 private:
  /// By points in a row; at 0 what holds for every length.
  using ByLength = std::map<double, LoopWork>;
  std::map<std::tuple<std::string, std::string, std::string>, ByLength> loops_;
};

}  // namespace parity::analysis
