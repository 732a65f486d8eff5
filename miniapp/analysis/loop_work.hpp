// SPDX-License-Identifier: BSD-3-Clause
// What an operation costs in the loops of a host's variants, counted in the machine code of a build: the part
// of a variant's model that only the compiler knows. variants/host_work.py makes the table.
#pragma once
#include <map>
#include <string>
#include <tuple>

namespace parity::analysis {

/// Instructions for each floating-point operation: divisions of integers, those of vectors, and all others;
/// all 0: not counted. Where nothing was executed but loops were looked at, all of a loop with vectors are
/// those of vectors.
struct LoopWork {
  double scalar = 0, vector = 0, division = 0;
  double all() const { return scalar + vector + division; }
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
