// SPDX-License-Identifier: BSD-3-Clause
// Measurements as JSON lines: one line a row, written with one call, locked against a second writer,
// resumable.
#pragma once
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "study/runner.hpp"
#include "study/statistics.hpp"
#include "study/verification.hpp"

namespace parity::study {

/// One measured variant on one problem.
struct Row {
  std::string study;
  std::string variant;            ///< kernel and mechanism, as a user types them
  std::string kernel, mechanism;  ///< its two parts
  std::string tuning;
  std::string twin;  ///< the kernel of the native twin, where there is one
  Family family = Family::reference;
  bool floor = false;  ///< it computes nothing: no baseline for the others
  nlohmann::json problem;
  double setup_seconds = 0;   ///< allocation
  double record_seconds = 0;  ///< capture and instantiation of a mechanism that records
  double load_seconds = 0, store_seconds = 0;
  Samples samples;
  CostModel model;
  double floor_bytes = 0;     ///< least traffic of an unblocked variant
  double copy_bandwidth = 0;  ///< bytes a second of a copy of the same fields, measured in this run
  double pairs = 0;           ///< ordered (query, sample) pairs of one advance; 0 outside the KDE study
  double pair_ceiling = 0;    ///< pairs a second that the exponential unit allows; 0 where unknown
  double yardstick = 0;  ///< seconds of a fixed piece of host arithmetic beside the measurement; 0: not taken
  double occupancy = 0;  ///< share of a multiprocessor's threads that can be resident; 0 where unknown
  Verdict verdict;

  Summary host() const { return summarise(samples.host_seconds); }
  std::string name() const { return variant + (tuning.empty() ? "" : "/" + tuning); }
  double pairs_per_second() const { return host().median > 0 ? pairs / host().median : 0; }
  /// Share of the unblocked bandwidth floor; above 1 where planes stay on chip.
  double floor_share() const;
  /// What a user waits for one filtered field: setup, recording, load, advance, store.
  double end_to_end_seconds() const {
    return setup_seconds + record_seconds + load_seconds + host().median + store_seconds;
  }
};

/// Identifies a row for --resume and 'parity compare': study, variant, tuning and problem.
std::string key(const Row& row);
std::string key(const nlohmann::json& record);

nlohmann::json to_json(const Row& row);

/// A file of records open for appending. Refuses a file that another run has open.
class RecordFile {
 public:
  /// With resume, an existing file is kept and an unfinished last line is cut off; without, an existing file
  /// is refused.
  RecordFile(const std::string& path, bool resume);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  bool has(const std::string& row_key) const { return finished_.count(row_key) > 0; }
  std::size_t finished() const { return finished_.size(); }
  /// Whether a finished row failed its verification.
  bool failed_before() const { return failed_before_; }
  /// Appends one line with one write and waits until it is on disk.
  void append(const nlohmann::json& record);

 private:
  std::string path_;
  int file_ = -1;
  std::set<std::string> finished_;
  bool failed_before_ = false;
};

/// Every complete record of a file, or of records.jsonl in the folder of a job's results. Throws UsageError
/// for a missing file or a damaged line (named by its number); an unfinished last line, as a killed run
/// leaves it, is passed over.
std::vector<nlohmann::json> read_records(const std::string& path);
/// Those of several files or folders, one after the other.
std::vector<nlohmann::json> read_records(const std::vector<std::string>& paths);

}  // namespace parity::study
