// SPDX-License-Identifier: BSD-3-Clause
#include "harness/records.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "io/atomic_file.hpp"
#include "io/input.hpp"
#include "runtime/error.hpp"
#include "runtime/program.hpp"
#include "runtime/signals.hpp"
#include "runtime/text.hpp"

namespace parity::harness {
namespace {

using runtime::UsageError;

using Json = nlohmann::json;

/// Returns a discarded value for invalid JSON and for deep nesting, which could overflow the stack later.
Json parsed(const std::string& text) {
  bool deep = false;
  const Json json = Json::parse(
      text, [&deep](int depth, Json::parse_event_t, Json&) { return !(deep = deep || depth > 32); }, false);
  return deep ? Json(Json::value_t::discarded) : json;
}

/// Throws UsageError for texts that are too long or contain control sequences: a terminal may show them.
void check_texts(const Json& j, const std::string& where) {
  constexpr std::size_t longest = 10000;
  const auto check = [&where](const std::string& text) {
    if (text.size() > longest || runtime::shown(text, longest) != text)
      throw UsageError(fmt::format("{}holds the text '{}', which no record has; the line is damaged", where,
                                   runtime::shown(text)));
  };
  if (j.is_string()) check(j.get_ref<const std::string&>());
  if (j.is_object())
    for (const auto& [name, value] : j.items()) {
      check(name);
      check_texts(value, where);
    }
  if (j.is_array())
    for (const Json& value : j) check_texts(value, where);
}

/// Assigns a result that does not name its run to the run of the preceding environment.
void complete_run(Measurement& row, const RunIdentity& run) {
  if (!row.run.id.empty()) return;
  if (run.id.empty())
    throw UsageError(row.place +
                     "the header of its run, an environment, is not above it; give the whole file");
  row.run = run;
}

/// Parses one line; 'run' is the run of the preceding environment.
RecordLine parse_line(std::string text, const std::string& path, int number, const RunIdentity& run) {
  RecordLine line;
  line.text = std::move(text);
  const std::string where = fmt::format("{}: line {}: ", path, number);
  const Json json = parsed(line.text);
  if (!json.is_object() || !json.contains("type") || !json["type"].is_string())
    throw UsageError(fmt::format(
        "{}: line {} is not a Parity record; give a file written by 'parity measure', or take the line out",
        path, number));
  check_texts(json, where);
  const std::string type = json["type"].get<std::string>();
  if (type == "environment") {
    // Time and position identify an environment that a script wrote without an id.
    line.environment = environment_of(json, fmt::format("({}:{})", path, number), where);
  } else if (type == "measurement") {
    line.measurement = measurement_of(json, where);
    complete_run(*line.measurement, run);
  } else if (type == "skipped") {
    line.skipped = skipped_of(json, where);
    complete_run(line.skipped->row, run);
  } else {
    schema_of(json, where);  // a newer schema may have more types
    throw UsageError(fmt::format("{}type is '{}'; a record's is environment, measurement or skipped", where,
                                 runtime::shown(type)));
  }
  return line;
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

/// The lines of a file's text; 'complete' gets the number of bytes in complete lines.
std::vector<RecordLine> parse_lines(const std::string& path, const std::string& text, std::size_t& complete) {
  std::vector<RecordLine> lines;
  RunIdentity run;
  complete = 0;
  for (int number = 1; complete < text.size(); ++number) {
    const std::size_t end = text.find('\n', complete);
    if (end == std::string::npos) break;
    const std::string row = text.substr(complete, end - complete);
    complete = end + 1;
    if (is_blank(row)) continue;
    RecordLine line = parse_line(row, path, number, run);
    if (line.environment) run = line.environment->run;
    lines.push_back(std::move(line));
  }
  // An editor may have dropped the last line end; part of a record is no valid JSON.
  const std::string rest = text.substr(complete);
  if (is_blank(rest) || parsed(rest).is_discarded()) return lines;
  lines.push_back(parse_line(rest, path, int(lines.size()) + 1, run));
  complete = text.size();
  return lines;
}

std::string cut_text(const std::string& file, std::size_t bytes) {
  return fmt::format(
      "{}: its last line is cut after {} bytes and not read: the row is measured again with --resume",
      runtime::shown(file, 4096), bytes);
}

/// The error text for a folder without records.jsonl: names the first record files below it.
std::string without_records(const std::string& folder) {
  namespace fs = std::filesystem;
  std::set<std::string> found;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (at.depth() > 3)
      at.disable_recursion_pending();
    else if (at->path().extension() == ".jsonl")
      found.insert(at->path().lexically_relative(folder).string());
  constexpr std::size_t most = 8;
  std::vector<std::string> names(found.begin(), std::next(found.begin(), long(std::min(most, found.size()))));
  if (found.size() > most) names.push_back(fmt::format("and {} more", found.size() - most));
  return fmt::format("{}: is a folder without a file records.jsonl; give files of records{}{}",
                     runtime::shown(folder, 4096), names.empty() ? "" : "; below it are ",
                     fmt::join(names, " "));
}

std::string read_text(const std::string& path, bool of_folder = false) {
  if (of_folder && access(path.c_str(), F_OK) != 0)
    throw UsageError(without_records(path.substr(0, path.rfind('/'))));
  return io::text_of(path, of_folder);
}

/// The part of the key that results of one problem share.
std::string problem_of(const std::string& row_key) {
  return row_key.substr(0, row_key.find('/')) + row_key.substr(std::min(row_key.find(' '), row_key.size()));
}

}  // namespace

std::string difference_of(const Environment& before, const Environment& now) {
  std::vector<std::string> parts;
  const auto add = [&parts](const char* what, const std::string& was, const std::string& is) {
    if (was != is) parts.push_back(fmt::format("{} {}, not {}", what, was, is));
  };
  add("commit", before.run.commit_text(), now.run.commit_text());
  add("device", before.run.device, now.run.device);
  add("build", before.run.build, now.run.build);
  add("OpenMP threads, binding and places", before.threads, now.threads);
  const auto ranks = [](const Environment& e) { return e.ranks.empty() ? std::string("1") : e.ranks; };
  add("ranks", ranks(before), ranks(now));
  return fmt::format("{}", fmt::join(parts, "; "));
}

RecordLine read_line(const std::string& text, const RunIdentity& run) {
  if (text.rfind('{', 0) == 0) return parse_line(text, "a measuring process", 1, run);
  RecordLine line;
  line.text = text;
  return line;
}

std::string text_of(const RecordLine& line) {
  if (!line.measurement && !line.skipped && !line.environment) return line.text;
  const Json record = line.measurement ? record_of(*line.measurement, line.measurement->run.id)
                      : line.skipped   ? record_of(*line.skipped, line.skipped->row.run.id)
                                       : to_json(*line.environment);
  return record.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string file_of_records(const std::string& path) {
  struct stat status {};
  if (path == "-") return "/dev/stdin";
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) ? path + "/records.jsonl" : path;
}

std::vector<RecordLine> read_lines(const std::string& path, std::vector<std::string>* cut) {
  const std::string file = file_of_records(path), text = read_text(file, file != path && path != "-");
  std::size_t complete = 0;
  std::vector<RecordLine> lines = parse_lines(file, text, complete);
  if (is_blank(text.substr(complete))) return lines;
  fmt::print(stderr, "{}: {}\n", runtime::build_info().program, cut_text(file, text.size() - complete));
  if (cut) cut->push_back(file);
  return lines;
}

Records read_records(const std::vector<std::string>& paths, bool skipped_are_enough) {
  using Place = std::pair<std::string, std::string>;  // run and key
  Records records;
  std::map<Place, std::size_t> place_of, skipped_place_of;
  std::vector<std::vector<Measurement>> rows;
  std::vector<std::vector<SkippedRow>> skipped;
  std::set<std::string> runs;
  // Adds a result to the others of its run and key.
  const auto add = [](auto& places, auto& all, const Measurement& identity, auto&& row) {
    const auto [at, is_new] = places.emplace(Place(identity.run.id, key(identity)), all.size());
    if (is_new) all.emplace_back();
    all[at->second].push_back(std::forward<decltype(row)>(row));
  };
  for (const std::string& path : paths)
    for (RecordLine& line : read_lines(path, &records.cut)) {
      if (line.environment && runs.insert(line.environment->run.id).second)
        records.environments.push_back(std::move(*line.environment));
      if (line.measurement) add(place_of, rows, *line.measurement, Measurement(*line.measurement));
      if (line.skipped) add(skipped_place_of, skipped, line.skipped->row, SkippedRow(*line.skipped));
    }
  for (std::vector<Measurement>& processes : rows)
    records.measurements.push_back(merged(std::move(processes)));
  for (const std::vector<SkippedRow>& processes : skipped) {
    const auto measured = place_of.find(Place(processes.front().row.run.id, key(processes.front().row)));
    auto left = without_measured(merged(processes), measured == place_of.end()
                                                        ? std::vector<int>()
                                                        : records.measurements[measured->second].processes);
    if (left) records.skipped.push_back(std::move(*left));
  }
  if (records.measurements.empty() && !(skipped_are_enough && !records.skipped.empty()))
    throw UsageError(fmt::format(
        "{}: holds no measurement{}", fmt::join(paths, " "),
        records.skipped.empty() ? std::string()
                                : fmt::format("; {} was skipped: {}", records.skipped.front().row.full_name(),
                                              records.skipped.front().reason)));
  return records;
}

RecordFile::RecordFile(const std::string& path, Existing existing, Environment here)
    : path_(path), here_(std::move(here)) {
  mine_.insert(here_.run.id);
  if (path.empty()) return;
  io::require_trusted(path);
  file_ = open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0)
    throw UsageError(fmt::format("{}: cannot be written: {}", path, io::why_not_made(path, errno)));
  const auto give_up = [this](const std::string& why) {
    close(file_);
    throw UsageError(why);
  };
  // Some cluster file systems support no locks, so any other error lets the run continue without one. A run
  // killed a moment ago may still hold the lock.
  for (int tries = 20; flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; --tries) {
    if (tries == 0)
      give_up(fmt::format("{}: another run is writing to it; wait for it or give another --output", path));
    usleep(100'000);
  }
  const off_t size = lseek(file_, 0, SEEK_END);
  if (size < 0) give_up(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  if (size == 0) return;
  if (existing == Existing::refuse)
    give_up(fmt::format("{}: holds records already; add --resume to go on with them, or give another file",
                        path));
  try {
    read_existing(existing);
  } catch (...) {
    close(file_);
    throw;
  }
}

void RecordFile::read_existing(Existing existing) {
  std::size_t complete = 0;
  const std::string text = read_text(path_);
  const std::vector<RecordLine> lines = parse_lines(path_, text, complete);
  for (const RecordLine& line : lines) {
    if (line.environment) header_run_ = line.environment->run.id;
    // Environments that scripts wrote are not runs of parity.
    if (!line.environment || !line.environment->complete) continue;
    const Environment& there = *line.environment;
    const std::string difference = difference_of(there, here_);
    if (difference.empty()) {
      here_ = of_run(here_, there.run.id);
      mine_.insert(there.run.id);
      has_environment_ = true;
    } else if (existing != Existing::mix) {
      throw UsageError(
          fmt::format("{}: its rows were measured with {}; give another --output, or --mixed to keep the "
                      "rows of both apart in one file",
                      path_, difference));
    }
  }
  for (const RecordLine& line : lines)
    if (line.measurement) keep(*line.measurement);
  // After the measurements, because the run that measured a problem's results is the problem's run.
  for (const RecordLine& line : lines)
    if (line.skipped) keep(*line.skipped);
  const bool without_end = complete > 0 && text[complete - 1] != '\n';
  if (ftruncate(file_, off_t(complete)) != 0 || (without_end && pwrite(file_, "\n", 1, off_t(complete)) != 1))
    throw UsageError(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
}

RecordFile::~RecordFile() {
  if (file_ >= 0) close(file_);
}

void RecordFile::keep(const Measurement& row) {
  const std::string row_key = key(row);
  rows_[row_key][row.run.id].push_back(row);
  if (mine_.count(row.run.id) == 0) return;
  run_of_problem_.emplace(problem_of(row_key), row.run.id);
  if (!row.verdict.passed()) wrong_.insert(row_key);
}

void RecordFile::keep(const SkippedRow& skipped) {
  const std::string row_key = key(skipped.row);
  skipped_[row_key][skipped.row.run.id].push_back(skipped);
  if (mine_.count(skipped.row.run.id) > 0) run_of_problem_.emplace(problem_of(row_key), skipped.row.run.id);
}

const std::string& RecordFile::run_for(const std::string& row_key) const {
  const auto at = run_of_problem_.find(problem_of(row_key));
  return at == run_of_problem_.end() ? here_.run.id : at->second;
}

bool RecordFile::has(const std::string& row_key, int process, int processes) const {
  const auto at = rows_.find(row_key);
  if (at == rows_.end()) return false;
  if (wrong_.count(row_key) > 0) return true;  // another commit's result is measured again
  const std::string& mine = run_for(row_key);
  for (const auto& [run, rows] : at->second) {
    std::set<int> numbers;
    for (const Measurement& m : rows)
      if (m.verdict.passed() && (!energy_ || m.has_energy()))
        numbers.insert(m.processes.begin(), m.processes.end());
    if (run == mine ? numbers.count(process) > 0 : int(numbers.size()) >= processes) return true;
  }
  return false;
}

bool RecordFile::is_finished(const std::string& row_key, int processes) const {
  for (int process = 1; process <= processes; ++process)
    if (!has(row_key, process, processes)) return false;
  return true;
}

std::size_t RecordFile::finished(int processes) const {
  return std::size_t(std::count_if(rows_.begin(), rows_.end(),
                                   [&](const auto& row) { return is_finished(row.first, processes); }));
}

std::optional<Measurement> RecordFile::row(const std::string& row_key) const {
  const auto at = rows_.find(row_key);
  if (at == rows_.end()) return std::nullopt;
  const auto mine = at->second.find(run_for(row_key));
  return mine == at->second.end() ? std::nullopt : std::optional<Measurement>(merged(mine->second));
}

std::optional<SkippedRow> RecordFile::skipped(const std::string& row_key) const {
  const auto at = skipped_.find(row_key);
  if (at == skipped_.end()) return std::nullopt;
  const auto mine = at->second.find(run_for(row_key));
  if (mine == at->second.end()) return std::nullopt;
  const auto measured = row(row_key);
  return without_measured(merged(mine->second), measured ? measured->processes : std::vector<int>());
}

bool RecordFile::says(const SkippedRow& skipped) const {
  const auto at = skipped_.find(key(skipped.row));
  if (at == skipped_.end() || at->second.count(skipped.row.run.id) == 0) return false;
  const std::vector<int> known = merged(at->second.at(skipped.row.run.id)).row.processes;
  return std::includes(known.begin(), known.end(), skipped.row.processes.begin(),
                       skipped.row.processes.end());
}

void RecordFile::append(const std::vector<SkippedRow>& all) {
  std::vector<SkippedRow> unrecorded;
  for (const SkippedRow& given : all) {
    SkippedRow skipped = given;
    skipped.row.run = here_.run;
    skipped.row.run.id = run_for(key(skipped.row));
    if (!says(skipped)) unrecorded.push_back(std::move(skipped));
  }
  if (unrecorded.empty()) return;
  std::vector<Json> records;
  for (const SkippedRow& skipped : unrecorded) records.push_back(record_of(skipped, header_run_));
  append_lines(records);
  for (const SkippedRow& skipped : unrecorded) keep(skipped);
}

void RecordFile::append(Measurement row) {
  row.run = here_.run;
  row.run.id = run_for(key(row));
  const Json line = record_of(row, header_run_);
  append_lines({line});
  // Keeps what a reader of the file would get, to the last digit.
  Measurement kept = measurement_of(line, "");
  kept.run = row.run;
  keep(kept);
}

void RecordFile::begin() {
  if (has_environment_) return;
  append_lines({to_json(here_)});
  header_run_ = here_.run.id;
  has_environment_ = true;
}

void RecordFile::append_lines(const std::vector<Json>& records) {
  if (file_ < 0) return;
  std::string lines;
  for (const Json& record : records)
    lines += record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const runtime::SignalBlocker whole_lines;
  const off_t before = lseek(file_, 0, SEEK_END);
  std::size_t done = 0;
  for (ssize_t n = 1; n > 0 && done < lines.size(); done += std::size_t(std::max<ssize_t>(n, 0)))
    n = write(file_, lines.data() + done, lines.size() - done);
  if (done < lines.size() || fdatasync(file_) != 0) {
    const int why = errno;
    // Otherwise every reader would have to detect a partial line.
    const bool whole = ftruncate(file_, before) == 0;
    throw UsageError(fmt::format("{}: cannot be written: {}{}; {} and go on with --resume", path_,
                                 std::strerror(why), whole ? "" : " (its last line is unfinished)",
                                 why == EFBIG ? "raise the limit of files (ulimit -f)" : "free some space"));
  }
}

}  // namespace parity::harness
