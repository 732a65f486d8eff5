// SPDX-License-Identifier: BSD-3-Clause
// The processes of a run, each of which measures a block of every row. Rows of earlier ones wait in the file
// of records, or in memory.
#pragma once
#include <memory>
#include <set>
#include <string>

#include "harness/records.hpp"
#include "harness/rounds.hpp"
#include "runtime/processes.hpp"

namespace parity::commands {

class ProcessRepeats {
 public:
  /// Sets the number of this block in 'options', and one block where there can be no more.
  explicit ProcessRepeats(harness::RunOptions& options);

  bool is_first() const { return number() == 1; }
  bool is_last() const { return number() == count_; }
  int number() const { return shared_.number; }  ///< of this one, from 1
  int count() const { return count_; }
  /// 'output': the file of records; if it is a stream or empty, rows are kept aside until the last block.
  /// 'energy': rows without joules are not there.
  void open(const std::string& output, harness::Existing existing, bool energy);
  harness::RecordFile& file() { return *file_; }
  const harness::RecordFile& file() const { return *file_; }
  /// Whether this block has nothing to do for the row.
  bool has(const std::string& row_key) const { return file_->has(row_key, number(), count_); }
  /// Rows that were finished before the first block.
  std::size_t kept() const { return shared_.rows_kept; }
  /// Whether the row was wrong before the first block.
  bool was_wrong(const std::string& row_key) const { return wrong_before_.count(row_key) > 0; }
  /// "start 2 of 5: ", for messages; nothing where there is only one.
  std::string text() const;
  /// When an earlier block wrote a line of progress into the log, on the host's clock; 0 in the first.
  double last_log_line() const { return shared_.last_log_line; }
  /// Ends a block that is not the last one: the exit code after which the parent starts the next.
  int go_on(double last_log_line = 0);

 private:
  runtime::Repeats& shared_ = runtime::repeats();
  int count_ = 1;
  std::set<std::string> wrong_before_;
  std::unique_ptr<harness::RecordFile> file_;
};

}  // namespace parity::commands
