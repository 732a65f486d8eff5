// SPDX-License-Identifier: BSD-3-Clause
// What a density is doing, for how long, and how far it is: the stages that --timings prints.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/progress.hpp"

namespace parity::density {

class Stages {
 public:
  /// Ends the stage before; a name that comes again adds to its time. Throws runtime::Interrupted once a
  /// signal has arrived.
  void begin(const std::string& name);
  /// The same, and what begins and reaches until end() belongs to it.
  void begin_whole(const std::string& name);
  /// How much of this stage is done, of what: shown on a terminal. Throws as begin does.
  void reached(double done, double total, const char* unit);
  /// The same of what begin_whole began.
  void whole_reached(double done, double total, const char* unit);
  void end();
  /// One line a stage: its name, seconds, and share of all.
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
