// SPDX-License-Identifier: BSD-3-Clause
// Stages of the computation, their times and progress; --timings prints them.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/progress.hpp"

namespace parity::density {

class Stages {
 public:
  /// Ends the previous stage. A repeated name adds to its earlier time. Throws runtime::Interrupted after a
  /// signal.
  void begin(const std::string& name);
  /// The same; all stages and progress until end() belong to this stage.
  void begin_whole(const std::string& name);
  /// Shows on a terminal how much of this stage is done. Throws like begin.
  void reached(double done, double total, const char* unit);
  /// The same for the stage of begin_whole.
  void whole_reached(double done, double total, const char* unit);
  void end();
  /// One line per stage: its name, seconds, and share of the total.
  std::string table() const;

 private:
  void show(double done, double total, const char* unit);

  std::vector<std::pair<std::string, double>> seconds_;
  std::size_t current_ = 0;
  bool running_ = false, whole_ = false;
  double since_ = 0;
  std::unique_ptr<harness::Progress> progress_;
};

}  // namespace parity::density
