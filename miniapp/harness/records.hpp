// SPDX-License-Identifier: BSD-3-Clause
// Record files (JSON Lines): one line per measurement or skipped result, after the environment of its run.
// Each line is written with one call; files are resumable and locked against a second writer.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/environment.hpp"
#include "harness/measurement.hpp"

namespace parity::harness {

struct RecordLine {
  std::string text;  ///< as in the file, without the line end
  std::optional<Measurement> measurement;
  std::optional<SkippedRow> skipped;
  std::optional<Environment> environment;
};

/// Lists differences that keep results of two processes apart: "commit a, not b; device c, not d". Empty if
/// there are none; the machine may be another one of the same kind.
std::string difference_of(const Environment& before, const Environment& now);

/// Reads one line; text_of returns its text without the line end. Text that is no JSON object stays text.
/// 'run' applies to a result that does not name its own run.
RecordLine read_line(const std::string& text, const RunIdentity& run);
std::string text_of(const RecordLine& line);

/// The path itself, or records.jsonl in it if it is the folder of a job's results.
std::string file_of_records(const std::string& path);

/// Reads every line of a file, or of records.jsonl in the folder of a job's results. Throws
/// runtime::UsageError for a missing file or a damaged line (named by its number). Skips an unfinished last
/// line, as a killed run leaves it, warns on standard error and adds the file to 'cut'.
std::vector<RecordLine> read_lines(const std::string& path, std::vector<std::string>* cut = nullptr);

struct Records {
  std::vector<Environment> environments;  ///< one per run
  std::vector<Measurement> measurements;  ///< each merged over its processes, in order of first appearance
  std::vector<SkippedRow> skipped;        ///< likewise, without processes in which the result was measured
  std::vector<std::string> cut;           ///< files whose last line is unfinished
};
/// Throws runtime::UsageError like read_lines, and if no file holds a measurement or, with
/// skipped_are_enough, a skipped result.
Records read_records(const std::vector<std::string>& paths, bool skipped_are_enough = false);

/// Treatment of records that a file already holds.
enum class Existing {
  refuse,
  resume,  ///< kept if they come from this commit, build and device
  mix      ///< kept regardless of their origin; the results of each run stay apart
};

/// A file of records open for appending. Refuses a file that another run has open.
class RecordFile {
 public:
  /// An empty path keeps records in memory. 'here' is the current environment. Cuts off an unfinished last
  /// line of a kept file and continues its run if commit, build and device match. If several runs match, as
  /// after 'export --records', each problem continues in its own run.
  RecordFile(const std::string& path, Existing existing, Environment here);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// From now on results without joules count as missing, so that joules are counted together with times.
  void want_energy() { energy_ = true; }
  /// True if process 'process' of 'processes' has nothing to measure: the file holds its result, another run
  /// has all processes, or the result is wrong.
  bool has(const std::string& row_key, int process, int processes) const;
  /// Number of results that are wrong or have all 'processes'.
  std::size_t finished(int processes) const;
  /// The result merged over its processes so far; nullopt if this run has none.
  std::optional<Measurement> row(const std::string& row_key) const;
  /// The current environment, with the identity of the run that it starts or continues.
  const Environment& environment() const { return here_; }
  bool has_no_row() const { return rows_.empty(); }
  /// Keys of this run's results that failed verification.
  const std::set<std::string>& wrong_rows() const { return wrong_; }
  /// Appends with one write and waits until it is on disk. A result goes to the run of its problem.
  void append(Measurement row);
  /// Writes the environment, unless the file has one of this run.
  void begin();
  /// Appends the skipped results that the file does not hold yet for their process and run.
  void append(const std::vector<SkippedRow>& skipped);
  /// The processes of the result's run that skipped it; nullopt if each of them measured it after all.
  std::optional<SkippedRow> skipped(const std::string& row_key) const;

 private:
  void append_lines(const std::vector<nlohmann::json>& records);
  bool says(const SkippedRow& skipped) const;
  bool is_finished(const std::string& row_key, int processes) const;

  void keep(const Measurement& row);
  void keep(const SkippedRow& skipped);
  void read_existing(Existing existing);
  const std::string& run_for(const std::string& row_key) const;

  std::string path_;
  int file_ = -1;
  std::map<std::string, std::map<std::string, std::vector<Measurement>>>
      rows_;  ///< one per process, by key and run
  std::map<std::string, std::map<std::string, std::vector<SkippedRow>>> skipped_;  ///< by key and run
  Environment here_;
  std::string header_run_;                             ///< run of the last environment in the file
  std::set<std::string> mine_;                         ///< runs with this commit, build and device
  std::map<std::string, std::string> run_of_problem_;  ///< each run is in mine_
  std::set<std::string> wrong_;                        ///< keys of wrong results in mine_
  bool has_environment_ = false, energy_ = false;
};

}  // namespace parity::harness
