// SPDX-License-Identifier: BSD-3-Clause
// Files of records: JSON lines, one a measurement or a row that could not run, an environment before those of
// each run; written with one call a line, locked against a second writer, resumable.
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
  std::string text;  ///< as it stands there, without the line's end
  std::optional<Measurement> measurement;
  std::optional<SkippedRow> skipped;
  std::optional<Environment> environment;
};

/// "commit a, not b; device c, not d": in what must be the same for rows to be one, of several processes.
/// Empty where it is; the machine may be another of its kind.
std::string difference_of(const Environment& before, const Environment& now);

/// One line, and a line's text without its end. What is no JSON object stays text. run: of a row that does
/// not say its own.
RecordLine read_line(const std::string& text, const RunIdentity& run);
std::string text_of(const RecordLine& line);

/// The file itself, or records.jsonl in the folder of a job's results.
std::string file_of_records(const std::string& path);

/// Every line of a file, or of records.jsonl in the folder of a job's results. Throws runtime::UsageError for
/// a missing file or a damaged line (named by its number). An unfinished last line, as a killed run leaves
/// it, is not read: standard error says so, and 'cut' gets the file.
std::vector<RecordLine> read_lines(const std::string& path, std::vector<std::string>* cut = nullptr);

struct Records {
  std::vector<Environment> environments;  ///< one a run
  std::vector<Measurement>
      measurements;                 ///< a row's of several processes merged, in the order of the first ones
  std::vector<SkippedRow> skipped;  ///< likewise, of processes in which the row was not measured
  std::vector<std::string> cut;     ///< files whose last line is unfinished
};
/// Throws runtime::UsageError as read_lines does, and where no file holds a measurement, or even a skipped
/// row where those are enough.
Records read_records(const std::vector<std::string>& paths, bool skipped_are_enough = false);

/// What is done with records that a file holds already.
enum class Existing {
  refuse,
  resume,  ///< kept if they come from this commit, build and device
  mix      ///< kept whatever they come from: the rows of each run stay apart
};

/// A file of records open for appending. Refuses a file that another run has open.
class RecordFile {
 public:
  /// Without a path records are in memory. here: what measures now. Of a file that is kept an unfinished last
  /// line is cut off, and its run goes on if it has one of this commit, build and device: of several, as
  /// 'export --records' joins them, with each problem in the run that has it.
  RecordFile(const std::string& path, Existing existing, Environment here);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// From now on a row without joules is not there, so that they are counted with its times.
  void want_energy() { energy_ = true; }
  /// Whether there is nothing to measure for process 'process' of 'processes': it is there, or another run
  /// has all of them, or the row is wrong.
  bool has(const std::string& row_key, int process, int processes) const;
  /// Rows that are wrong or have so many processes.
  std::size_t finished(int processes) const;
  /// The row with all its processes so far; nothing where there is none of this run.
  std::optional<Measurement> row(const std::string& row_key) const;
  /// What measures now, as the run that it is or goes on with.
  const Environment& environment() const { return here_; }
  bool has_no_row() const { return rows_.empty(); }
  /// Keys of the rows of this run that failed their verification.
  const std::set<std::string>& wrong_rows() const { return wrong_; }
  /// Append with one write and wait until it is on disk. A row goes to the run of its problem.
  void append(Measurement row);
  /// The environment, unless the file has one of this run.
  void begin();
  /// Those that the file does not say already of their start and run.
  void append(const std::vector<SkippedRow>& skipped);
  /// The processes of the row's run that it was skipped in; nothing where each of them was measured after
  /// all.
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
      rows_;  ///< processes, by key and run
  std::map<std::string, std::map<std::string, std::vector<SkippedRow>>> skipped_;  ///< by key and run
  Environment here_;
  std::string header_run_;                             ///< of the last environment in the file
  std::set<std::string> mine_;                         ///< runs of this commit, build and device
  std::map<std::string, std::string> run_of_problem_;  ///< one of mine_
  std::set<std::string> wrong_;                        ///< keys of mine_
  bool has_environment_ = false, energy_ = false;
};

}  // namespace parity::harness
