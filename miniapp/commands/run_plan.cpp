// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "commands/commands.hpp"
#include "harness/energy.hpp"
#include "harness/environment.hpp"
#include "harness/measure.hpp"
#include "harness/progress.hpp"
#include "runtime/error.hpp"
#include "runtime/messages.hpp"
#include "runtime/processes.hpp"
#include "runtime/signals.hpp"
#include "runtime/text.hpp"

namespace parity::commands {
namespace {

using harness::Choice;
using harness::Task;

constexpr double seconds_of_a_log_line = 60;

/// What counts joules in this start; null where none are wanted. Throws where the study has no rows with
/// joules, under mpirun, and where nothing counts here: before anything is measured or written.
std::unique_ptr<harness::EnergyProbe> energy_probe(bool wanted, const harness::Study& study) {
  if (!wanted) return nullptr;
  if (study.about().times_are_results)
    throw runtime::UsageError(fmt::format(
        "--energy: {} measures calls, which have no joules of their own; leave it away", study.name()));
  if (runtime::several_ranks())
    throw runtime::UsageError(
        "--energy counts one process's joules: start it without mpirun or srun, or leave it away");
  return std::make_unique<harness::EnergyProbe>(harness::energy_meters());
}

struct Open {
  const harness::Case* problem;
  std::vector<Choice> open;
  std::set<std::string> wrong;  ///< keys of rows that an earlier process of this run found wrong
};

void print_row(const harness::Study& study, const Task& task, const Measurement& row) {
  if (row.verdict.passed())
    fmt::print(
        "{:<36} {:<36} {:>40}  {}{}\n", task.text(), row.name(), metric_text(row),
        study.about().times_are_results ? doubt_text(row) : "",
        row.verdict.caveat.empty() ? fmt::format("error {:.1e}", row.verdict.error) : row.verdict.caveat);
  else
    fmt::print("{:<36} {:<36} WRONG: error {:.1e}, tolerance {:.0e}\n", task.text(), row.name(),
               row.verdict.error, row.verdict.tolerance);
  std::fflush(stdout);
}

/// ": what one more launch adds", where a word of the problem needs that.
std::string meaning_of(const harness::Study& study, const Task& task) {
  const harness::Values values = task.values();
  for (const harness::Parameter& p : study.parameters())
    for (std::size_t w = 0; w < p.meanings.size(); ++w)
      if (const auto v = values.find(p.name); v != values.end() && v->second == harness::Value(p.words[w]))
        return ": " + p.meanings[w];
  return "";
}

/// Counts the rows whose processes disagree, and those that lack some; names those whose time is unreliable.
class Caveats {
 public:
  void add(const Measurement& row) {
    if (!row.timed() || !row.verdict.passed()) return;
    ++rows_;
    ++by_starts_[row.starts.size()];
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
  /// How many starts every row should have.
  void expect(int starts) { expected_ = std::size_t(starts); }
  void print() const {
    for (const std::string& text : {missing_starts(), noise(), unreliable()})
      if (!text.empty()) fmt::print("{}\n", text);
    fmt::print("ran on {}\n", harness::machine_text());
  }

 private:
  // Each is one line, or "" where all is well.
  std::string noise() const {
    if (rows_ > 0 && without_interval_ == rows_)
      return fmt::format("no 95 % intervals: they need {} starts of the program (--starts, --repeats)",
                         harness::least_blocks);
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
  std::string missing_starts() const {
    if (by_starts_.empty()) return "";
    const std::size_t all = std::max(expected_, by_starts_.rbegin()->first);
    const auto complete = by_starts_.find(all);
    const int fewer = rows_ - (complete == by_starts_.end() ? 0 : complete->second);
    if (fewer == 0) return "";
    return fmt::format(
        "{} of {} row{} {} samples of fewer than {} starts: in the others a check refused it, or it did not "
        "run",
        fewer, rows_, rows_ == 1 ? "" : "s", fewer == 1 ? "has" : "have", all);
  }
  std::size_t expected_ = 0;
  std::map<std::size_t, int> by_starts_;
  int rows_ = 0, without_interval_ = 0, noisy_ = 0, preempted_ = 0, samples_ = 0;
  std::vector<std::string> unreliable_;
};

class Run {
 public:
  Run(harness::Plan plan, const Request& request) : plan_(std::move(plan)), request_(request) {
    if (!shared_.possible) plan_.options.blocks = 1;
    processes_ = plan_.options.blocks_needed();
    plan_.options.block = shared_.number;
  }

  int run() {
    for (const harness::Case& c : plan_.cases) harness::require_memory(*c.task, c.choices);
    energy_ = energy_probe(request_.energy, *plan_.study);
    plan_.options.energy = energy_.get();
    runtime::agreed([this] { open_files(); });
    if (plan_.cases.empty()) return runtime::exit_ok;
    std::vector<Open> all;
    for (const harness::Case& c : plan_.cases) all.push_back(to_do(c));
    for (const Open& o : all) total_ += double(runnable(o));
    const double earlier = total_ * (shared_.number - 1);
    total_ *= processes_;
    done_ = earlier;
    say_what_stays();
    harness::Progress progress(total_, "rows", request_.quiet || !leads_);
    progress.count_before(earlier);
    if (!request_.tables) progress.log_every(seconds_of_a_log_line, shared_.last_log_line);
    for (std::size_t k = 0; k < all.size(); ++k) measure(all[k], k, progress);
    progress.clear();
    return leads_ ? finish(progress.last_line()) : runtime::exit_ok;
  }

 private:
  bool is_last() const { return shared_.number == processes_; }

  /// Before anything is measured: a name that cannot be written must not cost a measurement. Ranks other than
  /// the first keep their rows in memory.
  void open_files() {
    const bool in_memory = !leads_ || request_.output.empty() || io::is_stream(request_.output);
    harness::Existing existing = request_.existing;
    if (leads_) {
      require_apart({{"--output", request_.output}, {"--json", request_.json}, {"--csv", request_.csv}},
                    request_.inputs);
      files_ = std::make_unique<OutputFiles>(request_.json, request_.csv, is_last());
      if (is_last() && in_memory) stream_ = std::make_unique<OutputFiles>(request_.output, "");
      if (in_memory && existing != harness::Existing::refuse)
        throw runtime::UsageError(fmt::format(
            "--resume needs a file of records, and {} is none; give --output one", request_.output));
    }
    if (!leads_) existing = harness::Existing::refuse;
    if (shared_.number > 1 && existing == harness::Existing::refuse) existing = harness::Existing::resume;
    file_ =
        std::make_unique<harness::RecordFile>(in_memory ? runtime::memory_file() : request_.output, existing);
    if (request_.energy) file_->want_energy();
    if (shared_.number == 1) {
      shared_.rows_kept = file_->finished(processes_);
      shared_.lines_kept = file_->lines();
    }
    wrong_before_ = file_->wrong_rows(shared_.lines_kept);
  }

  std::string process_text() const {
    return processes_ == 1 ? "" : fmt::format("start {} of {}: ", shared_.number, processes_);
  }

  void say_what_stays() const {
    if (request_.tables) {
      const std::string files =
          request_.json.empty() && request_.csv.empty() ? "" : "; --json and --csv were not written";
      return runtime::say_when_stopped(tables_ == 0
                                           ? "no problem was finished" + files
                                           : fmt::format("the tables of {} of {} problems are above{}",
                                                         tables_, plan_.cases.size(), files));
    }
    if (io::is_stream(request_.output)) return runtime::say_when_stopped("no row is written");
    runtime::say_when_stopped(
        fmt::format("{} finished rows{} are kept in {}, --resume runs the rest", shared_.rows_kept + final_,
                    processes_ == 1 ? "" : " and what others have so far", request_.output));
  }

  Open to_do(const harness::Case& c) const {
    Open o{&c, {}, {}};
    for (const Choice& choice : c.choices) {
      const std::string row_key = key(harness::blank_row(*c.task, choice));
      if (runtime::broadcast(!file_->has(row_key, shared_.number, processes_)))
        o.open.push_back(choice);
      else if (const auto row = file_->row(row_key);
               row && !row->verdict.passed() && wrong_before_.count(row_key) == 0)
        o.wrong.insert(row_key);
    }
    return o;
  }

  /// What can run, as far as is known before. A row that an earlier process skipped is skipped again.
  std::size_t runnable(const Open& o) const {
    return std::size_t(std::count_if(o.open.begin(), o.open.end(), [&](const Choice& c) {
      return !o.problem->task->why_not(c) && !file_->skipped(key(harness::blank_row(*o.problem->task, c)));
    }));
  }

  void measure(Open& o, std::size_t number, harness::Progress& progress) {
    const Task& task = *o.problem->task;
    const harness::RunOptions& options = plan_.options;
    const std::string title = (request_.tables ? plan_.study->name() + " " : std::string()) + task.text();
    const bool with_table = request_.tables && is_last();
    if (with_table && !plan_.study->about().times_are_results) {
      progress.clear();
      fmt::print("{}\n", title);
      std::fflush(stdout);
    }
    std::vector<Measurement> of_this_process;
    std::set<std::string> said = o.wrong;
    const auto finished = [&](const Measurement& row) {
      if (!said.insert(key(row)).second) return;
      ++final_;
      say_what_stays();
      progress.clear();
      if (!request_.tables) print_row(*plan_.study, task, row);
    };
    if (!o.open.empty()) {
      if (!file_->has_environment()) file_->append(harness::this_environment(request_.slice));
      // The variant that goes first changes from problem to problem and from process to process.
      const std::size_t first = (number + std::size_t(options.block) - 1) % o.open.size();
      std::rotate(o.open.begin(), o.open.begin() + std::ptrdiff_t(first), o.open.end());
      const std::size_t expected = runnable(o);
      const double notes = double(o.open.size()) * double(options.repeats_in_block() + 2 + request_.energy);
      double noted = 0;
      const harness::Measured m = harness::measure(
          task, o.open, options,
          [&](const std::string& what) {
            // A command's few rows are all done at once, at the end.
            const double rows = request_.tables ? double(expected) * std::min(1.0, noted++ / notes)
                                                : double(of_this_process.size());
            progress.update(done_ + rows, process_text() + title + " " + what);
          },
          [&](const Measurement& block) {
            of_this_process.push_back(block);
            runtime::linked([&] { file_->append(block); });
            if (is_last() || !block.verdict.passed()) finished(*file_->row(key(block)));
          });
      runtime::linked([&] { file_->append(m.skipped); });
      // What could not run after all, or could, is the same in the processes that follow.
      const double done = double(of_this_process.size());
      done_ += done;
      total_ += (done - double(expected)) * (processes_ - shared_.number + 1);
      progress.expect(total_);
      skipped_.add(m.skipped);
    }
    progress.clear();
    if (is_last()) collect(o, title, finished);
  }

  template <class Finished>
  void collect(const Open& o, const std::string& title, const Finished& finished) {
    const Task& task = *o.problem->task;
    // A table is in the order of the plan, a file of rows in that in which they were measured.
    std::vector<Choice> order = o.open;
    for (const Choice& c : o.problem->choices)
      if (o.wrong.count(key(harness::blank_row(task, c))) > 0) order.push_back(c);
    std::vector<Measurement> rows;
    for (const Choice& c : request_.tables ? o.problem->choices : order) {
      const std::string row_key = key(harness::blank_row(task, c));
      if (auto s = file_->skipped(row_key)) all_skipped_.push_back(std::move(*s));
      if (auto row = file_->row(row_key)) rows.push_back(std::move(*row));
    }
    for (const Measurement& row : rows) finished(row), caveats_.add(row);
    if (request_.tables) {
      if (plan_.study->about().times_are_results)
        fmt::print("{}\n", wrapped(title + meaning_of(*plan_.study, task), 100, 4));
      if (!rows.empty()) {
        print_pairs(rows, analysis::pairs_of(rows), false, request_.verbose);
        print_table(*plan_.study, rows, request_.baseline, request_.verbose);
      }
      std::fflush(stdout);
      ++tables_;
      say_what_stays();
    }
    rows_.insert(rows_.end(), rows.begin(), rows.end());
  }

  int finish(double last_log_line) {
    const bool nothing = file_->has_no_row();
    if (!is_last() && !nothing) return go_on(last_log_line);
    const bool verbose = request_.verbose || !request_.tables;
    skipped_.print("skipped", verbose ? std::size_t(-1) : 3);
    if (request_.tables && nothing)
      throw runtime::CannotRunError("none of the variants can run here, for the reasons above");
    print_missing_joules(rows_);
    if (!request_.tables) {
      fmt::print("{} rows measured, {} kept from before, {} skipped: {}\n", rows_.size(), shared_.rows_kept,
                 skipped_.rows(),
                 request_.output == "-" ? "standard output" : runtime::shown(request_.output, 4096));
      if (rows_.size() + shared_.rows_kept == 0)
        throw runtime::CannotRunError("nothing of this plan can run here, for the reasons above");
    }
    caveats_.expect(processes_);
    if (!rows_.empty()) caveats_.print();
    if (request_.at_end) request_.at_end(rows_);  // last, so that a plan can end with what is copied
    files_->write(rows_, all_skipped_, [&] { return to_csv(*plan_.study, rows_, request_.baseline); });
    if (stream_) stream_->write(rows_, all_skipped_, {}, request_.slice);
    return file_->failed() ? runtime::exit_check_failed : runtime::exit_ok;
  }

  /// Another process measures the next block.
  int go_on(double last_log_line) {
    shared_.again = true;
    shared_.last_log_line = last_log_line;
    const std::string stays = runtime::what_stays();
    shared_.what_stays[stays.copy(shared_.what_stays, sizeof shared_.what_stays - 1)] = 0;
    return runtime::exit_ok;
  }

  harness::Plan plan_;
  const Request& request_;
  const bool leads_ = runtime::place().rank == 0;
  runtime::Repeats& shared_ = runtime::repeats();
  int processes_ = 1;
  std::unique_ptr<harness::EnergyProbe> energy_;
  std::unique_ptr<OutputFiles> files_, stream_;
  std::unique_ptr<harness::RecordFile> file_;
  std::set<std::string> wrong_before_;            ///< keys of rows, before the first process
  std::vector<Measurement> rows_;                 ///< that are final
  std::vector<harness::SkippedRow> all_skipped_;  ///< of all processes
  std::size_t final_ = 0, tables_ = 0;
  double done_ = 0, total_ = 0;  ///< rows of all processes, for the progress
  Skipped skipped_;
  Caveats caveats_;
};

}  // namespace

int run_plan(harness::Plan plan, const Request& request) { return Run(std::move(plan), request).run(); }

}  // namespace parity::commands
