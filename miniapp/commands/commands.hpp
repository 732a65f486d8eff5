// SPDX-License-Identifier: BSD-3-Clause
// The subcommands and their common parts: options, tables, output files.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "analysis/pairs.hpp"
#include "harness/measurement.hpp"
#include "harness/plan.hpp"
#include "harness/records.hpp"
#include "harness/study.hpp"
#include "io/atomic_file.hpp"

namespace parity::analysis {
struct DiffusionFindings;
struct WidthTable;
}  // namespace parity::analysis
namespace parity::commands {

using harness::Measurement;
using Action = std::function<int()>;  ///< returns an exit code
using Paths = std::vector<std::string>;

// Each function adds a command for a program's studies and returns its action.
Action add_list(CLI::App& app, const harness::Studies& studies);
Action add_new(CLI::App& app, const harness::Studies&);
Action add_show(CLI::App& app, const harness::Studies& studies);
/// parity NAME: one comparison of a study's variants from the command line.
Action add_study(CLI::App& app, const harness::Study& study, const harness::Studies& studies);
Action add_density(CLI::App& app, const harness::Studies&);
Action add_measure(CLI::App& app, const harness::Studies& studies);
Action add_filter(CLI::App& app, const harness::Studies&);
Action add_compare(CLI::App& app, const harness::Studies&);
Action add_findings(CLI::App& app, const harness::Studies&);
Action add_export(CLI::App& app, const harness::Studies&);
Action add_trace(CLI::App& app, const harness::Studies&);
/// Removes the "--" before the traced program: CLI11 would take the words after it for its own.
void drop_mark(const CLI::App& trace, std::vector<std::string>& words);
Action add_advise(CLI::App& app, const harness::Studies&);

// For CLI::Option::transform: refuse a word that is no number, in the option's words ("the share to take
// away, as in 0.9"), or outside least to most, NaN too. Whole numbers are decimal (CLI11 takes 010 for 8).
CLI::Validator number(const std::string& wanted);
CLI::Validator number_from(double least, double most);
CLI::Validator whole_from(std::int64_t least, std::int64_t most);

/// A study's whole-number parameter as the option of another command: its name, help and range. Throws
/// std::logic_error if the study has no parameter of that name.
CLI::Option* add_parameter(CLI::App* command, const harness::Study& study, const std::string& name,
                           std::int64_t& value);

/// One clear line for an error of CLI11; names an unknown command or option first, with the nearest. words:
/// the command line.
std::string explained(const CLI::App& app, const harness::Studies& studies, const CLI::ParseError& error,
                      std::vector<std::string> words);

/// Columns of the terminal on standard output, else of $COLUMNS, else 100.
std::size_t help_width();
/// Breaks lines wider than 'width' at blanks, or after commas within a word. Continuation lines begin under
/// the description, from 'column' on, or nearer to the edge of a narrow terminal.
std::string wrapped(const std::string& text, std::size_t width, std::size_t column);

/// Help wrapped to the width of the terminal.
class WrappedHelp : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

/// Empty if a row has no value in a column. A list is a list in JSON, and words separated by spaces in
/// CSV.
using Cell = std::variant<std::monostate, std::int64_t, double, bool, std::string, std::vector<std::string>>;

struct TableExport {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};
/// CSV with a header line, and cells quoted so that no spreadsheet splits them.
std::string csv_of(const TableExport& table_export);

/// The options --json and --csv of a command that prints tables.
struct ExportOptions {
  std::string json, csv;
  void add_to(CLI::App& command);
};

/// Output files, opened before the work: an unwritable name must not cost a finished measurement. They appear
/// whole or not at all. "-" is standard output: then the readable table goes to standard error.
class OutputFiles {
 public:
  OutputFiles(const std::string& json, const std::string& csv);
  /// inputs: files that the command reads. Throws like require_apart.
  explicit OutputFiles(const ExportOptions& options, const Paths& inputs = {});
  /// Writes the records of one run and, for --csv, the text of a table.
  void write(const harness::Records& records, const std::function<std::string()>& table = {});
  /// One table becomes a JSON list of objects, several become an object of such lists. CSV has the first.
  void write(const std::vector<TableExport>& exports);

 private:
  std::unique_ptr<io::AtomicFile> json_, csv_;
};

/// Writes a whole file, which then appears at once.
void write_text(const std::string& path, const std::string& text);

/// An output of a command; the name is empty if it was not requested.
struct Place {
  std::string option, name;
};
/// Throws runtime::UsageError if two outputs go to the same place, or if one would replace an input (a file,
/// or a folder of results).
void require_apart(const std::vector<Place>& outputs, const Paths& inputs = {});

/// The best tunings of one problem as a table for a plan or --tunings.
std::string best_tunings_text(const std::vector<Measurement>& rows);
/// A conclusion of an original work, as a table.
struct Conclusion {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};
std::vector<Conclusion> conclusions_of(const analysis::DiffusionFindings& found);
std::vector<Conclusion> conclusions_of(const analysis::WidthTable& widths);
/// The parameters in which the problems differ, with the values of 'one': "steps=10 precision=float".
std::string what_varies(const std::vector<const harness::Values*>& problems, const harness::Values& one);
/// Prints a table for a terminal: columns as wide as their contents, the first left-aligned.
void print_columns(const std::vector<std::string>& columns,
                   const std::vector<std::vector<std::string>>& rows);

/// Prints one line per result of one problem, with its first metric and baseline time / its time. If times
/// are the study's results, it prints what is wrong with them instead. verbose: every metric, and the checks.
void print_table(const harness::Study& study, const std::vector<Measurement>& rows,
                 const std::string& baseline, bool verbose);
/// Prints four cells per algorithm; verbose: also every pair. Prints nothing if no pair exists.
void print_pairs(const std::vector<Measurement>& rows, const std::vector<analysis::Pair>& pairs,
                 bool with_problem, bool verbose);
/// "0.97 [0.96, 0.98]"; without the interval if the machine was busy.
std::string ratio_text(const analysis::Pair& pair, int digits);
/// Prints a column for each version of Kokkos; nothing if there is one version.
void print_pairs_by_version(const std::vector<Measurement>& rows);
/// Results of one or several problems: parameters, times, metrics, the ratio to the baseline, the pair.
std::string to_csv(const harness::Studies& studies, const std::vector<Measurement>& rows,
                   const std::string& baseline);
/// True if other programs took its processors during most samples, and its processes disagree.
bool is_disturbed(const Measurement& row);
/// A result's time and interval; without the interval if the machine was busy.
std::string time_text(const Measurement& row);
/// A difference of times and its interval in the unit of the largest of them: "+1.7 ms [+1.66, +1.75]".
std::string difference_text(const harness::Estimate& seconds);
/// A result's time and first metric for one line of 'parity measure'.
std::string metric_text(const Measurement& row);
/// "NOT MEASURABLE here, the interval holds 0; " if noise hides the quantity, "UNRELIABLE: " if a check of
/// its time failed; otherwise empty.
std::string doubt_text(const Measurement& row);
/// True if a user's word names this result: variant or variant/tuning, with or without the study before it.
bool is_called(const std::string& asked, const std::string& study, const std::string& variant,
               const std::string& name);

/// The result of one run and problem that ratios refer to: the requested one, else the fastest native one
/// (openmp or cuda), else the fastest of all; null if there is none.
const Measurement* find_baseline(const std::vector<const Measurement*>& rows, const std::string& asked);
struct AgainstBaseline {
  const Measurement* baseline = nullptr;
  harness::Estimate ratio;  ///< baseline time / own time; empty if they never ran in one process
};
/// One per result, in their order; the results may be of any runs and problems. Valid as long as 'rows' is.
std::vector<AgainstBaseline> against_baselines(const std::vector<Measurement>& rows,
                                               const std::string& baseline);

/// True if readable tables show a metric: those with a direction, and shares.
bool is_shown(const harness::Metric& metric);
/// The metric's value as they show it: "12.34", "87 %".
std::string value_text(const harness::Metric& metric);

/// Collects the results that did not run, of all problems, by reason.
class Skipped {
 public:
  void add(const std::string& name, const std::string& reason);
  void add(const std::vector<harness::SkippedRow>& rows);
  int rows() const { return rows_; }
  /// Prints "  skipped NAMES: REASON", one line per reason; each name once, and at most 'most' of them.
  void print(const char* what = "skipped", std::size_t most = std::size_t(-1)) const;

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason_;
  int rows_ = 0;
};

/// Prints "  no joules of NAMES: REASON", one line per reason, for results that should have some.
void print_missing_joules(const std::vector<Measurement>& rows);

struct Request {
  std::string output = {};  ///< record file; if it is empty or a stream, results stay in memory until the end
  harness::Existing existing = harness::Existing::refuse;
  std::string json = {}, csv = {}, slice = {}, baseline = {};
  Paths inputs = {};  ///< files that are read; no output may replace them
  bool energy = false, quiet = false;
  bool tables = false;   ///< prints a table per problem instead of a line per result
  bool verbose = false;  ///< every column of the tables
  std::function<void(const std::vector<Measurement>&)> at_end = {};
};

/// Starts threads, GPU and Kokkos in this process. All ranks call it together; the parent of measuring
/// processes does not.
void start_computing();

/// Measures what the record file lacks, in child processes if there are to be several. All ranks call it
/// together; rank 0 writes, prints and decides. Returns an exit code.
int run_plan(harness::Plan plan, const Request& request);

constexpr const char* energy_help =
    "Count joules of each row too, where the device counts them: some seconds more a row and start, after "
    "idle power";

}  // namespace parity::commands
