// SPDX-License-Identifier: BSD-3-Clause
// The type of a result: what was run, by which run of the program, every sample, metrics, verdict; and the
// type of a skipped result. Independent of studies. One description of the fields serves reading and writing.
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

/// The direction in which a metric is better.
enum class Better { neither, higher, lower };

struct Metric {
  std::string name;  ///< as in "throughput"
  double value = 0;
  std::string unit;  ///< "1" for shares and ratios
  Better better = Better::neither;
};

/// Identifies the run of the program that measured: results of one run share build, device and data.
struct RunIdentity {
  std::string id;  ///< begins with the run's time; without an id: time and position of the environment
  std::string commit;
  bool modified = false;  ///< true if the sources differed from the commit
  std::string changes;    ///< a hash of the differences; empty in older records
  std::string build;      ///< compilers, Kokkos, CUDA
  std::string device;     ///< the GPU if the program can use one, else the processor
  std::string kokkos;     ///< its version, as in "4.6.01"; empty if the record does not say it
  std::string host, job;  ///< machine; SLURM job number, or empty
  /// "c0ffee", "c0ffee (modified, 1a2b3c4d5e6f)".
  std::string commit_text() const {
    if (!modified) return commit;
    return commit + (changes.empty() ? " (modified)" : " (modified, " + changes + ")");
  }
};

/// "nx=128,ny=128,...": the values in alphabetical order, without spaces.
std::string text_of(const Values& problem);

/// Energy of one result in one process. Values that were not counted are infinite (null in records).
struct Energy {
  static constexpr double none = std::numeric_limits<double>::infinity();

  int process = 1;
  std::string meter;         ///< "NVML", "RAPL"
  double runs = 0;           ///< number in the window
  double seconds = 0;        ///< length of the window
  double counted = none;     ///< joules in the window
  double idle_watts = none;  ///< power before anything ran
  double joules = none;      ///< per run
  std::string refused;       ///< why nothing was counted
  bool known() const { return refused.empty() && joules < none; }
  /// Joules per run above the device's idle power.
  double above_idle() const { return joules - idle_watts * seconds / runs; }
};

/// One variant on one problem. Times are in seconds.
struct Measurement {
  RunIdentity run;
  std::string place = {};  ///< "file: line 3: " if the result was read, for messages
  std::string study;
  std::string variant;            ///< kernel and mechanism, as a user types them
  std::string kernel, mechanism;  ///< its two parts; the mechanism of plain launches is "stream"
  std::string tuning, tuning_axes;
  std::string twin;  ///< the kernel of the native twin, if there is one
  Family family = Family::reference;
  bool floor = false;  ///< computes no steps: no baseline for the others
  Tier tier = Tier::first;
  Values problem;              ///< every parameter of the study
  double setup_seconds = 0;    ///< allocation
  double capture_seconds = 0;  ///< making and instantiating graphs
  double load_seconds = 0, store_seconds = 0;
  double first_seconds = 0;                ///< the first run, which also loads kernels: a cold start
  std::vector<int> processes;              ///< process numbers, from 1; each has a list of samples
  std::vector<std::string> process_names;  ///< unique names of the processes
  ByProcess host_seconds;  ///< warm runs: steady clock around advance and synchronise; empty if wrong
  /// Number of times that the process was preempted during each sample of host_seconds; empty in older
  /// records.
  ByProcess preemptions;
  ByProcess device_seconds;    ///< the device's events around advance, in separate runs; empty on the host
  std::vector<Energy> energy;  ///< one per process that should count joules; empty otherwise
  std::string stop;            ///< why the samples ended: "repeats" or "time cap"
  CostModel model;
  std::vector<Metric> metrics;  ///< the first is the study's figure of merit; empty without samples
  Verdict verdict;

  /// The samples of host_seconds that count.
  ByProcess quiet_seconds() const { return quiet(host_seconds, preemptions); }
  Estimate host() const { return estimate(quiet_seconds()); }
  Estimate device() const { return estimate(device_seconds); }
  bool timed() const { return host().samples > 0; }
  /// Verified, and with a positive time to compare: a difference of times lost in noise has none.
  bool comparable() const { return verdict.passed() && host().value > 0; }
  /// True if each process counted joules, or recorded why it cannot.
  bool has_energy() const { return timed() && energy.size() == processes.size(); }
  /// variant[/tuning]; full_name puts the study before it.
  std::string name() const { return variant + (tuning.empty() ? "" : "/" + tuning); }
  std::string full_name() const { return study + "/" + name(); }
  /// The metric's value; 'fallback' if the result has no such metric.
  double metric(const std::string& name, double fallback = 0) const;
  /// Time that a user waits for one result: setup, capture, load, the first run (a warm one if it is
  /// unknown), store.
  double end_to_end_seconds() const {
    return setup_seconds + capture_seconds + load_seconds +
           (first_seconds > 0 ? first_seconds : host().value) + store_seconds;
  }

  /// A parameter of the problem. Throw runtime::UsageError if there is none of that kind.
  double number(const std::string& parameter) const;
  std::int64_t integer(const std::string& parameter) const;
  std::string word(const std::string& parameter) const;
  std::string problem_text() const { return text_of(problem); }
};

/// A result that could not run in the processes that it lists, and why. It has no samples.
struct SkippedRow {
  Measurement row;
  std::string reason;
};

/// Identifies a result for --resume and 'parity compare': study, variant, tuning and problem.
std::string key(const Measurement& row);

/// Time of numerator over denominator, and time of a less that of b in seconds, in the processes that both
/// ran in.
Estimate time_ratio(const Measurement& numerator, const Measurement& denominator);
Estimate time_difference(const Measurement& a, const Measurement& b);
/// The time of 'whole' less the times of 'parts', in the processes that all of them ran in, in seconds.
Estimate time_left(const Measurement& whole, const std::vector<const Measurement*>& parts);

/// Merges the processes of one run: every sample, the medians of all else, the worst verdict. Sorted by
/// process number; the last of two with the same number counts, which was measured again. Needs at least one.
Measurement merged(std::vector<Measurement> processes);

/// Merges the processes of one run that skipped a result; each reason occurs once. Needs at least one.
SkippedRow merged(const std::vector<SkippedRow>& processes);
/// Removes the processes that measured the result; nullopt if none is left.
std::optional<SkippedRow> without_measured(SkippedRow skipped, const std::vector<int>& measured);

constexpr int record_schema = 4;

/// All fields, with statistics of the samples, for readers in other languages.
nlohmann::json to_json(const RunIdentity& run);
nlohmann::json to_json(const Measurement& row);
nlohmann::json to_json(const SkippedRow& skipped);

/// A line of a record file: samples, without what follows from them, from the names or from the header above.
/// 'header_run' is that header's run.
nlohmann::json record_of(const Measurement& row, const std::string& header_run);
nlohmann::json record_of(const SkippedRow& skipped, const std::string& header_run);

/// Reads the output of to_json or record_of, and schema 3. Throws runtime::UsageError naming the field, after
/// 'where'.
Measurement measurement_of(const nlohmann::json& record, const std::string& where);
SkippedRow skipped_of(const nlohmann::json& record, const std::string& where);
/// Returns the schema number of a record. Throws runtime::UsageError, after 'where', if it is newer than this
/// program's or below 3.
int schema_of(const nlohmann::json& record, const std::string& where);

}  // namespace parity::harness
