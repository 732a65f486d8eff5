// SPDX-License-Identifier: BSD-3-Clause
// Runs one plan in its processes: each measures and reports records; one collects, writes and prints them.
// With one process both are the same.
#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "commands/commands.hpp"
#include "harness/energy.hpp"
#include "harness/environment.hpp"
#include "harness/measure.hpp"
#include "harness/progress.hpp"
#include "harness/records.hpp"
#include "runtime/clock.hpp"
#include "runtime/error.hpp"
#include "runtime/messages.hpp"
#include "runtime/processes.hpp"
#include "runtime/program.hpp"
#include "runtime/signals.hpp"
#include "runtime/text.hpp"

namespace parity::commands {
namespace {

using harness::Choice;
using harness::Task;

constexpr double seconds_of_a_log_line = 60;

using harness::RecordLine;

/// Reports to the collector and returns its answer. A line is a record, or words: "can 01 111" (which choices
/// of each problem can run; the answer says which to measure, in which order), "begin K", "note SHARE WHAT"
/// or "end K" for the K-th problem.
using Tell = std::function<std::string(RecordLine)>;

RecordLine words(std::string text) { return {std::move(text), {}, {}, {}}; }

/// The joule counter of this process; null if joules are not wanted. Throws before anything is measured or
/// written if the study has no results with joules, under mpirun, and if nothing counts joules here.
std::unique_ptr<harness::EnergyProbe> energy_probe(bool wanted, const harness::Studies& studies) {
  if (!wanted) return nullptr;
  for (const harness::Study* s : studies)
    if (s->about().times_are_results)
      throw runtime::UsageError(
          fmt::format("--energy: {} measures calls, which have no joules of their own; omit it", s->name()));
  if (runtime::several_ranks())
    throw runtime::UsageError(
        "--energy counts one process's joules: start it without mpirun or srun, or omit it");
  return std::make_unique<harness::EnergyProbe>(harness::energy_meters());
}

void print_row(const harness::Study& study, const Task& task, const Measurement& row) {
  const auto say = [](const std::string& line) { fmt::print("{}\n", wrapped(line, 100, 4)); };
  if (row.verdict.passed())
    say(fmt::format(
        "{:<26} {:<26} {}, {}{}", task.text(), row.name(), metric_text(row),
        study.about().times_are_results ? doubt_text(row) : "",
        row.verdict.caveat.empty() ? fmt::format("error {:.0e}", row.verdict.error) : row.verdict.caveat));
  else
    say(fmt::format("{:<26} {:<26} WRONG: error {:.1e}, tolerance {:.0e}", task.text(), row.name(),
                    row.verdict.error, row.verdict.tolerance));
  std::fflush(stdout);
}

/// ": what one more launch adds", if a word of the problem has such a meaning.
std::string meaning_of(const harness::Study& study, const Task& task) {
  const harness::Values values = task.values();
  for (const harness::Parameter& p : study.parameters())
    for (std::size_t w = 0; w < p.meanings.size(); ++w)
      if (const auto v = values.find(p.name); v != values.end() && v->second == harness::Value(p.words[w]))
        return ": " + p.meanings[w];
  return "";
}

/// Counts results whose processes disagree and those that lack some; names those whose time is unreliable.
class Caveats {
 public:
  void add(const Measurement& row) {
    if (!row.timed() || !row.verdict.passed()) return;
    ++rows_;
    ++by_processes_[row.processes.size()];
    const harness::Estimate time = row.host();
    const auto [preempted, known] = harness::preempted(row.preemptions);
    preempted_ += preempted, samples_ += known;
    noisy_ += time.noisy(), without_interval_ += !time.interval;
    std::string name = row.name();
    if (row.problem.count("quantity") > 0) name += " " + row.word("quantity");
    if (row.verdict.caveat.empty()) return;
    if (std::find(unreliable_.begin(), unreliable_.end(), name) == unreliable_.end())
      unreliable_.push_back(std::move(name));
  }
  /// processes: the number that every result should have.
  void print(int processes, const harness::Environment& environment) const {
    for (const std::string& text : {missing_processes(std::size_t(processes)), noise(), unreliable()})
      if (!text.empty()) fmt::print("{}\n", wrapped(text, 100, 2));
    fmt::print("{}\n", wrapped("ran on " + harness::machine_text(environment), 100, 2));
  }

 private:
  // Each returns one line, or "" if all is well.
  std::string noise() const {
    if (rows_ > 0 && without_interval_ == rows_)
      return fmt::format("no 95 % intervals: they need {} starts of the program (--starts, --repeats)",
                         harness::least_processes);
    if (noisy_ == 0) return "";
    double load = 0;
    const bool known = getloadavg(&load, 1) == 1;
    return fmt::format(
        "noise: {} of {} results vary by over {:g} %; {:.0f} % of the samples preempted; load {} on {} cores",
        noisy_, rows_, 100 * harness::noisy_spread, samples_ > 0 ? 100.0 * preempted_ / samples_ : 0,
        known ? fmt::format("{:.1f}", load) : "unknown", omp_get_num_procs());
  }
  std::string unreliable() const {
    if (unreliable_.empty()) return "";
    return fmt::format("unreliable, because a check of the time failed three times: {}",
                       fmt::join(unreliable_, ", "));
  }
  std::string missing_processes(std::size_t expected) const {
    if (by_processes_.empty()) return "";
    const std::size_t all = std::max(expected, by_processes_.rbegin()->first);
    const auto complete = by_processes_.find(all);
    const int fewer = rows_ - (complete == by_processes_.end() ? 0 : complete->second);
    if (fewer == 0) return "";
    return fmt::format(
        "{} of {} row{} {} samples of fewer than {} starts: in the others a check refused it, or it did not "
        "run",
        fewer, rows_, rows_ == 1 ? "" : "s", fewer == 1 ? "has" : "have", all);
  }
  std::map<std::size_t, int> by_processes_;
  int rows_ = 0, without_interval_ = 0, noisy_ = 0, preempted_ = 0, samples_ = 0;
  std::vector<std::string> unreliable_;
};

/// Seconds between notes. A note that nobody sees would only disturb the measurement.
double seconds_between_notes(const Request& request) {
  if (!request.quiet && isatty(STDERR_FILENO)) return 0.1;
  return request.quiet || request.tables ? std::numeric_limits<double>::infinity() : 1;
}

/// Measures the number-th process's share of every result. All ranks call it together; rank 0 reports.
void measure(harness::Plan& plan, const Request& request, int number, const Tell& tell) {
  for (const harness::Case& c : plan.cases) harness::require_memory(*c.task, c.choices);
  const auto energy = energy_probe(request.energy, plan.studies());
  plan.options.energy = energy.get();
  plan.options.process = number;
  const bool leads = runtime::rank_info().rank == 0;
  const auto say = [&](RecordLine line) {
    runtime::abort_all_on_error([&] {
      if (leads) tell(std::move(line));
    });
  };
  std::string can = "can", orders;
  for (const harness::Case& c : plan.cases) {
    can += ' ';
    for (const Choice& choice : c.choices) can += c.task->why_not(choice) ? '0' : '1';
  }
  runtime::collective_or_throw([&] {
    if (!leads) return;
    tell({"", {}, {}, harness::this_environment(request.slice)});
    orders = tell(words(can));
  });
  const auto order =
      nlohmann::json::parse(runtime::broadcast(orders)).get<std::vector<std::vector<std::size_t>>>();
  const double patience = seconds_between_notes(request);
  double last_note = -patience;
  for (std::size_t k = 0; k < plan.cases.size(); ++k) {
    const harness::Case& c = plan.cases[k];
    say(words(fmt::format("begin {}", k)));
    std::vector<Choice> choices;
    for (const std::size_t index : order.at(k)) choices.push_back(c.choices.at(index));
    const double notes =
        double(choices.size()) * double(plan.options.repeats_in_process() + 2 + request.energy);
    double noted = 0;
    const harness::Measured m = harness::measure(
        *c.task, choices, plan.options,
        [&](const std::string& what) {
          const double share = std::min(1.0, noted++ / notes), now = runtime::host_seconds();
          if (!leads || now - last_note < patience) return;
          last_note = now;
          tell(words(fmt::format("note {} {}", share, what)));
        },
        [&](const Measurement& row) {
          say({"", row, {}, {}});
        });
    for (const harness::SkippedRow& skipped : m.skipped) say({"", {}, skipped, {}});
    say(words(fmt::format("end {}", k)));
  }
}

/// Inputs must be regular files, because every process reads them anew.
void require_files(const Paths& inputs) {
  for (const std::string& input : inputs)
    if (!input.empty() && !std::filesystem::is_regular_file(input))
      throw runtime::UsageError(fmt::format(
          "{}: is no regular file, and every start of the program reads it; give a file, or --starts 1",
          runtime::shown(input, 4096)));
}

constexpr const char* plan_changed = "the plan or its tunings changed while they were measured; start again";

/// Receives the results of the processes, one after the other; writes records and files, prints results,
/// tables and progress.
class Collector {
 public:
  Collector(const harness::Plan& plan, const Request& request, int processes)
      : plan_(plan), request_(request), processes_(processes) {
    for (const harness::Case& c : plan.cases) {
      Problem p{&c, request.tables ? c.study->name() + " " + c.task->text() : c.task->text()};
      for (const Choice& choice : c.choices) p.keys.push_back(key(harness::blank_row(*c.task, choice)));
      problems_.push_back(std::move(p));
    }
  }

  /// Returns the answer to a line from the current process.
  std::string hear(RecordLine line) {
    if (line.environment) {
      if (!file_)
        open_files(*line.environment);
      else if (const auto other = harness::difference_of(file_->environment(), *line.environment);
               !other.empty())
        throw runtime::UsageError(fmt::format(
            "start {} would measure with {}: the machine changed during the run; --resume goes on with it",
            number_, other));
    } else if (line.measurement) {
      add(std::move(*line.measurement));
    } else if (line.skipped) {
      problem().skipped.push_back(std::move(*line.skipped));
    } else {
      std::istringstream rest(line.text);
      std::string what;
      rest >> what;
      if (what == "can") return orders(rest);
      if (what == "begin") rest >> at_, begin();
      if (what == "note") note(rest);
      if (what == "end") end();
    }
    return "";
  }

  /// Moves on to the next process; false if no other has to measure.
  bool goes_on() {
    if (is_last() || file_->has_no_row()) return false;
    ++number_;
    skipped_ = {};
    return true;
  }

  /// Called before a message on standard error.
  void clear_line() {
    if (progress_) progress_->clear();
  }

  int finish() {
    const bool verbose = request_.verbose || !request_.tables;
    skipped_.print("skipped", verbose ? std::size_t(-1) : 3);
    if (request_.tables && file_->has_no_row())
      throw runtime::CannotRunError("none of the variants can run here, for the reasons above");
    print_missing_joules(rows_);
    std::set<std::string> alone, paired;
    for (const harness::Case& c : plan_.cases)
      for (const Choice& choice : c.choices)
        if (choice.entry->family == harness::Family::kokkos && !choice.entry->algorithm.empty())
          (choice.entry->twin.empty() ? alone : paired).insert(choice.entry->algorithm);
    if (!alone.empty() && paired.empty())
      fmt::print("{} has no native version to compare with here: times only, no ratio\n",
                 fmt::join(alone, ", "));
    if (!request_.tables) {
      fmt::print("{} rows measured, {} kept from before, {} skipped: {}\n", rows_.size(), kept_,
                 skipped_.rows(),
                 request_.output == "-" ? "standard output" : runtime::shown(request_.output, 4096));
      if (rows_.size() + kept_ == 0)
        throw runtime::CannotRunError("nothing of this plan can run here, for the reasons above");
    }
    if (!rows_.empty()) caveats_.print(processes_, file_->environment());
    if (request_.at_end) request_.at_end(rows_);  // last, so that a plan can end with text to copy
    const harness::Records all{{file_->environment()}, rows_, all_skipped_, {}};
    files_->write(all, [&] { return to_csv(plan_.studies(), rows_, request_.baseline); });
    if (stream_) stream_->write(all);
    return file_->wrong_rows().empty() ? runtime::exit_ok : runtime::exit_check_failed;
  }

 private:
  struct Problem {
    const harness::Case* plan;
    std::string title;
    std::vector<std::string> keys = {};   ///< of each choice
    std::vector<std::size_t> order = {};  ///< choices that the current process measures
    double expected = 0;                  ///< results that this adds, as far as is known before
    std::vector<harness::SkippedRow> skipped = {};
  };

  bool is_last() const { return number_ == processes_; }
  Problem& problem() { return problems_.at(at_); }
  const Task& task() { return *problem().plan->task; }
  const harness::Study& study() { return *problem().plan->study; }

  /// Opens the files before anything is measured: an unwritable name must not cost a measurement.
  void open_files(const harness::Environment& environment) {
    const bool in_memory = request_.output.empty() || io::is_stream(request_.output);
    require_apart({{"--output", request_.output}, {"--json", request_.json}, {"--csv", request_.csv}},
                  request_.inputs);
    files_ = std::make_unique<OutputFiles>(request_.json, request_.csv);
    if (in_memory) stream_ = std::make_unique<OutputFiles>(request_.output, "");
    if (in_memory && request_.existing != harness::Existing::refuse)
      throw runtime::UsageError(fmt::format(
          "--resume needs a file of records, and {} is none; give --output one", request_.output));
    file_ = std::make_unique<harness::RecordFile>(in_memory ? "" : request_.output, request_.existing,
                                                  environment);
    if (request_.energy) file_->want_energy();
    kept_ = file_->finished(processes_);
    progress_ = std::make_unique<harness::Progress>(0, "rows", request_.quiet);
    if (!request_.tables) progress_->log_every(seconds_of_a_log_line);
    say_what_stays();
  }

  void say_what_stays() const {
    if (request_.tables) {
      const std::string files =
          request_.json.empty() && request_.csv.empty() ? "" : "; --json and --csv were not written";
      return runtime::say_when_stopped(
          tables_ == 0
              ? "no problem was finished" + files
              : fmt::format("the tables of {} of {} problems are above{}", tables_, problems_.size(), files));
    }
    if (io::is_stream(request_.output)) return runtime::say_when_stopped("no row is written");
    runtime::say_when_stopped(
        fmt::format("{} finished rows{} are kept in {}, --resume runs the rest", kept_ + said_.size(),
                    processes_ == 1 ? "" : " and what others have so far", request_.output));
  }

  /// The choices that the current process measures. The variant that goes first changes from problem to
  /// problem and from process to process.
  std::string orders(std::istream& can_run) {
    nlohmann::json all = nlohmann::json::array();
    double expected = 0;
    for (std::size_t k = 0; k < problems_.size(); ++k) {
      Problem& p = problems_[k];
      p.order.clear(), p.expected = 0;
      std::string can;
      can_run >> can;
      if (can.size() != p.keys.size()) throw runtime::UsageError(plan_changed);
      for (std::size_t c = 0; c < p.keys.size(); ++c) {
        if (file_->has(p.keys[c], number_, processes_)) continue;
        p.order.push_back(c);
        // A result that an earlier process skipped will be skipped again.
        p.expected += can.at(c) == '1' && !file_->skipped(p.keys[c]);
      }
      if (!p.order.empty())
        std::rotate(p.order.begin(),
                    p.order.begin() + std::ptrdiff_t((k + std::size_t(number_) - 1) % p.order.size()),
                    p.order.end());
      all.push_back(p.order);
      expected += p.expected;
    }
    progress_->expect(done_ + expected * (processes_ - number_ + 1));
    return all.dump();
  }

  void begin() {
    if (!problem().order.empty()) file_->begin();
    if (!request_.tables || !is_last() || study().about().times_are_results) return;
    progress_->clear();
    fmt::print("{}\n", problem().title);
    std::fflush(stdout);
  }

  void note(std::istream& words) {
    double share = 0;
    std::string what;
    words >> share >> std::ws;
    std::getline(words, what);
    const std::string process = processes_ == 1 ? "" : fmt::format("start {} of {}: ", number_, processes_);
    progress_->update(done_ + problem().expected * share, process + problem().title + " " + what);
  }

  void add(Measurement row) {
    const std::string row_key = key(row);
    if (std::count(problem().keys.begin(), problem().keys.end(), row_key) == 0)
      throw runtime::UsageError(plan_changed);
    const bool right = row.verdict.passed();
    file_->append(std::move(row));
    added_.insert(row_key);
    if (is_last() || !right) finished(row_key, *file_->row(row_key));
  }

  void finished(const std::string& row_key, const Measurement& row) {
    if (!said_.insert(row_key).second) return;
    say_what_stays();
    progress_->clear();
    if (!request_.tables) print_row(study(), task(), row);
  }

  void end() {
    Problem& p = problem();
    file_->append(p.skipped);
    skipped_.add(p.skipped);
    p.skipped.clear();
    done_ += p.expected;
    progress_->clear();
    if (is_last()) collect();
  }

  void collect() {
    const Problem& p = problem();
    // A table follows the plan's order, a file of results the order of measurement. The current process did
    // not measure results that turned out wrong in an earlier one.
    std::vector<std::size_t> order = p.order;
    for (std::size_t c = 0; c < p.keys.size(); ++c)
      if (std::count(order.begin(), order.end(), c) == 0 && added_.count(p.keys[c]) > 0) order.push_back(c);
    if (request_.tables) std::sort(order.begin(), order.end());
    std::vector<Measurement> rows;
    for (const std::size_t c : order) {
      if (auto s = file_->skipped(p.keys[c])) all_skipped_.push_back(std::move(*s));
      if (auto row = file_->row(p.keys[c])) rows.push_back(std::move(*row));
    }
    for (const Measurement& row : rows) finished(key(row), row), caveats_.add(row);
    if (request_.tables) {
      if (study().about().times_are_results && !rows.empty())
        fmt::print("{}\n", wrapped(p.title + meaning_of(study(), task()), 100, 4));
      if (!rows.empty()) {
        print_pairs(rows, analysis::pairs_of(rows), false, request_.verbose);
        print_table(study(), rows, request_.baseline, request_.verbose);
      }
      std::fflush(stdout);
      ++tables_;
      say_what_stays();
    }
    rows_.insert(rows_.end(), rows.begin(), rows.end());
  }

  const harness::Plan& plan_;
  const Request& request_;
  const int processes_;
  int number_ = 1;      ///< of the current process
  std::size_t at_ = 0;  ///< its problem
  std::vector<Problem> problems_;
  std::unique_ptr<OutputFiles> files_, stream_;
  std::unique_ptr<harness::RecordFile> file_;
  std::unique_ptr<harness::Progress> progress_;
  std::set<std::string> added_;                   ///< keys of results that got a process in this run
  std::set<std::string> said_;                    ///< keys of results that became final in this run
  std::vector<Measurement> rows_;                 ///< that are final
  std::vector<harness::SkippedRow> all_skipped_;  ///< of all processes
  std::size_t kept_ = 0, tables_ = 0;
  double done_ = 0;  ///< results of all processes, as far as was known before
  Skipped skipped_;  ///< in the current process
  Caveats caveats_;
};

}  // namespace

int run_plan(harness::Plan plan, const Request& request) {
  if (const int number = runtime::child_number(); number > 0) {
    start_computing();
    measure(plan, request, number,
            [](const RecordLine& line) { return runtime::ask_parent(harness::text_of(line)); });
    return runtime::exit_ok;
  }
  // MPI does not let a rank start processes. A single process measures in this one, so that debuggers and
  // profilers find the measurement in the process that they started.
  if (runtime::several_ranks() || plan.cases.empty()) plan.options.processes = 1;
  const int processes = plan.options.processes_needed();
  Collector collector(plan, request, processes);
  if (processes == 1) {
    start_computing();
    measure(plan, request, 1, [&](RecordLine line) { return collector.hear(std::move(line)); });
    return runtime::rank_info().rank == 0 && !plan.cases.empty() ? collector.finish() : runtime::exit_ok;
  }
  require_files(request.inputs);
  for (int number = 1; number == 1 || collector.goes_on(); ++number) {
    runtime::ChildProcess child(number);
    harness::RunIdentity run;
    while (const auto question = child.question()) {
      RecordLine line = harness::read_line(*question, run);
      if (line.environment) run = line.environment->run;
      child.answer(collector.hear(std::move(line)));
    }
    const int code = child.exit_code();
    collector.clear_line();
    runtime::stop_if_interrupted();
    if (code > 128)
      fmt::print(stderr, "{}: the measuring process was ended by signal {} ({})\n",
                 runtime::build_info().program, code - 128, strsignal(code - 128));
    if (code != runtime::exit_ok) return code;
  }
  return collector.finish();
}

}  // namespace parity::commands
