// SPDX-License-Identifier: BSD-3-Clause
// The one type of a measured row: what was run, by which run of the program, every sample, metrics, verdict;
// and of one that could not run. It knows no study; records are written and read by the same description of
// its fields.
#pragma once
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/parameters.hpp"
#include "harness/statistics.hpp"
#include "harness/variant.hpp"

namespace parity::harness {

/// Which way a metric is better.
enum class Better { neither, higher, lower };

struct Metric {
  std::string name;  ///< as in "throughput"
  double value = 0;
  std::string unit;  ///< "1" for shares and ratios
  Better better = Better::neither;
};

/// Identifies the run of the program that measured: rows of one run shared process, build, device and data.
struct RunIdentity {
  std::string id;  ///< begins with the run's time; of records without one, that and its environment's place
  std::string commit;
  bool modified = false;  ///< whether the sources differed from the commit
  std::string changes;    ///< a hash of what they differed in; of records before it was written, empty
  std::string build;      ///< compilers, Kokkos, CUDA
  std::string device;     ///< the GPU where the program can use one, else the processor
  std::string kokkos;     ///< its version, as in "4.6.01"; of records that do not say it, empty
  std::string host, job;  ///< machine; SLURM's job number, or empty
  /// "c0ffee", "c0ffee (modified, 1a2b3c4d5e6f)".
  std::string commit_text() const {
    if (!modified) return commit;
    return commit + (changes.empty() ? " (modified)" : " (modified, " + changes + ")");
  }
};

/// "nx=128,ny=128,...": the values in alphabetical order, without spaces.
std::string text_of(const Values& problem);

/// Joules of one row in one start of the program; such that were not counted are infinite (null in records).
struct Energy {
  static constexpr double none = std::numeric_limits<double>::infinity();

  int process = 1;
  std::string meter;         ///< "NVML", "RAPL"
  double runs = 0;           ///< in the window
  double seconds = 0;        ///< of the window
  double counted = none;     ///< joules of the window
  double idle_watts = none;  ///< before anything ran
  double joules = none;      ///< of one run
  std::string refused;       ///< why there are none
  bool known() const { return refused.empty() && joules < none; }
  /// Without what the device takes when nothing runs.
  double above_idle() const { return joules - idle_watts * seconds / runs; }
};

/// One variant on one problem. Times are in seconds.
struct Measurement {
  RunIdentity run;
  std::string place = {};  ///< "file: line 3: " of a row that was read, for messages
  std::string study;
  std::string variant;            ///< kernel and mechanism, as a user types them
  std::string kernel, mechanism;  ///< its two parts; the mechanism of plain launches is "stream"
  std::string tuning, tuning_axes;
  std::string twin;  ///< the kernel of the native twin, where there is one
  Family family = Family::reference;
  bool floor = false;  ///< it computes no steps: no baseline for the others
  Tier tier = Tier::first;
  Values problem;              ///< every parameter of the study
  double setup_seconds = 0;    ///< allocation
  double capture_seconds = 0;  ///< making and instantiating graphs
  double load_seconds = 0, store_seconds = 0;
  double first_seconds = 0;                ///< the first run, which also loads kernels: a cold start
  std::vector<int> processes;              ///< their numbers, from 1; each has a list of samples
  std::vector<std::string> process_names;  ///< what each of them ran in: no two are called the same
  ByProcess host_seconds;  ///< warm starts: steady clock around advance and synchronise; none for a wrong row
  /// How often others took a processor from this process during each sample of host_seconds; empty in older
  /// records.
  ByProcess preemptions;
  ByProcess device_seconds;    ///< the device's events around advance, of runs of their own; none on the host
  std::vector<Energy> energy;  ///< of each start that joules were asked of; empty otherwise
  std::string stop;            ///< why the samples ended: "repeats" or "time cap"
  CostModel model;
  std::vector<Metric> metrics;  ///< the first is the study's figure of merit; empty without samples
  Verdict verdict;

  /// The samples of host_seconds that count.
  ByProcess quiet_seconds() const { return quiet(host_seconds, preemptions); }
  Estimate host() const { return estimate(quiet_seconds()); }
  Estimate device() const { return estimate(device_seconds); }
  bool timed() const { return host().samples > 0; }
  /// Verified, and with a time to compare: a difference of times that was lost in noise has none.
  bool comparable() const { return verdict.passed() && host().value > 0; }
  /// Whether each start counted joules, or said why it cannot.
  bool has_energy() const { return timed() && energy.size() == processes.size(); }
  /// variant[/tuning], and the same with the study before it.
  std::string name() const { return variant + (tuning.empty() ? "" : "/" + tuning); }
  std::string full_name() const { return study + "/" + name(); }
  /// The metric's value; 'fallback' where the row has no such metric.
  double metric(const std::string& name, double fallback = 0) const;
  /// What a user waits for one result: setup, capture, load, the first run (a warm one where it is not
  /// known), store.
  double end_to_end_seconds() const {
    return setup_seconds + capture_seconds + load_seconds +
           (first_seconds > 0 ? first_seconds : host().value) + store_seconds;
  }

  /// A parameter of the problem. Throw runtime::UsageError where the row has none of that kind.
  double number(const std::string& parameter) const;
  std::int64_t integer(const std::string& parameter) const;
  std::string word(const std::string& parameter) const;
  std::string problem_text() const { return text_of(problem); }
};

/// A row that could not run in the processes that it names, and why. It has no samples.
struct SkippedRow {
  Measurement row;
  std::string reason;
};

/// Identifies a row for --resume and 'parity compare': study, variant, tuning and problem.
std::string key(const Measurement& row);

/// numerator's time over denominator's, of the processes that both ran in; and a's less b's, in seconds.
Estimate time_ratio(const Measurement& numerator, const Measurement& denominator);
Estimate time_difference(const Measurement& a, const Measurement& b);
/// The first row's time less those of the others, of the processes that all of them ran in, in seconds.
Estimate time_left(const Measurement& whole, const std::vector<const Measurement*>& parts);

/// One row of the processes of one run: every sample, the medians of all else, the worst verdict. In the
/// order of their numbers; of two with the same number the last, which was measured again. Needs at least
/// one.
Measurement merged(std::vector<Measurement> processes);

/// One of the processes of one run that a row was skipped in, with every reason once. Needs at least one.
SkippedRow merged(const std::vector<SkippedRow>& processes);
/// Without the processes in which the row has been measured; nothing where there is no other.
std::optional<SkippedRow> without_measured(SkippedRow skipped, const std::vector<int>& measured);

constexpr int record_schema = 4;

/// Everything, with statistics of the samples, for readers in other languages.
nlohmann::json to_json(const RunIdentity& run);
nlohmann::json to_json(const Measurement& row);
nlohmann::json to_json(const SkippedRow& skipped);

/// As a line of a file of records: samples, without what follows from them, from the names or from the header
/// of its run, which is 'header_run' for the lines below it.
nlohmann::json record_of(const Measurement& row, const std::string& header_run);
nlohmann::json record_of(const SkippedRow& skipped, const std::string& header_run);

/// Reads what to_json or record_of wrote, and schema 3. Throws runtime::UsageError naming the field, after
/// 'where'.
Measurement measurement_of(const nlohmann::json& record, const std::string& where);
SkippedRow skipped_of(const nlohmann::json& record, const std::string& where);
/// Throws runtime::UsageError, after 'where', for a record of a newer schema than this program's or of one
/// before 3; otherwise its number.
int schema_of(const nlohmann::json& record, const std::string& where);

}  // namespace parity::harness
