// SPDX-License-Identifier: BSD-3-Clause
// What stands beneath the rows of a run: which were skipped and why, which are noisy or unreliable, what it
// ran on.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::commands {

/// Rows that did not run, of all problems, by reason.
class Skipped {
 public:
  void add(const std::string& name, const std::string& reason);
  void add(const std::vector<harness::SkippedRow>& rows);
  int rows() const { return rows_; }
  /// "  skipped NAMES: REASON", a line a reason; each name once.
  void print() const;

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason_;
  int rows_ = 0;
};

/// "  no joules of NAMES: REASON", a line a reason, of rows that were asked for some.
void print_missing_joules(const std::vector<harness::Measurement>& rows);

/// Counts the rows whose processes disagree, and those that lack some; names those whose time is unreliable.
class Caveats {
 public:
  void add(const harness::Measurement& row);
  /// How many starts every row should have.
  void expect(int starts) { expected_ = std::size_t(starts); }
  /// One line that counts noisy rows and names threads, binding and load, or says that there are no
  /// intervals;
  /// "" where all is well.
  std::string noise() const;
  /// One line that names the rows whose time is unreliable; "" where there are none.
  std::string unreliable() const;
  /// One line that counts the rows that have fewer starts than others or than expected; "" where there are
  /// none.
  std::string missing_starts() const;

 private:
  int rows_ = 0, noisy_ = 0, without_interval_ = 0;
  std::vector<std::string> unreliable_;
  std::size_t expected_ = 0;
  std::map<std::size_t, int> by_starts_;
};

/// The machine's line, after those of rows that are noisy, unreliable or lack starts.
void print_caveats(const Caveats& caveats);

}  // namespace parity::commands
