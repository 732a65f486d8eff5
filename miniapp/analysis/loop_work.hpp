// SPDX-License-Identifier: BSD-3-Clause
// What an operation costs in the loops of a host's variants, counted in the machine code of a build: the part
// of a variant's model that only the compiler knows. variants/host_work.py makes the table.
#pragma once
#include <map>
#include <string>
#include <tuple>

namespace parity::analysis {

/// Instructions for each floating-point operation, in loops without vectors and with them; both 0: not
/// counted.
struct LoopWork {
  double scalar = 0, vector = 0;
};

class LoopTable {
 public:
  /// Reads the CSV file of variants/host_work.py. Throws runtime::UsageError naming the line.
  static LoopTable read(const std::string& path);
  LoopWork per_operation(const std::string& study, const std::string& kernel,
                         const std::string& precision) const;
  bool empty() const { return loops_.empty(); }

 private:
  std::map<std::tuple<std::string, std::string, std::string>, LoopWork> loops_;
};

}  // namespace parity::analysis
