// SPDX-License-Identifier: BSD-3-Clause
// Files of records: JSON lines, one a measurement, an environment before those of each run; written with one
// call a line, locked against a second writer, resumable.
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/environment.hpp"
#include "harness/measurement.hpp"
#include "io/whole_file.hpp"

namespace parity::harness {

/// One line of a file.
struct RecordLine {
  std::string text;  ///< as it stands there, without the line's end
  std::optional<Measurement> measurement;
  std::optional<Environment> environment;
};

/// Every complete line of a file, or of records.jsonl in the folder of a job's results. Throws
/// runtime::UsageError for a missing file or a damaged line (named by its number); an unfinished last line,
/// as a killed run leaves it, is passed over.
std::vector<RecordLine> read_lines(const std::string& path);

/// What several files hold.
struct Records {
  std::vector<Environment> environments;
  std::vector<Measurement> measurements;
};
/// Throws runtime::UsageError as read_lines does, and where no file holds a measurement.
Records read_records(const std::vector<std::string>& paths);

/// A file of records open for appending. Refuses a file that another run has open.
class RecordFile {
 public:
  /// "-" is standard output, where there is nothing to resume, as in a pipe or a device. With resume, an
  /// existing file is kept and an unfinished last line is cut off; without, an existing file is refused.
  RecordFile(const std::string& path, bool resume);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  bool has(const std::string& row_key) const { return finished_.count(row_key) > 0; }
  std::size_t finished() const { return finished_.size(); }
  /// Whether a finished row failed its verification.
  bool failed_before() const { return failed_before_; }
  /// Append one line with one write and wait until it is on disk.
  void append(const Measurement& row);
  void append(const Environment& environment);

 private:
  void append_line(const nlohmann::json& record);

  std::string path_;
  int file_ = -1;
  std::unique_ptr<io::WholeFile> stream_;  ///< in place of a file: standard output, a pipe, a device
  std::int64_t written_ = 0;
  std::set<std::string> finished_;
  bool failed_before_ = false;
};

}  // namespace parity::harness
