// SPDX-License-Identifier: BSD-3-Clause
// What an operation costs in the loops of a host's variants, counted in the machine code of a build: the part
// of a variant's model that only the compiler knows. variants/host_work.py makes the table.
#pragma once
#include <map>
#include <string>
#include <tuple>

namespace parity::analysis {

class LoopTable {
 public:
  /// Reads the CSV file of variants/host_work.py. Throws runtime::UsageError naming the line.
  static LoopTable read(const std::string& path);
  /// Instructions for each floating-point operation; 0 where they were not counted.
  double per_operation(const std::string& study, const std::string& kernel,
                       const std::string& precision) const;
  bool empty() const { return loops_.empty(); }

 private:
  std::map<std::tuple<std::string, std::string, std::string>, double> loops_;
};

}  // namespace parity::analysis
