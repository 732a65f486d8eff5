// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a run: each is a start of the program. Rows of earlier ones wait in the file of records, or
// in a temporary one.
#pragma once
#include <memory>
#include <set>
#include <string>

#include "harness/records.hpp"
#include "harness/rounds.hpp"

namespace parity::commands {

class BlocksOfRun {
 public:
  /// Sets the number of this block in 'options'.
  explicit BlocksOfRun(harness::RunOptions& options);
  ~BlocksOfRun();
  BlocksOfRun(const BlocksOfRun&) = delete;
  BlocksOfRun& operator=(const BlocksOfRun&) = delete;

  bool is_first() const { return number_ == 1; }
  bool is_last() const { return number_ == count_; }
  int number() const { return number_; }  ///< of this one, from 1
  int count() const { return count_; }
  /// 'output': the file of records; where it is a stream or empty, rows are kept aside until the last block.
  /// 'energy': rows without joules are not there.
  void open(const std::string& output, harness::Existing existing, bool energy);
  harness::RecordFile& file() { return *file_; }
  const harness::RecordFile& file() const { return *file_; }
  /// Whether this block has nothing to do for the row.
  bool has(const std::string& row_key) const { return file_->has(row_key, number_, count_); }
  /// Rows that were finished before the first block.
  std::size_t kept() const { return kept_; }
  /// Whether the row was wrong before the first block.
  bool was_wrong(const std::string& row_key) const { return wrong_before_.count(row_key) > 0; }
  /// "start 2 of 5: ", for messages; nothing where there is only one.
  std::string text() const;
  /// When an earlier block wrote a line of progress into the log, on the host's clock; 0 in the first.
  double last_log_line() const { return last_log_line_; }
  /// Ends a block that is not the last one: main starts the program again.
  [[noreturn]] void start_next(double last_log_line = 0);

 private:
  int number_ = 1, count_ = 1;
  std::string temporary_;
  bool goes_on_ = false;
  std::size_t kept_ = 0, lines_before_ = 0;
  double last_log_line_ = 0;
  std::set<std::string> wrong_before_;
  std::unique_ptr<harness::RecordFile> file_;
};

}  // namespace parity::commands
